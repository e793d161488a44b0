#include "schema/decode.h"

#include <stdarg.h>

#include "base/spelling.h"
#include "schema/synonyms.h"

/* NOLINTBEGIN(misc-no-recursion): no deeper than the body, JSON_DEPTH_MAX. */

/* --- places of faults ------------------------------------------------------------------------------------------ */
size_t decode_whole_characters(const char *text, size_t length)
{
	while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* Bytes of a key that a pointer shows. */
enum { PATH_KEY_MAX = 60 };

static size_t path_segment(const struct path *path, char *out, size_t size)
{
	size_t length = 0, shown;

	if (!path->key)
		return (size_t)snprintf(out, size, "/%zu", path->index);
	shown = strlen(path->key);
	if (shown > PATH_KEY_MAX)
		shown = decode_whole_characters(path->key, PATH_KEY_MAX);
	out[length++] = '/';
	for (size_t i = 0; i < shown; i++) {
		char c = path->key[i];

		out[length++] = (char)(c == '~' || c == '/' ? '~' : c);
		if (c == '~' || c == '/')
			out[length++] = c == '~' ? '0' : '1';
	}
	out[length] = '\0';
	return length;
}

void path_pointer(const struct path *path, char *out, size_t size)
{
	char segment[2 * PATH_KEY_MAX + 4];
	size_t before, length;

	out[0] = '\0';
	if (!path)
		return;
	path_pointer(path->up, out, size);
	length = path_segment(path, segment, sizeof segment);
	before = strlen(out);
	if (before + length < size)
		memcpy(out + before, segment, length + 1);
}

void decoder_fault(struct decoder *decoder, const struct path *path, const char *code, const char *format, ...)
{
	char pointer[FAULT_POINTER_MAX], detail[2 * FAULT_DETAIL_MAX];
	va_list arguments;

	if (decoder_is_full(decoder)) {
		failure_add(decoder->failure, "", code, "%s", "");
		return;
	}
	va_start(arguments, format);
	vsnprintf(detail, sizeof detail, format, arguments);
	va_end(arguments);
	path_pointer(path, pointer, sizeof pointer);
	failure_add(decoder->failure, pointer, code, "%s", detail);
}

const char *decode_type_name(const struct node *value)
{
	static const char *const names[NODE_KIND_COUNT] = {[NODE_OBJECT] = "an object",
		[NODE_LIST] = "a list",
		[NODE_TEXT] = "text",
		[NODE_INTEGER] = "a number",
		[NODE_REAL] = "a number",
		[NODE_TRUE] = "true or false",
		[NODE_FALSE] = "true or false",
		[NODE_NULL] = "null (leave the field out instead)"};

	CHECK(value && value->kind < NODE_KIND_COUNT);
	return names[value->kind];
}

void decode_wrong_type(struct decoder *decoder, const struct path *path, const char *wanted, const struct node *value)
{
	decoder_fault(decoder, path, "wrong_type", "should be %s, not %s", wanted, decode_type_name(value));
}

/* --- objects --------------------------------------------------------------------------------------------------- */
static void decode_offer_keys(const struct field_table *table, struct spelling *spelling)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		if (row->kind == FIELD_MERGE)
			decode_offer_keys(row->table, spelling);
		else if (!(row->flags & READ_ONLY))
			spelling_offer(spelling, row->key);
	}
}

static void decode_unknown(struct decoder *decoder, const struct field_table *table, const struct path *path)
{
	struct spelling spelling;
	char nearest[256] = "", above[160], meant[128];

	if (!decoder_is_full(decoder) && synonym_find(table, path->key, meant, sizeof meant)) {
		path_pointer(path->up, above, sizeof above);
		decoder_fault(decoder, path, "unknown_field", "is not a known field here; did you mean %s%s?", above, meant);
		return;
	}
	if (!decoder_is_full(decoder)) {
		spelling_init(&spelling, path->key);
		decode_offer_keys(table, &spelling);
		spelling_list(&spelling, nearest, sizeof nearest);
	}
	decoder_fault(
		decoder, path, "unknown_field", "is not a known field; %s%s", nearest[0] ? "did you mean " : "/docs lists the fields", nearest);
}

static void decode_require(struct decoder *decoder, const struct field_table *table, const struct path *path, const struct node *object)
{
	for (size_t i = 0; i < table->need_count; i++) {
		struct path at = {.up = path, .key = table->needs[i]};
		void *nowhere = NULL;

		if (!node_named(object->first, table->needs[i]))
			decoder_fault(decoder, &at, "required", "is required; add it (%s)", field_find(table, table->needs[i], &nowhere)->doc);
	}
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		struct path at = {.up = path, .key = row->key};

		if (row->kind == FIELD_MERGE)
			decode_require(decoder, row->table, path, object);
		else if ((row->flags & REQUIRED) && !(row->flags & READ_ONLY) && !node_named(object->first, row->key))
			decoder_fault(decoder, &at, "required", "is required; add it (%s)", row->doc);
	}
}

/* Makes a member absent: clears it through a table with this row only. A required member is a fault. */
static void decode_remove(
	struct decoder *decoder, const struct field_table *table, const struct field *row, const struct path *path, void *out)
{
	const struct field alone = {.key = row->key, .kind = row->kind, .flags = row->flags, .table = row->table};
	const size_t sizes[FIELD_KIND_COUNT] = {[FIELD_NUMBER] = sizeof(double),
		[FIELD_COUNT] = sizeof(double),
		[FIELD_HOURS] = sizeof(double),
		[FIELD_INTEGER] = sizeof(int64_t),
		[FIELD_TRUTH] = sizeof(enum truth),
		[FIELD_BOOL] = sizeof(bool),
		[FIELD_TEXT] = sizeof(char *),
		[FIELD_TIME] = sizeof(int64_t),
		[FIELD_CHOICE] = sizeof(unsigned),
		[FIELD_TEXTS] = sizeof(struct text_list),
		[FIELD_NUMBERS] = sizeof(struct number_list),
		[FIELD_TUPLES] = sizeof(void *),
		[FIELD_LABELS] = sizeof(struct json_text),
		[FIELD_WORDS] = sizeof(struct json_text),
		[FIELD_JSON] = sizeof(struct json_text),
		[FIELD_LIST] = sizeof(struct text_list)};
	struct field_table one = {.rows = &alone, .row_count = 1, .size = sizes[row->kind]};
	bool needed = row->flags & REQUIRED;

	for (size_t i = 0; i < table->need_count; i++)
		needed |= strcmp(table->needs[i], row->key) == 0;
	if (needed) {
		decoder_fault(decoder, path, "required", "is required and cannot be removed (%s)", row->doc);
		return;
	}
	if (row->kind == FIELD_TUPLES)
		memset((char *)out + row->count_offset, 0, sizeof(size_t));
	if (row->conditional)
		*(bool *)((char *)out + row->count_offset) = false;
	if (row->kind == FIELD_OBJECT)
		one.size = row->table->size;
	field_table_clear(&one, (char *)out + row->offset);
}

void decode_object(struct decoder *decoder, const struct field_table *table, const struct path *path, const struct node *object, void *out)
{
	for (const struct node *value = object->first; value; value = value->next) {
		struct path here = {.up = path, .key = value->key};
		void *owner = out;
		const struct field *row = field_find(table, here.key, &owner);

		if ((decoder->answer && !row) || (row && (decoder->answer || decoder->echo) && row->flags & READ_ONLY))
			continue;
		if (!row)
			decode_unknown(decoder, table, &here);
		else if (row->flags & READ_ONLY)
			decoder_fault(decoder, &here, "read_only", "is read-only; leave it out");
		else if (decoder->patching && value->kind == NODE_NULL)
			decode_remove(decoder, table, row, &here, owner);
		else
			decode_member(decoder, row, &here, value, owner);
	}
	if (!decoder->patching)
		decode_require(decoder, table, path, object);
	if (table->check && decoder->failure->fault_total == 0)
		table->check(decoder, path, out);
}

void decode_nested(struct decoder *decoder, const struct field_table *table, const struct path *path, const struct node *value, void *out)
{
	if (value->kind == NODE_OBJECT) {
		decode_object(decoder, table, path, value, out);
	} else if (table->shorthand && value->kind != NODE_LIST && value->kind != NODE_NULL) {
		field_table_clear(table, out);
		decode_member(decoder, table->shorthand, path, value, out);
	} else {
		decode_wrong_type(decoder, path, table->shorthand ? "an object, or its short form" : "an object", value);
	}
}

void decode_member(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out)
{
	void *member = (char *)out + row->offset;

	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
		decode_number(decoder, row, path, value, member);
		break;
	case FIELD_INTEGER:
		decode_integer(decoder, row, path, value, member);
		break;
	case FIELD_TRUTH:
	case FIELD_BOOL:
		decode_boolean(decoder, row, path, value, member);
		break;
	case FIELD_TEXT:
		decode_text(decoder, row, path, value, member);
		break;
	case FIELD_TIME:
		decode_time(decoder, row, path, value, member);
		break;
	case FIELD_CHOICE:
		decode_choice(decoder, row, path, value, member);
		break;
	case FIELD_TEXTS:
		decode_texts(decoder, row, path, value, member);
		break;
	case FIELD_NUMBERS:
		decode_numbers(decoder, row, path, value, member);
		break;
	case FIELD_TUPLES:
		decode_tuples(decoder, row, path, value, out);
		break;
	case FIELD_LABELS:
		decode_labels(decoder, row, path, value, member);
		break;
	case FIELD_WORDS:
		decode_words(decoder, row, path, value, member);
		break;
	case FIELD_JSON:
		decode_json(decoder, path, value, member);
		break;
	case FIELD_OBJECT:
		if (row->conditional)
			*(bool *)((char *)out + row->count_offset) = true;
		decode_nested(decoder, row->table, path, value, member);
		break;
	case FIELD_LIST:
		decode_list(decoder, row, path, value, member);
		break;
	case FIELD_MERGE:
	case FIELD_SIZE:
	case FIELD_CHARS:
	case FIELD_VALUE:
	case FIELD_SHARES:
	case FIELD_ARRAY:
	case FIELD_MAP:
	case FIELD_KIND_COUNT:
		CHECK(false); /* kinds that are only encoded must be READ_ONLY */
	}
}

/* --- the whole body -------------------------------------------------------------------------------------------- */
enum status decoder_finish(struct decoder *decoder)
{
	struct failure *failure = decoder->failure;

	if (decoder->no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "the request needs more memory than one request may use; send a smaller body");
	if (failure->fault_total == 0)
		return STATUS_OK;
	failure_summarize(failure);
	return STATUS_INVALID;
}

static enum status decode_body(const struct field_table *table, const char *json, size_t length, struct decoder decoder, void *out)
{
	struct node *tree = NULL;
	enum status status;

	failure_clear(decoder.failure);
	status = decode_parse(json, length, decoder.arena, &tree, decoder.failure);
	if (status != STATUS_OK)
		return status;
	if (tree->kind == NODE_OBJECT)
		decode_object(&decoder, table, NULL, tree, out);
	else
		decode_wrong_type(&decoder, NULL, "an object", tree);
	return decoder_finish(&decoder);
}

enum status record_decode(
	const struct field_table *table, const char *json, size_t length, struct arena *arena, void *out, struct failure *failure)
{
	field_table_clear(table, out);
	return decode_body(table, json, length, (struct decoder){.arena = arena, .failure = failure}, out);
}

enum status record_decode_answer(
	const struct field_table *table, const char *json, size_t length, struct arena *arena, void *out, struct failure *failure)
{
	field_table_clear(table, out);
	return decode_body(table, json, length, (struct decoder){.arena = arena, .failure = failure, .answer = true}, out);
}

enum status record_merge_patch(
	const struct field_table *table, const char *json, size_t length, struct arena *arena, void *object, struct failure *failure)
{
	return decode_body(table, json, length, (struct decoder){.arena = arena, .failure = failure, .patching = true}, object);
}

/* NOLINTEND(misc-no-recursion) */
