/* Figures on which good sources disagree. Every value is kept with its source; plans use the row's own value.
 *
 * Conflicts belong to rows of accelerators, prices and regions. The functions find the figures, check them and compute
 * their range. Thread-safe. */
#ifndef FLEETPLAN_HWDB_ROWS_CONFLICTS_H
#define FLEETPLAN_HWDB_ROWS_CONFLICTS_H

#include "hwdb/catalogue/catalogue.h"
#include "hwdb/rows/rows_text.h"

/* Return the place of a figure in a row; NULL when this kind of row has no figure of that name. */
double *accelerator_figure(struct accelerator *accelerator, const char *field);
double *price_figure(struct price_row *row, const char *field);
double *region_figure(struct region_row *row, const char *field);

/* Add faults for conflicts that name no figure of the row, or a value that such a row cannot have, at
 * "/conflicts/N/field". */
void validate_accelerator_conflicts(const struct accelerator_row *row, struct failure *failure);
void validate_price_conflicts(const struct price_row *row, struct failure *failure);
void validate_region_conflicts(const struct region_row *row, struct failure *failure);

/* Computes the range of a figure over all its values, its own included. False: no source disagrees. */
bool conflict_range(const struct conflict_list *conflicts, const char *field, double value, double *low, double *high);

/* Returns the other values of a figure: "7700 (ai-dynamo/aiconfigurator, 2026-11-21), ...". NULL when the arena is
 * exhausted. */
const char *conflict_text(const struct conflict_list *conflicts, const char *field, struct arena *arena);

/* Reads the columns kind (accelerator, price, region), id, field, value, source, source_date, note, and appends each
 * line to its row. */
FALLIBLE enum status rows_text_conflicts(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);

#endif
