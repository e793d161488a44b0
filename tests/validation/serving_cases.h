/* Published serving measurements as requests to /v1/estimates/inference/performance, read from inference*.jsonl and
 * resolved as the service resolves a request (product.h). */
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
	double observed;                /* tokens/s, ms */
	bool per_gpu;                   /* true: a throughput for each accelerator; false: of the replica */
	bool away;                      /* of a later suite: independent tests, other vendors' stacks, older releases (inference_2.jsonl) */
	bool side;                      /* a row of the ML.ENERGY leaderboard: small weight in the fit, judged in serving_power.h */
};

struct serving_cases {
	struct serving_case *items;
	size_t count;
};

/* The prediction for a case in the case's unit, with its interval. */
struct serving_prediction {
	double value;
	struct interval interval;
	struct operating_point point;
	bool refused;
};

/* Reads the scored cases (trust A and B) of all suites of the folder. Exits with a message if a row has an unknown member
 * or cannot be resolved. */
void serving_cases_load(const char *folder, struct serving_cases *cases);

/* Adds a case with this request; the caller fills quantity, observed and the flags. Exits if the service rejects the
 * request. */
struct serving_case *serving_case_add(struct serving_cases *cases, const char *id, const char *suite, const char *request);

/* Predicts a case. enforce_memory: false also predicts configurations that do not fit in memory. */
void serving_predict(
	struct serving_case *item, const struct serving_constants *constants, bool enforce_memory, struct serving_prediction *prediction);

const char *serving_quantity_name(enum quantity quantity);
const char *run_kind_name(enum run_kind run);

#endif
