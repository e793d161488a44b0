/* The audit log. */
#include "api/tables/shared.h"

static const char *const audit_outcome_words[] = {"done", "refused"}, *const audit_method_words[] = {"POST", "PUT", "PATCH", "DELETE", "COMMAND"};

#define OF struct audit_record
static const struct field audit_entry_rows[] = {
	INTEGER(number, 1, 9e15, "Counts up without gaps"),
	TIME_AS(at, at_us, "When, by the daemon's clock"),
	TEXT(key_id, 64, "Whose API key; anonymous: there was none yet; command: somebody on the daemon's machine"),
	TEXT(key_name, 200, "That key's name"),
	WORD(role, role_words, "That key's role"),
	TEXT(address, 45, "Where the connection came from"),
	TEXT(request_id, 64, "X-Request-Id of request and answer"),
	WORD(method, audit_method_words, "What was asked"),
	TEXT(path, 1000, "Of what"),
	TEXT(entity, 200, "Id of what was written"),
	INTEGER(revision, 0, 9e15, "Of that, or of the catalogue, afterwards"),
	WORD(outcome, audit_outcome_words, "What came of it"),
	INTEGER(http_status, 200, 499, "As it was answered"),
};
TABLE(audit_entry, audit_entry_rows, "A write, and who asked for it.");
#undef OF

#define OF struct audit_list_query
#define FILTERS \
	TEXT(key, 64, "Entries of this key, by its id"), \
	WORD(method, audit_method_words, "Entries of this method"), \
	TEXT(entity, 200, "Entries of what has this id"), \
	WORD(outcome, audit_outcome_words, "Entries with this outcome"), \
	TEXT(q, 200, "Entries with this text in their path"), \
	TIME_AS(after, after_us, "Entries after that time"), \
	TIME_AS(before, before_us, "Entries before that time")
static const struct field audit_list_query_rows[] = {MERGE(page, page_query), FILTERS};
TABLE(audit_list_query, audit_list_query_rows, "Which entries.");
static const struct field audit_export_query_rows[] = {FILTERS};
TABLE(audit_export_query, audit_export_query_rows, "Which entries.");
#undef OF
