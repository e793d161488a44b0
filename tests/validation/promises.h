/* Promises: what a range says with a probability, and how often it held (probability integral transform). And the rule of thumb beside which
 * predictions are shown. */
#ifndef FLEETPLAN_TESTS_VALIDATION_PROMISES_H
#define FLEETPLAN_TESTS_VALIDATION_PROMISES_H

#include <stddef.h>

#include "planner/interval.h"

enum { PROMISES_JUDGED_MAX = 4096, PROMISE_LEVEL_COUNT = 6 };
extern const double promise_levels[PROMISE_LEVEL_COUNT];

/* 6 FLOPs for each active parameter and token at 30 or 40 % of the dense peak of the request's precision. */
enum rule { RULE_30, RULE_40, RULE_COUNT };
double rule_share(enum rule rule);

/* Of each observation the probability that its range gives to at most this value. A promise at p holds when it is at most p. */
struct promises {
	double probabilities[PROMISES_JUDGED_MAX];
	size_t count;
};

void promises_add(struct promises *promises, const struct interval *range, double observed);
void promises_add_broken(struct promises *promises); /* no answer */

/* Share of the promises at `probability` that held. */
double promises_held(const struct promises *promises, double probability);

#endif
