/* Accelerators: the rate that a number format falls back to, capacity, links and power. */
#include <math.h>

#include "planner/hardware/accelerator.h"
#include "support/assert.h"

/* Returns an accelerator whose optional figures are absent. A test sets those it needs. */
static struct accelerator unknown(void)
{
	return (struct accelerator){.id = "test",
		.memory_gb = 80,
		.memory_usable_bytes = ABSENT_NUMBER,
		.memory_bandwidth_gbs = 2000,
		.tflops_fp64 = ABSENT_NUMBER,
		.tflops_fp32 = ABSENT_NUMBER,
		.tflops_tf32 = ABSENT_NUMBER,
		.tflops_bf16 = ABSENT_NUMBER,
		.tflops_fp16 = ABSENT_NUMBER,
		.tflops_fp8 = ABSENT_NUMBER,
		.tops_int8 = ABSENT_NUMBER,
		.tflops_fp4 = ABSENT_NUMBER,
		.tdp_w = 400,
		.idle_w = ABSENT_NUMBER,
		.interconnect_gbs = ABSENT_NUMBER,
		.pcie_gen = ABSENT_COUNT,
		.max_nvlink_domain = ABSENT_COUNT};
}

static void formats_fall_back_to_wider_ones(void **state)
{
	struct accelerator a100 = unknown(), v100 = unknown(), b200 = unknown(), nothing = unknown();
	enum precision used;

	(void)state;
	a100.tflops_bf16 = a100.tflops_fp16 = 312;
	a100.tflops_tf32 = 156;
	a100.tflops_fp32 = 19.5;
	a100.tops_int8 = 624;
	assert_close(accelerator_peak_flops_per_s(&a100, PRECISION_FP8, &used), 312e12, 1e-12);
	assert_int_equal(used, PRECISION_BF16);
	assert_close(accelerator_peak_flops_per_s(&a100, PRECISION_INT8, &used), 624e12, 1e-12);
	assert_int_equal(used, PRECISION_INT8);
	assert_close(accelerator_peak_flops_per_s(&a100, PRECISION_INT4, &used), 312e12, 1e-12);
	assert_int_equal(used, PRECISION_BF16);
	assert_close(accelerator_peak_flops_per_s(&a100, PRECISION_TF32, NULL), 156e12, 1e-12);
	v100.tflops_fp16 = 125;
	v100.tflops_fp32 = 15.7;
	assert_close(accelerator_peak_flops_per_s(&v100, PRECISION_BF16, &used), 125e12, 1e-12);
	assert_int_equal(used, PRECISION_FP16);
	assert_close(accelerator_peak_flops_per_s(&v100, PRECISION_TF32, &used), 15.7e12, 1e-12);
	assert_int_equal(accelerator_training_precision(&v100), PRECISION_FP16);
	assert_int_equal(accelerator_training_precision(&a100), PRECISION_BF16);
	b200 = a100;
	b200.tflops_fp8 = 4500;
	assert_close(accelerator_peak_flops_per_s(&b200, PRECISION_NVFP4, &used), 312e12, 1e-12); /* widened to 16 bits, not to 8 */
	b200.tflops_fp4 = 9000;
	assert_close(accelerator_peak_flops_per_s(&b200, PRECISION_MXFP4, &used), 9000e12, 1e-12);
	assert_close(accelerator_peak_flops_per_s(&b200, PRECISION_MXFP8, &used), 4500e12, 1e-12);
	b200.tops_int8 = 153.5; /* the rate of a B300: slower than 16 bits, so weights are widened */
	assert_close(
		accelerator_peak_flops_per_s(&b200, PRECISION_INT8, &used), accelerator_peak_flops_per_s(&b200, PRECISION_BF16, NULL), 1e-12);
	assert_int_equal(used, PRECISION_BF16);
	assert_close(accelerator_peak_flops_per_s(&nothing, PRECISION_FP32, &used), 0, 1e-12);
	assert_int_equal(used, PRECISION_UNSET);
	assert_int_equal(accelerator_training_precision(&nothing), PRECISION_FP32);
}

static void capacity_is_what_the_driver_reports(void **state)
{
	struct accelerator accelerator = unknown();

	(void)state;
	assert_close(accelerator_capacity_bytes(&accelerator), 80e9, 1e-12);
	accelerator.memory_usable_bytes = 85.5e9;
	assert_close(accelerator_capacity_bytes(&accelerator), 85.5e9, 1e-12);
	assert_close(accelerator_bandwidth_bytes_per_s(&accelerator), 2e12, 1e-12);
}

static void links_are_one_direction(void **state)
{
	struct accelerator accelerator = unknown();

	(void)state;
	accelerator.interconnect_gbs = 900;
	assert_close(accelerator_link_bytes_per_s(&accelerator), 450e9, 1e-12);
	accelerator.interconnect_gbs = ABSENT_NUMBER;
	accelerator.pcie_gen = 3;
	assert_close(accelerator_link_bytes_per_s(&accelerator), 15.754e9 * 256 / 280, 1e-12);
	accelerator.pcie_gen = 5;
	assert_close(accelerator_link_bytes_per_s(&accelerator), 63.016e9 * 256 / 280, 1e-12);
	accelerator.pcie_gen = ABSENT_COUNT; /* the oldest generation in the catalogue */
	assert_close(accelerator_link_bytes_per_s(&accelerator), 15.754e9 * 256 / 280, 1e-12);
}

static void power_is_stated_or_estimated_with_a_range(void **state)
{
	struct accelerator accelerator = unknown();
	const char *source;
	double low, high;

	(void)state;
	accelerator.source = "its row";
	assert_close(accelerator_load_w(&accelerator, &low, &high, &source), 400, 1e-12);
	assert_string_equal(source, "its row");
	assert_close(accelerator_idle_w(&accelerator, &low, &high, &source), 47.2, 1e-12);
	assert_true(low < 47.2 && high > 47.2);
	assert_contains(source, "E62");
	accelerator.tdp_w = ABSENT_NUMBER;
	accelerator.tflops_bf16 = 142;
	assert_close(accelerator_load_w(&accelerator, &low, &high, &source), 100, 1e-12);
	assert_true(low < 100 && high > 100);
	assert_contains(source, "E61");
	accelerator.idle_w = 20;
	accelerator.source = NULL;
	assert_close(accelerator_idle_w(&accelerator, &low, &high, &source), 20, 1e-12);
	assert_true(low == 20 && high == 20 && source != NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(formats_fall_back_to_wider_ones),
	cmocka_unit_test(capacity_is_what_the_driver_reports),
	cmocka_unit_test(links_are_one_direction),
	cmocka_unit_test(power_is_stated_or_estimated_with_a_range),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
