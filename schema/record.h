/* Records: converts structs that a field table describes to and from JSON and CSV.
 *
 * A field table (schema/field.h) has a row for each member, with key, unit, range, default, choices and doc. Decoding,
 * encoding, error texts, JSON Schema, CSV columns and the field reference use it. api/tables/tables.h declares the
 * tables of the API. Pure functions, thread-safe. */
#ifndef FLEETPLAN_SCHEMA_RECORD_H
#define FLEETPLAN_SCHEMA_RECORD_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/failure.h"
#include "base/given.h"
#include "base/json_writer.h"

struct field_table;

enum { JSON_DEPTH_MAX = 32 };

struct query_parameter {
	const char *key, *value; /* percent-decoded UTF-8 */
};

/* Fills `out` (the table's struct) from a JSON object; members that the body lacks are absent (base/given.h). Copies
 * text into the arena. STATUS_MALFORMED: not JSON, or nested too deep. STATUS_INVALID with every fault of the body:
 * unknown and duplicate keys, wrong types, ranges and choices, missing required members. NO_MEMORY. */
FALLIBLE enum status record_decode(
	const struct field_table *table, const char *json, size_t length, struct arena *arena, void *out, struct failure *failure);

/* As record_decode(), for the answer of a server of perhaps another version: ignores unknown keys and read-only members. */
FALLIBLE enum status record_decode_answer(
	const struct field_table *table, const char *json, size_t length, struct arena *arena, void *out, struct failure *failure);

/* As record_decode(), from query parameters: scalars, lists separated by commas, shorthands (`model=llama-3.1-8b`) and
 * members of objects by dotted names (`slo.ttft_ms=500`). */
FALLIBLE enum status record_decode_query(const struct field_table *table, const struct query_parameter *parameters, size_t count,
	struct arena *arena, void *out, struct failure *failure);

/* True if a text (an id in a path) has the length and form that the table requires of this key. */
bool field_text_fits(const struct field_table *table, const char *key, const char *text);

/* Applies a merge patch (RFC 7396) to `object` in place; null makes a member absent. Read-only fields are faults. */
FALLIBLE enum status record_merge_patch(
	const struct field_table *table, const char *json, size_t length, struct arena *arena, void *object, struct failure *failure);

/* Writes the object without its absent members, and without the parts of an answer that the writer omits. */
void record_encode(const struct field_table *table, const void *object, struct json_writer *writer);
/* Writes only the members with these keys, an object as a whole. */
void record_encode_fields(const struct field_table *table, const void *object, const struct text_list *keys, struct json_writer *writer);
/* Writes only the members, into an object that the caller has begun. */
void record_encode_members(const struct field_table *table, const void *object, struct json_writer *writer);

/* Leaves out the parts in `omitted` from JSON text that record_encode() wrote with all parts. STATUS_INTERNAL if the
 * text is not of this table. */
FALLIBLE enum status record_narrow(
	const struct field_table *table, unsigned omitted, struct arena *arena, struct json_text *text, struct failure *failure);

/* CSV (RFC 4180) of scalar members; the column of a nested member is "cost.total_usd". A text that a spreadsheet would
 * read as a formula, with or without apostrophes before it, gets one apostrophe more; removing one
 * (schema/row_reader.h) restores the text. CSV_EXPORT also has objects (a model's config, conflicts) and exact
 * numbers, so that it loses nothing of a row. */
enum csv_use { CSV_LIST, CSV_EXPORT };
void csv_header(const struct field_table *table, enum csv_use use, struct buffer *out);
void csv_row(const struct field_table *table, enum csv_use use, const void *object, struct buffer *out);
void csv_text(const char *text, struct buffer *out); /* writes one cell */
bool csv_is_formula(const char *text);               /* true if csv_text() adds an apostrophe */

/* Receives a member that differs between two rows, as text (NULL: absent). The texts are valid until it returns. */
typedef void record_difference(void *context, const char *key, const char *before, const char *after);
/* Calls `report` for each member that differs; ignores read-only members. */
void record_differences(const struct field_table *table, const void *before, const void *after, record_difference *report, void *context);

#endif
