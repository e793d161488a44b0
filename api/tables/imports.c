/* Imports: what each brought, and what one would bring. */
#include "api/tables/shared.h"

static const char *const import_kind_words[] = {"accelerator", "model", "price", "region"};
static const char *const import_state_words[] = {"running", "succeeded", "failed", "cancelled", "interrupted"};
static const char *const import_starter_words[] = {"request", "feed", "command"};
static const char *const import_change_words[] = {"added", "changed", "removed", "kept"};

#define ROWS_COUNT(member, ...) INTEGER(member, 0, 9e15, __VA_ARGS__)

#define OF struct import_record
static const struct field import_record_rows[] = {
	TEXT(id, 36, "Id", .form = FORM_UUID),
	WORD(kind, import_kind_words, "What the rows are"),
	WORD(state, import_state_words, "Only succeeded ones hold; interrupted: the daemon stopped before that, and nothing of it is left"),
	TEXT(detail, 2000, "Why it did not succeed", .flags = MULTILINE),
	WORD(started_by, import_starter_words, "Where the rows came from"),
	TEXT(key_id, 64, "Whose API key sent it"),
	TEXT(key_name, 200, "Name of that key, or of the feed"),
	TEXT(content_type, 64, "Form of the file"),
	INTEGER(bytes, 0, 9e15, "Of the file, after decompression"),
	TEXT(sha256, 64, "Of the file, after decompression"),
	BOOL(replaces, "Whether imported rows that it did not name ended with it"),
	BOOL(overwrites, "Whether it had the last word over users and measurements"),
	TIME_AS(started_at, started_at_us, "Begun"),
	TIME_AS(finished_at, finished_at_us, "Ended"),
	ROWS_COUNT(rows, "In the file"),
	ROWS_COUNT(added, "Rows that are new in the catalogue"),
	ROWS_COUNT(changed, "Rows that were there and are different now"),
	ROWS_COUNT(removed, "Rows that ended"),
	ROWS_COUNT(unchanged, "Rows that are as they were"),
	ROWS_COUNT(kept, "Rows that a user or a measurement has the last word on"),
	INTEGER(revision, 1, 9e15, "Of the catalogue, that it made; absent: it changed nothing"),
};
TABLE(import, import_record_rows, "Rows that came together and became visible together.");
#undef OF

#define OF struct import_column
static const struct field import_column_rows[] = {
	TEXT(column, 64, "Which"),
	TEXT(before, 2000000, "As it is; absent: empty"),
	TEXT(after, 2000000, "As it would be; absent: empty"),
};
DECLARE_TABLE(import_column, struct import_column);
TABLE(import_column, import_column_rows, "A column that differs, as CSV has it.");
#undef OF

#define OF struct import_change
static const struct field import_change_rows[] = {
	TEXT(id, 200, "The row's"),
	WORD(what, import_change_words, "What would become of it; kept: its origin stands in the way"),
	INTEGER(row, 0, 9e15, "Where it stands in the file: the header of a CSV is row 1; elements are counted from 0; absent: it does not"),
	LIST(columns, 64, import_column, "Of a changed or kept row what differs"),
};
DECLARE_TABLE(import_change, struct import_change);
TABLE(import_change, import_change_rows, "What an import would do to a row.");
#undef OF

#define OF struct import_fault
static const struct field import_fault_rows[] = {
	INTEGER(row, 0, 9e15, "Where it stands in the file: the header of a CSV is row 1; elements are counted from 0"),
	INTEGER(line, 0, 9e15, "Where the row begins, from 1"),
	TEXT(column, 200, "Which; absent: the whole row"),
	TEXT(code, 32, "As in a problem's errors"),
	TEXT(detail, 400, "What would be accepted"),
};
DECLARE_TABLE(import_fault, struct import_fault);
TABLE(import_fault, import_fault_rows, "What is wrong with a row.");
#undef OF

#define OF struct import_view
static const struct field import_view_rows[] = {
	MERGE(record, import),
	BOOL(dry_run, "Whether nothing was kept: what it would do"),
	LIST(changes, 1000, import_change, "Of a dry run, the first 1,000 rows that would not be as they are"),
	LIST(faults, 500, import_fault, "Of a dry run, the first 500 faults; with any of them nothing would be imported"),
	INTEGER(fault_count, 0, 9e15, "Of a dry run, all of them"),
};
TABLE(import_view, import_view_rows, "What an import did, or would do.");
#undef OF

#define OF struct import_query
static const struct field import_query_rows[] = {
	TRUTH(dry_run, "Tell what it would do, and do nothing", .fallback = "false"),
	TRUTH(replace, "End imported rows of this kind that the file does not name; those of users, measurements and built in stay", .fallback = "false"),
	TRUTH(overwrite, "Replace rows of users and measurements too", .fallback = "false"),
};
TABLE(import_query, import_query_rows, "How to import.");
#undef OF

#define OF struct import_list_query
static const struct field import_list_query_rows[] = {
	MERGE(page, page_query),
	WORD(kind, import_kind_words, "Imports of this kind"),
};
TABLE(import_list_query, import_list_query_rows, "Which imports.");
#undef OF

/* --- of what a daemon answers, for the command --------------------------------------------------------------------- */
#define OF struct problem_error
static const struct field problem_error_rows[] = {
	TEXT(pointer, 1000, "Where"),
	TEXT(code, 64, "What"),
	TEXT(detail, 2000, "What would be accepted"),
};
DECLARE_TABLE(problem_error, struct problem_error);
TABLE(problem_error, problem_error_rows, "A fault of a request.");
#undef OF

#define OF struct problem_view
static const struct field problem_view_rows[] = {
	TEXT(title, 200, "Which kind of problem"),
	TEXT(detail, 2000, "What is wrong", .flags = MULTILINE),
	LIST(errors, 100, problem_error, "Every fault"),
};
TABLE(problem_view, problem_view_rows, "A problem, as RFC 9457 has it.");
#undef OF
