/* Checks of catalogue rows: bounds of physics and of the market, and members that contradict each other.
 *
 * The functions add faults at `pointer` and the member's name, and set the failure's status to STATUS_INVALID. Absent
 * members are not checked. Ranges are those of the field tables (catalogue_tables.h). */
#ifndef FLEETPLAN_HWDB_ROWS_VALIDATE_H
#define FLEETPLAN_HWDB_ROWS_VALIDATE_H

#include "hwdb/catalogue/catalogue.h"

void validate_accelerator(const struct accelerator *row, const char *pointer, struct failure *failure);
void validate_price(const struct price_row *row, const char *pointer, struct failure *failure);
void validate_region(const struct region_row *row, const char *pointer, struct failure *failure);
void validate_model(const struct model_row *row, const char *pointer, struct failure *failure);

/* Checks every row of every list; pointers are "/accelerators/ID". */
FALLIBLE enum status validate_rows(const struct catalogue_rows *rows, struct failure *failure);

#endif
