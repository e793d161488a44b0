/* Tests imports: no row is valid before all are, changes by others during an import stay, and an interrupted import is
 * completed or removed. */
#include <string.h>

#include "planner/progress.h"
#include "storage/imports.h"
#include "storage/sqlite/import_steps.h"
#include "support/store.h"

enum { ROWS = 700 };

/* Makes the prices p0, p1, ... with this price. */
static struct price_row *make_rows(struct store *store, size_t count, double price)
{
	struct price_row *rows = ARENA_ARRAY(&store->arena, struct price_row, count);

	for (size_t i = 0; i < count; i++) {
		rows[i] = store_price(store, arena_printf(&store->arena, "p%zu", i), price);
		rows[i].meta.origin = "imported";
	}
	return rows;
}

static struct import_record make_record(struct store *store)
{
	static int number;

	return (struct import_record){
		.id = arena_printf(&store->arena, "import-%d", ++number), .started_by = "request", .bytes = ABSENT_COUNT, .started_at_us = number};
}

static enum status run_import(struct store *store, const struct price_row *rows, size_t count, struct import_record *record)
{
	struct import_run run = {.import = record, .kind = ROW_PRICE, .rows = rows, .count = count};

	failure_clear(&store->failure);
	return storage_import(store->storage, &run, &store->failure);
}

static double price_at(struct store *store, const char *id, int64_t as_of_us)
{
	struct price_row row;
	enum status status = storage_row_get(store->storage, ROW_PRICE, id, as_of_us, &store->arena, &row, &store->failure);

	return status == STATUS_OK ? row.price_usd_per_hour : status == STATUS_NOT_FOUND ? 0 : -1;
}

/* Returns the number of current prices. All must equal `price` and be valid. */
static size_t loaded(struct store *store, double price, int64_t *revision)
{
	struct catalogue_rows rows;
	int64_t calibration_revision;
	size_t count = 0;

	assert_status(store, storage_catalogue_load(store->storage, 0, &store->arena, &rows, revision, &calibration_revision, &store->failure),
		STATUS_OK);
	for (size_t i = 0; i < rows.price_count; i++)
		count += rows.prices[i].price_usd_per_hour >= price && rows.prices[i].price_usd_per_hour <= price &&
			rows.prices[i].meta.revision <= *revision && rows.prices[i].meta.valid_from_us > 0;
	assert_int_equal(count, rows.price_count);
	return count;
}

/* The steps of an import. A test may stop between them. */
struct steps {
	struct import_record record;
	struct import_run run;
	int64_t number;
};

static void steps_begin(struct store *store, struct steps *steps, const struct price_row *rows, size_t count)
{
	struct import_begin begin = {.import = &steps->record};

	*steps = (struct steps){.record = make_record(store), .run = {.import = &steps->record, .kind = ROW_PRICE, .rows = rows, .count = count}};
	steps->record.kind = "price";
	assert_status(store, store_do(store, &begin.job, STORAGE_IMPORT_BEGIN), STATUS_OK);
	steps->number = begin.number;
}

static void steps_rows(struct store *store, struct steps *steps)
{
	struct import_rows step = {.run = &steps->run, .number = steps->number};

	for (; step.begin < steps->run.count; step.begin = step.end)
		assert_status(store, store_do(store, &step.job, STORAGE_IMPORT_ROWS), STATUS_OK);
}

static void steps_end(struct store *store, struct steps *steps)
{
	struct import_end end = {.import = &steps->record, .number = steps->number};

	steps->record.state = "succeeded";
	assert_status(store, store_do(store, &end.job, STORAGE_IMPORT_END), STATUS_OK);
}

static void nothing_holds_before_all_does(void **state)
{
	struct store *store = *state;
	struct price_row *first = make_rows(store, ROWS, 10), *second = make_rows(store, ROWS, 20);
	struct import_record record = make_record(store);
	struct steps steps;
	struct price_row row;
	int64_t revision, before_us;

	assert_status(store, run_import(store, first, ROWS, &record), STATUS_OK);
	assert_int_equal(record.added, ROWS);
	assert_int_equal(record.revision, 1);
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p3", 0, &store->arena, &row, &store->failure), STATUS_OK);
	assert_int_equal(row.meta.revision, 1); /* before the import is settled */
	before_us = row.meta.valid_from_us;
	assert_status(store, storage_import_tidy(store->storage, &store->failure), STATUS_OK);
	assert_int_equal(loaded(store, 10, &revision), ROWS);

	steps_begin(store, &steps, second, ROWS);
	steps_rows(store, &steps);
	assert_int_equal(loaded(store, 10, &revision), ROWS);
	assert_int_equal(revision, 1);
	assert_close(price_at(store, "p5", 0), 10, 0);
	steps_end(store, &steps);
	assert_int_equal(steps.record.changed, ROWS);
	for (int settled = 0; settled < 2; settled++) {
		struct row_list list;
		const struct row_filter filter = {.id_prefix = "p6"};

		assert_int_equal(loaded(store, 20, &revision), ROWS);
		assert_int_equal(revision, 2);
		assert_close(price_at(store, "p5", 0), 20, 0);
		assert_close(price_at(store, "p5", before_us), 10, 0);
		assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p5", before_us, &store->arena, &row, &store->failure), STATUS_OK);
		assert_true(row.meta.valid_to_us > before_us);
		assert_status(store, storage_row_list(store->storage, ROW_PRICE, &filter, NULL, &store->arena, &list, &store->failure), STATUS_OK);
		assert_true(list.count == 50 && list.next_cursor);
		for (size_t i = 0; i < list.count; i++)
			assert_close(((struct price_row *)list.items)[i].price_usd_per_hour, 20, 0);
		assert_status(store, storage_import_tidy(store->storage, &store->failure), STATUS_OK);
	}
	assert_status(store, run_import(store, second, ROWS, &record), STATUS_CONFLICT); /* each id of a record is used once */
	record = make_record(store);
	assert_status(store, run_import(store, second, ROWS, &record), STATUS_OK);
	assert_int_equal(record.unchanged, ROWS);
	assert_int_equal(record.revision, ABSENT_COUNT);
	store_close(store);
	assert_integrity(store);
}

/* A single change during an import stays, and the import counts the row as kept. */
static void changes_of_single_rows_go_before(void **state)
{
	struct store *store = *state;
	struct price_row *first = make_rows(store, 10, 10), *second = make_rows(store, 12, 20), mine = store_price(store, "p4", 44),
					 fresh = store_price(store, "p11", 45);
	struct row_put put = {.kind = ROW_PRICE, .row = &mine}, put_fresh = {.kind = ROW_PRICE, .row = &fresh, .create_only = true};
	struct row_remove gone = {.kind = ROW_PRICE, .id = "p7"};
	struct import_record record = make_record(store);
	struct steps steps;

	assert_status(store, run_import(store, first, 10, &record), STATUS_OK);
	assert_status(store, storage_import_tidy(store->storage, &store->failure), STATUS_OK);
	steps_begin(store, &steps, second, 12);
	steps_rows(store, &steps);
	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_false(put.created);
	assert_status(store, store_do(store, &put_fresh.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_true(put_fresh.created);
	assert_status(store, store_do(store, &gone.job, STORAGE_ROW_REMOVE), STATUS_OK);
	steps_end(store, &steps);
	assert_int_equal(steps.record.changed, 8);
	assert_int_equal(steps.record.added, 1);
	assert_int_equal(steps.record.kept, 3);
	for (int settled = 0; settled < 2; settled++) {
		assert_close(price_at(store, "p4", 0), 44, 0);
		assert_close(price_at(store, "p11", 0), 45, 0);
		assert_close(price_at(store, "p7", 0), 0, 0);
		assert_close(price_at(store, "p10", 0), 20, 0);
		assert_close(price_at(store, "p5", 0), 20, 0);
		assert_status(store, storage_import_tidy(store->storage, &store->failure), STATUS_OK);
	}
}

/* A row that an import has published but not settled can be changed like any other row. */
static void unsettled_rows_can_be_changed(void **state)
{
	struct store *store = *state;
	struct price_row *first = make_rows(store, 10, 10), *second = make_rows(store, 10, 20), mine = store_price(store, "p4", 44), found;
	struct row_put put = {.kind = ROW_PRICE, .row = &mine, .expected_revision = 2};
	struct row_remove gone = {.kind = ROW_PRICE, .id = "p7", .expected_revision = 2};
	struct import_record record = make_record(store);
	int64_t moment_us, revision;

	assert_status(store, run_import(store, first, 10, &record), STATUS_OK);
	record = make_record(store);
	assert_status(store, run_import(store, second, 10, &record), STATUS_OK);
	assert_status(store, storage_catalogue_moment(store->storage, 0, &store->arena, &moment_us, &revision, &store->failure), STATUS_OK);
	assert_int_equal(revision, 2);
	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_status(store, store_do(store, &gone.job, STORAGE_ROW_REMOVE), STATUS_OK);
	for (int settled = 0; settled < 2; settled++) {
		assert_close(price_at(store, "p4", 0), 44, 0);
		assert_close(price_at(store, "p4", moment_us), 20, 0);
		assert_close(price_at(store, "p4", moment_us - 1), 10, 0);
		assert_close(price_at(store, "p7", 0), 0, 0);
		assert_close(price_at(store, "p7", moment_us), 20, 0);
		assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p4", moment_us, &store->arena, &found, &store->failure), STATUS_OK);
		assert_int_equal(found.meta.revision, 2);
		assert_status(store, storage_import_tidy(store->storage, &store->failure), STATUS_OK);
	}
}

static void what_was_left_is_swept(void **state)
{
	struct store *store = *state;
	struct price_row *first = make_rows(store, ROWS, 10), *second = make_rows(store, ROWS + 9, 20);
	struct import_record record = make_record(store), found;
	struct import_list list;
	struct steps steps;
	int64_t revision;

	assert_status(store, run_import(store, first, ROWS, &record), STATUS_OK);
	assert_status(store, storage_import_tidy(store->storage, &store->failure), STATUS_OK);
	steps_begin(store, &steps, second, ROWS + 9);
	steps_rows(store, &steps);
	store_close(store);
	store_open(store);
	assert_int_equal(loaded(store, 10, &revision), ROWS);
	assert_status(store, storage_import_tidy(store->storage, &store->failure), STATUS_OK);
	assert_int_equal(loaded(store, 10, &revision), ROWS);
	assert_int_equal(revision, 1);
	assert_status(store, storage_import_get(store->storage, steps.record.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, "interrupted");
	assert_int_equal(found.added + found.changed, 0);
	assert_status(store, storage_import_list(store->storage, "price", NULL, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].id, steps.record.id);
	assert_status(store, storage_import_list(store->storage, "model", NULL, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 0);
	record = make_record(store);
	assert_status(store, run_import(store, second, ROWS + 9, &record), STATUS_OK);
	assert_int_equal(record.changed, ROWS);
	assert_int_equal(record.added, 9);
	store_close(store);
	assert_integrity(store);
}

/* One row that cannot be stored undoes all rows. */
static void a_row_that_cannot_be_stored_undoes_all(void **state)
{
	struct store *store = *state;
	struct price_row *rows = make_rows(store, ROWS, 10);
	struct import_record record = make_record(store), found;
	int64_t revision;

	rows[ROWS - 1].id = rows[0].id;
	assert_status(store, run_import(store, rows, ROWS, &record), STATUS_INVALID);
	assert_contains(store->failure.detail, "occurs twice");
	rows[ROWS - 1].id = "last";
	rows[ROWS - 1].price_usd_per_hour = -1;
	record = make_record(store);
	assert_status(store, run_import(store, rows, ROWS, &record), STATUS_INVALID);
	assert_int_equal(loaded(store, 0, &revision), 0);
	assert_int_equal(revision, 0);
	assert_status(store, storage_import_get(store->storage, record.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, "failed");
	assert_int_equal(found.finished_at_us >= found.started_at_us, true);
}

static bool stop_at_once(void *context)
{
	return ++*(int *)context > 1;
}

static void note_nothing(void *context, double fraction, const char *what)
{
	(void)context;
	(void)what;
	assert_true(fraction >= 0 && fraction <= 1);
}

static void cancelled_is_as_if_it_never_was(void **state)
{
	struct store *store = *state;
	int asked = 0;
	const struct progress progress = {&asked, stop_at_once, note_nothing};
	struct import_record record = make_record(store), found;
	struct import_run run = {.import = &record, .kind = ROW_PRICE, .rows = make_rows(store, ROWS, 10), .count = ROWS, .progress = &progress};
	int64_t revision;

	assert_status(store, storage_import(store->storage, &run, &store->failure), STATUS_CANCELLED);
	assert_int_equal(loaded(store, 0, &revision), 0);
	assert_status(store, storage_import_get(store->storage, record.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, "cancelled");
}

static void replacing_ends_what_is_not_named(void **state)
{
	struct store *store = *state;
	struct price_row *rows = make_rows(store, ROWS, 10), mine = store_price(store, "mine", 44);
	struct row_put put = {.kind = ROW_PRICE, .row = &mine};
	struct import_record record = make_record(store);
	int64_t moment_us, revision;

	mine.meta.origin = "user";
	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_status(store, run_import(store, rows, ROWS, &record), STATUS_OK);
	assert_status(store, storage_catalogue_moment(store->storage, 0, &store->arena, &moment_us, &revision, &store->failure), STATUS_OK);
	record = make_record(store);
	record.replaces = true;
	assert_status(store, run_import(store, rows, 3, &record), STATUS_OK);
	assert_int_equal(record.removed, ROWS - 3);
	assert_int_equal(record.unchanged, 3);
	for (int settled = 0; settled < 2; settled++) {
		assert_close(price_at(store, "mine", 0), 44, 0);
		assert_close(price_at(store, "p2", 0), 10, 0);
		assert_close(price_at(store, "p3", 0), 0, 0);
		assert_close(price_at(store, "p3", moment_us), 10, 0);
		assert_status(store, storage_import_tidy(store->storage, &store->failure), STATUS_OK);
	}
}

#define IMPORT_TEST(name) cmocka_unit_test_setup_teardown(name, store_setup, store_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IMPORT_TEST(nothing_holds_before_all_does),
		IMPORT_TEST(changes_of_single_rows_go_before),
		IMPORT_TEST(unsettled_rows_can_be_changed),
		IMPORT_TEST(what_was_left_is_swept),
		IMPORT_TEST(a_row_that_cannot_be_stored_undoes_all),
		IMPORT_TEST(cancelled_is_as_if_it_never_was),
		IMPORT_TEST(replacing_ends_what_is_not_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
