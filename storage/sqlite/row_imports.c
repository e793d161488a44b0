/* Stores many catalogue rows at once: imports, and the built-in data of a new version. */
#include <string.h>

#include "storage/sqlite/rows.h"

/* The rows that an import may replace. */
struct import_rules {
	bool dry_run;
	bool replace_user; /* replaces rows of any origin; false: rows of a user or a measurement stay */
	bool only_builtin; /* replaces only rows of origin builtin, and skips ids that a user removed */
	row_note *note;    /* called for each added or changed row; may be NULL */
	void *context;
};

static bool is_builtin(const void *row)
{
	return strcmp(row_meta(row)->origin, "builtin") == 0;
}

static bool is_kept(const struct import_rules *rules, const void *current)
{
	const char *origin = row_meta(current)->origin;

	if (rules->only_builtin)
		return !is_builtin(current);
	return !rules->replace_user && (strcmp(origin, "user") == 0 || strcmp(origin, "measured") == 0);
}

static enum status was_removed(
	struct storage *storage, enum row_kind kind, const char *id, struct arena *arena, bool *removed, struct failure *failure)
{
	struct arguments arguments = {.name = row_kind_name(kind), .id = id}, found = {0};
	enum status status = store_one(&storage->writer, STATEMENT_REMOVED_ROW_GET, &arguments, &found, arena, failure);

	*removed = status == STATUS_OK;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* Decides on one row, counts it, and writes it except in a dry run. */
static enum status import_row(struct storage *storage, struct row_change *change, enum row_kind kind, const void *row,
	const struct import_rules *rules, struct rows_difference *difference, void *current, struct arena *arena, struct failure *failure)
{
	const char *id = row_id(kind, row);
	bool removed = false, added = false;
	enum status status = row_current(storage, kind, id, current, arena, failure);

	if (status == STATUS_OK && change->begun[kind == ROW_CALIBRATION] &&
		row_meta(current)->revision == change->revisions[kind == ROW_CALIBRATION])
		return failure_set(failure, STATUS_INVALID, "%s %s occurs twice in one import; send each id once", row_kind_name(kind), id);
	if (status == STATUS_NOT_FOUND) {
		status = rules->only_builtin ? was_removed(storage, kind, id, arena, &removed, failure) : STATUS_OK;
		if (status != STATUS_OK)
			return status;
		difference->kept += removed;
		difference->added += !removed;
		if (removed)
			return STATUS_OK;
		added = true;
	} else if (status != STATUS_OK) {
		return status;
	} else if (row_content_equal(kind, current, row)) {
		difference->unchanged++;
		return STATUS_OK;
	} else if (is_kept(rules, current)) {
		difference->kept++;
		return STATUS_OK;
	} else {
		difference->changed++;
	}
	status = rules->note ? rules->note(rules->context, kind, added ? NULL : current, row, failure) : STATUS_OK;
	return rules->dry_run || status != STATUS_OK ? status : row_replace(storage, change, kind, row, arena, failure);
}

static enum status import_all(struct storage *storage, struct row_change *change, const struct catalogue_rows *rows,
	const struct import_rules *rules, struct rows_difference *difference, struct arena *arena, struct failure *failure)
{
	for (int k = 0; k < ROW_KIND_COUNT; k++) {
		enum row_kind kind = (enum row_kind)k;
		struct row_array array = rows_of(rows, kind);
		void *current = arena_alloc(arena, 1, row_size(kind));

		if (!current)
			return failure_set(failure, STATUS_NO_MEMORY, "no memory for an import");
		for (size_t i = 0; i < array.count; i++) {
			enum status status = import_row(
				storage, change, kind, array.items + i * row_size(kind), rules, difference, current, arena, failure);

			if (status != STATUS_OK)
				return status;
		}
	}
	return STATUS_OK;
}

enum status rows_put_all(struct storage *storage, const struct catalogue_rows *rows, struct arena *arena, struct failure *failure)
{
	static const struct import_rules rules = {.replace_user = true};
	struct row_change change = {0};
	struct rows_difference difference = {0};

	return import_all(storage, &change, rows, &rules, &difference, arena, failure);
}

enum status rows_import_noted(struct storage *storage, const struct catalogue_rows *rows, row_note *note, void *context,
	struct rows_difference *difference, struct arena *arena, struct failure *failure)
{
	const struct import_rules rules = {.note = note, .context = context};
	struct row_change change = {0};

	return import_all(storage, &change, rows, &rules, difference, arena, failure);
}

enum status operation_rows_import(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct rows_import *import = (struct rows_import *)job;
	struct import_rules rules = {.dry_run = import->dry_run, .replace_user = import->replace_user};
	struct row_change change = {0};
	enum status status;

	import->difference = (struct rows_difference){0};
	status = import_all(storage, &change, import->rows, &rules, &import->difference, arena, failure);
	if (status == STATUS_OK)
		status = row_revision(&storage->writer, ROW_ACCELERATOR, INT64_MAX, arena, &import->revision, failure);
	return status;
}

static int id_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the ids of one kind in an import, sorted for the search. */
static const char **sorted_ids(struct row_array array, enum row_kind kind, struct arena *arena)
{
	const char **ids = ARENA_ARRAY(arena, const char *, array.count + 1);

	for (size_t i = 0; ids && i < array.count; i++)
		ids[i] = row_id(kind, array.items + i * row_size(kind));
	if (ids)
		qsort(ids, array.count, sizeof *ids, id_order);
	return ids;
}

/* Closes the valid built-in rows that the new data does not have. */
static enum status close_vanished(struct storage *storage, struct row_change *change, enum row_kind kind, struct row_array array,
	struct rows_difference *difference, struct arena *arena, struct failure *failure)
{
	struct row_query query = {.filter = {.origin = "builtin", .as_of_us = INT64_MAX}, .cursor_id = "", .limit = INT64_MAX};
	const char **ids = sorted_ids(array, kind, arena);
	struct rows_read rows;
	enum status status;

	if (!ids)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the built-in data");
	status = store_list_whole(&storage->writer, row_statement(kind, ROW_LIST), &query, SIZE_MAX, arena, &rows, failure);
	for (size_t i = 0; i < rows.count && status == STATUS_OK; i++) {
		const char *id = row_id(kind, (char *)rows.items + i * row_size(kind));

		if (bsearch(&id, ids, array.count, sizeof *ids, id_order))
			continue;
		difference->removed++;
		status = row_close(storage, change, kind, id, arena, failure);
	}
	return status;
}

static const char builtin_digest_name[] = ".builtin_digest";

enum status storage_builtin_digest(struct storage *storage, struct arena *arena, const char **digest, struct failure *failure)
{
	enum status status = storage_setting_get(storage, builtin_digest_name, arena, digest, failure);

	if (status != STATUS_NOT_FOUND)
		return status;
	failure_clear(failure);
	return STATUS_OK;
}

enum status operation_builtin_update(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	static const struct import_rules rules = {.only_builtin = true};
	struct builtin_update *update = (struct builtin_update *)job;
	struct arguments arguments = {.name = builtin_digest_name}, found = {0};
	struct row_change change = {0};
	enum status status = store_one(&storage->writer, STATEMENT_SETTING_GET, &arguments, &found, arena, failure);

	update->difference = (struct rows_difference){0};
	if (status == STATUS_NOT_FOUND || (status == STATUS_OK && strcmp(found.value, update->digest) != 0)) {
		status = import_all(storage, &change, update->rows, &rules, &update->difference, arena, failure);
		for (int kind = 0; kind < ROW_KIND_COUNT && status == STATUS_OK; kind++)
			status = close_vanished(
				storage, &change, (enum row_kind)kind, rows_of(update->rows, (enum row_kind)kind), &update->difference, arena, failure);
		arguments.value = update->digest;
		if (status == STATUS_OK)
			status = store_run(&storage->writer, STATEMENT_SETTING_PUT, &arguments, arena, NULL, failure);
	}
	if (status == STATUS_OK)
		status = row_revision(&storage->writer, ROW_ACCELERATOR, INT64_MAX, arena, &update->revision, failure);
	return status;
}
