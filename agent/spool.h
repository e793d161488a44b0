/* The agent's folder: who it is, and the results that its server has not taken yet.
 *
 * A result is a file of its own, written beside, synced, renamed, the folder synced: after spool_put it survives a power
 * cut, before that it is as if it had never been. Each begins with the length and the SHA-256 of what follows; one that
 * does not fit them is set aside under another name and never delivered. The folder is locked while it is open, so that
 * two agents never share one name. Results are taken in the order of their file names; one thread. */
#ifndef FLEETPLAN_AGENT_SPOOL_H
#define FLEETPLAN_AGENT_SPOOL_H

#include "base/buffer.h"
#include "base/failure.h"
#include "base/uuid.h"

enum { SPOOL_RESULTS_MAX = 64, SPOOL_RESULT_MAX_BYTES = 4 * 1024 * 1024 };

struct spool {
	int folder_fd, lock_fd;      /* -1: not open */
	char agent_id[UUID_TEXT_SIZE]; /* made at the first start, and kept */
};

struct spool_entry {
	char benchmark_id[UUID_TEXT_SIZE];
	int64_t token;
};

struct spool_list {
	struct spool_entry entries[SPOOL_RESULTS_MAX];
	size_t count;
};

/* Makes the folder when it is not there, and clears away what a crash left half written. STATUS_CONFLICT when another
 * process has it, STATUS_UNAVAILABLE when it cannot be made, read or written. */
FALLIBLE enum status spool_open(struct spool *spool, const char *folder, struct failure *failure);
void spool_close(struct spool *spool);

/* STATUS_STORAGE_FULL or STATUS_UNAVAILABLE: nothing was kept. The same entry again replaces it. */
FALLIBLE enum status spool_put(struct spool *spool, const struct spool_entry *entry, const char *body, size_t length, struct failure *failure);

/* What is there, at most SPOOL_RESULTS_MAX. */
void spool_list(struct spool *spool, struct spool_list *list);

/* STATUS_MALFORMED: damaged, and set aside as "....damaged". */
FALLIBLE enum status spool_read(struct spool *spool, const struct spool_entry *entry, struct buffer *body, struct failure *failure);

void spool_remove(struct spool *spool, const struct spool_entry *entry);

#endif
