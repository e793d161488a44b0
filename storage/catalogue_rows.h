/* Catalogue rows: append-only. A change closes the row that was valid (valid_to) and adds a new one, so that the
 * catalogue of every past moment can be read. Each change raises the catalogue's revision (calibrations: theirs).
 *
 * Rows are the structs of hwdb/catalogue/catalogue.h; `kind` says which one a `const void *row` is. What storage fills is
 * meta.valid_from_us, valid_to_us and revision. A model's `model` member is not stored: catalogue_new() reads it. */
#ifndef FLEETPLAN_STORAGE_CATALOGUE_ROWS_H
#define FLEETPLAN_STORAGE_CATALOGUE_ROWS_H

#include "hwdb/catalogue/catalogue.h"
#include "storage/idempotency.h"

enum row_kind { ROW_ACCELERATOR, ROW_MODEL, ROW_PRICE, ROW_REGION, ROW_CALIBRATION, ROW_KIND_COUNT };

size_t row_size(enum row_kind kind);           /* sizeof of its struct */
const char *row_kind_name(enum row_kind kind); /* "accelerator", ... */

/* Adds a row, or replaces the valid one of the same id. */
struct row_put {
	struct storage_job job;
	enum row_kind kind;
	const void *row;
	bool create_only;          /* STATUS_CONFLICT when a valid row of that id exists */
	int64_t expected_revision; /* below 1: any; else of the valid row (STATUS_PRECONDITION_FAILED) */
	const struct idempotency *idempotency;
	int64_t revision; /* output: of the catalogue, and now of the row */
	int64_t at_us;    /* output: the moment from which on the row holds; others may have changed it since */
	bool created;     /* output: there was none before */
};

struct row_remove {
	struct storage_job job;
	enum row_kind kind;
	const char *id;
	int64_t expected_revision;
	int64_t revision; /* output: of the catalogue */
};

/* Ends the waiting of a calibration: it goes, and where `accepted` is given that row takes its place, in one transaction. STATUS_NOT_FOUND;
 * STATUS_PRECONDITION_FAILED when it is not the one that was looked at. */
struct calibration_decision {
	struct storage_job job;
	const char *id;
	int64_t expected_revision;
	const struct calibration_row *accepted; /* NULL: rejected */
	int64_t revision, at_us;                /* output, of what was accepted: as struct row_put's */
};

/* What an import does, or would do. */
struct rows_difference {
	size_t added, changed, removed, unchanged, kept; /* kept: another origin stands in the way */
};

/* Puts many rows in one revision: rows whose content is unchanged stay as they are; rows that a user changed are kept
 * unless `replace_user`. Nothing is removed. */
struct rows_import {
	struct storage_job job;
	const struct catalogue_rows *rows;
	bool dry_run, replace_user;
	struct rows_difference difference; /* output */
	int64_t revision;                  /* output */
};

/* Brings the rows of origin `builtin` to those of this version of the program. Does nothing when `digest` is that of
 * the last time. Adds new ones, replaces changed ones, closes those that vanished; rows of other origins stay. */
struct builtin_update {
	struct storage_job job;
	const struct catalogue_rows *rows;
	const char *digest;                /* hexadecimal, of the built-in data */
	struct rows_difference difference; /* output */
	int64_t revision;                  /* output */
};

/* The digest of the last such update; NULL in *digest before the first. */
FALLIBLE enum status storage_builtin_digest(struct storage *storage, struct arena *arena, const char **digest, struct failure *failure);

struct row_filter {
	const char *id_prefix;      /* NULL: any; so are all below */
	const char *origin;
	const char *text;           /* part of id or name, case ignored (ASCII) */
	const char *vendor;         /* accelerators */
	const char *accelerator_id; /* prices, calibrations */
	const char *device_id, *plan_id, *quantity; /* calibrations */
	bool held;                  /* calibrations: only those that wait */
	const char *provider;       /* prices, regions */
	const char *region;         /* prices: region; regions: region_id */
	const char *pricing_model;  /* prices */
	const char *country;        /* regions: of the grid, or the part of it before a "-" (US of US-CAL-CISO) */
	int64_t as_of_us;           /* 0: now */
	const char *scope_key, *scope_value; /* of calibrations: those of no plan, and of plans with this label; NULL: all */
};

struct row_list {
	void *items; /* array of the kind's struct */
	size_t count;
	const char *next_cursor;
};

/* The row of `id` (not alias) valid at as_of_us (0: now) into *row, the kind's struct. */
FALLIBLE enum status storage_row_get(struct storage *storage, enum row_kind kind, const char *id, int64_t as_of_us,
	struct arena *arena, void *row, struct failure *failure);

FALLIBLE enum status storage_row_list(struct storage *storage, enum row_kind kind, const struct row_filter *filter,
	const struct page_request *page, struct arena *arena, struct row_list *list, struct failure *failure);

/* All rows valid at as_of_us (0: now) and the two revisions of that moment, read as of one instant: for catalogue_new(). */
FALLIBLE enum status storage_catalogue_load(struct storage *storage, int64_t as_of_us, struct arena *arena,
	struct catalogue_rows *rows, int64_t *revision, int64_t *calibration_revision, struct failure *failure);

/* All rows as these two revisions had them, whatever other changes lay between the two: what a stored plan was computed with.
 * *as_of_us is the moment of the later one. NOT_FOUND for a revision that never was. */
FALLIBLE enum status storage_catalogue_load_revisions(struct storage *storage, int64_t revision, int64_t calibration_revision,
	struct arena *arena, struct catalogue_rows *rows, int64_t *as_of_us, struct failure *failure);

/* The newest revision of the catalogue up to as_of_us (0: now) and its moment; 0 and 0 before the first. */
FALLIBLE enum status storage_catalogue_moment(struct storage *storage, int64_t as_of_us, struct arena *arena, int64_t *moment_us,
	int64_t *revision, struct failure *failure);

/* The newest revision of the calibrations; 0 before the first. */
FALLIBLE enum status storage_calibration_revision(struct storage *storage, struct arena *arena, int64_t *revision, struct failure *failure);

/* The two revisions of a moment (0: now), 0 before the first. */
FALLIBLE enum status storage_catalogue_revisions(struct storage *storage, int64_t as_of_us, struct arena *arena, int64_t *revision,
	int64_t *calibration_revision, struct failure *failure);

/* Rows of one kind by their ids, as they were at a moment (0: now), and its two revisions, read as of one instant; row i is an element of `rows`, an array of the
 * kind's struct, and present[i] false when there is none. */
FALLIBLE enum status storage_rows_get(struct storage *storage, enum row_kind kind, const char *const *ids, size_t count, int64_t as_of_us,
	struct arena *arena, void *rows, bool *present, int64_t *revision, int64_t *calibration_revision, struct failure *failure);

/* How many rows of each kind were valid at a past moment, and its revisions, 0 before the first. Walks the history. */
struct catalogue_counts {
	int64_t accelerators, models, prices, regions, calibrations, revision, calibration_revision;
};
FALLIBLE enum status storage_catalogue_count(struct storage *storage, int64_t as_of_us, struct catalogue_counts *counts, struct arena *arena,
	struct failure *failure);

#endif
