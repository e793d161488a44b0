/* Promises: a range promises with a probability that a figure is at most a value (probability integral transform). And
 * the rule of thumb with which predictions are compared. */
#ifndef FLEETPLAN_TESTS_VALIDATION_PROMISES_H
#define FLEETPLAN_TESTS_VALIDATION_PROMISES_H

#include <stddef.h>

#include "planner/interval.h"

enum { PROMISES_JUDGED_MAX = 4096, PROMISE_LEVEL_COUNT = 6 };
extern const double promise_levels[PROMISE_LEVEL_COUNT];

/* Rule of thumb: 6 FLOPs for each active parameter and token, at 30 or 40 % of the dense peak of the request's
 * precision. */
enum rule { RULE_30, RULE_40, RULE_COUNT };
double rule_share(enum rule rule);

/* For each observation, the probability that its range gives to values up to the observed one. A promise at probability
 * p is kept if that is at most p. */
struct promises {
	double probabilities[PROMISES_JUDGED_MAX];
	size_t count;
};

void promises_add(struct promises *promises, const struct interval *range, double observed);
void promises_add_broken(struct promises *promises); /* adds a promise that is never kept: the request had no answer */

/* Returns the share of the promises at `probability` that were kept. */
double promises_held(const struct promises *promises, double probability);

#endif
