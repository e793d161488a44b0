/* Published training runs as planner inputs, read from training*.jsonl and runs*.jsonl and resolved as the service
 * resolves a request (product.h). */
#ifndef FLEETPLAN_TESTS_VALIDATION_CASES_H
#define FLEETPLAN_TESTS_VALIDATION_CASES_H

#include <stddef.h>

#include "planner/plan/training.h"
#include "validation/suites.h"

enum { EXPECT_STEP, EXPECT_GPU_HOURS, EXPECT_MODEL_BYTES, EXPECT_LAYERS_BYTES, EXPECT_TOTAL_BYTES, EXPECT_TFLOPS, EXPECT_COUNT };

/* The request of a whole run: as its row states it; with the published number of accelerators; with all members of
 * `informed` (number and release). */
enum asked { ASKED_DEFAULT, ASKED_COUNT, ASKED_TOLD, ASKED_KIND_COUNT };

struct validation_case {
	const char *id, *suite, *family;
	enum suite_role role;
	struct training_input input;
	const struct candidate *candidate; /* the first of the input */
	double expected[EXPECT_COUNT];     /* NaN: the row does not state it */
	bool oom;
	const char *team;                                     /* of a whole run; NULL: a pinned step */
	bool scored;                                          /* of a whole run: true if its definition is clear */
	const struct training_input *asked[ASKED_KIND_COUNT]; /* of a whole run */
};

/* A row whose request the service rejects. */
struct refused_case {
	const char *id, *detail;
};

enum { REFUSED_CASES_MAX = 64 };

struct validation_cases {
	struct validation_case *items; /* pointers to items stay valid */
	size_t count;
	struct refused_case refused[REFUSED_CASES_MAX]; /* only whole runs that are not scored */
	size_t refused_count;
	size_t doubted; /* pinned steps that are not scored: their configuration was not published in full (trust C) */
};

/* Reads all suites of the folder. Exits with a message if a row or its request has an unknown member, or if the request
 * of a scored row cannot be resolved. */
void validation_cases_load(const char *folder, struct validation_cases *cases);

#endif
