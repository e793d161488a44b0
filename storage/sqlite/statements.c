#include "storage/sqlite/statements.h"

#include <string.h>

extern const char storage_sql_0001[], storage_sql_0002[], storage_sql_0003[], storage_sql_0004[], storage_sql_0005[], storage_sql_0006[],
	storage_sql_0007[], storage_sql_0008[], storage_sql_0009[], storage_sql_0010[], storage_sql_0011[], storage_sql_0012[],
	storage_sql_0013[], storage_sql_0014[], storage_sql_0015[], storage_sql_statements[];

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
		storage_sql_0006, storage_sql_0007, storage_sql_0008, storage_sql_0009, storage_sql_0010, storage_sql_0011, storage_sql_0012,
		storage_sql_0013, storage_sql_0014, storage_sql_0015};

	return version >= 1 && (size_t)version <= COUNT_OF(migrations) ? migrations[version - 1] : NULL;
}

/* Returns the text after "-- name: NAME" up to the next block; *length is 0 if there is none. */
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

bool sqlite_ran_out_of_memory(int code)
{
	return (code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM;
}

enum status sqlite_failure(sqlite3 *db, struct failure *failure)
{
	const char *text = sqlite3_errmsg(db);
	int code = sqlite3_extended_errcode(db);

	if (sqlite_ran_out_of_memory(code))
		return failure_set(failure, STATUS_NO_MEMORY, "the store is out of memory");
	switch (code & 0xff) {
	case SQLITE_FULL:
		return failure_set(
			failure, STATUS_STORAGE_FULL, "the disk of the database is full; free some space, then writes continue by themselves");
	case SQLITE_CONSTRAINT:
		if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY)
			return failure_set(failure, STATUS_CONFLICT, "exists already (%s)", text);
		return failure_set(failure, STATUS_INVALID, "outside the range that can be stored (%s)", text);
	case SQLITE_TOOBIG:
		return failure_set(failure, STATUS_TOO_LARGE, "too large to be stored (%s)", text);
	case SQLITE_READONLY:
		return failure_set(failure, STATUS_UNAVAILABLE, "the database cannot be written (%s); make its folder writable", text);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return failure_set(failure, STATUS_UNAVAILABLE,
			"the database file is damaged (%s); stop the daemon and restore a backup, or copy the undamaged rows with `fleetplan recover`",
			text);
	default:
		return failure_set(failure, STATUS_UNAVAILABLE, "the database cannot be used now (%s, code %d)", text, code);
	}
}

enum { IS_NUMBER = -1, IS_CHECKSUM = -2, IS_TIMES_CHECKSUM = -3 }; /* columns that are not members */

static const char checksum_name[] = "row_checksum";

static bool is_checksum(const struct column_map *map, const char *name)
{
	return map->noun && strcmp(name, checksum_name) == 0;
}

/* Finds the columns in the checksum of times; calibrations have no imports. */
static void map_times(struct statement *statement)
{
	static const char *const names[1 + TIMES_COUNT] = {"id", "valid_from_us", "valid_to_us", "revision", "opened_by", "closed_by"};

	for (int k = 0; k < 1 + TIMES_COUNT; k++) {
		statement->times_column[k] = -1;
		for (int i = 0; i < statement->result_count; i++)
			if (strcmp(sqlite3_column_name(statement->handle, i), names[k]) == 0)
				statement->times_column[k] = i;
	}
}

static enum status statement_misfit(const char *name, const char *what, struct failure *failure)
{
	return failure_set(failure, STATUS_UNAVAILABLE,
		"statement %s: the tables of the file are not those of this program (%s); restore a backup", name, what);
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
		else if (column < 0 && statement->results->noun && strcmp(result, "times_checksum") == 0)
			column = IS_TIMES_CHECKSUM;
		else if (column < 0 && strcmp(result, "number") != 0)
			return statement_misfit(name, result, failure);
		statement->result_column[i] = column;
		statement->result_is_told[i] = strncmp(result, "told_", strlen("told_")) == 0;
	}
	map_times(statement);
	return STATUS_OK;
}

/* Compiles the program's own statements against its own tables, when the writer prepares all of them at start. A
 * mismatch is a programming error, or a file with a damaged schema. */
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
		return failure_set(failure, STATUS_INTERNAL, "no SQL statement with the name %s", specifications[name].name);
	statement->parameters = specifications[name].parameters;
	statement->results = specifications[name].results;
	if (sqlite3_prepare_v3(db, text, (int)length, SQLITE_PREPARE_PERSISTENT, &statement->handle, NULL) != SQLITE_OK)
		return sqlite_failure(db, failure);
	return statement_map(statement, specifications[name].name, failure);
}

enum status statement_prepare_read(
	sqlite3 *db, const char *text, const struct column_map *map, struct statement *statement, struct failure *failure)
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
	int id = column_find(map, "id"), number = column_find(map, "number");
	const char *text = id >= 0 ? *(const char *const *)(const void *)((const char *)record + map->columns[id].offset) : NULL;
	char digits[24];

	if (id < 0 && number >= 0) {
		snprintf(
			digits, sizeof digits, "%lld", (long long)*(const int64_t *)(const void *)((const char *)record + map->columns[number].offset));
		text = digits;
	}

	return failure_set(failure, STATUS_UNAVAILABLE,
		"%s %s was changed on the disk after it was stored (its checksum differs); store or import it again, delete it, or restore a backup",
		map->noun, text ? text : "(without an id)");
}

static enum status read_columns(struct statement *statement, void *record, bool told, struct arena *arena, struct failure *failure)
{
	for (int i = 0; i < statement->result_count; i++)
		if (statement->result_column[i] >= 0 && statement->result_is_told[i] == told &&
			!column_read(statement->handle, i, &statement->results->columns[statement->result_column[i]], record, arena))
			return failure_set(failure, STATUS_NO_MEMORY, "no memory to read a stored row");
	return STATUS_OK;
}

static int result_of(const struct statement *statement, int column)
{
	int i = 0;

	while (i < statement->result_count && statement->result_column[i] != column)
		i++;
	return i < statement->result_count ? i : -1;
}

/* True if a checksum is stored and differs. */
static bool checksum_differs(struct statement *statement, int result, int64_t checksum)
{
	return result >= 0 && sqlite3_column_type(statement->handle, result) != SQLITE_NULL &&
		sqlite3_column_int64(statement->handle, result) != checksum;
}

static bool times_differ(struct statement *statement)
{
	struct row_times times = {.id = NULL};
	int checksum = result_of(statement, IS_TIMES_CHECKSUM);

	if (checksum < 0 || statement->times_column[0] < 0)
		return false;
	times.id = (const char *)sqlite3_column_text(statement->handle, statement->times_column[0]);
	for (int i = 0; i < TIMES_COUNT; i++) {
		int column = statement->times_column[1 + i];

		times.there[i] = column >= 0 && sqlite3_column_type(statement->handle, column) != SQLITE_NULL;
		times.values[i] = column >= 0 ? sqlite3_column_int64(statement->handle, column) : 0;
	}
	return checksum_differs(statement, checksum, times_checksum(&times));
}

static bool long_text_differs(struct statement *statement, const void *record)
{
	const struct column_map *map = statement->results;
	int text = map->long_text ? column_find(map, map->long_text) : -1, checksum = map->long_text ? column_find(map, map->long_checksum) : -1;

	return text >= 0 && result_of(statement, text) >= 0 &&
		checksum_differs(statement, result_of(statement, checksum),
			long_text_checksum((const struct json_text *)(const void *)((const char *)record + map->columns[text].offset)));
}

enum status statement_read(struct statement *statement, void *record, struct arena *arena, struct failure *failure)
{
	const struct column_map *map = statement->results;
	enum status status;

	columns_clear(map, record);
	status = read_columns(statement, record, false, arena, failure);
	/* Without memory SQLite returns NULL for a text; the row is not damaged. */
	if (status == STATUS_OK && sqlite_ran_out_of_memory(sqlite3_extended_errcode(sqlite3_db_handle(statement->handle))))
		status = failure_set(failure, STATUS_NO_MEMORY, "no memory to read a stored row");
	statement->damaged = status == STATUS_OK && map->noun &&
		(checksum_differs(statement, result_of(statement, IS_CHECKSUM), columns_checksum(map, record)) || times_differ(statement) ||
			long_text_differs(statement, record));
	if (statement->damaged)
		return row_changed(map, record, failure);
	return status == STATUS_OK ? read_columns(statement, record, true, arena, failure) : status;
}

void statement_reset(struct statement *statement)
{
	sqlite3_reset(statement->handle);
	sqlite3_clear_bindings(statement->handle);
}

enum status statement_run(struct statement *statement, const void *record, struct arena *arena, int64_t *changed, struct failure *failure)
{
	enum status status = statement_bind(statement, record, arena, failure);

	if (status == STATUS_OK)
		status = statement_step(statement, failure);
	if (status == STATUS_NOT_FOUND) /* at its end, as expected */
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
