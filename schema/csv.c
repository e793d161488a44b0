#include "base/clock.h"
#include "schema/field.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as tables nest, which a test bounds. */

/* CSV_TEXTS_MAX: room for 32 aliases of 128 bytes. */
enum { CSV_COLUMN_MAX = 128, CSV_TEXTS_MAX = 8192 };

bool csv_is_formula(const char *text)
{
	text += strspn(text, "'");
	return *text && strchr("=+-@\t\r", *text);
}

void csv_text(const char *text, struct buffer *out)
{
	bool quoted = text[strcspn(text, "\",\r\n")] != '\0', formula = csv_is_formula(text);

	if (formula || quoted)
		buffer_append_char(out, '"');
	if (formula)
		buffer_append_char(out, '\'');
	for (const char *c = text; *c; c++) {
		if (*c == '"')
			buffer_append_char(out, '"');
		buffer_append_char(out, *c);
	}
	if (formula || quoted)
		buffer_append_char(out, '"');
}

static void csv_number(struct buffer *out, enum csv_use use, double number)
{
	char text[JSON_NUMBER_SIZE];

	if (is_given(number))
		buffer_append(out, text, use == CSV_EXPORT ? json_format_exact(text, number) : json_format_double(text, number));
}

static void csv_texts(struct buffer *out, const struct text_list *texts)
{
	char joined[CSV_TEXTS_MAX] = "";
	size_t length = 0;

	for (size_t i = 0; i < texts->count && length < sizeof joined; i++)
		length += (size_t)snprintf(joined + length, sizeof joined - length, "%s%s", i ? " " : "", texts->items[i]);
	csv_text(joined, out);
}

static bool csv_has_column(const struct field *row, enum csv_use use)
{
	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
	case FIELD_INTEGER:
	case FIELD_SIZE:
	case FIELD_TRUTH:
	case FIELD_BOOL:
	case FIELD_TEXT:
	case FIELD_CHARS:
	case FIELD_TIME:
	case FIELD_CHOICE:
	case FIELD_TEXTS:
		return !(row->flags & WRITE_ONLY);
	case FIELD_JSON:
	case FIELD_LIST:
		return use == CSV_EXPORT && !(row->flags & READ_ONLY);
	case FIELD_ARRAY:
		return use == CSV_LIST && row->flags & CELL;
	case FIELD_VALUE:
	case FIELD_NUMBERS:
	case FIELD_SHARES:
	case FIELD_TUPLES:
	case FIELD_LABELS:
	case FIELD_WORDS:
	case FIELD_OBJECT:
	case FIELD_MERGE:
	case FIELD_MAP:
	case FIELD_KIND_COUNT:
		break;
	}
	return false;
}

/* Writes objects as a JSON list. Writes nothing if there are none. */
static void csv_items(struct buffer *out, const struct field *row, const char *items, size_t count, bool exact)
{
	struct json_writer writer;

	if (count == 0)
		return;
	json_writer_init(&writer, out);
	writer.exact = exact;
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		record_encode(row->table, items + i * row->table->size, &writer);
	json_end_array(&writer);
}

static void csv_list(struct buffer *out, const struct field *row, const void *member)
{
	const struct {
		const char *items;
		size_t count;
	} *list = member;

	csv_items(out, row, list->items, list->count, true);
}

static void csv_array_cell(struct buffer *out, const struct field *row, const char *items, size_t count)
{
	struct buffer text;

	buffer_init(&text, out->maximum);
	csv_items(&text, row, items, count, false);
	if (text.length)
		csv_text(text.bytes, out);
	out->failed |= text.failed;
	buffer_release(&text);
}

static void csv_list_cell(struct buffer *out, const struct field *row, const void *member)
{
	struct buffer text;

	buffer_init(&text, out->maximum);
	csv_list(&text, row, member);
	if (text.length)
		csv_text(text.bytes, out);
	out->failed |= text.failed;
	buffer_release(&text);
}

/* Writes the cell of a row that has a column. */
static void csv_cell(struct buffer *out, enum csv_use use, const struct field *row, const void *member)
{
	char time[CLOCK_TEXT_MAX];

	if (row->kind == FIELD_NUMBER || row->kind == FIELD_COUNT || row->kind == FIELD_HOURS) {
		csv_number(out, use, *(const double *)member);
	} else if (row->kind == FIELD_INTEGER) {
		if (*(const int64_t *)member != ABSENT_COUNT)
			buffer_printf(out, "%lld", (long long)*(const int64_t *)member);
	} else if (row->kind == FIELD_SIZE) {
		buffer_printf(out, "%zu", *(const size_t *)member);
	} else if (row->kind == FIELD_TIME) {
		if (*(const int64_t *)member > 0) {
			clock_format(time, *(const int64_t *)member);
			buffer_append_text(out, time);
		}
	} else if (row->kind == FIELD_TRUTH) {
		if (*(const enum truth *)member != TRUTH_UNSET)
			buffer_append_text(out, *(const enum truth *)member == TRUTH_TRUE ? "true" : "false");
	} else if (row->kind == FIELD_BOOL) {
		buffer_append_text(out, *(const bool *)member ? "true" : "false");
	} else if (row->kind == FIELD_CHOICE) {
		CHECK(*(const unsigned *)member < row->word_count);
		if (row->words[*(const unsigned *)member])
			csv_text(row->words[*(const unsigned *)member], out);
	} else if (row->kind == FIELD_TEXTS) {
		csv_texts(out, member);
	} else if (row->kind == FIELD_LIST) {
		csv_list_cell(out, row, member);
	} else if (row->kind == FIELD_JSON) {
		if (((const struct json_text *)member)->text)
			csv_text(((const struct json_text *)member)->text, out);
	} else if (row->kind == FIELD_CHARS) {
		csv_text(member, out);
	} else if (*(const char *const *)member) {
		csv_text(*(const char *const *)member, out);
	}
}

/* Writes the names of the columns if `names` is true, else the cells of `object`. The cells of a conditional object
 * that is absent are empty. */
static void csv_walk(
	const struct field_table *table, enum csv_use use, const char *object, bool names, const char *prefix, struct buffer *out, bool *first)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		const char *member = object ? object + row->offset : NULL;
		char inner[CSV_COLUMN_MAX];

		if (row->kind == FIELD_MERGE) {
			csv_walk(row->table, use, member, names, prefix, out, first);
		} else if (row->kind == FIELD_OBJECT) {
			if (object && row->conditional && !*(const bool *)(object + row->count_offset))
				member = NULL;
			snprintf(inner, sizeof inner, "%s%s%s", prefix, row->key, field_table_is_bare(row->table) ? "" : ".");
			csv_walk(row->table, use, member, names, inner, out, first);
		} else if (csv_has_column(row, use)) {
			if (!*first)
				buffer_append_char(out, ',');
			*first = false;
			if (names)
				buffer_printf(out, "%s%s", prefix, prefix[0] && prefix[strlen(prefix) - 1] != '.' ? "" : row->key);
			else if (member && row->kind == FIELD_ARRAY)
				csv_array_cell(out, row, member, *(const size_t *)(const void *)(object + row->count_offset));
			else if (member)
				csv_cell(out, use, row, member);
		}
	}
}

void csv_header(const struct field_table *table, enum csv_use use, struct buffer *out)
{
	bool first = true;

	csv_walk(table, use, NULL, true, "", out, &first);
	buffer_append_text(out, "\r\n");
}

void csv_row(const struct field_table *table, enum csv_use use, const void *object, struct buffer *out)
{
	bool first = true;

	csv_walk(table, use, object, false, "", out, &first);
	buffer_append_text(out, "\r\n");
}

/* --- differences of two rows ---------------------------------------------------------------------------------------- */

struct csv_pair {
	struct buffer before, after;
	record_difference *report;
	void *context;
};

/* Writes a member as text, without the quotes of a cell. */
static void csv_write_plain(struct buffer *out, const struct field *row, const void *member)
{
	const char *text = row->kind == FIELD_TEXT ? *(const char *const *)member
		: row->kind == FIELD_JSON              ? ((const struct json_text *)member)->text
											   : NULL;

	if (text)
		buffer_append_text(out, text);
	else if (row->kind == FIELD_LIST)
		csv_list(out, row, member);
	else if (row->kind != FIELD_TEXT && row->kind != FIELD_JSON)
		csv_cell(out, CSV_EXPORT, row, member);
}

static const char *text_or_null(const struct buffer *text)
{
	return text->length ? text->bytes : NULL;
}

static void csv_compare(struct csv_pair *pair, const struct field_table *table, const char *before, const char *after)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		if (row->kind == FIELD_MERGE) {
			csv_compare(pair, row->table, before + row->offset, after + row->offset);
			continue;
		}
		if (row->flags & READ_ONLY || !csv_has_column(row, CSV_EXPORT))
			continue;
		buffer_clear(&pair->before);
		buffer_clear(&pair->after);
		csv_write_plain(&pair->before, row, before + row->offset);
		csv_write_plain(&pair->after, row, after + row->offset);
		if (pair->before.length != pair->after.length ||
			memcmp(pair->before.length ? pair->before.bytes : "", pair->after.length ? pair->after.bytes : "", pair->before.length) != 0)
			pair->report(pair->context, row->key, text_or_null(&pair->before), text_or_null(&pair->after));
	}
}

void record_differences(const struct field_table *table, const void *before, const void *after, record_difference *report, void *context)
{
	struct csv_pair pair = {.report = report, .context = context};

	buffer_init(&pair.before, 4 * 1024 * 1024);
	buffer_init(&pair.after, 4 * 1024 * 1024);
	csv_compare(&pair, table, before, after);
	buffer_release(&pair.before);
	buffer_release(&pair.after);
}

/* NOLINTEND(misc-no-recursion) */
