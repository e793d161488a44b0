/* Tables whose rows carry a checksum of their content (statements.c makes and checks it), and rows of before. */
#include "storage/sqlite/store.h"

const struct sealed_table sealed_tables[] = {{"accelerator", &accelerator_map}, {"model", &model_map}, {"price", &price_map}, {"region", &region_map},
	{"calibration", &calibration_map}, {"observation", &observation_map}, {"api_key", &key_map}, {"audit", &audit_map}, {NULL, NULL}};

enum { ROW_ARENA_BYTES = 64 * 1024 * 1024, PARAMETER_CHECKSUM = 1, PARAMETER_NUMBER = 2 };

static int column_of(sqlite3_stmt *statement, const char *name)
{
	int column = 0, count = sqlite3_column_count(statement);

	while (column < count && strcmp(sqlite3_column_name(statement, column), name) != 0)
		column++;
	CHECK(column < count);
	return column;
}

static enum status fill_row(struct statement *rows, sqlite3_stmt *update, int number_column, void *record, struct arena *arena, struct failure *failure)
{
	enum status status = statement_read(rows, record, arena, failure);
	int code;

	if (status != STATUS_OK)
		return status;
	sqlite3_bind_int64(update, PARAMETER_CHECKSUM, columns_checksum(rows->results, record));
	sqlite3_bind_int64(update, PARAMETER_NUMBER, sqlite3_column_int64(rows->handle, number_column));
	code = sqlite3_step(update);
	sqlite3_reset(update);
	return code == SQLITE_DONE ? STATUS_OK : sqlite_failure(sqlite3_db_handle(update), failure);
}

static enum status fill_table(struct connection *connection, const struct sealed_table *table, struct arena *arena, struct failure *failure)
{
	void *record = calloc(1, table->map->struct_size);
	sqlite3_stmt *update = NULL;
	struct statement rows = {0};
	char sql[160];
	enum status status = record ? STATUS_OK : failure_set(failure, STATUS_NO_MEMORY, "no memory for checksums");

	snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE row_checksum IS NULL", table->name);
	if (status == STATUS_OK)
		status = statement_prepare_read(connection->db, sql, table->map, &rows, failure);
	snprintf(sql, sizeof sql, "UPDATE %s SET row_checksum = ? WHERE number = ?", table->name);
	if (status == STATUS_OK && sqlite3_prepare_v2(connection->db, sql, -1, &update, NULL) != SQLITE_OK)
		status = sqlite_failure(connection->db, failure);
	while (status == STATUS_OK && (status = statement_step(&rows, failure)) == STATUS_OK) {
		status = fill_row(&rows, update, column_of(rows.handle, "number"), record, arena, failure);
		arena_reset(arena);
	}
	sqlite3_finalize(rows.handle);
	sqlite3_finalize(update);
	free(record);
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status row_checksums_fill(struct connection *connection, struct failure *failure)
{
	enum status status = connection_execute(connection, "BEGIN IMMEDIATE", failure);
	struct arena arena;

	arena_init(&arena, ROW_ARENA_BYTES);
	for (const struct sealed_table *table = sealed_tables; table->name && status == STATUS_OK; table++)
		status = fill_table(connection, table, &arena, failure);
	arena_release(&arena);
	if (status == STATUS_OK)
		status = connection_execute(connection, "COMMIT", failure);
	if (status != STATUS_OK && !sqlite3_get_autocommit(connection->db))
		sqlite3_exec(connection->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}
