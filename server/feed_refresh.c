#include "server/feed_refresh.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/uuid.h"
#include "hwdb/feeds/vet.h"
#include "server/server.h"
#include "storage/feeds.h"
#include "storage/imports.h"

enum status feed_refresh_walk(
	const struct feed *feed, const struct feed_setting *setting, struct arena *arena, struct feed_walk *walk, struct failure *failure)
{
	enum status status = feed_walk_begin(walk, feed, setting->base_url, setting->scope, clock_wall_us(), arena, failure);

	if (status == STATUS_OK && setting->stores)
		walk->stores = setting->stores;
	return status == STATUS_OK ? feed_key_read(feed, setting, arena, &walk->key, failure) : status;
}

/* Lists the reasons for skipped rows, in the order of their first occurrence: "2: without ..., such as X; ...". */
static const char *skips_text(const struct feed_rows *rows, struct arena *arena, int64_t *total)
{
	struct buffer text;
	const char *kept;

	*total = 0;
	buffer_init(&text, 2000);
	for (size_t i = 0; i < rows->skip_count; i++) {
		*total += rows->skips[i].count;
		buffer_printf(&text, "%s%lld: %s%s%.60s", i ? "; " : "", (long long)rows->skips[i].count, rows->skips[i].reason,
			rows->skips[i].example ? ", such as " : "", rows->skips[i].example ? rows->skips[i].example : "");
	}
	kept = text.length > 0 ? arena_strndup(arena, text.bytes, text.length) : NULL;
	buffer_release(&text);
	return kept;
}

static enum status record_begin(
	const struct feed_refresh *refresh, struct arena *arena, struct feed_refresh_record *record, struct failure *failure)
{
	char id[UUID_TEXT_SIZE];

	uuid_make(id);
	*record = (struct feed_refresh_record){.id = arena_strdup(arena, id),
		.feed = refresh->feed->name,
		.started_by = refresh->started_by,
		.started_at_us = clock_wall_us(),
		.source = refresh->feed->source,
		.licence = refresh->feed->licence,
		.base_url = refresh->setting->base_url ? refresh->setting->base_url : refresh->feed->base_url};
	return record->id ? STATUS_OK : failure_set(failure, STATUS_NO_MEMORY, "no memory for the refresh");
}

static struct grid_hour *hours_of(const struct feed_refresh *refresh, const struct feed_vetted *vetted, int64_t now_us, struct arena *arena)
{
	struct grid_hour *hours = ARENA_ARRAY(arena, struct grid_hour, vetted->point_count + 1);

	for (size_t i = 0; hours && i < vetted->point_count; i++)
		hours[i] = (struct grid_hour){.zone = vetted->points[i].zone,
			.signal = vetted->points[i].signal,
			.feed = refresh->feed->name,
			.start_us = vetted->points[i].start_us,
			.forecast = vetted->points[i].forecast,
			.gco2e_per_kwh = vetted->points[i].gco2e_per_kwh,
			.fetched_at_us = now_us};
	return hours;
}

/* Fetches and checks the rows; stores nothing yet. */
static enum status refresh_collect(const struct feed_refresh *refresh, struct feed_walk *walk, struct feed_vetted *vetted,
	struct fetch_traffic *traffic, struct feed_refresh_record *record, struct failure *failure)
{
	struct feed_validator *known = NULL;
	enum status status = storage_feed_validators(
		refresh->server->storage, refresh->feed->name, walk->arena, &known, &traffic->known_count, failure);

	traffic->known = known;
	if (status == STATUS_OK)
		status = fetch_walk(walk, refresh->options, refresh->progress, traffic, failure);
	record->requests = traffic->requests;
	record->bytes = traffic->bytes;
	record->seen = walk->rows.seen;
	record->detail = skips_text(&walk->rows, walk->arena, &record->skipped);
	if (status == STATUS_OK)
		status = feed_vet(walk, vetted, failure);
	record->quarantined = vetted->quarantined;
	record->rejected = vetted->rejected;
	/* If not a single row can be used, the feed has changed its format or its unit; this is not news about prices. */
	if (status == STATUS_OK && vetted->rows.price_count + vetted->point_count == 0 && traffic->unchanged == 0)
		status = failure_set(failure, STATUS_UNAVAILABLE, "%s: none of %lld rows can be used (%lld quarantined or rejected, %lld skipped)",
			refresh->feed->name, (long long)record->seen, (long long)vetted->quarantined + (long long)vetted->rejected,
			(long long)record->skipped);
	return status;
}

static enum status refresh_put(const struct feed_refresh *refresh, const struct feed_vetted *vetted, const struct fetch_traffic *traffic,
	struct feed_refresh_record *record, bool good, struct arena *arena, struct failure *failure)
{
	struct feed_refresh_put put = {.job = {.kind = STORAGE_FEED_REFRESH_PUT, .arena = arena, .failure = failure},
		.refresh = record,
		.held = vetted->held,
		.held_count = vetted->held_count};
	struct failure tidying = {.status = STATUS_OK};
	enum status status;

	if (good) {
		put.rows = &vetted->rows;
		put.hours = hours_of(refresh, vetted, record->finished_at_us, arena);
		put.hour_count = put.hours ? vetted->point_count : 0;
		put.validators = traffic->fresh;
		put.validator_count = traffic->fresh_count;
		if (!put.hours)
			return failure_set(failure, STATUS_NO_MEMORY, "no memory for the grid's hours");
	}
	status = storage_feed_refresh(refresh->server->storage, &put, good ? refresh->progress : NULL, failure);
	if (status == STATUS_OK && good && vetted->rows.price_count > 0 && record->added + record->changed > 0)
		status = server_catalogue_reload(refresh->server, failure);
	if (good && vetted->rows.price_count > 0 && storage_import_tidy(refresh->server->storage, &tidying) != STATUS_OK)
		log_event(LOG_WARNING, "import_not_settled", LOG_TEXT("detail", tidying.detail)); /* the next import tries again */
	return status;
}

static void refresh_log(const struct feed_refresh_record *record, const char *detail)
{
	log_event(strcmp(record->outcome, "failed") == 0 ? LOG_WARNING : LOG_INFO, "feed_refresh", LOG_TEXT("feed", record->feed),
		LOG_TEXT("outcome", record->outcome), LOG_TEXT("detail", detail), LOG_INTEGER("requests", record->requests),
		LOG_INTEGER("bytes", record->bytes), LOG_INTEGER("added", record->added), LOG_INTEGER("changed", record->changed),
		LOG_INTEGER("quarantined", record->quarantined), LOG_INTEGER("rejected", record->rejected),
		LOG_DOUBLE("duration_ms", (double)(record->finished_at_us - record->started_at_us) / 1e3));
}

/* Reports failures of storage and memory unchanged; any other failure is UNAVAILABLE. */
static enum status refresh_status(enum status status)
{
	if (status == STATUS_OK || status == STATUS_CANCELLED || status == STATUS_NO_MEMORY || status == STATUS_STORAGE_FULL ||
		status == STATUS_OVERLOADED)
		return status;
	return STATUS_UNAVAILABLE;
}

enum status feed_refresh_run(
	const struct feed_refresh *refresh, struct arena *arena, struct feed_refresh_record *record, struct failure *failure)
{
	struct catalogue *catalogue = server_catalogue(refresh->server);
	struct feed_vetted vetted = {0};
	struct fetch_traffic traffic = {0};
	struct failure storing;
	struct feed_walk walk;
	enum status status = record_begin(refresh, arena, record, failure), stored;

	if (status == STATUS_OK)
		status = feed_refresh_walk(refresh->feed, refresh->setting, arena, &walk, failure);
	if (status == STATUS_OK) {
		walk.catalogue = catalogue;
		status = refresh_collect(refresh, &walk, &vetted, &traffic, record, failure);
	}
	if (record->id) {
		failure_clear(&storing);
		record->finished_at_us = clock_wall_us();
		record->finished_at_us = record->finished_at_us < record->started_at_us ? record->started_at_us : record->finished_at_us;
		record->outcome = status == STATUS_CANCELLED            ? "cancelled"
			: status != STATUS_OK                               ? "failed"
			: vetted.rows.price_count + vetted.point_count == 0 ? "unchanged"
																: "succeeded";
		if (status != STATUS_OK)
			record->detail = arena_strdup(arena, failure->detail);
		stored = refresh_put(refresh, &vetted, &traffic, record, status == STATUS_OK, arena, &storing);
		if (stored != STATUS_OK && status == STATUS_OK) {
			record->outcome = "failed";
			status = failure_set(failure, stored, "%s: %.300s", refresh->feed->name, storing.detail);
		}
		refresh_log(record, status == STATUS_OK ? record->detail : failure->detail);
	}
	catalogue_release(catalogue);
	failure->status = refresh_status(status);
	failure->retry_after_s = failure->status == STATUS_UNAVAILABLE ? 60 : failure->retry_after_s;
	return failure->status;
}
