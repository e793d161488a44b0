/* Imports: the record of each, and the changes that a dry run reports. */
#include "api/tables/shared.h"

static const char *const import_kind_words[] = {"accelerator", "model", "price", "region"};
static const char *const import_state_words[] = {"running", "succeeded", "failed", "cancelled", "interrupted"};
static const char *const import_starter_words[] = {"request", "feed", "command"};
static const char *const import_change_words[] = {"added", "changed", "removed", "kept"};

#define ROWS_COUNT(member, ...) INTEGER(member, 0, 9e15, __VA_ARGS__)

#define OF struct import_record
static const struct field import_record_rows[] = {
	TEXT(id, 36, "Id", .form = FORM_UUID),
	WORD(kind, import_kind_words, "Kind of the rows"),
	WORD(state, import_state_words,
		"State. The rows of succeeded imports only are in the catalogue; interrupted: the daemon stopped before the end, and no row was kept"),
	TEXT(detail, 2000, "Reason, if the import did not succeed", .flags = MULTILINE),
	WORD(started_by, import_starter_words, "Starter of the import"),
	TEXT(key_id, 64, "Id of the API key that sent it"),
	TEXT(key_name, 200, "Name of that key, or of the feed"),
	TEXT(content_type, 64, "Media type of the file"),
	INTEGER(bytes, 0, 9e15, "Size of the file after decompression"),
	TEXT(sha256, 64, "SHA-256 of the file after decompression"),
	BOOL(replaces, "Whether the import ended imported rows that the file does not contain"),
	BOOL(overwrites, "Whether the import replaced rows of users and measurements"),
	TIME_AS(started_at, started_at_us, "Start"),
	TIME_AS(finished_at, finished_at_us, "End"),
	ROWS_COUNT(rows, "Rows in the file"),
	ROWS_COUNT(added, "New rows in the catalogue"),
	ROWS_COUNT(changed, "Rows of the catalogue that changed"),
	ROWS_COUNT(removed, "Rows that ended"),
	ROWS_COUNT(unchanged, "Rows that did not change"),
	ROWS_COUNT(kept, "Rows that a user or a measurement set; the import did not replace them"),
	INTEGER(revision, 1, 9e15, "Revision of the catalogue that it created; absent: it changed nothing"),
};
TABLE(import, import_record_rows, "An import: rows that became visible at the same time.");
#undef OF

#define OF struct import_column
static const struct field import_column_rows[] = {
	TEXT(column, 64, "Name of the column"),
	TEXT(before, 2000000, "Present value; absent: empty"),
	TEXT(after, 2000000, "Value after the import; absent: empty"),
};
DECLARE_TABLE(import_column, struct import_column);
TABLE(import_column, import_column_rows, "A column that would change, with its values as CSV.");
#undef OF

#define OF struct import_change
static const struct field import_change_rows[] = {
	TEXT(id, 200, "Id of the row", .always = true),
	WORD(what, import_change_words, "Change of the row; kept: the row's origin prevents the change", .always = true),
	INTEGER(row, 0, 9e15, "Position in the file: the header of a CSV is row 1, elements of JSON count from 0; absent: not in the file"),
	LIST(columns, 64, import_column, "Columns that differ, of a changed or kept row"),
};
DECLARE_TABLE(import_change, struct import_change);
TABLE(import_change, import_change_rows, "The change that an import would make to a row.");
#undef OF

#define OF struct import_fault
static const struct field import_fault_rows[] = {
	INTEGER(row, 0, 9e15, "Position in the file: the header of a CSV is row 1, elements of JSON count from 0"),
	INTEGER(line, 0, 9e15, "First line of the row, from 1"),
	TEXT(column, 200, "Name of the column; absent: the whole row"),
	TEXT(code, 32, "Code of the fault, as in a problem's `errors`"),
	TEXT(detail, 400, "Value that is allowed"),
};
DECLARE_TABLE(import_fault, struct import_fault);
TABLE(import_fault, import_fault_rows, "A fault in a row.");
#undef OF

#define OF struct import_view
static const struct field import_view_rows[] = {
	MERGE(record, import),
	BOOL(dry_run, "Whether this was a dry run, which changes nothing"),
	LIST(changes, 1000, import_change, "Dry run: the first 1,000 rows that would change"),
	LIST(faults, 500, import_fault, "Dry run: the first 500 faults; an import with any fault imports nothing"),
	INTEGER(fault_count, 0, 9e15, "Dry run: number of all faults"),
};
TABLE(import_view, import_view_rows, "An import, or the report of a dry run.");
#undef OF

#define OF struct import_query
static const struct field import_query_rows[] = {
	TRUTH(dry_run, "Whether to report what the import would do, without doing it", .fallback = "false"),
	TRUTH(replace,
		"Whether to end imported rows of this kind that the file does not contain; builtin rows and those of users and measurements stay",
		.fallback = "false"),
	TRUTH(overwrite, "Whether to replace rows of users and measurements too", .fallback = "false"),
};
TABLE(import_query, import_query_rows, "Options of an import.");
#undef OF

#define OF struct import_list_query
static const struct field import_list_query_rows[] = {
	MERGE(page, page_query),
	WORD(kind, import_kind_words, "Imports of this kind"),
};
TABLE(import_list_query, import_list_query_rows, "Filters of imports.");
#undef OF

/* --- responses of the daemon, for the command line ------------------------------------------------------------------ */
#define OF struct problem_error
static const struct field problem_error_rows[] = {
	TEXT(pointer, 1000, "JSON pointer to the fault"),
	TEXT(code, 64, "Code of the fault"),
	TEXT(detail, 2000, "Value that is allowed"),
};
DECLARE_TABLE(problem_error, struct problem_error);
TABLE(problem_error, problem_error_rows, "A fault in a request.");
#undef OF

#define OF struct problem_view
static const struct field problem_view_rows[] = {
	TEXT(title, 200, "Kind of problem"),
	TEXT(detail, 2000, "Explanation of the problem", .flags = MULTILINE),
	LIST(errors, 100, problem_error, "All faults"),
};
TABLE(problem_view, problem_view_rows, "A problem as in RFC 9457.");
#undef OF
