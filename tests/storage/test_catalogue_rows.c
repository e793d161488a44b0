/* Tests catalogue rows through the interface: every member, history, revisions, imports, the built-in data of new
 * versions. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hwdb/catalogue/catalogue_tables.h"
#include "storage/sqlite/maps.h"
#include "storage/sqlite/rows.h"
#include "support/store.h"

static enum status put_row(struct store *store, enum row_kind kind, const void *row, bool create_only, int64_t expected, int64_t *revision)
{
	struct row_put put = {.kind = kind, .row = row, .create_only = create_only, .expected_revision = expected};
	enum status status = store_do(store, &put.job, STORAGE_ROW_PUT);

	if (revision)
		*revision = put.revision;
	return status;
}

static void assert_accelerators_equal(const struct accelerator_row *a, const struct accelerator_row *b)
{
	const struct accelerator *x = &a->accelerator, *y = &b->accelerator;

	assert_string_equal(x->id, y->id);
	assert_string_equal(x->vendor, y->vendor);
	assert_string_equal(x->name, y->name);
	assert_string_equal(x->form_factor, y->form_factor);
	assert_string_equal(x->memory_type, y->memory_type);
	assert_string_equal(x->interconnect, y->interconnect);
	assert_string_equal(x->source, y->source);
	assert_string_equal(x->source_date, y->source_date);
	assert_string_equal(x->notes, y->notes);
	assert_null(x->unverified);
	assert_string_equal(a->memory_usable_source, b->memory_usable_source);
	/* The struct has its numbers in one block. Absent numbers are NaN, so the test compares bytes. */
	assert_int_equal(x->release_year, y->release_year);
	assert_memory_equal(&x->memory_gb, &y->memory_gb, offsetof(struct accelerator, source) - offsetof(struct accelerator, memory_gb));
	assert_int_equal(a->aliases.count, b->aliases.count);
	for (size_t i = 0; i < a->aliases.count; i++)
		assert_string_equal(a->aliases.items[i], b->aliases.items[i]);
}

static void every_member_of_an_accelerator_comes_back(void **state)
{
	struct store *store = *state;
	struct accelerator_row row = store_accelerator(store, "a1", 700), found;
	int64_t revision;

	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, true, ABSENT_COUNT, &revision), STATUS_OK);
	assert_int_equal(revision, 1);
	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", 0, &store->arena, &found, &store->failure), STATUS_OK);
	assert_accelerators_equal(&found, &row);
	assert_string_equal(found.meta.origin, "user");
	assert_int_equal(found.meta.revision, 1);
	assert_int_equal(found.meta.valid_to_us, 0);
	assert_true(found.meta.valid_from_us > INT64_C(1600000000000000));
}

static void every_member_of_the_others_comes_back(void **state)
{
	struct store *store = *state;
	const char *aliases[] = {"m"};
	struct row_meta meta = {.origin = "imported", .source = "s", .source_date = "2026-01-02"};
	struct model_row model = {.meta = meta,
						 .id = "m1",
						 .repo = "a/b",
						 .params_total = 8.03e9,
						 .params_active = 8e9,
						 .config = {"{\"n_layer\":2}", 13},
						 .aliases = {aliases, 1}},
					 model_found;
	struct price_row price = store_price(store, "p1", 98.32), price_found;
	struct region_row region = {.meta = meta,
						  .id = "aws.x",
						  .provider = "aws",
						  .region_id = "x",
						  .country_zone = "DE",
						  .location = "Here",
						  .em_zone = "DE",
						  .grid_gco2e_per_kwh = 350.5,
						  .grid_marginal_gco2e_per_kwh = 600,
						  .pue = 1.2,
						  .wue_l_per_kwh = 0.18,
						  .ewif_l_per_kwh = ABSENT_NUMBER,
						  .year = 2024,
						  .pue_year = ABSENT_COUNT,
						  .wue_year = 2023},
					  region_found;
	struct calibration_row calibration = {.meta = meta,
							   .id = "c1",
							   .accelerator_id = "a1",
							   .device_id = "d",
							   .benchmark_id = "b",
							   .precision = PRECISION_MXFP8,
							   .quantity = "gemm_efficiency",
							   .method = "library_gemm",
							   .value = 0.7,
							   .low = 0.6,
							   .high = 0.8,
							   .expected = 1.67,
							   .expected_sigma = 0.36,
							   .step_ratio = 1.25,
							   .gpu_count = 64,
							   .params = 8e9},
						   calibration_found;
	struct {
		enum row_kind kind;
		const void *row;
		void *found;
		const char *id;
	} rows[] = {{ROW_MODEL, &model, &model_found, "m1"}, {ROW_PRICE, &price, &price_found, "p1"},
		{ROW_REGION, &region, &region_found, "aws.x"}, {ROW_CALIBRATION, &calibration, &calibration_found, "c1"}};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_status(store, put_row(store, rows[i].kind, rows[i].row, true, ABSENT_COUNT, NULL), STATUS_OK);
		assert_status(
			store, storage_row_get(store->storage, rows[i].kind, rows[i].id, 0, &store->arena, rows[i].found, &store->failure), STATUS_OK);
		assert_string_equal(((struct row_meta *)rows[i].found)->source, i == 1 ? "feed" : "s");
	}
	assert_string_equal(model_found.repo, "a/b");
	assert_close(model_found.params_total, 8.03e9, 0);
	assert_close(model_found.params_active, 8e9, 0);
	assert_string_equal(model_found.config.text, "{\"n_layer\":2}");
	assert_int_equal(model_found.config.length, 13);
	assert_string_equal(model_found.aliases.items[0], "m");
	assert_string_equal(price_found.instance_type, "p5.48xlarge");
	assert_string_equal(price_found.accelerator_id, "h100");
	assert_int_equal(price_found.gpus, 8);
	assert_false(is_given(price_found.ram_gb));
	assert_close(price_found.price_usd_per_hour, 98.32, 0);
	assert_null(price_found.notes);
	assert_close(region_found.grid_gco2e_per_kwh, 350.5, 0);
	assert_close(region_found.pue, 1.2, 0);
	assert_false(is_given(region_found.ewif_l_per_kwh));
	assert_int_equal(region_found.pue_year, ABSENT_COUNT);
	assert_int_equal(region_found.wue_year, 2023);
	assert_string_equal(region_found.location, "Here");
	assert_int_equal(calibration_found.precision, PRECISION_MXFP8);
	assert_close(calibration_found.high, 0.8, 0);
	assert_string_equal(calibration_found.method, "library_gemm");
	assert_close(calibration_found.expected, 1.67, 0);
	assert_close(calibration_found.expected_sigma, 0.36, 0);
	assert_close(calibration_found.step_ratio, 1.25, 0);
	assert_int_equal(calibration_found.gpu_count, 64);
	assert_close(calibration_found.params, 8e9, 0);
}

static void a_change_keeps_the_past(void **state)
{
	struct store *store = *state;
	struct accelerator_row row = store_accelerator(store, "a1", 700), found;
	struct row_remove gone = {.kind = ROW_ACCELERATOR, .id = "a1", .expected_revision = 2};
	struct catalogue_rows rows;
	int64_t revision, calibration_revision, first_us, second_us;

	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, true, ABSENT_COUNT, NULL), STATUS_OK);
	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", 0, &store->arena, &found, &store->failure), STATUS_OK);
	first_us = found.meta.valid_from_us;
	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, true, ABSENT_COUNT, NULL), STATUS_CONFLICT);
	row.accelerator.tdp_w = 500;
	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, false, 7, NULL), STATUS_PRECONDITION_FAILED);
	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, false, 1, &revision), STATUS_OK);
	assert_int_equal(revision, 2);
	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", 0, &store->arena, &found, &store->failure), STATUS_OK);
	second_us = found.meta.valid_from_us;
	assert_true(second_us > first_us);
	assert_close(found.accelerator.tdp_w, 500, 0);
	assert_status(store, store_do(store, &gone.job, STORAGE_ROW_REMOVE), STATUS_OK);
	assert_int_equal(gone.revision, 3);
	assert_status(store, store_do(store, &gone.job, STORAGE_ROW_REMOVE), STATUS_NOT_FOUND);
	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", 0, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);

	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", first_us, &store->arena, &found, &store->failure), STATUS_OK);
	assert_close(found.accelerator.tdp_w, 700, 0);
	assert_int_equal(found.meta.valid_to_us, second_us);
	assert_status(
		store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", second_us, &store->arena, &found, &store->failure), STATUS_OK);
	assert_close(found.accelerator.tdp_w, 500, 0);
	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", first_us - 1, &store->arena, &found, &store->failure),
		STATUS_NOT_FOUND);
	assert_status(store,
		storage_catalogue_load(store->storage, second_us, &store->arena, &rows, &revision, &calibration_revision, &store->failure),
		STATUS_OK);
	assert_int_equal(rows.accelerator_count, 1);
	assert_int_equal(revision, 2);
	assert_int_equal(calibration_revision, 0);
	assert_status(store, storage_catalogue_load(store->storage, 0, &store->arena, &rows, &revision, &calibration_revision, &store->failure),
		STATUS_OK);
	assert_int_equal(rows.accelerator_count, 0);
	assert_int_equal(revision, 3);
}

/* The wall clock was an hour ahead and was set back. The times must still order the revisions, and every past state
 * must be readable. */
static void a_clock_set_back_does_not_mix_the_past(void **state)
{
	struct store *store = *state;
	struct accelerator_row row = store_accelerator(store, "a1", 1), found;
	int64_t last_us = 0;

	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, true, ABSENT_COUNT, NULL), STATUS_OK);
	store_sql(store, "UPDATE change SET at_us = at_us + 3600000000; UPDATE accelerator SET valid_from_us = valid_from_us + 3600000000");
	for (int i = 2; i <= 4; i++) {
		row.accelerator.tdp_w = i;
		assert_status(store, put_row(store, ROW_ACCELERATOR, &row, false, i - 1, NULL), STATUS_OK);
		assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", 0, &store->arena, &found, &store->failure), STATUS_OK);
		assert_close(found.accelerator.tdp_w, i, 0);
		assert_true(found.meta.valid_from_us > last_us);
		last_us = found.meta.valid_from_us;
	}
	assert_status(
		store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", last_us - 1, &store->arena, &found, &store->failure), STATUS_OK);
	assert_close(found.accelerator.tdp_w, 3, 0);
}

struct importing {
	struct store *store;
	_Atomic bool stop;
};

static void *import_pairs(void *argument)
{
	struct importing *importing = argument;
	struct failure *failure = calloc(1, sizeof *failure);

	for (int i = 1; !importing->stop; i = i % 1000 + 1) {
		struct price_row price = store_price(NULL, "pair", i);
		struct region_row region = {.meta = {.origin = "imported", .source = "feed"},
			.id = "pair",
			.grid_gco2e_per_kwh = i,
			.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER,
			.pue = ABSENT_NUMBER,
			.wue_l_per_kwh = ABSENT_NUMBER,
			.ewif_l_per_kwh = ABSENT_NUMBER,
			.year = ABSENT_COUNT,
			.pue_year = ABSENT_COUNT,
			.wue_year = ABSENT_COUNT};
		struct catalogue_rows rows = {.prices = &price, .price_count = 1, .regions = &region, .region_count = 1};
		struct rows_import import = {.job = {.kind = STORAGE_ROWS_IMPORT, .failure = failure}, .rows = &rows};

		if (storage_run(importing->store->storage, &import.job) != STATUS_OK)
			abort();
	}
	free(failure);
	return NULL;
}

/* A reader never sees one of two changes that were written together. */
static void a_snapshot_is_of_one_instant(void **state)
{
	struct store *store = *state;
	struct importing importing = {.store = store};
	struct catalogue_rows rows;
	int64_t revision = 0, calibration_revision, last;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, import_pairs, &importing), 0);
	for (int seen = 0; seen < 500;) {
		last = revision;
		assert_status(store,
			storage_catalogue_load(store->storage, 0, &store->arena, &rows, &revision, &calibration_revision, &store->failure), STATUS_OK);
		assert_int_equal(rows.price_count, rows.region_count);
		if (rows.price_count == 1) {
			assert_close(rows.prices[0].price_usd_per_hour, rows.regions[0].grid_gco2e_per_kwh, 0);
			assert_int_equal(rows.prices[0].meta.revision, revision);
			seen++;
		}
		assert_true(revision >= last);
		arena_reset(&store->arena);
	}
	importing.stop = true;
	pthread_join(thread, NULL);
}

static void nonsense_is_not_stored(void **state)
{
	struct store *store = *state;
	struct price_row price = store_price(store, "p", 0);
	struct accelerator_row row = store_accelerator(store, "a", -1);
	struct row_remove none = {.kind = ROW_MODEL, .id = "none", .expected_revision = ABSENT_COUNT};
	int64_t revision, calibration_revision;
	struct catalogue_rows rows;

	assert_status(store, put_row(store, ROW_PRICE, &price, false, ABSENT_COUNT, NULL), STATUS_INVALID);
	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, false, ABSENT_COUNT, NULL), STATUS_INVALID);
	row = store_accelerator(store, "a", 1);
	row.meta.origin = "rumour";
	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, false, ABSENT_COUNT, NULL), STATUS_INVALID);
	assert_status(store, put_row(store, ROW_ACCELERATOR, &row, false, 4, NULL), STATUS_NOT_FOUND);
	assert_status(store, store_do(store, &none.job, STORAGE_ROW_REMOVE), STATUS_NOT_FOUND);
	assert_status(store, storage_catalogue_load(store->storage, 0, &store->arena, &rows, &revision, &calibration_revision, &store->failure),
		STATUS_OK);
	assert_int_equal(revision, 0); /* a failed change does not raise the revision */
}

static size_t listed(struct store *store, const struct row_filter *filter)
{
	struct page_request page = {.limit = 7};
	size_t count = 0;

	do {
		struct row_list list;
		const struct price_row *items;

		assert_status(store, storage_row_list(store->storage, ROW_PRICE, filter, &page, &store->arena, &list, &store->failure), STATUS_OK);
		items = list.items;
		for (size_t i = 1; i < list.count; i++)
			assert_true(strcmp(items[i - 1].id, items[i].id) < 0);
		count += list.count;
		page.cursor = list.next_cursor;
	} while (page.cursor);
	return count;
}

static void lists_filter_and_page(void **state)
{
	struct store *store = *state;
	static const struct row_filter everything;
	struct row_filter filter = {0};
	struct row_list list;
	struct page_request bad = {.cursor = "x"};

	for (int i = 0; i < 40; i++) {
		struct price_row price = store_price(store, arena_printf(&store->arena, "%s.%d", i % 2 ? "aws" : "gcp", i), 10 + i);
		price.provider = i % 2 ? "aws" : "gcp";
		price.region = i % 4 ? "us-east-1" : "eu";
		price.accelerator_id = i < 10 ? "h100" : "a100";
		price.pricing_model = i == 3 ? "spot" : "on_demand";
		assert_status(store, put_row(store, ROW_PRICE, &price, true, ABSENT_COUNT, NULL), STATUS_OK);
	}
	assert_int_equal(listed(store, &everything), 40);
	filter.provider = "aws";
	assert_int_equal(listed(store, &filter), 20);
	filter = (struct row_filter){.region = "eu"};
	assert_int_equal(listed(store, &filter), 10);
	filter = (struct row_filter){.accelerator_id = "h100", .pricing_model = "spot"};
	assert_int_equal(listed(store, &filter), 1);
	filter = (struct row_filter){.id_prefix = "gcp.1"};
	assert_int_equal(listed(store, &filter), 5); /* 10 12 14 16 18 */
	filter = (struct row_filter){.text = "GCP.2", .origin = "imported"};
	assert_int_equal(listed(store, &filter), 6); /* 2 20 22 24 26 28 */
	filter = (struct row_filter){.origin = "builtin"};
	assert_int_equal(listed(store, &filter), 0);
	filter = (struct row_filter){.as_of_us = 1};
	assert_int_equal(listed(store, &filter), 0);
	assert_status(
		store, storage_row_list(store->storage, ROW_PRICE, &everything, &bad, &store->arena, &list, &store->failure), STATUS_MALFORMED);
}

static struct rows_difference import(
	struct store *store, struct price_row *prices, size_t count, bool dry_run, bool replace_user, enum status expected)
{
	struct catalogue_rows rows = {.prices = prices, .price_count = count};
	struct rows_import operation = {.rows = &rows, .dry_run = dry_run, .replace_user = replace_user};

	assert_status(store, store_do(store, &operation.job, STORAGE_ROWS_IMPORT), expected);
	return operation.difference;
}

static void imports_change_only_what_differs(void **state)
{
	struct store *store = *state;
	struct price_row prices[3] = {store_price(store, "a", 1), store_price(store, "b", 2), store_price(store, "c", 3)};
	struct price_row mine = store_price(store, "c", 99), found;
	struct rows_difference difference;

	mine.meta.origin = "user";
	assert_status(store, put_row(store, ROW_PRICE, &mine, true, ABSENT_COUNT, NULL), STATUS_OK);
	difference = import(store, prices, 3, true, false, STATUS_OK);
	assert_int_equal(difference.added, 2);
	assert_int_equal(difference.kept, 1);
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "a", 0, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
	difference = import(store, prices, 3, false, false, STATUS_OK);
	assert_int_equal(difference.added, 2);
	assert_int_equal(difference.kept, 1);
	prices[1].price_usd_per_hour = 2.5;
	difference = import(store, prices, 3, false, false, STATUS_OK);
	assert_int_equal(difference.unchanged, 1);
	assert_int_equal(difference.changed, 1);
	assert_int_equal(difference.kept, 1);
	difference = import(store, prices, 3, false, true, STATUS_OK);
	assert_int_equal(difference.unchanged, 2);
	assert_int_equal(difference.changed, 1);
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "c", 0, &store->arena, &found, &store->failure), STATUS_OK);
	assert_close(found.price_usd_per_hour, 3, 0);

	prices[0] = store_price(store, "twice", 1);
	prices[1] = store_price(store, "twice", 2);
	import(store, prices, 3, false, false, STATUS_INVALID);
	assert_contains(store->failure.detail, "twice");
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "twice", 0, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
}

static struct builtin_update update(struct store *store, struct accelerator_row *rows, size_t count, const char *digest)
{
	struct catalogue_rows all = {.accelerators = rows, .accelerator_count = count};
	struct builtin_update operation = {.rows = &all, .digest = digest};

	for (size_t i = 0; i < count; i++)
		rows[i].meta.origin = "builtin";
	assert_status(store, store_do(store, &operation.job, STORAGE_BUILTIN_UPDATE), STATUS_OK);
	return operation;
}

static void assert_tdp(struct store *store, const char *id, double tdp_w)
{
	struct accelerator_row found;
	enum status status = storage_row_get(store->storage, ROW_ACCELERATOR, id, 0, &store->arena, &found, &store->failure);

	if (isnan(tdp_w)) {
		assert_status(store, status, STATUS_NOT_FOUND);
		return;
	}
	assert_status(store, status, STATUS_OK);
	assert_close(found.accelerator.tdp_w, tdp_w, 0);
}

static void a_new_version_leaves_what_people_changed(void **state)
{
	struct store *store = *state;
	struct accelerator_row rows[4] = {store_accelerator(store, "kept", 1), store_accelerator(store, "changed", 2),
		store_accelerator(store, "vanishes", 3), store_accelerator(store, "removed", 4)};
	struct accelerator_row next[5], mine = store_accelerator(store, "kept", 11);
	struct row_remove gone = {.kind = ROW_ACCELERATOR, .id = "removed", .expected_revision = ABSENT_COUNT};
	struct builtin_update operation = update(store, rows, 4, "one");

	assert_int_equal(operation.difference.added, 4);
	assert_int_equal(operation.revision, 1); /* one revision for all */
	operation = update(store, rows, 4, "one");
	assert_int_equal(operation.difference.added + operation.difference.unchanged, 0); /* the rows were not compared at all */

	assert_status(store, put_row(store, ROW_ACCELERATOR, &mine, false, ABSENT_COUNT, NULL), STATUS_OK);
	assert_status(store, store_do(store, &gone.job, STORAGE_ROW_REMOVE), STATUS_OK);
	mine = store_accelerator(store, "my own", 12);
	assert_status(store, put_row(store, ROW_ACCELERATOR, &mine, true, ABSENT_COUNT, NULL), STATUS_OK);

	next[0] = store_accelerator(store, "kept", 21);
	next[1] = store_accelerator(store, "changed", 22);
	next[2] = store_accelerator(store, "removed", 24);
	next[3] = store_accelerator(store, "new", 25);
	next[4] = store_accelerator(store, "my own", 26);
	operation = update(store, next, 5, "two");
	assert_int_equal(operation.difference.added, 1);
	assert_int_equal(operation.difference.changed, 1);
	assert_int_equal(operation.difference.removed, 1);
	assert_int_equal(operation.difference.kept, 3);
	assert_tdp(store, "kept", 11);
	assert_tdp(store, "changed", 22);
	assert_tdp(store, "vanishes", ABSENT_NUMBER);
	assert_tdp(store, "removed", ABSENT_NUMBER);
	assert_tdp(store, "new", 25);
	assert_tdp(store, "my own", 12);

	mine = store_accelerator(store, "removed", 30); /* the user adds it again: it is now the user's row */
	assert_status(store, put_row(store, ROW_ACCELERATOR, &mine, true, ABSENT_COUNT, NULL), STATUS_OK);
	assert_tdp(store, "removed", 30);
}

static void calibrations_have_their_own_revision(void **state)
{
	struct store *store = *state;
	struct calibration_row calibration = {.meta.origin = "measured",
		.id = "c1",
		.accelerator_id = "a",
		.quantity = "idle_w",
		.method = "counter",
		.value = 70,
		.low = ABSENT_NUMBER,
		.high = ABSENT_NUMBER};
	struct row_remove gone = {.kind = ROW_CALIBRATION, .id = "c1", .expected_revision = ABSENT_COUNT};
	struct row_filter filter = {.accelerator_id = "a"};
	struct catalogue_rows rows;
	struct row_list list;
	int64_t revision, calibration_revision;

	assert_status(store, put_row(store, ROW_CALIBRATION, &calibration, true, ABSENT_COUNT, NULL), STATUS_OK);
	assert_status(store, storage_row_list(store->storage, ROW_CALIBRATION, &filter, NULL, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_status(store, store_do(store, &gone.job, STORAGE_ROW_REMOVE), STATUS_OK);
	assert_status(store, storage_catalogue_load(store->storage, 0, &store->arena, &rows, &revision, &calibration_revision, &store->failure),
		STATUS_OK);
	assert_int_equal(revision, 0);
	assert_int_equal(calibration_revision, 2);
	assert_int_equal(rows.calibration_count, 0);
}

static void a_created_row_answers_its_key_once(void **state)
{
	struct store *store = *state;
	struct price_row price = store_price(store, "p", 5), found;
	struct idempotency key = {.key = "k", .principal = "", .route = "POST /v1/prices", .answer.http_status = 201};
	struct row_put put = {.kind = ROW_PRICE, .row = &price, .create_only = true, .expected_revision = ABSENT_COUNT, .idempotency = &key};

	key.body_sha256[0] = 1;
	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_true(put.created);
	price.id = "other";
	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_CONFLICT); /* the key was used, so nothing is stored */
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "other", 0, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
	assert_string_equal(row_kind_name(ROW_PRICE), "price");
}

/* A price that was replaced 200 times must cost the same number of steps as a new one, both by its id and in a list of
 * another provider, and also after it was removed: the put after a removal reads the id, too. */
static void history_costs_nothing(void **state)
{
	static const enum row_statement read[] = {ROW_GET, ROW_LIST};
	struct store *store = *state;
	struct row_remove gone = {.kind = ROW_PRICE, .id = "p1", .expected_revision = ABSENT_COUNT};
	struct connection connection;
	int steps[4][COUNT_OF(read)];

	for (int age = 0; age < 4; age++) { /* new; new and removed; old; old and removed */
		bool removed = age % 2 == 1;

		for (int i = 0; i < (removed ? 0 : age ? 200 : 1); i++) {
			struct price_row price = store_price(store, "p1", 20 + i);

			assert_status(store, put_row(store, ROW_PRICE, &price, false, ABSENT_COUNT, NULL), STATUS_OK);
		}
		if (removed)
			assert_status(store, store_do(store, &gone.job, STORAGE_ROW_REMOVE), STATUS_OK);
		assert_status(store, connection_open(store->path, true, &connection, &store->failure), STATUS_OK);
		for (size_t k = 0; k < COUNT_OF(read); k++) {
			struct arguments one = {.id = "p1", .as_of_us = INT64_MAX};
			struct row_query all = {.filter = {.provider = "another", .as_of_us = INT64_MAX}, .cursor_id = "", .limit = 100};
			enum statement_name name = row_statement(ROW_PRICE, read[k]);
			struct price_row found;
			struct rows_read rows;

			if (read[k] == ROW_GET)
				assert_status(store, store_one(&connection, name, &one, &found, &store->arena, &store->failure),
					removed ? STATUS_NOT_FOUND : STATUS_OK);
			else
				assert_status(store, store_list(&connection, name, &all, 100, &store->arena, &rows, &store->failure), STATUS_OK);
			steps[age][k] = sqlite3_stmt_status(
				connection_statement(&connection, name, &store->failure)->handle, SQLITE_STMTSTATUS_VM_STEP, 0);
		}
		connection_close(&connection);
	}
	for (int age = 0; age < 2; age++)
		for (size_t k = 0; k < COUNT_OF(read); k++)
			if (steps[age][k] < 10 || steps[age + 2][k] > steps[age][k] + 20)
				fail_msg("%s%s: %d steps, with a history %d", read[k] == ROW_GET ? "get" : "list", age ? " after its removal" : "",
					steps[age][k], steps[age + 2][k]);
}

/* How a field's member is stored, by the field's kind. */
static const enum column_kind column_kinds[FIELD_KIND_COUNT] = {[FIELD_NUMBER] = COLUMN_NUMBER,
	[FIELD_COUNT] = COLUMN_NUMBER,
	[FIELD_INTEGER] = COLUMN_COUNT,
	[FIELD_TEXT] = COLUMN_TEXT,
	[FIELD_TEXTS] = COLUMN_LIST,
	[FIELD_JSON] = COLUMN_JSON,
	[FIELD_LIST] = COLUMN_CONFLICTS};

static size_t fields_checked;

/* Each field of a table that clients write is a column of the map, at the same member, and a column of the database. */
static void assert_fields_have_columns(sqlite3 *db, const struct field_table *table, size_t base, const struct column_map *map)
{
	for (const struct field *field = table->rows; field < table->rows + table->row_count; field++) {
		sqlite3_stmt *found;
		int column;

		if (field->kind == FIELD_MERGE)
			assert_fields_have_columns(db, field->table, base + field->offset, map);
		if (field->kind == FIELD_MERGE || field->flags & READ_ONLY)
			continue;
		column = column_find(map, field->key);
		if (column < 0 || map->columns[column].offset != base + field->offset || map->columns[column].kind != column_kinds[field->kind])
			fail_msg("%s.%s: the map of columns has another member or kind", map->noun, field->key);
		assert_int_equal(sqlite3_prepare_v2(db, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", -1, &found, NULL), SQLITE_OK);
		sqlite3_bind_text(found, 1, map->noun, -1, SQLITE_STATIC);
		sqlite3_bind_text(found, 2, field->key, -1, SQLITE_STATIC);
		if (sqlite3_step(found) != SQLITE_ROW)
			fail_msg("%s.%s: the database has no such column", map->noun, field->key);
		sqlite3_finalize(found);
		fields_checked++;
	}
}

static void every_field_has_its_column(void **state)
{
	struct store *store = *state;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(store->path, &db), SQLITE_OK);
	fields_checked = 0;
	assert_fields_have_columns(db, &table_accelerator, 0, &accelerator_map);
	assert_fields_have_columns(db, &table_model, 0, &model_map);
	assert_fields_have_columns(db, &table_price, 0, &price_map);
	assert_fields_have_columns(db, &table_region, 0, &region_map);
	sqlite3_close(db);
	assert_true(fields_checked > 70);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_setup, store_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_member_of_an_accelerator_comes_back),
		TEST(every_member_of_the_others_comes_back),
		TEST(every_field_has_its_column),
		TEST(a_change_keeps_the_past),
		TEST(a_clock_set_back_does_not_mix_the_past),
		cmocka_unit_test_setup_teardown(a_snapshot_is_of_one_instant, store_setup_in_memory, store_teardown),
		TEST(nonsense_is_not_stored),
		TEST(lists_filter_and_page),
		TEST(imports_change_only_what_differs),
		TEST(a_new_version_leaves_what_people_changed),
		TEST(calibrations_have_their_own_revision),
		TEST(history_costs_nothing),
		TEST(a_created_row_answers_its_key_once),
	};

	return cmocka_run_group_tests_name("catalogue_rows", tests, NULL, NULL);
}
