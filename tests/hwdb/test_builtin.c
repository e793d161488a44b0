/* Tests the data that the program contains. */
#include <string.h>

#include "hwdb/rows/builtin.h"
#include "hwdb/rows/rows_text.h"
#include "support/assert.h"

static struct arena arena;
static struct catalogue_rows rows;
static struct failure failure;

static const struct accelerator_row *accelerator(const char *id)
{
	for (size_t i = 0; i < rows.accelerator_count; i++)
		if (strcmp(rows.accelerators[i].accelerator.id, id) == 0)
			return &rows.accelerators[i];
	fail_msg("no accelerator %s", id);
	return NULL;
}

static const struct region_row *region(const char *id)
{
	for (size_t i = 0; i < rows.region_count; i++)
		if (strcmp(rows.regions[i].id, id) == 0)
			return &rows.regions[i];
	fail_msg("no region %s", id);
	return NULL;
}

static void every_list_is_whole(void **state)
{
	(void)state;
	assert_int_equal(rows.accelerator_count, 61);
	assert_int_equal(rows.model_count, 57);
	assert_int_equal(rows.price_count, 609);
	assert_int_equal(rows.region_count, 332);
}

static void every_row_says_where_it_comes_from(void **state)
{
	(void)state;
	for (size_t i = 0; i < rows.accelerator_count; i++) {
		assert_string_equal(rows.accelerators[i].meta.origin, "builtin");
		assert_non_null(rows.accelerators[i].accelerator.source);
		assert_non_null(rows.accelerators[i].accelerator.source_date);
		assert_non_null(rows.accelerators[i].memory_usable_source);
	}
	for (size_t i = 0; i < rows.model_count; i++) {
		assert_non_null(rows.models[i].meta.source);
		assert_non_null(rows.models[i].meta.source_date);
		assert_non_null(rows.models[i].config.text);
	}
	for (size_t i = 0; i < rows.price_count; i++) {
		assert_non_null(rows.prices[i].meta.source);
		assert_non_null(rows.prices[i].as_of);
		assert_int_equal(rows.prices[i].as_of[4], '-');
	}
	for (size_t i = 0; i < rows.region_count; i++)
		assert_non_null(rows.regions[i].meta.source);
}

static void spot_checks(void **state)
{
	(void)state;
	assert_close(accelerator("a100-sxm4-80gb")->accelerator.tflops_bf16, 312, 1e-12);
	assert_close(accelerator("h100-sxm5-80gb")->accelerator.tflops_bf16, 989.5, 1e-12);
	assert_close(accelerator("h100-sxm5-80gb")->accelerator.memory_usable_bytes, 85.52e9, 1e-4);
	assert_close(accelerator("v100-sxm2-16gb")->accelerator.tflops_fp16, 125, 1e-12);
	assert_true(isnan(accelerator("v100-sxm2-16gb")->accelerator.tflops_bf16));
	assert_close(accelerator("tpu-v3")->accelerator.tflops_bf16, 123, 1e-12);
	assert_close(accelerator("k80-die")->accelerator.tflops_fp32, 4.37, 1e-12);
	assert_int_equal(accelerator("tpu-v5e")->accelerator.pcie_gen, -1);
	assert_close(region("country.fra")->grid_gco2e_per_kwh, 56.04, 1e-12);
	assert_close(region("country.wor")->grid_gco2e_per_kwh, 473.01, 1e-12);
	assert_close(region("aws.us-east-1")->pue, 1.15, 1e-12);
	assert_string_equal(region("verda.fin-01")->country_zone, "FI");
}

/* A capacity above the name-plate in GiB, or more than 5 % below the name-plate in GB, is an error in the data. */
static void usable_memory_is_close_to_the_name_plate(void **state)
{
	(void)state;
	for (size_t i = 0; i < rows.accelerator_count; i++) {
		const struct accelerator *row = &rows.accelerators[i].accelerator;
		double name_plate_bytes = row->memory_gb * 1e9;

		assert_true(row->memory_usable_bytes <= name_plate_bytes * 1.0738);
		assert_true(row->memory_usable_bytes >= name_plate_bytes * 0.95);
	}
}

static void aliases_are_unambiguous(void **state)
{
	size_t aliases = 0;

	(void)state;
	for (size_t i = 0; i < rows.accelerator_count; i++)
		for (size_t k = 0; k < rows.accelerators[i].aliases.count; k++, aliases++)
			for (size_t j = 0; j < rows.accelerator_count; j++) {
				assert_string_not_equal(rows.accelerators[i].aliases.items[k], rows.accelerators[j].accelerator.id);
				for (size_t l = 0; l < rows.accelerators[j].aliases.count; l++)
					if (i != j || k != l)
						assert_string_not_equal(rows.accelerators[i].aliases.items[k], rows.accelerators[j].aliases.items[l]);
			}
	for (size_t i = 0; i < rows.model_count; i++)
		for (size_t k = 0; k < rows.models[i].aliases.count; k++, aliases++)
			for (size_t j = 0; j < rows.model_count; j++) {
				assert_string_not_equal(rows.models[i].aliases.items[k], rows.models[j].id);
				for (size_t l = 0; l < rows.models[j].aliases.count; l++)
					if (i != j || k != l)
						assert_string_not_equal(rows.models[i].aliases.items[k], rows.models[j].aliases.items[l]);
			}
	assert_true(aliases > 80);
}

static void prices_belong_to_accelerators_and_ids_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < rows.price_count; i++) {
		(void)accelerator(rows.prices[i].accelerator_id);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(rows.prices[i].id, rows.prices[j].id);
	}
	for (size_t i = 0; i < rows.region_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(rows.regions[i].id, rows.regions[j].id);
}

static void the_digest_is_stable(void **state)
{
	char first[BUILTIN_DIGEST_MAX], second[BUILTIN_DIGEST_MAX];

	(void)state;
	builtin_digest(first);
	builtin_digest(second);
	assert_string_equal(first, second);
	assert_int_equal(strlen(first), 16);
}

static enum status read_prices(const char *text, struct catalogue_rows *out)
{
	struct rows_source source = {"prices.csv", text, strlen(text), "imported"};

	failure_clear(&failure);
	return rows_text_prices(&source, &arena, out, &failure);
}

static void imported_rows_get_an_id_or_a_reason(void **state)
{
	static const struct {
		const char *text, *detail;
	} bad[] = {
		{"provider,colour\naws,red\n", "unknown column \"colour\""},
		{"provider,gpus\naws,eight\n", "\"eight\" is not a count for gpus"},
		{"provider,gpus\naws,1.5\n", "is not a count"},
		{"provider,price_usd_per_hour\naws,nan\n", "is not a number"},
		{"provider,price_usd_per_hour\naws,1e999\n", "is not a number"},
		{"provider,price_usd_per_hour\naws,0x10\n", "is not a number"},
		{"provider\naws\n", "a row needs provider, instance_type"},
		{"id,accelerator_id\nx,t4\n", "a row needs provider, instance_type"},
	};
	struct catalogue_rows out = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(read_prices(bad[i].text, &out), STATUS_INVALID);
		assert_contains(failure.detail, bad[i].detail);
	}
	assert_int_equal(read_prices("provider,instance_type,region,accelerator_id,gpus,price_usd_per_hour,pricing_model,as_of\n"
								 "AWS,p5.48xlarge,us-east-1,h100-sxm5-80gb,8,55.04,on_demand,2026-07-20\n",
						 &out),
		STATUS_OK);
	assert_int_equal(out.price_count, 1);
	assert_string_equal(out.prices[0].id, "aws.p5-48xlarge.us-east-1.on-demand");
	assert_string_equal(out.prices[0].meta.origin, "imported");
	assert_true(isnan(out.prices[0].vcpus));
	assert_null(out.prices[0].notes);
}

static void models_and_aliases_refuse_what_is_not_theirs(void **state)
{
	static const char *const bad[] = {"{\"id\": 3}\n", "[]\n", "{\"id\": \"x\"\n", "{\"id\": \"x\", \"id\": \"y\"}\n"};
	static const char *const bad_aliases[] = {"a,b\n1,2\n", "kind,alias,id\nmodel,x,nobody\n", "kind,alias,id\ncolour,x,t4\n"};
	struct catalogue_rows out = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct rows_source source = {"models.jsonl", bad[i], strlen(bad[i]), "imported"};

		assert_int_equal(rows_text_models(&source, &arena, &out, &failure), STATUS_INVALID);
		assert_contains(failure.detail, "models.jsonl, line 1");
	}
	for (size_t i = 0; i < COUNT_OF(bad_aliases); i++) {
		struct rows_source source = {"aliases.csv", bad_aliases[i], strlen(bad_aliases[i]), "imported"};

		assert_int_equal(rows_text_aliases(&source, &arena, &out, &failure), STATUS_INVALID);
	}
}

static void a_small_arena_is_said_and_not_overrun(void **state)
{
	struct catalogue_rows out;

	(void)state;
	for (size_t size_bytes = 64; size_bytes < 1200000; size_bytes *= 2) {
		struct arena small;

		arena_init(&small, size_bytes);
		failure_clear(&failure);
		if (builtin_rows_read(&small, &out, &failure) != STATUS_OK)
			assert_true(failure.status == STATUS_NO_MEMORY || failure.status == STATUS_INVALID);
		arena_release(&small);
	}
}

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 8 << 20);
	if (builtin_rows_read(&arena, &rows, &failure) != STATUS_OK) {
		print_error("%s\n", failure.detail);
		return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_list_is_whole),
		cmocka_unit_test(every_row_says_where_it_comes_from),
		cmocka_unit_test(spot_checks),
		cmocka_unit_test(usable_memory_is_close_to_the_name_plate),
		cmocka_unit_test(aliases_are_unambiguous),
		cmocka_unit_test(prices_belong_to_accelerators_and_ids_are_unique),
		cmocka_unit_test(the_digest_is_stable),
		cmocka_unit_test(imported_rows_get_an_id_or_a_reason),
		cmocka_unit_test(models_and_aliases_refuse_what_is_not_theirs),
		cmocka_unit_test(a_small_arena_is_said_and_not_overrun),
	};

	return cmocka_run_group_tests_name("builtin", tests, setup, teardown);
}
