/* Tests the comparison of two snapshots, and a third snapshot with parts of both. */
#include <string.h>

#include "hwdb/catalogue/catalogue_mix.h"
#include "hwdb/rows/builtin.h"
#include "support/assert.h"

static struct failure failure;

static struct catalogue *snapshot(int64_t revision, void (*change)(struct catalogue_rows *rows))
{
	struct catalogue_rows rows = {0};
	struct catalogue *catalogue;
	struct arena arena;

	arena_init(&arena, 256 << 20);
	failure_clear(&failure);
	assert_int_equal(builtin_rows_read(&arena, &rows, &failure), STATUS_OK);
	if (change)
		change(&rows);
	catalogue = catalogue_new(&arena, &rows, revision, 0, 0, &failure);
	assert_non_null(catalogue);
	return catalogue;
}

static void change_prices(struct catalogue_rows *rows)
{
	rows->prices[3].price_usd_per_hour *= 2;
	rows->prices[3].meta.revision = 2;
	rows->prices[7].id = "zzz.new";
	rows->prices[7].meta.revision = 2;
	rows->regions[0].grid_gco2e_per_kwh = 1234;
	rows->regions[0].meta.revision = 2;
}

static void differences_are_told_by_part(void **state)
{
	struct catalogue *before = snapshot(1, NULL), *after = snapshot(2, change_prices);
	struct catalogue_change change;

	(void)state;
	catalogue_compare(before, before, CATALOGUE_PRICES, &change);
	assert_int_equal(change.added + change.changed + change.removed, 0);
	assert_null(change.names[0]);
	catalogue_compare(before, after, CATALOGUE_PRICES, &change);
	assert_int_equal(change.changed, 1);
	assert_int_equal(change.added, 1);
	assert_int_equal(change.removed, 1);
	assert_non_null(change.names[2]);
	assert_null(change.names[3]);
	catalogue_compare(before, after, CATALOGUE_REGIONS, &change);
	assert_int_equal(change.changed, 1);
	catalogue_compare(before, after, CATALOGUE_MODELS, &change);
	assert_int_equal(change.added + change.changed + change.removed, 0);
	catalogue_release(before);
	catalogue_release(after);
}

static void a_mix_takes_whole_parts(void **state)
{
	struct catalogue *before = snapshot(1, NULL), *after = snapshot(2, change_prices), *mixed;
	const char *region = after->rows.regions[0].id;

	(void)state;
	mixed = catalogue_mix(before, after, 1U << CATALOGUE_PRICES, &failure);
	assert_non_null(mixed);
	assert_non_null(catalogue_price(mixed, "zzz.new"));
	for (size_t i = 0; i < after->rows.region_count; i++)
		if (after->rows.regions[i].grid_gco2e_per_kwh > 1233 && after->rows.regions[i].grid_gco2e_per_kwh < 1235)
			region = after->rows.regions[i].id;
	assert_true(catalogue_region(mixed, region)->grid_gco2e_per_kwh < 1233);
	assert_non_null(catalogue_model(mixed, "llama-3.1-8b", &(const char *){NULL}));
	assert_int_equal(mixed->rows.accelerator_count, before->rows.accelerator_count);
	catalogue_release(mixed);
	mixed = catalogue_mix(before, after, 1U << CATALOGUE_REGIONS, &failure);
	assert_non_null(mixed);
	assert_null(catalogue_price(mixed, "zzz.new"));
	assert_true(catalogue_region(mixed, region)->grid_gco2e_per_kwh > 1233);
	catalogue_release(mixed);
	catalogue_release(before);
	catalogue_release(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_told_by_part),
		cmocka_unit_test(a_mix_takes_whole_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
