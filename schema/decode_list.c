#include "schema/json_tree.h"

#include "schema/decode.h"

/* The first members of each list struct. */
struct list {
	void *items;
	size_t count;
};

/* Checks type and length, and allocates the items. NULL after a fault or without memory. */
static void *decode_room(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, size_t size, size_t *count)
{
	void *items;

	*count = 0;
	if (value->kind != NODE_LIST) {
		decode_wrong_type(decoder, path, "a list", value);
		return NULL;
	}
	*count = value->length;
	if (*count == 0) {
		decoder_fault(decoder, path, "empty", "should not be empty; leave it out instead");
		return NULL;
	}
	if ((double)*count > row->maximum) {
		decoder_fault(decoder, path, "too_many", "should have at most %.0f elements, has %zu", row->maximum, *count);
		return NULL;
	}
	if (row->lengths[0] && *count != row->lengths[0] && *count != row->lengths[1]) {
		decoder_fault(decoder, path, "wrong_length", "should have %zu or %zu elements, has %zu", row->lengths[0], row->lengths[1], *count);
		return NULL;
	}
	items = arena_alloc(decoder->arena, *count, size);
	decoder->no_memory |= !items;
	return items;
}

void decode_texts(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, struct text_list *out)
{
	struct path at = {.up = path};
	size_t count;
	const char **items = decode_room(decoder, row, path, value, sizeof *items, &count);

	if (!items)
		return;
	for (const struct node *item = value->first; item; item = item->next, at.index++)
		decode_text(decoder, row, &at, item, &items[at.index]);
	*out = (struct text_list){.items = items, .count = count};
}

void decode_numbers(
	struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, struct number_list *out)
{
	const struct field item = {.key = row->key, .kind = FIELD_NUMBER, .minimum = row->item_minimum, .maximum = row->item_maximum};
	struct path at = {.up = path};
	size_t count;
	double *items = decode_room(decoder, row, path, value, sizeof *items, &count);

	if (!items)
		return;
	for (const struct node *element = value->first; element; element = element->next, at.index++)
		decode_number(decoder, &item, &at, element, &items[at.index]);
	*out = (struct number_list){.items = items, .count = count};
}

void decode_tuples(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out)
{
	const struct field item = {.key = row->key, .kind = FIELD_NUMBER, .minimum = 0, .maximum = 1e9};
	struct path at = {.up = path};
	size_t count;
	double *items = decode_room(decoder, row, path, value, row->width * sizeof *items, &count);

	if (!items)
		return;
	for (const struct node *tuple = value->first; tuple; tuple = tuple->next, at.index++) {
		struct path inner = {.up = &at};

		if (tuple->kind != NODE_LIST || tuple->length != row->width) {
			decoder_fault(decoder, &at, "wrong_type", "should be a list of %zu numbers", row->width);
			continue;
		}
		for (const struct node *element = tuple->first; element; element = element->next, inner.index++)
			decode_number(decoder, &item, &inner, element, &items[at.index * row->width + inner.index]);
	}
	memcpy((char *)out + row->offset, &items, sizeof items);
	memcpy((char *)out + row->count_offset, &count, sizeof count);
}

void decode_list(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *member)
{
	struct path at = {.up = path};
	struct list list;
	char *items = decode_room(decoder, row, path, value, row->table->size, &list.count);
	bool patching = decoder->patching;

	if (!items)
		return;
	decoder->patching = false; /* RFC 7396: a patch replaces a whole list */
	for (const struct node *element = value->first; element; element = element->next, at.index++) {
		void *item = items + at.index * row->table->size;

		field_table_clear(row->table, item);
		decode_nested(decoder, row->table, &at, element, item);
	}
	decoder->patching = patching;
	list.items = items;
	memcpy(member, &list, sizeof list);
}

/* --- members stored as JSON text ------------------------------------------------------------------------------- */

enum { JSON_TEXT_MAX_BYTES = 64 * 1024 * 1024 }; /* more than any body can become: a number of 4 bytes may be written with 20 */

/* Writes a real that is read back as the same number; answers have 15 digits. */
static void decode_write_real(double value, struct json_writer *writer)
{
	char text[JSON_NUMBER_SIZE];
	size_t length = json_format_exact(text, value);

	if (strspn(text, "-0123456789") == length) /* keep 1.0 a real */
		length += (size_t)snprintf(text + length, sizeof text - length, ".0");
	json_raw(writer, text, length);
}

/* NOLINTBEGIN(misc-no-recursion): no deeper than the body, JSON_DEPTH_MAX. */
void decode_write(const struct node *node, struct json_writer *writer)
{
	switch (node->kind) {
	case NODE_OBJECT:
		json_begin_object(writer);
		for (const struct node *member = node->first; member; member = member->next) {
			json_key_escaped(writer, member->key);
			decode_write(member, writer);
		}
		json_end_object(writer);
		break;
	case NODE_LIST:
		json_begin_array(writer);
		for (const struct node *element = node->first; element; element = element->next)
			decode_write(element, writer);
		json_end_array(writer);
		break;
	case NODE_TEXT:
		json_string_n(writer, node->text, node->length);
		break;
	case NODE_INTEGER:
		json_write_integer(writer, node->integer);
		break;
	case NODE_REAL:
		decode_write_real(node->real, writer);
		break;
	case NODE_TRUE:
	case NODE_FALSE:
		json_bool(writer, node->kind == NODE_TRUE);
		break;
	case NODE_NULL:
	case NODE_KIND_COUNT:
		json_write_null(writer);
		break;
	}
}

/* NOLINTEND(misc-no-recursion) */

void decode_json(struct decoder *decoder, const struct path *path, const struct node *value, struct json_text *out)
{
	struct json_writer writer;
	struct buffer buffer;
	char *text;

	if (value->kind != NODE_OBJECT) {
		decode_wrong_type(decoder, path, "an object", value);
		return;
	}
	buffer_init(&buffer, JSON_TEXT_MAX_BYTES);
	json_writer_init(&writer, &buffer);
	decode_write(value, &writer);
	text = buffer.failed ? NULL : arena_strndup(decoder->arena, buffer.bytes, buffer.length);
	decoder->no_memory |= !text;
	if (text)
		*out = (struct json_text){.text = text, .length = buffer.length};
	buffer_release(&buffer);
}

/* --- labels ---------------------------------------------------------------------------------------------------- */

static void decode_tree_text(struct decoder *decoder, const json_t *tree, struct json_text *out)
{
	const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
	size_t length = tree ? json_dumpb(tree, NULL, 0, flags) : 0;
	char *text = length ? arena_alloc(decoder->arena, length + 1, 1) : NULL;

	decoder->no_memory |= !text;
	if (text && json_dumpb(tree, text, length, flags) == length)
		*out = (struct json_text){.text = text, .length = length};
}

/* The labels before a patch, else an empty object. NULL without memory. */
static json_t *decode_labels_before(struct decoder *decoder, const struct json_text *labels)
{
	bool no_memory;
	json_t *before = decoder->patching && labels->text ? json_tree_read(labels->text, labels->length, 0, NULL, &no_memory) : json_object();

	decoder->no_memory |= !before;
	return before;
}

static void decode_label(struct decoder *decoder, const struct path *path, const struct node *value, json_t *labels)
{
	const struct field name = {.key = "", .kind = FIELD_TEXT, .maximum = LABEL_KEY_MAX};
	const struct field text = {.key = "", .kind = FIELD_TEXT, .maximum = LABEL_VALUE_MAX};

	if (decoder->patching && value->kind == NODE_NULL) {
		json_object_del(labels, path->key);
		return;
	}
	if (value->kind != NODE_TEXT) {
		decode_wrong_type(decoder, path, "text", value);
		return;
	}
	if (decode_check_text(decoder, &name, path, path->key, strlen(path->key)) &&
		decode_check_text(decoder, &text, path, value->text, value->length))
		decoder->no_memory |= json_object_set_new(labels, path->key, json_string(value->text)) != 0;
}

void decode_labels(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, struct json_text *out)
{
	json_t *labels;

	if (value->kind != NODE_OBJECT) {
		decode_wrong_type(decoder, path, "an object of texts", value);
		return;
	}
	labels = decode_labels_before(decoder, out);
	if (!labels)
		return;
	for (const struct node *label = value->first; label; label = label->next) {
		struct path here = {.up = path, .key = label->key};

		decode_label(decoder, &here, label, labels);
	}
	if ((double)json_object_size(labels) > row->maximum)
		decoder_fault(decoder, path, "too_many", "should have at most %.0f labels, has %zu", row->maximum, json_object_size(labels));
	else if (json_object_size(labels) == 0)
		*out = (struct json_text){0};
	else
		decode_tree_text(decoder, labels, out);
	json_decref(labels);
}

/* --- one word, or a list of words ------------------------------------------------------------------------------ */
void decode_words(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, struct json_text *out)
{
	const struct field word = {
		.key = row->key, .kind = FIELD_TEXT, .maximum = WORD_LENGTH_MAX, .form = FORM_SLUG, .words = row->words, .word_count = row->word_count};
	struct field many = word;
	struct text_list texts = {0};
	struct json_writer writer;
	struct buffer buffer;
	char *text;

	many.kind = FIELD_TEXTS;
	many.maximum = row->maximum;
	many.item_maximum = word.maximum;
	if (value->kind == NODE_LIST) {
		decode_texts(decoder, &many, path, value, &texts);
	} else {
		texts.items = ARENA_ARRAY(decoder->arena, const char *, 1);
		if (texts.items)
			decode_text(decoder, &word, path, value, &texts.items[texts.count++]);
	}
	if (decoder->failure->fault_total > 0 || texts.count == 0)
		return;
	buffer_init(&buffer, 64 * 1024);
	json_writer_init(&writer, &buffer);
	if (value->kind == NODE_LIST)
		json_begin_array(&writer);
	for (size_t i = 0; i < texts.count; i++)
		json_write_string(&writer, texts.items[i]);
	if (value->kind == NODE_LIST)
		json_end_array(&writer);
	text = buffer.failed ? NULL : arena_strndup(decoder->arena, buffer.bytes, buffer.length);
	decoder->no_memory |= !text;
	if (text)
		*out = (struct json_text){.text = text, .length = buffer.length};
	buffer_release(&buffer);
}
