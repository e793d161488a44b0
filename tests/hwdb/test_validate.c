/* Tests the rejection of impossible rows and of rates that are not dense. */
#include "hwdb/fixture.h"
#include "hwdb/rows/known_mistakes.h"
#include "hwdb/rows/rows_text.h"
#include "hwdb/rows/validate.h"

static struct accelerator h100;

static int begin(void **state)
{
	(void)state;
	fixture_begin();
	h100 = catalogue_accelerator(fixture.catalogue, "h100", NULL)->accelerator;
	return 0;
}

static void every_builtin_row_is_valid(void **state)
{
	(void)state;
	assert_int_equal(validate_rows(&fixture.catalogue->rows, &fixture.failure), STATUS_OK);
	assert_int_equal(fixture.failure.fault_total, 0);
}

static void accelerators_out_of_bounds(void **state)
{
	(void)state;
	h100.memory_gb = 0;
	h100.memory_bandwidth_gbs = ABSENT_NUMBER;
	h100.tflops_fp8 = 500;
	h100.tflops_fp4 = 400;
	h100.tflops_tf32 = 2000;
	h100.idle_w = 800;
	h100.interconnect_gbs = -1;
	h100.die_area_mm2 = INFINITY;
	validate_accelerator(&h100, "", &fixture.failure);
	assert_contains(fixture_fault("/memory_gb"), "0.25");
	fixture_fault("/memory_bandwidth_gbs");
	fixture_fault("/tflops_fp8");
	fixture_fault("/tflops_fp4");
	fixture_fault("/tflops_tf32");
	fixture_fault("/idle_w");
	fixture_fault("/interconnect_gbs");
	fixture_fault("/die_area_mm2");
	fixture_fault("/memory_usable_bytes");
	assert_int_equal(fixture.failure.status, STATUS_INVALID);
}

static void an_accelerator_needs_a_rate_and_memory(void **state)
{
	struct accelerator_row row;

	(void)state;
	accelerator_row_clear(&row);
	validate_accelerator(&row.accelerator, "/x", &fixture.failure);
	fixture_fault("/x/tflops_bf16");
	fixture_fault("/x/memory_gb");
	fixture_fault("/x/memory_bandwidth_gbs");
	assert_int_equal(fixture.failure.fault_total, 3);
}

static void prices_out_of_bounds(void **state)
{
	struct price_row row;

	(void)state;
	price_row_clear(&row);
	row.gpus = 8;
	row.price_usd_per_hour = 55;
	row.pricing_model = "on_demand";
	row.as_of = "2026-07-20";
	validate_price(&row, "", &fixture.failure);
	assert_int_equal(fixture.failure.fault_total, 0);
	row.price_usd_per_hour = 0.07; /* 8 accelerators at less than a cent each */
	row.pricing_model = "weekly";
	row.as_of = "last week";
	row.vcpus = -1;
	row.ram_gb = 1e9;
	validate_price(&row, "", &fixture.failure);
	fixture_fault("/price_usd_per_hour");
	fixture_fault("/pricing_model");
	fixture_fault("/as_of");
	fixture_fault("/vcpus");
	fixture_fault("/ram_gb");
	begin(state);
	row.gpus = 0;
	validate_price(&row, "", &fixture.failure);
	fixture_fault("/gpus");
	begin(state);
	row.gpus = 8;
	row.price_usd_per_hour = 1601;
	validate_price(&row, "", &fixture.failure);
	fixture_fault("/price_usd_per_hour");
	begin(state);
	row.price_usd_per_hour = ABSENT_NUMBER;
	validate_price(&row, "", &fixture.failure);
	fixture_fault("/price_usd_per_hour");
}

/* A table in t/kWh instead of g/kWh contains values such as 0.0004 or 400000. */
static void regions_out_of_bounds(void **state)
{
	struct region_row row = *catalogue_region(fixture.catalogue, "aws.us-east-1");

	(void)state;
	row.grid_gco2e_per_kwh = 1501;
	row.pue = 0.9;
	row.wue_l_per_kwh = -0.1;
	row.ewif_l_per_kwh = 101;
	row.grid_marginal_gco2e_per_kwh = -1;
	row.year = 1066;
	validate_region(&row, "", &fixture.failure);
	fixture_fault("/grid_gco2e_per_kwh");
	fixture_fault("/pue");
	fixture_fault("/wue_l_per_kwh");
	fixture_fault("/ewif_l_per_kwh");
	fixture_fault("/grid_marginal_gco2e_per_kwh");
	fixture_fault("/year");
	begin(state);
	row.grid_gco2e_per_kwh = ABSENT_NUMBER;
	validate_region(&row, "", &fixture.failure);
	assert_contains(fixture_fault("/grid_gco2e_per_kwh"), "give");
}

static void models_out_of_bounds(void **state)
{
	struct model_row row = *catalogue_model(fixture.catalogue, "llama-3.1-8b", NULL);

	(void)state;
	row.params_active = row.params_total * 2;
	validate_model(&row, "", &fixture.failure);
	fixture_fault("/params_active");
	begin(state);
	row.params_total = 10;
	row.params_active = ABSENT_NUMBER;
	validate_model(&row, "", &fixture.failure);
	fixture_fault("/params_total");
	begin(state);
	row.config.text = NULL;
	row.params_total = ABSENT_NUMBER;
	validate_model(&row, "", &fixture.failure);
	fixture_fault("/config");
}

static void rates_that_are_printed_but_not_dense(void **state)
{
	static const struct {
		const char *id, *name;
		size_t member;
		double entered;
		const char *dense;
	} cases[] = {
		{"my-a100", "A100 of the lab", offsetof(struct accelerator, tflops_bf16), 624, "is 312"},
		{"a100-sxm4-80gb", NULL, offsetof(struct accelerator, tflops_fp16), 624, "is 312"},
		{"h100-sxm5-80gb", NULL, offsetof(struct accelerator, tflops_bf16), 1979, "989.5"},
		{"lab", "NVIDIA H100 80GB HBM3", offsetof(struct accelerator, tflops_bf16), 1978.9, "989.5"},
		{"h100-x", NULL, offsetof(struct accelerator, tflops_fp8), 3958, "1979"},
		{"k80", "Tesla K80", offsetof(struct accelerator, tflops_fp32), 8.73, "4.37"},
		{"k80-cloud", NULL, offsetof(struct accelerator, tflops_fp32), 8.74, "4.37"},
		{"tpu-v3-8", "TPU v3", offsetof(struct accelerator, tflops_bf16), 420, "123"},
		{"pod", "Cloud TPU v2", offsetof(struct accelerator, tflops_bf16), 180, "45"},
		{"l4", NULL, offsetof(struct accelerator, tflops_bf16), 242, "121"},
		{"l4", NULL, offsetof(struct accelerator, tflops_fp8), 485, "242"},
		{"b200-mine", NULL, offsetof(struct accelerator, tflops_bf16), 4500, "2250"},
		{"rtx-4090-d", NULL, offsetof(struct accelerator, tflops_fp16), 330, "165.2"},
		{"trainium2-x", NULL, offsetof(struct accelerator, tflops_bf16), 2563, "667"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct accelerator given;

		fixture_begin();
		fixture_accelerator_absent(&given);
		given.id = cases[i].id;
		given.name = cases[i].name;
		*(double *)(void *)((char *)&given + cases[i].member) = cases[i].entered;
		assert_int_equal(known_mistakes_warn(fixture.catalogue, &given, &given, &fixture.findings), 1);
		assert_int_equal(fixture.findings.warning_count, 1);
		assert_contains(fixture.findings.warnings[0].detail, cases[i].dense);
	}
}

static void true_rates_are_not_warned_of(void **state)
{
	const struct catalogue_rows *rows = &fixture.catalogue->rows;
	struct accelerator given;

	(void)state;
	for (size_t i = 0; i < rows->accelerator_count; i++) {
		const struct accelerator *row = &rows->accelerators[i].accelerator;

		if (known_mistakes_warn(fixture.catalogue, row, row, &fixture.findings) > 0)
			fail_msg("%s: %s", row->id, fixture.findings.warnings[0].detail);
	}
	fixture_accelerator_absent(&given);
	given.id = "a1000";
	given.name = "RTX A1000";
	given.tflops_bf16 = 624;
	assert_int_equal(known_mistakes_warn(fixture.catalogue, &given, &given, &fixture.findings), 0);
	given.id = "x1";
	given.name = NULL;
	given.tflops_bf16 = 1979;
	assert_int_equal(known_mistakes_warn(fixture.catalogue, &given, &given, &fixture.findings), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_builtin_row_is_valid, begin),
		cmocka_unit_test_setup(accelerators_out_of_bounds, begin),
		cmocka_unit_test_setup(an_accelerator_needs_a_rate_and_memory, begin),
		cmocka_unit_test_setup(prices_out_of_bounds, begin),
		cmocka_unit_test_setup(regions_out_of_bounds, begin),
		cmocka_unit_test_setup(models_out_of_bounds, begin),
		cmocka_unit_test_setup(rates_that_are_printed_but_not_dense, begin),
		cmocka_unit_test_setup(true_rates_are_not_warned_of, begin),
	};

	return cmocka_run_group_tests_name("validate", tests, fixture_setup, fixture_teardown);
}
