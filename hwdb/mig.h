/* Parts into which NVIDIA boards can be split (Multi-Instance GPU). Constant data, thread-safe. */
#ifndef FLEETPLAN_HWDB_MIG_H
#define FLEETPLAN_HWDB_MIG_H

#include "planner/accelerator.h"

enum { MIG_SLICES_MAX = 4 };

/* The profiles of a board of which it holds more than one (4g and 7g are one a board, and no better than all of it).
 * Returns how many; 0 where it cannot be split, or nothing is published. */
size_t mig_slices_of(const struct accelerator *board, struct mig_slice slices[MIG_SLICES_MAX]);

#endif
