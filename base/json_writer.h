/* JSON writer: writes JSON into a buffer, without a tree and without an allocation of its own.
 *
 * The writer places commas; the caller pairs begin and end. JSON has no infinity and no NaN: a double that is not
 * finite fails the buffer and sets `not_finite`, so that no such answer is sent. json_number.h formats the numbers.
 * Text must be UTF-8; control bytes, quotes and backslashes are escaped. Errors are the buffer's sticky `failed`. */
#ifndef FLEETPLAN_BASE_JSON_WRITER_H
#define FLEETPLAN_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json_number.h"

struct json_writer {
	struct buffer *buffer;
	bool comma;       /* the next value or key needs a comma before it */
	bool not_finite;  /* a double was infinite or NaN; the buffer has failed */
	unsigned omitted; /* parts of a record that record_encode() leaves out (schema/field.h); 0: none */
	bool rounded;     /* doubles have 12 digits, more than any figure of a plan means; whole numbers stay exact */
	bool exact;       /* doubles are read back as the same number (json_format_exact); false: 15 digits */
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
void json_raw(struct json_writer *writer, const char *json, size_t length); /* a complete JSON value, written unchanged */

/* Short names, unless jansson.h is included before: it has functions of these names. */
#ifndef JANSSON_H
#define json_string  json_write_string
#define json_integer json_write_integer
#define json_null    json_write_null
#endif

/* Appends text with JSON escapes, without the quotes. */
void json_escape(struct buffer *buffer, const char *text, size_t length);

#endif
