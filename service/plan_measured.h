/* A stored plan as something that can be measured: its request resolved again, and the layout of its recommended option. */
#ifndef FLEETPLAN_SERVICE_PLAN_MEASURED_H
#define FLEETPLAN_SERVICE_PLAN_MEASURED_H

#include "api/stored_plan.h"
#include "hwdb/catalogue/catalogue.h"
#include "hwdb/catalogue/records.h"
#include "planner/measurement/shapes.h"

struct plan_measured {
	bool is_training;
	struct training_input training;   /* of the one kind or the other */
	struct inference_input inference;
	struct findings findings;         /* what resolving said: nobody reads it */
	struct stored_layout layout;
	const struct candidate *candidate; /* of the recommended option, with its calibration */
	struct shapes_room room;
	struct bench_spec spec;
};

/* Reads a plan's kind, request and result on the catalogue of now. It is about 60 kB: take it from an arena, zeroed. Everything it points to lives in
 * the arena and the catalogue. STATUS_INVALID where it cannot be measured so (no transformer; a request that holds a whole trace; hardware that the
 * catalogue does not have), with the reason. */
FALLIBLE enum status plan_measured_read(struct plan_measured *measured, const struct plan_record *plan, const struct catalogue *catalogue, int64_t now_us,
	struct arena *arena, struct failure *failure);

#endif
