/* Catalogue rows from text: CSV with the columns of hwdb/data/, models as one JSON object a line.
 *
 * The functions read the built-in data and users' imports. Columns may have any order and may be missing. An unknown
 * column, a figure that is not a finite number, or a row without its key is rejected with its line number. Empty cells
 * are absent. Text is in the arena. The functions only read rows; validate.h checks them. */
#ifndef FLEETPLAN_HWDB_ROWS_ROWS_TEXT_H
#define FLEETPLAN_HWDB_ROWS_ROWS_TEXT_H

#include "hwdb/catalogue/catalogue.h"

/* A text with one list of rows. */
struct rows_source {
	const char *name; /* of the file or body, for error messages */
	const char *text;
	size_t length;
	const char *origin; /* builtin, imported */
};

FALLIBLE enum status rows_text_accelerators(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);
FALLIBLE enum status rows_text_models(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);
FALLIBLE enum status rows_text_prices(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);
FALLIBLE enum status rows_text_regions(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);

/* Reads the columns kind (accelerator, model), alias, id, and appends each alias to its row. */
FALLIBLE enum status rows_text_aliases(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);

/* Return the id of a price or region row without one: its key columns as slugs, "aws.p5-48xlarge.us-east-1.on-demand",
 * "country.fra". NULL when the arena is exhausted. */
const char *rows_text_price_id(struct arena *arena, const struct price_row *row);
const char *rows_text_region_id(struct arena *arena, const struct region_row *row);

/* Set every figure of a row to absent, and text to NULL. */
void accelerator_row_clear(struct accelerator_row *row);
void price_row_clear(struct price_row *row);
void region_row_clear(struct region_row *row);

/* Replaces each member of `accelerator` that `changes` gives, and writes their names to `changed`: "memory_gb,
 * tdp_w". */
void accelerator_apply_changes(struct accelerator *accelerator, const struct accelerator *changes, char *changed, size_t size);

#endif
