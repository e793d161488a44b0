/* Structs of the API alone: query parameters, and answers that the layers below the API do not know.
 *
 * Absent members as in base/given.h; the field tables of api/tables/tables.h describe them. */
#ifndef FLEETPLAN_API_TABLES_PAGES_H
#define FLEETPLAN_API_TABLES_PAGES_H

#include "base/given.h"
#include "hwdb/catalogue/records.h"
#include "hwdb/feeds/feed_records.h"
#include "planner/plan/request.h"

enum { PAGE_LIMIT_DEFAULT = 50, PAGE_LIMIT_MAX = 1000 };

/* ?limit= and ?cursor=, in every list's query. */
struct page_query {
	int64_t limit; /* absent: PAGE_LIMIT_DEFAULT */
	const char *cursor;
};

struct plan_query {
	struct page_query page;
	const char *kind, *label, *model, *accelerator, *q; /* label: "key:value" */
	int64_t created_after_us, created_before_us;        /* 0 or less: open */
	const char *sort;                                   /* as in struct plan_filter */
	struct text_list fields;                            /* members of a row to return; none: all */
};

struct plan_id_query {
	int64_t revision;   /* absent: the newest */
	const char *expand; /* parts of the answer; NULL: all */
};

struct expand_query {
	const char *expand; /* parts of the answer; NULL: as the request says */
};

struct compare_query {
	struct text_list ids; /* ID, or ID@REVISION */
	const char *format;   /* instead of an Accept header */
};

/* Lists of the catalogue. Each list reads only the filters that its rows have. */
struct catalogue_query {
	struct page_query page;
	int64_t as_of_us; /* 0 or less: now */
	const char *q;    /* part of id, name or alias */
	const char *vendor, *provider, *region, *accelerator, *pricing_model, *country, *origin;
};

struct offer_query {
	const char *accelerator;
	int64_t gpu_count, limit;
	struct text_list providers, regions, terms;
	double max_age_days;
	int64_t as_of_us;
};

struct benchmark_query {
	struct page_query page;
	const char *state, *device, *accelerator, *plan_id, *agent, *label; /* label: "key:value" */
	const char *quantity;                                               /* of calibrations */
	enum truth used;
	bool held;        /* of calibrations: only those that wait */
	int64_t as_of_us; /* of calibrations; 0 or less: now */
};

/* POST /v1/calibrations/{id}/decision. */
struct calibration_verdict {
	const char *decision, *note; /* accept, reject */
};

/* GET /v1/audit and its export. */
struct audit_list_query {
	struct page_query page;
	const char *key, *method, *entity, *outcome, *q;
	int64_t after_us, before_us; /* 0 or less: open */
};

/* GET /v1/observations. */
struct observation_query {
	struct page_query page;
	const char *plan_id, *accelerator, *stack;
};

/* GET /v1/plans/compare. */
enum { COMPARED_PLANS_MAX = 16 };

/* A plan's value in a row. Number absent and text NULL: the plan has no value. */
struct comparison_cell {
	double number;
	const char *text;
	bool best;
};

struct comparison_row {
	const char *title, *figure, *better; /* figure: path inside the recommended option; better: less, more; NULL: neither */
	struct comparison_cells {
		struct comparison_cell *items; /* one for each plan */
		size_t count;
	} values;
};

struct comparison_rows {
	struct comparison_row *items;
	size_t count;
};

struct plan_comparison {
	struct {
		struct plan_record *items;
		size_t count;
	} items;
	struct comparison_rows rows;        /* figures of the recommended options */
	struct comparison_rows differences; /* request fields that differ between the plans; figure: JSON pointer into the request */
	struct text_list notes;
};

/* POST /v1/models/import. */
struct model_import {
	const char *id, *repo;
	struct json_text config;
	struct text_list aliases;
	const char *source, *source_date;
};

/* GET /v1/catalogue. */
struct catalogue_state {
	int64_t revision, calibration_revision, as_of_us;
	int64_t accelerators, models, prices, regions, calibrations;
};

/* POST /v1/backups. */
struct backup {
	const char *file;
	int64_t bytes, created_at_us;
	int64_t plans;
};

/* POST /v1/imports/...: what the import did, or would do. */
struct import_column {
	const char *column, *before, *after;
};
struct import_change {
	const char *id, *what; /* added, changed, removed, kept */
	int64_t row;
	struct {
		struct import_column *items;
		size_t count;
	} columns;
};
struct import_fault {
	int64_t row, line;
	const char *column, *code, *detail;
};
struct import_view {
	struct import_record record;
	bool dry_run;
	struct {
		struct import_change *items;
		size_t count;
	} changes;
	struct {
		struct import_fault *items;
		size_t count;
	} faults;
	int64_t fault_count;
};

struct import_query {
	enum truth dry_run, replace, overwrite;
};

/* GET /v1/imports. */
struct import_list_query {
	struct page_query page;
	const char *kind;
};

struct version {
	const char *version, *api, *compiler, *sqlite, *microhttpd, *jansson;
	int64_t started_at_us;
};

/* GET /v1/feeds: a feed's settings and state. */
struct feed_view {
	const char *id, *title, *kind, *hosts, *base_url, *scope, *scope_is, *paging, *key, *source, *licence, *documentation;
	bool enabled, has_key;
	int64_t every_minutes; /* ABSENT_COUNT: only on request */
	const char *state;     /* off, idle, running */
	int64_t waiting, next_at_us;
	bool stale; /* the newest refresh failed; the rows are those of the one before */
	struct feed_refresh_record last, last_good;
	bool has_last, has_good;
	int64_t answer_max_bytes, requests_max, request_s, refresh_s;
};

/* GET /v1/feeds/{id}. */
struct feed_detail {
	struct feed_view view;
	struct {
		struct feed_refresh_record *items;
		size_t count;
	} history;
	struct {
		struct feed_change *items;
		size_t count;
	} held, changes;
};

struct feed_detail_query {
	int64_t limit;
	const char *refresh_id;
};

/* A job: a request that was answered 202. */
struct job_record {
	const char *id, *operation, *state;
	double progress; /* 0..1 */
	const char *doing, *detail, *location, *result;
	int64_t created_at_us, started_at_us, finished_at_us, expires_at_us; /* ABSENT_COUNT: not yet */
	bool cancel_requested;
	int64_t http_status;
	int64_t revision; /* its ETag */
};

/* application/problem+json, as a client reads it. */
struct problem_error {
	const char *pointer, *code, *detail;
};
struct problem_view {
	const char *title, *detail;
	struct {
		struct problem_error *items;
		size_t count;
	} errors;
};

/* /livez and /readyz. */
struct health {
	const char *status; /* ok, draining, unavailable */
	const char *detail;
};

#endif
