#include "schema/csv_table.h"

#include <string.h>

#include "schema/csv_reader.h"

struct csv_record {
	struct csv_record *next;
	size_t line;
	const char *fields[]; /* one for each column */
};

struct csv_reading {
	struct csv *csv;
	struct arena *arena;
	struct csv_record *last;
};

static enum status csv_no_memory(const struct csv *csv, struct failure *failure)
{
	return failure_set(failure, STATUS_NO_MEMORY, "%s is too large", csv->name);
}

static enum status read_header(struct csv_reading *reading, const struct csv_reader *reader, struct failure *failure)
{
	struct csv *csv = reading->csv;

	if (reader->count > CSV_COLUMNS_MAX)
		return failure_set(failure, STATUS_MALFORMED, "line %zu: the header has more than %d columns", reader->line, CSV_COLUMNS_MAX);
	csv->column_count = reader->count;
	for (size_t i = 0; i < csv->column_count; i++) {
		csv->columns[i] = arena_strdup(reading->arena, csv_reader_cell(reader, i));
		if (!csv->columns[i])
			return csv_no_memory(csv, failure);
		for (size_t j = 0; j < i; j++)
			if (strcmp(csv->columns[i], csv->columns[j]) == 0)
				return failure_set(failure, STATUS_MALFORMED, "line %zu: two columns have the same name", reader->line);
	}
	return STATUS_OK;
}

static enum status read_record(void *context, const struct csv_reader *reader, struct failure *failure)
{
	struct csv_reading *reading = context;
	struct csv *csv = reading->csv;
	struct csv_record *record;

	if (csv->column_count == 0)
		return read_header(reading, reader, failure);
	if (reader->count != csv->column_count)
		return failure_set(
			failure, STATUS_MALFORMED, "line %zu: %zu fields, the header has %zu", reader->line, reader->count, csv->column_count);
	record = arena_alloc(reading->arena, 1, sizeof *record + csv->column_count * sizeof record->fields[0]);
	if (!record)
		return csv_no_memory(csv, failure);
	record->line = reader->line;
	record->next = NULL;
	for (size_t i = 0; i < csv->column_count; i++) {
		const char *cell = csv_reader_cell(reader, i);

		record->fields[i] = *cell ? arena_strdup(reading->arena, cell) : "";
		if (!record->fields[i])
			return csv_no_memory(csv, failure);
	}
	if (reading->last)
		reading->last->next = record;
	else
		csv->next = record;
	reading->last = record;
	csv->record_count++;
	return STATUS_OK;
}

enum status csv_begin(struct csv *csv, const char *name, const char *text, size_t length, struct arena *arena, struct failure *failure)
{
	struct csv_reading reading = {.csv = csv, .arena = arena};
	struct csv_reader reader;
	struct failure own;
	enum status status;

	*csv = (struct csv){.name = name, .record_line = 1};
	failure_clear(&own);
	csv_reader_init(&reader, read_record, &reading);
	status = csv_reader_feed(&reader, text, length, &own);
	if (status == STATUS_OK)
		status = csv_reader_end(&reader, &own);
	csv_reader_release(&reader);
	if (status == STATUS_NO_MEMORY)
		return csv_no_memory(csv, failure);
	if (status != STATUS_OK)
		return failure_set(failure, STATUS_MALFORMED, "%s, %s", name, own.detail);
	if (csv->column_count == 0)
		return failure_set(failure, STATUS_MALFORMED, "%s is empty; the first line must name the columns", name);
	return STATUS_OK;
}

bool csv_next(struct csv *csv)
{
	if (!csv->next)
		return false;
	csv->fields = csv->next->fields;
	csv->record_line = csv->next->line;
	csv->next = csv->next->next;
	return true;
}
