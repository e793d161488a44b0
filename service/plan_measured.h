/* A stored plan to measure: its request resolved again, and the layout of its recommended option. */
#ifndef FLEETPLAN_SERVICE_PLAN_MEASURED_H
#define FLEETPLAN_SERVICE_PLAN_MEASURED_H

#include "api/stored_plan.h"
#include "hwdb/catalogue/catalogue.h"
#include "hwdb/catalogue/records.h"
#include "planner/measurement/shapes.h"

struct plan_measured {
	bool is_training;
	struct training_input training; /* if is_training; else `inference` */
	struct inference_input inference;
	struct findings findings; /* of resolving; not used */
	struct stored_layout layout;
	const struct candidate *candidate; /* of the recommended option, with its calibration */
	struct shapes_room room;
	struct bench_spec spec;
};

/* Reads a plan's kind, request and result with the current catalogue. `measured` has about 60 kB: allocate it zeroed
 * from an arena. It points into the arena and the catalogue. STATUS_INVALID with the reason if the plan cannot be
 * measured: the model is not a transformer, the request has a trace, or the catalogue lacks its hardware. */
FALLIBLE enum status plan_measured_read(struct plan_measured *measured, const struct plan_record *plan, const struct catalogue *catalogue,
	int64_t now_us, struct arena *arena, struct failure *failure);

#endif
