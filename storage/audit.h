/* The audit log: who wrote what. The entry of a write is in the same commit as the write; the write's job has it
 * (storage_job.audit). Entries are only appended, and deleted when their retention ends. */
#ifndef FLEETPLAN_STORAGE_AUDIT_H
#define FLEETPLAN_STORAGE_AUDIT_H

#include "storage/storage.h"

struct audit_record; /* hwdb/catalogue/records.h */

/* Writes an entry without another job: a refusal, or a write outside the database. The entry is the job's `audit`. */
struct audit_put {
	struct storage_job job;
};

/* Deletes entries older than a time, the oldest first, at most `limit`. */
struct audit_prune {
	struct storage_job job;
	int64_t before_us, limit;
	int64_t pruned; /* output */
};

struct audit_filter {
	const char *key_id, *method, *entity, *outcome; /* NULL: any */
	const char *text;                               /* part of the path */
	int64_t after_us, before_us;                    /* exclusive; 0: open */
};

struct audit_list {
	struct audit_record *items; /* newest first */
	size_t count;
	const char *next_cursor;
};
FALLIBLE enum status storage_audit_list(struct storage *storage, const struct audit_filter *filter, const struct page_request *page,
	struct arena *arena, struct audit_list *list, struct failure *failure);

#endif
