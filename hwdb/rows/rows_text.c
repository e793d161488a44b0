#include "hwdb/rows/rows_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/csv_table.h"

enum cell { CELL_TEXT, CELL_NUMBER, CELL_COUNT };

/* The destination of a column's cells. */
struct column {
	const char *name;
	enum cell cell;
	size_t offset;
};

#define TEXT(row, name, member)                                                                                        \
	{                                                                                                                  \
		name, CELL_TEXT, offsetof(struct row, member)                                                                  \
	}
#define NUMBER(row, name, member)                                                                                      \
	{                                                                                                                  \
		name, CELL_NUMBER, offsetof(struct row, member)                                                                \
	}
#define COUNT(row, name, member)                                                                                       \
	{                                                                                                                  \
		name, CELL_COUNT, offsetof(struct row, member)                                                                 \
	}
#define ACCELERATOR_TEXT(member)   TEXT(accelerator_row, #member, accelerator.member)
#define ACCELERATOR_NUMBER(member) NUMBER(accelerator_row, #member, accelerator.member)
#define ACCELERATOR_COUNT(member)  COUNT(accelerator_row, #member, accelerator.member)
#define PRICE_TEXT(member)         TEXT(price_row, #member, member)
#define REGION_TEXT(member)        TEXT(region_row, #member, member)
#define REGION_NUMBER(member)      NUMBER(region_row, #member, member)
#define REGION_COUNT(member)       COUNT(region_row, #member, member)

static const struct column accelerator_columns[] = {
	ACCELERATOR_TEXT(id),
	ACCELERATOR_TEXT(vendor),
	ACCELERATOR_TEXT(name),
	ACCELERATOR_TEXT(form_factor),
	ACCELERATOR_TEXT(memory_type),
	ACCELERATOR_TEXT(interconnect),
	ACCELERATOR_COUNT(release_year),
	ACCELERATOR_NUMBER(memory_gb),
	ACCELERATOR_NUMBER(memory_usable_bytes),
	ACCELERATOR_NUMBER(memory_bandwidth_gbs),
	ACCELERATOR_NUMBER(tflops_fp64),
	ACCELERATOR_NUMBER(tflops_fp32),
	ACCELERATOR_NUMBER(tflops_tf32),
	ACCELERATOR_NUMBER(tflops_bf16),
	ACCELERATOR_NUMBER(tflops_fp16),
	ACCELERATOR_NUMBER(tflops_fp8),
	ACCELERATOR_NUMBER(tops_int8),
	ACCELERATOR_NUMBER(tflops_fp4),
	ACCELERATOR_NUMBER(tdp_w),
	ACCELERATOR_NUMBER(idle_w),
	ACCELERATOR_NUMBER(load_w),
	ACCELERATOR_NUMBER(interconnect_gbs),
	ACCELERATOR_COUNT(pcie_gen),
	ACCELERATOR_COUNT(max_nvlink_domain),
	ACCELERATOR_COUNT(transistor_nm),
	ACCELERATOR_NUMBER(die_area_mm2),
	ACCELERATOR_NUMBER(embodied_kgco2e),
	ACCELERATOR_NUMBER(embodied_boavizta_kgco2e),
	ACCELERATOR_TEXT(source),
	ACCELERATOR_TEXT(source_date),
	ACCELERATOR_TEXT(unverified),
	ACCELERATOR_TEXT(notes),
	TEXT(accelerator_row, "memory_usable_source", memory_usable_source),
};

static const struct column price_columns[] = {
	PRICE_TEXT(id),
	PRICE_TEXT(provider),
	PRICE_TEXT(instance_type),
	PRICE_TEXT(region),
	PRICE_TEXT(accelerator_id),
	PRICE_TEXT(pricing_model),
	PRICE_TEXT(as_of),
	PRICE_TEXT(notes),
	COUNT(price_row, "gpus", gpus),
	NUMBER(price_row, "vcpus", vcpus),
	NUMBER(price_row, "ram_gb", ram_gb),
	NUMBER(price_row, "price_usd_per_hour", price_usd_per_hour),
	TEXT(price_row, "source", meta.source),
};

static const struct column region_columns[] = {
	REGION_TEXT(id),
	REGION_TEXT(provider),
	REGION_TEXT(region_id),
	REGION_TEXT(country_zone),
	REGION_TEXT(location),
	REGION_TEXT(em_zone),
	REGION_NUMBER(grid_gco2e_per_kwh),
	REGION_NUMBER(grid_marginal_gco2e_per_kwh),
	REGION_NUMBER(pue),
	REGION_NUMBER(wue_l_per_kwh),
	REGION_NUMBER(ewif_l_per_kwh),
	REGION_COUNT(year),
	REGION_COUNT(pue_year),
	REGION_COUNT(wue_year),
	TEXT(region_row, "source", meta.source),
	TEXT(region_row, "source_date", meta.source_date),
};

static void columns_clear(const struct column *columns, size_t count, void *row)
{
	for (const struct column *column = columns; column < columns + count; column++) {
		void *cell = (char *)row + column->offset;

		switch (column->cell) {
		case CELL_TEXT:
			*(const char **)cell = NULL;
			break;
		case CELL_NUMBER:
			*(double *)cell = ABSENT_NUMBER;
			break;
		case CELL_COUNT:
			*(int64_t *)cell = ABSENT_COUNT;
			break;
		}
	}
}

void accelerator_row_clear(struct accelerator_row *row)
{
	*row = (struct accelerator_row){0};
	columns_clear(accelerator_columns, COUNT_OF(accelerator_columns), row);
}

void price_row_clear(struct price_row *row)
{
	*row = (struct price_row){0};
	columns_clear(price_columns, COUNT_OF(price_columns), row);
}

void region_row_clear(struct region_row *row)
{
	*row = (struct region_row){0};
	columns_clear(region_columns, COUNT_OF(region_columns), row);
}

static bool cell_is_given(const struct column *column, const void *cell)
{
	switch (column->cell) {
	case CELL_TEXT:
		return *(const char *const *)cell != NULL;
	case CELL_NUMBER:
		return is_given(*(const double *)cell);
	case CELL_COUNT:
		return *(const int64_t *)cell != ABSENT_COUNT;
	}
	return false;
}

void accelerator_apply_changes(
	struct accelerator *accelerator, const struct accelerator *changes, char *changed, size_t size)
{
	static const size_t sizes[] = {
		[CELL_TEXT] = sizeof(const char *), [CELL_NUMBER] = sizeof(double), [CELL_COUNT] = sizeof(int64_t)};
	const size_t begin = offsetof(struct accelerator_row, accelerator);
	size_t used = 0;

	changed[0] = '\0';
	for (size_t i = 0; i < COUNT_OF(accelerator_columns); i++) {
		const struct column *column = &accelerator_columns[i];
		const char *from;

		if (column->offset < begin || column->offset >= begin + sizeof *accelerator)
			continue;
		from = (const char *)changes + (column->offset - begin);
		if (!cell_is_given(column, from))
			continue;
		memcpy((char *)accelerator + (column->offset - begin), from, sizes[column->cell]);
		used += (size_t)snprintf(changed + used, size - used, "%s%s", used ? ", " : "", column->name);
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
	if (column->cell == CELL_TEXT) {
		*(const char **)cell = text;
		return true;
	}
	if (!parse_number(text, &number))
		return false;
	if (column->cell == CELL_NUMBER) {
		*(double *)cell = number;
		return true;
	}
	if (number < 0 || number > 1e15 || number != floor(number))
		return false;
	*(int64_t *)cell = (int64_t)number;
	return true;
}

/* The columns and the functions of one kind of row. */
struct reader {
	const struct column *columns;
	size_t column_count, row_size;
	void (*clear)(void *row);
	/* Fills members that are not columns (origin, id). False when the row has no key. */
	bool (*finish)(struct arena *arena, const struct rows_source *source, void *row);
	const char *key; /* names of the key columns, for the message */
};

static enum status map_columns(
	const struct csv *csv, const struct reader *reader, const struct column **map, struct failure *failure)
{
	for (size_t i = 0; i < csv->column_count; i++) {
		map[i] = NULL;
		for (size_t j = 0; j < reader->column_count; j++)
			if (strcmp(csv->columns[i], reader->columns[j].name) == 0)
				map[i] = &reader->columns[j];
		if (!map[i])
			return failure_set(failure, STATUS_INVALID, "%s: unknown column \"%s\"", csv->name, csv->columns[i]);
	}
	return STATUS_OK;
}

static enum status read_row(const struct csv *csv, const struct column *const *map, void *row, struct failure *failure)
{
	for (size_t i = 0; i < csv->column_count; i++)
		if (!store_cell(map[i], csv->fields[i], row))
			return failure_set(failure, STATUS_INVALID, "%s, line %zu: \"%s\" is no %s for %s", csv->name,
				csv->record_line, csv->fields[i], map[i]->cell == CELL_COUNT ? "count" : "number", map[i]->name);
	return STATUS_OK;
}

static enum status read_rows(const struct rows_source *source, const struct reader *reader, struct arena *arena,
	void **rows, size_t *count, struct failure *failure)
{
	const struct column *map[CSV_COLUMNS_MAX];
	struct csv csv;
	enum status status = csv_begin(&csv, source->name, source->text, source->length, arena, failure);

	*count = 0;
	if (status == STATUS_OK)
		status = map_columns(&csv, reader, map, failure);
	if (status != STATUS_OK)
		return status;
	*rows = arena_alloc(arena, csv.record_count + 1, reader->row_size);
	if (!*rows)
		return failure_set(failure, STATUS_NO_MEMORY, "%s is too large", source->name);
	while (csv_next(&csv)) {
		void *row = (char *)*rows + *count * reader->row_size;

		reader->clear(row);
		status = read_row(&csv, map, row, failure);
		if (status != STATUS_OK)
			return status;
		if (!reader->finish(arena, source, row))
			return failure_set(
				failure, STATUS_INVALID, "%s, line %zu: a row needs %s", source->name, csv.record_line, reader->key);
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

enum status rows_text_accelerators(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	static const struct reader reader = {accelerator_columns, COUNT_OF(accelerator_columns),
		sizeof(struct accelerator_row), clear_accelerator, finish_accelerator, "an id"};

	return read_rows(source, &reader, arena, (void **)&rows->accelerators, &rows->accelerator_count, failure);
}

enum status rows_text_prices(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	static const struct reader reader = {price_columns, COUNT_OF(price_columns), sizeof(struct price_row), clear_price,
		finish_price, "provider, instance_type, accelerator_id and pricing_model"};

	return read_rows(source, &reader, arena, (void **)&rows->prices, &rows->price_count, failure);
}

enum status rows_text_regions(
	const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	static const struct reader reader = {region_columns, COUNT_OF(region_columns), sizeof(struct region_row),
		clear_region, finish_region, "provider and region_id"};

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

	return provider && instance && region && term ? arena_printf(arena, "%s.%s.%s.%s", provider, instance, region, term)
												  : NULL;
}

const char *rows_text_region_id(struct arena *arena, const struct region_row *row)
{
	const char *provider = slug(arena, row->provider), *region = slug(arena, row->region_id);

	return provider && region ? arena_printf(arena, "%s.%s", provider, region) : NULL;
}
