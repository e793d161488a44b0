/* The tensor kernels of the PTX on PoCL, their instructions emulated as the manual describes them: which element of which operand
 * every register holds, edges, three stages of tiles, and every form of product. */
#include <math.h>

#include "bench/opencl_session.h"
#include "support/assert.h"
#include "support/pocl.h"

#ifdef __SANITIZE_ADDRESS__
/* PoCL and its LLVM leave 5.6 MB to the end of the process; leaks of ours are looked for where the library is a fake one. */
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

/* The session's program is this one from now on; its fills are the usual ones. */
static int emulate(struct opencl_program **usual)
{
	char *emulated = file_text("tests/bench/tensor_emulated.cl"), *tensor = file_text("bench/kernels/tensor.cl");
	const char *texts[] = {kernel_source[0], kernel_source[1], emulated, tensor};
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
	/* inside one fragment; rows that copies of 16 bytes fit, over more stages than there are; rows that they do not fit */
	static const struct bench_shape shapes[] = {{1, 1, 1}, {16, 8, 16}, {136, 160, 136}, {129, 127, 35}};
	static const enum precision precisions[] = {PRECISION_BF16, PRECISION_FP16};

	(void)state;
	if (!session)
		skip();
	for (size_t i = 0; i < COUNT_OF(precisions) * PRODUCT_COUNT * COUNT_OF(shapes); i++) {
		struct bench_work_request request = {.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .shape = shapes[i % COUNT_OF(shapes)],
			.product = (enum bench_product)(i / COUNT_OF(shapes) % PRODUCT_COUNT), .precision = precisions[i / COUNT_OF(shapes) / PRODUCT_COUNT]};
		struct bench_reason reason = {""};
		struct bench_check check;
		struct bench_work work;

		if (bench_opencl_backend.prepare(session, &request, &work, &reason) != BENCH_OK || work.verify(&work, &check, &reason) != BENCH_OK)
			fail_msg("%s", reason.text);
		if (!check.verified)
			fail_msg("%s %s %d x %d x %d: %g times the error allowed", precision_name(request.precision), bench_product_name(request.product),
				(int)request.shape.m, (int)request.shape.n, (int)request.shape.k, check.worst_error);
		work.release(&work);
	}
}

/* Twice the rounds are twice the sums, and every group has the same. */
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
		assert_int_equal(opencl_run_kernel(session, KERNEL_ISSUE_TENSOR_BF16, (struct kernel_groups){GROUPS, 1, 1}, values, &reason), BENCH_OK);
		assert_int_equal(opencl_read(session, values[0].memory, 0, sizeof(sums[0]), sums[rounds - 1], &reason), BENCH_OK);
		opencl_work_free(made);
	}
	for (size_t i = 0; i < ITEMS; i++) {
		assert_close((double)sums[1][i], 2 * (double)sums[0][i], 1e-3);
		assert_close((double)sums[0][i], (double)sums[0][i % KERNEL_GROUP_ITEMS], 1e-12);
		largest = fmax(largest, fabs((double)sums[0][i]));
	}
	assert_true(largest > 10);
	assert_close(kernel_issue_flops(KERNEL_ISSUE_TENSOR_BF16), 2 * 8 * (2.0 * 16 * 8 * 16), 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_are_right_in_every_form),
		cmocka_unit_test(issue_rates_compute_what_they_count),
	};

	return cmocka_run_group_tests(tests, open_session, close_session);
}
