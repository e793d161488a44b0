/* Tests the kernels in the program: every PTX entry with its arguments, families, groups; and the reference. */
#include <math.h>

#include "bench/kernels.h"
#include "bench/random.h"
#include "bench/reference.h"
#include "support/assert.h"

static size_t entries_in(const char *ptx)
{
	size_t count = 0;

	for (const char *at = ptx; (at = strstr(at, ".visible .entry ")) != NULL; at++)
		count++;
	return count;
}

/* Compares the entry's arguments with the table: the same number, order and types. */
static void compare_arguments(const char *ptx, const struct kernel_entry *entry)
{
	static const char *const types[] = {[KERNEL_POINTER] = ".u64", [KERNEL_U32] = ".u32", [KERNEL_U64] = ".u64", [KERNEL_F32] = ".f32"};
	char start[96];
	const char *at, *end;

	snprintf(start, sizeof(start), ".visible .entry %s(", entry->name);
	at = strstr(ptx, start);
	if (!at)
		fail_msg("no entry %s", entry->name);
	end = strchr(at, ')');
	for (size_t i = 0; entry->arguments[i] != KERNEL_END; i++) {
		at = strstr(at, ".param ");
		if (!at || at > end)
			fail_msg("%s: argument %zu is missing", entry->name, i);
		at += strlen(".param ");
		if (strncmp(at, types[entry->arguments[i]], 4) != 0)
			fail_msg("%s: argument %zu is %.4s and not %s", entry->name, i, at, types[entry->arguments[i]]);
	}
	at = strstr(at, ".param ");
	assert_true(!at || at > end);
}

static void ptx_has_the_entries_of_the_table(void **state)
{
	static const char *const targets[] = {[KERNEL_PTX_60] = ".target sm_60", [KERNEL_PTX_80] = ".target sm_80"};

	(void)state;
	for (enum kernel_blob blob = 0; blob < KERNEL_BLOB_COUNT; blob++) {
		const char *ptx = kernel_ptx(blob);
		size_t expected = 0;

		assert_contains(ptx, targets[blob]);
		assert_null(strstr(ptx, ".extern"));
		for (enum kernel kernel = 0; kernel < KERNEL_COUNT; kernel++) {
			const struct kernel_entry *entry = &kernel_entries[kernel];

			if (!(blob == KERNEL_PTX_80 ? entry->ptx_80 : entry->ptx_60))
				continue;
			compare_arguments(ptx, entry);
			expected++;
		}
		assert_int_equal(entries_in(ptx), expected);
	}
	/* The two texts differ: only that of sm_80 uses tensor instructions for products in bf16. */
	assert_null(strstr(kernel_ptx(KERNEL_PTX_60), "mma.sync"));
	assert_non_null(strstr(kernel_ptx(KERNEL_PTX_80), "mma.sync"));
}

static void entries_are_found_by_precision_and_product(void **state)
{
	const struct bench_shape shape = {129, 128, 7};
	struct kernel_groups groups = kernel_gemm_groups(&shape, 3), rows = kernel_row_groups(100000);

	(void)state;
	assert_string_equal(kernel_entries[kernel_gemm(PRECISION_BF16, PRODUCT_WEIGHT_GRADIENT)].name, "gemm_bf16_tn");
	assert_string_equal(kernel_entries[kernel_gemm(PRECISION_FP16, PRODUCT_INPUT_GRADIENT)].name, "gemm_fp16_nt");
	assert_string_equal(kernel_entries[kernel_gemm(PRECISION_FP32, PRODUCT_FORWARD)].name, "gemm_fp32_nn");
	assert_string_equal(kernel_entries[kernel_softmax(PRECISION_FP16)].name, "softmax_fp16");
	assert_string_equal(kernel_entries[kernel_softmax_gradient(PRECISION_BF16)].name, "softmax_gradient_bf16");
	assert_int_equal(kernel_gemm(PRECISION_FP8, PRODUCT_FORWARD), KERNEL_COUNT);
	assert_true(groups.x == 1 && groups.y == 2 && groups.z == 3);
	assert_true((uint64_t)rows.x * rows.y >= 100000 && rows.x < 65536 && rows.y < 65536);
	assert_true(kernel_row_groups(5).x == 5 && kernel_row_groups(5).y == 1);
}

/* The compiler's own conversion, which is independent code, gives the expected rounding. */
static void operands_are_those_of_the_host(void **state)
{
	float normals[4096];

	(void)state;
	random_fill_normal(normals, COUNT_OF(normals), 42);
	for (size_t i = 0; i < COUNT_OF(normals); i++) {
		uint32_t bits;
		float wide;

		assert_close(reference_normal(42, i, PRECISION_FP32), (double)normals[i], 0);
		memcpy(&bits, &normals[i], sizeof(bits));
		bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
		memcpy(&wide, &bits, sizeof(wide));
		assert_close(reference_normal(42, i, PRECISION_BF16), (double)wide, 0);
		assert_true(fabs(reference_normal(42, i, PRECISION_FP16) - (double)normals[i]) <= 0x1p-11 * fabs((double)normals[i]) + 0x1p-25);
	}
	assert_close(reference_decode(&(uint16_t){0x3c00}, 0, PRECISION_FP16), 1, 0);
	assert_close(reference_decode(&(uint16_t){0xc100}, 0, PRECISION_FP16), -2.5, 0);
	assert_close(reference_decode(&(uint16_t){0x0001}, 0, PRECISION_FP16), 0x1p-24, 0);
	assert_true(
		isnan(reference_decode(&(uint16_t){0xffff}, 0, PRECISION_FP16)) && isnan(reference_decode(&(uint16_t){0xffff}, 0, PRECISION_BF16)));
	assert_close(reference_decode(&(uint16_t){0x4049}, 0, PRECISION_BF16), 3.140625, 0);
}

static void sums_of_the_pattern_repeat(void **state)
{
	uint32_t sum = 0, bits;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		float value = reference_pattern(REFERENCE_PATTERN_PERIOD + i);

		assert_true(value >= 1 && value < 2);
		memcpy(&bits, &value, sizeof(bits));
		sum += bits;
	}
	assert_int_equal(reference_pattern_sum(1000), sum);
	assert_int_equal(reference_pattern_sum(REFERENCE_PATTERN_PERIOD + 1000), reference_pattern_sum(REFERENCE_PATTERN_PERIOD) + sum);
}

/* The definition C = A B gives the expected values, on operands from the same list. */
static void products_are_those_of_the_definition(void **state)
{
	struct reference_product product = {.shape = {3, 2, 2}, .precision = PRECISION_FP32, .seed_a = 5, .seed_b = 6, .scale = 2};
	double a[6], b[4], allowed;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		a[i] = reference_normal(5, i, PRECISION_FP32);
	for (size_t i = 0; i < 4; i++)
		b[i] = reference_normal(6, i, PRECISION_FP32);
	product.product = PRODUCT_FORWARD; /* A 3 x 2, B 2 x 2 */
	assert_close(reference_gemm(&product, 0, 2, 1, &allowed), 2 * (a[4] * b[1] + a[5] * b[3]), 1e-12);
	product.product = PRODUCT_INPUT_GRADIENT; /* B 2 x 2, transposed */
	assert_close(reference_gemm(&product, 0, 2, 1, &allowed), 2 * (a[4] * b[2] + a[5] * b[3]), 1e-12);
	product.product = PRODUCT_WEIGHT_GRADIENT; /* A 2 x 3, transposed */
	assert_close(reference_gemm(&product, 0, 2, 1, &allowed), 2 * (a[2] * b[1] + a[5] * b[3]), 1e-12);
	assert_true(allowed > 0 && allowed < 1e-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ptx_has_the_entries_of_the_table),
		cmocka_unit_test(entries_are_found_by_precision_and_product),
		cmocka_unit_test(operands_are_those_of_the_host),
		cmocka_unit_test(sums_of_the_pattern_repeat),
		cmocka_unit_test(products_are_those_of_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
