/* Answers one request as the product does: decodes it by its field table, resolves it against the built-in catalogue
 * of a fixed day, and plans it. */
#ifndef FLEETPLAN_TESTS_PLAUSIBILITY_ANSWER_H
#define FLEETPLAN_TESTS_PLAUSIBILITY_ANSWER_H

#include "planner/training/fleet.h"
#include "plausibility/draw.h"

struct answer {
	bool any, fits;     /* any: answered; else `refusal` says why */
	struct found found; /* of the one stage: layout, step, memory */
	double time_s;      /* of one step */
	double mfu, hfu;
	struct candidate_plan_range range;
	double gpu_hours, run_mfu; /* of the whole run, with practice and goodput */
	char refusal[FAULT_DETAIL_MAX];
};

/* Returns the built-in catalogue; NULL if it cannot be read. */
const struct catalogue *answer_catalogue(void);

/* `physics`: NULL for the shipped constants. Fills `setting` with that of the
 * planned layout, valid until the next answer. */
void answer_draw(const struct draw *draw, const struct physics *physics, struct answer *answer, struct setting *setting);

/* Computes the latencies of the replica that draw_serving_json() requests.
 * Returns false if the request is refused. */
bool answer_serving(const struct draw *draw, double *ttft_ms, double *tpot_ms);

void answer_release(void);

#endif
