/* Converts query parameters to a JSON object and decodes it like a body. */
#include "schema/decode.h"

/* The most objects of a dotted name. */
enum { QUERY_DEPTH_MAX = 4 };

/* NOLINTBEGIN(misc-no-recursion): a list's items are scalars. */

/* Records a failed allocation: NULL also means that a value has no form as a query parameter. */
static struct node *query_allocated(struct decoder *decoder, struct node *node)
{
	decoder->no_memory |= !node;
	return node;
}

/* A number of the JSON grammar becomes a number. Other values stay text, which the decoder accepts or rejects. */
static struct node *query_number(struct decoder *decoder, const char *text)
{
	struct node *number = decode_parse_number(text, decoder->arena);

	return number ? number : query_allocated(decoder, node_new_text(decoder->arena, text));
}

static struct node *query_truth(struct decoder *decoder, const char *text)
{
	if (strcmp(text, "true") == 0)
		return query_allocated(decoder, node_new(decoder->arena, NODE_TRUE));
	if (strcmp(text, "false") == 0)
		return query_allocated(decoder, node_new(decoder->arena, NODE_FALSE));
	return query_allocated(decoder, node_new_text(decoder->arena, text));
}

static struct node *query_value(struct decoder *decoder, const struct field *row, const char *text);

static struct node *query_list(struct decoder *decoder, const struct field *row, const char *text)
{
	const struct field number = {.kind = FIELD_NUMBER}, word = {.kind = FIELD_TEXT};
	const struct field *item = row->kind == FIELD_NUMBERS ? &number : row->kind == FIELD_LIST ? row->table->shorthand : &word;
	struct node *list = query_allocated(decoder, node_new(decoder->arena, NODE_LIST)), *last = NULL, *value;
	char part[256];

	while (list && item) {
		size_t length = strcspn(text, ",");

		snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), text);
		value = query_value(decoder, item, part);
		if (!value)
			return NULL;
		node_append(list, last, value);
		last = value;
		if (text[length] == '\0')
			break;
		text += length + 1;
	}
	return list;
}

static struct node *query_value(struct decoder *decoder, const struct field *row, const char *text)
{
	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
	case FIELD_INTEGER:
		return query_number(decoder, text);
	case FIELD_TRUTH:
	case FIELD_BOOL:
		return query_truth(decoder, text);
	case FIELD_OBJECT:
		return row->table->shorthand ? query_value(decoder, row->table->shorthand, text) : NULL;
	case FIELD_LIST:
		return row->table->shorthand ? query_list(decoder, row, text) : NULL;
	case FIELD_TEXTS:
	case FIELD_NUMBERS:
		return query_list(decoder, row, text);
	case FIELD_TEXT:
	case FIELD_TIME:
	case FIELD_CHOICE:
	case FIELD_WORDS:
		return query_allocated(decoder, node_new_text(decoder->arena, text));
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

static struct node *last_child(const struct node *object)
{
	struct node *last = object->first;

	while (last && last->next)
		last = last->next;
	return last;
}

/* Follows the first word of a dotted name ("slo.ttft_ms=500"), and adds that object. False: it is not an object. */
static bool query_descend(struct decoder *decoder, const struct field_table **table, const char **key, struct node **object, struct path *path)
{
	size_t length = strcspn(*key, ".");
	const char *name = arena_strndup(decoder->arena, *key, length);
	void *nowhere = NULL;
	const struct field *row = name ? field_find(*table, name, &nowhere) : NULL;
	struct node *inner;

	if (!name || !row || row->kind != FIELD_OBJECT || row->flags & READ_ONLY) {
		decoder->no_memory |= !name;
		return false;
	}
	inner = (struct node *)(uintptr_t)node_named((*object)->first, name);
	if (inner && inner->kind != NODE_OBJECT)
		return false;
	if (!inner) {
		inner = query_allocated(decoder, node_new(decoder->arena, NODE_OBJECT));
		if (!inner)
			return false;
		inner->key = name;
		node_append(*object, last_child(*object), inner);
	}
	path->key = name;
	*table = row->table;
	*key += length + 1;
	*object = inner;
	return true;
}

static void query_add(struct decoder *decoder, const struct field_table *table, const struct query_parameter *parameter, struct node *object)
{
	struct path path = {.key = parameter->key}, above[QUERY_DEPTH_MAX];
	void *nowhere = NULL;
	const struct field *row;
	const char *key = parameter->key;
	struct node *value;

	for (size_t depth = 0; depth < QUERY_DEPTH_MAX && strchr(key, '.'); depth++) {
		above[depth] = (struct path){.up = path.up};
		if (!query_descend(decoder, &table, &key, &object, &above[depth]))
			break;
		path.up = &above[depth];
	}
	path.key = key;
	row = field_find(table, key, &nowhere);
	if (node_named(object->first, key)) {
		decoder_fault(decoder, &path, "duplicate_key", "this parameter occurs twice; remove one");
		return;
	}
	/* Add an unknown parameter: decode_object() reports it. */
	value = row ? query_value(decoder, row, parameter->value) : query_allocated(decoder, node_new(decoder->arena, NODE_NULL));
	if (!value) {
		decoder_fault(decoder, &path, "wrong_type", "cannot be a query parameter; send it in a POST body");
		return;
	}
	value->key = key;
	node_append(object, last_child(object), value);
}

enum status record_decode_query(const struct field_table *table, const struct query_parameter *parameters, size_t count,
	struct arena *arena, void *out, struct failure *failure)
{
	struct decoder decoder = {.arena = arena, .failure = failure};
	struct node *object = node_new(arena, NODE_OBJECT);

	failure_clear(failure);
	field_table_clear(table, out);
	if (!object)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the query");
	for (size_t i = 0; i < count; i++)
		query_add(&decoder, table, &parameters[i], object);
	decode_object(&decoder, table, NULL, object, out);
	return decoder_finish(&decoder);
}

/* NOLINTEND(misc-no-recursion) */
