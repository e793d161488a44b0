/* Rates that are printed everywhere and are not dense rates of one accelerator: with sparsity, of a board of two
 * dies or four chips, or accumulated in less precision. Entering one is answered with a warning that names the dense
 * one. */
#ifndef FLEETPLAN_HWDB_ROWS_KNOWN_MISTAKES_H
#define FLEETPLAN_HWDB_ROWS_KNOWN_MISTAKES_H

#include "hwdb/catalogue/catalogue.h"
#include "planner/findings.h"

/* Warns in `findings` of every rate among `given` (absent members are not looked at) that equals a figure of the
 * table below for an accelerator of this name, or twice the dense rate of a like-named accelerator of the built-in
 * or imported catalogue. `accelerator` is the row as it would be kept: its id and name tell which one it is. Returns
 * the number. */
size_t known_mistakes_warn(const struct catalogue *catalogue, const struct accelerator *accelerator,
	const struct accelerator *given, struct findings *findings);

#endif
