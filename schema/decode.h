/* Decoder: fills the members of a struct from the nodes of a JSON tree. For schema/ and api/ only.
 *
 * The place of a value is a chain of paths on the stack. It becomes a JSON pointer only when a fault is reported. */
#ifndef FLEETPLAN_SCHEMA_DECODE_H
#define FLEETPLAN_SCHEMA_DECODE_H

#include "schema/field.h"
#include "schema/node.h"

struct path {
	const struct path *up; /* NULL: the root */
	const char *key;       /* NULL: element `index` of a list */
	size_t index;
};

/* Writes the JSON pointer (RFC 6901) of a path, without the segments that do not fit in `size`. NULL is the root, "". */
void path_pointer(const struct path *path, char *out, size_t size);

/* The largest length up to `length` at which a longer UTF-8 text can be cut without splitting a character. */
size_t decode_whole_characters(const char *text, size_t length);

struct decoder {
	struct arena *arena;
	struct failure *failure;
	bool patching; /* a merge patch: null removes a member, objects merge, a missing member stays */
	bool answer;   /* the answer of a server that may be newer: unknown keys and read-only members are ignored */
	bool echo;     /* a row that may come from an earlier answer: read-only members are ignored */
	bool no_memory;
};

/* True if further faults are only counted: their details need not be computed. */
static inline bool decoder_is_full(const struct decoder *decoder)
{
	return decoder->failure->fault_count == FAULTS_MAX;
}

void decoder_fault(struct decoder *decoder, const struct path *path, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);

/* Decodes the members of an object into a cleared struct (when patching, into the current row). */
void decode_object(struct decoder *decoder, const struct field_table *table, const struct path *path, const struct node *object, void *out);

/* Decodes one value into the member of `row` in `out`. */
void decode_member(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out);

/* Decode single numbers, texts and words (decode_scalar.c), and lists, maps and JSON objects (decode_list.c). */
void decode_number(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, double *out);
void decode_integer(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, int64_t *out);
void decode_boolean(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out);
void decode_text(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, const char **out);
void decode_time(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, int64_t *out);
void decode_choice(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, unsigned *out);
void decode_texts(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, struct text_list *out);
void decode_numbers(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, struct number_list *out);
void decode_tuples(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out);
void decode_list(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *member);
void decode_labels(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, struct json_text *out);
void decode_words(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, struct json_text *out);
void decode_json(struct decoder *decoder, const struct path *path, const struct node *value, struct json_text *out);

/* Decodes an object, or a value that the shorthand of its table accepts. */
void decode_nested(struct decoder *decoder, const struct field_table *table, const struct path *path, const struct node *value, void *out);

/* Checks the length, bytes, form and words of a text. False after a fault. */
bool decode_check_text(struct decoder *decoder, const struct field *row, const struct path *path, const char *text, size_t length);

/* The type of a value, "a number" or "text", for the fault "should be X, not Y". */
const char *decode_type_name(const struct node *value);
void decode_wrong_type(struct decoder *decoder, const struct path *path, const char *wanted, const struct node *value);

/* Completes the failure after decoding: STATUS_OK, STATUS_INVALID with a detail, or STATUS_NO_MEMORY. */
enum status decoder_finish(struct decoder *decoder);

/* Parses text into a tree in the arena. STATUS_MALFORMED, STATUS_NO_MEMORY. STATUS_OK also with duplicate keys: they are
 * faults of `failure`, and the tree has the last member of each key. */
enum status decode_parse(const char *json, size_t length, struct arena *arena, struct node **tree, struct failure *failure);

/* Writes a tree as compact JSON; a double with the digits that restore it. */
void decode_write(const struct node *node, struct json_writer *writer);

/* Parses a text that is one JSON number. NULL: it is not a number, or there is no memory. */
struct node *decode_parse_number(const char *text, struct arena *arena);

#endif
