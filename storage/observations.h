/* Figures of real jobs with a plan: added, read, listed, deleted; never changed. */
#ifndef FLEETPLAN_STORAGE_OBSERVATIONS_H
#define FLEETPLAN_STORAGE_OBSERVATIONS_H

#include "storage/idempotency.h"

struct observation_record; /* hwdb/catalogue/records.h */
struct benchmark_record;
struct catalogue_rows;

struct observation_put {
	struct storage_job job;
	const struct observation_record *observation;
	const struct catalogue_rows *calibrations; /* the figures on which it and earlier observations agree, put in the same transaction; NULL: none */
	const struct idempotency *idempotency;
};

enum { OBSERVATION_REMOVED_MAX = 3 };

struct observation_delete {
	struct storage_job job;
	const char *id;
	const struct catalogue_rows *calibrations; /* the figures on which the other observations agree, put in the same transaction; NULL: none */
	const char *removed_calibrations[OBSERVATION_REMOVED_MAX]; /* calibrations to end in the same transaction, if they exist; NULL: none */
};

struct observation_filter {
	const char *plan_id, *accelerator, *stack; /* NULL: any */
	bool usable;                               /* only observations that count for a calibration, after since_us */
	int64_t since_us;
	const char *scope_key, *scope_value; /* both or none: observations of plans with this label */
};

struct observation_list {
	struct observation_record *items; /* newest first */
	size_t count;
	const char *next_cursor;
};

FALLIBLE enum status storage_observation_get(
	struct storage *storage, const char *id, struct arena *arena, struct observation_record *observation, struct failure *failure);
FALLIBLE enum status storage_observation_list(struct storage *storage, const struct observation_filter *filter,
	const struct page_request *page, struct arena *arena, struct observation_list *list, struct failure *failure);

/* Reads the newest benchmark that verified a plan: its id and finished_at_us, and as its result only the verification.
 * STATUS_NOT_FOUND (the failure is not filled) if there is none. */
FALLIBLE enum status storage_benchmark_of_plan(
	struct storage *storage, const char *plan_id, struct arena *arena, struct benchmark_record *benchmark, struct failure *failure);

#endif
