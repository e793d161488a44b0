/* Published training runs as planner inputs, read from tests/validation/training.jsonl. */
#ifndef FLEETPLAN_TESTS_VALIDATION_CASES_H
#define FLEETPLAN_TESTS_VALIDATION_CASES_H

#include <stddef.h>

#include "planner/training/training.h"

enum { EXPECT_STEP, EXPECT_GPU_HOURS, EXPECT_MODEL_BYTES, EXPECT_TOTAL_BYTES, EXPECT_TFLOPS, EXPECT_COUNT };

struct validation_case {
	char *id, *suite, *family;
	struct training_input input;
	struct candidate candidate;
	double expected[EXPECT_COUNT]; /* NaN where the row says nothing */
	bool oom;
};

struct validation_cases {
	struct validation_case *items; /* inputs point into the items: they do not move */
	size_t count;
	struct accelerator *accelerators;
	size_t accelerator_count;
};

/* Reads both files; exits with a message when a row cannot be understood in full (no member is skipped). */
void validation_cases_load(const char *cases_path, const char *accelerators_path, struct validation_cases *cases);

#endif
