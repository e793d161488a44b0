/* A snapshot that shares rows with another must equal a whole snapshot of the same rows. */
#include <string.h>

#include "hwdb/catalogue/catalogue_change.h"
#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/rows/builtin.h"
#include "support/assert.h"

enum { CHANGES = 300, ROWS_MAXIMUM = 2000 };

static struct failure failure;

/* The expected rows, in an arena that outlives the test. */
struct model_of_rows {
	struct arena arena;
	struct catalogue_rows rows;
	struct price_row prices[ROWS_MAXIMUM];
};

static struct catalogue *whole_of(const struct model_of_rows *wanted)
{
	struct catalogue_rows rows = {0};
	struct catalogue *catalogue;
	struct arena arena;

	arena_init(&arena, 256 << 20);
	failure_clear(&failure);
	assert_int_equal(builtin_rows_read(&arena, &rows, &failure), STATUS_OK);
	rows.prices = ARENA_ARRAY(&arena, struct price_row, wanted->rows.price_count + 1);
	assert_non_null(rows.prices);
	memcpy(rows.prices, wanted->prices, wanted->rows.price_count * sizeof *rows.prices);
	rows.price_count = wanted->rows.price_count;
	catalogue = catalogue_new(&arena, &rows, 1, 0, 0, &failure);
	assert_non_null(catalogue);
	return catalogue;
}

static void assert_spans_equal(const struct offer_span *a, const struct offer_span *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->gpus_per_instance_max, b->gpus_per_instance_max);
	for (size_t i = 0; i < a->count; i++) {
		const struct indexed_offer *x = &a->items[i], *y = &b->items[i];

		assert_string_equal(x->row->id, y->row->id);
		assert_close(x->usd_per_gpu_hour, y->usd_per_gpu_hour, 0);
		assert_close(x->row->price_usd_per_hour, y->row->price_usd_per_hour, 0);
		assert_string_equal(x->provider, y->provider);
		assert_int_equal(x->region != NULL, y->region != NULL);
		assert_int_equal(x->term, y->term);
		assert_int_equal(x->as_of_us, y->as_of_us);
		assert_int_equal(x->suspicious, y->suspicious);
		assert_int_equal(x->current, y->current);
		assert_int_equal(x->place, y->place);
		assert_int_equal(x->part != NULL, y->part != NULL);
	}
}

static void assert_catalogues_equal(const struct catalogue *changed, const struct model_of_rows *wanted)
{
	struct catalogue *whole = whole_of(wanted);
	const struct catalogue_rows *rows = catalogue_rows_of(changed);

	assert_int_equal(catalogue_price_count(changed), wanted->rows.price_count);
	assert_int_equal(rows->price_count, wanted->rows.price_count);
	for (size_t i = 0; i < rows->price_count; i++) {
		const struct price_row *found = catalogue_price(changed, whole->rows.prices[i].id);

		assert_string_equal(rows->prices[i].id, whole->rows.prices[i].id);
		assert_non_null(found);
		assert_close(found->price_usd_per_hour, whole->rows.prices[i].price_usd_per_hour, 0);
	}
	for (size_t i = 0; i < rows->accelerator_count; i++)
		assert_spans_equal(&changed->index->offers[i], &whole->index->offers[i]);
	catalogue_release(whole);
}

static uint64_t draw(uint64_t *state, size_t count)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % count;
}

static bool is_half(const struct price_row *row)
{
	return price_row_is_part_of(row);
}

/* Changes one price in one of the ways of a user. *gone is the index of a removed price. */
static bool change_row(struct model_of_rows *wanted, uint64_t *random, size_t number, struct price_row *row)
{
	static const char *const dates[] = {"2026-11-20", "2025-01-01", "not a date", NULL};
	size_t count = wanted->rows.price_count, at = (size_t)draw(random, count), other = (size_t)draw(random, count);
	uint64_t what = draw(random, 7);

	if (is_half(&wanted->prices[at]))
		return false;
	*row = wanted->prices[at];
	if (what == 0) {
		row->id = arena_printf(&wanted->arena, "new.%zu", number);
		wanted->prices[wanted->rows.price_count++] = *row;
		return true;
	}
	if (what == 1)
		row->price_usd_per_hour *= 0.1;
	else if (what == 2)
		row->price_usd_per_hour *= 3;
	else if (what == 3)
		row->accelerator_id = wanted->prices[other].accelerator_id;
	else if (what == 4)
		row->as_of = dates[draw(random, COUNT_OF(dates))];
	else if (what == 5)
		row->accelerator_id = "none-of-the-catalogue";
	else
		row->region = draw(random, 2) ? wanted->prices[other].region : NULL;
	wanted->prices[at] = *row;
	return true;
}

static void changes_are_what_a_whole_snapshot_is(void **state)
{
	static struct model_of_rows wanted;
	struct catalogue *current, *first, *next;
	uint64_t random = 7;

	(void)state;
	arena_init(&wanted.arena, 256 << 20);
	assert_int_equal(builtin_rows_read(&wanted.arena, &wanted.rows, &failure), STATUS_OK);
	memcpy(wanted.prices, wanted.rows.prices, wanted.rows.price_count * sizeof *wanted.prices);
	first = whole_of(&wanted);
	current = catalogue_retain(first);
	for (size_t i = 0; i < CHANGES; i++) {
		struct price_row row;
		size_t at = (size_t)draw(&random, wanted.rows.price_count);
		bool removed = i % 5 == 0 && !is_half(&wanted.prices[at]);

		if (removed) {
			row = wanted.prices[at];
			wanted.prices[at] = wanted.prices[--wanted.rows.price_count];
		} else if (!change_row(&wanted, &random, i, &row)) {
			continue;
		}
		next = catalogue_with_price(current, &row, removed, (int64_t)i + 2, &failure);
		assert_non_null(next);
		catalogue_release(current); /* the shared rows stay valid */
		current = next;
		assert_int_equal(current->revision, i + 2);
		if (i % 10 == 0 || i + 1 == CHANGES)
			assert_catalogues_equal(current, &wanted);
	}
	assert_int_equal(catalogue_price_count(first), first->rows.price_count); /* the first snapshot is unchanged */
	next = catalogue_at(current, 5);
	assert_int_equal(next->as_of_us, 5);
	catalogue_release(current);
	assert_catalogues_equal(next, &wanted);
	catalogue_release(next);
	catalogue_release(first);
	arena_release(&wanted.arena);
}

/* A part of an offer needs its other part, and many small changes cost as much as a whole snapshot. Both need a whole
 * one. */
static void some_changes_need_a_whole_snapshot(void **state)
{
	static struct model_of_rows wanted;
	struct catalogue *current, *next;
	struct price_row row;
	int changes = 0;

	(void)state;
	wanted = (struct model_of_rows){0};
	arena_init(&wanted.arena, 256 << 20);
	assert_int_equal(builtin_rows_read(&wanted.arena, &wanted.rows, &failure), STATUS_OK);
	memcpy(wanted.prices, wanted.rows.prices, wanted.rows.price_count * sizeof *wanted.prices);
	current = whole_of(&wanted);
	row = wanted.prices[0];
	row.notes = "HOST COMPONENT ONLY";
	assert_null(catalogue_with_price(current, &row, false, 2, &failure));
	assert_int_equal(failure.status, STATUS_OK);
	row = wanted.prices[0];
	for (;; changes++) {
		row.id = arena_printf(&wanted.arena, "many.%d", changes);
		next = catalogue_with_price(current, &row, false, changes + 2, &failure);
		if (!next)
			break;
		catalogue_release(current);
		current = next;
	}
	assert_int_equal(failure.status, STATUS_OK);
	assert_int_equal(changes, 512);
	catalogue_release(current);
	arena_release(&wanted.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_what_a_whole_snapshot_is),
		cmocka_unit_test(some_changes_need_a_whole_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
