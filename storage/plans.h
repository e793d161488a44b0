/* Plans: put, read, list, patch, refresh, delete.
 *
 * A plan has a revision, which every change raises and which is its ETag. The computed content (request, result) is
 * stored for every computed revision; a patch of name, labels or notes raises the revision without new content. Every
 * content has a checksum: if it does not match, the answer is STATUS_UNAVAILABLE with the plan's id, never the plan. */
#ifndef FLEETPLAN_STORAGE_PLANS_H
#define FLEETPLAN_STORAGE_PLANS_H

#include "storage/idempotency.h"

struct plan_record; /* hwdb/catalogue/records.h */

/* Inserts `plan` unchanged (the caller gives id, created_at and revision). STATUS_CONFLICT if the id exists, or if the
 * idempotency key was used meanwhile. */
struct plan_put {
	struct storage_job job;
	const struct plan_record *plan;
	const struct idempotency *idempotency; /* NULL without a key */
};

/* Replaces name, labels and notes. */
struct plan_patch {
	struct storage_job job;
	const char *id;
	int64_t expected_revision;      /* below 1: any; else STATUS_PRECONDITION_FAILED if the plan has another revision */
	const struct plan_record *plan; /* only its name, labels and notes are read */
	int64_t revision;               /* output: the new revision */
};

/* Gives a plan newly computed content: request, result and the versions used. Name, labels, notes and created_at stay;
 * the previous content is stored as its own revision. */
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
	const char *kind, *model, *accelerator;      /* NULL: any */
	const char *label_key, *label_value;         /* both or none */
	const char *scope_key, *scope_value;         /* both or none; a second label that must match */
	const char *text;                            /* part of name or notes, case ignored (ASCII) */
	int64_t created_after_us, created_before_us; /* exclusive; ABSENT_COUNT: open */
	const char *sort; /* a figure of the summary (plan_sort_words), with "-" for a descending order; NULL: newest first */
};

struct plan_list {
	struct plan_record *items; /* without request and result */
	size_t count;
	const char *next_cursor; /* NULL: this is the last page */
};

/* Reads a plan; `revision` ABSENT_COUNT: the newest. An older revision has its own content, and the plan's current
 * name, labels and notes. */
FALLIBLE enum status storage_plan_get(
	struct storage *storage, const char *id, int64_t revision, struct arena *arena, struct plan_record *plan, struct failure *failure);

FALLIBLE enum status storage_plan_list(struct storage *storage, const struct plan_filter *filter, const struct page_request *page,
	struct arena *arena, struct plan_list *list, struct failure *failure);

/* Lists every computed revision of one plan, newest first, without request and result; next_cursor is always NULL. */
FALLIBLE enum status storage_plan_revisions(
	struct storage *storage, const char *id, struct arena *arena, struct plan_list *list, struct failure *failure);

#endif
