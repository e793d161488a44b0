/* Copies the readable and undamaged rows of a damaged file into a new file.
 *
 * Tables are copied row by row. After an unreadable page the copy continues: in growing steps along the row numbers, or
 * from the other end of a table without them. Then the copied rows are checked, and rows with a wrong checksum are
 * deleted. */
#include <unistd.h>

#include "storage/sqlite/check_pass.h"

struct recovery {
	struct connection *from, *to;
	check_note *note;
	void *context;
	struct recover_result *result;
};

static void recovery_fault(struct recovery *it, const char *table, const char *what)
{
	char text[400];

	snprintf(text, sizeof text, "%s: %s", table, what);
	it->result->faults++;
	it->note(it->context, text);
}

/* Copies the rows of a select into the table with the same columns; SQLITE_DONE at the end. *last is the first column
 * of the last row. */
static int copy_rows(struct recovery *it, sqlite3_stmt *rows, sqlite3_stmt *insert, int64_t *last)
{
	int code, count = sqlite3_column_count(rows), first = sqlite3_bind_parameter_count(insert) == count ? 0 : 1;

	while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
		if (last)
			*last = sqlite3_column_int64(rows, 0);
		for (int i = first; i < count; i++)
			sqlite3_bind_value(insert, i - first + 1, sqlite3_column_value(rows, i));
		if (sqlite3_step(insert) == SQLITE_DONE)
			it->result->rows += sqlite3_changes(it->to->db);
		else
			return sqlite3_reset(insert);
		sqlite3_reset(insert);
	}
	return code;
}

static int64_t highest_number(struct recovery *it, const char *table)
{
	sqlite3_stmt *statement = NULL;
	int64_t highest = INT32_MAX; /* used if the right edge of the tree cannot be read */
	char sql[120];

	snprintf(sql, sizeof sql, "SELECT max(rowid) FROM %s", table);
	if (sqlite3_prepare_v2(it->from->db, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
		highest = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return highest;
}

static void copy_numbered(struct recovery *it, const char *table, sqlite3_stmt *rows, sqlite3_stmt *insert)
{
	enum {
		ONE_BY_ONE = 4096
	}; /* more than the rows of a page or an inner page; above that the steps grow, since numbers may have large gaps */
	int64_t last = 0, highest = highest_number(it, table), begin = 0, step = 1, failed = 0;

	while (begin <= highest) {
		int code;

		last = begin - 1;
		sqlite3_bind_int64(rows, 1, begin);
		code = copy_rows(it, rows, insert, &last);
		sqlite3_reset(rows);
		if (code == SQLITE_DONE)
			return;
		if (last >= begin || failed == 0)
			recovery_fault(it, table, "a range of rows cannot be read");
		failed = last >= begin ? 1 : failed + 1; /* some rows could be read: this is another range */
		step = failed > ONE_BY_ONE ? step * 2 : 1;
		begin = (last >= begin ? last : begin) + step;
	}
}

/* Copies from the front to the first unreadable page, and from the back to the last one; ignores duplicates. */
static void copy_unnumbered(struct recovery *it, const char *table, const char *columns, const char *key, sqlite3_stmt *insert)
{
	for (int backwards = 0; backwards < 2; backwards++) {
		sqlite3_stmt *rows = NULL;
		char sql[2000];
		int code;

		snprintf(sql, sizeof sql, "SELECT %s FROM %s ORDER BY %s", columns, table, key);
		if (backwards)
			snprintf(sql, sizeof sql, "SELECT %s FROM %s ORDER BY %s DESC", columns, table, key);
		code = sqlite3_prepare_v2(it->from->db, sql, -1, &rows, NULL);
		if (code == SQLITE_OK)
			code = copy_rows(it, rows, insert, NULL);
		sqlite3_finalize(rows);
		if (code == SQLITE_DONE)
			return;
		if (!backwards)
			recovery_fault(it, table, "a range of rows cannot be read");
	}
}

/* Returns one text from a query of the new file, "" if there is none. */
static void query_text(struct recovery *it, const char *sql, const char *table, char *out, size_t size)
{
	sqlite3_stmt *statement = NULL;

	*out = '\0';
	if (sqlite3_prepare_v2(it->to->db, sql, -1, &statement, NULL) == SQLITE_OK) {
		sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
		if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
			snprintf(out, size, "%s", (const char *)sqlite3_column_text(statement, 0));
	}
	sqlite3_finalize(statement);
}

static void copy_table(struct recovery *it, const char *table)
{
	char columns[1500], key[300], marks[400], without[8], sql[2000];
	sqlite3_stmt *rows = NULL, *insert = NULL;

	query_text(it, "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info(?1)", table, columns, sizeof columns);
	query_text(it, "SELECT group_concat('?') FROM pragma_table_info(?1)", table, marks, sizeof marks);
	query_text(it, "SELECT wr FROM pragma_table_list(?1)", table, without, sizeof without);
	query_text(
		it, "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk)", table, key, sizeof key);
	snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s (%s) VALUES (%s)", table, columns, marks);
	if (sqlite3_prepare_v2(it->to->db, sql, -1, &insert, NULL) != SQLITE_OK)
		recovery_fault(it, table, sqlite3_errmsg(it->to->db));
	snprintf(sql, sizeof sql, "SELECT rowid, %s FROM %s WHERE rowid >= ?1 ORDER BY rowid", columns, table);
	if (insert && strcmp(without, "1") == 0)
		copy_unnumbered(it, table, columns, key, insert);
	else if (insert && sqlite3_prepare_v2(it->from->db, sql, -1, &rows, NULL) == SQLITE_OK)
		copy_numbered(it, table, rows, insert);
	else if (insert)
		recovery_fault(it, table, sqlite3_errmsg(it->from->db));
	sqlite3_finalize(rows);
	sqlite3_finalize(insert);
}

static void copy_tables(struct recovery *it)
{
	sqlite3_stmt *tables = NULL;

	if (sqlite3_prepare_v2(
			it->to->db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", -1, &tables, NULL) == SQLITE_OK)
		while (sqlite3_step(tables) == SQLITE_ROW)
			copy_table(it, (const char *)sqlite3_column_text(tables, 0));
	sqlite3_finalize(tables);
}

static void take_out(struct check *check, const struct sealed_table *table, sqlite3_stmt *rows)
{
	sqlite3_stmt *statement = NULL;
	char sql[300], where[200];

	sealed_where(table, where, sizeof where);
	snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s", table->name, where);
	if (sqlite3_prepare_v2(check->connection->db, sql, -1, &statement, NULL) == SQLITE_OK) {
		sealed_bind(table, rows, statement);
		sqlite3_step(statement);
	}
	sqlite3_finalize(statement);
}

static enum status recovery_run(struct recovery *it, struct failure *failure)
{
	static const char whole_ones[] = "DELETE FROM plan_revision WHERE plan_id NOT IN (SELECT id FROM plan);"
									 "DELETE FROM plan_label WHERE plan_id NOT IN (SELECT id FROM plan);"
									 "DELETE FROM feed_change WHERE refresh_id NOT IN (SELECT id FROM feed_refresh);"
									 "INSERT OR IGNORE INTO commit_count VALUES (1, 0, lower(hex(randomblob(16))));";
	struct check_result result = {0};
	struct check check = {
		.connection = it->to, .note = it->note, .context = it->context, .result = &result, .rows_only = true, .damaged = take_out};
	enum status status = connection_execute(it->to, "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE", failure);

	if (status != STATUS_OK)
		return status;
	sqlite3_db_config(it->to->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL); /* damaged entries of the audit log are deleted */
	copy_tables(it);
	check_run(&check);
	it->result->faults += result.faults;
	it->result->rows -= result.faults;
	status = check.no_memory ? failure_set(failure, STATUS_NO_MEMORY, "there was no memory to check the new file; recover again")
							 : connection_execute(it->to, whole_ones, failure);
	return status == STATUS_OK ? connection_execute(it->to, "COMMIT", failure) : status;
}

enum status storage_recover(
	const char *path, const char *to, check_note *note, void *context, struct recover_result *result, struct failure *failure)
{
	struct connection from = {0}, fresh = {0};
	struct recovery recovery = {.from = &from, .to = &fresh, .note = note, .context = context, .result = result};
	enum status status;

	*result = (struct recover_result){0};
	if (access(to, F_OK) == 0)
		return failure_set(failure, STATUS_CONFLICT, "%s exists already; name a new file", to);
	status = check_open(path, &from, failure);
	if (status == STATUS_OK)
		status = store_file_create(to, failure);
	if (status == STATUS_OK)
		status = connection_open(to, false, &fresh, failure);
	if (status == STATUS_OK)
		status = store_migrate(&fresh, to, failure);
	if (status == STATUS_OK)
		status = recovery_run(&recovery, failure);
	connection_close(&fresh);
	connection_close(&from);
	if (status != STATUS_OK)
		unlink(to);
	return status;
}
