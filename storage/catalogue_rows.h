/* Catalogue rows are append-only. A change closes the valid row (valid_to) and adds a new one, so that the catalogue of
 * every past moment can be read. Each change raises the catalogue's revision (for calibrations, theirs).
 *
 * Rows are the structs of hwdb/catalogue/catalogue.h; `kind` is the type of a `const void *row`. Storage fills
 * meta.valid_from_us, valid_to_us and revision. A model's `model` member is not stored: catalogue_new() reads it. */
#ifndef FLEETPLAN_STORAGE_CATALOGUE_ROWS_H
#define FLEETPLAN_STORAGE_CATALOGUE_ROWS_H

#include "hwdb/catalogue/catalogue.h"
#include "storage/idempotency.h"

enum row_kind { ROW_ACCELERATOR, ROW_MODEL, ROW_PRICE, ROW_REGION, ROW_CALIBRATION, ROW_KIND_COUNT };

size_t row_size(enum row_kind kind);           /* sizeof of its struct */
const char *row_kind_name(enum row_kind kind); /* "accelerator", ... */

/* Adds a row, or replaces the valid row with the same id. */
struct row_put {
	struct storage_job job;
	enum row_kind kind;
	const void *row;
	bool create_only;          /* STATUS_CONFLICT if a valid row has that id */
	int64_t expected_revision; /* below 1: any; else the valid row must have it (STATUS_PRECONDITION_FAILED) */
	const struct idempotency *idempotency;
	int64_t revision; /* output: revision of the catalogue and of the row */
	int64_t at_us;    /* output: start of the row's validity; others may have changed the row since */
	bool created;     /* output: the id had no valid row before */
};

struct row_remove {
	struct storage_job job;
	enum row_kind kind;
	const char *id;
	int64_t expected_revision;
	int64_t revision; /* output: revision of the catalogue */
};

/* Decides on a waiting calibration: it ends, and the row `accepted`, if given, replaces it, in one transaction.
 * STATUS_NOT_FOUND; STATUS_PRECONDITION_FAILED if the row differs from the one that the admin saw. */
struct calibration_decision {
	struct storage_job job;
	const char *id;
	int64_t expected_revision;
	const struct calibration_row *accepted; /* NULL: rejected */
	int64_t revision, at_us;                /* output, of the accepted row: as in struct row_put */
};

/* The changes of an import, made or only computed. */
struct rows_difference {
	size_t added, changed, removed, unchanged, kept; /* kept: the row's origin prevents the change */
};

/* Puts many rows in one revision. Unchanged rows stay; rows that a user changed stay unless `replace_user`. No row is
 * removed. */
struct rows_import {
	struct storage_job job;
	const struct catalogue_rows *rows;
	bool dry_run, replace_user;
	struct rows_difference difference; /* output */
	int64_t revision;                  /* output */
};

/* Updates the rows of origin `builtin` to this version of the program: adds new ones, replaces changed ones, closes
 * missing ones. Rows of other origins stay. Does nothing if `digest` equals that of the last update. */
struct builtin_update {
	struct storage_job job;
	const struct catalogue_rows *rows;
	const char *digest;                /* hexadecimal, of the built-in data */
	struct rows_difference difference; /* output */
	int64_t revision;                  /* output */
};

/* Returns the digest of the last such update; NULL in *digest before the first. */
FALLIBLE enum status storage_builtin_digest(struct storage *storage, struct arena *arena, const char **digest, struct failure *failure);

struct row_filter {
	const char *id_prefix; /* NULL: any, as for all members below */
	const char *origin;
	const char *text;                           /* part of id or name, case ignored (ASCII) */
	const char *vendor;                         /* accelerators */
	const char *accelerator_id;                 /* prices, calibrations */
	const char *device_id, *plan_id, *quantity; /* calibrations */
	bool held;                                  /* calibrations: only waiting ones */
	const char *provider;                       /* prices, regions */
	const char *region;                         /* prices: region; regions: region_id */
	const char *pricing_model;                  /* prices */
	const char *country;                        /* regions: zone of the grid, or the part of it before a "-" (US of US-CAL-CISO) */
	int64_t as_of_us;                           /* 0: now */
	const char *scope_key, *scope_value;        /* calibrations: those without a plan, and those of plans with this label; NULL: all */
};

struct row_list {
	void *items; /* array of the kind's struct */
	size_t count;
	const char *next_cursor;
};

/* Reads the row of `id` (not alias) valid at as_of_us (0: now) into *row, the kind's struct. */
FALLIBLE enum status storage_row_get(
	struct storage *storage, enum row_kind kind, const char *id, int64_t as_of_us, struct arena *arena, void *row, struct failure *failure);

FALLIBLE enum status storage_row_list(struct storage *storage, enum row_kind kind, const struct row_filter *filter,
	const struct page_request *page, struct arena *arena, struct row_list *list, struct failure *failure);

/* Reads all rows valid at as_of_us (0: now) and the two revisions of that moment, in one snapshot: for catalogue_new(). */
FALLIBLE enum status storage_catalogue_load(struct storage *storage, int64_t as_of_us, struct arena *arena, struct catalogue_rows *rows,
	int64_t *revision, int64_t *calibration_revision, struct failure *failure);

/* Reads all rows as of these two revisions, whatever other changes are between the two: the rows that a stored plan was
 * computed with. *as_of_us is the moment of the later one. NOT_FOUND for a revision that never existed. */
FALLIBLE enum status storage_catalogue_load_revisions(struct storage *storage, int64_t revision, int64_t calibration_revision,
	struct arena *arena, struct catalogue_rows *rows, int64_t *as_of_us, struct failure *failure);

/* Returns the newest revision of the catalogue up to as_of_us (0: now) and its moment; 0 and 0 before the first. */
FALLIBLE enum status storage_catalogue_moment(
	struct storage *storage, int64_t as_of_us, struct arena *arena, int64_t *moment_us, int64_t *revision, struct failure *failure);

/* Returns the newest revision of the calibrations; 0 before the first. */
FALLIBLE enum status storage_calibration_revision(struct storage *storage, struct arena *arena, int64_t *revision, struct failure *failure);

/* Returns the two revisions of a moment (0: now); 0 before the first. */
FALLIBLE enum status storage_catalogue_revisions(struct storage *storage, int64_t as_of_us, struct arena *arena, int64_t *revision,
	int64_t *calibration_revision, struct failure *failure);

/* Reads rows of one kind by their ids, as of a moment (0: now), and its two revisions, in one snapshot. Row i is an
 * element of `rows`, an array of the kind's struct; present[i] is false if the id has no row. */
FALLIBLE enum status storage_rows_get(struct storage *storage, enum row_kind kind, const char *const *ids, size_t count, int64_t as_of_us,
	struct arena *arena, void *rows, bool *present, int64_t *revision, int64_t *calibration_revision, struct failure *failure);

/* The number of valid rows of each kind at a past moment, and its revisions, 0 before the first. Reads the whole
 * history. */
struct catalogue_counts {
	int64_t accelerators, models, prices, regions, calibrations, revision, calibration_revision;
};
FALLIBLE enum status storage_catalogue_count(
	struct storage *storage, int64_t as_of_us, struct catalogue_counts *counts, struct arena *arena, struct failure *failure);

#endif
