/* Tests which calibrations of a snapshot correct a plan, in which order, and what the plan says about them. */
#include <math.h>
#include <string.h>

#include "hwdb/resolve/calibrations.h"
#include "support/assert.h"

#define DAY_US INT64_C(86400000000)
#define NOW_US (INT64_C(1795219200) * 1000000) /* 2026-11-21 */

enum { ROWS_MAX = 12 };

static struct arena arena;
static struct calibration_row rows[ROWS_MAX];
static struct catalogue catalogue;
static struct findings findings;
static struct calibration calibration;

/* Adds a row that was measured a day ago, with an interval of 1 % on each side. */
static struct calibration_row *measured(const char *id, const char *device, const char *quantity, const char *class, double value)
{
	struct calibration_row *row = &rows[catalogue.rows.calibration_count++];
	bool products = strcmp(quantity, "gemm_efficiency") == 0;

	*row = (struct calibration_row){.meta = {.origin = "measured", .valid_from_us = NOW_US - DAY_US},
		.id = id,
		.accelerator_id = "gpu",
		.device_id = device,
		.quantity = quantity,
		.class = class,
		.method = products ? "library_gemm" : "stream",
		.precision = products ? PRECISION_BF16 : PRECISION_UNSET,
		.value = value,
		.low = 0.99 * value,
		.high = 1.01 * value,
		.disagreement = ABSENT_NUMBER};
	return row;
}

static struct accelerator gpu(void)
{
	return (struct accelerator){.id = "gpu",
		.vendor = "nvidia",
		.tflops_bf16 = 1000,
		.tflops_fp16 = 1000,
		.tflops_fp8 = ABSENT_NUMBER,
		.memory_bandwidth_gbs = 3000,
		.tdp_w = 700,
		.idle_w = ABSENT_NUMBER,
		.load_w = ABSENT_NUMBER,
		.pcie_gen = 5,
		.interconnect_gbs = 900};
}

static void choose(const char *plan_id, const char *stack)
{
	struct accelerator accelerator = gpu();
	const struct calibration_wish wish = {.accelerator = &accelerator,
		.precision = PRECISION_BF16,
		.plan_id = plan_id,
		.stack = stack,
		.params = 8e9,
		.gpu_count = 64,
		.now_us = NOW_US};

	findings_clear(&findings);
	calibrations_choose(&catalogue, &wish, &arena, &findings, &calibration);
}

static bool is_assumed(const char *field)
{
	for (size_t i = 0; i < findings.assumption_count; i++)
		if (strcmp(findings.assumptions[i].field, field) == 0)
			return true;
	return false;
}

static const struct assumption *assumed(const char *field)
{
	static const struct assumption none;

	for (size_t i = 0; i < findings.assumption_count; i++)
		if (strcmp(findings.assumptions[i].field, field) == 0)
			return &findings.assumptions[i];
	fail_msg("no assumption about %s", field);
	return &none;
}

static int begin(void **state)
{
	(void)state;
	arena_init(&arena, 1024 * 1024);
	catalogue = (struct catalogue){.rows = {.calibrations = rows}};
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static void without_any_the_prior_stands(void **state)
{
	(void)state;
	choose(NULL, NULL);
	assert_null(calibration.id);
	assert_int_equal(findings.assumption_count, 0);
	measured("m", "GPU-1", "memory_efficiency", NULL, 0.8)->accelerator_id = "another";
	choose(NULL, NULL);
	assert_null(calibration.id);
}

/* The largest class leads, wherever it is in the snapshot. Each class has its own efficiency. */
static void the_largest_class_leads(void **state)
{
	(void)state;
	(void)measured("a.small", "GPU-1", "gemm_efficiency", "small", 0.5);
	(void)measured("b.large", "GPU-1", "gemm_efficiency", "large", 0.7);
	(void)measured("c.thin", "GPU-1", "gemm_efficiency", "thin", 0.2);
	choose(NULL, NULL);
	assert_string_equal(calibration.id, "b.large");
	assert_close(calibration.gemm_efficiency, 0.7, 0);
	assert_close(calibration.gemm_low, 0.7 * 0.99, 1e-12);
	assert_close(calibration.gemm_high, 0.7 * 1.01, 1e-12);
	assert_close(calibration.gemm_class_efficiency[PRODUCT_SMALL], 0.5, 0);
	assert_close(calibration.gemm_class_efficiency[PRODUCT_THIN], 0.2, 0);
	assert_int_equal(calibration.gemm_precision, PRECISION_BF16);
	catalogue.rows.calibration_count = 1; /* only the small class remains, so it leads */
	choose(NULL, NULL);
	assert_close(calibration.gemm_efficiency, 0.5, 0);
	assert_close(calibration.gemm_low, 0.5 * 0.99, 1e-12);
}

/* A plan with its own measured products uses only these. A plan without them uses the fleet's. */
static void a_plan_without_its_own_takes_the_fleets(void **state)
{
	(void)state;
	(void)measured("a.large", "GPU-1", "gemm_efficiency", "large", 0.7);
	(void)measured("b.large", "GPU-2", "gemm_efficiency", "large", 0.6);
	measured("c.plan", "GPU-1", "gemm_efficiency", "plan", 0.4)->plan_id = "mine";
	choose("mine", NULL);
	assert_close(calibration.gemm_efficiency, 0.4, 0);
	assert_close(calibration.gemm_class_efficiency[PRODUCT_LARGE], 0, 0);
	assert_contains(
		assumed("calibration.gemm_efficiency")->source, "this plan's own work, measured by library_gemm on GPU-1, 2026-11-20 (1 day old");
	choose("yours", NULL);
	assert_close(calibration.gemm_efficiency, 0.65, 1e-12);
	assert_false(is_assumed("calibration.gemm_efficiency"));
	assert_contains(assumed("calibration.gemm_efficiency.large")->source, "fleet: median of 2 devices, newest");
}

static void each_says_how_old_and_how_far_apart(void **state)
{
	const struct assumption *told;

	(void)state;
	measured("m", "GPU-1", "memory_efficiency", NULL, 0.41)->meta.valid_from_us = NOW_US - 12 * DAY_US;
	choose(NULL, NULL);
	told = assumed("calibration.memory_efficiency");
	assert_string_equal(
		told->source, "measured by stream on GPU-1, 2026-11-09 (12 days old, calibration m); 50.0 % below the published prior of 0.82");
	assert_int_equal(told->status, PROVENANCE_MEASURED);
	assert_close(told->low, 0.41 * 0.99, 1e-12);
	assert_close(told->high, 0.41 * 1.01, 1e-12);
	rows[0].value = rows[0].high = 0.902;
	choose(NULL, NULL);
	assert_contains(assumed("calibration.memory_efficiency")->source, "10.0 % above the published prior");
}

/* A row from a real job has no device. It corrects plans with the same software stack. */
static void software_is_corrected_by_its_jobs(void **state)
{
	struct calibration_row *row = measured("s", NULL, "stack_speed", "fsdp", 0.8);

	(void)state;
	row->method = "observation";
	row->params = 8e9;
	row->gpu_count = 64;
	row->precision = PRECISION_BF16;
	choose(NULL, "megatron_core");
	assert_null(calibration.id);
	choose(NULL, NULL);
	assert_null(calibration.id);
	choose(NULL, "fsdp");
	assert_close(calibration.stack_speed, 0.8, 0);
	assert_close(calibration.stack_low, 0.8 * 0.99, 1e-12);
	assert_close(calibration.stack_high, 0.8 * 1.01, 1e-12);
	assert_contains(assumed("calibration.stack_speed")->source, "measured by observation on real jobs");
	assert_close(calibration.stack_likeness, 1, 0);
}

/* E148: an observed job counts less if it differs from the planned one in model size, number of accelerators or number
 * format. */
static void jobs_unlike_the_planned_one_say_less(void **state)
{
	struct calibration_row *row = measured("s", NULL, "stack_speed", "fsdp", 0.64);

	(void)state;
	row->method = "observation";
	row->gpu_count = 64;
	row->precision = PRECISION_BF16;
	row->params = 8e9 * (1 + 1e-14); /* a mean of logarithms is rounded: this is still the same model */
	choose(NULL, "fsdp");
	assert_true(calibration.stack_likeness >= 1);
	row->params = 80e9; /* the request has 8e9 */
	choose(NULL, "fsdp");
	assert_close(calibration.stack_speed, 0.8, 1e-12);
	assert_close(calibration.stack_likeness, 0.5, 1e-12);
	assert_close(calibration.stack_low, sqrt(0.64 * 0.99), 1e-12);
	assert_contains(
		assumed("calibration.stack_speed")->source, "8e+10 parameters on 64 accelerators in bf16: likeness 0.5 to this job (E148)");
	row->gpu_count = 640;
	choose(NULL, "fsdp");
	assert_close(calibration.stack_likeness, 0.25, 1e-12);
	row->params = 8e9;
	choose(NULL, "fsdp");
	assert_close(calibration.stack_likeness, 0.5, 1e-12);
	row->gpu_count = 64;
	row->precision = PRECISION_FP8;
	choose(NULL, "fsdp");
	assert_close(calibration.stack_likeness, 0.5, 1e-12);
	row->precision = PRECISION_UNSET; /* several formats, or an unknown one */
	choose(NULL, "fsdp");
	assert_close(calibration.stack_likeness, 0.5, 1e-12);
	row->precision = PRECISION_BF16;
	row->params = ABSENT_NUMBER;
	choose(NULL, "fsdp");
	assert_close(calibration.stack_likeness, 0.5, 1e-12);
}

/* An unused row stays in the catalogue. The plan reports the first unused row, and the list of rows reports each. */
static void what_is_not_used_says_why(void **state)
{
	struct calibration_row judged[2];

	(void)state;
	(void)measured("a.good", "GPU-1", "memory_efficiency", NULL, 0.8);
	measured("b.old", "GPU-2", "memory_efficiency", NULL, 0.7)->meta.valid_from_us = NOW_US - 100 * DAY_US;
	choose(NULL, NULL);
	assert_close(calibration.memory_efficiency, 0.8, 0);
	assert_string_equal(assumed("calibration.unused")->text, "b.old");
	assert_contains(assumed("calibration.unused")->source, "100 days old; plans use figures of at most 90 days");
	memcpy(judged, rows, sizeof judged);
	calibrations_judge(&catalogue, judged, 2, NOW_US, &arena);
	assert_int_equal(judged[0].used, TRUTH_TRUE);
	assert_null(judged[0].unused_because);
	assert_int_equal(judged[1].used, TRUTH_FALSE);
	assert_contains(judged[1].unused_because, "100 days old");
	catalogue.rows.calibration_count = 1; /* a row that is not in the snapshot is judged alone */
	judged[1].meta.valid_from_us = NOW_US;
	calibrations_judge(&catalogue, &judged[1], 1, NOW_US, &arena);
	assert_int_equal(judged[1].used, TRUTH_TRUE);
	choose(NULL, NULL);
	assert_false(is_assumed("calibration.unused"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_any_the_prior_stands, begin, end),
		cmocka_unit_test_setup_teardown(the_largest_class_leads, begin, end),
		cmocka_unit_test_setup_teardown(a_plan_without_its_own_takes_the_fleets, begin, end),
		cmocka_unit_test_setup_teardown(each_says_how_old_and_how_far_apart, begin, end),
		cmocka_unit_test_setup_teardown(jobs_unlike_the_planned_one_say_less, begin, end),
		cmocka_unit_test_setup_teardown(software_is_corrected_by_its_jobs, begin, end),
		cmocka_unit_test_setup_teardown(what_is_not_used_says_why, begin, end),
	};

	return cmocka_run_group_tests_name("calibrations", tests, NULL, NULL);
}
