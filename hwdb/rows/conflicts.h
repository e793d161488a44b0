/* Figures on which good sources disagree: every value is kept with its source beside the row's own, which plans go by.
 *
 * What an accelerator's, a price's or a region's row says otherwise; which of its figures, and how far they range. Thread-safe. */
#ifndef FLEETPLAN_HWDB_ROWS_CONFLICTS_H
#define FLEETPLAN_HWDB_ROWS_CONFLICTS_H

#include "hwdb/catalogue/catalogue.h"
#include "hwdb/rows/rows_text.h"

/* Where a figure of a row stands; NULL when the kind has no figure of that name. */
double *accelerator_figure(struct accelerator *accelerator, const char *field);
double *price_figure(struct price_row *row, const char *field);
double *region_figure(struct region_row *row, const char *field);

/* Faults for conflicts that name no figure, or hold a value that no such row could have; at "/conflicts/N/field". */
void validate_accelerator_conflicts(const struct accelerator_row *row, struct failure *failure);
void validate_price_conflicts(const struct price_row *row, struct failure *failure);
void validate_region_conflicts(const struct region_row *row, struct failure *failure);

/* How far a figure ranges, its own value included. False: nobody disagrees with it. */
bool conflict_range(const struct conflict_list *conflicts, const char *field, double value, double *low, double *high);

/* "7700 (ai-dynamo/aiconfigurator, 2026-11-21), ...": the other values of a figure. NULL when the arena is exhausted. */
const char *conflict_text(const struct conflict_list *conflicts, const char *field, struct arena *arena);

/* Columns kind (accelerator, price, region), id, field, value, source, source_date, note: each is appended to its row. */
FALLIBLE enum status rows_text_conflicts(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);

#endif
