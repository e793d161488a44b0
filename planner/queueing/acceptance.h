/* Steps that an answer takes where drafts are accepted by chance (E98).
 *
 * Of `drafted` tokens each is right with probability `acceptance` if all before it were, and a step always yields one more: the
 * number of steps for an answer is a renewal count. Means and spread as such; what happens within an answer is evened out. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_ACCEPTANCE_H
#define FLEETPLAN_PLANNER_QUEUEING_ACCEPTANCE_H

#include "planner/queueing/random.h"

/* Steps are drawn one by one for so many tokens; of a longer answer the rest is drawn at once. */
enum { ACCEPTANCE_DRAWN_MAX = 512 };

struct acceptance {
	double drafted, probability; /* drafted >= 1, whole; 0 < probability < 1 */
	double mean, variance; /* of the tokens of a step */
};

void acceptance_prepare(struct acceptance *acceptance, double drafted, double probability);

/* Steps until `tokens` (>= 0) are there: whole, and not more than tokens. */
double acceptance_steps(const struct acceptance *acceptance, double tokens, struct random *random);

#endif
