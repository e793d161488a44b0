/* Records: structs that a field table describes, to and from JSON and CSV.
 *
 * A field table (schema/field.h) has a row a member, with key, unit, range, default, choices and doc. Decode, encode, error text, JSON Schema,
 * CSV columns and the field reference come from it. Tables of the contract are declared in api/tables/tables.h. Pure functions, thread-safe. */
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

/* Fills `out` (the table's struct; absent members absent) from a JSON object. Text is copied into the arena. On faults:
 * STATUS_MALFORMED (not JSON, too deep) or STATUS_INVALID with every fault of the body: unknown and duplicate keys, wrong
 * types, ranges, choices, missing required ones, each saying what would be accepted. */
FALLIBLE enum status record_decode(const struct field_table *table, const char *json, size_t length, struct arena *arena,
	void *out, struct failure *failure);

/* The same of what a server of perhaps another version answered: keys that the table does not know are passed over. */
FALLIBLE enum status record_decode_answer(const struct field_table *table, const char *json, size_t length, struct arena *arena,
	void *out, struct failure *failure);

/* The same from query parameters, for the table's top-level scalar fields (and shorthands: `model=llama-3.1-8b`). */
FALLIBLE enum status record_decode_query(const struct field_table *table, const struct query_parameter *parameters,
	size_t count, struct arena *arena, void *out, struct failure *failure);

/* Whether a text from elsewhere (an id in a path) has the length and form that the table asks of this key. */
bool field_text_fits(const struct field_table *table, const char *key, const char *text);

/* RFC 7396: applies a patch body to `object` in place (null makes a member absent). Read-only fields are faults. */
FALLIBLE enum status record_merge_patch(const struct field_table *table, const char *json, size_t length,
	struct arena *arena, void *object, struct failure *failure);

/* Writes the object; absent members are left out. */
void record_encode(const struct field_table *table, const void *object, struct json_writer *writer);
/* Its members only, into an object that the caller has begun. */
void record_encode_members(const struct field_table *table, const void *object, struct json_writer *writer);

/* What a schema describes: an answer, where numbers are plain; a request, where they may be as people write them and
 * unknown fields are refused; or a merge patch, where nothing is required and null removes. */
enum schema_use { SCHEMA_ANSWER, SCHEMA_REQUEST, SCHEMA_PATCH };

/* JSON Schema (2020-12) of the table for components/schemas; nested tables by $ref. */
void record_schema(const struct field_table *table, enum schema_use use, struct json_writer *writer);

/* CSV (RFC 4180): scalar members, nested ones as "cost.total_usd". Text that a spreadsheet would take for a formula gets an apostrophe
 * before it, and so does one that has such apostrophes already: taking off one (schema/row_reader.h) gives back what it was. An export
 * holds objects too (a model's config, conflicts), and numbers to the last bit: nothing of a row is lost. */
enum csv_use { CSV_LIST, CSV_EXPORT };
void csv_header(const struct field_table *table, enum csv_use use, struct buffer *out);
void csv_row(const struct field_table *table, enum csv_use use, const void *object, struct buffer *out);
void csv_text(const char *text, struct buffer *out); /* one cell */
bool csv_is_formula(const char *text); /* whether csv_text guards it */

/* The members of two rows of a table that differ, as text (NULL: absent); members that are only answered are no difference. Texts
 * hold until it returns. */
typedef void record_difference(void *context, const char *key, const char *before, const char *after);
void record_differences(const struct field_table *table, const void *before, const void *after, record_difference *tell, void *context);

#endif
