/* Plans: put, read, list, patch, refresh, delete.
 *
 * A plan has a revision, which every change raises and which its ETag is. Computed content (request, result) is kept for
 * every revision that was computed; a patch of name, labels or notes raises the revision without a new content. A
 * checksum goes with every content: one that does not match is answered as STATUS_UNAVAILABLE, naming the plan, and
 * never as a plan. */
#ifndef FLEETPLAN_STORAGE_PLANS_H
#define FLEETPLAN_STORAGE_PLANS_H

#include "storage/idempotency.h"

struct plan_record; /* hwdb/catalogue/records.h */

/* Inserts `plan` as it is (id, created_at and revision given by the caller). STATUS_CONFLICT when the id exists, or when
 * the idempotency key was used meanwhile. */
struct plan_put {
	struct storage_job job;
	const struct plan_record *plan;
	const struct idempotency *idempotency; /* NULL without a key */
};

/* Replaces name, labels and notes. */
struct plan_patch {
	struct storage_job job;
	const char *id;
	int64_t expected_revision;      /* below 1: any; else STATUS_PRECONDITION_FAILED when the plan is at another */
	const struct plan_record *plan; /* its name, labels and notes are taken */
	int64_t revision;               /* output: the new one */
};

/* Gives a plan a newly computed content: request, result and what they were computed with. Name, labels, notes and
 * created_at stay; the content before is kept as its own revision. */
struct plan_refresh {
	struct storage_job job;
	const char *id;
	int64_t expected_revision;
	const struct plan_record *plan;
	int64_t revision; /* output */
};

struct plan_delete {
	struct storage_job job;
	const char *id;
	int64_t expected_revision;
};

struct plan_filter {
	const char *kind, *model, *accelerator; /* NULL: any */
	const char *label_key, *label_value;    /* both or none */
	const char *scope_key, *scope_value;    /* likewise, beside that label */
	const char *text;                       /* part of name or notes, case ignored (ASCII) */
	int64_t created_after_us, created_before_us; /* exclusive; ABSENT_COUNT: open */
};

struct plan_list {
	struct plan_record *items; /* without request and result */
	size_t count;
	const char *next_cursor; /* NULL: that was the last page */
};

/* `revision` ABSENT_COUNT: the newest. An older one has its own content and the plan's present name, labels and notes. */
FALLIBLE enum status storage_plan_get(struct storage *storage, const char *id, int64_t revision, struct arena *arena,
	struct plan_record *plan, struct failure *failure);

FALLIBLE enum status storage_plan_list(struct storage *storage, const struct plan_filter *filter, const struct page_request *page,
	struct arena *arena, struct plan_list *list, struct failure *failure);

/* Every computed revision of one plan, newest first, without request and result; next_cursor is always NULL. */
FALLIBLE enum status storage_plan_revisions(struct storage *storage, const char *id, struct arena *arena,
	struct plan_list *list, struct failure *failure);

#endif
