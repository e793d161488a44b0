/* Test of the planner's memory check: measured configurations fit, because they ran; constructed ones do not. And the
 * arrival rate at which requests start to wait. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_FITS_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_FITS_H

#include "validation/serving_cases.h"

enum negative { NEGATIVE_WEIGHTS, NEGATIVE_ONE_FEWER, NEGATIVE_CONTEXT, NEGATIVE_COUNT };

struct fits_judgement {
	size_t ran, ran_refused;
	size_t made[NEGATIVE_COUNT], refused[NEGATIVE_COUNT]; /* constructed configurations; of these, refused as infeasible */
};

/* Judges every case that ran, and for each different configuration (model, precision, KV precision, engine, accelerator,
 * layout) up to three that do not fit:
 *   tensor parallel over the largest power of two of accelerators whose memory together is less than the weights;
 *   pipelined over one accelerator fewer than the weights alone need;
 *   one sequence of four times the longest context that fits. */
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

/* Fills at most SWEEPS_MAX sweeps and returns their number. */
size_t sweeps_judge(struct serving_cases *cases, struct sweep *sweeps);

#endif
