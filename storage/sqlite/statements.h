/* Every SQL statement of the program: its name in storage/sql/, and the maps of its parameters and results.
 *
 * The writer prepares all statements at start, so that an error (in SQL, in a parameter or in a column) fails the start
 * and not a request. A reader prepares a statement at its first use and keeps it. */
#ifndef FLEETPLAN_STORAGE_SQLITE_STATEMENTS_H
#define FLEETPLAN_STORAGE_SQLITE_STATEMENTS_H

#include "base/failure.h"
#include "storage/sqlite/maps.h"
#include "storage/sqlite/times_seal.h"

/* clang-format off */
/*     enum member          name in the .sql file    parameters           results */
#define STATEMENT_TABLE(X)                                                                            \
	X(TRANSACTION_BEGIN,    "transaction_begin",     arguments_map,       arguments_map)              \
	X(TRANSACTION_COMMIT,   "transaction_commit",    arguments_map,       arguments_map)              \
	X(JOB_BEGIN,            "job_begin",             arguments_map,       arguments_map)              \
	X(JOB_KEEP,             "job_keep",              arguments_map,       arguments_map)              \
	X(JOB_UNDO,             "job_undo",              arguments_map,       arguments_map)              \
	X(COMMIT_COUNT,         "commit_count",          arguments_map,       arguments_map)              \
	X(COMMIT_COUNT_GET,     "commit_count_get",      arguments_map,       arguments_map)              \
	X(PLAN_INSERT,          "plan_insert",           plan_map,            plan_map)                   \
	X(PLAN_LABEL_INSERT,    "plan_label_insert",     plan_map,            plan_map)                   \
	X(PLAN_LABEL_DELETE,    "plan_label_delete",     arguments_map,       plan_map)                   \
	X(PLAN_GET,             "plan_get",              arguments_map,       plan_map)                   \
	X(PLAN_HEAD,            "plan_head",             arguments_map,       plan_map)                   \
	X(PLAN_REVISION_GET,    "plan_revision_get",     arguments_map,       plan_map)                   \
	X(PLAN_REVISIONS,       "plan_revisions",        arguments_map,       plan_map)                   \
	X(PLAN_PATCH,           "plan_patch",            plan_map,            plan_map)                   \
	X(PLAN_KEEP_CONTENT,    "plan_keep_content",     arguments_map,       plan_map)                   \
	X(PLAN_REFRESH,         "plan_refresh",          plan_map,            plan_map)                   \
	X(PLAN_DELETE,          "plan_delete",           arguments_map,       plan_map)                   \
	X(PLAN_LIST,            "plan_list",             plan_query_map,      plan_map)                   \
	X(PLAN_LIST_BY_LABEL,   "plan_list_by_label",    plan_query_map,      plan_map)                   \
	X(PLAN_LIST_SORTED,     "plan_list_sorted",      plan_query_map,      plan_map)                   \
	X(IDEMPOTENCY_GET,      "idempotency_get",       idempotency_map,     idempotency_map)            \
	X(IDEMPOTENCY_INSERT,   "idempotency_insert",    idempotency_map,     idempotency_map)            \
	X(IDEMPOTENCY_NEWEST,   "idempotency_newest",    arguments_map,       arguments_map)              \
	X(IDEMPOTENCY_FORGET,   "idempotency_forget",    arguments_map,       arguments_map)              \
	X(SETTING_GET,          "setting_get",           arguments_map,       arguments_map)              \
	X(SETTING_PUT,          "setting_put",           arguments_map,       arguments_map)              \
	X(SETTING_DELETE,       "setting_delete",        arguments_map,       arguments_map)              \
	X(KEY_INSERT,           "key_insert",            key_map,             key_map)                    \
	X(KEY_END,              "key_end",               key_map,             key_map)                    \
	X(KEY_GET,              "key_get",               arguments_map,       key_map)                    \
	X(KEY_FIND,             "key_find",              key_map,             key_map)                    \
	X(KEY_LIST,             "key_list",              arguments_map,       key_map)                    \
	X(KEY_COUNT,            "key_count",             arguments_map,       arguments_map)              \
	X(CHANGE_LATEST,        "change_latest",         arguments_map,       arguments_map)              \
	X(CHANGE_GET,           "change_get",            arguments_map,       arguments_map)              \
	X(CATALOGUE_COUNTS,     "catalogue_counts",      arguments_map,       catalogue_counts_map)       \
	X(CHANGE_INSERT,        "change_insert",         arguments_map,       arguments_map)              \
	X(REMOVED_ROW_INSERT,   "removed_row_insert",    arguments_map,       arguments_map)              \
	X(REMOVED_ROW_DELETE,   "removed_row_delete",    arguments_map,       arguments_map)              \
	X(REMOVED_ROW_GET,      "removed_row_get",       arguments_map,       arguments_map)              \
	X(BENCHMARK_INSERT,     "benchmark_insert",      benchmark_map,       benchmark_map)              \
	X(BENCHMARK_GET,        "benchmark_get",         arguments_map,       benchmark_map)              \
	X(BENCHMARK_NEXT,       "benchmark_next",        arguments_map,       benchmark_map)              \
	X(BENCHMARK_EXCESS,     "benchmark_result_excess", arguments_map,     benchmark_map)              \
	X(BENCHMARK_ON_DEVICE,  "benchmark_on_device",   arguments_map,       benchmark_map)              \
	X(BENCHMARK_UPDATE,     "benchmark_update",      benchmark_map,       benchmark_map)              \
	X(BENCHMARK_HELD,       "benchmark_held",        arguments_map,       benchmark_map)              \
	X(BENCHMARK_SET_ASIDE,  "benchmark_set_aside",   arguments_map,       benchmark_map)              \
	X(BENCHMARK_OVERDUE,    "benchmark_overdue",     arguments_map,       benchmark_map)              \
	X(BENCHMARK_LIST,       "benchmark_list",        benchmark_query_map, benchmark_map)              \
	X(DEVICE_PUT,           "device_put",            device_map,          device_map)                 \
	X(DEVICE_GET,           "device_get",            arguments_map,       device_map)                 \
	X(DEVICE_LIST,          "device_list",           arguments_map,       device_map)                 \
	X(AGENT_GET,            "agent_get",             arguments_map,       agent_map)                  \
	X(AGENT_PUT,            "agent_put",             agent_map,           agent_map)                  \
	X(AGENT_LIST,           "agent_list",            arguments_map,       agent_map)                  \
	X(AGENT_DEVICES_FORGET, "agent_devices_forget",  arguments_map,       device_map)                 \
	X(AGENT_COUNT_OF_KEY,   "agent_count_of_key",    arguments_map,       arguments_map)              \
	X(AGENT_DEVICES_FREE,   "agent_devices_free",    arguments_map,       device_map)                 \
	X(AGENT_DEVICES,        "agent_devices",         arguments_map,       device_map)                 \
	X(AGENT_RUNNING,        "agent_running",         arguments_map,       benchmark_map)              \
	X(AGENT_DEVICES_DELETE, "agent_devices_delete",  arguments_map,       device_map)                 \
	X(AGENT_DELETE,         "agent_delete",          arguments_map,       agent_map)                  \
	X(QUEUE_COUNTS,         "queue_counts",          arguments_map,       queue_counts_map)           \
	X(KEY_HOLDS,            "key_holds",             arguments_map,       arguments_map)              \
	X(FEED_REFRESH_INSERT,   "feed_refresh_insert",   feed_refresh_map,    feed_refresh_map)          \
	X(FEED_REFRESH_COUNT,    "feed_refresh_count",    feed_refresh_map,    feed_refresh_map)          \
	X(FEED_REFRESH_GET,      "feed_refresh_get",      feed_query_map,      feed_refresh_map)          \
	X(FEED_REFRESH_LIST,     "feed_refresh_list",     feed_query_map,      feed_refresh_map)          \
	X(FEED_REFRESH_GOOD,     "feed_refresh_good",     feed_query_map,      feed_refresh_map)          \
	X(FEED_REFRESH_READ,     "feed_refresh_read",     feed_query_map,      feed_refresh_map)          \
	X(FEED_REFRESH_PRUNE,    "feed_refresh_prune",    feed_query_map,      feed_refresh_map)          \
	X(FEED_CHANGE_INSERT,    "feed_change_insert",    feed_change_map,     feed_change_map)           \
	X(FEED_CHANGE_LIST,      "feed_change_list",      feed_query_map,      feed_change_map)           \
	X(FEED_VALIDATOR_PUT,    "feed_validator_put",    feed_validator_map,  feed_validator_map)        \
	X(FEED_VALIDATOR_LIST,   "feed_validator_list",   feed_query_map,      feed_validator_map)        \
	X(GRID_HOUR_CHANGE,      "grid_hour_change",      grid_hour_map,       grid_hour_map)             \
	X(GRID_HOUR_ADD,         "grid_hour_add",         grid_hour_map,       grid_hour_map)             \
	X(GRID_HOUR_PRUNE,       "grid_hour_prune",       feed_query_map,      grid_hour_map)             \
	X(GRID_HOUR_LIST,        "grid_hour_list",        feed_query_map,      grid_hour_map)             \
	X(GRID_ZONE_GET,        "grid_zone_get",         grid_zone_map,       grid_zone_map)              \
	X(GRID_ZONE_PUT,        "grid_zone_put",         grid_zone_map,       grid_zone_map)              \
	X(GRID_ZONE_LIST,        "grid_zone_list",        feed_query_map,      grid_zone_map)             \
	X(OBSERVATION_INSERT,   "observation_insert",    observation_map,     observation_map)            \
	X(OBSERVATION_DELETE,   "observation_delete",    arguments_map,       observation_map)            \
	X(OBSERVATION_GET,      "observation_get",       arguments_map,       observation_map)            \
	X(OBSERVATION_LIST,     "observation_list",      observation_query_map, observation_map)          \
	X(AUDIT_INSERT,         "audit_insert",          audit_map,           audit_map)                  \
	X(AUDIT_LIST,           "audit_list",            audit_query_map,     audit_map)                  \
	X(AUDIT_HORIZON_PUT,    "audit_horizon_put",     arguments_map,       arguments_map)              \
	X(AUDIT_PRUNE,          "audit_prune",           arguments_map,       arguments_map)              \
	X(BENCHMARK_OF_PLAN,    "benchmark_of_plan",     arguments_map,       benchmark_map)              \
	STATEMENT_ROWS(X, ACCELERATOR, "accelerator", accelerator_map)                                    \
	STATEMENT_ROWS(X, MODEL, "model", model_map)                                                      \
	STATEMENT_ROWS(X, PRICE, "price", price_map)                                                      \
	STATEMENT_ROWS(X, REGION, "region", region_map)                                                   \
	STATEMENT_ROWS(X, CALIBRATION, "calibration", calibration_map) \
	X(IMPORT_INSERT,        "import_insert",         import_map,          import_map)                 \
	X(IMPORT_UPDATE,        "import_update",         import_map,          import_map)                 \
	X(IMPORT_UNSETTLED,     "import_unsettled",      arguments_map,       import_map)                 \
	X(IMPORT_GET,           "import_get",            arguments_map,       import_map)                 \
	X(IMPORT_LIST,          "import_list",           arguments_map,       import_map)                 \
	X(IMPORT_PRUNE,         "import_prune",          arguments_map,       import_map)                 \
	STATEMENT_STAGES(X, ACCELERATOR, "accelerator", accelerator_map) \
	STATEMENT_STAGES(X, MODEL, "model", model_map) \
	STATEMENT_STAGES(X, PRICE, "price", price_map) \
	STATEMENT_STAGES(X, REGION, "region", region_map)
/* clang-format on */

/* The five statements of each kind of catalogue row, in this order (rows.c depends on it). */
#define STATEMENT_ROWS(X, KIND, text, map) \
	X(KIND##_INSERT, text "_insert", map, map) \
	X(KIND##_CLOSE, text "_close", arguments_map, map) \
	X(KIND##_GET, text "_get", arguments_map, map) \
	X(KIND##_LIST, text "_list", row_query_map, map) \
	X(KIND##_LOAD, text "_load", row_query_map, map)

/* The import statements for rows of each kind except calibrations, in this order (imports.c depends on it). */
#define STATEMENT_STAGES(X, KIND, text, map) \
	X(KIND##_END, text "_end", arguments_map, map) \
	X(KIND##_SETTLE_ENDS, text "_settle_ends", arguments_map, map) \
	X(KIND##_SETTLE_BEGINS, text "_settle_begins", arguments_map, map) \
	X(KIND##_DROP, text "_drop", arguments_map, map) \
	X(KIND##_SETTLE_END, text "_settle_end", arguments_map, map) \
	X(KIND##_SETTLE_BEGIN, text "_settle_begin", arguments_map, map) \
	X(KIND##_DROP_ONE, text "_drop_one", arguments_map, map)

enum statement_name {
#define X(name, text, parameters, results) STATEMENT_##name,
	STATEMENT_TABLE(X)
#undef X
		STATEMENT_COUNT
};

struct statement {
	sqlite3_stmt *handle; /* NULL: not prepared yet */
	const struct column_map *parameters, *results;
	int parameter_count, result_count;
	int parameter_column[COLUMNS_MAX]; /* index into the map */
	int result_column[COLUMNS_MAX]; /* index into the map; -1: the row's number, unused; -2: its checksum; -3: the checksum of its times */
	bool result_is_told[COLUMNS_MAX];  /* a second column of a member, read after the member's own column is checked */
	int times_column[1 + TIMES_COUNT]; /* result columns in the checksum of times; -1: none */
	bool damaged;                      /* the last row of statement_read differs from its checksum */
};

FALLIBLE enum status statement_prepare(sqlite3 *db, enum statement_name name, struct statement *statement, struct failure *failure);

/* Prepares a statement for one use. The caller binds its parameters and finalizes its handle. */
FALLIBLE enum status statement_prepare_read(
	sqlite3 *db, const char *text, const struct column_map *map, struct statement *statement, struct failure *failure);

/* Binds every parameter from `record`, a struct of the parameters' map. The record must live until the reset. */
FALLIBLE enum status statement_bind(struct statement *statement, const void *record, struct arena *arena, struct failure *failure);

/* Runs one step: STATUS_OK with a row, STATUS_NOT_FOUND at the end (the failure is not filled), else an error. */
FALLIBLE enum status statement_step(struct statement *statement, struct failure *failure);

/* Copies the row into `record`, a struct of the results' map; members without a column are absent. A row with a wrong
 * checksum is copied too, with STATUS_UNAVAILABLE and `damaged` set. */
FALLIBLE enum status statement_read(struct statement *statement, void *record, struct arena *arena, struct failure *failure);

void statement_reset(struct statement *statement); /* ends the statement and clears its bindings */

/* Binds, runs to the end and resets. *changed (may be NULL): number of rows changed. */
FALLIBLE enum status statement_run(
	struct statement *statement, const void *record, struct arena *arena, int64_t *changed, struct failure *failure);

/* Binds, reads one row into `out` and resets. STATUS_NOT_FOUND without a row (the failure is not filled). */
FALLIBLE enum status statement_one(struct statement *statement, const void *record, void *out, struct arena *arena, struct failure *failure);

/* True for an extended result code of SQLite that means a lack of memory. */
bool sqlite_ran_out_of_memory(int code);

/* Returns the status for an error of SQLite, and fills a sentence that says what to do. */
enum status sqlite_failure(sqlite3 *db, struct failure *failure);

/* Returns the n-th migration (from 1), NULL after the last. */
const char *migration_sql(int version);

#endif
