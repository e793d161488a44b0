/* Random numbers (E90). A seed gives the same numbers on every machine. Each purpose has its own stream.
 * Case: tests/planner/test_simulation.c, random_bits_are_those_published and
 *       drawn_traffic_has_the_moments_asked_for. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_RANDOM_H
#define FLEETPLAN_PLANNER_QUEUEING_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* Starts a stream of a seed. The streams of one seed are independent: draws from one do not change another. */
void random_seed(struct random *random, uint64_t seed, uint64_t stream);

/* Returns 64 uniform random bits.
 * Source: xoshiro256++ (Blackman and Vigna 2021, arXiv 1805.01407), seeded by splitmix64. */
uint64_t random_bits(struct random *random);

/* Returns a uniform number in (0, 1), both ends excluded. */
double random_uniform(struct random *random);

/* Returns an exponential number of mean 1. */
double random_exponential(struct random *random);

/* Returns a standard normal number by its quantile function. It draws exactly one uniform number, so that streams stay
 * aligned. */
double random_normal(struct random *random);

/* Returns a gamma number of mean 1.
 * Given:  cv: coefficient of variation (> 0).
 * Source: Marsaglia and Tsang 2000, ACM TOMS 26-3. */
double random_gamma(struct random *random, double cv);

/* Returns a log-normal number of mean 1.
 * Given: cv: coefficient of variation (>= 0); 0 gives 1. */
double random_lognormal(struct random *random, double cv);

#endif
