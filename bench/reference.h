/* What the kernels of bench/kernels.h must have computed: the same work in double precision, for outputs that are sampled.
 *
 * Operands are random but known: element i of a seed is the same here and on the device, so nothing but the samples is
 * read back. Where sums are rounded, the absolute error that is allowed is answered as well; poison (NaN) is outside of any. Pure. */
#ifndef FLEETPLAN_BENCH_REFERENCE_H
#define FLEETPLAN_BENCH_REFERENCE_H

#include "bench/backend.h"

/* Numbers as they lie in memory. Precisions: fp32, bf16, fp16; for these the bytes of one. */
double reference_decode(const void *elements, size_t i, enum precision precision);
size_t reference_element_bytes(enum precision precision);

/* Element i that the fill kernels write: near-normal of a seed rounded to the precision; the pattern of streams. */
double reference_normal(uint64_t seed, uint64_t i, enum precision precision);
float reference_pattern(uint64_t i);
enum { REFERENCE_PATTERN_PERIOD = 1 << 20 };

/* Sum modulo 2^32 of the words of `count` elements of the pattern: what stream_read's groups add up to. */
uint32_t reference_pattern_sum(uint64_t count);

/* Element (i, j) of a product of operands that were filled with the seeds; product number `batch` of a batch of dense ones. */
struct reference_product {
	struct bench_shape shape;
	enum bench_product product;
	enum precision precision;
	uint64_t seed_a, seed_b;
	double scale;
};
double reference_gemm(const struct reference_product *product, int64_t batch, int64_t i, int64_t j, double *allowed);

/* The error allowed to a sum of `length` terms in fp32 that is then rounded to the precision. */
double reference_sum_allowed(enum precision precision, int64_t length, double expected, double magnitude);
double reference_epsilon(enum precision precision); /* the largest relative error of rounding to it, twice */

/* What an item of an issue kernel writes, by following its pairs: 8 of them, 16 where two go at a time; rounds and `a` as given. */
double reference_issue(uint64_t item, uint64_t pairs, uint32_t rounds, double a);

/* What an item of a tensor issue kernel writes; `operand` tells element i of its operands. The sums grow by the same products in each
 * round, and tensor units cut digits off at each: the error allowed grows with the rounds. */
double reference_issue_tensor(uint64_t item, uint32_t rounds, double (*operand)(void *context, size_t i), void *context, double *allowed);

/* Takes one sample into a check that began as {.verified = true}. */
void reference_compare(struct bench_check *check, double actual, double expected, double allowed);

#endif
