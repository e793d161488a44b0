#include "base/log.h"
#include "storage/sqlite/store.h"
#include "storage/sqlite/times_seal.h"

/* Runs once, before the first connection. Without memory statistics, SQLite takes no global lock for allocations. */
static void library_configure(void)
{
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

enum status connection_open(const char *path, bool read_only, struct connection *connection, struct failure *failure)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	/* Readers also open for writing, because read-only connections cannot recover a write-ahead log. query_only
	 * prevents writes. */
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | (read_only ? 0 : SQLITE_OPEN_CREATE) | SQLITE_OPEN_EXRESCODE;
	enum status status;

	pthread_once(&once, library_configure);
	*connection = (struct connection){0};
	if (sqlite3_open_v2(path, &connection->db, flags, NULL) != SQLITE_OK) {
		status = connection->db ? sqlite_failure(connection->db, failure)
								: failure_set(failure, STATUS_NO_MEMORY, "no memory to open %s", path);
		connection_close(connection);
		return status;
	}
	sqlite3_busy_timeout(connection->db, 5000);
	sqlite3_db_config(connection->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(connection->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	status = connection_execute(connection, "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;", failure);
	if (status == STATUS_OK)
		status = times_seal_register(connection->db, failure);
	if (status == STATUS_OK && read_only)
		status = connection_execute(connection, "PRAGMA query_only = ON;", failure);
	if (status != STATUS_OK)
		connection_close(connection);
	return status;
}

void connection_close(struct connection *connection)
{
	for (size_t i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_finalize(connection->statements[i].handle);
	sqlite3_close(connection->db);
	*connection = (struct connection){0};
}

enum status connection_execute(struct connection *connection, const char *sql, struct failure *failure)
{
	if (sqlite3_exec(connection->db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return STATUS_OK;
	return sqlite_failure(connection->db, failure);
}

bool connection_roll_back(struct connection *connection)
{
	if (!sqlite3_get_autocommit(connection->db))
		sqlite3_exec(connection->db, "ROLLBACK", NULL, NULL, NULL);
	return sqlite3_get_autocommit(connection->db);
}

struct statement *connection_statement(struct connection *connection, enum statement_name name, struct failure *failure)
{
	struct statement *statement = &connection->statements[name];

	if (!statement->handle && statement_prepare(connection->db, name, statement, failure) != STATUS_OK)
		return NULL;
	return statement;
}

enum status store_run(struct connection *connection, enum statement_name name, const void *record, struct arena *arena, int64_t *changed,
	struct failure *failure)
{
	struct statement *statement = connection_statement(connection, name, failure);

	return statement ? statement_run(statement, record, arena, changed, failure) : failure->status;
}

enum status store_one(
	struct connection *connection, enum statement_name name, const void *record, void *out, struct arena *arena, struct failure *failure)
{
	struct statement *statement = connection_statement(connection, name, failure);

	return statement ? statement_one(statement, record, out, arena, failure) : failure->status;
}

/* Doubles a full array; the length of a list is not known before. */
static bool rows_grow(struct rows_read *rows, size_t *capacity, size_t item_size, struct arena *arena)
{
	size_t wanted = *capacity ? *capacity * 2 : 16;
	void *items;

	if (rows->count < *capacity)
		return true;
	items = arena_alloc(arena, wanted, item_size);
	if (!items)
		return false;
	if (rows->count)
		memcpy(items, rows->items, rows->count * item_size);
	rows->items = items;
	*capacity = wanted;
	return true;
}

/* Logs the first skipped rows, counts all. */
static void row_left_out(struct rows_read *rows, struct failure *failure)
{
	enum { NAMED = 20 };

	if (rows->damaged++ < NAMED)
		log_event(LOG_ERROR, "row_damaged", LOG_TEXT("detail", failure->detail));
	failure_clear(failure);
}

static enum status rows_fetch(struct statement *statement, const void *record, size_t limit, bool whole_only, struct arena *arena,
	struct rows_read *rows, struct failure *failure)
{
	size_t item_size = statement->results->struct_size, capacity = 0;
	enum status status = statement_bind(statement, record, arena, failure);

	while (status == STATUS_OK) {
		status = statement_step(statement, failure);
		if (status != STATUS_OK)
			return status == STATUS_NOT_FOUND ? STATUS_OK : status;
		if (rows->count == limit) {
			rows->more = true;
			return STATUS_OK;
		}
		if (!rows_grow(rows, &capacity, item_size, arena))
			return failure_set(failure, STATUS_NO_MEMORY, "no memory for a list of %zu rows", rows->count);
		status = statement_read(statement, (char *)rows->items + rows->count * item_size, arena, failure);
		rows->count += status == STATUS_OK;
		if (status != STATUS_OK && statement->damaged && whole_only) {
			row_left_out(rows, failure);
			status = STATUS_OK;
		}
	}
	return status;
}

static enum status list_rows(struct connection *connection, enum statement_name name, const void *record, size_t limit, bool whole_only,
	struct arena *arena, struct rows_read *rows, struct failure *failure)
{
	struct statement *statement = connection_statement(connection, name, failure);
	enum status status;

	*rows = (struct rows_read){0};
	if (!statement)
		return failure->status;
	status = rows_fetch(statement, record, limit, whole_only, arena, rows, failure);
	statement_reset(statement);
	return status;
}

enum status store_list(struct connection *connection, enum statement_name name, const void *record, size_t limit, struct arena *arena,
	struct rows_read *rows, struct failure *failure)
{
	return list_rows(connection, name, record, limit, false, arena, rows, failure);
}

enum status store_list_whole(struct connection *connection, enum statement_name name, const void *record, size_t limit, struct arena *arena,
	struct rows_read *rows, struct failure *failure)
{
	return list_rows(connection, name, record, limit, true, arena, rows, failure);
}
