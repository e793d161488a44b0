/* Tests which measured figures may correct plans and which may not. */
#include <math.h>

#include "agent/job_calibrations.h"
#include "support/assert.h"

static struct arena arena;
static struct failure failure;

static struct bench_line_measure figure(const char *test, const char *method, enum precision precision, double median)
{
	return (struct bench_line_measure){.test = test,
		.method = method,
		.unit = "x",
		.precision = precision,
		.n = 9,
		.median = median,
		.p10 = median * 0.98,
		.p90 = median * 1.01,
		.min = median * 0.9,
		.max = median * 1.1,
		.flops = 1e12,
		.bytes = 1e9,
		.verified = true};
}

/* A GPU of the catalogue: 1000 TFLOP/s in bf16, 3000 GB/s. */
static struct accelerator_row gpu_row(void)
{
	struct accelerator_row row = {.meta = {.origin = "builtin"}};
	struct accelerator *accelerator = &row.accelerator;

	accelerator->id = "gpu";
	accelerator->tflops_fp64 = accelerator->tflops_fp32 = accelerator->tflops_tf32 = accelerator->tflops_fp16 = ABSENT_NUMBER;
	accelerator->tflops_fp8 = accelerator->tops_int8 = accelerator->tflops_fp4 = ABSENT_NUMBER;
	accelerator->tflops_bf16 = 1000;
	accelerator->memory_bandwidth_gbs = 3000;
	return row;
}

static struct bench_calibrations calibrate(
	const char *backend, const struct accelerator_row *row, const struct bench_line_measure *measures, size_t count)
{
	struct bench_evidence evidence = {.benchmark_id = "b",
		.device = {.id = "d",
			.backend = backend,
			.name = "Device",
			.accelerator = row ? row->accelerator.id : "cpu-x",
			.memory_bytes = 16e9,
			.threads = 8},
		.measures = measures,
		.measure_count = count,
		.accelerator = row,
		.now_us = INT64_C(1795219200000000)};
	struct bench_calibrations calibrations;

	failure_clear(&failure);
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	return calibrations;
}

static const struct calibration_row *row_of(const struct bench_calibrations *calibrations, const char *quantity)
{
	static const struct calibration_row none;

	for (size_t i = 0; i < calibrations->count; i++)
		if (!strcmp(calibrations->rows[i].quantity, quantity))
			return &calibrations->rows[i];
	fail_msg("no calibration of %s", quantity);
	return &none;
}

/* Two products of 1e12 operations run at 600 and 400 TFLOP/s. Together they do 2e12 operations in 1/600 + 1/400: 480
 * TFLOP/s, not 500. */
static void products_are_taken_together_by_their_time(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {figure("gemm_a", "library_gemm", PRECISION_BF16, 600e12),
		figure("gemm_b", "library_gemm", PRECISION_BF16, 400e12), figure("stream_triad", "stream", PRECISION_UNSET, 2400e9)};
	struct bench_calibrations calibrations = calibrate("cuda", &row, measures, 3);
	const struct calibration_row *gemm = row_of(&calibrations, "gemm_efficiency");

	(void)state;
	assert_close(gemm->value, 0.48, 1e-12);
	assert_close(gemm->low, 0.48 * 0.98, 1e-12);
	assert_close(gemm->high, 0.48 * 1.01, 1e-12);
	assert_int_equal(gemm->precision, PRECISION_BF16);
	assert_string_equal(gemm->id, "gemm_efficiency.bf16.large.d");
	assert_string_equal(gemm->meta.origin, "measured");
	assert_string_equal(gemm->meta.source_date, "2026-11-21");
	assert_close(row_of(&calibrations, "memory_efficiency")->value, 0.8, 1e-12);
	assert_false(calibrations.has_accelerator);
	assert_int_equal(calibrations.refused, 0);
}

static void only_a_library_calibrates_compute(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {
		figure("gemm_kernel", "kernel_gemm", PRECISION_BF16, 600e12), figure("issue_rate", "issue_rate", PRECISION_BF16, 900e12)};
	struct bench_calibrations calibrations = calibrate("cuda", &row, measures, 2);

	(void)state;
	assert_int_equal(calibrations.count, 0);
}

static void what_cannot_be_trusted_calibrates_nothing(void **state)
{
	struct accelerator_row row = gpu_row();
	const struct bench_line_measure good = figure("gemm", "library_gemm", PRECISION_BF16, 600e12);

	(void)state;
	for (int fault = 0; fault < 4; fault++) {
		struct bench_line_measure measures[] = {good, good};
		struct bench_calibrations calibrations;
		static const char *const reasons[] = {"wrong", "disagree", "throttled", "cache"};

		measures[1].verified = fault != 0; /* one bad product makes the efficiency of all unusable */
		measures[1].unstable = fault == 1;
		measures[1].throttled = fault == 2;
		measures[1].cache_resident = fault == 3;
		calibrations = calibrate("cuda", &row, measures, 2);
		assert_int_equal(calibrations.count, 0);
		assert_int_equal(calibrations.refused, 1);
		assert_contains(calibrations.refusals[0].reason, reasons[fault]);
	}
}

/* The worker repeats an unstable measure. The repetition replaces the first measure, even if it confirms that the first
 * was wrong. */
static void a_second_pass_stands_in_for_the_first(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {figure("gemm", "library_gemm", PRECISION_BF16, 300e12),
		figure("gemm", "library_gemm", PRECISION_BF16, 500e12), figure("stream_triad", "stream", PRECISION_UNSET, 900e9),
		figure("gemm", "library_gemm", PRECISION_BF16, 400e12), figure("stream_triad", "stream", PRECISION_UNSET, 2400e9)};
	struct bench_calibrations calibrations;

	(void)state;
	measures[0].unstable = measures[2].unstable = true;
	measures[1].flops = 4e12; /* another size, measured once: 5e12 operations in 1/400 + 4/500 */
	calibrations = calibrate("cuda", &row, measures, 5);
	assert_close(row_of(&calibrations, "gemm_efficiency")->value, 5 / (1 / 0.4 + 4 / 0.5), 1e-12);
	assert_close(row_of(&calibrations, "memory_efficiency")->value, 0.8, 1e-12);
	assert_int_equal(calibrations.refused, 0);
}

/* The median of many samples has a narrower interval than one sample. Samples that spread by half still calibrate, with
 * the interval of the median. */
static void a_well_known_median_calibrates_with_its_interval(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {figure("gemm", "library_gemm", PRECISION_BF16, 600e12),
		figure("stream_triad", "stream", PRECISION_UNSET, 2400e9), figure("launch_pipelined", "driver_launch", PRECISION_UNSET, 4e-6)};
	struct bench_calibrations calibrations;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(measures); i++) {
		measures[i].unstable = true;
		measures[i].p10 = 0.7 * measures[i].median;
		measures[i].p90 = 1.2 * measures[i].median;
		measures[i].median_p10 = 0.95 * measures[i].median;
		measures[i].median_p90 = 1.04 * measures[i].median;
		measures[i].steal_fraction = 0.02;
		measures[i].others_fraction = 0.38;
	}
	calibrations = calibrate("cuda", &row, measures, COUNT_OF(measures));
	assert_int_equal(calibrations.refused, 0);
	assert_close(row_of(&calibrations, "gemm_efficiency")->value, 0.6, 1e-12);
	assert_close(row_of(&calibrations, "gemm_efficiency")->low, 0.57, 1e-12);
	assert_close(row_of(&calibrations, "gemm_efficiency")->high, 0.624, 1e-12);
	assert_close(row_of(&calibrations, "memory_efficiency")->low, 0.76, 1e-12);
	assert_close(row_of(&calibrations, "kernel_launch_s")->high, 4.16e-6, 1e-12);
	assert_contains(row_of(&calibrations, "memory_efficiency")->meta.source, "others used 40 % of the CPUs meanwhile");
}

/* A measure with an interval wider than 15 % is refused. The refusal names the measure, its width and the other
 * processes. A measure with a trend is refused, too. */
static void a_wide_interval_and_a_trend_are_refused(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {
		figure("gemm", "library_gemm", PRECISION_BF16, 600e12), figure("stream_triad", "stream", PRECISION_UNSET, 2400e9)};
	struct bench_calibrations calibrations;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(measures); i++) {
		measures[i].median_p10 = 0.92 * measures[i].median;
		measures[i].median_p90 = 1.06 * measures[i].median;
	}
	assert_int_equal(calibrate("cuda", &row, measures, 2).count, 2); /* 14 % */
	measures[0].median_p90 = 1.08 * measures[0].median;
	measures[0].others_fraction = 0.4;
	measures[1].trend = true;
	measures[1].drift = -0.12;
	calibrations = calibrate("cuda", &row, measures, 2);
	assert_int_equal(calibrations.count, 0);
	assert_int_equal(calibrations.refused, 2);
	assert_contains(calibrations.refusals[0].reason,
		"gemm: the 80 % interval of its median is 16.0 % wide, the limit is 15 %; others used 40 % of the CPUs");
	assert_contains(calibrations.refusals[1].reason, "stream_triad: it drifted by -12 % while it was measured");
}

/* Two samples that agree are not enough: a worker on a busy machine that could not take more samples does not
 * calibrate. */
static void too_few_repetitions_are_refused(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measure = figure("stream_triad", "stream", PRECISION_UNSET, 2400e9);
	struct bench_calibrations calibrations;

	(void)state;
	measure.rounds = 1;
	measure.n = 2;
	measure.median_p10 = measure.median_p90 = ABSENT_NUMBER;
	calibrations = calibrate("cuda", &row, &measure, 1);
	assert_int_equal(calibrations.count, 0);
	assert_contains(calibrations.refusals[0].reason, "stream_triad: 2 repetitions are too few to know its median");
}

/* The interval of a fit is at least as wide as the interval of its sizes. */
static void a_fit_is_as_well_known_as_its_sizes(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measure = figure("all_reduce", "collective_library", PRECISION_UNSET, 1e9);
	struct bench_line_fit fit = {
		.test = "all_reduce", .method = "nccl", .alpha_s = 1e-5, .beta_bytes_per_s = 1e9, .worst_residual = 0.03, .sizes = 4};
	struct bench_evidence evidence = {.benchmark_id = "b",
		.device = {.id = "d", .backend = "cuda", .name = "Device", .accelerator = "gpu"},
		.measures = &measure,
		.measure_count = 1,
		.fits = &fit,
		.fit_count = 1,
		.accelerator = &row,
		.now_us = 1};
	struct bench_calibrations calibrations;

	(void)state;
	measure.median_p10 = 0.96e9;
	measure.median_p90 = 1.04e9;
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_close(row_of(&calibrations, "collective_bytes_per_s")->low, 0.95e9, 1e-9); /* 3 % of the line and 4 % of the size: 5 % */
}

/* A figure above the catalogue's peak means a wrong SKU or a sparse figure in the catalogue, not an efficiency of 104
 * %. */
static void a_figure_above_the_peak_makes_the_peak_suspect(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {
		figure("gemm", "library_gemm", PRECISION_BF16, 1040e12), figure("stream_triad", "stream", PRECISION_UNSET, 3100e9)};
	struct bench_calibrations calibrations = calibrate("cuda", &row, measures, 2);

	(void)state;
	assert_int_equal(calibrations.count, 0);
	assert_int_equal(calibrations.refused, 2);
	assert_contains(calibrations.refusals[0].reason, "peak_suspect");
	assert_contains(calibrations.refusals[1].reason, "peak_suspect");
}

/* If the catalogue has no rate for a precision, plans use a wider format. An efficiency of this precision would then
 * refer to another peak. */
static void a_precision_without_a_peak_is_refused(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {figure("gemm", "library_gemm", PRECISION_FP8, 600e12)};
	struct bench_calibrations calibrations = calibrate("cuda", &row, measures, 1);

	(void)state;
	assert_int_equal(calibrations.count, 0);
	assert_contains(calibrations.refusals[0].reason, "no fp8 rate");
}

static const struct bench_line_measure *cpu_measures(double issue, double read, double gemm)
{
	static struct bench_line_measure measures[4];

	measures[0] = figure("issue_rate_fp32", "issue_rate", PRECISION_FP32, issue);
	measures[1] = figure("stream_read", "stream", PRECISION_UNSET, read);
	measures[2] = figure("stream_triad", "stream", PRECISION_UNSET, read * 0.8);
	measures[3] = figure("gemm_library_fp32", "library_gemm", PRECISION_FP32, gemm);
	return measures;
}

static void a_cpu_gets_its_own_row(void **state)
{
	struct bench_calibrations calibrations = calibrate("cpu", NULL, cpu_measures(1e12, 50e9, 5e11), 4);
	const struct accelerator *row = &calibrations.accelerator.accelerator;

	(void)state;
	assert_true(calibrations.has_accelerator);
	assert_string_equal(row->id, "cpu-x");
	assert_string_equal(calibrations.accelerator.meta.origin, "measured");
	assert_close(row->tflops_fp32, 1.01, 1e-12); /* p90 of the issue rate */
	assert_close(row->memory_bandwidth_gbs, 50, 1e-12);
	assert_close(row->memory_gb, 16, 1e-12);
	assert_close(row->tdp_w, 28, 1e-12);
	assert_contains(row->notes, "Cloud Carbon Footprint");
	assert_string_equal(row->unverified, "tdp_w");
	assert_true(isnan(row->tflops_bf16) && isnan(row->idle_w));
	assert_close(row_of(&calibrations, "gemm_efficiency")->value, 0.5 / 1.01, 1e-12);
	assert_close(row_of(&calibrations, "memory_efficiency")->value, 0.8, 1e-12);
}

/* Other processes use the machine. The run still yields the accelerator's row, but no calibration. */
static void a_disturbed_cpu_gets_its_row_and_no_calibration(void **state)
{
	struct bench_line_measure measures[4];
	struct bench_calibrations calibrations;

	(void)state;
	memcpy(measures, cpu_measures(1e12, 50e9, 5e11), sizeof(measures));
	for (size_t i = 0; i < COUNT_OF(measures); i++)
		measures[i].unstable = true;
	calibrations = calibrate("cpu", NULL, measures, COUNT_OF(measures));
	assert_true(calibrations.has_accelerator);
	assert_int_equal(calibrations.count, 0);
	assert_int_equal(calibrations.refused, 2);
	measures[0].verified = false; /* a wrong sum is not a bound */
	assert_false(calibrate("cpu", NULL, measures, COUNT_OF(measures)).has_accelerator);
}

/* A product on the quiet machine may exceed an issue rate that was disturbed. The peak is the faster of the two. */
static void a_cpus_peak_is_the_fastest_that_it_ran(void **state)
{
	struct bench_calibrations calibrations = calibrate("cpu", NULL, cpu_measures(1e12, 50e9, 1.5e12), 4);

	(void)state;
	assert_close(calibrations.accelerator.accelerator.tflops_fp32, 1.515, 1e-12);
	assert_close(row_of(&calibrations, "gemm_efficiency")->value, 1.5 / 1.515, 1e-12);
	assert_int_equal(calibrations.refused, 0);
}

/* A peak is an upper bound: a slower run does not lower it, a faster run raises it. */
static void a_measured_peak_only_rises(void **state)
{
	struct bench_calibrations first = calibrate("cpu", NULL, cpu_measures(1e12, 50e9, 5e11), 4), slower, faster;

	(void)state;
	slower = calibrate("cpu", &first.accelerator, cpu_measures(0.8e12, 40e9, 4e11), 4);
	assert_false(slower.has_accelerator);
	assert_close(row_of(&slower, "gemm_efficiency")->value, 0.4 / 1.01, 1e-12);
	slower = calibrate("cpu", &first.accelerator, cpu_measures(1.015e12, 50.9e9, 4e11), 4); /* faster by the usual difference between two runs */
	assert_false(slower.has_accelerator);
	faster = calibrate("cpu", &first.accelerator, cpu_measures(1.2e12, 40e9, 5e11), 4);
	assert_true(faster.has_accelerator);
	assert_close(faster.accelerator.accelerator.tflops_fp32, 1.212, 1e-12);
	assert_close(faster.accelerator.accelerator.memory_bandwidth_gbs, 50, 1e-12);
}

/* Stored efficiencies are fractions of the stored peak, so a raised peak alone would make every plan faster. */
static void a_peak_rises_only_with_its_efficiencies(void **state)
{
	struct bench_calibrations first = calibrate("cpu", NULL, cpu_measures(1e12, 50e9, 5e11), 4), second;
	struct bench_line_measure measures[4];

	(void)state;
	memcpy(measures, cpu_measures(1.2e12, 60e9, 5e11), sizeof(measures));
	measures[3].unstable = true; /* the library's product */
	second = calibrate("cpu", &first.accelerator, measures, 4);
	assert_false(second.has_accelerator);
	assert_close(row_of(&second, "memory_efficiency")->value, 48.0 / 50, 1e-12); /* of the bandwidth that was stored before */
	assert_int_equal(second.refused, 1);
}

static void a_row_that_somebody_entered_stays(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_calibrations calibrations;

	(void)state;
	row.meta.origin = "user";
	row.accelerator.id = "cpu-x";
	row.accelerator.tflops_fp32 = 0.8; /* less than the measured rate: the row belongs to the user */
	calibrations = calibrate("cpu", &row, cpu_measures(1e12, 50e9, 5e11), 4);
	assert_false(calibrations.has_accelerator);
	assert_close(row_of(&calibrations, "gemm_efficiency")->value, 0.625, 1e-12);
}

static void without_a_row_nothing_is_calibrated(void **state)
{
	struct bench_calibrations calibrations = calibrate("cpu", NULL, cpu_measures(1e12, 50e9, 5e11) + 3, 1);

	(void)state;
	assert_int_equal(calibrations.count, 0);
	assert_false(calibrations.has_accelerator);
	assert_contains(calibrations.refusals[0].reason, "no catalogue row");
}

static struct bench_line_measure product(double flops_per_s, int64_t side)
{
	struct bench_line_measure measure = figure("gemm_library_bf16", "library_gemm", PRECISION_BF16, flops_per_s);

	measure.has_shape = true;
	measure.shape = (struct bench_shape){side, side, side};
	measure.flops = bench_shape_flops(&measure.shape);
	measure.disagreement = ABSENT_NUMBER;
	return measure;
}

static bool has_class(const struct bench_calibrations *calibrations, const char *class)
{
	for (size_t i = 0; i < calibrations->count; i++)
		if (calibrations->rows[i].class && !strcmp(calibrations->rows[i].class, class))
			return true;
	return false;
}

static const struct calibration_row *class_of(const struct bench_calibrations *calibrations, const char *class)
{
	static const struct calibration_row none;

	for (size_t i = 0; i < calibrations->count; i++)
		if (calibrations->rows[i].class && !strcmp(calibrations->rows[i].class, class))
			return &calibrations->rows[i];
	fail_msg("no class %s", class);
	return &none;
}

/* Products calibrate by size class, each converted to the ceiling that it implies: a product of 8,192 at 700 of 1,000
 * implies more than 0.7, one of 1,024 at 400 far more than 0.4. A product that is limited by memory does not count. */
static void products_calibrate_by_class(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {product(700e12, 8192), product(690e12, 4096), product(400e12, 2000), product(5e12, 128)};
	struct bench_calibrations calibrations = calibrate("cuda", &row, measures, 4);
	const struct calibration_row *large = class_of(&calibrations, "large"), *small = class_of(&calibrations, "small");

	(void)state;
	assert_false(has_class(&calibrations, "thin") || has_class(&calibrations, "plan"));
	assert_true(large->value > 0.7 && large->value < 0.8 && small->value > 0.5 && small->value < 0.7);
	assert_int_equal(large->n, 18);
	assert_true(large->spread > 0 && isnan(small->spread));
	assert_true(large->low < large->value && large->value < large->high);
	assert_close(large->baseline, large->value, 1e-12);
}

/* Products with a role belong to the plan, in all sizes together. An unusable product spoils its own class and the
 * plan's class, not the other class. */
static void a_plans_products_are_its_own(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {product(700e12, 8192), product(400e12, 2000), product(710e12, 4096)};
	struct bench_evidence evidence = {.benchmark_id = "b",
		.device = {.id = "d", .backend = "cuda", .name = "Device", .accelerator = "gpu", .driver = "550.1"},
		.measures = measures,
		.measure_count = 3,
		.accelerator = &row,
		.plan_id = "p",
		.now_us = 1};
	struct bench_calibrations calibrations;

	(void)state;
	measures[0].role = "qkv";
	measures[1].role = "head";
	measures[0].count = 30;
	measures[0].disagreement = 0.01;
	measures[1].disagreement = 0.04;
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_string_equal(class_of(&calibrations, "plan")->plan_id, "p");
	assert_string_equal(class_of(&calibrations, "plan")->id, "gemm_efficiency.bf16.plan.d.p");
	assert_string_equal(class_of(&calibrations, "plan")->driver, "550.1");
	assert_close(class_of(&calibrations, "plan")->disagreement, 0.04, 1e-12); /* the worst */
	assert_null(class_of(&calibrations, "large")->plan_id);
	measures[1].unstable = true;
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_true(has_class(&calibrations, "large") && !has_class(&calibrations, "small") && !has_class(&calibrations, "plan"));
	assert_int_equal(calibrations.refused, 2);
	evidence.plan_id = NULL;
	measures[1].unstable = false;
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_false(has_class(&calibrations, "plan"));
}

/* A product that a step runs thirty times has thirty times the weight. A figure without a role does not belong to the
 * plan. */
static void products_weigh_as_often_as_they_come(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {product(700e12, 8192), product(500e12, 8192), product(600e12, 4096)};
	struct bench_evidence evidence = {.benchmark_id = "b",
		.device = {.id = "d", .backend = "cuda", .name = "Device", .accelerator = "gpu"},
		.measures = measures,
		.measure_count = 3,
		.accelerator = &row,
		.plan_id = "p",
		.now_us = 1};
	struct bench_calibrations once, often;

	(void)state;
	measures[1].product = PRODUCT_WEIGHT_GRADIENT;
	measures[0].role = measures[1].role = "qkv";
	assert_int_equal(bench_calibrate(&evidence, &arena, &once, &failure), STATUS_OK);
	assert_int_equal(class_of(&once, "plan")->n, 18);
	assert_int_equal(class_of(&once, "large")->n, 27);
	measures[0].count = 30;
	assert_int_equal(bench_calibrate(&evidence, &arena, &often, &failure), STATUS_OK);
	assert_true(class_of(&often, "plan")->value > 1.1 * class_of(&once, "plan")->value);
}

/* The run's own stream measure gives the memory's part of a product's time. */
static void products_are_judged_beside_their_memory(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {product(300e12, 2048), figure("stream_triad", "stream", PRECISION_UNSET, 900e9)};
	double alone = class_of(&(struct bench_calibrations[]){calibrate("cuda", &row, measures, 1)}[0], "large")->value;
	struct bench_calibrations beside = calibrate("cuda", &row, measures, 2), unstable;

	(void)state;
	assert_true(class_of(&beside, "large")->value > 1.02 * alone); /* memory takes more of the time than the prior assumes */
	measures[1].unstable = true;
	unstable = calibrate("cuda", &row, measures, 2);
	assert_close(class_of(&unstable, "large")->value, alone, 1e-12);
}

/* The fast end of the interval may reach the peak; an efficiency never exceeds 1. */
static void no_efficiency_is_above_one(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {
		figure("gemm", "library_gemm", PRECISION_BF16, 999e12), figure("stream_triad", "stream", PRECISION_UNSET, 2990e9)};
	struct bench_calibrations calibrations = calibrate("cuda", &row, measures, 2);

	(void)state;
	assert_close(row_of(&calibrations, "gemm_efficiency")->high, 1, 0);
	assert_close(row_of(&calibrations, "memory_efficiency")->high, 1, 0);
	measures[0].median = 1000e12; /* a figure equal to the peak is not above it */
	measures[1].median = 3000e9;
	calibrations = calibrate("cuda", &row, measures, 2);
	assert_close(row_of(&calibrations, "gemm_efficiency")->value, 1, 0);
	assert_close(row_of(&calibrations, "memory_efficiency")->value, 1, 0);
}

/* Each size and direction of a transfer is its own work. A second measure of the same transfer replaces the first. */
static void transfers_are_told_apart(void **state)
{
	struct bench_line_measure small = figure("transfer_pinned", "copy_engine", PRECISION_UNSET, 1e9), other;

	(void)state;
	small.has_transfer = true;
	small.transfer.direction = "to_device";
	small.transfer.bytes = 65536;
	other = small;
	assert_true(bench_measures_same_work(&small, &other));
	other.transfer.bytes = 131072;
	assert_false(bench_measures_same_work(&small, &other));
	other = small;
	other.transfer.direction = "from_device";
	assert_false(bench_measures_same_work(&small, &other));
	other = small;
	other.has_transfer = false;
	assert_false(bench_measures_same_work(&small, &other));
	small = other = figure("attention", "library_attention", PRECISION_BF16, 1e12);
	small.has_attention = other.has_attention = true;
	small.attention.heads = 8;
	other.attention.heads = 4;
	other.attention.batch = small.attention.batch = 2;
	assert_false(bench_measures_same_work(&small, &other));
	other.attention.heads = 8;
	assert_true(bench_measures_same_work(&small, &other));
	other.precision = PRECISION_FP16;
	assert_false(bench_measures_same_work(&small, &other));
}

/* Forward and backward products have the same number of operations, but neither replaces the other. */
static void another_product_is_no_second_pass(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {product(700e12, 4096), product(500e12, 4096), product(600e12, 4096)};
	struct bench_calibrations calibrations;

	(void)state;
	measures[1].product = PRODUCT_WEIGHT_GRADIENT;
	calibrations = calibrate("cuda", &row, measures, 2);
	assert_int_equal(class_of(&calibrations, "large")->n, 18);
	calibrations = calibrate("cuda", &row, measures, 3); /* the third repeats the first */
	assert_int_equal(class_of(&calibrations, "large")->n, 18);
}

static void transfers_reductions_and_reads_feed_their_terms(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure measures[] = {figure("transfer_pinned", "copy_engine", PRECISION_UNSET, 50e9),
		figure("all_reduce", "collective_library", PRECISION_UNSET, 300e9), figure("storage_sequential", "file_read", PRECISION_UNSET, 6e9),
		figure("launch_pipelined", "driver_launch", PRECISION_UNSET, 2e-6),
		figure("launch_round_trip", "driver_launch", PRECISION_UNSET, 7e-6)};
	struct bench_line_fit fits[] = {{"transfer_pinned", "to_device", "copy_engine", 8e-6, 52e9, 0.05, 4},
		{"transfer_pinned", "from_device", "copy_engine", 9e-6, 48e9, 0.02, 4},
		{"transfer_pinned", "both", "copy_engine", 9e-6, 90e9, 0.02, 4}, {"all_reduce", NULL, "collective_library", 21e-6, 360e9, 0.1, 5},
		{"peer_copy", "gpu-2", "copy_engine", 3e-6, 400e9, 0.1, 3}};
	struct bench_evidence evidence = {.benchmark_id = "b",
		.device = {.id = "d", .backend = "cuda", .name = "Device", .accelerator = "gpu"},
		.measures = measures,
		.measure_count = 5,
		.fits = fits,
		.fit_count = 5,
		.accelerator = &row,
		.now_us = 1};
	struct bench_calibrations calibrations;

	(void)state;
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_close(row_of(&calibrations, "host_bytes_per_s")->value, 48e9, 1e-12); /* the slower direction */
	assert_close(row_of(&calibrations, "host_latency_s")->value, 9e-6, 1e-12);
	assert_close(row_of(&calibrations, "collective_bytes_per_s")->value, 360e9, 1e-12);
	assert_close(row_of(&calibrations, "collective_bytes_per_s")->low, 324e9, 1e-12);
	assert_close(row_of(&calibrations, "collective_latency_s")->value, 21e-6, 1e-12);
	assert_close(row_of(&calibrations, "storage_bytes_per_s")->value, 6e9, 1e-12);
	assert_close(row_of(&calibrations, "kernel_launch_s")->value, 2e-6, 1e-12); /* the pipelined launch, not the round trip */
	assert_int_equal(calibrations.refused, 0);
	measures[3].unstable = true;  /* the round trip does not replace an unstable pipelined launch */
	fits[0].worst_residual = 0.3; /* this direction could be the slower one */
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_int_equal(calibrations.count, 3); /* two of the all-reduce, and the read */
	assert_int_equal(calibrations.refused, 2);
	measures[3].unstable = false;
	evidence.measure_count = 0;
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_int_equal(calibrations.count, 2);
	evidence.measures = &measures[4];
	evidence.measure_count = 1;
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_close(row_of(&calibrations, "kernel_launch_s")->value, 7e-6, 1e-12); /* the only launch figure */
	evidence.measures = measures;
	evidence.measure_count = 5;
	fits[0].worst_residual = 0.05;
	measures[0].unstable = measures[2].cache_resident = true;
	evidence.fit_count = 4;
	fits[3].worst_residual = 0.3;
	assert_int_equal(bench_calibrate(&evidence, &arena, &calibrations, &failure), STATUS_OK);
	assert_int_equal(calibrations.count, 1);   /* launches */
	assert_int_equal(calibrations.refused, 4); /* both directions, the all-reduce, and the read */
}

static void power_that_is_told_with_confidence(void **state)
{
	struct accelerator_row row = gpu_row();
	struct bench_line_measure sustained = figure("gemm_sustained", "library_gemm", PRECISION_BF16, 600e12);
	struct bench_calibrations calibrations;

	(void)state;
	sustained.has_energy = true;
	sustained.energy = (struct bench_line_energy){.mean_w = 650, .idle_w = 70, .source = "nvml_counter", .confidence = "high"};
	calibrations = calibrate("cuda", &row, &sustained, 1);
	assert_int_equal(calibrations.count, 2); /* a product that runs warm and alone calibrates no efficiency */
	assert_close(row_of(&calibrations, "load_w")->value, 650, 1e-12);
	assert_close(row_of(&calibrations, "idle_w")->value, 70, 1e-12);
	assert_string_equal(row_of(&calibrations, "idle_w")->method, "nvml_counter");
	sustained.energy.idle_w = 650; /* a device whose idle power equals its busy power was not idle */
	calibrations = calibrate("cuda", &row, &sustained, 1);
	assert_int_equal(calibrations.count, 1);
	assert_close(row_of(&calibrations, "load_w")->value, 650, 1e-12);
	sustained.energy.confidence = "low";
	calibrations = calibrate("cuda", &row, &sustained, 1);
	assert_int_equal(calibrations.count, 0);
	assert_contains(calibrations.refusals[0].reason, "low confidence");
	sustained.energy.confidence = "high";
	sustained.throttled = true;
	assert_int_equal(calibrate("cuda", &row, &sustained, 1).count, 0);
	sustained.throttled = sustained.verified = false; /* a wrong result may need another power */
	calibrations = calibrate("cuda", &row, &sustained, 1);
	assert_int_equal(calibrations.count, 0);
	assert_contains(calibrations.refusals[0].reason, "output was wrong");
}

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
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
		cmocka_unit_test(products_are_taken_together_by_their_time),
		cmocka_unit_test(only_a_library_calibrates_compute),
		cmocka_unit_test(what_cannot_be_trusted_calibrates_nothing),
		cmocka_unit_test(a_second_pass_stands_in_for_the_first),
		cmocka_unit_test(a_well_known_median_calibrates_with_its_interval),
		cmocka_unit_test(a_wide_interval_and_a_trend_are_refused),
		cmocka_unit_test(too_few_repetitions_are_refused),
		cmocka_unit_test(a_fit_is_as_well_known_as_its_sizes),
		cmocka_unit_test(a_cpus_peak_is_the_fastest_that_it_ran),
		cmocka_unit_test(a_figure_above_the_peak_makes_the_peak_suspect),
		cmocka_unit_test(a_precision_without_a_peak_is_refused),
		cmocka_unit_test(a_cpu_gets_its_own_row),
		cmocka_unit_test(a_disturbed_cpu_gets_its_row_and_no_calibration),
		cmocka_unit_test(a_measured_peak_only_rises),
		cmocka_unit_test(a_peak_rises_only_with_its_efficiencies),
		cmocka_unit_test(a_row_that_somebody_entered_stays),
		cmocka_unit_test(without_a_row_nothing_is_calibrated),
		cmocka_unit_test(products_calibrate_by_class),
		cmocka_unit_test(a_plans_products_are_its_own),
		cmocka_unit_test(products_weigh_as_often_as_they_come),
		cmocka_unit_test(products_are_judged_beside_their_memory),
		cmocka_unit_test(no_efficiency_is_above_one),
		cmocka_unit_test(transfers_are_told_apart),
		cmocka_unit_test(another_product_is_no_second_pass),
		cmocka_unit_test(transfers_reductions_and_reads_feed_their_terms),
		cmocka_unit_test(power_that_is_told_with_confidence),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
