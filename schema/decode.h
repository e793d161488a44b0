/* Inside the table engine: how the nodes of a tree become members. Only for api/.
 *
 * Where a value stands is a chain of paths on the stack, written out only for a fault. */
#ifndef FLEETPLAN_SCHEMA_DECODE_H
#define FLEETPLAN_SCHEMA_DECODE_H

#include "schema/field.h"
#include "schema/node.h"

struct path {
	const struct path *up; /* NULL: directly under the root */
	const char *key; /* NULL: the element `index` of an array */
	size_t index;
};

/* RFC 6901, cut at whole segments when `size` does not hold it; a NULL path is the root, "". */
void path_pointer(const struct path *path, char *out, size_t size);

/* The most of `length` bytes of a longer UTF-8 text that splits no character. */
size_t decode_whole_characters(const char *text, size_t length);

struct decoder {
	struct arena *arena;
	struct failure *failure;
	bool patching; /* null removes, objects merge, what is missing stays */
	bool answer;   /* somebody's who may be newer: keys without a row are passed over */
	bool echo;     /* a row as it may have been answered before: members that are only answered are passed over */
	bool no_memory;
};

/* Whether further faults are only counted: what would be said of them need not be found. */
static inline bool decoder_is_full(const struct decoder *decoder)
{
	return decoder->failure->fault_count == FAULTS_MAX;
}

void decoder_fault(struct decoder *decoder, const struct path *path, const char *code, const char *format, ...)
	PRINTF_LIKE(4, 5);

/* The members of an object into a cleared struct (a filled one when patching). */
void decode_object(
	struct decoder *decoder, const struct field_table *table, const struct path *path, const struct node *object, void *out);

/* One value into the member of `row` in `out`. */
void decode_member(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out);

/* Kinds that hold one number, text or word (decode_scalar.c), and those that hold many (decode_list.c). */
void decode_number(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, double *out);
void decode_integer(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, int64_t *out);
void decode_boolean(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out);
void decode_text(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, const char **out);
void decode_time(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, int64_t *out);
void decode_choice(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, unsigned *out);
void decode_texts(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value,
	struct text_list *out);
void decode_numbers(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value,
	struct number_list *out);
void decode_tuples(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out);
void decode_list(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *member);
void decode_labels(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value,
	struct json_text *out);
void decode_words(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value,
	struct json_text *out);
void decode_json(struct decoder *decoder, const struct path *path, const struct node *value, struct json_text *out);

/* An object, or what its table's shorthand takes. */
void decode_nested(
	struct decoder *decoder, const struct field_table *table, const struct path *path, const struct node *value, void *out);

/* Checks a text's length, bytes, form and words; false after a fault. */
bool decode_check_text(
	struct decoder *decoder, const struct field *row, const struct path *path, const char *text, size_t length);

/* "a number", "text", ...: for "should be X, not Y". */
const char *decode_type_name(const struct node *value);
void decode_wrong_type(struct decoder *decoder, const struct path *path, const char *wanted, const struct node *value);

/* Makes the failure of a decoder that is done: STATUS_OK, INVALID with a sentence, or NO_MEMORY. */
enum status decoder_finish(struct decoder *decoder);

/* Parses text into a tree of the arena; STATUS_MALFORMED, or duplicates as faults and a tree all the same. */
enum status decode_parse(const char *json, size_t length, struct arena *arena, struct node **tree, struct failure *failure);

/* A number as JSON writes it, alone; NULL: it is none, or there is no memory. */
struct node *decode_parse_number(const char *text, struct arena *arena);

#endif
