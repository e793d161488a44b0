/* Calibrations of a snapshot as the planner's evidence: those that correct plans on an accelerator, and the assumptions
 * that name them. */
#ifndef FLEETPLAN_HWDB_RESOLVE_CALIBRATIONS_H
#define FLEETPLAN_HWDB_RESOLVE_CALIBRATIONS_H

#include "hwdb/catalogue/catalogue.h"
#include "planner/measurement/evidence.h"

struct calibration_wish {
	const struct accelerator *accelerator;
	enum precision precision;    /* of the products */
	const char *plan_id, *stack; /* NULL: no plan; no software */
	double params;               /* active parameters of the model in training; 0 or less: unknown */
	int64_t gpu_count;           /* less than 1: open */
	int64_t now_us;
};

/* E123. Chooses the calibrations of the snapshot that correct plans of this kind. Adds to `findings` (may be NULL) the
 * origin, age and distance from the prior of each figure, and the reason why the first unused one is not used. Text is
 * in the arena. */
void calibrations_choose(const struct catalogue *catalogue, const struct calibration_wish *wish, struct arena *arena,
	struct findings *findings, struct calibration *calibration);

/* Fills `used` and `unused_because` of rows, judged among all rows of the snapshot. A row that the snapshot does not
 * contain is judged alone. */
void calibrations_judge(const struct catalogue *catalogue, struct calibration_row *rows, size_t count, int64_t now_us, struct arena *arena);

#endif
