/* Tests the tensor kernels of the PTX on PoCL, with their instructions emulated after the manual: the element of the
 * operand in every register, edges, three stages of tiles, and every form of product. */
#include <math.h>

#include "bench/attention.h"
#include "bench/opencl/opencl_session.h"
#include "support/assert.h"
#include "support/pocl.h"

#ifdef __SANITIZE_ADDRESS__
/* PoCL and its LLVM do not free 5.6 MB. The tests on a stand-in library look for leaks in Fleetplan's code. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

static struct bench_session *session;

static char *file_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, 64 * 1024);

	assert_non_null(file);
	assert_non_null(text);
	assert_true(fread(text, 1, 64 * 1024 - 1, file) > 0);
	fclose(file);
	return text;
}

/* Replaces the session's program with the emulated one. The fill kernels stay those of the usual program. */
static int emulate(struct opencl_program **usual)
{
	char *emulated = file_text("tests/bench/tensor_emulated.cl"), *tensor = file_text("bench/kernels/tensor.cl");
	char *cache = file_text("bench/kernels/tensor_cache.cl");
	const char *texts[] = {kernel_source[0], kernel_source[1], emulated, tensor, kernel_source[4], kernel_source[5], cache};
	int code = 0;

	*usual = session->program;
	session->program = session->api->program_create(session->context, COUNT_OF(texts), texts, NULL, &code);
	if (session->program)
		code = session->api->program_build(session->program, 1, &session->id, "-cl-std=CL1.2", NULL, NULL);
	if (code) {
		char log[4096] = "";

		(void)session->api->program_build_info(session->program, session->id, CL_BUILD_LOG, sizeof(log) - 1, log, NULL);
		print_message("%s\n", log);
	}
	free(emulated);
	free(tensor);
	free(cache);
	return code;
}

static int open_session(void **state)
{
	struct opencl_program *usual;

	(void)state;
	session = pocl_session_open(64 * 0x1p20);
	if (!session)
		return 0;
	if (emulate(&usual))
		return 1;
	(void)session->api->program_release(usual);
	return 0;
}

static int close_session(void **state)
{
	(void)state;
	if (session)
		bench_opencl_backend.close(session);
	return 0;
}

static void products_are_right_in_every_form(void **state)
{
	/* One fragment; rows that 16-byte copies fit, over more stages than the pipeline has; rows that they do not fit. */
	static const struct bench_shape shapes[] = {{1, 1, 1}, {16, 8, 16}, {136, 160, 136}, {129, 127, 35}};
	static const enum precision precisions[] = {PRECISION_BF16, PRECISION_FP16};

	(void)state;
	if (!session)
		skip();
	for (size_t i = 0; i < COUNT_OF(precisions) * PRODUCT_COUNT * COUNT_OF(shapes); i++) {
		struct bench_work_request request = {.kind = WORK_GEMM,
			.method = METHOD_KERNEL_GEMM,
			.shape = shapes[i % COUNT_OF(shapes)],
			.product = (enum bench_product)(i / COUNT_OF(shapes) % PRODUCT_COUNT),
			.precision = precisions[i / COUNT_OF(shapes) / PRODUCT_COUNT]};
		struct bench_reason reason = {""};
		struct bench_check check;
		struct bench_work work;

		if (bench_opencl_backend.prepare(session, &request, &work, &reason) != BENCH_OK || work.verify(&work, &check, &reason) != BENCH_OK)
			fail_msg("%s", reason.text);
		if (!check.verified)
			fail_msg("%s %s %d x %d x %d: %g times the error allowed", precision_name(request.precision),
				bench_product_name(request.product), (int)request.shape.m, (int)request.shape.n, (int)request.shape.k, check.worst_error);
		work.release(&work);
	}
}

static double operand(void *context, size_t i)
{
	(void)context;
	return reference_normal(1, i, PRECISION_BF16);
}

/* The result follows double precision. Twice the rounds give twice the sums, and every group has the same sums. */
static void issue_rates_compute_what_they_count(void **state)
{
	enum { GROUPS = 2, ITEMS = GROUPS * KERNEL_GROUP_ITEMS };
	float sums[2][ITEMS];
	double largest = 0;

	(void)state;
	if (!session)
		skip();
	for (uint32_t rounds = 1; rounds <= 2; rounds++) {
		struct opencl_work *made = opencl_work_new(session, &(struct bench_work_request){.kind = WORK_ISSUE_RATE});
		union opencl_value values[3] = {[2] = {.u32 = rounds}};
		struct bench_reason reason;

		assert_int_equal(opencl_work_buffer(made, sizeof(sums[0]), &values[0].memory, &reason), BENCH_OK);
		assert_int_equal(opencl_work_buffer(made, KERNEL_TENSOR_OPERANDS * 2.0, &values[1].memory, &reason), BENCH_OK);
		assert_int_equal(opencl_fill_normal(session, values[1].memory, KERNEL_TENSOR_OPERANDS, 1, PRECISION_BF16, &reason), BENCH_OK);
		assert_int_equal(
			opencl_run_kernel(session, KERNEL_ISSUE_TENSOR_BF16, (struct kernel_groups){GROUPS, 1, 1}, values, &reason), BENCH_OK);
		assert_int_equal(opencl_read(session, values[0].memory, 0, sizeof(sums[0]), sums[rounds - 1], &reason), BENCH_OK);
		opencl_work_free(made);
	}
	for (size_t i = 0; i < ITEMS; i++) {
		double allowed, expected = reference_issue_tensor(i, 2, operand, NULL, &allowed);

		assert_true(fabs((double)sums[1][i] - expected) <= allowed && allowed < 0.01);
		assert_close((double)sums[1][i], 2 * (double)sums[0][i], 1e-3);
		assert_close((double)sums[0][i], (double)sums[0][i % KERNEL_GROUP_ITEMS], 1e-12);
		largest = fmax(largest, fabs((double)sums[0][i]));
	}
	assert_true(largest > 10);
	assert_close(kernel_issue_flops(KERNEL_ISSUE_TENSOR_BF16), 2 * 8 * (2.0 * 16 * 8 * 16), 1e-15);
}

/* --- the cache of keys and values ---------------------------------------------------------------------------------------- */
enum { CACHE_Q, CACHE_K, CACHE_V, CACHE_PARTIAL, CACHE_OUT, CACHE_SEED = 20 };

static double cache_input(void *context, enum attention_place place, size_t i)
{
	const struct opencl_work *made = context;

	return reference_normal(CACHE_SEED + (place == PLACE_Q ? CACHE_Q : place == PLACE_K ? CACHE_K : CACHE_V), i, made->request.precision);
}

static enum bench_outcome cache_read(
	void *context, enum attention_place place, size_t first, size_t count, double *out, struct bench_reason *reason)
{
	struct opencl_work *made = context;
	uint16_t element = 0;

	assert_true(place == PLACE_OUT && count == 1);
	assert_int_equal(opencl_read(session, made->buffers[CACHE_OUT], first * 2, 2, &element, reason), BENCH_OK);
	*out = reference_decode(&element, 0, made->request.precision);
	return BENCH_OK;
}

static void attend(const struct bench_attention *shape, enum precision precision, uint32_t chunk)
{
	const struct attention_extent extent = attention_extent(shape, precision);
	struct opencl_work *made = opencl_work_new(session, &(struct bench_work_request){.attention = *shape, .precision = precision});
	const uint32_t chunks = (uint32_t)((shape->keys + chunk - 1) / chunk), rows = (uint32_t)extent.rows, heads = (uint32_t)extent.batch;
	const double bytes[] = {(double)attention_place_elements(&extent, PLACE_Q) * 2, (double)attention_place_elements(&extent, PLACE_K) * 2,
		(double)attention_place_elements(&extent, PLACE_V) * 2, (double)(extent.batch * extent.rows * (extent.dimension + 2)) * chunks * 4,
		(double)attention_place_elements(&extent, PLACE_OUT) * 2};
	const struct attention_access access = {made, cache_input, cache_read};
	struct bench_check check = {.verified = true};
	struct bench_reason reason = {""};

	for (size_t i = 0; i < COUNT_OF(bytes); i++) {
		struct opencl_memory *buffer;

		assert_int_equal(opencl_work_buffer(made, bytes[i], &buffer, &reason), BENCH_OK);
		if (i <= CACHE_V)
			assert_int_equal(opencl_fill_normal(session, buffer, (uint64_t)(bytes[i] / 2), CACHE_SEED + i, precision, &reason), BENCH_OK);
		else
			assert_int_equal(
				opencl_run_kernel(session, KERNEL_FILL_WORD, (struct kernel_groups){1, 1, 1},
					(const union opencl_value[]){{.memory = buffer}, {.u32 = UINT32_MAX}, {.u64 = (uint64_t)bytes[i] / 16}}, &reason),
				BENCH_OK);
	}
	assert_int_equal(
		opencl_run_kernel(session, kernel_cache_tensor(precision, shape->head_dimension), (struct kernel_groups){chunks, heads, 1},
			(const union opencl_value[]){{.memory = made->buffers[CACHE_PARTIAL]}, {.memory = made->buffers[CACHE_Q]},
				{.memory = made->buffers[CACHE_K]}, {.memory = made->buffers[CACHE_V]}, {.u32 = rows}, {.u32 = (uint32_t)extent.keys},
				{.u32 = chunk}, {.f32 = (float)extent.scale}},
			&reason),
		BENCH_OK);
	assert_int_equal(opencl_run_kernel(session, kernel_cache_merge(precision), (struct kernel_groups){rows, heads, 1},
						 (const union opencl_value[]){{.memory = made->buffers[CACHE_OUT]}, {.memory = made->buffers[CACHE_PARTIAL]},
							 {.u32 = rows}, {.u32 = (uint32_t)extent.dimension}, {.u32 = chunks}},
						 &reason),
		BENCH_OK);
	assert_int_equal(attention_check(&extent, &access, NULL, &check, &reason), BENCH_OK);
	if (!check.verified)
		fail_msg("%d queries, %d keys of %d: %g times the error allowed", (int)extent.rows, (int)extent.keys, (int)extent.dimension,
			check.worst_error);
	opencl_work_free(made);
}

/* More queries than a product has rows. Keys end within a chunk and within a warp's sixteen, and leave warps without
 * keys. */
static void the_cache_is_attended_to(void **state)
{
	(void)state;
	if (!session)
		skip();
	attend(&(struct bench_attention){2, 8, 2, 1, 300, 128, .causal = false}, PRECISION_BF16, 256);
	attend(&(struct bench_attention){1, 20, 1, 1, 129, 64, .causal = false}, PRECISION_FP16, 128);
	attend(&(struct bench_attention){1, 3, 3, 1, 5, 128, .causal = false}, PRECISION_FP16, 128);
	assert_int_equal(kernel_cache_tensor(PRECISION_BF16, 96), KERNEL_COUNT);
	assert_int_equal(kernel_cache_tensor(PRECISION_FP32, 128), KERNEL_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_are_right_in_every_form),
		cmocka_unit_test(issue_rates_compute_what_they_count),
		cmocka_unit_test(the_cache_is_attended_to),
	};

	return cmocka_run_group_tests(tests, open_session, close_session);
}
