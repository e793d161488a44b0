/* Slices into which NVIDIA boards can be split (Multi-Instance GPU). Constant data, thread-safe. */
#ifndef FLEETPLAN_HWDB_RESOLVE_MIG_H
#define FLEETPLAN_HWDB_RESOLVE_MIG_H

#include "planner/hardware/accelerator.h"

enum { MIG_SLICES_MAX = 4, MIG_PROFILE_MAX = 16 };

/* Splits a name such as "h100-1g.10gb", "h100:1g.10gb" or "H100 MIG 1g.10gb" into the board's name (its length is
 * returned) and the profile; 0: the name does not end with a profile. */
size_t mig_name_parse(const char *name, char profile[MIG_PROFILE_MAX]);

/* Lists the profiles of which a board holds more than one (4g and 7g fit once, and are not better than the whole
 * board). Returns their number; 0 where the board cannot be split, or no profiles are published. */
size_t mig_slices_of(const struct accelerator *board, struct mig_slice slices[MIG_SLICES_MAX]);

#endif
