#include "base/json_writer.h"

#include <math.h>

#include "base/json_text.h"

void json_writer_init(struct json_writer *writer, struct buffer *buffer)
{
	*writer = (struct json_writer){.buffer = buffer};
}

/* Appends a comma if one is due, and the bytes. Reserves room for both at once. */
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

	if (!end) { /* the text needs escapes, or the buffer has failed */
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

/* Writes a comma if one is due and returns where a number of any length fits. NULL: the buffer has failed. */
static char *json_number_begin(struct json_writer *writer)
{
	char *end = buffer_reserve(writer->buffer, JSON_NUMBER_SIZE + 1);

	if (end && writer->comma)
		*end++ = ',';
	return end;
}

static void json_number_end(struct json_writer *writer, char *end)
{
	*end = '\0';
	writer->buffer->length = (size_t)(end - writer->buffer->bytes);
	writer->comma = true;
}

/* Rounds to 12 significant digits. The quotient of a whole number and a power of ten up to 10^22 is the double nearest
 * to the decimal number, so it is written with these digits. */
static double round_double(double value)
{
	enum { DIGITS_KEPT = 12, POWER_EXACT_MAX = 22 };
	int decimals;
	double power;

	if (!(fabs(value) < 1e15) || value == rint(value))
		return value;
	decimals = DIGITS_KEPT - 1 - (int)floor(log10(fabs(value)));
	if (decimals < 0 || decimals > POWER_EXACT_MAX)
		return value;
	power = pow(10, decimals);
	return rint(value * power) / power;
}

void json_double(struct json_writer *writer, double value)
{
	char *end;

	if (!isfinite(value)) {
		writer->not_finite = true;
		writer->buffer->failed = true;
		return;
	}
	if (writer->rounded)
		value = round_double(value);
	end = json_number_begin(writer);
	if (end)
		json_number_end(writer, end + (writer->exact ? json_format_exact(end, value) : json_format_double(end, value)));
}

void json_integer(struct json_writer *writer, int64_t value)
{
	char *end = json_number_begin(writer);

	if (!end)
		return;
	if (value < 0)
		*end++ = '-';
	json_number_end(writer, end + json_format_unsigned(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value));
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
