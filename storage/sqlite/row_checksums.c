/* The tables whose rows have a checksum of their content (statements.c writes and checks it), and the checksums of old
 * rows. */
#include "storage/sqlite/store.h"

#define NUMBERED(name_) \
	{ \
		.name = #name_, .map = &name_##_map \
	}
#define HOLDING(name_) \
	{ \
		.name = #name_, .map = &name_##_map, .has_times = true \
	}
#define KEYED(name_, ...) \
	{ \
		.name = #name_, .map = &name_##_map, .keys = { __VA_ARGS__ } \
	}
const struct sealed_table sealed_tables[] = {HOLDING(accelerator), HOLDING(model), HOLDING(price), HOLDING(region), HOLDING(calibration),
	NUMBERED(observation), {.name = "api_key", .map = &key_map}, NUMBERED(audit), NUMBERED(benchmark), NUMBERED(device), NUMBERED(agent),
	NUMBERED(feed_refresh), NUMBERED(feed_change), NUMBERED(import), NUMBERED(idempotency), KEYED(feed_validator, "feed", "url"),
	KEYED(grid_hour, "zone", "signal", "start_us", "feed"), KEYED(grid_zone, "zone", "signal"), {.name = NULL}};

enum { ROW_ARENA_BYTES = 64 * 1024 * 1024 };

static int column_of(sqlite3_stmt *statement, const char *name)
{
	int column = 0, count = sqlite3_column_count(statement);

	while (column < count && strcmp(sqlite3_column_name(statement, column), name) != 0)
		column++;
	CHECK(column < count);
	return column;
}

void sealed_where(const struct sealed_table *table, char *out, size_t size)
{
	size_t length = 0;

	if (!table->keys[0])
		snprintf(out, size, "rowid = ?1");
	for (int k = 0; k < SEALED_KEYS_MAX && table->keys[k]; k++)
		length += (size_t)snprintf(out + length, size - length, "%s%s = ?%d", k ? " AND " : "", table->keys[k], k + 1);
}

int sealed_bind(const struct sealed_table *table, sqlite3_stmt *rows, sqlite3_stmt *statement)
{
	int k = 0;

	if (!table->keys[0])
		sqlite3_bind_int64(statement, ++k, sqlite3_column_int64(rows, 0));
	for (; k < SEALED_KEYS_MAX && table->keys[k]; k++)
		sqlite3_bind_value(statement, k + 1, sqlite3_column_value(rows, column_of(rows, table->keys[k])));
	return k;
}

static int key_count(const struct sealed_table *table)
{
	int count = 0;

	while (count < SEALED_KEYS_MAX && table->keys[count])
		count++;
	return count ? count : 1;
}

/* Fills the checksum of a row that was read already. */
static enum status fill_row(
	const struct sealed_table *table, struct statement *rows, sqlite3_stmt *update, const void *record, struct failure *failure)
{
	int bound = sealed_bind(table, rows->handle, update), code;

	sqlite3_bind_int64(update, bound + 1, columns_checksum(rows->results, record));
	code = sqlite3_step(update);
	sqlite3_reset(update);
	return code == SQLITE_DONE ? STATUS_OK : sqlite_failure(sqlite3_db_handle(update), failure);
}

/* Fills the checksums of long texts, which lists do not read, first: the row's checksum covers them. */
static enum status fill_long_texts(struct connection *connection, const struct sealed_table *table, struct failure *failure)
{
	const struct column_map *map = table->map;
	sqlite3_stmt *rows = NULL, *update = NULL;
	enum status status = STATUS_OK;
	char sql[200];
	int code = SQLITE_DONE;

	if (!map->long_text)
		return STATUS_OK;
	snprintf(sql, sizeof sql, "SELECT rowid, %s FROM %s WHERE row_checksum IS NULL AND %s IS NOT NULL", map->long_text, table->name,
		map->long_text);
	if (sqlite3_prepare_v2(connection->db, sql, -1, &rows, NULL) != SQLITE_OK)
		return sqlite_failure(connection->db, failure);
	snprintf(sql, sizeof sql, "UPDATE %s SET %s = ?2 WHERE rowid = ?1", table->name, map->long_checksum);
	if (sqlite3_prepare_v2(connection->db, sql, -1, &update, NULL) != SQLITE_OK)
		status = sqlite_failure(connection->db, failure);
	while (status == STATUS_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
		const struct json_text text = {(const char *)sqlite3_column_text(rows, 1), (size_t)sqlite3_column_bytes(rows, 1)};

		sqlite3_bind_int64(update, 1, sqlite3_column_int64(rows, 0));
		sqlite3_bind_int64(update, 2, long_text_checksum(&text));
		if (sqlite3_step(update) != SQLITE_DONE)
			status = sqlite_failure(connection->db, failure);
		sqlite3_reset(update);
	}
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = sqlite_failure(connection->db, failure);
	sqlite3_finalize(rows);
	sqlite3_finalize(update);
	return status;
}

static enum status fill_table(struct connection *connection, const struct sealed_table *table, struct arena *arena, struct failure *failure)
{
	void *record = calloc(1, table->map->struct_size);
	sqlite3_stmt *update = NULL;
	struct statement rows = {0};
	char sql[300], where[200];
	enum status status = record ? fill_long_texts(connection, table, failure)
								: failure_set(failure, STATUS_NO_MEMORY, "no memory for checksums");

	sealed_where(table, where, sizeof where);
	snprintf(sql, sizeof sql, "SELECT %s t.* FROM %s t WHERE row_checksum IS NULL", table->keys[0] ? "" : "t.rowid AS number,", table->name);
	if (status == STATUS_OK)
		status = statement_prepare_read(connection->db, sql, table->map, &rows, failure);
	snprintf(sql, sizeof sql, "UPDATE %s SET row_checksum = ?%d WHERE %s", table->name, key_count(table) + 1, where);
	if (status == STATUS_OK && sqlite3_prepare_v2(connection->db, sql, -1, &update, NULL) != SQLITE_OK)
		status = sqlite_failure(connection->db, failure);
	while (status == STATUS_OK && (status = statement_step(&rows, failure)) == STATUS_OK) {
		status = statement_read(&rows, record, arena, failure);
		if (status == STATUS_OK)
			status = fill_row(table, &rows, update, record, failure);
		arena_reset(arena);
	}
	sqlite3_finalize(rows.handle);
	sqlite3_finalize(update);
	free(record);
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status fill_times(struct connection *connection, const struct sealed_table *table, struct failure *failure)
{
	char sql[300];

	if (!table->has_times)
		return STATUS_OK;
	snprintf(sql, sizeof sql,
		"UPDATE %s SET times_checksum = times_seal(id, valid_from_us, valid_to_us, revision, %s) WHERE times_checksum IS NULL", table->name,
		table->map == &calibration_map ? "NULL, NULL" : "opened_by, closed_by");
	return connection_execute(connection, sql, failure);
}

/* Until schema version 13 a key's checksum did not cover its revocation. A key that matches the old checksum gets a new
 * one; another stays damaged. */
static enum status reseal_revoked_keys(struct connection *connection, struct arena *arena, struct failure *failure)
{
	static const struct sealed_table *table = &sealed_tables[6];
	struct statement rows = {0};
	struct key_stored key;
	sqlite3_stmt *update = NULL;
	enum status status;

	CHECK(table->map == &key_map);
	status = statement_prepare_read(
		connection->db, "SELECT t.rowid AS number, t.* FROM api_key t WHERE revoked_at_us IS NOT NULL", table->map, &rows, failure);
	if (status == STATUS_OK &&
		sqlite3_prepare_v2(connection->db, "UPDATE api_key SET row_checksum = ?2 WHERE rowid = ?1", -1, &update, NULL) != SQLITE_OK)
		status = sqlite_failure(connection->db, failure);
	while (status == STATUS_OK && (status = statement_step(&rows, failure)) == STATUS_OK) {
		struct key_stored before;

		if (statement_read(&rows, &key, arena, failure) != STATUS_OK && !rows.damaged) {
			status = failure->status;
			break;
		}
		failure_clear(failure);
		before = key;
		before.record.revoked_at_us = ABSENT_COUNT;
		if (rows.damaged && sqlite3_column_int64(rows.handle, column_of(rows.handle, "row_checksum")) == columns_checksum(&key_map, &before))
			status = fill_row(table, &rows, update, &key, failure);
		arena_reset(arena);
	}
	sqlite3_finalize(rows.handle);
	sqlite3_finalize(update);
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status row_checksums_fill(struct connection *connection, int version_before, struct failure *failure)
{
	enum { REVOCATIONS_SEALED = 13 };
	enum status status = STATUS_OK;
	struct arena arena;

	sqlite3_db_config(connection->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL); /* entries of the audit log get checksums too */
	arena_init(&arena, ROW_ARENA_BYTES);
	if (version_before < REVOCATIONS_SEALED)
		status = reseal_revoked_keys(connection, &arena, failure);
	for (const struct sealed_table *table = sealed_tables; table->name && status == STATUS_OK; table++) {
		status = fill_table(connection, table, &arena, failure);
		if (status == STATUS_OK)
			status = fill_times(connection, table, failure);
	}
	arena_release(&arena);
	sqlite3_db_config(connection->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
	return status;
}
