/* Reads the predictions of a stored plan back from the JSON of its result. */
#ifndef FLEETPLAN_API_STORED_PLAN_H
#define FLEETPLAN_API_STORED_PLAN_H

#include "base/arena.h"
#include "base/failure.h"
#include "hwdb/catalogue/records.h"
#include "planner/plan/serving.h"

/* Reads the recommended option of a training plan's stored result: the accelerator's id, number, step, interval of the
 * step's time, bottleneck, price, hours and energy; the rest of *option is absent. Figures that an older version did
 * not write are absent too. Text is copied into the arena. Errors: INTERNAL if it is not such a result, NO_MEMORY. */
FALLIBLE enum status api_stored_option(
	const struct json_text *result, struct arena *arena, struct training_option *option, struct failure *failure);

/* Reads the figures of the recommended option of a plan of either kind; missing ones are absent. Text is copied into
 * the arena. Errors: INTERNAL if it is not such a result, NO_MEMORY. */
FALLIBLE enum status api_stored_figures(
	const struct json_text *result, struct arena *arena, struct plan_figures *figures, struct failure *failure);

/* The recommended option of a stored plan: its layout, its prediction and its cost. */
struct stored_layout {
	const char *accelerator;
	int64_t gpu_count;
	struct parallelism training;        /* of a training */
	struct serving_parallelism serving; /* of a service, like the members below */
	enum precision precision, kv_precision;
	double batch;       /* mean, of a replica */
	double usd;         /* total; of a service, of one month */
	double step_tokens; /* of a training's step */
	struct {
		double step_time_s, tokens_per_s, mean_gpu_w, hours, total_kwh, total_usd;
	} predicted;        /* of a training; missing figures are absent */
	double hfu;         /* of the steps */
	double stack_speed; /* of the calibration used; 1: none */
	const char *stack;
	bool pinned;                      /* the request gave its mfu */
	bool release_given, layout_given; /* the request gave the software's release; tensor, pipeline and micro_batch */
	double stack_likeness;            /* likeness to this job of the jobs behind that calibration (E148); 0: none counted */
	int64_t node_count;
	double practice; /* hours of the run over hours of its steps and failures; 1: none was planned */
	double params_active;
};

/* Reads the stored result of a training or inference plan; errors as above. Text is copied into the arena. */
FALLIBLE enum status api_stored_layout(
	const struct plan_record *plan, struct arena *arena, struct stored_layout *layout, struct failure *failure);

#endif
