/* Live feeds: their settings and state, their refreshes, and the rows that they changed or held back. */
#include "api/tables/shared.h"

static const char *const outcome_words[] = {"succeeded", "unchanged", "failed", "cancelled"};
static const char *const starter_words[] = {"schedule", "request"};
static const char *const change_words[] = {"added", "changed", "quarantined", "rejected"};
static const char *const kind_words[] = {"prices", "grid", "models"};
static const char *const state_word_list[] = {"off", "idle", "running"};

#define ROWS_COUNT(member, ...) INTEGER(member, 0, 9e15, __VA_ARGS__)

#define OF struct feed_refresh_record
static const struct field feed_refresh_rows[] = {
	TEXT(id, 36, "Id", .form = FORM_UUID),
	TEXT(feed, 64, "Id of the feed"),
	WORD(outcome, outcome_words, "Outcome; unchanged: the publisher reports no new data"),
	TEXT(detail, 2000, "Reason of a failure, or the rows that were left out and why", .flags = MULTILINE),
	WORD(started_by, starter_words, "Whether the schedule or a request started it"),
	TIME_AS(started_at, started_at_us, "Start"),
	TIME_AS(finished_at, finished_at_us, "End, when all rows were fetched"),
	TEXT(source, 200, "Source of the rows"),
	TEXT(licence, 200, "Licence of the rows"),
	TEXT(base_url, 1000, "URL fetched"),
	ROWS_COUNT(requests, "Number of requests, repeated ones included"),
	INTEGER(bytes, 0, 9e15, "Bytes of the responses, after decompression"),
	ROWS_COUNT(seen, "Number of rows of the feed that were read"),
	ROWS_COUNT(added, "New rows in the catalogue, or hours of a grid"),
	ROWS_COUNT(changed, "Rows of the catalogue that changed"),
	ROWS_COUNT(unchanged, "Rows that did not change"),
	ROWS_COUNT(kept, "Rows that a user or a measurement set; the feed does not replace them"),
	ROWS_COUNT(quarantined, "Rows held back because they differ too much from others"),
	ROWS_COUNT(rejected, "Rows that cannot be true"),
	ROWS_COUNT(skipped, "Rows of the feed that do not match the catalogue, or that could not be read"),
	INTEGER(catalogue_revision, 0, 9e15, "Revision of the catalogue after the refresh"),
};
TABLE(feed_refresh, feed_refresh_rows, "A refresh of a feed.");
#undef OF

#define OF struct feed_change
static const struct field feed_change_rows[] = {
	TEXT(refresh_id, 36, "Id of the refresh", .form = FORM_UUID),
	WORD(what, change_words, "Outcome of the row; quarantined and rejected rows are not in the catalogue"),
	TEXT(subject, 200, "Id of the row; for a grid, its zone and hour"),
	TEXT(quantity, 64, "Field of the row, with its unit"),
	FIGURE(before, "Value in the catalogue before the refresh; of two prices for one offer, the lower"),
	FIGURE(after, "Value in the feed"),
	FIGURE(low, "Lowest value that would be accepted"),
	FIGURE(high, "Highest value that would be accepted"),
	TEXT(detail, 1000, "Reason"),
};
TABLE(feed_change, feed_change_rows, "A row that a refresh changed or held back.");
#undef OF

#define OF struct feed_view
static const struct field feed_rows[] = {
	TEXT(id, 64, "Id of the feed", .example = "\"uk-carbon\"", .always = true),
	TEXT(title, 200, "Title", .always = true),
	WORD(kind, kind_words, "Kind of data", .always = true),
	BOOL(enabled, "Whether the daemon may fetch it (option feeds)"),
	WORD(state, state_word_list, "State of the feed", .always = true),
	INTEGER(waiting, 0, 1000, "Number of refreshes that wait"),
	BOOL(stale, "Whether the newest refresh failed; the catalogue then has the rows of an earlier one"),
	INTEGER(every_minutes, 1, 525600, "Interval of scheduled refreshes; absent: only on request"),
	TIME_AS(next_at, next_at_us, "Time of the next scheduled refresh"),
	TEXT(base_url, 1000, "URL of the feed"),
	TEXT(hosts, 500, "Hosts of the publisher"),
	TEXT(scope, 4200, "Parts of the feed that are requested"),
	TEXT(scope_is, 500, "Meaning of the words in `scope`"),
	TEXT(key, 200, "API key that the feed needs; absent: none"),
	BOOL(has_key, "Whether a key is configured; the API never shows it"),
	TEXT(paging, 500, "How the publisher splits responses into pages"),
	TEXT(source, 200, "Source named in the feed's rows", .always = true),
	TEXT(licence, 200, "Licence of the data", .always = true),
	TEXT(documentation, 500, "URL of the publisher's documentation"),
	INTEGER(answer_max_bytes, 0, 9e15, "Largest response accepted, after decompression"),
	INTEGER(requests_max, 0, 1000000, "Largest number of responses in one refresh"),
	INTEGER(request_s, 0, 1000000, "Time limit of a request"),
	INTEGER(refresh_s, 0, 1000000, "Time limit of a refresh"),
	OBJECT_IF(last, has_last, feed_refresh, "The newest refresh"),
	OBJECT_IF(last_good, has_good, feed_refresh, "The newest refresh that received a response"),
};
TABLE(feed, feed_rows, "A live feed.");
#undef OF

#define OF struct feed_detail
static const struct field feed_detail_rows[] = {
	MERGE(view, feed),
	LIST(history, 1000, feed_refresh, "Refreshes, newest first"),
	LIST(held, 5000, feed_change, "Rows held back by the refresh `refresh_id`; default: the newest that read rows"),
	LIST(changes, 5000, feed_change, "Rows that this refresh added and changed"),
};
TABLE(feed_detail, feed_detail_rows, "A live feed, with its history.");
#undef OF

#define OF struct feed_detail_query
static const struct field feed_detail_query_rows[] = {
	INTEGER(limit, 1, 200, "Number of refreshes in the history", .fallback = "20"),
	TEXT(refresh_id, 36, "Refresh whose rows are shown", .form = FORM_UUID, .fallback = "the newest that read rows"),
};
TABLE(feed_detail_query, feed_detail_query_rows, "Parts of a feed to return.");
#undef OF
