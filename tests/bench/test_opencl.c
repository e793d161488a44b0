/* Tests the opencl backend on PoCL: every kernel against double precision at odd sizes, every kind of work, and wrong
 * outputs. */
#include <math.h>

#include "bench/opencl/opencl_session.h"
#include "support/assert.h"
#include "support/pocl.h"

/* A small memory limits the arrays, so the whole suite is quick. */
#define TEST_MEMORY_BYTES (64 * 0x1p20)

#ifdef __SANITIZE_ADDRESS__
/* PoCL and its LLVM do not free 5.6 MB. The tests on a stand-in library look for leaks in Fleetplan's code. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

static struct bench_session *session;

static int open_session(void **state)
{
	(void)state;
	session = pocl_session_open(TEST_MEMORY_BYTES);
	return 0;
}

static int close_session(void **state)
{
	(void)state;
	if (session)
		bench_opencl_backend.close(session);
	return 0;
}

static void need_session(void)
{
	if (!session)
		skip();
}

/* Prepares, verifies and runs. Returns the check. */
static struct bench_check measure(const struct bench_work_request *request)
{
	struct bench_reason reason = {""};
	struct bench_check check = {0};
	struct bench_work work;
	double elapsed_s = 0, free_bytes = session->free_bytes;

	if (bench_opencl_backend.prepare(session, request, &work, &reason) != BENCH_OK || work.verify(&work, &check, &reason) != BENCH_OK ||
		work.run(&work, &elapsed_s, &reason) != BENCH_OK)
		fail_msg("%s: %s", bench_work_kind_name(request->kind), reason.text);
	assert_true(elapsed_s > 0);
	assert_true(check.samples > 0);
	if (!check.verified)
		fail_msg("%s: %g times the error allowed", bench_work_kind_name(request->kind), check.worst_error);
	work.release(&work);
	if (!request->cold)
		assert_close(session->free_bytes, free_bytes, 1e-12);
	return check;
}

static void products_are_right_in_every_form(void **state)
{
	/* below, at and beyond the edges of tiles of 128 and depths of 8 */
	static const struct bench_shape shapes[] = {{1, 1, 1}, {129, 127, 9}, {70, 200, 33}, {128, 128, 64}};
	static const enum precision precisions[] = {PRECISION_FP32, PRECISION_BF16, PRECISION_FP16};

	(void)state;
	need_session();
	for (size_t p = 0; p < COUNT_OF(precisions); p++)
		for (enum bench_product product = 0; product < PRODUCT_COUNT; product++)
			for (size_t s = 0; s < COUNT_OF(shapes); s++)
				(void)measure(&(struct bench_work_request){
					.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = precisions[p], .product = product, .shape = shapes[s]});
}

static void attention_is_right_forward_and_backward(void **state)
{
	static const struct bench_attention shapes[] = {{2, 4, 2, 9, 300, 24, .causal = true}, {1, 2, 2, 5, 17, 8, .causal = false},
		{2, 4, 2, 9, 140, 24, .causal = true, .backward = true}, {1, 3, 1, 33, 33, 16, .backward = true}};
	static const enum precision precisions[] = {PRECISION_FP32, PRECISION_BF16, PRECISION_FP16};

	(void)state;
	need_session();
	for (size_t p = 0; p < COUNT_OF(precisions); p++)
		for (size_t s = 0; s < COUNT_OF(shapes); s++)
			(void)measure(&(struct bench_work_request){
				.kind = WORK_ATTENTION, .method = METHOD_KERNEL_ATTENTION, .precision = precisions[p], .attention = shapes[s]});
}

static void every_kind_of_work_is_verified(void **state)
{
	static const struct bench_work_request requests[] = {
		{.kind = WORK_LAUNCH, .method = METHOD_DRIVER_LAUNCH},
		{.kind = WORK_LAUNCH_PIPELINED, .method = METHOD_DRIVER_LAUNCH},
		{.kind = WORK_STREAM_READ, .method = METHOD_STREAM},
		{.kind = WORK_STREAM_COPY, .method = METHOD_STREAM},
		{.kind = WORK_STREAM_TRIAD, .method = METHOD_STREAM},
		{.kind = WORK_ELEMENTWISE, .method = METHOD_STREAM, .bytes = 100008},
		{.kind = WORK_KV_READ, .method = METHOD_STREAM, .precision = PRECISION_BF16, .attention = {2, 4, 2, 1, 77, 24, .causal = false}},
		{.kind = WORK_KV_READ, .method = METHOD_STREAM, .precision = PRECISION_FP32, .attention = {1, 20, 2, 1, 300, 64, .causal = false}},
		{.kind = WORK_KV_READ, .method = METHOD_STREAM, .precision = PRECISION_FP16, .attention = {2, 8, 8, 1, 257, 128, .causal = false}},
		{.kind = WORK_KV_READ, .method = METHOD_STREAM, .precision = PRECISION_INT8, .attention = {2, 8, 8, 1, 257, 128, .causal = false}},
		{.kind = WORK_ISSUE_RATE, .method = METHOD_ISSUE_RATE, .precision = PRECISION_FP32},
	};

	(void)state;
	need_session();
	for (size_t i = 0; i < COUNT_OF(requests); i++)
		(void)measure(&requests[i]);
}

/* There are fewer work-items than vectors, as on CUDA. Each item takes several vectors, four or two at a time, and the
 * rest one by one. */
static void lists_longer_than_the_grid_are_done_whole(void **state)
{
	enum { VECTORS = 3 * KERNEL_GROUP_ITEMS * 5 + 77, COUNT = VECTORS * 4 };
	static const enum kernel kernels[] = {KERNEL_STREAM_COPY, KERNEL_STREAM_TRIAD, KERNEL_ELEMENTWISE};
	static float out[COUNT];
	struct opencl_work *made;
	struct opencl_memory *buffers[3];
	struct bench_reason reason = {""};

	(void)state;
	need_session();
	made = opencl_work_new(session, &(struct bench_work_request){.kind = WORK_STREAM_COPY});
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(opencl_work_buffer(made, sizeof(out), &buffers[i], &reason), BENCH_OK);
	assert_int_equal(opencl_fill_pattern(session, buffers[1], COUNT, &reason), BENCH_OK);
	assert_int_equal(opencl_fill_normal(session, buffers[2], COUNT, 9, PRECISION_FP32, &reason), BENCH_OK);
	for (size_t k = 0; k < COUNT_OF(kernels); k++) {
		const union opencl_value copy[] = {{.memory = buffers[0]}, {.memory = buffers[1]}, {.u64 = VECTORS}};
		const union opencl_value triad[] = {
			{.memory = buffers[0]}, {.memory = buffers[1]}, {.memory = buffers[2]}, {.f32 = 2}, {.u64 = VECTORS}};
		const union opencl_value scale[] = {{.memory = buffers[0]}, {.memory = buffers[1]}, {.f32 = 2}, {.u64 = VECTORS}};
		const union opencl_value *const values[] = {copy, triad, scale};

		assert_int_equal(opencl_run_kernel(session, kernels[k], (struct kernel_groups){3, 1, 1}, values[k], &reason), BENCH_OK);
		assert_int_equal(opencl_read(session, buffers[0], 0, sizeof(out), out, &reason), BENCH_OK);
		for (size_t i = 0; i < COUNT; i++) {
			double x = (double)reference_pattern(i),
				   expected = k == 0 ? x
				: k == 1             ? x + 2 * reference_normal(9, i, PRECISION_FP32)
									 : 2 * x + 1;

			if (!(fabs((double)out[i] - expected) <= 1e-6))
				fail_msg("%s: element %zu is %g and not %g", kernel_entries[kernels[k]].name, i, (double)out[i], expected);
		}
	}
	opencl_work_free(made);
}

static void transfers_bring_what_was_sent(void **state)
{
	(void)state;
	need_session();
	for (enum bench_direction direction = 0; direction < DIRECTION_COUNT; direction++)
		for (int pinned = 0; pinned < 2; pinned++) {
			(void)measure(&(struct bench_work_request){.kind = WORK_TRANSFER,
				.method = METHOD_COPY_ENGINE,
				.transfer = {.direction = direction, .pinned = pinned, .bytes = 6 * 0x1p20 + 4}});
			(void)measure(&(struct bench_work_request){
				.kind = WORK_TRANSFER, .method = METHOD_COPY_ENGINE, .transfer = {.direction = direction, .pinned = pinned, .bytes = 3}});
		}
}

static void a_sequence_is_the_sum_of_its_parts(void **state)
{
	static const struct bench_work_request parts[] = {
		{.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_FP32, .shape = {64, 32, 16}},
		{.kind = WORK_ELEMENTWISE, .method = METHOD_STREAM, .bytes = 4096},
		{.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_FP32, .shape = {64, 32, 16}},
	};
	struct bench_work_request request = {.kind = WORK_SEQUENCE, .method = METHOD_SEQUENCE, .parts = parts, .part_count = COUNT_OF(parts)};
	struct bench_reason reason = {""};
	struct bench_work work;

	(void)state;
	need_session();
	(void)measure(&request);
	assert_int_equal(bench_opencl_backend.prepare(session, &request, &work, &reason), BENCH_OK);
	assert_close(work.flops, 2 * 2.0 * 64 * 32 * 16, 1e-15);
	assert_close(work.bytes, 4096, 1e-15);
	work.release(&work);
	request.parts = &(struct bench_work_request){.kind = WORK_SEQUENCE};
	request.part_count = 1;
	assert_int_equal(bench_opencl_backend.prepare(session, &request, &work, &reason), BENCH_UNSUPPORTED);
}

/* The check finds poison that no kernel overwrote, and one wrong element among right ones. */
static void wrong_outputs_are_found(void **state)
{
	struct bench_work_request request = {.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_FP32, .shape = {4, 4, 8}};
	struct bench_reason reason = {""};
	struct opencl_work *made;
	struct bench_check check;
	struct bench_work work;

	(void)state;
	need_session();
	assert_int_equal(bench_opencl_backend.prepare(session, &request, &work, &reason), BENCH_OK);
	made = work.state;
	assert_int_equal(opencl_fill_normal(session, made->buffers[1], 1, 99, PRECISION_FP32, &reason), BENCH_OK);
	assert_int_equal(work.verify(&work, &check, &reason), BENCH_OK);
	assert_false(check.verified);
	work.release(&work);
	check = (struct bench_check){.verified = true};
	reference_compare(&check, (double)NAN, 1, 1);
	assert_false(check.verified);
}

static void caches_are_flushed_where_asked(void **state)
{
	struct bench_work_request request = {.kind = WORK_ELEMENTWISE, .method = METHOD_STREAM, .bytes = 4096, .cold = true};
	struct bench_reason reason;
	size_t cache_bytes;
	float element = 1;

	(void)state;
	need_session();
	cache_bytes = session->cache_bytes;
	session->cache_bytes = 1 << 20; /* the flush is twice as large */
	(void)measure(&request);
	assert_non_null(session->flush);
	assert_int_equal(opencl_fill_pattern(session, session->flush, (2 << 20) / sizeof(element), &reason), BENCH_OK);
	(void)measure(&request); /* overwrites all of it */
	assert_int_equal(opencl_read(session, session->flush, (2 << 20) - sizeof(element), sizeof(element), &element, &reason), BENCH_OK);
	assert_close((double)element, 0, 0);
	session->cache_bytes = cache_bytes;
}

static void what_cannot_be_is_refused_with_a_reason(void **state)
{
	static const struct {
		struct bench_work_request request;
		const char *reason;
	} cases[] = {
		{{.kind = WORK_GEMM, .method = METHOD_LIBRARY_GEMM, .precision = PRECISION_FP32, .shape = {8, 8, 8}}, "library"},
		{{.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_FP8, .shape = {8, 8, 8}}, "fp8"},
		{{.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_FP32, .shape = {1 << 19, 1 << 19, 8}}, "MiB"},
		{{.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_FP32, .shape = {0, 8, 8}}, "sides"},
		{{.kind = WORK_ATTENTION,
			 .method = METHOD_KERNEL_ATTENTION,
			 .precision = PRECISION_FP32,
			 .attention = {1, 3, 2, 4, 4, 8, .causal = false}},
			"kv_heads"},
		{{.kind = WORK_ATTENTION, .method = METHOD_KERNEL_ATTENTION, .precision = PRECISION_FP32, .attention = {1, 2, 2, 8, 4, 8, .causal = true}},
			"queries"},
		{{.kind = WORK_ISSUE_RATE, .method = METHOD_ISSUE_RATE, .precision = PRECISION_BF16}, "bf16"},
		{{.kind = WORK_LAUNCH_GRAPH, .method = METHOD_DRIVER_LAUNCH}, "cannot record launches"},
		{{.kind = WORK_ALL_REDUCE, .method = METHOD_COLLECTIVE_LIBRARY}, "between devices"},
	};

	(void)state;
	need_session();
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		double free_bytes = session->free_bytes;
		struct bench_reason reason = {""};
		struct bench_work work;

		assert_int_equal(bench_opencl_backend.prepare(session, &cases[i].request, &work, &reason), BENCH_UNSUPPORTED);
		assert_contains(reason.text, cases[i].reason);
		assert_close(session->free_bytes, free_bytes, 1e-12);
	}
}

static void the_device_says_what_it_is(void **state)
{
	(void)state;
	need_session();
	assert_memory_equal(session->device.id, "opencl-", 7);
	assert_true(bench_device_knows(&session->device, DEVICE_UUID) && bench_device_knows(&session->device, DEVICE_UNITS));
	assert_false(bench_device_knows(&session->device, DEVICE_ACCELERATOR)); /* a CPU through OpenCL calibrates nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_are_right_in_every_form),
		cmocka_unit_test(attention_is_right_forward_and_backward),
		cmocka_unit_test(every_kind_of_work_is_verified),
		cmocka_unit_test(lists_longer_than_the_grid_are_done_whole),
		cmocka_unit_test(transfers_bring_what_was_sent),
		cmocka_unit_test(a_sequence_is_the_sum_of_its_parts),
		cmocka_unit_test(wrong_outputs_are_found),
		cmocka_unit_test(caches_are_flushed_where_asked),
		cmocka_unit_test(what_cannot_be_is_refused_with_a_reason),
		cmocka_unit_test(the_device_says_what_it_is),
	};

	return cmocka_run_group_tests(tests, open_session, close_session);
}
