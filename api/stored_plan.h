/* What a stored plan predicted, read back from the JSON of its result. */
#ifndef FLEETPLAN_API_STORED_PLAN_H
#define FLEETPLAN_API_STORED_PLAN_H

#include "base/arena.h"
#include "base/failure.h"
#include "hwdb/catalogue/records.h"
#include "planner/plan/serving.h"

/* Reads the recommended option of a training plan's result as it was answered: accelerator's id, number, step, interval of the step's
 * time, bottleneck, price, hours and energy; the rest of *option is absent. Figures that an older version did not answer are absent too.
 * Text is copied into the arena. Returned: INTERNAL when it is no such result, NO_MEMORY. */
FALLIBLE enum status api_stored_option(const struct json_text *result, struct arena *arena, struct training_option *option,
	struct failure *failure);

/* The figures of the recommended option of a plan of either kind; what is not there is absent. Text is copied into the arena.
 * Returned: INTERNAL when it is no such result, NO_MEMORY. */
FALLIBLE enum status api_stored_figures(const struct json_text *result, struct arena *arena, struct plan_figures *figures,
	struct failure *failure);

/* The recommended option of a stored plan: what it is made of, and what it costs. */
struct stored_layout {
	const char *accelerator;
	int64_t gpu_count;
	struct parallelism training;         /* of a training */
	struct serving_parallelism serving;  /* of a service; so on below */
	enum precision precision, kv_precision;
	double batch;                        /* mean, of a replica */
	double usd;                          /* in all; of a service, a month */
	double step_tokens;                  /* of a training's step */
	struct {
		double step_time_s, tokens_per_s, mean_gpu_w, hours, total_kwh, total_usd;
	} predicted; /* of a training; what it does not have is absent */
	double hfu;                          /* of the steps */
	double stack_speed;                  /* of the calibration that it was planned with; 1: none */
	const char *stack;
	bool pinned;                         /* its mfu was given */
	bool release_given, layout_given;    /* so were its software's release; tensor, pipeline and micro_batch */
	double stack_likeness;               /* of the jobs behind that calibration to this one (E148); 0: none counted */
	int64_t node_count;
	double practice;                     /* its hours over those of its steps and failures; 1 where none was planned */
	double params_active;
};

/* Of a training's or an inference plan's result as it was answered; errors as above. Text is copied into the arena. */
FALLIBLE enum status api_stored_layout(const struct plan_record *plan, struct arena *arena, struct stored_layout *layout, struct failure *failure);

#endif
