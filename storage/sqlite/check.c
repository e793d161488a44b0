/* Reads all stored data and compares it with its checksums; for a command, and for the daemon in the background. */
#include "storage/check.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "storage/sqlite/check_pass.h"
#include "storage/sqlite/checksum.h"

enum {
	FAULTS_OF_STRUCTURE = 100,
	CHUNK_ROWS = 64,
	CHECK_ARENA_BYTES = 512 * 1024 * 1024,
	OPCODES_A_LOOK = 20000,
	HIGHEST_SKIPPED = INT32_MAX / 2
};

static void check_fault(struct check *check, const char *text)
{
	check->result->faults++;
	check->note(check->context, text);
}

/* Reports a fault. A lack of memory is none. */
static void check_status(struct check *check, enum status status, const struct failure *failure)
{
	if (status == STATUS_NO_MEMORY)
		check->no_memory = true;
	else
		check_fault(check, failure->detail);
}

/* The same for a statement of SQLite. */
static void check_code(struct check *check, int code)
{
	if (sqlite_ran_out_of_memory(code))
		check->no_memory = true;
	else
		check_fault(check, sqlite3_errmsg(check->connection->db));
}

/* Interrupts a statement when the daemon stops; otherwise yields the processor, because no client waits for the check. */
static int yield_or_stop(void *argument)
{
	struct check *check = argument;

	if (check->ends && check->ends(check->ends_context))
		return 1;
	if (check->ends)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return 0;
}

static bool is_ended(const struct check *check)
{
	return check->ends && check->ends(check->ends_context);
}

/* True if SQLite's check could not read a page without memory. It reports this as a fault, with the code as text. */
static bool without_memory(const char *text)
{
	static const char mark[] = "error code=";
	const char *at = text;

	while ((at = strstr(at, mark)) && !sqlite_ran_out_of_memory((int)strtol(at + strlen(mark), NULL, 10)))
		at++;
	return at != NULL;
}

static void check_structure(struct check *check)
{
	sqlite3_stmt *statement;
	char sql[64];
	int code;

	snprintf(sql, sizeof sql, "PRAGMA quick_check(%d)", FAULTS_OF_STRUCTURE);
	code = sqlite3_prepare_v2(check->connection->db, sql, -1, &statement, NULL);
	while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(statement, 0);

		code = SQLITE_OK;
		if (text && without_memory(text))
			check->no_memory = true;
		else if (text && strcmp(text, "ok") != 0)
			check_fault(check, text);
	}
	if (code != SQLITE_DONE && code != SQLITE_OK && !is_ended(check))
		check_code(check, code);
	sqlite3_finalize(statement);
}

/* Checks one row of a table by its map; a fault is described in the failure. */
typedef enum status row_check(struct statement *statement, void *record, struct arena *arena, struct failure *failure);

static enum status check_sealed(struct statement *statement, void *record, struct arena *arena, struct failure *failure)
{
	return statement_read(statement, record, arena, failure);
}

static enum status check_plan(struct statement *statement, void *record, struct arena *arena, struct failure *failure)
{
	enum status status = statement_read(statement, record, arena, failure);

	if (status == STATUS_OK)
		status = plan_verify_head(record, failure);
	return status == STATUS_OK ? plan_verify_content(record, failure) : status;
}

static enum status check_revision(struct statement *statement, void *record, struct arena *arena, struct failure *failure)
{
	enum status status = statement_read(statement, record, arena, failure);

	return status == STATUS_OK ? plan_verify_content(record, failure) : status;
}

static const char revisions_sql[] =
	"SELECT r.rowid AS number, p.id, p.kind, p.created_at_us, r.model, r.accelerator, r.catalogue_revision, r.calibration_revision, "
	"r.planner_version, r.computed_at_us, p.asked, r.request, r.result, r.checksum, r.content_revision "
	"FROM plan_revision r JOIN plan p ON p.id = r.plan_id WHERE r.rowid > ?1 ORDER BY r.rowid LIMIT ?2";

/* Checks rows from a row number on, some at a time, so that no read transaction is long. */
static int64_t check_rows(struct check *check, const struct sealed_table *table, const char *sql, row_check *row)
{
	struct failure *failure = calloc(1, sizeof *failure);
	const struct column_map *map = table->map;
	void *record = calloc(1, map->struct_size);
	struct statement statement = {0};
	int64_t last = 0, whole = 0, skip = 1; /* row numbers start at 1 */
	enum status status = failure && record ? STATUS_OK : STATUS_NO_MEMORY;
	bool more = status == STATUS_OK;
	struct arena arena;

	arena_init(&arena, CHECK_ARENA_BYTES);
	if (more)
		status = statement_prepare_read(check->connection->db, sql, map, &statement, failure);
	while (status == STATUS_OK && more && !is_ended(check)) {
		more = false;
		sqlite3_bind_int64(statement.handle, 1, last);
		sqlite3_bind_int64(statement.handle, 2, CHUNK_ROWS);
		while ((status = statement_step(&statement, failure)) == STATUS_OK) {
			more = true;
			last = sqlite3_column_int64(statement.handle, 0);
			status = row(&statement, record, &arena, failure);
			whole += status == STATUS_OK;
			if (status != STATUS_OK)
				check_status(check, status, failure);
			if (status != STATUS_OK && status != STATUS_NO_MEMORY && check->damaged)
				check->damaged(check, table, statement.handle);
		}
		sqlite3_reset(statement.handle);
		arena_reset(&arena);
		skip = more ? 1 : skip * 2;
		if (status == STATUS_NO_MEMORY)
			break;
		if (status != STATUS_NOT_FOUND && last <= HIGHEST_SKIPPED && !is_ended(check)) { /* an unreadable page: continue after it */
			check_fault(check, failure->detail);
			last += skip;
			more = true;
		}
		status = STATUS_OK;
		(void)yield_or_stop(check);
	}
	if (status != STATUS_OK && !is_ended(check))
		check_status(check, status, failure);
	sqlite3_finalize(statement.handle);
	arena_release(&arena);
	free(record);
	free(failure);
	return whole;
}

/* Reports gaps in the audit log. Entries are numbered without gaps; only the oldest are deleted. */
static void check_audit_gaps(struct check *check)
{
	static const char sql[] = "SELECT number, (SELECT max(number) FROM audit WHERE number < a.number) AS before FROM audit a "
							  "WHERE number > (SELECT min(number) FROM audit) AND NOT EXISTS (SELECT 1 FROM audit WHERE number = a.number - 1)";
	sqlite3_stmt *statement;
	char text[160];
	int code = sqlite3_prepare_v2(check->connection->db, sql, -1, &statement, NULL);

	while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		snprintf(text, sizeof text, "entries of the audit log are missing between %lld and %lld",
			(long long)sqlite3_column_int64(statement, 1), (long long)sqlite3_column_int64(statement, 0));
		check_fault(check, text);
		code = SQLITE_OK;
	}
	if (code != SQLITE_DONE && code != SQLITE_OK && !is_ended(check))
		check_code(check, code);
	sqlite3_finalize(statement);
}

/* Checks a table without row numbers in one pass. */
static int64_t check_keyed(struct check *check, const struct sealed_table *table)
{
	struct failure *failure = calloc(1, sizeof *failure);
	void *record = calloc(1, table->map->struct_size);
	struct statement statement = {0};
	enum status status = failure && record ? STATUS_OK : STATUS_NO_MEMORY;
	int64_t whole = 0;
	struct arena arena;
	char sql[80];

	arena_init(&arena, CHECK_ARENA_BYTES);
	snprintf(sql, sizeof sql, "SELECT * FROM %s", table->name);
	if (status == STATUS_OK)
		status = statement_prepare_read(check->connection->db, sql, table->map, &statement, failure);
	while (status == STATUS_OK && (status = statement_step(&statement, failure)) == STATUS_OK) {
		status = statement_read(&statement, record, &arena, failure);
		whole += status == STATUS_OK;
		if (status != STATUS_OK)
			check_status(check, status, failure);
		if (status != STATUS_OK && status != STATUS_NO_MEMORY && check->damaged)
			check->damaged(check, table, statement.handle);
		if (status != STATUS_OK)
			failure_clear(failure);
		arena_reset(&arena);
		status = STATUS_OK;
	}
	if (status != STATUS_NOT_FOUND && !is_ended(check))
		check_status(check, status, failure);
	sqlite3_finalize(statement.handle);
	arena_release(&arena);
	free(record);
	free(failure);
	return whole;
}

void check_run(struct check *check)
{
	static const struct sealed_table plans = {.name = "plan", .map = &plan_map}, revisions = {.name = "plan_revision", .map = &plan_map};
	char sql[160];

	*check->result = (struct check_result){0};
	sqlite3_progress_handler(check->connection->db, OPCODES_A_LOOK, yield_or_stop, check);
	if (!check->rows_only)
		check_structure(check);
	check->result->plans = check_rows(check, &plans, "SELECT * FROM plan WHERE number > ?1 ORDER BY number LIMIT ?2", check_plan);
	check->result->revisions = check_rows(check, &revisions, revisions_sql, check_revision);
	for (const struct sealed_table *table = sealed_tables; table->name; table++) {
		snprintf(sql, sizeof sql, "SELECT t.rowid AS number, t.* FROM %s t WHERE t.rowid > ?1 ORDER BY t.rowid LIMIT ?2", table->name);
		check->result->rows += table->keys[0] ? check_keyed(check, table) : check_rows(check, table, sql, check_sealed);
	}
	if (!check->rows_only)
		check_audit_gaps(check);
	sqlite3_progress_handler(check->connection->db, 0, NULL, NULL);
}

enum status check_open(const char *path, struct connection *connection, struct failure *failure)
{
	enum status status;

	if (access(path, F_OK) != 0)
		return failure_set(failure, STATUS_NOT_FOUND, "the database %s does not exist", path);
	status = file_identity_look(path, failure);
	if (status == STATUS_OK)
		status = connection_open(path, true, connection, failure);
	if (status == STATUS_OK) /* closing must not write the log back into the checked file */
		sqlite3_db_config(connection->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return status;
}

static int64_t lost_commits(struct connection *connection, const char *path)
{
	static _Thread_local struct failure unread;
	static const struct arguments none;
	struct arguments found = {0};
	int64_t marked = 0;
	struct arena arena;

	arena_init(&arena, ARENA_KEEP_BYTES);
	if (store_one(connection, STATEMENT_COMMIT_COUNT_GET, &none, &found, &arena, &unread) == STATUS_OK)
		(void)!commit_mark_read(path, found.id, &marked, &unread);
	arena_release(&arena);
	return marked > found.count ? marked - found.count : 0;
}

enum status storage_check(const char *path, check_note *note, void *context, struct check_result *result, struct failure *failure)
{
	struct connection connection;
	struct check check = {.connection = &connection, .note = note, .context = context, .result = result};
	int version;
	enum status status = check_open(path, &connection, failure);

	*result = (struct check_result){0};
	if (status != STATUS_OK)
		return status;
	status = store_version(&connection, path, &version, failure);
	if (status == STATUS_OK && version == 0) { /* the file is empty; the mark shows whether it was before */
		status = commit_mark_read(path, "", &result->lost_commits, failure);
		connection_close(&connection);
		return status;
	}
	if (status == STATUS_OK && version != store_schema_version())
		status = failure_set(failure, STATUS_CONFLICT,
			"%s has schema %d and this program has schema %d; start this program once to migrate the file", path, version,
			store_schema_version());
	if (status == STATUS_OK) {
		check_run(&check);
		result->lost_commits = lost_commits(&connection, path);
		if (check.no_memory)
			status = failure_set(failure, STATUS_NO_MEMORY, "there was no memory to check all of %s; check it again", path);
	}
	connection_close(&connection);
	return status;
}

/* --- in the background --------------------------------------------------------------------------------------------- */

enum { SCRUB_EVERY_S = 86400, SCRUB_DAMAGED_EVERY_S = 600, FAULTS_LOGGED = 20 };

struct scrub {
	struct storage *storage;
	uint64_t logged;
};

static bool scrub_ends(void *context)
{
	struct storage *storage = context;
	bool closing;

	pthread_mutex_lock(&storage->lock);
	closing = storage->closing;
	pthread_mutex_unlock(&storage->lock);
	return closing;
}

static void scrub_note(void *context, const char *fault)
{
	struct scrub *scrub = context;

	if (scrub->logged++ < FAULTS_LOGGED)
		log_event(LOG_ERROR, "database_damaged", LOG_TEXT("path", scrub->storage->path), LOG_TEXT("fault", fault));
}

/* Runs one pass and returns the seconds until the next one: soon if there are faults. */
static time_t scrub_once(struct storage *storage)
{
	struct failure *failure = calloc(1, sizeof *failure);
	struct scrub scrub = {.storage = storage};
	struct check_result result = {0};
	struct connection connection = {0};
	struct check check = {
		.connection = &connection, .note = scrub_note, .context = &scrub, .result = &result, .ends = scrub_ends, .ends_context = storage};
	bool done = failure && file_identity_check(storage, failure) == STATUS_OK && /* checked before opening, as in readers.c */
		connection_open(storage->path, true, &connection, failure) == STATUS_OK && file_identity_check(storage, failure) == STATUS_OK;

	if (done)
		check_run(&check);
	done = done && !check.no_memory;
	if (failure)
		connection_close(&connection);
	free(failure);
	if (scrub_ends(storage))
		return 0;
	pthread_mutex_lock(&storage->lock);
	storage->state.scrubs++;
	storage->state.scrub_failed = !done;
	if (done || result.faults > 0)
		storage->state.scrub_faults = (uint64_t)result.faults;
	pthread_mutex_unlock(&storage->lock);
	log_event(result.faults || !done ? LOG_ERROR : LOG_INFO, "database_checked", LOG_INTEGER("plans", result.plans),
		LOG_INTEGER("rows", result.rows), LOG_INTEGER("faults", result.faults),
		LOG_TEXT("detail",
			check.no_memory     ? "there was no memory to read all of it"
				: !done         ? "it could not be opened"
				: result.faults ? "see `fleetplan check` and `fleetplan recover`"
								: "whole"));
	return result.faults || !done ? SCRUB_DAMAGED_EVERY_S : SCRUB_EVERY_S;
}

static void *scrub_main(void *argument)
{
	struct storage *storage = argument;
	struct timespec until;

	do {
		time_t wait_s = scrub_once(storage);

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += wait_s;
		pthread_mutex_lock(&storage->lock);
		while (!storage->closing && pthread_cond_clockwait(&storage->scrub_wakes, &storage->lock, CLOCK_MONOTONIC, &until) == 0)
			continue;
		pthread_mutex_unlock(&storage->lock);
	} while (!scrub_ends(storage));
	return NULL;
}

enum status storage_scrub_start(struct storage *storage, struct failure *failure)
{
	if (pthread_create(&storage->scrub_thread, NULL, scrub_main, storage) != 0)
		return failure_set(failure, STATUS_UNAVAILABLE, "cannot start the thread that checks the database");
	storage->scrub_started = true;
	return STATUS_OK;
}
