#include "storage/sqlite/rows.h"

#include <string.h>

#include "base/clock.h"
#include "storage/sqlite/import_steps.h"

static const struct {
	const char *name;
	const struct column_map *map;
	size_t id_offset;
	enum statement_name first; /* the first of the five statements of STATEMENT_ROWS */
} kinds[ROW_KIND_COUNT] = {
	[ROW_ACCELERATOR] = {"accelerator", &accelerator_map, offsetof(struct accelerator_row, accelerator.id), STATEMENT_ACCELERATOR_INSERT},
	[ROW_MODEL] = {"model", &model_map, offsetof(struct model_row, id), STATEMENT_MODEL_INSERT},
	[ROW_PRICE] = {"price", &price_map, offsetof(struct price_row, id), STATEMENT_PRICE_INSERT},
	[ROW_REGION] = {"region", &region_map, offsetof(struct region_row, id), STATEMENT_REGION_INSERT},
	[ROW_CALIBRATION] = {"calibration", &calibration_map, offsetof(struct calibration_row, id), STATEMENT_CALIBRATION_INSERT},
};

static const char *const scopes[2] = {"catalogue", "calibration"};

static int scope_of(enum row_kind kind)
{
	return kind == ROW_CALIBRATION;
}

const char *row_scope_name(enum row_kind kind)
{
	return scopes[scope_of(kind)];
}

size_t row_size(enum row_kind kind)
{
	return kinds[kind].map->struct_size;
}

const char *row_kind_name(enum row_kind kind)
{
	return kinds[kind].name;
}

enum statement_name row_statement(enum row_kind kind, enum row_statement which)
{
	return (enum statement_name)((int)kinds[kind].first + (int)which);
}

const struct column_map *row_map(enum row_kind kind)
{
	return kinds[kind].map;
}

const char *row_id(enum row_kind kind, const void *row)
{
	return *(const char *const *)(const void *)((const char *)row + kinds[kind].id_offset);
}

bool row_content_equal(enum row_kind kind, const void *a, const void *b)
{
	static const char *const ignored[] = {
		"origin", "valid_from_us", "valid_to_us", "revision", "opened_by", "closed_by", "from_us", "to_us", "of_revision", NULL};

	return columns_equal(kinds[kind].map, a, b, ignored);
}

struct row_array rows_of(const struct catalogue_rows *rows, enum row_kind kind)
{
	switch (kind) {
	case ROW_ACCELERATOR:
		return (struct row_array){(const char *)rows->accelerators, rows->accelerator_count};
	case ROW_MODEL:
		return (struct row_array){(const char *)rows->models, rows->model_count};
	case ROW_PRICE:
		return (struct row_array){(const char *)rows->prices, rows->price_count};
	case ROW_REGION:
		return (struct row_array){(const char *)rows->regions, rows->region_count};
	case ROW_CALIBRATION:
		return (struct row_array){(const char *)rows->calibrations, rows->calibration_count};
	case ROW_KIND_COUNT:
		break;
	}
	CHECK(false); /* all kinds return above */
	return (struct row_array){0};
}

enum status row_revision(
	struct connection *connection, enum row_kind kind, int64_t as_of_us, struct arena *arena, int64_t *revision, struct failure *failure)
{
	struct arguments arguments = {.scope = scopes[scope_of(kind)], .as_of_us = as_of_us}, found = {0};
	enum status status = store_one(connection, STATEMENT_CHANGE_LATEST, &arguments, &found, arena, failure);

	*revision = status == STATUS_OK ? found.revision : 0;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status row_revision_moment(
	struct connection *connection, enum row_kind kind, int64_t revision, struct arena *arena, int64_t *moment_us, struct failure *failure)
{
	struct arguments arguments = {.scope = scopes[scope_of(kind)], .revision = revision}, found = {0};
	enum status status = store_one(connection, STATEMENT_CHANGE_GET, &arguments, &found, arena, failure);

	if (status == STATUS_OK)
		*moment_us = found.at_us;
	return status;
}

enum status row_change_begin(
	struct storage *storage, struct row_change *change, enum row_kind kind, struct arena *arena, struct failure *failure)
{
	int scope = scope_of(kind);
	struct arguments arguments = {.scope = scopes[scope], .as_of_us = INT64_MAX}, latest = {0};
	enum status status;

	if (!change->begun[scope]) {
		status = store_one(&storage->writer, STATEMENT_CHANGE_LATEST, &arguments, &latest, arena, failure);
		if (status != STATUS_OK && status != STATUS_NOT_FOUND)
			return status;
		/* Strictly later than the previous change, also if the wall clock was set back: moments order revisions. */
		arguments.at_us = clock_wall_us();
		if (status == STATUS_OK && arguments.at_us <= latest.at_us)
			arguments.at_us = latest.at_us + 1;
		arguments.revision = status == STATUS_OK ? latest.revision + 1 : 1;
		status = store_run(&storage->writer, STATEMENT_CHANGE_INSERT, &arguments, arena, NULL, failure);
		if (status != STATUS_OK)
			return status;
		change->begun[scope] = true;
		change->revisions[scope] = arguments.revision;
		change->moments_us[scope] = arguments.at_us;
	}
	change->revision = change->revisions[scope];
	change->at_us = change->moments_us[scope];
	return STATUS_OK;
}

/* A damaged row can be replaced and removed: it exists, without content worth keeping. */
static enum status row_forget_content(enum row_kind kind, void *row, struct failure *failure)
{
	struct row_meta meta = *row_meta(row);

	columns_clear(kinds[kind].map, row);
	*(struct row_meta *)row = (struct row_meta){.origin = "builtin",
		.valid_from_us = meta.valid_from_us,
		.valid_to_us = meta.valid_to_us,
		.revision = meta.revision,
		.opened_by = meta.opened_by,
		.closed_by = meta.closed_by};
	failure_clear(failure);
	return STATUS_OK;
}

enum status row_current(struct storage *storage, enum row_kind kind, const char *id, void *row, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.id = id, .as_of_us = INT64_MAX};
	struct statement *statement = connection_statement(&storage->writer, row_statement(kind, ROW_GET), failure);
	enum status status = statement ? statement_one(statement, &arguments, row, arena, failure) : failure->status;

	return status == STATUS_UNAVAILABLE && statement && statement->damaged ? row_forget_content(kind, row, failure) : status;
}

enum status row_close(
	struct storage *storage, struct row_change *change, enum row_kind kind, const char *id, struct arena *arena, struct failure *failure)
{
	enum status status = import_release_row(storage, kind, id, arena, failure);
	struct arguments arguments = {.id = id};

	if (status == STATUS_OK)
		status = row_change_begin(storage, change, kind, arena, failure);
	arguments.at_us = change->at_us;
	return status == STATUS_OK ? store_run(&storage->writer, row_statement(kind, ROW_CLOSE), &arguments, arena, NULL, failure) : status;
}

enum status row_replace(
	struct storage *storage, struct row_change *change, enum row_kind kind, const void *row, struct arena *arena, struct failure *failure)
{
	void *copy = arena_alloc(arena, 1, row_size(kind));
	enum status status;

	if (!copy)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to store a row");
	status = row_close(storage, change, kind, row_id(kind, row), arena, failure);
	if (status != STATUS_OK)
		return status;
	memcpy(copy, row, row_size(kind));
	((struct row_meta *)copy)->valid_from_us = change->at_us;
	((struct row_meta *)copy)->revision = change->revision;
	((struct row_meta *)copy)->opened_by = 0;
	return store_run(&storage->writer, row_statement(kind, ROW_INSERT), copy, arena, NULL, failure);
}

static enum status expect_revision(enum row_kind kind, const char *id, int64_t expected, int64_t found, struct failure *failure)
{
	if (expected <= 0 || expected == found)
		return STATUS_OK;
	return failure_set(failure, STATUS_PRECONDITION_FAILED, "%s %s has revision %lld, not %lld; read it again", row_kind_name(kind), id,
		(long long)found, (long long)expected);
}

static enum status row_missing(enum row_kind kind, const char *id, struct failure *failure)
{
	return failure_set(failure, STATUS_NOT_FOUND, "%s %s does not exist", row_kind_name(kind), id);
}

enum status operation_row_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct row_put *put = (struct row_put *)job;
	const char *id = row_id(put->kind, put->row);
	struct arguments removed = {.name = row_kind_name(put->kind), .id = id};
	struct row_change change = {0};
	void *current = arena_alloc(arena, 1, row_size(put->kind));
	enum status status = current ? row_current(storage, put->kind, id, current, arena, failure)
								 : failure_set(failure, STATUS_NO_MEMORY, "no memory to store a row");

	put->created = status == STATUS_NOT_FOUND;
	if (status != STATUS_OK && status != STATUS_NOT_FOUND)
		return status;
	if (status == STATUS_OK && put->create_only)
		return failure_set(failure, STATUS_CONFLICT, "%s %s exists already; use PUT to replace it", row_kind_name(put->kind), id);
	if (status == STATUS_NOT_FOUND && put->expected_revision > 0)
		return row_missing(put->kind, id, failure);
	if (status == STATUS_OK)
		status = expect_revision(put->kind, id, put->expected_revision, row_meta(current)->revision, failure);
	else
		status = store_run(&storage->writer, STATEMENT_REMOVED_ROW_DELETE, &removed, arena, NULL, failure);
	if (status == STATUS_OK)
		status = row_replace(storage, &change, put->kind, put->row, arena, failure);
	if (status == STATUS_OK)
		status = idempotency_insert(storage, put->idempotency, change.at_us, arena, failure);
	put->revision = change.revision;
	put->at_us = change.at_us;
	return status;
}

enum status operation_row_remove(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct row_remove *operation = (struct row_remove *)job;
	struct arguments removed = {.name = row_kind_name(operation->kind), .id = operation->id};
	struct row_change change = {0};
	void *current = arena_alloc(arena, 1, row_size(operation->kind));
	enum status status = current ? row_current(storage, operation->kind, operation->id, current, arena, failure)
								 : failure_set(failure, STATUS_NO_MEMORY, "no memory to read a row");

	if (status == STATUS_NOT_FOUND)
		return row_missing(operation->kind, operation->id, failure);
	if (status == STATUS_OK)
		status = expect_revision(operation->kind, operation->id, operation->expected_revision, row_meta(current)->revision, failure);
	if (status == STATUS_OK)
		status = row_close(storage, &change, operation->kind, operation->id, arena, failure);
	if (status == STATUS_OK)
		status = store_run(&storage->writer, STATEMENT_REMOVED_ROW_INSERT, &removed, arena, NULL, failure);
	operation->revision = change.revision;
	return status;
}

enum status operation_calibration_decision(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct calibration_decision *decision = (struct calibration_decision *)job;
	struct row_remove removal = {.kind = ROW_CALIBRATION, .id = decision->id, .expected_revision = decision->expected_revision};
	struct row_put put = {.kind = ROW_CALIBRATION, .row = decision->accepted, .expected_revision = ABSENT_COUNT};
	enum status status = operation_row_remove(storage, &removal.job, arena, failure);

	if (status == STATUS_OK && decision->accepted)
		status = operation_row_put(storage, &put.job, arena, failure);
	decision->revision = put.revision;
	decision->at_us = put.at_us;
	return status;
}
