#include <math.h>

#include "api/decode.h"
#include "hwdb/json_tree.h"

/* A pointer and a count, as every list struct begins. */
struct list {
	void *items;
	size_t count;
};

/* Checks type and length, and makes room; NULL after a fault and for an empty list. */
static void *decode_room(struct decoder *decoder, const struct field *row, const struct path *path, const json_t *value,
	size_t size, size_t *count)
{
	void *items;

	*count = 0;
	if (!json_is_array(value)) {
		decode_wrong_type(decoder, path, "a list", value);
		return NULL;
	}
	*count = json_array_size(value);
	if (*count == 0) {
		decoder_fault(decoder, path, "empty", "should not be empty; leave it out instead");
		return NULL;
	}
	if ((double)*count > row->maximum) {
		decoder_fault(decoder, path, "too_many", "should have at most %.0f elements, has %zu", row->maximum, *count);
		return NULL;
	}
	if (row->lengths[0] && *count != row->lengths[0] && *count != row->lengths[1]) {
		decoder_fault(decoder, path, "wrong_length", "should have %zu or %zu elements, has %zu", row->lengths[0],
			row->lengths[1], *count);
		return NULL;
	}
	items = arena_alloc(decoder->arena, *count, size);
	decoder->no_memory |= !items;
	return items;
}

void decode_texts(struct decoder *decoder, const struct field *row, const struct path *path, const json_t *value,
	struct text_list *out)
{
	size_t count;
	const char **items = decode_room(decoder, row, path, value, sizeof *items, &count);

	if (!items)
		return;
	for (size_t i = 0; i < count; i++) {
		struct path at = {.up = path, .index = i};

		decode_text(decoder, row, &at, json_array_get(value, i), &items[i]);
	}
	*out = (struct text_list){.items = items, .count = count};
}

void decode_numbers(struct decoder *decoder, const struct field *row, const struct path *path, const json_t *value,
	struct number_list *out)
{
	const struct field item = {
		.key = row->key, .kind = FIELD_NUMBER, .minimum = row->item_minimum, .maximum = row->item_maximum};
	size_t count;
	double *items = decode_room(decoder, row, path, value, sizeof *items, &count);

	if (!items)
		return;
	for (size_t i = 0; i < count; i++) {
		struct path at = {.up = path, .index = i};

		decode_number(decoder, &item, &at, json_array_get(value, i), &items[i]);
	}
	*out = (struct number_list){.items = items, .count = count};
}

void decode_tuples(
	struct decoder *decoder, const struct field *row, const struct path *path, const json_t *value, void *out)
{
	const struct field item = {.key = row->key, .kind = FIELD_NUMBER, .minimum = 0, .maximum = 1e9};
	size_t count;
	double *items = decode_room(decoder, row, path, value, row->width * sizeof *items, &count);

	if (!items)
		return;
	for (size_t i = 0; i < count; i++) {
		struct path at = {.up = path, .index = i};
		const json_t *tuple = json_array_get(value, i);

		if (!json_is_array(tuple) || json_array_size(tuple) != row->width) {
			decoder_fault(decoder, &at, "wrong_type", "should be a list of %zu numbers", row->width);
			continue;
		}
		for (size_t j = 0; j < row->width; j++) {
			struct path inner = {.up = &at, .index = j};

			decode_number(decoder, &item, &inner, json_array_get(tuple, j), &items[i * row->width + j]);
		}
	}
	memcpy((char *)out + row->offset, &items, sizeof items);
	memcpy((char *)out + row->count_offset, &count, sizeof count);
}

void decode_list(
	struct decoder *decoder, const struct field *row, const struct path *path, const json_t *value, void *member)
{
	struct list list;
	char *items = decode_room(decoder, row, path, value, row->table->size, &list.count);
	bool patching = decoder->patching;

	if (!items)
		return;
	decoder->patching = false; /* RFC 7396: lists are replaced whole */
	for (size_t i = 0; i < list.count; i++) {
		struct path at = {.up = path, .index = i};

		field_table_clear(row->table, items + i * row->table->size);
		decode_nested(decoder, row->table, &at, json_array_get(value, i), items + i * row->table->size);
	}
	decoder->patching = patching;
	list.items = items;
	memcpy(member, &list, sizeof list);
}

void decode_json(struct decoder *decoder, const struct path *path, const json_t *value, struct json_text *out)
{
	const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
	size_t length;
	char *text;

	if (!json_is_object(value)) {
		decode_wrong_type(decoder, path, "an object", value);
		return;
	}
	length = json_dumpb(value, NULL, 0, flags);
	text = length ? arena_alloc(decoder->arena, length + 1, 1) : NULL;
	decoder->no_memory |= !text;
	if (text && json_dumpb(value, text, length, flags) == length)
		*out = (struct json_text){.text = text, .length = length};
}

/* --- labels ---------------------------------------------------------------------------------------------------- */

/* Labels that were there before, for a patch to merge into; NULL without memory to read them. */
static json_t *decode_labels_before(struct decoder *decoder, const struct json_text *labels)
{
	bool no_memory;
	json_t *before = decoder->patching && labels->text ? json_tree_read(labels->text, labels->length, 0, NULL, &no_memory) : json_object();

	decoder->no_memory |= !before;
	return before;
}

static void decode_label(struct decoder *decoder, const struct path *path, const json_t *value, json_t *labels)
{
	const struct field name = {.key = "", .kind = FIELD_TEXT, .maximum = LABEL_KEY_MAX};
	const struct field text = {.key = "", .kind = FIELD_TEXT, .maximum = LABEL_VALUE_MAX};

	if (decoder->patching && json_is_null(value)) {
		json_object_del(labels, path->key);
		return;
	}
	if (!json_is_string(value)) {
		decode_wrong_type(decoder, path, "text", value);
		return;
	}
	if (decode_check_text(decoder, &name, path, path->key, strlen(path->key)) &&
		decode_check_text(decoder, &text, path, json_string_value(value), json_string_length(value)))
		decoder->no_memory |= json_object_set_new(labels, path->key, json_string(json_string_value(value))) != 0;
}

void decode_labels(struct decoder *decoder, const struct field *row, const struct path *path, const json_t *value,
	struct json_text *out)
{
	json_t *walked = (json_t *)(uintptr_t)value; /* the iterator takes it as writable, and does not write */
	json_t *labels;

	if (!json_is_object(value)) {
		decode_wrong_type(decoder, path, "an object of texts", value);
		return;
	}
	labels = decode_labels_before(decoder, out);
	if (!labels)
		return;
	for (void *at = json_object_iter(walked); at; at = json_object_iter_next(walked, at)) {
		struct path here = {.up = path, .key = json_object_iter_key(at)};

		decode_label(decoder, &here, json_object_iter_value(at), labels);
	}
	if ((double)json_object_size(labels) > row->maximum)
		decoder_fault(decoder, path, "too_many", "should have at most %.0f labels, has %zu", row->maximum,
			json_object_size(labels));
	else if (json_object_size(labels) == 0)
		*out = (struct json_text){0};
	else
		decode_json(decoder, path, labels, out);
	json_decref(labels);
}

/* --- one word, or a list of words ------------------------------------------------------------------------------ */
void decode_words(struct decoder *decoder, const struct field *row, const struct path *path, const json_t *value,
	struct json_text *out)
{
	const struct field word = {.key = row->key,
		.kind = FIELD_TEXT,
		.maximum = WORD_LENGTH_MAX,
		.form = FORM_SLUG,
		.words = row->words,
		.word_count = row->word_count};
	struct field many = word;
	struct text_list texts = {0};
	struct json_writer writer;
	struct buffer buffer;
	char *text;

	many.kind = FIELD_TEXTS;
	many.maximum = row->maximum;
	many.item_maximum = word.maximum;
	if (json_is_array(value)) {
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
	if (json_is_array(value))
		json_begin_array(&writer);
	for (size_t i = 0; i < texts.count; i++)
		json_write_string(&writer, texts.items[i]);
	if (json_is_array(value))
		json_end_array(&writer);
	text = buffer.failed ? NULL : arena_strndup(decoder->arena, buffer.bytes, buffer.length);
	decoder->no_memory |= !text;
	if (text)
		*out = (struct json_text){.text = text, .length = buffer.length};
	buffer_release(&buffer);
}
