#include "hwdb/csv.h"

#include <stdbool.h>
#include <string.h>

static enum status csv_refuse(const struct csv *csv, struct failure *failure, const char *what)
{
	return failure_set(failure, STATUS_MALFORMED, "%s, line %zu: %s", csv->name, csv->record_line, what);
}

static bool at_line_end(const struct csv *csv)
{
	return csv->at == csv->end || *csv->at == '\n' ||
		   (*csv->at == '\r' && csv->at + 1 < csv->end && csv->at[1] == '\n');
}

static void skip_line_end(struct csv *csv)
{
	if (csv->at == csv->end)
		return;
	csv->at += *csv->at == '\r' ? 2 : 1;
	csv->line++;
}

/* A quoted field, csv->at behind its opening quote: at most as long as its source. */
static enum status read_quoted(struct csv *csv, const char **field, struct failure *failure)
{
	const char *scan = csv->at;
	char *copy, *out;

	while (scan < csv->end && !(*scan == '"' && (scan + 1 == csv->end || scan[1] != '"')))
		scan += *scan == '"' ? 2 : 1;
	if (scan >= csv->end)
		return csv_refuse(csv, failure, "a quoted field does not end");
	copy = out = arena_alloc(csv->arena, (size_t)(scan - csv->at) + 1, 1);
	if (!copy)
		return failure_set(failure, STATUS_NO_MEMORY, "%s is too large", csv->name);
	for (; csv->at < scan; csv->at++) {
		csv->line += *csv->at == '\n';
		*out++ = *csv->at;
		csv->at += *csv->at == '"';
	}
	csv->at++;
	*field = copy;
	if (!at_line_end(csv) && *csv->at != ',')
		return csv_refuse(csv, failure, "text follows a closing quote");
	return STATUS_OK;
}

static enum status read_plain(struct csv *csv, const char **field, struct failure *failure)
{
	const char *begin = csv->at;

	for (; !at_line_end(csv) && *csv->at != ','; csv->at++)
		if (*csv->at == '"')
			return csv_refuse(csv, failure, "a quote stands inside a field that does not begin with one");
	*field = begin == csv->at ? "" : arena_strndup(csv->arena, begin, (size_t)(csv->at - begin));
	return *field ? STATUS_OK : failure_set(failure, STATUS_NO_MEMORY, "%s is too large", csv->name);
}

/* One record into fields[]; *count 0 at the end of the text. */
static enum status read_record(struct csv *csv, size_t *count, struct failure *failure)
{
	*count = 0;
	while (csv->at < csv->end && at_line_end(csv))
		skip_line_end(csv);
	csv->record_line = csv->line;
	while (csv->at < csv->end) {
		bool quoted = *csv->at == '"';
		enum status status;

		if (*count == CSV_COLUMNS_MAX)
			return csv_refuse(csv, failure, "too many columns");
		csv->at += quoted;
		status =
			quoted ? read_quoted(csv, &csv->fields[*count], failure) : read_plain(csv, &csv->fields[*count], failure);
		if (status != STATUS_OK)
			return status;
		++*count;
		if (at_line_end(csv))
			break;
		csv->at++;
		if (csv->at == csv->end) { /* "a,b," ends with an empty field */
			if (*count == CSV_COLUMNS_MAX)
				return csv_refuse(csv, failure, "too many columns");
			csv->fields[(*count)++] = "";
		}
	}
	skip_line_end(csv);
	return STATUS_OK;
}

enum status csv_begin(
	struct csv *csv, const char *name, const char *text, size_t length, struct arena *arena, struct failure *failure)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	size_t marked = length >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
	enum status status;

	*csv = (struct csv){
		.name = name, .at = text + marked, .end = text + length, .arena = arena, .line = 1, .record_line = 1};
	if (memchr(text, 0, length))
		return csv_refuse(csv, failure, "holds a NUL byte");
	status = read_record(csv, &csv->column_count, failure);
	if (status != STATUS_OK)
		return status;
	if (csv->column_count == 0)
		return csv_refuse(csv, failure, "is empty: a line of column names was expected");
	memcpy(csv->columns, csv->fields, csv->column_count * sizeof csv->columns[0]);
	for (size_t i = 0; i < csv->column_count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(csv->columns[i], csv->columns[j]) == 0)
				return csv_refuse(csv, failure, "two columns have one name");
	return STATUS_OK;
}

enum status csv_next(struct csv *csv, bool *more, struct failure *failure)
{
	size_t count;
	enum status status = read_record(csv, &count, failure);

	*more = status == STATUS_OK && count > 0;
	if (*more && count != csv->column_count)
		return failure_set(failure, STATUS_MALFORMED, "%s, line %zu: %zu fields, the header has %zu", csv->name,
			csv->record_line, count, csv->column_count);
	return status;
}

size_t csv_records_at_most(const struct csv *csv)
{
	size_t lines = 1;

	for (const char *at = csv->at; at < csv->end; at++)
		lines += *at == '\n';
	return lines;
}
