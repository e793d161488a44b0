#include "bench/reference.h"

#include <math.h>

#include "bench/kernels.h"
#include "bench/random.h"

static float float_of_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint32_t bits_of_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double half_decode(uint16_t bits)
{
	int exponent = bits >> 10 & 31, mantissa = bits & 1023;
	double magnitude = exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
		: exponent                    ? ldexp(1024 + mantissa, exponent - 25)
									  : ldexp(mantissa, -24);

	return bits >> 15 ? -magnitude : magnitude;
}

size_t reference_element_bytes(enum precision precision)
{
	return precision == PRECISION_FP32 ? 4 : 2;
}

double reference_decode(const void *elements, size_t i, enum precision precision)
{
	uint16_t narrow;
	float wide;

	if (precision == PRECISION_FP32) {
		memcpy(&wide, (const char *)elements + 4 * i, sizeof(wide));
		return (double)wide;
	}
	memcpy(&narrow, (const char *)elements + 2 * i, sizeof(narrow));
	return precision == PRECISION_BF16 ? (double)float_of_bits((uint32_t)narrow << 16) : half_decode(narrow);
}

/* Rounds to nearest, ties to even, at `digits` digits of mantissa including the hidden one. `smallest` is the
 * exponent of the lowest digit of subnormal numbers. */
static double round_to(double value, int digits, int smallest)
{
	int exponent;
	double step;

	(void)frexp(value, &exponent);
	step = ldexp(1, exponent - digits > smallest ? exponent - digits : smallest);
	return nearbyint(value / step) * step;
}

double reference_normal(uint64_t seed, uint64_t i, enum precision precision)
{
	uint64_t state = seed + i * 0x9e3779b97f4a7c15u; /* the state of random_next() after i draws */
	float value;

	random_fill_normal(&value, 1, state);
	return precision == PRECISION_BF16 ? round_to((double)value, 8, -133)
		: precision == PRECISION_FP16  ? round_to((double)value, 11, -24)
									   : (double)value;
}

float reference_pattern(uint64_t i)
{
	uint64_t state = i % REFERENCE_PATTERN_PERIOD * 0x9e3779b97f4a7c15u;

	return float_of_bits(0x3f800000u | (uint32_t)(random_next(&state) >> 44) << 3);
}

static uint32_t pattern_part_sum(uint64_t count)
{
	uint32_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += bits_of_float(reference_pattern(i));
	return sum;
}

uint32_t reference_pattern_sum(uint64_t count)
{
	uint64_t periods = count / REFERENCE_PATTERN_PERIOD;
	uint32_t whole = periods ? pattern_part_sum(REFERENCE_PATTERN_PERIOD) : 0;

	return (uint32_t)periods * whole + pattern_part_sum(count % REFERENCE_PATTERN_PERIOD);
}

/* Rounding errors of a sum grow with the root of its length: 4 sqrt(k) 2^-24 of the terms' magnitudes. Tensor units
 * truncate digits instead of rounding, and these errors add up: k / 8 steps of 2^-24. The output is rounded once
 * more, to 8 or 11 digits. */
double reference_sum_allowed(enum precision precision, int64_t length, double expected, double magnitude)
{
	double k = (double)length, cut = precision == PRECISION_FP32 ? 0 : k / 8 * 0x1p-24;

	return (4 * sqrt(k) * 0x1p-24 + cut) * magnitude + (precision == PRECISION_FP32 ? 0 : reference_epsilon(precision) * fabs(expected));
}

double reference_epsilon(enum precision precision)
{
	return precision == PRECISION_BF16 ? 0x1p-8 : precision == PRECISION_FP16 ? 0x1p-11 : 0x1p-24;
}

double reference_gemm(const struct reference_product *product, int64_t batch, int64_t i, int64_t j, double *allowed)
{
	const struct bench_shape *s = &product->shape;
	bool a_transposed = product->product == PRODUCT_WEIGHT_GRADIENT, b_transposed = product->product == PRODUCT_INPUT_GRADIENT;
	int64_t a_first = batch * s->m * s->k, b_first = batch * s->k * s->n;
	double sum = 0, magnitude = 0;

	for (int64_t p = 0; p < s->k; p++) {
		int64_t at_a = a_first + (a_transposed ? p * s->m + i : i * s->k + p);
		int64_t at_b = b_first + (b_transposed ? j * s->k + p : p * s->n + j);
		double term = product->scale * reference_normal(product->seed_a, (uint64_t)at_a, product->precision) *
			reference_normal(product->seed_b, (uint64_t)at_b, product->precision);

		sum += term;
		magnitude += fabs(term);
	}
	*allowed = reference_sum_allowed(product->precision, s->k, sum, magnitude);
	return sum;
}

double reference_issue(uint64_t item, uint64_t pairs, uint32_t rounds, double a)
{
	enum { STEPS = 16 };
	double sum = 0;

	for (uint64_t j = 0; j < pairs; j++) {
		double x = 1, y = (double)((item + j + 1) % 64) / 64;

		for (uint64_t step = 0; step < (uint64_t)rounds * STEPS; step++) {
			x += a * y;
			y -= a * x;
		}
		sum += x + y;
	}
	return sum;
}

/* Index of element (i, p) of one set of A, or (p, i) of one set of B, in the operands: mma.m16n8k16 defines which
 * work-item of the warp has the element in which register. Each work-item has 24 words of the operands, 8 of A and
 * 16 of B; the next work-item has the next 24. */
static size_t fragment_element(uint64_t warp_first, int i, int p, int first_register, bool of_b)
{
	enum { WORDS_OF_ITEM = 24, WORDS = 2048 };
	uint64_t holder = warp_first + (uint64_t)(i % 8 * 4 + p % 8 / 2);
	uint64_t word = holder * WORDS_OF_ITEM + (uint64_t)(first_register + (of_b ? p / 8 : i / 8 + p / 8 * 2));

	return (size_t)(word % WORDS * 2) + (size_t)(p % 2);
}

double reference_issue_tensor(uint64_t item, uint32_t rounds, double (*operand)(void *context, size_t i), void *context, double *allowed)
{
	enum { SETS = 2, SUMS = 8, DEPTH = 16 };
	uint64_t lane = item % 32, warp_first = item % KERNEL_GROUP_ITEMS - lane;
	double sum = 0, magnitude = 0;

	for (int e = 0; e < SUMS * 4; e++) {
		int row = (int)lane / 4 + e % 4 / 2 * 8, column = (int)lane % 4 * 2 + e % 2;
		double element = 0;

		for (int p = 0; p < SETS * DEPTH; p++)
			element += operand(context, fragment_element(warp_first, row, p % DEPTH, p / DEPTH * 4, false)) *
				operand(context, fragment_element(warp_first, column, p % DEPTH, 8 + e / 4 * 2, true));
		sum += rounds * element;
		magnitude += rounds * fabs(element);
	}
	*allowed = (SETS * (double)rounds + 64) * 0x1p-23 * magnitude;
	return sum;
}

void reference_compare(struct bench_check *check, double actual, double expected, double allowed)
{
	double error = fabs(actual - expected) / allowed;

	check->samples++;
	if (!(error <= 1)) /* true for NaN, the poison, too */
		check->verified = false;
	if (!(error <= check->worst_error))
		check->worst_error = error;
}
