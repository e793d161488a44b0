#include "storage/sqlite/statements.h"

#include <string.h>

extern const char storage_sql_0001[], storage_sql_0002[], storage_sql_0003[], storage_sql_0004[], storage_sql_0005[], storage_sql_0006[],
	storage_sql_0007[], storage_sql_0008[], storage_sql_0009[], storage_sql_0010[], storage_sql_0011[], storage_sql_statements[];

static const struct {
	const char *name;
	const struct column_map *parameters, *results;
} specifications[STATEMENT_COUNT] = {
#define X(name_, text, parameters_, results_) [STATEMENT_##name_] = {(text), &(parameters_), &(results_)},
	STATEMENT_TABLE(X)
#undef X
};

const char *migration_sql(int version)
{
	static const char *const migrations[] = {storage_sql_0001, storage_sql_0002, storage_sql_0003, storage_sql_0004, storage_sql_0005,
		storage_sql_0006, storage_sql_0007, storage_sql_0008, storage_sql_0009, storage_sql_0010, storage_sql_0011};

	return version >= 1 && (size_t)version <= COUNT_OF(migrations) ? migrations[version - 1] : NULL;
}

/* The text that follows "-- name: NAME" up to the next block; *length 0 when there is none. */
static const char *statement_text(const char *name, size_t *length)
{
	static const char mark[] = "-- name: ";
	size_t name_length = strlen(name);
	const char *at = storage_sql_statements;

	*length = 0;
	while ((at = strstr(at, mark))) {
		const char *end;

		at += sizeof mark - 1;
		if (strncmp(at, name, name_length) != 0 || at[name_length] != '\n')
			continue;
		at += name_length + 1;
		end = strstr(at, mark);
		*length = end ? (size_t)(end - at) : strlen(at);
		return at;
	}
	return NULL;
}

enum status sqlite_failure(sqlite3 *db, struct failure *failure)
{
	const char *text = sqlite3_errmsg(db);
	int code = sqlite3_extended_errcode(db);

	switch (code & 0xff) {
	case SQLITE_FULL:
		return failure_set(failure, STATUS_STORAGE_FULL, "the disk of the database is full: free some space, nothing else is needed");
	case SQLITE_CONSTRAINT:
		if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY)
			return failure_set(failure, STATUS_CONFLICT, "exists already (%s)", text);
		return failure_set(failure, STATUS_INVALID, "outside what can be stored (%s)", text);
	case SQLITE_NOMEM:
		return failure_set(failure, STATUS_NO_MEMORY, "the store is out of memory");
	case SQLITE_TOOBIG:
		return failure_set(failure, STATUS_TOO_LARGE, "larger than can be stored (%s)", text);
	case SQLITE_READONLY:
		return failure_set(failure, STATUS_UNAVAILABLE, "the database cannot be written (%s): make its folder writable", text);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return failure_set(failure, STATUS_UNAVAILABLE, "the database file is damaged (%s): stop the daemon and restore a backup, or copy what is whole with `fleetplan recover`", text);
	default:
		return failure_set(failure, STATUS_UNAVAILABLE, "the database cannot be used now (%s, code %d)", text, code);
	}
}

enum { IS_NUMBER = -1, IS_CHECKSUM = -2 }; /* columns that are no members */

static const char checksum_name[] = "row_checksum";

static bool is_checksum(const struct column_map *map, const char *name)
{
	return map->noun && strcmp(name, checksum_name) == 0;
}

static enum status statement_misfit(const char *name, const char *what, struct failure *failure)
{
	return failure_set(failure, STATUS_UNAVAILABLE, "statement %s: the tables of the file are not those of this program (%s): restore a backup",
		name, what);
}

static enum status statement_map_results(struct statement *statement, const char *name, struct failure *failure)
{
	statement->result_count = sqlite3_column_count(statement->handle);
	if (statement->result_count >= COLUMNS_MAX)
		return statement_misfit(name, "too many columns", failure);
	for (int i = 0; i < statement->result_count; i++) {
		const char *result = sqlite3_column_name(statement->handle, i);
		int column = column_find(statement->results, result);

		if (column < 0 && is_checksum(statement->results, result))
			column = IS_CHECKSUM;
		else if (column < 0 && strcmp(result, "number") != 0)
			return statement_misfit(name, result, failure);
		statement->result_column[i] = column;
	}
	return STATUS_OK;
}

/* Our own text against our own tables, when the writer prepares everything at start. What does not match is a slip of ours,
 * or a file whose schema was damaged. */
static enum status statement_map(struct statement *statement, const char *name, struct failure *failure)
{
	statement->parameter_count = sqlite3_bind_parameter_count(statement->handle);
	if (statement->parameter_count >= COLUMNS_MAX)
		return statement_misfit(name, "too many parameters", failure);
	for (int i = 1; i <= statement->parameter_count; i++) {
		const char *parameter = sqlite3_bind_parameter_name(statement->handle, i);
		int column = column_find(statement->parameters, parameter + 1);

		if (column < 0 && is_checksum(statement->parameters, parameter + 1))
			column = IS_CHECKSUM;
		else if (column < 0)
			return statement_misfit(name, parameter, failure);
		statement->parameter_column[i] = column;
	}
	return statement_map_results(statement, name, failure);
}

enum status statement_prepare(sqlite3 *db, enum statement_name name, struct statement *statement, struct failure *failure)
{
	size_t length;
	const char *text = statement_text(specifications[name].name, &length);

	if (!text)
		return failure_set(failure, STATUS_INTERNAL, "no SQL statement of the name %s", specifications[name].name);
	statement->parameters = specifications[name].parameters;
	statement->results = specifications[name].results;
	if (sqlite3_prepare_v3(db, text, (int)length, SQLITE_PREPARE_PERSISTENT, &statement->handle, NULL) != SQLITE_OK)
		return sqlite_failure(db, failure);
	return statement_map(statement, specifications[name].name, failure);
}

enum status statement_prepare_read(sqlite3 *db, const char *text, const struct column_map *map, struct statement *statement, struct failure *failure)
{
	*statement = (struct statement){.parameters = map, .results = map};
	if (sqlite3_prepare_v3(db, text, -1, 0, &statement->handle, NULL) != SQLITE_OK)
		return sqlite_failure(db, failure);
	return statement_map_results(statement, text, failure);
}

enum status statement_bind(struct statement *statement, const void *record, struct arena *arena, struct failure *failure)
{
	statement->damaged = false;
	for (int i = 1; i <= statement->parameter_count; i++) {
		int which = statement->parameter_column[i];
		const struct column *column = which == IS_CHECKSUM ? NULL : &statement->parameters->columns[which];
		int code = column ? column_bind(statement->handle, i, column, record, arena)
						  : sqlite3_bind_int64(statement->handle, i, columns_checksum(statement->parameters, record));

		if (code == SQLITE_NOMEM)
			return failure_set(failure, STATUS_NO_MEMORY, "no memory to store %s", column ? column->name : checksum_name);
		if (code != SQLITE_OK)
			return sqlite_failure(sqlite3_db_handle(statement->handle), failure);
	}
	return STATUS_OK;
}

enum status statement_step(struct statement *statement, struct failure *failure)
{
	switch (sqlite3_step(statement->handle)) {
	case SQLITE_ROW:
		return STATUS_OK;
	case SQLITE_DONE:
		return STATUS_NOT_FOUND;
	default:
		return sqlite_failure(sqlite3_db_handle(statement->handle), failure);
	}
}

static enum status row_changed(const struct column_map *map, const void *record, struct failure *failure)
{
	int id = column_find(map, "id");
	const char *text = id >= 0 ? *(const char *const *)(const void *)((const char *)record + map->columns[id].offset) : NULL;

	return failure_set(failure, STATUS_UNAVAILABLE,
		"%s %s was changed on the disk since it was stored (its checksum differs): store or import it again, delete it, or restore a backup",
		map->noun, text ? text : "(without an id)");
}

enum status statement_read(struct statement *statement, void *record, struct arena *arena, struct failure *failure)
{
	const struct column_map *map = statement->results;
	int checksum = -1;

	statement->damaged = false;
	columns_clear(map, record);
	for (int i = 0; i < statement->result_count; i++) {
		if (statement->result_column[i] == IS_CHECKSUM)
			checksum = i;
		if (statement->result_column[i] < 0)
			continue;
		if (!column_read(statement->handle, i, &map->columns[statement->result_column[i]], record, arena))
			return failure_set(failure, STATUS_NO_MEMORY, "no memory to read a stored row");
	}
	statement->damaged = checksum >= 0 && sqlite3_column_type(statement->handle, checksum) != SQLITE_NULL &&
						 sqlite3_column_int64(statement->handle, checksum) != columns_checksum(map, record);
	return statement->damaged ? row_changed(map, record, failure) : STATUS_OK;
}

void statement_reset(struct statement *statement)
{
	sqlite3_reset(statement->handle);
	sqlite3_clear_bindings(statement->handle);
}

enum status statement_run(struct statement *statement, const void *record, struct arena *arena, int64_t *changed,
	struct failure *failure)
{
	enum status status = statement_bind(statement, record, arena, failure);

	if (status == STATUS_OK)
		status = statement_step(statement, failure);
	if (status == STATUS_NOT_FOUND) /* at its end, as it should be */
		status = STATUS_OK;
	if (changed)
		*changed = status == STATUS_OK ? sqlite3_changes64(sqlite3_db_handle(statement->handle)) : 0;
	statement_reset(statement);
	return status;
}

enum status statement_one(struct statement *statement, const void *record, void *out, struct arena *arena, struct failure *failure)
{
	enum status status = statement_bind(statement, record, arena, failure);

	if (status == STATUS_OK)
		status = statement_step(statement, failure);
	if (status == STATUS_OK)
		status = statement_read(statement, out, arena, failure);
	statement_reset(statement);
	return status;
}
