#include <string.h>

#include "base/clock.h"
#include "schema/field.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as tables nest, which a test bounds. */

/* Members are read in place. Offsets come from offsetof, so each member is aligned for its type. */
struct list {
	const void *items;
	size_t count;
};

static bool encode_is_present(const struct field *row, const void *object);

static bool encode_any_present(const struct field_table *table, const void *object, const struct field *except)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		if (row != except && !(row->flags & WRITE_ONLY) && encode_is_present(row, object))
			return true;
	}
	return false;
}

static bool encode_is_present(const struct field *row, const void *object)
{
	const char *member = (const char *)object + row->offset;
	const char *beside = (const char *)object + row->count_offset;

	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
		return is_given(*(const double *)(const void *)member);
	case FIELD_INTEGER:
		return *(const int64_t *)(const void *)member != ABSENT_COUNT;
	case FIELD_TIME:
		return *(const int64_t *)(const void *)member > 0;
	case FIELD_TRUTH:
	case FIELD_CHOICE:
		return *(const unsigned *)(const void *)member != 0;
	case FIELD_SIZE:
		return *(const size_t *)(const void *)member > 0;
	case FIELD_BOOL:
		return !(row->flags & IF_TRUE) || *(const bool *)(const void *)member;
	case FIELD_TEXT:
	case FIELD_LABELS:
	case FIELD_WORDS:
	case FIELD_JSON:
		return *(const char *const *)(const void *)member != NULL; /* json_text begins with its text */
	case FIELD_CHARS:
		return member[0] != '\0';
	case FIELD_VALUE:
		return is_given(*(const double *)(const void *)member) || *(const char *const *)(const void *)beside;
	case FIELD_TEXTS:
	case FIELD_NUMBERS:
	case FIELD_LIST:
		return ((const struct list *)(const void *)member)->count > 0;
	case FIELD_SHARES:
	case FIELD_ARRAY:
		return true; /* an empty list in an answer is information */
	case FIELD_MAP:
		return *(const size_t *)(const void *)beside > 0;
	case FIELD_OBJECT:
		return (!row->conditional || *(const bool *)beside) && encode_any_present(row->table, member, NULL);
	case FIELD_MERGE:
		return !(row->flags & POINTED) && encode_any_present(row->table, member, NULL);
	case FIELD_TUPLES:
	case FIELD_KIND_COUNT:
		break;
	}
	return false;
}

static void encode_time(int64_t wall_us, struct json_writer *writer)
{
	char text[CLOCK_TEXT_MAX];

	clock_format(text, wall_us);
	json_string(writer, text);
}

static void encode_texts(const struct text_list *texts, struct json_writer *writer)
{
	json_begin_array(writer);
	for (size_t i = 0; i < texts->count; i++)
		json_string(writer, texts->items[i]);
	json_end_array(writer);
}

static void encode_numbers(const struct number_list *numbers, struct json_writer *writer)
{
	json_begin_array(writer);
	for (size_t i = 0; i < numbers->count; i++)
		json_double(writer, numbers->items[i]);
	json_end_array(writer);
}

static void encode_shares(const struct field *row, const double *shares, struct json_writer *writer)
{
	json_begin_object(writer);
	for (size_t i = 0; i < row->word_count; i++) {
		if (row->words[i] && is_given(shares[i]) && shares[i] > 0) {
			json_key(writer, row->words[i]);
			json_double(writer, shares[i]);
		}
	}
	json_end_object(writer);
}

static void encode_items(const struct field *row, const char *items, size_t count, struct json_writer *writer)
{
	json_begin_array(writer);
	for (size_t i = 0; i < count; i++)
		record_encode(row->table, items + i * row->table->size, writer);
	json_end_array(writer);
}

static void encode_map(const struct field *row, const char *items, size_t count, struct json_writer *writer)
{
	json_begin_object(writer);
	for (size_t i = 0; i < count; i++) {
		const char *item = items + i * row->table->size;

		json_key_escaped(writer, *(const char *const *)(const void *)item);
		record_encode(row->table, item, writer);
	}
	json_end_object(writer);
}

static void encode_number(const struct field *row, double number, struct json_writer *writer)
{
	if (row->number_word.word && !(number < row->number_word.number) && !(number > row->number_word.number))
		json_string(writer, row->number_word.word);
	else
		json_double(writer, number);
}

static void encode_either(double number, const char *text, struct json_writer *writer)
{
	if (is_given(number))
		json_double(writer, number);
	else
		json_string(writer, text);
}

static void encode_value(const struct field *row, const void *object, struct json_writer *writer)
{
	const char *bytes = (const char *)object + row->offset;
	const void *member = bytes, *beside = (const char *)object + row->count_offset;

	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
		encode_number(row, *(const double *)member, writer);
		break;
	case FIELD_INTEGER:
		json_integer(writer, *(const int64_t *)member);
		break;
	case FIELD_SIZE:
		json_integer(writer, (int64_t) * (const size_t *)member);
		break;
	case FIELD_TRUTH:
		json_bool(writer, *(const enum truth *)member == TRUTH_TRUE);
		break;
	case FIELD_BOOL:
		json_bool(writer, *(const bool *)member);
		break;
	case FIELD_TEXT:
		json_string(writer, *(const char *const *)member);
		break;
	case FIELD_CHARS:
		json_string(writer, bytes);
		break;
	case FIELD_TIME:
		encode_time(*(const int64_t *)member, writer);
		break;
	case FIELD_CHOICE:
		CHECK(*(const unsigned *)member < row->word_count);
		json_string(writer, row->words[*(const unsigned *)member]);
		break;
	case FIELD_VALUE:
		encode_either(*(const double *)member, *(const char *const *)beside, writer);
		break;
	case FIELD_TEXTS:
		encode_texts(member, writer);
		break;
	case FIELD_NUMBERS:
		encode_numbers(member, writer);
		break;
	case FIELD_SHARES:
		encode_shares(row, member, writer);
		break;
	case FIELD_LABELS:
	case FIELD_WORDS:
	case FIELD_JSON:
		json_raw(writer, ((const struct json_text *)member)->text, ((const struct json_text *)member)->length);
		break;
	case FIELD_OBJECT:
		record_encode(row->table, member, writer);
		break;
	case FIELD_LIST:
		encode_items(row, ((const struct list *)member)->items, ((const struct list *)member)->count, writer);
		break;
	case FIELD_ARRAY:
		encode_items(row, bytes, *(const size_t *)beside, writer);
		break;
	case FIELD_MAP:
		encode_map(row, bytes, *(const size_t *)beside, writer);
		break;
	case FIELD_MERGE:
	case FIELD_TUPLES:
	case FIELD_KIND_COUNT:
		break;
	}
}

/* True if the answer has none of the row's parts. */
static bool encode_is_omitted(const struct field *row, const struct json_writer *writer)
{
	return row->parts && (row->parts & ~writer->omitted) == 0;
}

/* The number of items of an ARRAY whose parts are left out. */
static size_t encode_lean_count(const struct field *row, const void *object)
{
	size_t count = *(const size_t *)(const void *)((const char *)object + row->count_offset);

	return count < row->lean_items ? count : row->lean_items;
}

static const void *encode_merged(const struct field *row, const void *object)
{
	const void *member = (const char *)object + row->offset;

	return row->flags & POINTED ? *(const void *const *)member : member;
}

void record_encode_members(const struct field_table *table, const void *object, struct json_writer *writer)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		bool omitted = encode_is_omitted(row, writer);

		if (omitted && row->lean_items == 0)
			continue;
		if (row->kind == FIELD_MERGE) {
			const void *merged = encode_merged(row, object);

			if (merged)
				record_encode_members(row->table, merged, writer);
		} else if (omitted) {
			json_key_n(writer, row->key, row->key_length);
			encode_items(row, (const char *)object + row->offset, encode_lean_count(row, object), writer);
		} else if (!(row->flags & WRITE_ONLY) && encode_is_present(row, object)) {
			json_key_n(writer, row->key, row->key_length);
			encode_value(row, object, writer);
		}
	}
}

void record_encode(const struct field_table *table, const void *object, struct json_writer *writer)
{
	if (table->shorthand && encode_is_present(table->shorthand, object) && !encode_any_present(table, object, table->shorthand)) {
		encode_value(table->shorthand, object, writer);
		return;
	}
	json_begin_object(writer);
	record_encode_members(table, object, writer);
	json_end_object(writer);
}

static void encode_named(const struct field_table *table, const void *object, const struct text_list *keys, struct json_writer *writer)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		if (row->kind == FIELD_MERGE && encode_merged(row, object))
			encode_named(row->table, encode_merged(row, object), keys, writer);
		for (size_t k = 0; k < keys->count && row->kind != FIELD_MERGE; k++)
			if (strcmp(keys->items[k], row->key) == 0 && encode_is_present(row, object)) {
				json_key_n(writer, row->key, row->key_length);
				encode_value(row, object, writer);
				break;
			}
	}
}

void record_encode_fields(const struct field_table *table, const void *object, const struct text_list *keys, struct json_writer *writer)
{
	json_begin_object(writer);
	encode_named(table, object, keys, writer);
	json_end_object(writer);
}

/* NOLINTEND(misc-no-recursion) */
