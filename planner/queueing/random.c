#include "planner/queueing/random.h"

#include <math.h>

#include "planner/interval.h"

static uint64_t splitmix(uint64_t *state)
{
	uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);

	bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
	return bits ^ (bits >> 31);
}

void random_seed(struct random *random, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed;

	state = splitmix(&state) ^ stream;
	for (int i = 0; i < 4; i++)
		random->state[i] = splitmix(&state);
}

static uint64_t rotated(uint64_t bits, int by)
{
	return bits << by | bits >> (64 - by);
}

uint64_t random_bits(struct random *random)
{
	uint64_t *s = random->state, bits = rotated(s[0] + s[3], 23) + s[0], shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotated(s[3], 45);
	return bits;
}

double random_uniform(struct random *random)
{
	return ((double)(random_bits(random) >> 12) + 0.5) * 0x1p-52;
}

double random_exponential(struct random *random)
{
	return -log(random_uniform(random));
}

double random_normal(struct random *random)
{
	return normal_quantile(random_uniform(random));
}

/* Draws a gamma number of a shape > 1/3 and scale 1 from the cube of a normal number. */
static double marsaglia_tsang(struct random *random, double shape)
{
	double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = random_normal(random), v = pow(1 + c * x, 3);

		if (v > 0 && log(random_uniform(random)) < x * x / 2 + d - d * v + d * log(v))
			return d * v;
	}
}

double random_gamma(struct random *random, double cv)
{
	double shape = 1 / (cv * cv);

	if (shape >= 1)
		return marsaglia_tsang(random, shape) / shape;
	return marsaglia_tsang(random, shape + 1) * pow(random_uniform(random), 1 / shape) / shape;
}

double random_lognormal(struct random *random, double cv)
{
	double variance = log1p(cv * cv);

	return cv > 0 ? exp(sqrt(variance) * random_normal(random) - variance / 2) : 1;
}
