/* The routes of live feeds: list, detail, refresh. */
#include "server/feed_service.h"

#include "api/tables/tables.h"
#include "base/spelling.h"
#include "server/handlers.h"
#include "server/page_answer.h"
#include "server/server.h"
#include "storage/feeds.h"

static enum status feed_named(struct call *call, enum feed_id *id)
{
	const struct feed *feed = feed_find(call->parameters[0]);
	struct spelling spelling;
	char nearest[128];

	if (feed) {
		*id = (enum feed_id)(feed - feeds);
		return STATUS_OK;
	}
	spelling_init(&spelling, call->parameters[0]);
	for (size_t i = 0; i < FEED_COUNT; i++)
		spelling_offer(&spelling, feeds[i].name);
	spelling_list(&spelling, nearest, sizeof nearest);
	return failure_set(&call->failure, STATUS_NOT_FOUND, "no feed \"%.60s\"; %s%s", call->parameters[0],
		nearest[0] ? "similar names: " : "GET /v1/feeds lists the feeds", nearest);
}

/* Reads the newest refresh, and the newest successful one. */
static enum status view_refreshes(struct call *call, struct feed_view *view)
{
	const struct page_request newest = {.limit = 1};
	struct feed_refresh_list list;
	enum status status = storage_feed_refresh_list(call->server->storage, view->id, &newest, &call->arena, &list, &call->failure);

	if (status != STATUS_OK || list.count == 0)
		return status;
	view->has_last = true;
	view->last = list.items[0];
	view->stale = strcmp(view->last.outcome, "failed") == 0;
	status = storage_feed_refresh_newest(call->server->storage, view->id, false, &call->arena, &view->last_good, &call->failure);
	view->has_good = status == STATUS_OK;
	if (status == STATUS_NOT_FOUND) {
		failure_clear(&call->failure);
		status = STATUS_OK;
	}
	return status;
}

static enum status view_fill(struct call *call, enum feed_id id, struct feed_view *view)
{
	const struct feed *feed = &feeds[id];
	const struct feed_setting *setting = feeds_setting(call->server->feeds, id);
	struct feed_state state;

	feeds_state_get(call->server->feeds, id, &state);
	*view = (struct feed_view){.id = feed->name,
		.title = feed->title,
		.kind = feed_kind_words[feed->kind],
		.hosts = feed->hosts,
		.base_url = setting->base_url ? setting->base_url : feed->base_url,
		.scope = setting->scope ? setting->scope : feed->scope,
		.scope_is = feed->scope_is,
		.paging = feed->paging,
		.key = feed->key,
		.source = feed->source,
		.licence = feed->licence,
		.documentation = feed->documentation,
		.enabled = setting->enabled,
		.has_key = setting->key_file != NULL,
		.every_minutes = setting->every_minutes ? (int64_t)setting->every_minutes : ABSENT_COUNT,
		.state = !setting->enabled ? "off"
			: state.running        ? "running"
								   : "idle",
		.waiting = (int64_t)state.waiting,
		.next_at_us = state.next_at_us,
		.answer_max_bytes = (int64_t)feed->answer_max_bytes,
		.requests_max = feed->pages_max,
		.request_s = feed->request_s,
		.refresh_s = feed->refresh_s};
	view->scope = *view->scope ? view->scope : NULL;
	return view_refreshes(call, view);
}

enum status handle_feed_list(struct call *call)
{
	struct feed_view *views = ARENA_ARRAY(&call->arena, struct feed_view, FEED_COUNT);
	struct page_query query = {.limit = ABSENT_COUNT};
	enum status status = views ? record_decode_query(&table_page_query, call->query, call->query_count, &call->arena, &query, &call->failure)
							   : STATUS_NO_MEMORY;
	size_t count = page_request_of(&query).limit;

	if (status == STATUS_OK && query.cursor)
		return failure_set(&call->failure, STATUS_MALFORMED, "there is no further page: the first page has all feeds");
	for (int id = 0; id < FEED_COUNT && status == STATUS_OK; id++)
		status = view_fill(call, (enum feed_id)id, &views[id]);
	return status == STATUS_OK ? page_answer(call, &table_feed, views, count < FEED_COUNT ? count : FEED_COUNT, NULL) : status;
}

/* Shows the rows of the requested refresh, or of the newest one that read rows. */
static enum status detail_rows(struct call *call, const struct feed_detail_query *query, struct feed_detail *detail)
{
	struct storage *storage = call->server->storage;
	struct feed_refresh_record refresh;
	struct feed_change_list held, changes;
	enum status status = query->refresh_id
		? storage_feed_refresh_get(storage, query->refresh_id, &call->arena, &refresh, &call->failure)
		: storage_feed_refresh_newest(storage, detail->view.id, true, &call->arena, &refresh, &call->failure);

	if (status == STATUS_NOT_FOUND && !query->refresh_id) {
		failure_clear(&call->failure);
		return STATUS_OK;
	}
	if (status == STATUS_OK && strcmp(refresh.feed, detail->view.id) != 0)
		return failure_set(&call->failure, STATUS_NOT_FOUND, "this refresh belongs to the feed %s", refresh.feed);
	if (status == STATUS_OK)
		status = storage_feed_changes(storage, refresh.id, true, &call->arena, &held, &call->failure);
	if (status == STATUS_OK)
		status = storage_feed_changes(storage, refresh.id, false, &call->arena, &changes, &call->failure);
	if (status != STATUS_OK)
		return status;
	detail->held.items = held.items;
	detail->held.count = held.count;
	detail->changes.items = changes.items;
	detail->changes.count = changes.count;
	return STATUS_OK;
}

enum status handle_feed_get(struct call *call)
{
	struct feed_detail *detail = ARENA_NEW(&call->arena, struct feed_detail);
	struct feed_detail_query query = {.limit = ABSENT_COUNT};
	struct page_request page = {.limit = 20};
	struct feed_refresh_list list;
	enum feed_id id;
	enum status status = detail ? feed_named(call, &id) : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = record_decode_query(&table_feed_detail_query, call->query, call->query_count, &call->arena, &query, &call->failure);
	if (status == STATUS_OK)
		status = view_fill(call, id, &detail->view);
	if (status == STATUS_OK && query.limit > 0)
		page.limit = (size_t)query.limit;
	if (status == STATUS_OK)
		status = storage_feed_refresh_list(call->server->storage, feeds[id].name, &page, &call->arena, &list, &call->failure);
	if (status == STATUS_OK)
		status = detail_rows(call, &query, detail);
	if (status != STATUS_OK)
		return status;
	detail->history.items = list.items;
	detail->history.count = list.count;
	record_encode(&table_feed_detail, detail, &call->json);
	return STATUS_OK;
}

enum status handler_admits(struct call *call)
{
	enum feed_id id;
	enum status status = feed_named(call, &id);

	if (status == STATUS_OK && feeds[id].kind == FEED_MODELS)
		return failure_set(&call->failure, STATUS_CONFLICT,
			"the feed %s fetches single models and is not refreshed; use POST /v1/models/import {\"repo\": ...}", feeds[id].name);
	return status == STATUS_OK ? feeds_need(call->server->feeds, id, &call->failure) : status;
}

/* Runs on the feed's thread. */
static enum status refresh_work(struct call *call)
{
	struct feed_refresh_record record;
	enum feed_id id;
	enum status status = feed_named(call, &id);

	if (status == STATUS_OK)
		status = feeds_refresh(call->server->feeds, id, call_progress(call), "request", &call->arena, &record, &call->failure);
	if (status == STATUS_OK)
		record_encode(&table_feed_refresh, &record, &call->json);
	return status;
}

enum status handle_feed_refresh(struct call *call)
{
	enum feed_id id;
	enum status status = feed_named(call, &id);

	if (status == STATUS_OK)
		status = feeds_submit(call->server->feeds, id, call, refresh_work);
	return status == STATUS_OK ? HANDLER_PENDING : status;
}
