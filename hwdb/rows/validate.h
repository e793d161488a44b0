/* Whether a catalogue row can be true: bounds of physics and of the market, and members that contradict each other.
 *
 * Faults are added at `pointer` and the member's name; STATUS_OK or STATUS_INVALID comes back in the failure. Absent
 * members are not judged. The field tables check ranges too; this also holds for rows that come from files. */
#ifndef FLEETPLAN_HWDB_ROWS_VALIDATE_H
#define FLEETPLAN_HWDB_ROWS_VALIDATE_H

#include "hwdb/catalogue/catalogue.h"

void validate_accelerator(const struct accelerator *row, const char *pointer, struct failure *failure);
void validate_price(const struct price_row *row, const char *pointer, struct failure *failure);
void validate_region(const struct region_row *row, const char *pointer, struct failure *failure);
void validate_model(const struct model_row *row, const char *pointer, struct failure *failure);

/* Every row of every list; pointers are "/accelerators/ID". */
FALLIBLE enum status validate_rows(const struct catalogue_rows *rows, struct failure *failure);

#endif
