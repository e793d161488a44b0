/* Random numbers that a seed repeats: the same on every machine, each purpose its own stream (E90). */
#ifndef FLEETPLAN_PLANNER_QUEUEING_RANDOM_H
#define FLEETPLAN_PLANNER_QUEUEING_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* Streams of one seed are independent of each other: what one purpose draws does not move another. */
void random_seed(struct random *random, uint64_t seed, uint64_t stream);

/* 64 even bits: xoshiro256++ (Blackman and Vigna 2021, arXiv 1805.01407), seeded by splitmix64. */
uint64_t random_bits(struct random *random);

/* Even in (0, 1), ends excluded. */
double random_uniform(struct random *random);

/* Exponential of mean 1. */
double random_exponential(struct random *random);

/* Standard normal, by its quantile function: one number drawn each, so that streams stay in step. */
double random_normal(struct random *random);

/* Gamma of mean 1 and coefficient of variation cv > 0 (Marsaglia and Tsang 2000, ACM TOMS 26-3). */
double random_gamma(struct random *random, double cv);

/* Log-normal of mean 1 and coefficient of variation cv >= 0; 0 gives 1. */
double random_lognormal(struct random *random, double cv);

#endif
