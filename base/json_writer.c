#include "base/json_writer.h"

#include <math.h>

void json_writer_init(struct json_writer *writer, struct buffer *buffer)
{
	*writer = (struct json_writer){.buffer = buffer};
}

static void json_before_value(struct json_writer *writer)
{
	if (writer->comma)
		buffer_append_char(writer->buffer, ',');
	writer->comma = true;
}

static void json_open(struct json_writer *writer, char bracket)
{
	json_before_value(writer);
	buffer_append_char(writer->buffer, bracket);
	writer->comma = false;
}

static void json_close(struct json_writer *writer, char bracket)
{
	buffer_append_char(writer->buffer, bracket);
	writer->comma = true;
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
	size_t length = strlen(key);
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

void json_escape(struct buffer *buffer, const char *text, size_t length)
{
	static const char hex[] = "0123456789abcdef";
	size_t plain_from = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		char escape[6];
		size_t escape_length = 6;

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		memcpy(escape, (const char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, sizeof escape);
		buffer_append(buffer, text + plain_from, i - plain_from);
		plain_from = i + 1;
		if (c == '"' || c == '\\') {
			escape[1] = (char)c;
			escape_length = 2;
		} else if (c == '\n') {
			escape[1] = 'n';
			escape_length = 2;
		}
		buffer_append(buffer, escape, escape_length);
	}
	buffer_append(buffer, text + plain_from, length - plain_from);
}

void json_string_n(struct json_writer *writer, const char *text, size_t length)
{
	json_before_value(writer);
	buffer_append_char(writer->buffer, '"');
	json_escape(writer->buffer, text, length);
	buffer_append_char(writer->buffer, '"');
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
	char reversed[24];
	size_t n = 0;

	do {
		reversed[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	for (size_t i = 0; i < n; i++)
		out[i] = reversed[n - 1 - i];
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
	int magnitude = (int)floor(log10(value)); /* may be off by one near a power of ten: costs one digit */
	int decimals = 14 - magnitude;
	uint64_t scaled;

	if (decimals < 0)
		decimals = 0;
	scaled = (uint64_t)llroundl((long double)value * powers[decimals]);
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
	else
		sign += (size_t)snprintf(out + sign, 32, "%.15g", value);
	out[sign] = '\0';
	return sign;
}

void json_double(struct json_writer *writer, double value)
{
	char text[40];
	size_t length;

	if (!isfinite(value)) {
		writer->not_finite = true;
		writer->buffer->failed = true;
		return;
	}
	length = json_format_double(text, value);
	json_before_value(writer);
	buffer_append(writer->buffer, text, length);
}

void json_integer(struct json_writer *writer, int64_t value)
{
	char text[24];
	size_t sign = 0, length;

	if (value < 0)
		text[sign++] = '-';
	length = sign + json_format_unsigned(text + sign, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	json_before_value(writer);
	buffer_append(writer->buffer, text, length);
}

void json_bool(struct json_writer *writer, bool value)
{
	json_before_value(writer);
	buffer_append_text(writer->buffer, value ? "true" : "false");
}

void json_null(struct json_writer *writer)
{
	json_before_value(writer);
	buffer_append(writer->buffer, "null", 4);
}

void json_raw(struct json_writer *writer, const char *json, size_t length)
{
	json_before_value(writer);
	buffer_append(writer->buffer, json, length);
}
