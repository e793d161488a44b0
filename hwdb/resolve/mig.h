/* Parts into which NVIDIA boards can be split (Multi-Instance GPU). Constant data, thread-safe. */
#ifndef FLEETPLAN_HWDB_RESOLVE_MIG_H
#define FLEETPLAN_HWDB_RESOLVE_MIG_H

#include "planner/hardware/accelerator.h"

enum { MIG_SLICES_MAX = 4, MIG_PROFILE_MAX = 16 };

/* Parts a name such as "h100-1g.10gb", "h100:1g.10gb" or "H100 MIG 1g.10gb" into the board's name (its length is returned) and the profile; 0: no
 * profile stands at its end. */
size_t mig_name_parse(const char *name, char profile[MIG_PROFILE_MAX]);

/* The profiles of a board of which it holds more than one (4g and 7g are one a board, and no better than all of it).
 * Returns how many; 0 where it cannot be split, or nothing is published. */
size_t mig_slices_of(const struct accelerator *board, struct mig_slice slices[MIG_SLICES_MAX]);

#endif
