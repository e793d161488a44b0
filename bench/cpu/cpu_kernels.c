#include "bench/cpu/cpu_kernels.h"

#include <string.h>

#include "base/status.h"
#include "bench/cpu/cpu_rows.h"

/* The accumulators of a tile are named variables, defined row by row by ROW_*, so that they are registers at every
 * optimisation level; at -O2 an array of vectors stays in memory. Each instruction set has as many rows as fit in
 * its registers: two vectors per row, besides the two of b and the one of a. */
#define ROW_ZERO(V, i) V c##i##_0 = {0}, c##i##_1 = {0};
#define ROW_STEP(V, i) \
	c##i##_0 = MULTIPLY_ADD(V, a[i], b_0, c##i##_0); \
	c##i##_1 = MULTIPLY_ADD(V, a[i], b_1, c##i##_1);
#define ROW_ADD(V, i) \
	memcpy(&b_0, c + (i)*stride, sizeof(V)); \
	memcpy(&b_1, c + (i)*stride + sizeof(V) / sizeof(float), sizeof(V)); \
	b_0 += c##i##_0; \
	b_1 += c##i##_1; \
	memcpy(c + (i)*stride, &b_0, sizeof(V)); \
	memcpy(c + (i)*stride + sizeof(V) / sizeof(float), &b_1, sizeof(V));
#define ROWS_4(V, X)  X(V, 0) X(V, 1) X(V, 2) X(V, 3)
#define ROWS_6(V, X)  ROWS_4(V, X) X(V, 4) X(V, 5)
#define ROWS_12(V, X) ROWS_6(V, X) X(V, 6) X(V, 7) X(V, 8) X(V, 9) X(V, 10) X(V, 11)

#define DEFINE_TILE(name, target, V, ROWS, rows) \
	target static void name(size_t depth, const float *a, const float *b, float *c, size_t stride) \
	{ \
		V b_0, b_1; \
		ROWS(V, ROW_ZERO) \
		for (size_t p = 0; p < depth; p++, a += (rows), b += 2 * sizeof(V) / sizeof(float)) { \
			memcpy(&b_0, b, sizeof(V)); \
			memcpy(&b_1, b + sizeof(V) / sizeof(float), sizeof(V)); \
			ROWS(V, ROW_STEP) \
		} \
		ROWS(V, ROW_ADD) \
	}

/* x = x * one + zero leaves every accumulator unchanged for any number of rounds; the compiler does not know that
 * one is 1 and zero is 0. The accumulators have different start values, otherwise the compiler would compute only
 * one. Each is a separate chain, and there are more chains than a multiply-add has cycles of latency. */
#define ROW_BEGIN(V, i) V c##i##_0 = one + (float)(2 * (i)), c##i##_1 = one + (float)(2 * (i) + 1);
#define ROW_ISSUE(V, i) \
	c##i##_0 = MULTIPLY_ADD_VECTOR(V, c##i##_0, one, zero); \
	c##i##_1 = MULTIPLY_ADD_VECTOR(V, c##i##_1, one, zero);
#define ROW_SUM(V, i) zero += c##i##_0 + c##i##_1;

#define DEFINE_ISSUE(name, target, V, ROWS) \
	target static float name(size_t rounds) \
	{ \
		V one = (V){0} + 1.0f, zero = {0}; \
		__asm__ volatile("" : "+m"(one), "+m"(zero)); \
		ROWS(V, ROW_BEGIN) \
		for (size_t i = 0; i < rounds; i++) { \
			ROWS(V, ROW_ISSUE) \
		} \
		ROWS(V, ROW_SUM) \
		return zero[0]; \
	}

/* Four vectors per step keep enough loads in flight. Stores use the cache, as a normal program's do. V is a type,
 * which cannot be in parentheses before a star. NOLINTBEGIN(bugprone-macro-parentheses) */
#define DEFINE_STREAMS(suffix, target, V) \
	target static double read_##suffix(const double *a, size_t count) \
	{ \
		const V *x = __builtin_assume_aligned(a, CPU_KERNEL_ALIGNMENT); \
		V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}; \
		double sum = 0; \
		for (size_t i = 0; i < count / (sizeof(V) / sizeof(double)); i += 4) { \
			s0 += x[i]; \
			s1 += x[i + 1]; \
			s2 += x[i + 2]; \
			s3 += x[i + 3]; \
		} \
		s0 += s1 + s2 + s3; \
		for (size_t i = 0; i < sizeof(V) / sizeof(double); i++) \
			sum += s0[i]; \
		return sum; \
	} \
	target static void copy_##suffix(double *restrict b, const double *restrict a, size_t count) \
	{ \
		const V *x = __builtin_assume_aligned(a, CPU_KERNEL_ALIGNMENT); \
		V *y = __builtin_assume_aligned(b, CPU_KERNEL_ALIGNMENT); \
		for (size_t i = 0; i < count / (sizeof(V) / sizeof(double)); i++) \
			y[i] = x[i]; \
	} \
	target static void triad_##suffix(double *restrict a, const double *restrict b, const double *restrict c, double s, size_t count) \
	{ \
		const V *y = __builtin_assume_aligned(b, CPU_KERNEL_ALIGNMENT); \
		const V *z = __builtin_assume_aligned(c, CPU_KERNEL_ALIGNMENT); \
		V *x = __builtin_assume_aligned(a, CPU_KERNEL_ALIGNMENT); \
		for (size_t i = 0; i < count / (sizeof(V) / sizeof(double)); i++) \
			x[i] = y[i] + z[i] * s; \
	} \
	target static void scale_##suffix(double *restrict b, const double *restrict a, double s, size_t count) \
	{ \
		const V *x = __builtin_assume_aligned(a, CPU_KERNEL_ALIGNMENT); \
		V *y = __builtin_assume_aligned(b, CPU_KERNEL_ALIGNMENT); \
		for (size_t i = 0; i < count / (sizeof(V) / sizeof(double)); i++) \
			y[i] = x[i] * s; \
	}

/* NOLINTEND(bugprone-macro-parentheses) */

/* may_alias: the streams are allocated as doubles. */
#define VECTOR_TYPES(bytes) \
	typedef float floats_##bytes __attribute__((vector_size(bytes))); \
	typedef int ints_##bytes __attribute__((vector_size(bytes))); \
	typedef double doubles_##bytes __attribute__((vector_size(bytes), may_alias));

/* For every CPU of the architecture: the compiler's vectors, with separate multiply and add. */
VECTOR_TYPES(16)
#define BASELINE_TARGET
#define MULTIPLY_ADD(V, scalar, vector, sum) ((scalar) * (vector) + (sum))
#define MULTIPLY_ADD_VECTOR(V, x, y, sum)    ((x) * (y) + (sum))
DEFINE_TILE(tile_baseline, BASELINE_TARGET, floats_16, ROWS_4, 4)
DEFINE_ISSUE(issue_baseline, BASELINE_TARGET, floats_16, ROWS_6)
DEFINE_STREAMS(baseline, BASELINE_TARGET, doubles_16)
DEFINE_ROWS(baseline, BASELINE_TARGET, floats_16, ints_16)
#undef MULTIPLY_ADD
#undef MULTIPLY_ADD_VECTOR

static bool supported_always(void)
{
	return true;
}

#ifdef __x86_64__
#include <immintrin.h>

VECTOR_TYPES(32)
#define AVX2_TARGET                          __attribute__((target("avx2,fma")))
#define MULTIPLY_ADD(V, scalar, vector, sum) (V) _mm256_fmadd_ps(_mm256_set1_ps(scalar), vector, sum)
#define MULTIPLY_ADD_VECTOR(V, x, y, sum)    (V) _mm256_fmadd_ps(x, y, sum)
DEFINE_TILE(tile_avx2, AVX2_TARGET, floats_32, ROWS_6, 6)
DEFINE_ISSUE(issue_avx2, AVX2_TARGET, floats_32, ROWS_6)
DEFINE_STREAMS(avx2, AVX2_TARGET, doubles_32)
DEFINE_ROWS(avx2, AVX2_TARGET, floats_32, ints_32)
#undef MULTIPLY_ADD
#undef MULTIPLY_ADD_VECTOR

VECTOR_TYPES(64)
#define AVX512_TARGET                        __attribute__((target("avx512f")))
#define MULTIPLY_ADD(V, scalar, vector, sum) (V) _mm512_fmadd_ps(_mm512_set1_ps(scalar), vector, sum)
#define MULTIPLY_ADD_VECTOR(V, x, y, sum)    (V) _mm512_fmadd_ps(x, y, sum)
DEFINE_TILE(tile_avx512f, AVX512_TARGET, floats_64, ROWS_12, 12)
DEFINE_ISSUE(issue_avx512f, AVX512_TARGET, floats_64, ROWS_12)
DEFINE_STREAMS(avx512f, AVX512_TARGET, doubles_64)
DEFINE_ROWS(avx512f, AVX512_TARGET, floats_64, ints_64)
#undef MULTIPLY_ADD
#undef MULTIPLY_ADD_VECTOR

static bool supported_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool supported_avx512f(void)
{
	return __builtin_cpu_supports("avx512f") != 0;
}
#endif

/* Operations of one round: two vectors per row, one multiply and one add per element. */
#define ISSUE_FLOPS(rows, bytes) (4.0 * (rows) * (double)(bytes) / (double)sizeof(float))
#define KERNELS(set, suffix, rows, issue_rows, bytes, supports) \
	{ \
		.instruction_set = (set), .supported = (supports), .tile_rows = (rows), .tile_columns = 2 * (bytes) / sizeof(float), \
		.tile = tile_##suffix, .issue = issue_##suffix, .issue_flops = ISSUE_FLOPS(issue_rows, bytes), \
		.issue_sum = (issue_rows) * (2 * (issue_rows) + 1), .read = read_##suffix, .copy = copy_##suffix, .triad = triad_##suffix, \
		.scale = scale_##suffix, .dots = dots_##suffix, .weigh = weigh_##suffix, .softmax = softmax_##suffix, \
		.softmax_gradient = softmax_gradient_##suffix \
	}

const struct cpu_kernels cpu_kernels_table[] = {
#ifdef __x86_64__
	KERNELS("avx512f", avx512f, 12, 12, 64, supported_avx512f),
	KERNELS("avx2+fma", avx2, 6, 6, 32, supported_avx2),
	KERNELS("sse2", baseline, 4, 6, 16, supported_always),
#else
	KERNELS("baseline", baseline, 4, 6, 16, supported_always),
#endif
};
const size_t cpu_kernels_count = COUNT_OF(cpu_kernels_table);

const struct cpu_kernels *cpu_kernels_best(void)
{
	const struct cpu_kernels *kernels = cpu_kernels_table;

	while (!kernels->supported())
		kernels++;
	return kernels;
}
