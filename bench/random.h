/* Reproducible random numbers for operands. Zeros and ramps make a device look faster (published: +13 % on an H200). */
#ifndef FLEETPLAN_BENCH_RANDOM_H
#define FLEETPLAN_BENCH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014). The state may be any number; each call changes it. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Near-normal floats with mean 0 and variance 1: the sum of four uniform 16-bit numbers from one draw (variance
 * 4/12), scaled. */
static inline void random_fill_normal(float *out, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = random_next(&seed);
		uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);

		out[i] = ((float)sum / 65536.0f - 1.99996948f) * 1.7320508f; /* mean of the sum: 4 x 32767.5 / 65536 */
	}
}

#endif
