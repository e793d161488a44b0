/* Expected results of the kernels of bench/kernels.h: the same work in double precision, for sampled outputs.
 *
 * Operands are random but reproducible: element i of a seed is the same here and on the device, so only the samples
 * are read back. Where sums are rounded, the functions also return the allowed absolute error. Poison (NaN) is
 * outside every allowed error. Pure functions. */
#ifndef FLEETPLAN_BENCH_REFERENCE_H
#define FLEETPLAN_BENCH_REFERENCE_H

#include "bench/backend.h"

/* Reads element i as it lies in memory. Precisions: fp32, bf16, fp16. The second function returns the bytes of one
 * element. */
double reference_decode(const void *elements, size_t i, enum precision precision);
size_t reference_element_bytes(enum precision precision);

/* Element i that the fill kernels write: the near-normal numbers of a seed, rounded to the precision, and the
 * pattern of streams. */
double reference_normal(uint64_t seed, uint64_t i, enum precision precision);
float reference_pattern(uint64_t i);
enum { REFERENCE_PATTERN_PERIOD = 1 << 20 };

/* Sum modulo 2^32 of the words of `count` elements of the pattern: the total of stream_read's groups. */
uint32_t reference_pattern_sum(uint64_t count);

/* Element (i, j) of a product whose operands were filled with the seeds; `batch` is the index of the product in a
 * batch of dense ones. */
struct reference_product {
	struct bench_shape shape;
	enum bench_product product;
	enum precision precision;
	uint64_t seed_a, seed_b;
	double scale;
};
double reference_gemm(const struct reference_product *product, int64_t batch, int64_t i, int64_t j, double *allowed);

/* The allowed error of a sum of `length` terms in fp32 that is then rounded to the precision. */
double reference_sum_allowed(enum precision precision, int64_t length, double expected, double magnitude);
double reference_epsilon(enum precision precision); /* the largest relative error of rounding to it: 2^-8 for bf16 */

/* The number that an item of an issue kernel writes, computed by following its pairs: 8 pairs, or 16 if the kernel
 * processes two at a time. rounds and `a` as in the launch. */
double reference_issue(uint64_t item, uint64_t pairs, uint32_t rounds, double a);

/* The number that an item of a tensor issue kernel writes; `operand` returns element i of its operands. The sums
 * grow by the same products in each round, and tensor units cut off digits each time, so the allowed error grows
 * with the rounds. */
double reference_issue_tensor(uint64_t item, uint32_t rounds, double (*operand)(void *context, size_t i), void *context, double *allowed);

/* Adds one sample to a check that began as {.verified = true}. */
void reference_compare(struct bench_check *check, double actual, double expected, double allowed);

#endif
