#include "hwdb/rows/conflicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwdb/catalogue/catalogue_tables.h"
#include "hwdb/rows/validate.h"
#include "schema/csv_table.h"

/* Finds a number among the rows of a table itself, not of merged ones. NULL: the table has no such number. */
static double *find_figure(const struct field_table *table, void *row, const char *key)
{
	for (const struct field *field = table->rows; field < table->rows + table->row_count; field++)
		if (field->kind == FIELD_NUMBER && strcmp(field->key, key) == 0)
			return (double *)(void *)((char *)row + field->offset);
	return NULL;
}

double *accelerator_figure(struct accelerator *accelerator, const char *field)
{
	return find_figure(&table_accelerator_fields, accelerator, field);
}

double *price_figure(struct price_row *row, const char *field)
{
	return find_figure(&table_price, row, field);
}

double *region_figure(struct region_row *row, const char *field)
{
	return find_figure(&table_region, row, field);
}

static void fault(struct failure *failure, size_t index, const char *member, const char *code, const char *detail)
{
	char pointer[48];

	snprintf(pointer, sizeof pointer, "/conflicts/%zu/%s", index, member);
	failure_add(failure, pointer, code, "%s", detail);
}

/* Adds the faults of a row's copy in which the other value replaces the figure: it must keep the same bounds. */
static void judge(struct failure *failure, size_t index, const struct failure *of_copy)
{
	if (of_copy->status != STATUS_OK)
		fault(failure, index, "value", "out_of_range", of_copy->fault_count ? of_copy->faults[0].detail : of_copy->detail);
}

static void fault_field(struct failure *failure, size_t index)
{
	fault(failure, index, "field", "unknown", "is not a figure of this kind of row");
}

void validate_accelerator_conflicts(const struct accelerator_row *row, struct failure *failure)
{
	for (size_t i = 0; i < row->meta.conflicts.count; i++) {
		struct accelerator copy;
		struct failure of_copy;
		double *place;

		/* Without the other figures: sources may disagree on the figure that a second check compares it with. */
		field_table_clear(&table_accelerator_fields, &copy);
		copy.memory_gb = copy.memory_bandwidth_gbs = copy.tflops_fp32 = 100;
		place = accelerator_figure(&copy, row->meta.conflicts.items[i].field);
		if (!place) {
			fault_field(failure, i);
			continue;
		}
		if (place == &copy.memory_usable_bytes) /* which must suit the nominal memory */
			copy.memory_gb = row->accelerator.memory_gb;
		*place = row->meta.conflicts.items[i].value;
		failure_clear(&of_copy);
		validate_accelerator(&copy, "", &of_copy);
		judge(failure, i, &of_copy);
	}
}

void validate_price_conflicts(const struct price_row *row, struct failure *failure)
{
	for (size_t i = 0; i < row->meta.conflicts.count; i++) {
		struct price_row copy = *row;
		struct failure of_copy;
		double *place = price_figure(&copy, row->meta.conflicts.items[i].field);

		if (!place) {
			fault_field(failure, i);
			continue;
		}
		*place = row->meta.conflicts.items[i].value;
		failure_clear(&of_copy);
		validate_price(&copy, "", &of_copy);
		judge(failure, i, &of_copy);
	}
}

void validate_region_conflicts(const struct region_row *row, struct failure *failure)
{
	for (size_t i = 0; i < row->meta.conflicts.count; i++) {
		struct region_row copy = *row;
		struct failure of_copy;
		double *place = region_figure(&copy, row->meta.conflicts.items[i].field);

		if (!place) {
			fault_field(failure, i);
			continue;
		}
		*place = row->meta.conflicts.items[i].value;
		failure_clear(&of_copy);
		validate_region(&copy, "", &of_copy);
		judge(failure, i, &of_copy);
	}
}

bool conflict_range(const struct conflict_list *conflicts, const char *field, double value, double *low, double *high)
{
	bool found = false;

	*low = *high = value;
	for (size_t i = 0; i < conflicts->count; i++) {
		if (strcmp(conflicts->items[i].field, field) != 0)
			continue;
		found = true;
		*low = fmin(*low, conflicts->items[i].value);
		*high = fmax(*high, conflicts->items[i].value);
	}
	return found;
}

const char *conflict_text(const struct conflict_list *conflicts, const char *field, struct arena *arena)
{
	const char *text = "";

	for (size_t i = 0; text && i < conflicts->count; i++) {
		const struct conflict *conflict = &conflicts->items[i];

		if (strcmp(conflict->field, field) == 0)
			text = arena_printf(arena, "%s%s%.6g (%s%s%s%s%s)", text, *text ? ", " : "", conflict->value,
				conflict->source ? conflict->source : "source not stated", conflict->source_date ? ", " : "",
				conflict->source_date ? conflict->source_date : "", conflict->note ? "; " : "", conflict->note ? conflict->note : "");
	}
	return text;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

/* Returns the conflict list of a line's row; *known is whether the row has such a figure. */
static struct conflict_list *list_of(struct catalogue_rows *rows, const char *kind, const char *id, const char *field, bool *known)
{
	if (strcmp(kind, "accelerator") == 0)
		for (size_t i = 0; i < rows->accelerator_count; i++)
			if (strcmp(rows->accelerators[i].accelerator.id, id) == 0) {
				*known = accelerator_figure(&rows->accelerators[i].accelerator, field) != NULL;
				return &rows->accelerators[i].meta.conflicts;
			}
	if (strcmp(kind, "price") == 0)
		for (size_t i = 0; i < rows->price_count; i++)
			if (strcmp(rows->prices[i].id, id) == 0) {
				*known = price_figure(&rows->prices[i], field) != NULL;
				return &rows->prices[i].meta.conflicts;
			}
	if (strcmp(kind, "region") == 0)
		for (size_t i = 0; i < rows->region_count; i++)
			if (strcmp(rows->regions[i].id, id) == 0) {
				*known = region_figure(&rows->regions[i], field) != NULL;
				return &rows->regions[i].meta.conflicts;
			}
	return NULL;
}

static bool append(struct conflict_list *list, struct conflict conflict, struct arena *arena)
{
	struct conflict *items = ARENA_ARRAY(arena, struct conflict, list->count + 1);

	if (!items)
		return false;
	if (list->count > 0)
		memcpy(items, list->items, list->count * sizeof *items);
	items[list->count] = conflict;
	*list = (struct conflict_list){items, list->count + 1};
	return true;
}

enum status rows_text_conflicts(const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	static const char *const columns[] = {"kind", "id", "field", "value", "source", "source_date", "note"};
	struct csv csv;
	enum status status = csv_begin(&csv, source->name, source->text, source->length, arena, failure);

	for (size_t i = 0; status == STATUS_OK && i < COUNT_OF(columns); i++)
		if (csv.column_count != COUNT_OF(columns) || strcmp(csv.columns[i], columns[i]) != 0)
			status = failure_set(
				failure, STATUS_INVALID, "%s: the columns must be kind, id, field, value, source, source_date, note", source->name);
	while (status == STATUS_OK && csv_next(&csv)) {
		const char *const *fields = csv.fields;
		bool known = false;
		char *end;
		struct conflict conflict = {fields[2], strtod(fields[3], &end), or_null(fields[4]), or_null(fields[5]), or_null(fields[6])};
		struct conflict_list *list = list_of(rows, fields[0], fields[1], fields[2], &known);

		if (!list || !known || *end || end == fields[3])
			return failure_set(failure, STATUS_INVALID, "%s, line %zu: kind, id and field must name a figure of an existing row",
				source->name, csv.record_line);
		if (!append(list, conflict, arena))
			return failure_set(failure, STATUS_NO_MEMORY, "%s is too large", source->name);
	}
	return status;
}
