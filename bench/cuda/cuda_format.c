#include "bench/cuda/cuda_format.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

size_t cuda_format_bytes(enum cuda_format format)
{
	static const size_t bytes[FORMAT_COUNT] = {
		[FORMAT_FP32] = 4, [FORMAT_FP16] = 2, [FORMAT_BF16] = 2, [FORMAT_FP8] = 1, [FORMAT_INT8] = 1, [FORMAT_INT32] = 4};

	return bytes[format];
}

/* Packs sign, exponent and mantissa of a small float with these numbers of bits. Keeps denormals. Above `largest`
 * the result is `above`. */
static unsigned small_float_encode(double value, int exponent_bits, int mantissa_bits, double largest, unsigned above)
{
	int bias = (1 << (exponent_bits - 1)) - 1, exponent;
	unsigned sign = signbit(value) ? 1u << (exponent_bits + mantissa_bits) : 0;
	double magnitude = fabs(value), step, steps;

	if (isnan(value))
		return (1u << (exponent_bits + mantissa_bits)) - 1;
	if (magnitude > 0)
		(void)frexp(magnitude, &exponent);
	else
		exponent = 1 - bias;
	exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1; /* denormals share the exponent of the smallest normal number */
	step = ldexp(1, exponent - mantissa_bits);
	steps = nearbyint(magnitude / step);
	if (steps * step > largest)
		return sign | above;
	if (steps < (double)(1u << mantissa_bits))
		return sign | (unsigned)steps;
	if (steps >= (double)(2u << mantissa_bits)) { /* rounded up to the next power of two */
		steps /= 2;
		exponent++;
	}
	return sign | (unsigned)(exponent + bias) << mantissa_bits | ((unsigned)steps - (1u << mantissa_bits));
}

static double small_float_decode(unsigned bits, int exponent_bits, int mantissa_bits)
{
	int bias = (1 << (exponent_bits - 1)) - 1;
	int exponent = (int)(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
	unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
	double magnitude = exponent ? ldexp((double)(mantissa | 1u << mantissa_bits), exponent - bias - mantissa_bits)
								: ldexp((double)mantissa, 1 - bias - mantissa_bits);

	return bits >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}

static uint16_t half_encode(double value)
{
	return (uint16_t)small_float_encode(value, 5, 10, 65504, 0x7c00);
}

static double half_decode(uint16_t bits)
{
	if ((bits & 0x7c00) == 0x7c00)
		return bits & 0x3ff ? (double)NAN : bits & 0x8000 ? -HUGE_VAL : HUGE_VAL;
	return small_float_decode(bits, 5, 10);
}

static uint16_t bfloat_encode(double value)
{
	float narrow = (float)value;
	uint32_t bits;

	memcpy(&bits, &narrow, sizeof(bits));
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double bfloat_decode(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, sizeof(value));
	return (double)value;
}

void cuda_format_encode(enum cuda_format format, double value, unsigned char *bytes)
{
	float narrow = (float)value;
	uint16_t bits;
	int32_t whole;

	switch (format) {
	case FORMAT_FP32:
		memcpy(bytes, &narrow, sizeof(narrow));
		break;
	case FORMAT_FP16:
	case FORMAT_BF16:
		bits = format == FORMAT_FP16 ? half_encode(value) : bfloat_encode(value);
		memcpy(bytes, &bits, sizeof(bits));
		break;
	case FORMAT_FP8:
		bytes[0] = (unsigned char)small_float_encode(value, 4, 3, 448, 0x7e);
		break;
	case FORMAT_INT8:
		bytes[0] = (unsigned char)(int8_t)fmax(-127, fmin(127, nearbyint(value * 32)));
		break;
	case FORMAT_INT32:
		whole = (int32_t)value;
		memcpy(bytes, &whole, sizeof(whole));
		break;
	case FORMAT_COUNT:
		break;
	}
}

double cuda_format_decode(enum cuda_format format, const unsigned char *bytes)
{
	uint16_t bits;
	int32_t whole;
	float narrow;

	switch (format) {
	case FORMAT_FP32:
		memcpy(&narrow, bytes, sizeof(narrow));
		return (double)narrow;
	case FORMAT_FP16:
	case FORMAT_BF16:
		memcpy(&bits, bytes, sizeof(bits));
		return format == FORMAT_FP16 ? half_decode(bits) : bfloat_decode(bits);
	case FORMAT_FP8:
		return (bytes[0] & 0x7f) == 0x7f ? (double)NAN : small_float_decode(bytes[0], 4, 3);
	case FORMAT_INT8:
		return (double)(int8_t)bytes[0];
	case FORMAT_INT32:
		memcpy(&whole, bytes, sizeof(whole));
		return (double)whole;
	case FORMAT_COUNT:
		break;
	}
	return (double)NAN;
}

enum cuda_format cuda_format_of_input(enum precision precision)
{
	switch (precision) {
	case PRECISION_FP32:
	case PRECISION_TF32:
		return FORMAT_FP32;
	case PRECISION_FP16:
		return FORMAT_FP16;
	case PRECISION_BF16:
		return FORMAT_BF16;
	case PRECISION_FP8:
		return FORMAT_FP8;
	case PRECISION_INT8:
		return FORMAT_INT8;
	case PRECISION_UNSET:
	case PRECISION_MXFP8:
	case PRECISION_NVFP4:
	case PRECISION_MXFP4:
	case PRECISION_INT4:
	case PRECISION_COUNT:
		break;
	}
	return FORMAT_COUNT;
}

enum cuda_format cuda_format_of_output(enum precision precision)
{
	enum cuda_format input = cuda_format_of_input(precision);

	return input == FORMAT_FP8 ? FORMAT_BF16 : input == FORMAT_INT8 ? FORMAT_INT32 : input;
}

double cuda_format_epsilon(enum precision precision, enum cuda_format format)
{
	static const double epsilon[FORMAT_COUNT] = {
		[FORMAT_FP32] = 0x1p-24, [FORMAT_FP16] = 0x1p-11, [FORMAT_BF16] = 0x1p-8, [FORMAT_FP8] = 0x1p-4, [FORMAT_INT8] = 0, [FORMAT_INT32] = 0};

	return precision == PRECISION_TF32 ? 0x1p-11 : epsilon[format];
}
