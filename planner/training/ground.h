/* How close a training is to published measurements: of its accelerator, of its kind of training on that accelerator,
 * of its software (E163).
 *
 * Where the accelerator and the kind were measured, the interval of a step is as wide as the errors on suites left out
 * of the fit. It widens for each of the two that was not measured, and a warning names it. */
#ifndef FLEETPLAN_PLANNER_TRAINING_GROUND_H
#define FLEETPLAN_PLANNER_TRAINING_GROUND_H

#include "planner/findings.h"
#include "planner/plan/training.h"

/* Kinds of training that have separate measurements. */
enum ground_kind { GROUND_DENSE, GROUND_EXPERTS, GROUND_TUNING, GROUND_OTHER, GROUND_COUNT };

struct ground_row {
	const char *prefix, *name; /* prefix of catalogue ids; name of the family */
	unsigned kinds;            /* 1 << enum ground_kind: kinds with published steps in the validation set */
	double log_sigma;          /* the family's own spread, beside the software's and the kind's: from its suites, left out of the fit */
	const char *source;
};

/* Returns the row of the accelerator's family; a row without kinds where nothing was published. Never NULL. */
const struct ground_row *ground_of_accelerator(const struct accelerator *accelerator);
enum ground_kind ground_kind_of(const struct training_request *request, const struct model *model);
const char *ground_kind_name(enum ground_kind kind); /* "a mixture of experts" */

/* E163. Computes the spread that is added to the measured ground's: the root of the sum of squares of three spreads.
 * They are the family's, that of a kind never measured on the family, and that of software whose own runs were left out
 * of the fit.
 * Given: request (stack, fine-tuning); model; candidate (accelerator and calibration). A calibration of the products
 * sets the family's spread to 0; E126 applies instead.
 * Returned: standard deviation of the logarithm of a step time, 0 on measured ground.
 * Case: intervals_are_as_wide_as_the_ground_is_far in tests/planner/test_training_ground.c. */
double ground_log_sigma(const struct training_request *request, const struct model *model, const struct candidate *candidate);

/* Warns of what was never measured: "no published measurement of fine-tuning on the A10". */
void ground_warn(
	const struct training_request *request, const struct model *model, const struct accelerator *accelerator, struct findings *findings);

#endif
