/* Published serving measurements as requests to /v1/estimates/inference/performance, read from inference*.jsonl by the product's own
 * way (product.h). */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_CASES_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_CASES_H

#include "planner/serving/performance.h"
#include "validation/product.h"
#include "validation/suites.h"

enum { SERVING_CASES_MAX = 4096 };

enum quantity { QUANTITY_THROUGHPUT, QUANTITY_TPOT, QUANTITY_TTFT, QUANTITY_COUNT };
enum run_kind { RUN_SATURATION, RUN_CLOSED_LOOP, RUN_ARRIVALS, RUN_STATIC_BATCH, RUN_KIND_COUNT };

struct serving_case {
	char id[24], suite[40], model[64], accelerator[64];
	enum quantity quantity;
	enum run_kind run;
	enum suite_role role;
	struct performance_input input; /* as resolved */
	double observed; /* tokens/s, ms */
	bool per_gpu; /* a throughput for each accelerator */
	bool away; /* of a suite that came when the model stood: independent tests, other vendors' stacks, older releases (inference_2.jsonl) */
	bool side; /* helps the fit a little, is judged elsewhere: a row of the ML.ENERGY leaderboard */
};

struct serving_cases {
	struct serving_case *items;
	size_t count;
};

/* What is predicted of a case, in its unit, with its interval. */
struct serving_prediction {
	double value;
	struct interval interval;
	struct operating_point point;
	bool refused;
};

/* Reads every suite of the folder: all cases that are scored (trust A and B). Exits with a message when a row cannot be understood in full. */
void serving_cases_load(const char *folder, struct serving_cases *cases);

/* A further case of this request; the caller fills the rest. Exits when the service would refuse the request. */
struct serving_case *serving_case_add(struct serving_cases *cases, const char *id, const char *suite, const char *request);

/* enforce_memory as the request says; false: also what does not fit is predicted. */
void serving_predict(struct serving_case *item, const struct serving_constants *constants, bool enforce_memory,
	struct serving_prediction *prediction);

const char *serving_quantity_name(enum quantity quantity);
const char *run_kind_name(enum run_kind run);

#endif
