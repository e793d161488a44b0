#include "storage/feeds.h"

#include <string.h>

#include "base/uuid.h"
#include "storage/sqlite/import_steps.h"

static const int64_t hours_kept_us = INT64_C(400) * 86400 * 1000000;

/* A refresh that is being stored. */
struct refresh_change {
	struct storage *storage;
	const struct feed_refresh_record *refresh;
	struct arena *arena;
	int64_t position;
};

static enum status change_insert(struct refresh_change *change, struct feed_change row, struct failure *failure)
{
	if (change->position >= FEED_CHANGES_MAX)
		return STATUS_OK;
	row.refresh_id = change->refresh->id;
	row.feed = change->refresh->feed;
	row.at_us = change->refresh->finished_at_us;
	row.position = change->position++;
	return store_run(&change->storage->writer, STATEMENT_FEED_CHANGE_INSERT, &row, change->arena, NULL, failure);
}

static struct feed_change change_of_price(const struct price_row *old, const struct price_row *new)
{
	return (struct feed_change){.what = old ? "changed" : "added",
		.subject = new->id,
		.quantity = "price_usd_per_hour",
		.before = old ? old->price_usd_per_hour : ABSENT_NUMBER,
		.after = new->price_usd_per_hour,
		.low = ABSENT_NUMBER,
		.high = ABSENT_NUMBER,
		.detail = old && old->price_usd_per_hour >= new->price_usd_per_hour && old->price_usd_per_hour <= new->price_usd_per_hour
			? "the price did not change; its date, source or machine did"
			: NULL};
}

/* Notes each row that the import adds or changes. */
static enum status note_row(void *context, enum row_kind kind, const void *before, const void *after, struct failure *failure)
{
	return kind == ROW_PRICE ? change_insert(context, change_of_price(before, after), failure) : STATUS_OK;
}

/* Hours are ordered by zone. The end of each zone closes its row and deletes its old hours. */
static enum status end_zone(
	struct refresh_change *change, const struct grid_hour *first, const struct grid_hour *last, struct failure *failure)
{
	struct grid_zone zone = {.zone = first->zone,
						 .signal = first->signal,
						 .feed = first->feed,
						 .from_us = first->start_us,
						 .to_us = last->start_us,
						 .fetched_at_us = last->fetched_at_us},
					 known;
	struct connection *writer = &change->storage->writer;
	struct feed_query old = {.zone = zone.zone, .signal = zone.signal, .before_us = change->refresh->finished_at_us - hours_kept_us};
	enum status status = store_one(writer, STATEMENT_GRID_ZONE_GET, &zone, &known, change->arena, failure);

	if (status == STATUS_OK) {
		zone.from_us = known.from_us < zone.from_us ? known.from_us : zone.from_us;
		zone.to_us = known.to_us > zone.to_us ? known.to_us : zone.to_us;
	} else if (status == STATUS_NOT_FOUND || writer->statements[STATEMENT_GRID_ZONE_GET].damaged) { /* these hours repair a damaged row */
		failure_clear(failure);
		status = STATUS_OK;
	}
	if (status == STATUS_OK)
		status = store_run(writer, STATEMENT_GRID_ZONE_PUT, &zone, change->arena, NULL, failure);
	return status == STATUS_OK ? store_run(writer, STATEMENT_GRID_HOUR_PRUNE, &old, change->arena, NULL, failure) : status;
}

static enum status put_hours(
	struct refresh_change *change, const struct feed_refresh_put *put, struct rows_difference *difference, struct failure *failure)
{
	struct connection *writer = &change->storage->writer;
	const struct grid_hour *first = put->hours;
	enum status status = STATUS_OK;

	for (const struct grid_hour *hour = put->hours; hour < put->hours + put->hour_count && status == STATUS_OK; hour++) {
		bool last = hour + 1 == put->hours + put->hour_count || strcmp(hour[1].zone, hour->zone) != 0 ||
			strcmp(hour[1].signal, hour->signal) != 0;
		int64_t changed = 0, added = 0;

		status = store_run(writer, STATEMENT_GRID_HOUR_CHANGE, hour, change->arena, &changed, failure);
		if (status == STATUS_OK && changed == 0)
			status = store_run(writer, STATEMENT_GRID_HOUR_ADD, hour, change->arena, &added, failure);
		difference->changed += changed > 0;
		difference->added += added > 0;
		difference->unchanged += changed == 0 && added == 0;
		if (status == STATUS_OK && last) {
			status = end_zone(change, first, hour, failure);
			first = hour + 1;
		}
	}
	return status;
}

static enum status put_validators(struct refresh_change *change, const struct feed_refresh_put *put, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < put->validator_count && status == STATUS_OK; i++) {
		const struct feed_validator_stored stored = {
			.validator = put->validators[i], .feed = put->refresh->feed, .at_us = put->refresh->finished_at_us};

		status = store_run(&change->storage->writer, STATEMENT_FEED_VALIDATOR_PUT, &stored, change->arena, NULL, failure);
	}
	return status;
}

static enum status publish_staged(
	struct storage *storage, struct import_end *end, struct rows_difference *difference, struct arena *arena, struct failure *failure)
{
	enum status status = import_publish(storage, end, arena, failure);

	*difference = (struct rows_difference){.added = (size_t)end->import->added,
		.changed = (size_t)end->import->changed,
		.unchanged = (size_t)end->import->unchanged,
		.kept = (size_t)end->import->kept};
	return status;
}

static enum status put_all(
	struct refresh_change *change, const struct feed_refresh_put *put, struct rows_difference *difference, struct failure *failure)
{
	enum status status = STATUS_OK;

	if (put->staged)
		status = publish_staged(change->storage, put->staged, difference, change->arena, failure);
	else if (put->rows)
		status = rows_import_noted(change->storage, put->rows, note_row, change, difference, change->arena, failure);
	for (size_t i = 0; i < put->change_count && status == STATUS_OK; i++)
		status = change_insert(change, put->changes[i], failure);
	for (size_t i = 0; i < put->held_count && status == STATUS_OK; i++)
		status = change_insert(change, put->held[i], failure);
	if (status == STATUS_OK)
		status = put_hours(change, put, difference, failure);
	return status == STATUS_OK ? put_validators(change, put, failure) : status;
}

enum status operation_feed_refresh_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct feed_refresh_put *put = (struct feed_refresh_put *)job;
	struct feed_refresh_record *refresh = put->refresh;
	struct refresh_change change = {.storage = storage, .refresh = refresh, .arena = arena};
	struct feed_query query = {.feed = refresh->feed};
	struct rows_difference difference = {0};
	enum status status = store_run(&storage->writer, STATEMENT_FEED_REFRESH_INSERT, refresh, arena, NULL, failure);

	if (status == STATUS_OK)
		status = put_all(&change, put, &difference, failure);
	if (status == STATUS_OK)
		status = row_revision(&storage->writer, ROW_PRICE, INT64_MAX, arena, &refresh->catalogue_revision, failure);
	if (status != STATUS_OK)
		return status;
	refresh->added = (int64_t)difference.added;
	refresh->changed = (int64_t)difference.changed;
	refresh->unchanged = (int64_t)difference.unchanged;
	refresh->kept = (int64_t)difference.kept;
	status = store_run(&storage->writer, STATEMENT_FEED_REFRESH_COUNT, refresh, arena, NULL, failure);
	return status == STATUS_OK ? store_run(&storage->writer, STATEMENT_FEED_REFRESH_PRUNE, &query, arena, NULL, failure) : status;
}

/* Runs on the writer's thread while the caller waits: the array is in the caller's arena. */
static void keep_change(void *context, const void *before, const void *after)
{
	struct feed_refresh_put *put = context;

	if (put->change_count < FEED_CHANGES_MAX)
		put->changes[put->change_count++] = change_of_price(before, after);
}

enum status storage_feed_refresh(
	struct storage *storage, struct feed_refresh_put *put, const struct progress *progress, struct failure *failure)
{
	char id[UUID_TEXT_SIZE];
	struct import_record import = {.id = id,
		.started_by = "feed",
		.key_name = put->refresh->feed,
		.bytes = put->refresh->bytes,
		.started_at_us = put->refresh->finished_at_us};
	struct import_run run = {.import = &import, .kind = ROW_PRICE, .progress = progress, .note = keep_change, .context = put, .refresh = put};

	if (!put->rows || put->rows->price_count == 0)
		return storage_run(storage, &put->job);
	uuid_make(id);
	run.rows = put->rows->prices;
	run.count = put->rows->price_count;
	put->change_count = 0;
	put->changes = ARENA_ARRAY(put->job.arena, struct feed_change, FEED_CHANGES_MAX);
	if (!put->changes)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for a refresh");
	return storage_import(storage, &run, failure);
}

enum status storage_feed_refresh_list(struct storage *storage, const char *feed, const struct page_request *page, struct arena *arena,
	struct feed_refresh_list *list, struct failure *failure)
{
	struct feed_query query = {.feed = feed, .limit = (int64_t)page_limit(page) + 1};
	struct rows_read rows;
	enum status status = cursor_read_moment(page, arena, &query.cursor_us, &query.cursor_id, failure);

	*list = (struct feed_refresh_list){0};
	if (status == STATUS_OK)
		status = reader_list(storage, STATEMENT_FEED_REFRESH_LIST, &query, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	list->items = rows.items;
	list->count = rows.count;
	if (rows.more)
		list->next_cursor = cursor_write_moment(list->items[list->count - 1].finished_at_us, list->items[list->count - 1].id, arena);
	return STATUS_OK;
}

enum status storage_feed_refresh_get(
	struct storage *storage, const char *id, struct arena *arena, struct feed_refresh_record *refresh, struct failure *failure)
{
	struct feed_query query = {.id = id};
	enum status status = reader_one(storage, STATEMENT_FEED_REFRESH_GET, &query, refresh, arena, failure);

	return status == STATUS_NOT_FOUND ? failure_set(failure, status, "refresh %s does not exist", id) : status;
}

enum status storage_feed_refresh_newest(
	struct storage *storage, const char *feed, bool read, struct arena *arena, struct feed_refresh_record *refresh, struct failure *failure)
{
	struct feed_query query = {.feed = feed};
	enum status status = reader_one(
		storage, read ? STATEMENT_FEED_REFRESH_READ : STATEMENT_FEED_REFRESH_GOOD, &query, refresh, arena, failure);

	return status == STATUS_NOT_FOUND ? failure_set(failure, status, "feed %s was never refreshed", feed) : status;
}

enum status storage_feed_changes(
	struct storage *storage, const char *refresh_id, bool held, struct arena *arena, struct feed_change_list *list, struct failure *failure)
{
	struct feed_query query = {.id = refresh_id, .held = held, .limit = FEED_CHANGES_MAX};
	struct rows_read rows = {0};
	enum status status = reader_list(storage, STATEMENT_FEED_CHANGE_LIST, &query, FEED_CHANGES_MAX, arena, &rows, failure);

	*list = (struct feed_change_list){rows.items, rows.count};
	return status;
}

enum status storage_feed_validators(struct storage *storage, const char *feed, struct arena *arena, struct feed_validator **validators,
	size_t *count, struct failure *failure)
{
	struct feed_query query = {.feed = feed, .limit = FEED_VALIDATORS_MAX};
	struct rows_read rows = {0};
	enum status status = reader_list(storage, STATEMENT_FEED_VALIDATOR_LIST, &query, FEED_VALIDATORS_MAX, arena, &rows, failure);
	const struct feed_validator_stored *stored = rows.items;

	*count = 0;
	*validators = ARENA_ARRAY(arena, struct feed_validator, rows.count + 1);
	if (status == STATUS_OK && !*validators)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for a feed");
	for (size_t i = 0; status == STATUS_OK && i < rows.count; i++)
		(*validators)[(*count)++] = stored[i].validator;
	return status;
}

enum status storage_grid_hours(struct storage *storage, const char *zone, const char *signal, int64_t from_us, int64_t to_us,
	struct arena *arena, struct grid_hour_list *list, struct failure *failure)
{
	struct feed_query query = {.zone = zone, .signal = signal, .from_us = from_us, .to_us = to_us, .limit = INT64_MAX};
	struct rows_read rows = {0};
	enum status status = reader_list(storage, STATEMENT_GRID_HOUR_LIST, &query, SIZE_MAX, arena, &rows, failure);

	*list = (struct grid_hour_list){rows.items, rows.count};
	return status;
}

enum status storage_grid_zones(
	struct storage *storage, int64_t from_us, struct arena *arena, struct grid_zone_list *list, struct failure *failure)
{
	struct feed_query query = {.from_us = from_us, .limit = INT64_MAX};
	struct rows_read rows = {0};
	enum status status = reader_list(storage, STATEMENT_GRID_ZONE_LIST, &query, SIZE_MAX, arena, &rows, failure);

	*list = (struct grid_zone_list){rows.items, rows.count};
	return status;
}
