#include "base/json_number.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

/* --- digits ---------------------------------------------------------------------------------------------------- */

enum { EIGHT_DIGITS = 100000000 };
static const uint64_t sixteen_digits = (uint64_t)EIGHT_DIGITS * EIGHT_DIGITS, ascii_zeros = 0x3030303030303030;

/* Returns the eight digits of a number below 1e8 as bytes 0 to 9, the first digit in the lowest byte. Splits the
 * number into two halves, four quarters and eight digits; each step handles all parts at once. 10486 / 2^20 and
 * 103 / 2^10 are 1/100 and 1/10 rounded up: the divisions are exact for numbers of this size. */
static uint64_t digits_of(uint64_t value)
{
	uint64_t fours = value / 10000 | (value % 10000) << 32;
	uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;
	uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
	uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;

	return tens | (twos - 10 * tens) << 8;
}

static void digits_put(char *out, uint64_t digits)
{
	digits = htole64(digits | ascii_zeros);
	memcpy(out, &digits, sizeof digits);
}

/* Writes a number below 1e8 without leading zeros and returns its length. Always writes eight bytes. */
static size_t digits_put_first(char *out, uint64_t value)
{
	uint64_t digits = digits_of(value);
	int zeros = value ? __builtin_ctzll(digits) / 8 : 7;

	digits = htole64((digits | ascii_zeros) >> 8 * zeros);
	memcpy(out, &digits, sizeof digits);
	return (size_t)(8 - zeros);
}

size_t json_format_unsigned(char *out, uint64_t value)
{
	size_t length;

	if (value < EIGHT_DIGITS)
		return digits_put_first(out, value);
	if (value < sixteen_digits) {
		length = digits_put_first(out, value / EIGHT_DIGITS);
		digits_put(out + length, digits_of(value % EIGHT_DIGITS));
		return length + 8;
	}
	length = digits_put_first(out, value / sixteen_digits);
	digits_put(out + length, digits_of(value / EIGHT_DIGITS % EIGHT_DIGITS));
	digits_put(out + length + 8, digits_of(value % EIGHT_DIGITS));
	return length + 16;
}

/* --- doubles --------------------------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide; /* 128 bits: standard C has no such type */

enum { DIGITS = 15, FRACTION_BITS = 52, EXPONENT_BIAS = 1023 };
static const uint64_t implied_bit = (uint64_t)1 << FRACTION_BITS;

/* Decimals of 1e-6 <= value < 1e15 when written with 15 digits. The result is right, or one too large. */
static int decimals_of(int exponent)
{
	/* 78913 / 2^18 is log10(2). Adding 7 keeps the dividend positive, down to 2^-20. */
	return DIGITS - 1 + 7 - (exponent * 78913 + (7 << 18)) / (1 << 18);
}

/* value x 10^decimals, rounded once: 53 bits of a double times 5^21 (49 bits) fit in 128 bits. */
static uint64_t scaled_by(uint64_t mantissa, int exponent, int decimals)
{
	static const uint64_t fives[] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
		6103515625, 30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125};
	int shift = FRACTION_BITS - exponent - decimals; /* at least 3, as the value is below 1e15 */

	return (uint64_t)((((wide)mantissa * fives[decimals] >> (shift - 1)) + 1) >> 1);
}

/* Writes sixteen digits with a decimal point and returns the length. The last `decimals` digits follow the point;
 * with more than 16 decimals, zeros precede them. `last_zeros` trailing zeros are dropped. */
static size_t place_point(char *out, const char *digits, size_t decimals, size_t last_zeros)
{
	size_t whole = decimals < 16 ? 16 - decimals : 0, first = 0, end = 16 - last_zeros, length = 0;

	while (first < whole && digits[first] == '0')
		first++;
	if (first == whole)
		out[length++] = '0';
	memcpy(out + length, digits + first, whole - first);
	length += whole - first;
	if (end <= whole)
		return length;
	out[length++] = '.';
	for (; decimals > 16; decimals--)
		out[length++] = '0';
	memcpy(out + length, digits + whole, end - whole);
	return length + end - whole;
}

/* Writes 1e-6 <= value < 1e15 in fixed notation with 15 significant digits, without trailing zeros. */
static size_t format_fraction(char *out, double value)
{
	char text[16];
	uint64_t bits, mantissa, scaled, first, last;
	int exponent, decimals;

	memcpy(&bits, &value, sizeof bits);
	exponent = (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS;
	mantissa = (bits & (implied_bit - 1)) | implied_bit;
	decimals = decimals_of(exponent);
	scaled = scaled_by(mantissa, exponent, decimals);
	if (scaled >= 1000000000000000 && decimals > 0)
		scaled = scaled_by(mantissa, exponent, --decimals);
	first = digits_of(scaled / EIGHT_DIGITS);
	last = digits_of(scaled % EIGHT_DIGITS);
	digits_put(text, first);
	digits_put(text + 8, last);
	return place_point(out, text, (size_t)decimals, (size_t)(last ? __builtin_clzll(last) : 64 + __builtin_clzll(first)) / 8);
}

/* Writes 1e18 <= value < 1e27, the range of FLOPs of trainings. snprintf takes twenty times as long. */
static size_t format_exponent(char *out, double value)
{
	static const long double powers[] = {1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
	double mantissa;
	size_t power = 0, length;

	while ((long double)value >= powers[power + 1])
		power++;
	mantissa = (double)((long double)value / powers[power]);
	length = format_fraction(out, mantissa);
	power += 18;
	memcpy(out + length, (const char[]){'e', '+', (char)('0' + power / 10), (char)('0' + power % 10)}, 4);
	return length + 4;
}

/* From here on 15 digits can round up beyond the largest double. */
static const double largest_of_15_digits = 1.79769313486231e308;

size_t json_format_double(char *out, double value)
{
	size_t sign = 0;

	CHECK(isfinite(value));
	if (value < 0) {
		out[sign++] = '-';
		value = -value;
	}
	if (value < 1e18 && value == (double)(uint64_t)value)
		sign += json_format_unsigned(out + sign, (uint64_t)value);
	else if (value >= 1e-6 && value < 1e15)
		sign += format_fraction(out + sign, value);
	else if (value >= 1e15 && value < 1e18)
		sign += (size_t)snprintf(out + sign, JSON_NUMBER_SIZE - 1, "%.0f", value);
	else if (value >= 1e18 && value < 1e27)
		sign += format_exponent(out + sign, value);
	else
		sign += (size_t)snprintf(out + sign, JSON_NUMBER_SIZE - 1, value < largest_of_15_digits ? "%.15g" : "%.17g", value);
	out[sign] = '\0';
	return sign;
}

size_t json_format_exact(char *out, double value)
{
	size_t length = json_format_double(out, value);

	if (fabs(strtod(out, NULL) - value) > 0)
		length = (size_t)snprintf(out, JSON_NUMBER_SIZE, "%.17g", value);
	return length;
}
