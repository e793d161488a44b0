/* Does the planner know what fits? Measured configurations ran; constructed ones cannot. And where waiting sets in when load grows. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_FITS_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_FITS_H

#include "validation/serving_cases.h"

enum negative { NEGATIVE_WEIGHTS, NEGATIVE_ONE_FEWER, NEGATIVE_CONTEXT, NEGATIVE_COUNT };

struct fits_judgement {
	size_t ran, ran_refused;
	size_t made[NEGATIVE_COUNT], refused[NEGATIVE_COUNT]; /* constructed; refused as infeasible */
};

/* Every case that ran, and of each different configuration (model, precision, accelerator, layout) up to three that cannot be:
 * tensor parallel over the most accelerators whose memory together is less than the weights (a power of two); pipelined over one
 * accelerator fewer than the weights alone need; and one sequence of four times the tokens that the rest of the memory holds. */
void fits_judge(struct serving_cases *cases, struct fits_judgement *judgement);
const char *negative_name(enum negative negative);

/* Arrival-rate sweeps: the same replica and requests at three rates or more. */
enum { SWEEPS_MAX = 64, SWEEP_STEPS_MAX = 32 };

struct sweep {
	const struct serving_case *first;
	size_t count; /* rates, rising */
	double rates[SWEEP_STEPS_MAX], observed_ms[SWEEP_STEPS_MAX], predicted_ms[SWEEP_STEPS_MAX];
	size_t observed_knee, predicted_knee; /* first step whose TTFT is over three times that of the lowest rate; count: none */
};

/* Fills at most SWEEPS_MAX sweeps; returns how many there are. */
size_t sweeps_judge(struct serving_cases *cases, struct sweep *sweeps);

#endif
