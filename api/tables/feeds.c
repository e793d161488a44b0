/* Live feeds: how each is set up and does, its refreshes, and the rows that they changed or did not believe. */
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
	TEXT(feed, 64, "Feed"),
	WORD(outcome, outcome_words, "What came of it; unchanged: the publisher says that nothing is new"),
	TEXT(detail, 2000, "What failed, or what was left out and why", .flags = MULTILINE),
	WORD(started_by, starter_words, "Who began it"),
	TIME_AS(started_at, started_at_us, "Begun"),
	TIME_AS(finished_at, finished_at_us, "Ended: when its rows were fetched"),
	TEXT(source, 200, "Where the rows come from"),
	TEXT(licence, 200, "On what terms"),
	TEXT(base_url, 1000, "Fetched from"),
	ROWS_COUNT(requests, "Requests that it took, repeated ones too"),
	INTEGER(bytes, 0, 9e15, "Of the answers, unpacked"),
	ROWS_COUNT(seen, "Rows of the feed that were looked at"),
	ROWS_COUNT(added, "Rows that are new in the catalogue, or hours of a grid"),
	ROWS_COUNT(changed, "Rows that were there and are different now"),
	ROWS_COUNT(unchanged, "Rows that are as they were"),
	ROWS_COUNT(kept, "Rows that a user or a measurement has the last word on"),
	ROWS_COUNT(quarantined, "Rows held back as they differ too much from others"),
	ROWS_COUNT(rejected, "Rows that cannot be true"),
	ROWS_COUNT(skipped, "Rows of the feed that are no offer of ours, or could not be read"),
	INTEGER(catalogue_revision, 0, 9e15, "Of the catalogue, after it"),
};
TABLE(feed_refresh, feed_refresh_rows, "A refresh of a feed.");
#undef OF

#define OF struct feed_change
static const struct field feed_change_rows[] = {
	TEXT(refresh_id, 36, "Refresh", .form = FORM_UUID),
	WORD(what, change_words, "What became of the row; quarantined and rejected ones are not in the catalogue"),
	TEXT(subject, 200, "The row's id; of a grid its zone and hour"),
	TEXT(quantity, 64, "Which of its figures, with its unit"),
	FIGURE(before, "As it stands, or stood; of two prices for one offer the lower"),
	FIGURE(after, "As the feed has it"),
	FIGURE(low, "At least so much would have been believed"),
	FIGURE(high, "At most so much would have been believed"),
	TEXT(detail, 1000, "Why"),
};
TABLE(feed_change, feed_change_rows, "A row that a refresh changed or held back.");
#undef OF

#define OF struct feed_view
static const struct field feed_rows[] = {
	TEXT(id, 64, "Name", .example = "\"uk-carbon\""),
	TEXT(title, 200, "What it is"),
	WORD(kind, kind_words, "What it brings"),
	BOOL(enabled, "Whether it may be fetched (option feeds)"),
	WORD(state, state_word_list, "What it does now"),
	INTEGER(waiting, 0, 1000, "Refreshes that wait for it"),
	BOOL(stale, "The newest refresh failed: what the catalogue has is of the one before"),
	INTEGER(every_minutes, 1, 525600, "Refreshed of itself so often; absent: only when asked"),
	TIME_AS(next_at, next_at_us, "The next refresh of itself"),
	TEXT(base_url, 1000, "Where it is fetched"),
	TEXT(hosts, 500, "Hosts of the publisher"),
	TEXT(scope, 4200, "What it is asked for"),
	TEXT(scope_is, 500, "What these words are"),
	TEXT(key, 200, "The key that it needs; absent: none"),
	BOOL(has_key, "Whether a key is configured; it is never shown"),
	TEXT(paging, 500, "How its answers are split"),
	TEXT(source, 200, "What rows of it name as their source"),
	TEXT(licence, 200, "On what terms it is published"),
	TEXT(documentation, 500, "Where its publisher describes it"),
	INTEGER(answer_max_bytes, 0, 9e15, "Largest answer that is taken, unpacked"),
	INTEGER(requests_max, 0, 1000000, "Answers that one refresh may take"),
	INTEGER(request_s, 0, 1000000, "Time limit of a request"),
	INTEGER(refresh_s, 0, 1000000, "Time limit of a refresh"),
	OBJECT_IF(last, has_last, feed_refresh, "The newest refresh"),
	OBJECT_IF(last_good, has_good, feed_refresh, "The newest that had an answer"),
};
TABLE(feed, feed_rows, "A live feed.");
#undef OF

#define OF struct feed_detail
static const struct field feed_detail_rows[] = {
	MERGE(view, feed),
	LIST(history, 1000, feed_refresh, "Refreshes, newest first"),
	LIST(held, 5000, feed_change, "What the newest refresh that read rows did not believe, or the one that is asked for"),
	LIST(changes, 5000, feed_change, "What that refresh added and changed"),
};
TABLE(feed_detail, feed_detail_rows, "A live feed, and what came of it.");
#undef OF

#define OF struct feed_detail_query
static const struct field feed_detail_query_rows[] = {
	INTEGER(limit, 1, 200, "Refreshes of the history", .fallback = "20"),
	TEXT(refresh_id, 36, "Whose rows are shown", .form = FORM_UUID, .fallback = "the newest that read rows"),
};
TABLE(feed_detail_query, feed_detail_query_rows, "What of a feed.");
#undef OF
