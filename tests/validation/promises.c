#include "validation/promises.h"

const double promise_levels[PROMISE_LEVEL_COUNT] = {0.50, 0.60, 0.70, 0.80, 0.90, 0.95};

double rule_share(enum rule rule)
{
	return rule == RULE_30 ? 0.3 : 0.4;
}

void promises_add(struct promises *promises, const struct interval *range, double observed)
{
	CHECK(promises->count < PROMISES_JUDGED_MAX);
	promises->probabilities[promises->count++] = interval_probability(range, observed);
}

void promises_add_broken(struct promises *promises)
{
	CHECK(promises->count < PROMISES_JUDGED_MAX);
	promises->probabilities[promises->count++] = 1;
}

double promises_held(const struct promises *promises, double probability)
{
	size_t held = 0;

	for (size_t i = 0; i < promises->count; i++)
		held += promises->probabilities[i] <= probability;
	return promises->count > 0 ? (double)held / (double)promises->count : 0;
}
