/* Migrates a file from any version to the newest, in one transaction: a crash leaves the file unchanged. */
#include "storage/sqlite/store.h"

enum { APPLICATION_ID = 0x464c5450 /* "FLTP"; file(1) and this program look for it */ };

int store_schema_version(void)
{
	int version = 0;

	while (migration_sql(version + 1))
		version++;
	return version;
}

/* Reads one integer from a statement. */
static enum status read_integer(struct connection *connection, const char *sql, int64_t *value, struct failure *failure)
{
	sqlite3_stmt *statement;
	enum status status = STATUS_OK;

	if (sqlite3_prepare_v2(connection->db, sql, -1, &statement, NULL) != SQLITE_OK)
		return sqlite_failure(connection->db, failure);
	if (sqlite3_step(statement) == SQLITE_ROW)
		*value = sqlite3_column_int64(statement, 0);
	else
		status = sqlite_failure(connection->db, failure);
	sqlite3_finalize(statement);
	return status;
}

/* Replaces SQLite's message, which is only the name of a missing table, by a text for the caller. */
enum status store_misfit(const char *path, int version, struct failure *failure)
{
	char detail[sizeof failure->detail];

	snprintf(detail, sizeof detail, "%.300s", failure->detail);
	failure_clear(failure);
	return failure_set(failure, STATUS_UNAVAILABLE,
		"%s says that it has schema %d, and does not: another program changed it, or it was copied in part; restore a backup, or name another file: %s",
		path, version, detail);
}

static bool is_misfit(struct connection *connection)
{
	return (sqlite3_extended_errcode(connection->db) & 0xff) == SQLITE_ERROR;
}

static enum status migrate_one(struct connection *connection, int version, struct failure *failure)
{
	char stamp[80];
	enum status status = connection_execute(connection, migration_sql(version), failure);

	snprintf(stamp, sizeof stamp, "PRAGMA user_version = %d; PRAGMA application_id = %d;", version, APPLICATION_ID);
	return status == STATUS_OK ? connection_execute(connection, stamp, failure) : status;
}

enum status store_version(struct connection *connection, const char *path, int *version, struct failure *failure)
{
	int64_t found = 0, application = 0, tables = 0;
	enum status status = read_integer(connection, "PRAGMA user_version", &found, failure);

	if (status != STATUS_OK && (sqlite3_extended_errcode(connection->db) & 0xff) == SQLITE_NOTADB)
		return failure_set(failure, STATUS_UNAVAILABLE,
			"%s is not an SQLite database; name another file. If it was Fleetplan's, its first page is damaged: restore a backup, or copy the undamaged rows with `fleetplan recover`",
			path);
	if (status == STATUS_OK)
		status = read_integer(connection, "PRAGMA application_id", &application, failure);
	if (status == STATUS_OK)
		status = read_integer(connection, "SELECT count(*) FROM sqlite_schema", &tables, failure);
	if (status != STATUS_OK)
		return status;
	if (application != APPLICATION_ID && (application != 0 || found != 0 || tables != 0))
		return failure_set(failure, STATUS_CONFLICT,
			"%s is a database of another application (%d tables and indexes, application_id %d); name another file. This file was not changed",
			path, (int)tables, (int)application);
	if (found == 0 && tables > 0)
		return failure_set(failure, STATUS_CONFLICT,
			"%s has Fleetplan's mark and tables, but no schema version: another program changed it; restore a backup, or name another file",
			path);
	if (found > store_schema_version())
		return failure_set(failure, STATUS_CONFLICT,
			"%s was written by a newer version (schema %d, this program supports %d); run that version, or restore an older backup", path,
			(int)found, store_schema_version());
	*version = (int)found;
	return STATUS_OK;
}

enum status store_migrate(struct connection *connection, const char *path, struct failure *failure)
{
	int before = 0, newest = store_schema_version();
	enum status status = store_version(connection, path, &before, failure);

	if (status != STATUS_OK || before == newest)
		return status;
	status = connection_execute(connection, "BEGIN IMMEDIATE", failure);
	for (int version = before; status == STATUS_OK && version < newest; version++)
		status = migrate_one(connection, version + 1, failure);
	if (status != STATUS_OK && is_misfit(connection))
		status = store_misfit(path, before, failure);
	if (status == STATUS_OK && before > 0)
		status = row_checksums_fill(connection, before, failure);
	if (status == STATUS_OK)
		status = connection_execute(connection, "COMMIT", failure);
	if (status != STATUS_OK)
		(void)connection_roll_back(connection);
	return status;
}
