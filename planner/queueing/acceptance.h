/* Number of steps of an answer when speculative drafts are accepted at random (E98).
 *
 * A step drafts `drafted` tokens. Each draft is right with `probability` if all drafts before it are right. A step
 * always yields one more token. The number of steps of an answer is therefore a renewal count. It has that count's mean
 * and spread; the engine spreads the tokens of an answer evenly over its steps. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_ACCEPTANCE_H
#define FLEETPLAN_PLANNER_QUEUEING_ACCEPTANCE_H

#include "planner/queueing/random.h"

/* The last tokens of an answer, up to this number, are drawn step by step. The steps of all tokens before them are
 * drawn at once. */
enum { ACCEPTANCE_DRAWN_MAX = 512 };

struct acceptance {
	double drafted, probability; /* drafted >= 1, whole; 0 < probability < 1 */
	double mean, variance;       /* of the tokens of a step */
};

/* E98. Fills the setting, with the mean and the variance of the tokens of one step.
 * Given:    drafted: tokens that a step drafts (>= 1; rounded); probability: chance that a draft is right (0 <
 *           probability < 1).
 * Returned: *acceptance: mean = sum of probability^k over k = 0 .. drafted, tokens; variance, tokens squared.
 * Case:     tests/planner/test_simulation_fleet.c, steps_of_an_answer_are_a_renewal_count. */
void acceptance_prepare(struct acceptance *acceptance, double drafted, double probability);

/* E98. Draws the number of steps in which an answer is produced.
 * Given:    acceptance: filled by acceptance_prepare(); tokens: length of the answer (>= 0); random: advanced by the
 *           draws.
 * Returned: steps, a whole number, at most `tokens` rounded up.
 * Source:   Feller 1971, volume II, XI.5: mean n/m and variance n s^2/m^3 of a renewal count, for the part drawn at
 *           once.
 * Case:     tests/planner/test_simulation_fleet.c, steps_of_an_answer_are_a_renewal_count. */
double acceptance_steps(const struct acceptance *acceptance, double tokens, struct random *random);

#endif
