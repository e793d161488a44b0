/* Internal to bench/cpu/cpu_kernels.c: the rows of attention for one instruction set, in the compiler's vector types.
 *
 * If the row is not a multiple of the vector, the rest of its last vector is filled: with zeros, or before an
 * exponential with -infinity. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_ROWS_H
#define FLEETPLAN_BENCH_CPU_CPU_ROWS_H

#include <math.h>
#include <string.h>

/* e^x for x <= 0, to the precision of fp32: 2^n times the Taylor polynomial of the rest f, |f| <= ln 2 / 2; the
 * first omitted term is below 6e-9 (the split of ln 2: Cody and Waite 1980). Below -87 the result is 0. Adding
 * 12582912 = 1.5 x 2^23 rounds to an integer. */
#define ROW_EXP(V, I, x) \
	__extension__({ \
		V at_ = (x), n_ = at_ * 1.44269504f + 12582912.0f, f_, poly_; \
		I exponent_, small_ = (I)(at_ < -87.0f); \
		n_ -= 12582912.0f; \
		f_ = at_ - n_ * 0.693359375f + n_ * 2.12194440e-4f; \
		poly_ = f_ * (1.0f / 5040) + (1.0f / 720); \
		poly_ = poly_ * f_ + (1.0f / 120); \
		poly_ = poly_ * f_ + (1.0f / 24); \
		poly_ = poly_ * f_ + (1.0f / 6); \
		poly_ = poly_ * f_ + 0.5f; \
		poly_ = (poly_ * f_ + 1.0f) * f_ + 1.0f; \
		exponent_ = (__builtin_convertvector(n_, I) + 127) << 23; \
		(V)((I)(poly_ * (V)exponent_) & ~small_); \
	})

#define ROW_LANES(V) (sizeof(V) / sizeof(float))

/* NOLINTBEGIN(bugprone-macro-parentheses): V and I are types */
#define DEFINE_ROWS(suffix, target, V, I) \
	target static V load_##suffix(const float *from, size_t left, float filling) \
	{ \
		V x = (V){0} + filling; \
		if (left >= ROW_LANES(V)) \
			memcpy(&x, from, sizeof(V)); \
		else \
			memcpy(&x, from, left * sizeof(float)); \
		return x; \
	} \
	target static void store_##suffix(float *to, size_t left, V x) \
	{ \
		if (left >= ROW_LANES(V)) \
			memcpy(to, &x, sizeof(V)); \
		else \
			memcpy(to, &x, left * sizeof(float)); \
	} \
	target static float sum_##suffix(V x) \
	{ \
		float sum = 0; \
		for (size_t i = 0; i < ROW_LANES(V); i++) \
			sum += x[i]; \
		return sum; \
	} \
	target static float dot_##suffix(const float *a, const float *b, size_t count) \
	{ \
		V sum = {0}; \
		for (size_t i = 0; i < count; i += ROW_LANES(V)) \
			sum += load_##suffix(a + i, count - i, 0) * load_##suffix(b + i, count - i, 0); \
		return sum_##suffix(sum); \
	} \
	target static void dots_##suffix(const float *a, const float *rows, size_t row_count, size_t count, float *out) \
	{ \
		for (size_t r = 0; r < row_count; r++, rows += count) { \
			V even = {0}, odd = {0}; \
			size_t i = 0; \
			for (; i + 2 * ROW_LANES(V) <= count; i += 2 * ROW_LANES(V)) { \
				V a_0, a_1, r_0, r_1; \
				memcpy(&a_0, a + i, sizeof(V)); \
				memcpy(&a_1, a + i + ROW_LANES(V), sizeof(V)); \
				memcpy(&r_0, rows + i, sizeof(V)); \
				memcpy(&r_1, rows + i + ROW_LANES(V), sizeof(V)); \
				even += a_0 * r_0; \
				odd += a_1 * r_1; \
			} \
			out[r] = sum_##suffix(even + odd) + (i < count ? dot_##suffix(a + i, rows + i, count - i) : 0); \
		} \
	} \
	target static void weigh_##suffix(float *restrict y, const float *restrict rows, const float *weights, size_t row_count, size_t count) \
	{ \
		for (size_t i = 0; i < count; i += ROW_LANES(V)) { \
			V sum = load_##suffix(y + i, count - i, 0); \
			for (size_t r = 0; r < row_count; r++) \
				sum += load_##suffix(rows + r * count + i, count - i, 0) * weights[r]; \
			store_##suffix(y + i, count - i, sum); \
		} \
	} \
	target static void softmax_##suffix(float *row, size_t count, float scale) \
	{ \
		V largest = (V){0} - INFINITY, sum = {0}; \
		float top; \
		for (size_t i = 0; i < count; i += ROW_LANES(V)) { \
			V x = load_##suffix(row + i, count - i, -INFINITY); \
			I more = (I)(x > largest); \
			largest = (V)(((I)x & more) | ((I)largest & ~more)); \
		} \
		top = largest[0]; \
		for (size_t i = 1; i < ROW_LANES(V); i++) \
			top = largest[i] > top ? largest[i] : top; \
		for (size_t i = 0; i < count; i += ROW_LANES(V)) { \
			V x = ROW_EXP(V, I, (load_##suffix(row + i, count - i, -1e30f) - top) * scale); \
			store_##suffix(row + i, count - i, x); \
			sum += x; \
		} \
		top = 1 / sum_##suffix(sum); \
		for (size_t i = 0; i < count; i += ROW_LANES(V)) \
			store_##suffix(row + i, count - i, load_##suffix(row + i, count - i, 0) * top); \
	} \
	target static void softmax_gradient_##suffix(const float *restrict p, float *restrict dp, size_t count, float scale) \
	{ \
		float mean = dot_##suffix(p, dp, count); \
		for (size_t i = 0; i < count; i += ROW_LANES(V)) \
			store_##suffix(dp + i, count - i, load_##suffix(p + i, count - i, 0) * (load_##suffix(dp + i, count - i, 0) - mean) * scale); \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
