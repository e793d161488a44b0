/* Maps: the column or parameter of each struct member. */
#ifndef FLEETPLAN_STORAGE_SQLITE_MAPS_H
#define FLEETPLAN_STORAGE_SQLITE_MAPS_H

#include "hwdb/catalogue/catalogue.h"
#include "hwdb/catalogue/records.h"
#include "storage/agents.h"
#include "storage/audit.h"
#include "storage/benchmarks.h"
#include "storage/catalogue_rows.h"
#include "storage/feeds.h"
#include "storage/imports.h"
#include "storage/observations.h"
#include "storage/plans.h"
#include "storage/sqlite/columns.h"

/* A plan as stored: the record, and members that only the store needs. */
struct plan_stored {
	struct plan_record record;
	int64_t content_revision;
	int64_t head_checksum; /* of name, notes, labels and revision */
	int64_t checksum;      /* of the content */
	double sort_key;       /* of a sorted list: the figure, negative for a descending order */
};

struct key_stored {
	struct key_record record;
	unsigned char hash[DIGEST_BYTES];
};

struct idempotency_stored {
	const char *key, *principal, *route;
	unsigned char body_sha256[DIGEST_BYTES];
	int64_t at_us, http_status;
	const char *location, *etag, *content_type;
	struct json_text body;
};

/* Parameters and single results of the small statements. Members that a statement does not name are not bound. */
struct arguments {
	const char *id, *name, *value, *scope, *device_id, *agent_id;
	int64_t now_us, at_us, as_of_us, before_us, lease_until_us;
	int64_t revision, at_revision, count, number;
	bool restart;
	int64_t limit, cursor_us; /* a page */
	const char *cursor_id;
};

struct plan_query {
	struct plan_filter filter;
	int64_t limit, cursor_us;
	const char *cursor_id;
	const char *path, *other_path; /* of the sorted figure in the summary; other_path: of a service */
	double sign;                   /* 1: ascending; -1 */
	double cursor_key;
};

struct row_query {
	struct row_filter filter;
	const char *id, *cursor_id;
	int64_t limit;
};

struct feed_query {
	const char *id, *feed, *zone, *signal, *cursor_id;
	int64_t limit, cursor_us, before_us, from_us, to_us;
	bool held;
};

struct feed_validator_stored {
	struct feed_validator validator;
	const char *feed;
	int64_t at_us;
};

struct import_stored {
	struct import_record record;
	int64_t number;
	int64_t published_at_us; /* ABSENT_COUNT: its rows are not valid */
	bool settled;
};

struct benchmark_query {
	struct benchmark_filter filter;
	int64_t limit, cursor_us;
	const char *cursor_id;
};

struct observation_query {
	struct observation_filter filter;
	int64_t limit, cursor_us;
	const char *cursor_id;
};

struct audit_query {
	struct audit_filter filter;
	int64_t cursor_number, limit;
};

extern const struct column_map audit_map, audit_query_map, feed_refresh_map, feed_change_map, feed_validator_map, grid_hour_map,
	grid_zone_map, feed_query_map;
extern const struct column_map import_map, observation_map, observation_query_map, plan_map, benchmark_map, key_map, device_map, agent_map,
	catalogue_counts_map, queue_counts_map, idempotency_map, arguments_map, plan_query_map, row_query_map, benchmark_query_map,
	accelerator_map, model_map, price_map, region_map, calibration_map;

#endif
