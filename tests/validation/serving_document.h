/* The serving part of docs/accuracy.md. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_DOCUMENT_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_DOCUMENT_H

#include <stdio.h>

#include "validation/serving_fits.h"
#include "validation/serving_judge.h"
#include "validation/serving_power.h"

struct serving_judgement {
	struct serving_outcomes outcomes;
	struct fits_judgement fits;
	struct sweep sweeps[SWEEPS_MAX];
	size_t sweep_count;
	struct power_cases power;
	double objective, refitted, power_objective, power_refitted; /* of the fits: shipped constants, and a refit from them */
};

/* Fills the judgement. The caller has loaded judgement->power. Deterministic; takes about a quarter of a minute. */
void serving_judge(struct serving_cases *cases, struct serving_judgement *judgement);

void serving_document_write(FILE *file, const struct serving_judgement *judgement);

/* Plots predicted against observed figures, each in its unit. SVG 1.1. */
void serving_plot_write(FILE *file, const struct serving_judgement *judgement);

#endif
