/* Published training runs as planner inputs, read from training*.jsonl and runs*.jsonl by the product's own way (product.h). */
#ifndef FLEETPLAN_TESTS_VALIDATION_CASES_H
#define FLEETPLAN_TESTS_VALIDATION_CASES_H

#include <stddef.h>

#include "planner/plan/training.h"
#include "validation/suites.h"

enum { EXPECT_STEP, EXPECT_GPU_HOURS, EXPECT_MODEL_BYTES, EXPECT_LAYERS_BYTES, EXPECT_TOTAL_BYTES, EXPECT_TFLOPS, EXPECT_COUNT };

/* How a whole run is asked: as its request stands; with the published number of accelerators; with all of `informed` (number and release). */
enum asked { ASKED_DEFAULT, ASKED_COUNT, ASKED_TOLD, ASKED_KIND_COUNT };

struct validation_case {
	const char *id, *suite, *family;
	enum suite_role role;
	struct training_input input;
	const struct candidate *candidate; /* the one of the input */
	double expected[EXPECT_COUNT];     /* NaN where the row says nothing */
	bool oom;
	const char *team;                  /* of a whole run; NULL: it is a pinned step */
	bool scored;                       /* of a whole run: its definition is clear */
	const struct training_input *asked[ASKED_KIND_COUNT]; /* of a whole run */
};

/* A row whose request the service refuses to resolve. */
struct refused_case {
	const char *id, *detail;
};

enum { REFUSED_CASES_MAX = 64 };

struct validation_cases {
	struct validation_case *items; /* they do not move */
	size_t count;
	struct refused_case refused[REFUSED_CASES_MAX]; /* only of whole runs that are not scored */
	size_t refused_count;
	size_t doubted; /* pinned steps that are not scored: what ran was not published in full (trust C) */
};

/* Reads every suite of the folder; exits with a message when a row cannot be understood in full: an unknown member of a row or of its
 * request, or a request that cannot be resolved although its row is scored. */
void validation_cases_load(const char *folder, struct validation_cases *cases);

#endif
