/* Where a training stands beside what was published: of its accelerator, of its kind of training there, of its software (E163).
 *
 * The interval of a step is as wide as the steps of suites that were left out, where accelerator and kind were measured; it widens for each that was
 * not, and a warning says which. */
#ifndef FLEETPLAN_PLANNER_TRAINING_GROUND_H
#define FLEETPLAN_PLANNER_TRAINING_GROUND_H

#include "planner/findings.h"
#include "planner/plan/training.h"

/* Kinds of training that are measured apart. */
enum ground_kind { GROUND_DENSE, GROUND_EXPERTS, GROUND_TUNING, GROUND_OTHER, GROUND_COUNT };

struct ground_row {
	const char *prefix, *name; /* of catalogue ids; of the family */
	unsigned kinds;            /* 1 << enum ground_kind: published steps of these were planned */
	double log_sigma;          /* of the family beside the software's and the kind's own spread: of its suites where they were left out */
	const char *source;
};

/* The family's row; one without kinds where nothing was published. Never NULL. */
const struct ground_row *ground_of_accelerator(const struct accelerator *accelerator);
enum ground_kind ground_kind_of(const struct training_request *request, const struct model *model);
const char *ground_kind_name(enum ground_kind kind); /* "a mixture of experts" */

/* E163. Given: request (stack, fine-tuning), model, candidate. Returned: standard deviation of the logarithm of a step that comes on top of the one
 * of measured ground: the root of the sum of squares of the family's, of a kind that was never measured on it, and of software that its own runs left out.
 * The family's is gone where its products were measured (a calibration); E126 takes over from there. */
double ground_log_sigma(const struct training_request *request, const struct model *model, const struct candidate *candidate);

/* Says what was never measured: "no published measurement of fine-tuning on the A10". */
void ground_warn(const struct training_request *request, const struct model *model, const struct accelerator *accelerator, struct findings *findings);

#endif
