#include "hwdb/rows/rows_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwdb/catalogue/catalogue_tables.h"
#include "schema/csv_table.h"

/* The destination of a column's cells: a row of the table, and the offset from the row's start. */
struct column {
	const struct field *field;
	size_t offset;
};

static void row_clear(const struct field_table *table, void *row, struct row_meta *meta)
{
	field_table_clear(table, row);
	*meta = (struct row_meta){0};
}

void accelerator_row_clear(struct accelerator_row *row)
{
	row_clear(&table_accelerator, row, &row->meta);
}

void price_row_clear(struct price_row *row)
{
	row_clear(&table_price, row, &row->meta);
}

void region_row_clear(struct region_row *row)
{
	row_clear(&table_region, row, &row->meta);
}

void accelerator_apply_changes(struct accelerator *accelerator, const struct accelerator *changes, char *changed, size_t size)
{
	size_t used = 0;

	changed[0] = '\0';
	for (size_t i = 0; i < table_accelerator_fields.row_count; i++) {
		const struct field *field = &table_accelerator_fields.rows[i];
		const void *from = (const char *)changes + field->offset;
		void *to = (char *)accelerator + field->offset;

		if (field->kind == FIELD_NUMBER && is_given(*(const double *)from))
			*(double *)to = *(const double *)from;
		else if (field->kind == FIELD_INTEGER && *(const int64_t *)from != ABSENT_COUNT)
			*(int64_t *)to = *(const int64_t *)from;
		else if (field->kind == FIELD_TEXT && *(const char *const *)from)
			*(const char **)to = *(const char *const *)from;
		else
			continue;
		used += (size_t)snprintf(changed + used, size - used, "%s%s", used ? ", " : "", field->key);
		used = used < size ? used : size - 1;
	}
}

/* Accepts decimal digits only, so that "0x10", "inf" and "nan" are rejected. */
static bool parse_number(const char *text, double *number)
{
	char *end;

	if (text[strspn(text, "0123456789.eE+-")])
		return false;
	errno = 0;
	*number = strtod(text, &end);
	return end != text && !*end && errno == 0 && isfinite(*number);
}

static bool store_cell(const struct column *column, const char *text, void *row)
{
	void *cell = (char *)row + column->offset;
	double number;

	if (!*text)
		return true;
	if (column->field->kind == FIELD_TEXT) {
		*(const char **)cell = text;
		return true;
	}
	if (!parse_number(text, &number))
		return false;
	if (column->field->kind == FIELD_NUMBER) {
		*(double *)cell = number;
		return true;
	}
	if (number < 0 || number > 1e15 || number != floor(number))
		return false;
	*(int64_t *)cell = (int64_t)number;
	return true;
}

/* The table and the functions of one kind of row. */
struct reader {
	const struct field_table *table;
	void (*clear)(void *row);
	/* Fills members that are not columns (origin, id). False when the row has no key. */
	bool (*finish)(struct arena *arena, const struct rows_source *source, void *row);
	const char *key; /* names of the key columns, for the message */
};

static enum status map_columns(const struct csv *csv, const struct field_table *table, void *row, struct column *map, struct failure *failure)
{
	for (size_t i = 0; i < csv->column_count; i++) {
		void *object = row;
		const struct field *field = field_find(table, csv->columns[i], &object);

		if (!field || field->flags & READ_ONLY || (field->kind != FIELD_TEXT && field->kind != FIELD_NUMBER && field->kind != FIELD_INTEGER))
			return failure_set(failure, STATUS_INVALID, "%s: unknown column \"%s\"", csv->name, csv->columns[i]);
		map[i] = (struct column){field, (size_t)((char *)object - (char *)row) + field->offset};
	}
	return STATUS_OK;
}

static enum status read_row(const struct csv *csv, const struct column *map, void *row, struct failure *failure)
{
	for (size_t i = 0; i < csv->column_count; i++) {
		CHECK(map[i].field);
		if (!store_cell(&map[i], csv->fields[i], row))
			return failure_set(failure, STATUS_INVALID, "%s, line %zu: \"%s\" is not a %s for %s", csv->name, csv->record_line,
				csv->fields[i], map[i].field->kind == FIELD_INTEGER ? "count" : "number", map[i].field->key);
	}
	return STATUS_OK;
}

static enum status read_rows(
	const struct rows_source *source, const struct reader *reader, struct arena *arena, void **rows, size_t *count, struct failure *failure)
{
	struct column map[CSV_COLUMNS_MAX] = {0};
	struct csv csv;
	enum status status = csv_begin(&csv, source->name, source->text, source->length, arena, failure);

	*count = 0;
	if (status != STATUS_OK)
		return status;
	*rows = arena_alloc(arena, csv.record_count + 1, reader->table->size);
	if (!*rows)
		return failure_set(failure, STATUS_NO_MEMORY, "%s is too large", source->name);
	status = map_columns(&csv, reader->table, *rows, map, failure);
	if (status != STATUS_OK)
		return status;
	while (csv_next(&csv)) {
		void *row = (char *)*rows + *count * reader->table->size;

		reader->clear(row);
		status = read_row(&csv, map, row, failure);
		if (status != STATUS_OK)
			return status;
		if (!reader->finish(arena, source, row))
			return failure_set(failure, STATUS_INVALID, "%s, line %zu: a row needs %s", source->name, csv.record_line, reader->key);
		++*count;
	}
	return status;
}

static void clear_accelerator(void *row)
{
	accelerator_row_clear(row);
}

static bool finish_accelerator(struct arena *arena, const struct rows_source *source, void *row)
{
	struct accelerator_row *accelerator = row;

	(void)arena;
	accelerator->meta.origin = source->origin;
	accelerator->meta.source = accelerator->accelerator.source;
	accelerator->meta.source_date = accelerator->accelerator.source_date;
	return accelerator->accelerator.id != NULL;
}

static void clear_price(void *row)
{
	price_row_clear(row);
}

static bool finish_price(struct arena *arena, const struct rows_source *source, void *row)
{
	struct price_row *price = row;

	price->meta.origin = source->origin;
	price->meta.source_date = price->as_of;
	if (!price->id && price->provider && price->instance_type && price->pricing_model)
		price->id = rows_text_price_id(arena, price);
	return price->id && price->provider && price->instance_type && price->accelerator_id && price->pricing_model;
}

static void clear_region(void *row)
{
	region_row_clear(row);
}

static bool finish_region(struct arena *arena, const struct rows_source *source, void *row)
{
	struct region_row *region = row;

	region->meta.origin = source->origin;
	if (!region->id && region->provider && region->region_id)
		region->id = rows_text_region_id(arena, region);
	return region->id && region->provider && region->region_id;
}

enum status rows_text_accelerators(const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	static const struct reader reader = {&table_accelerator, clear_accelerator, finish_accelerator, "an id"};

	return read_rows(source, &reader, arena, (void **)&rows->accelerators, &rows->accelerator_count, failure);
}

enum status rows_text_prices(const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	static const struct reader reader = {
		&table_price, clear_price, finish_price, "provider, instance_type, accelerator_id and pricing_model"};

	return read_rows(source, &reader, arena, (void **)&rows->prices, &rows->price_count, failure);
}

enum status rows_text_regions(const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	static const struct reader reader = {&table_region, clear_region, finish_region, "provider and region_id"};

	return read_rows(source, &reader, arena, (void **)&rows->regions, &rows->region_count, failure);
}

/* Writes small letters and digits; every run of other characters becomes one hyphen. */
static char *slug(struct arena *arena, const char *text)
{
	char *out = arena_alloc(arena, strlen(text) + 1, 1);
	size_t length = 0;

	if (!out)
		return NULL;
	for (; *text; text++) {
		if (isalnum((unsigned char)*text))
			out[length++] = (char)tolower((unsigned char)*text);
		else if (length > 0 && out[length - 1] != '-')
			out[length++] = '-';
	}
	while (length > 0 && out[length - 1] == '-')
		length--;
	out[length] = '\0';
	return out;
}

const char *rows_text_price_id(struct arena *arena, const struct price_row *row)
{
	const char *provider = slug(arena, row->provider), *instance = slug(arena, row->instance_type);
	const char *region = slug(arena, row->region ? row->region : "any"), *term = slug(arena, row->pricing_model);

	return provider && instance && region && term ? arena_printf(arena, "%s.%s.%s.%s", provider, instance, region, term) : NULL;
}

const char *rows_text_region_id(struct arena *arena, const struct region_row *row)
{
	const char *provider = slug(arena, row->provider), *region = slug(arena, row->region_id);

	return provider && region ? arena_printf(arena, "%s.%s", provider, region) : NULL;
}
