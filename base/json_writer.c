#include "base/json_writer.h"

#include <math.h>

#include "base/json_text.h"

void json_writer_init(struct json_writer *writer, struct buffer *buffer)
{
	*writer = (struct json_writer){.buffer = buffer};
}

/* A comma where one is due, and the bytes: one look at the buffer's room for both. */
static void json_append(struct json_writer *writer, const char *bytes, size_t length)
{
	char *end = buffer_reserve(writer->buffer, length + 1);

	if (!end)
		return;
	if (writer->comma)
		*end++ = ',';
	memcpy(end, bytes, length);
	end[length] = '\0';
	writer->buffer->length = (size_t)(end + length - writer->buffer->bytes);
	writer->comma = true;
}

static void json_open(struct json_writer *writer, char bracket)
{
	json_append(writer, &bracket, 1);
	writer->comma = false;
}

static void json_close(struct json_writer *writer, char bracket)
{
	writer->comma = false;
	json_append(writer, &bracket, 1);
}

void json_begin_object(struct json_writer *writer)
{
	json_open(writer, '{');
}

void json_end_object(struct json_writer *writer)
{
	json_close(writer, '}');
}

void json_begin_array(struct json_writer *writer)
{
	json_open(writer, '[');
}

void json_end_array(struct json_writer *writer)
{
	json_close(writer, ']');
}

void json_key(struct json_writer *writer, const char *key)
{
	json_key_n(writer, key, strlen(key));
}

void json_key_n(struct json_writer *writer, const char *key, size_t length)
{
	char *end = buffer_reserve(writer->buffer, length + 4);

	if (!end)
		return;
	if (writer->comma)
		*end++ = ',';
	*end++ = '"';
	memcpy(end, key, length);
	end += length;
	*end++ = '"';
	*end++ = ':';
	*end = '\0';
	writer->buffer->length = (size_t)(end - writer->buffer->bytes);
	writer->comma = false;
}

void json_key_escaped(struct json_writer *writer, const char *key)
{
	json_string(writer, key);
	buffer_append_char(writer->buffer, ':');
	writer->comma = false;
}

static void json_escape_char(struct buffer *buffer, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	if (c == '"' || c == '\\')
		buffer_append(buffer, (const char[]){'\\', (char)c}, 2);
	else if (c == '\n')
		buffer_append(buffer, "\\n", 2);
	else
		buffer_append(buffer, (const char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
}

void json_escape(struct buffer *buffer, const char *text, size_t length)
{
	for (;;) {
		size_t plain = json_plain_length(text, length, false);

		buffer_append(buffer, text, plain);
		if (plain == length)
			return;
		json_escape_char(buffer, (unsigned char)text[plain]);
		text += plain + 1;
		length -= plain + 1;
	}
}

void json_string_n(struct json_writer *writer, const char *text, size_t length)
{
	char *end = json_plain_length(text, length, false) == length ? buffer_reserve(writer->buffer, length + 3) : NULL;

	if (!end) { /* with escapes; or no room, which the buffer knows */
		json_append(writer, "\"", 1);
		json_escape(writer->buffer, text, length);
		buffer_append_char(writer->buffer, '"');
		return;
	}
	if (writer->comma)
		*end++ = ',';
	*end++ = '"';
	memcpy(end, text, length);
	end += length;
	*end++ = '"';
	*end = '\0';
	writer->buffer->length = (size_t)(end - writer->buffer->bytes);
	writer->comma = true;
}

void json_string(struct json_writer *writer, const char *text)
{
	if (text)
		json_string_n(writer, text, strlen(text));
	else
		json_null(writer);
}

/* Digits of an integer, most significant first; returns how many. */
static size_t json_format_unsigned(char *out, uint64_t value)
{
	static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
		"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
	char digits[24], *first = digits + sizeof digits;
	size_t n;

	for (; value >= 100; value /= 100) {
		*--first = pairs[2 * (value % 100) + 1];
		*--first = pairs[2 * (value % 100)];
	}
	*--first = pairs[2 * value + 1];
	if (value >= 10)
		*--first = pairs[2 * value];
	n = (size_t)(digits + sizeof digits - first);
	memcpy(out, first, n);
	return n;
}

/* Fixed notation of 1e-6 <= value < 1e15 with 15 significant digits, trailing zeros dropped. Scaling in long
 * double (64-bit mantissa) keeps all 15 digits right. */
static size_t json_format_fraction(char *out, double value)
{
	static const long double powers[] = {1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L,
		1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L};
	char digits[24];
	size_t n, length = 0;
	int decimals, exponent;
	uint64_t scaled;

	(void)frexp(value, &exponent);
	decimals = 14 - (int)floor((exponent - 1) * 0.30103); /* of the power of two below: right, or one more than right */
	if (decimals < 0)
		decimals = 0;
	scaled = (uint64_t)llroundl((long double)value * powers[decimals]);
	if (scaled >= 1000000000000000 && decimals > 0)
		scaled = (uint64_t)llroundl((long double)value * powers[--decimals]);
	while (decimals > 0 && scaled % 10 == 0) {
		scaled /= 10;
		decimals--;
	}
	n = json_format_unsigned(digits, scaled);
	if ((int)n <= decimals) {
		out[length++] = '0';
		out[length++] = '.';
		for (int zeros = decimals - (int)n; zeros > 0; zeros--)
			out[length++] = '0';
		memcpy(out + length, digits, n);
		return length + n;
	}
	memcpy(out, digits, n - (size_t)decimals);
	length = n - (size_t)decimals;
	if (decimals == 0)
		return length;
	out[length++] = '.';
	memcpy(out + length, digits + n - (size_t)decimals, (size_t)decimals);
	return length + (size_t)decimals;
}

/* 1e21 <= value < 1e27, where operations and FLOPs of whole trainings are: snprintf takes twenty times as long. */
static size_t json_format_exponent(char *out, double value)
{
	static const long double powers[] = {1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
	double mantissa;
	size_t power = 0, length;

	while ((long double)value >= powers[power + 1])
		power++;
	mantissa = (double)((long double)value / powers[power]);
	length = json_format_fraction(out, mantissa);
	memcpy(out + length, (const char[]){'e', '+', '2', (char)('1' + power)}, 4);
	return length + 4;
}

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
		sign += json_format_fraction(out + sign, value);
	else if (value >= 1e15 && value < 1e21)
		sign += (size_t)snprintf(out + sign, 32, "%.0f", value);
	else if (value >= 1e21 && value < 1e27)
		sign += json_format_exponent(out + sign, value);
	else
		sign += (size_t)snprintf(out + sign, 32, "%.15g", value);
	out[sign] = '\0';
	return sign;
}

void json_double(struct json_writer *writer, double value)
{
	char text[40];

	if (!isfinite(value)) {
		writer->not_finite = true;
		writer->buffer->failed = true;
		return;
	}
	json_append(writer, text, json_format_double(text, value));
}

void json_integer(struct json_writer *writer, int64_t value)
{
	char text[24];
	size_t sign = 0, length;

	if (value < 0)
		text[sign++] = '-';
	length = sign + json_format_unsigned(text + sign, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	json_append(writer, text, length);
}

void json_bool(struct json_writer *writer, bool value)
{
	json_append(writer, value ? "true" : "false", value ? 4 : 5);
}

void json_null(struct json_writer *writer)
{
	json_append(writer, "null", 4);
}

void json_raw(struct json_writer *writer, const char *json, size_t length)
{
	json_append(writer, json, length);
}
