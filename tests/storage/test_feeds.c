/* Tests refreshes of feeds through the interface: a refresh stores its rows, its hours and its record together, or
 * nothing. */
#include <string.h>

#include "storage/feeds.h"
#include "support/store.h"

#define HOUR_US INT64_C(3600000000)
static const int64_t noon_us = INT64_C(1795262400000000); /* 2026-11-21T12:00:00Z */

static struct feed_refresh_record refresh_of(struct store *store, int number, const char *outcome)
{
	return (struct feed_refresh_record){.id = arena_printf(&store->arena, "01930000-0000-7000-8000-%012d", number),
		.feed = "test",
		.outcome = outcome,
		.started_by = "request",
		.detail = "why",
		.source = "a source",
		.licence = "a licence",
		.base_url = "https://feed.example",
		.started_at_us = noon_us + number,
		.finished_at_us = noon_us + number + 1,
		.requests = 2,
		.bytes = 300,
		.seen = 7,
		.quarantined = 1,
		.rejected = 2,
		.skipped = 3};
}

static enum status put(struct store *store, struct feed_refresh_record *refresh, struct price_row *rows, size_t count,
	const struct grid_hour *hours, size_t hour_count)
{
	static const struct feed_change held = {.what = "quarantined",
		.subject = "p9",
		.quantity = "price_usd_per_hour",
		.before = 8,
		.after = 0.08,
		.low = 1.6,
		.high = 40,
		.detail = "0.01 times the median"};
	static const struct feed_validator validator = {.url = "https://feed.example/x", .etag = "\"t1\""};
	const struct catalogue_rows all = {.prices = rows, .price_count = count};
	struct feed_refresh_put job = {.refresh = refresh,
		.rows = &all,
		.hours = hours,
		.hour_count = hour_count,
		.held = &held,
		.held_count = 1,
		.validators = &validator,
		.validator_count = 1};

	return store_do(store, &job.job, STORAGE_FEED_REFRESH_PUT);
}

static void rows_and_record_come_together(void **state)
{
	struct store *store = *state;
	struct price_row rows[] = {store_price(store, "p1", 10), store_price(store, "p2", 20)}, own = store_price(store, "p2", 15);
	struct row_put user = {.kind = ROW_PRICE, .row = &own, .expected_revision = ABSENT_COUNT};
	struct feed_refresh_record refresh = refresh_of(store, 1, "succeeded"), found;
	struct feed_change_list held, changes;
	struct feed_validator *validators;
	size_t count;

	own.meta.origin = "user";
	rows[0].meta.origin = rows[1].meta.origin = "imported";
	assert_status(store, store_do(store, &user.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_status(store, put(store, &refresh, rows, 2, NULL, 0), STATUS_OK);
	assert_int_equal(refresh.added, 1);
	assert_int_equal(refresh.kept, 1);
	assert_int_equal(refresh.catalogue_revision, 2);
	assert_status(store, storage_feed_refresh_get(store->storage, refresh.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.licence, "a licence");
	assert_string_equal(found.outcome, "succeeded");
	assert_true(found.added == 1 && found.kept == 1 && found.seen == 7 && found.skipped == 3 && found.bytes == 300 && found.requests == 2);
	rows[0].price_usd_per_hour = 12;
	refresh = refresh_of(store, 2, "succeeded");
	assert_status(store, put(store, &refresh, rows, 1, NULL, 0), STATUS_OK);
	assert_int_equal(refresh.changed, 1);
	assert_status(store, storage_feed_changes(store->storage, refresh.id, false, &store->arena, &changes, &store->failure), STATUS_OK);
	assert_int_equal(changes.count, 1);
	assert_string_equal(changes.items[0].what, "changed");
	assert_close(changes.items[0].before, 10, 0);
	assert_close(changes.items[0].after, 12, 0);
	assert_status(store, storage_feed_changes(store->storage, refresh.id, true, &store->arena, &held, &store->failure), STATUS_OK);
	assert_int_equal(held.count, 1);
	assert_close(held.items[0].low, 1.6, 0);
	assert_status(store, storage_feed_validators(store->storage, "test", &store->arena, &validators, &count, &store->failure), STATUS_OK);
	assert_int_equal(count, 1);
	assert_string_equal(validators[0].etag, "\"t1\"");
	assert_null(validators[0].last_modified);
}

/* The table refuses one row. Then the store must keep neither the other rows nor hours nor a record. */
static void all_or_nothing(void **state)
{
	struct store *store = *state;
	struct price_row rows[] = {store_price(store, "p1", 10), store_price(store, "p2", -1)}, found;
	const struct grid_hour
		hour = {.zone = "GB", .signal = "average", .feed = "test", .start_us = noon_us, .gco2e_per_kwh = 100, .fetched_at_us = noon_us},
		wrong = {.zone = "GB", .signal = "average", .feed = "test", .start_us = noon_us, .gco2e_per_kwh = 1501, .fetched_at_us = noon_us};
	struct feed_refresh_record refresh = refresh_of(store, 1, "succeeded"), none;
	struct grid_hour_list hours;

	assert_status(store, put(store, &refresh, rows, 2, &hour, 1), STATUS_INVALID);
	assert_status(store, put(store, &refresh, rows, 1, &wrong, 1), STATUS_INVALID);
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p1", 0, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
	assert_status(store, storage_feed_refresh_get(store->storage, refresh.id, &store->arena, &none, &store->failure), STATUS_NOT_FOUND);
	assert_status(
		store, storage_grid_hours(store->storage, "GB", "average", 0, INT64_MAX, &store->arena, &hours, &store->failure), STATUS_OK);
	assert_int_equal(hours.count, 0);
	assert_status(store, put(store, &refresh, rows, 1, &hour, 1), STATUS_OK);
}

static void hours_are_foretold_until_they_are_measured(void **state)
{
	struct store *store = *state;
	struct grid_hour hours[] = {
		{.zone = "FR", .signal = "average", .feed = "test", .start_us = noon_us, .gco2e_per_kwh = 30, .forecast = 1, .fetched_at_us = noon_us},
		{.zone = "GB", .signal = "average", .feed = "test", .start_us = noon_us, .gco2e_per_kwh = 100, .forecast = 1, .fetched_at_us = noon_us},
		{.zone = "GB",
			.signal = "average",
			.feed = "test",
			.start_us = noon_us + HOUR_US,
			.gco2e_per_kwh = 110,
			.forecast = 1,
			.fetched_at_us = noon_us}};
	struct feed_refresh_record refresh = refresh_of(store, 1, "succeeded");
	struct grid_hour_list list;
	struct grid_zone_list zones;

	assert_status(store, put(store, &refresh, NULL, 0, hours, 3), STATUS_OK);
	assert_int_equal(refresh.added, 3);
	hours[1].forecast = 0;
	hours[1].gco2e_per_kwh = 90;
	refresh = refresh_of(store, 2, "succeeded");
	assert_status(store, put(store, &refresh, NULL, 0, hours, 3), STATUS_OK);
	assert_true(refresh.changed == 1 && refresh.unchanged == 2 && refresh.added == 0);
	hours[1].forecast = 1; /* a forecast does not replace a measured value */
	hours[1].gco2e_per_kwh = 95;
	refresh = refresh_of(store, 3, "succeeded");
	assert_status(store, put(store, &refresh, NULL, 0, hours, 3), STATUS_OK);
	assert_int_equal(refresh.changed, 0);
	assert_status(store,
		storage_grid_hours(store->storage, "GB", "average", noon_us, noon_us + HOUR_US, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_close(list.items[0].gco2e_per_kwh, 90, 0);
	assert_int_equal(list.items[0].forecast, 0);
	/* If two feeds give the same hour, the value that was fetched last counts. */
	hours[1] = (struct grid_hour){
		.zone = "GB", .signal = "average", .feed = "other", .start_us = noon_us, .gco2e_per_kwh = 70, .fetched_at_us = noon_us + 5};
	refresh = refresh_of(store, 4, "succeeded");
	assert_status(store, put(store, &refresh, NULL, 0, &hours[1], 1), STATUS_OK);
	assert_status(
		store, storage_grid_hours(store->storage, "GB", "average", noon_us, INT64_MAX, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 2);
	assert_close(list.items[0].gco2e_per_kwh, 70, 0);
	assert_close(list.items[1].gco2e_per_kwh, 110, 0);
	assert_status(store, storage_grid_zones(store->storage, noon_us + 1, &store->arena, &zones, &store->failure), STATUS_OK);
	assert_int_equal(zones.count, 1); /* FR ends at noon */
	assert_string_equal(zones.items[0].zone, "GB");
	assert_int_equal(zones.items[0].to_us, noon_us + HOUR_US);
}

static void the_newest_are_told_and_the_oldest_forgotten(void **state)
{
	struct store *store = *state;
	struct feed_refresh_record refresh, found;
	struct feed_refresh_list list;
	struct page_request page = {.limit = 150};

	for (int i = 1; i <= 210; i++) {
		refresh = refresh_of(store, i, i == 210 ? "failed" : i == 209 ? "unchanged" : "succeeded");
		assert_status(store, put(store, &refresh, NULL, 0, NULL, 0), STATUS_OK);
	}
	assert_status(store, storage_feed_refresh_newest(store->storage, "test", false, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.outcome, "unchanged");
	assert_status(store, storage_feed_refresh_newest(store->storage, "test", true, &store->arena, &found, &store->failure), STATUS_OK);
	assert_int_equal(found.started_at_us, noon_us + 208);
	assert_status(
		store, storage_feed_refresh_newest(store->storage, "other", true, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
	assert_status(store, storage_feed_refresh_list(store->storage, "test", &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 150);
	assert_int_equal(list.items[0].started_at_us, noon_us + 210);
	page.cursor = list.next_cursor;
	assert_status(store, storage_feed_refresh_list(store->storage, "test", &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 51); /* the last two hundred, and one that the next refresh deletes */
	assert_int_equal(list.items[0].started_at_us, noon_us + 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_and_record_come_together, store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(all_or_nothing, store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(hours_are_foretold_until_they_are_measured, store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(the_newest_are_told_and_the_oldest_forgotten, store_setup_in_memory, store_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
