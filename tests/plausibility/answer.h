/* One request answered as the product does it: decoded by its field table, resolved against the built-in catalogue of a fixed day, planned. */
#ifndef FLEETPLAN_TESTS_PLAUSIBILITY_ANSWER_H
#define FLEETPLAN_TESTS_PLAUSIBILITY_ANSWER_H

#include "planner/training/fleet.h"
#include "plausibility/draw.h"

struct answer {
	bool any, fits;  /* any: it was answered; a refusal says why in `refusal` */
	struct found found; /* of the one stage: layout, step, memory */
	double time_s;   /* of the step */
	double mfu, hfu;
	struct candidate_plan_range range;
	double gpu_hours, run_mfu; /* of the whole run, with practice and goodput */
	char refusal[FAULT_DETAIL_MAX];
};

/* The built-in catalogue; NULL when it cannot be read. */
const struct catalogue *answer_catalogue(void);

/* `physics`: NULL for the shipped constants. `setting`: what the layout was planned with, valid until the next answer; may be NULL. */
void answer_draw(const struct draw *draw, const struct physics *physics, struct answer *answer, struct setting *setting);

/* Latencies of the replica that draw_serving_json() asks for. Returned: whether it was answered. */
bool answer_serving(const struct draw *draw, double *ttft_ms, double *tpot_ms);

void answer_release(void);

#endif
