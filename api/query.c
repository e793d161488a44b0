/* Query parameters become the JSON object that they stand for, and go the way of every body. */
#include "api/decode.h"

/* NOLINTBEGIN(misc-no-recursion): a list's items are scalars. */

/* A number as JSON writes it becomes one; anything else stays text, which the row takes or refuses. */
static json_t *query_number(const char *text)
{
	bool begins = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
	json_t *number = begins ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;

	if (json_is_number(number))
		return number;
	json_decref(number);
	return json_string(text);
}

static json_t *query_value(const struct field *row, const char *text);

static json_t *query_list(const struct field *row, const char *text)
{
	const struct field number = {.kind = FIELD_NUMBER}, word = {.kind = FIELD_TEXT};
	const struct field *item = row->kind == FIELD_NUMBERS ? &number
							   : row->kind == FIELD_LIST  ? row->table->shorthand
														  : &word;
	json_t *list = json_array();
	char part[256];

	while (list && item) {
		size_t length = strcspn(text, ",");

		snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), text);
		json_array_append_new(list, query_value(item, part));
		if (text[length] == '\0')
			break;
		text += length + 1;
	}
	return list;
}

static json_t *query_value(const struct field *row, const char *text)
{
	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
	case FIELD_INTEGER:
		return query_number(text);
	case FIELD_TRUTH:
	case FIELD_BOOL:
		return strcmp(text, "true") == 0 ? json_true() : strcmp(text, "false") == 0 ? json_false() : json_string(text);
	case FIELD_OBJECT:
		return row->table->shorthand ? query_value(row->table->shorthand, text) : NULL;
	case FIELD_LIST:
		return row->table->shorthand ? query_list(row, text) : NULL;
	case FIELD_TEXTS:
	case FIELD_NUMBERS:
		return query_list(row, text);
	case FIELD_TEXT:
	case FIELD_TIME:
	case FIELD_CHOICE:
	case FIELD_WORDS:
		return json_string(text);
	case FIELD_SIZE:
	case FIELD_CHARS:
	case FIELD_VALUE:
	case FIELD_SHARES:
	case FIELD_TUPLES:
	case FIELD_LABELS:
	case FIELD_JSON:
	case FIELD_MERGE:
	case FIELD_ARRAY:
	case FIELD_MAP:
	case FIELD_KIND_COUNT:
		break;
	}
	return NULL;
}

static void query_add(
	struct decoder *decoder, const struct field_table *table, const struct query_parameter *parameter, json_t *object)
{
	struct path path = {.key = parameter->key};
	void *nowhere = NULL;
	const struct field *row = field_find(table, parameter->key, &nowhere);
	json_t *value;

	if (json_object_get(object, parameter->key)) {
		decoder_fault(decoder, &path, "duplicate_key", "this parameter stands twice; leave one");
		return;
	}
	/* An unknown one is kept, for decode_object to say so. */
	value = row ? query_value(row, parameter->value) : json_null();
	if (!value)
		decoder_fault(decoder, &path, "wrong_type", "has no form as a query parameter; send it in a POST body");
	else
		decoder->no_memory |= json_object_set_new(object, parameter->key, value) != 0;
}

enum status api_decode_query(const struct field_table *table, const struct query_parameter *parameters, size_t count,
	struct arena *arena, void *out, struct failure *failure)
{
	struct decoder decoder = {.arena = arena, .failure = failure};
	json_t *object = json_object();

	failure_clear(failure);
	field_table_clear(table, out);
	if (!object)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the query");
	for (size_t i = 0; i < count; i++)
		query_add(&decoder, table, &parameters[i], object);
	decode_object(&decoder, table, NULL, object, out);
	json_decref(object);
	return decoder_finish(&decoder);
}

/* NOLINTEND(misc-no-recursion) */
