/* Spool: the agent's folder, with its id and the results that the server has not accepted yet.
 *
 * Each result is a file: written under a draft name, synced and renamed, and the folder synced. After spool_put() it
 * survives a power cut; before that it does not exist. A file begins with the length and the SHA-256 of its content. A
 * file that does not match them is renamed to "....damaged" and never delivered. The folder is locked while it is open,
 * so that two agents never have the same id. Results are listed in the order of benchmark id and token. One thread. */
#ifndef FLEETPLAN_AGENT_SPOOL_H
#define FLEETPLAN_AGENT_SPOOL_H

#include "base/buffer.h"
#include "base/failure.h"
#include "base/uuid.h"

enum { SPOOL_RESULTS_MAX = 64, SPOOL_RESULT_MAX_BYTES = 4 * 1024 * 1024 };

struct spool {
	int folder_fd, lock_fd;        /* -1: not open */
	char agent_id[UUID_TEXT_SIZE]; /* made at the first start, then stored */
};

struct spool_entry {
	char benchmark_id[UUID_TEXT_SIZE];
	int64_t token;
};

struct spool_list {
	struct spool_entry entries[SPOOL_RESULTS_MAX];
	size_t count;
};

/* Creates the folder if it does not exist, and removes drafts that a crash left. STATUS_CONFLICT: another process uses the
 * folder. STATUS_UNAVAILABLE: it cannot be created, read or written. STATUS_STORAGE_FULL. */
FALLIBLE enum status spool_open(struct spool *spool, const char *folder, struct failure *failure);
void spool_close(struct spool *spool);

/* Stores a result; replaces that of the same entry. STATUS_STORAGE_FULL, STATUS_UNAVAILABLE: it is not stored. */
FALLIBLE enum status spool_put(
	struct spool *spool, const struct spool_entry *entry, const char *body, size_t length, struct failure *failure);

/* Lists the results, at most SPOOL_RESULTS_MAX. */
void spool_list(struct spool *spool, struct spool_list *list);

/* Reads a result. STATUS_MALFORMED: the file is damaged and now has the name "....damaged". */
FALLIBLE enum status spool_read(struct spool *spool, const struct spool_entry *entry, struct buffer *body, struct failure *failure);

void spool_remove(struct spool *spool, const struct spool_entry *entry);

#endif
