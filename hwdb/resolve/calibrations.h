/* Calibrations of a snapshot as the planner's evidence: which of them correct plans on an accelerator, and what is said of it. */
#ifndef FLEETPLAN_HWDB_RESOLVE_CALIBRATIONS_H
#define FLEETPLAN_HWDB_RESOLVE_CALIBRATIONS_H

#include "hwdb/catalogue/catalogue.h"
#include "planner/measurement/evidence.h"

struct calibration_wish {
	const struct accelerator *accelerator;
	enum precision precision;   /* of its products */
	const char *plan_id, *stack; /* NULL: of no plan; no software */
	double params;               /* of the model in training, active ones; not above 0: not known */
	int64_t gpu_count;           /* less than 1: open */
	int64_t now_us;
};

/* E123. What of the snapshot's calibrations corrects plans of this kind. `findings` (may be NULL) is told of each figure where it comes from, how old
 * it is and how far from the prior, and of the first that is kept but not used, why. Text lives in the arena. */
void calibrations_choose(const struct catalogue *catalogue, const struct calibration_wish *wish, struct arena *arena, struct findings *findings,
	struct calibration *calibration);

/* Fills `used` and `unused_because` of rows as they stand in the snapshot among all others (a row that it does not hold counts alone). */
void calibrations_judge(const struct catalogue *catalogue, struct calibration_row *rows, size_t count, int64_t now_us, struct arena *arena);

#endif
