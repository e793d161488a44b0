/* Rates that are often printed but are not dense rates of one accelerator: rates with sparsity, of a board of two dies
 * or four chips, or with lower-precision accumulation. A row with such a rate gets a warning that names the dense
 * rate. */
#ifndef FLEETPLAN_HWDB_ROWS_KNOWN_MISTAKES_H
#define FLEETPLAN_HWDB_ROWS_KNOWN_MISTAKES_H

#include "hwdb/catalogue/catalogue.h"
#include "planner/findings.h"

/* Adds a warning to `findings` for each rate in `given` (absent members are skipped) that equals a known wrong rate for
 * an accelerator of this name, or twice the dense rate of a similarly named accelerator of the built-in or imported
 * catalogue. `accelerator` is the row as it would be stored; its id and name identify it. Returns the number of
 * warnings. */
size_t known_mistakes_warn(
	const struct catalogue *catalogue, const struct accelerator *accelerator, const struct accelerator *given, struct findings *findings);

#endif
