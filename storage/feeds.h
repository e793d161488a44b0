/* Live feeds: the rows of each refresh, and hourly data of grids. A refresh is one operation: its rows become visible
 * together with its record, or not at all. Rows are as in hwdb/feeds/feed_records.h. */
#ifndef FLEETPLAN_STORAGE_FEEDS_H
#define FLEETPLAN_STORAGE_FEEDS_H

#include "hwdb/feeds/feed_records.h"
#include "storage/catalogue_rows.h"

struct import_end; /* storage/sqlite/import_steps.h */
struct progress;   /* planner/progress.h */

enum { FEED_CHANGES_MAX = 5000, FEED_VALIDATORS_MAX = 64 };

/* Stores the catalogue rows (like rows_import: rows of users and measurements stay), the hours, the validators and the
 * record. The first FEED_CHANGES_MAX changes are stored. */
struct feed_refresh_put {
	struct storage_job job;
	struct feed_refresh_record *refresh; /* outputs: its counts of rows, its revision, and its outcome (succeeded or unchanged) */
	const struct catalogue_rows *rows;   /* NULL: none, as for a failed refresh */
	const struct grid_hour *hours;       /* ordered by zone, signal and time */
	size_t hour_count;
	const struct feed_change *held;
	size_t held_count;
	const struct feed_validator *validators;
	size_t validator_count;
	struct import_end *staged; /* internal to the store; includes the changes of the rows that it staged */
	struct feed_change *changes;
	size_t change_count;
};

/* Stores the refresh in slices, like an import (storage/imports.h): plans can be written meanwhile, however many rows
 * it has. Blocks. Returns OK, CANCELLED, or a status of storage. The job's arena must be given. storage_run(&put->job)
 * does the same in one transaction. */
FALLIBLE enum status storage_feed_refresh(
	struct storage *storage, struct feed_refresh_put *put, const struct progress *progress, struct failure *failure);

struct feed_refresh_list {
	struct feed_refresh_record *items;
	size_t count;
	const char *next_cursor;
};

/* Newest first. */
FALLIBLE enum status storage_feed_refresh_list(struct storage *storage, const char *feed, const struct page_request *page,
	struct arena *arena, struct feed_refresh_list *list, struct failure *failure);

/* Reads a refresh by its id; or the newest refresh of a feed that received a response (`read`: with rows). NOT_FOUND
 * with a failure. */
FALLIBLE enum status storage_feed_refresh_get(
	struct storage *storage, const char *id, struct arena *arena, struct feed_refresh_record *refresh, struct failure *failure);
FALLIBLE enum status storage_feed_refresh_newest(struct storage *storage, const char *feed, bool read, struct arena *arena,
	struct feed_refresh_record *refresh, struct failure *failure);

struct feed_change_list {
	struct feed_change *items;
	size_t count;
};

/* Lists the rows that a refresh held back (`held`) or changed; at most FEED_CHANGES_MAX. */
FALLIBLE enum status storage_feed_changes(struct storage *storage, const char *refresh_id, bool held, struct arena *arena,
	struct feed_change_list *list, struct failure *failure);

FALLIBLE enum status storage_feed_validators(struct storage *storage, const char *feed, struct arena *arena,
	struct feed_validator **validators, size_t *count, struct failure *failure);

struct grid_hour_list {
	struct grid_hour *items;
	size_t count;
};

/* Lists the hours of a zone in order of time, from <= start < to. */
FALLIBLE enum status storage_grid_hours(struct storage *storage, const char *zone, const char *signal, int64_t from_us, int64_t to_us,
	struct arena *arena, struct grid_hour_list *list, struct failure *failure);

/* A zone with hours from a given time on. */
struct grid_zone {
	const char *zone, *signal, *feed;
	int64_t from_us, to_us, fetched_at_us; /* to_us: start of the last hour */
};
struct grid_zone_list {
	struct grid_zone *items;
	size_t count;
};
FALLIBLE enum status storage_grid_zones(
	struct storage *storage, int64_t from_us, struct arena *arena, struct grid_zone_list *list, struct failure *failure);

#endif
