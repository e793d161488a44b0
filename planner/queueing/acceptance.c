#include "planner/queueing/acceptance.h"

#include <math.h>

void acceptance_prepare(struct acceptance *acceptance, double drafted, double probability)
{
	double chance = 1, square = 0;

	*acceptance = (struct acceptance){.drafted = rint(drafted), .probability = probability, .mean = 1};
	/* E[X] = sum of P(X > k), E[X^2] = sum of (2k + 1) P(X > k). */
	for (int k = 0; k <= (int)acceptance->drafted; k++) {
		square += (2 * k + 1) * chance;
		chance *= probability;
		acceptance->mean += k < (int)acceptance->drafted ? chance : 0;
	}
	acceptance->variance = square - acceptance->mean * acceptance->mean;
}

static double step_tokens(const struct acceptance *acceptance, struct random *random)
{
	double drawn = random_uniform(random), chance = acceptance->probability, tokens = 1;

	for (; tokens <= acceptance->drafted && drawn < chance; tokens++)
		chance *= acceptance->probability;
	return tokens;
}

double acceptance_steps(const struct acceptance *acceptance, double tokens, struct random *random)
{
	double at_once = fmax(tokens - ACCEPTANCE_DRAWN_MAX, 0), steps = 0, mean = acceptance->mean;

	/* Renewal count of many tokens: mean n/m, variance n s^2/m^3 (Feller 1971, volume II, XI.5). */
	if (at_once > 0)
		steps = at_once / mean + sqrt(at_once * acceptance->variance / (mean * mean * mean)) * random_normal(random);
	steps = fmin(fmax(rint(steps), rint(at_once / (acceptance->drafted + 1))), at_once);
	for (double left = tokens - at_once; left > 0; steps++)
		left -= step_tokens(acceptance, random);
	return steps;
}
