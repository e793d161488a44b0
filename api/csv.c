#include "api/field.h"
#include "base/clock.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as tables nest, which a test bounds. */

enum { CSV_COLUMN_MAX = 128 };

/* Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers are written elsewhere. */
void api_csv_text(const char *text, struct buffer *out)
{
	bool quoted = text[strcspn(text, "\",\r\n")] != '\0', formula = text[0] && strchr("=+-@\t\r", text[0]);

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

static void csv_number(struct buffer *out, double number)
{
	char text[40];

	if (is_given(number))
		buffer_append(out, text, json_format_double(text, number));
}

static void csv_texts(struct buffer *out, const struct text_list *texts)
{
	char joined[1024];
	size_t length = 0;

	joined[0] = '\0';
	for (size_t i = 0; i < texts->count && length < sizeof joined; i++)
		length += (size_t)snprintf(joined + length, sizeof joined - length, "%s%s", i ? " " : "", texts->items[i]);
	api_csv_text(joined, out);
}

static bool csv_has_column(const struct field *row)
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
	case FIELD_VALUE:
	case FIELD_NUMBERS:
	case FIELD_SHARES:
	case FIELD_TUPLES:
	case FIELD_LABELS:
	case FIELD_WORDS:
	case FIELD_JSON:
	case FIELD_OBJECT:
	case FIELD_MERGE:
	case FIELD_LIST:
	case FIELD_ARRAY:
	case FIELD_MAP:
	case FIELD_KIND_COUNT:
		break;
	}
	return false;
}

/* A cell of a row that has a column. */
static void csv_cell(struct buffer *out, const struct field *row, const void *member)
{
	char time[CLOCK_TEXT_MAX];

	if (row->kind == FIELD_NUMBER || row->kind == FIELD_COUNT || row->kind == FIELD_HOURS) {
		csv_number(out, *(const double *)member);
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
			api_csv_text(row->words[*(const unsigned *)member], out);
	} else if (row->kind == FIELD_TEXTS) {
		csv_texts(out, member);
	} else if (row->kind == FIELD_CHARS) {
		api_csv_text(member, out);
	} else if (*(const char *const *)member) {
		api_csv_text(*(const char *const *)member, out);
	}
}

/* Walks the columns: names into `out` when `object` is NULL, else its cells. Of a conditional object that is not there the
 * cells are empty. */
static void csv_walk(const struct field_table *table, const char *object, bool names, const char *prefix,
	struct buffer *out, bool *first)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		const char *member = object ? object + row->offset : NULL;
		char inner[CSV_COLUMN_MAX];

		if (row->kind == FIELD_MERGE) {
			csv_walk(row->table, member, names, prefix, out, first);
		} else if (row->kind == FIELD_OBJECT) {
			if (object && row->conditional && !*(const bool *)(object + row->count_offset))
				member = NULL;
			snprintf(inner, sizeof inner, "%s%s%s", prefix, row->key, field_table_is_bare(row->table) ? "" : ".");
			csv_walk(row->table, member, names, inner, out, first);
		} else if (csv_has_column(row)) {
			if (!*first)
				buffer_append_char(out, ',');
			*first = false;
			if (names)
				buffer_printf(out, "%s%s", prefix, prefix[0] && prefix[strlen(prefix) - 1] != '.' ? "" : row->key);
			else if (member)
				csv_cell(out, row, member);
		}
	}
}

void api_csv_header(const struct field_table *table, struct buffer *out)
{
	bool first = true;

	csv_walk(table, NULL, true, "", out, &first);
	buffer_append_text(out, "\r\n");
}

void api_csv_row(const struct field_table *table, const void *object, struct buffer *out)
{
	bool first = true;

	csv_walk(table, object, false, "", out, &first);
	buffer_append_text(out, "\r\n");
}

/* NOLINTEND(misc-no-recursion) */
