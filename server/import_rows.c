#include "server/import_rows.h"

#include <stdlib.h>
#include <strings.h>

/* --- checks -------------------------------------------------------------------------------------------------------- */

/* The file's ids with their places. Ids that differ only in letter case are the same row, as in the catalogue. */
struct id_place {
	const char *id;
	size_t at;
};

static int id_place_order(const void *a, const void *b)
{
	const struct id_place *left = a, *right = b;
	int order = strcasecmp(left->id, right->id);

	return order != 0 ? order : (left->at > right->at) - (left->at < right->at);
}

static enum status check_twice(const struct row_ops *ops, struct row_reader *reader, struct failure *failure)
{
	struct row_set set = row_reader_rows(reader);
	struct id_place *ids = malloc((set.count + 1) * sizeof *ids);
	char detail[FAULT_DETAIL_MAX];
	size_t count = 0;

	if (!ids)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the ids of an import");
	for (size_t i = 0; i < set.count; i++) {
		const char *id = row_ops_id(ops, (char *)set.rows + i * row_size(ops->kind));

		if (id)
			ids[count++] = (struct id_place){id, i};
	}
	qsort(ids, count, sizeof *ids, id_place_order);
	for (size_t i = 1; i < count; i++) {
		if (strcasecmp(ids[i].id, ids[i - 1].id) != 0)
			continue;
		snprintf(detail, sizeof detail, "%.120s is already in row %u", ids[i].id, set.places[ids[i - 1].at].row);
		row_reader_fault(reader, set.places[ids[i].at], "id", "duplicate", detail);
	}
	free(ids);
	return STATUS_OK;
}

enum status import_rows_check(const struct row_ops *ops, const struct catalogue *catalogue, struct row_reader *reader,
	const struct import_query *query, struct failure *failure)
{
	struct row_set set = row_reader_rows(reader);
	struct findings *findings = calloc(1, sizeof *findings);
	struct failure *of_row = calloc(1, sizeof *of_row);
	bool *good = calloc(set.count + 1, sizeof *good);
	enum status status = STATUS_OK;

	for (size_t i = 0; findings && of_row && good && i < set.count; i++) {
		void *row = (char *)set.rows + i * row_size(ops->kind);

		failure_clear(of_row);
		findings->warning_count = 0;
		good[i] = row_check_import(ops, catalogue, set.arena, row, findings, of_row) == STATUS_OK;
		if (!good[i])
			row_reader_faults_of(reader, set.places[i], of_row);
	}
	if (findings && of_row && good)
		row_reader_keep(reader, good);
	else
		status = failure_set(failure, STATUS_NO_MEMORY, "no memory for an import");
	free(good);
	free(findings);
	free(of_row);
	if (status == STATUS_OK && set.seen == 0 && query->replace == TRUTH_TRUE)
		status = failure_set(failure, STATUS_INVALID, "the file has no rows; with replace=true this would remove all imported rows");
	return status == STATUS_OK ? check_twice(ops, reader, failure) : status;
}

/* --- comparison with the catalogue -------------------------------------------------------------------------------- */

struct comparison {
	const struct row_ops *ops;
	const struct import_query *query;
	struct arena *arena;
	struct import_view *view;
	struct import_change *change; /* the change whose columns are being listed; NULL: the list is full */
	bool differs, no_memory;
};

static void note_column(void *context, const char *key, const char *before, const char *after)
{
	struct comparison *comparison = context;
	struct import_change *change = comparison->change;

	comparison->differs = true;
	if (!change)
		return;
	if (!change->columns.items)
		change->columns.items = ARENA_ARRAY(comparison->arena, struct import_column, 64);
	if (!change->columns.items || change->columns.count == 64) {
		comparison->no_memory |= !change->columns.items;
		return;
	}
	change->columns.items[change->columns.count++] = (struct import_column){
		.column = key, .before = arena_strdup(comparison->arena, before), .after = arena_strdup(comparison->arena, after)};
}

/* Returns the next free change, NULL if the list is full. */
static struct import_change *next_change(struct comparison *comparison)
{
	struct import_view *view = comparison->view;

	return view->changes.count < IMPORT_CHANGES_TOLD ? &view->changes.items[view->changes.count] : NULL;
}

static void tell_change(struct comparison *comparison, const char *id, const char *what, int64_t row)
{
	struct import_change *change = next_change(comparison);

	if (!change)
		return;
	change->id = id;
	change->what = what;
	change->row = row;
	comparison->view->changes.count++;
}

static bool is_anothers(const struct row_meta *meta)
{
	return strcmp(meta->origin, "user") == 0 || strcmp(meta->origin, "measured") == 0;
}

static void compare_row(struct comparison *comparison, const void *current, const void *row, const char *id, int64_t place)
{
	struct import_record *record = &comparison->view->record;
	bool kept;

	if (!current) {
		record->added++;
		tell_change(comparison, id, "added", place);
		return;
	}
	comparison->differs = false;
	comparison->change = next_change(comparison);
	if (comparison->change)
		*comparison->change = (struct import_change){.row = ABSENT_COUNT};
	record_differences(comparison->ops->table, current, row, note_column, comparison);
	kept = comparison->query->overwrite != TRUTH_TRUE && is_anothers(current);
	record->unchanged += !comparison->differs;
	record->kept += comparison->differs && kept;
	record->changed += comparison->differs && !kept;
	if (comparison->differs)
		tell_change(comparison, id, kept ? "kept" : "changed", place);
}

static int name_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Counts and lists the imported rows that the file does not name. */
static enum status compare_unnamed(
	struct comparison *comparison, const struct catalogue *catalogue, const struct row_set *set, struct failure *failure)
{
	const struct row_ops *ops = comparison->ops;
	struct row_span current = row_span_of(ops, catalogue);
	const char **named = malloc((set->count + 1) * sizeof *named);

	if (!named)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the ids of an import");
	for (size_t i = 0; i < set->count; i++)
		named[i] = row_ops_id(ops, (char *)set->rows + i * row_size(ops->kind));
	qsort(named, set->count, sizeof *named, name_order);
	for (size_t i = 0; i < current.count; i++) {
		const struct row_meta *row = (const void *)(current.items + i * row_size(ops->kind));
		const char *id = row_ops_id(ops, (void *)(uintptr_t)row);

		if (strcmp(row->origin, "imported") != 0 || bsearch(&id, named, set->count, sizeof *named, name_order))
			continue;
		comparison->view->record.removed++;
		tell_change(comparison, arena_strdup(comparison->arena, id), "removed", ABSENT_COUNT);
	}
	free(named);
	return STATUS_OK;
}

enum status import_rows_compare(const struct row_ops *ops, const struct catalogue *catalogue, const struct row_set *set,
	const struct import_query *query, struct arena *arena, struct import_view *view, struct failure *failure)
{
	struct comparison comparison = {.ops = ops, .query = query, .arena = arena, .view = view};
	enum status status = STATUS_OK;

	view->changes.items = ARENA_ARRAY(arena, struct import_change, IMPORT_CHANGES_TOLD);
	if (!view->changes.items)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for an import");
	for (size_t i = 0; i < set->count; i++) {
		void *row = (char *)set->rows + i * row_size(ops->kind);
		const char *id = row_ops_id(ops, row);

		if (id)
			compare_row(&comparison, row_of_id(ops, catalogue, id), row, id, set->places[i].row);
	}
	if (query->replace == TRUTH_TRUE)
		status = compare_unnamed(&comparison, catalogue, set, failure);
	return comparison.no_memory ? failure_set(failure, STATUS_NO_MEMORY, "no memory for what an import would change") : status;
}

enum status import_rows_tell_faults(const struct row_reader *reader, struct arena *arena, struct import_view *view, struct failure *failure)
{
	size_t count, total;
	const struct row_fault *faults = row_reader_faults(reader, &count, &total);

	view->fault_count = (int64_t)total;
	view->faults.items = ARENA_ARRAY(arena, struct import_fault, count + 1);
	if (!view->faults.items)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the faults of an import");
	for (; view->faults.count < count; view->faults.count++) {
		const struct row_fault *fault = &faults[view->faults.count];

		view->faults.items[view->faults.count] = (struct import_fault){.row = fault->place.row,
			.line = fault->place.line,
			.column = fault->column[0] ? fault->column : NULL,
			.code = fault->code,
			.detail = fault->detail};
	}
	return STATUS_OK;
}
