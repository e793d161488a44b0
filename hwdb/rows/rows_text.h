/* Catalogue rows from text: CSV with the columns of hwdb/data/, models as one JSON object a line.
 *
 * Reads the program's own data and what users import. Columns may stand in any order and be left out; an unknown
 * column, a figure that is not a finite number, or a row without its key is refused, named by line. Empty cells are
 * absent. Text lives in the arena. Rows are read, not judged: validate.h tells whether they can be true. */
#ifndef FLEETPLAN_HWDB_ROWS_ROWS_TEXT_H
#define FLEETPLAN_HWDB_ROWS_ROWS_TEXT_H

#include "hwdb/catalogue/catalogue.h"

/* One list of rows from a text. */
struct rows_source {
	const char *name; /* of the file or body, for messages */
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

/* Columns kind (accelerator, model), alias, id: each is appended to the aliases of its row. */
FALLIBLE enum status rows_text_aliases(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);

/* The id of a price or region row that has none: its key columns as slugs, "aws.p5-48xlarge.us-east-1.on-demand",
 * "country.fra". NULL when the arena is exhausted. */
const char *rows_text_price_id(struct arena *arena, const struct price_row *row);
const char *rows_text_region_id(struct arena *arena, const struct region_row *row);

/* Sets every figure of a row to absent, text to NULL. */
void accelerator_row_clear(struct accelerator_row *row);
void price_row_clear(struct price_row *row);
void region_row_clear(struct region_row *row);

/* Every member that `changes` gives replaces that of `accelerator`; `changed` gets their names, "memory_gb, tdp_w". */
void accelerator_apply_changes(
	struct accelerator *accelerator, const struct accelerator *changes, char *changed, size_t size);

#endif
