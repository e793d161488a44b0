/* Published serving measurements as requests to /v1/estimates/inference/performance, read from tests/validation/inference.jsonl. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_CASES_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_CASES_H

#include "hwdb/builtin.h"
#include "planner/serving/performance.h"

enum { SERVING_CASES_MAX = 4096 };

enum quantity { QUANTITY_THROUGHPUT, QUANTITY_TPOT, QUANTITY_TTFT, QUANTITY_COUNT };
enum run_kind { RUN_SATURATION, RUN_CLOSED_LOOP, RUN_ARRIVALS, RUN_STATIC_BATCH, RUN_KIND_COUNT };

struct serving_case {
	char id[24], suite[40], model[64], accelerator[64];
	enum quantity quantity;
	enum run_kind run;
	struct performance_input input; /* points to `candidate`: a case does not move */
	struct candidate candidate;
	double observed; /* tokens/s, ms */
	bool per_gpu; /* a throughput for each accelerator */
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

/* The built-in catalogue, for the life of the program. */
struct catalogue *serving_catalogue(void);

/* Reads every case that is scored (trust A and B). Exits with a message when a row cannot be understood in full. */
void serving_cases_load(const char *path, const struct catalogue *catalogue, struct serving_cases *cases);

/* A further case of a model on an accelerator; the caller fills the rest. */
struct serving_case *serving_case_add(
	struct serving_cases *cases, const struct catalogue *catalogue, const char *model, const char *accelerator);

/* enforce_memory as the request says; false: also what does not fit is predicted. */
void serving_predict(struct serving_case *item, const struct serving_constants *constants, bool enforce_memory,
	struct serving_prediction *prediction);

const char *serving_quantity_name(enum quantity quantity);
const char *run_kind_name(enum run_kind run);

/* Exits: the program's input is not what it must be. */
__attribute__((noreturn)) void serving_stop(const char *what, const char *which);

/* A request as the service decodes it: what the case does not say is absent. */
void serving_request_clear(struct performance_request *request);

/* Rows of the catalogue by name; exits when there is none. */
const struct model *serving_model(const struct catalogue *catalogue, const char *name);
void serving_candidate(const struct catalogue *catalogue, const char *accelerator, struct candidate *candidate);

#endif
