/* The audit log: who wrote what. An entry of a write stands in the commit of that write, as its job carries it (storage_job.audit); entries are
 * only appended, and end with their retention. */
#ifndef FLEETPLAN_STORAGE_AUDIT_H
#define FLEETPLAN_STORAGE_AUDIT_H

#include "storage/storage.h"

struct audit_record; /* hwdb/catalogue/records.h */

/* An entry that goes with no other job: a refusal, or a write outside of the database. It is the job's `audit`. */
struct audit_put {
	struct storage_job job;
};

/* Ends entries from before a moment, the oldest first, `limit` at most. */
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
