/* Inputs of which a test changes single members: Llama 3.1 70B in BF16 on H100s, 1,000 tokens in, 300 out. Practice
 * is the recipe, confidence is 0.5. */
#ifndef FLEETPLAN_TESTS_SERVING_FIXTURE_H
#define FLEETPLAN_TESTS_SERVING_FIXTURE_H

#include "planner/plan/serving.h"

struct serving_fixture {
	struct candidate candidate;
	struct performance_input performance; /* four accelerators, vLLM, concurrency 32 */
	struct inference_input inference;     /* 600 queries a minute, nothing pinned */
};

/* The fixture points into itself: do not copy it. */
void serving_fixture_fill(struct serving_fixture *fixture);

/* Returns a request with every member absent, except practice and confidence as above. */
struct request_common serving_fixture_common(void);

#endif
