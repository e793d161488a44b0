/* The audit log. */
#include "api/tables/shared.h"

static const char *const audit_outcome_words[] = {"done", "refused"}, *const audit_method_words[] = {"POST", "PUT", "PATCH", "DELETE", "COMMAND"};

#define OF struct audit_record
static const struct field audit_entry_rows[] = {
	INTEGER(number, 1, 9e15, "Number of the entry, counting up without gaps", .always = true),
	TIME_AS(at, at_us, "Time of the entry by the daemon's clock", .always = true),
	TEXT(key_id, 64, "Id of the API key; anonymous: no key existed yet; command: a command on the daemon's machine"),
	TEXT(key_name, 200, "Name of the key"),
	WORD(role, role_words, "Role of the key"),
	TEXT(address, 45, "IP address of the client"),
	TEXT(request_id, 64, "X-Request-Id of the request and the response"),
	WORD(method, audit_method_words, "HTTP method", .always = true),
	TEXT(path, 1000, "Path of the request", .always = true),
	TEXT(entity, 200, "Id of the resource that was written"),
	INTEGER(revision, 0, 9e15, "Revision of the resource, or of the catalogue, after the write"),
	WORD(outcome, audit_outcome_words, "Whether the write was done or refused", .always = true),
	INTEGER(http_status, 200, 499, "Status of the response", .always = true),
};
TABLE(audit_entry, audit_entry_rows, "A write, and the API key that requested it.");
#undef OF

#define OF struct audit_list_query
#define FILTERS \
	TEXT(key, 64, "Entries of this key, by its id"), WORD(method, audit_method_words, "Entries of this method"), \
		TEXT(entity, 200, "Entries about the resource with this id"), WORD(outcome, audit_outcome_words, "Entries with this outcome"), \
		TEXT(q, 200, "Entries whose path contains this text"), TIME_AS(after, after_us, "Entries after this time"), \
		TIME_AS(before, before_us, "Entries before this time")
static const struct field audit_list_query_rows[] = {MERGE(page, page_query), FILTERS};
TABLE(audit_list_query, audit_list_query_rows, "Filters of audit entries.");
static const struct field audit_export_query_rows[] = {FILTERS};
TABLE(audit_export_query, audit_export_query_rows, "Filters of audit entries.");
#undef OF
