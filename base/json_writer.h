/* Writes JSON straight into a buffer: no tree, no allocation of its own.
 *
 * The writer places commas; the caller pairs begin and end. JSON knows no infinity and no NaN: a double that
 * is not finite fails the buffer and sets `not_finite`, so that such a text never leaves (json_number.h: how numbers are
 * written). Text must be UTF-8; control bytes, quotes and backslashes are escaped. Errors are the buffer's sticky `failed`. */
#ifndef FLEETPLAN_BASE_JSON_WRITER_H
#define FLEETPLAN_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json_number.h"

struct json_writer {
	struct buffer *buffer;
	bool comma;      /* the next value or key needs one before it */
	bool not_finite; /* a double was none that JSON can hold; the buffer has failed */
	bool exact;      /* doubles are written so that they are read as the same number; answers have 15 digits */
};

void json_writer_init(struct json_writer *writer, struct buffer *buffer);

void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key); /* a plain identifier: written without escaping */
void json_key_n(struct json_writer *writer, const char *key, size_t length);
void json_key_escaped(struct json_writer *writer, const char *key);

void json_write_string(struct json_writer *writer, const char *text); /* NULL is written as null */
void json_string_n(struct json_writer *writer, const char *text, size_t length);
void json_double(struct json_writer *writer, double value);
void json_write_integer(struct json_writer *writer, int64_t value);
void json_bool(struct json_writer *writer, bool value);
void json_write_null(struct json_writer *writer);
void json_raw(struct json_writer *writer, const char *json, size_t length); /* a complete JSON value, as it is */

/* The short names, except where jansson.h is included before: it has functions of these names. */
#ifndef JANSSON_H
#define json_string json_write_string
#define json_integer json_write_integer
#define json_null json_write_null
#endif

/* Appends text escaped for the inside of a JSON string, without the quotes. */
void json_escape(struct buffer *buffer, const char *text, size_t length);

#endif
