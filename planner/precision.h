/* Number formats: names, and bytes of one weight. */
#ifndef FLEETPLAN_PLANNER_PRECISION_H
#define FLEETPLAN_PLANNER_PRECISION_H

#include "base/status.h"

enum precision {
	PRECISION_UNSET,
	PRECISION_FP32,
	PRECISION_TF32,
	PRECISION_FP16,
	PRECISION_BF16,
	PRECISION_FP8,
	PRECISION_MXFP8,
	PRECISION_NVFP4,
	PRECISION_MXFP4,
	PRECISION_INT8,
	PRECISION_INT4,
	PRECISION_COUNT
};

extern const char *const precision_words[PRECISION_COUNT]; /* NULL for unset */
const char *precision_name(enum precision precision);      /* "bf16"; "" for unset */
enum precision precision_of_name(const char *name);        /* PRECISION_UNSET: no format has this name */

/* Returns the bytes of one weight in memory, block scales included.
 *
 * Given:    precision  any format
 * Returned: FP8 1, MXFP8 1 + 1/32, NVFP4 0.5 + 1/16, MXFP4 0.5 + 1/32, INT4 0.5 + 2/128; 0 for PRECISION_UNSET
 * Source:   OCP MX specification v1.0 (blocks of 32, 8-bit scale); NVFP4: blocks of 16, FP8 scale */
double precision_weight_bytes(enum precision precision);

#endif
