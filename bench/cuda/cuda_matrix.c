/* Matrix products of the cuda backend. */
#include <math.h>

#include "bench/cuda/cuda_product.h"
#include "bench/random.h"

enum { SIDE_MAX = 1 << 22 };

struct matrix_work {
	struct cuda_work work;
	struct cuda_product product;
	enum cuda_format input, output;
};

static void operands_of(const struct matrix_work *matrix, cuda_pointer a_b_c[3])
{
	const struct bench_session *session = matrix->work.session;

	a_b_c[0] = cuda_operand(session, ROLE_A, matrix->input);
	a_b_c[1] = cuda_operand(session, ROLE_B, matrix->input);
	a_b_c[2] = cuda_operand(session, ROLE_C, matrix->output);
}

static enum bench_outcome matrix_enqueue(struct cuda_work *work, struct bench_reason *reason)
{
	struct matrix_work *matrix = (struct matrix_work *)work;
	cuda_pointer a_b_c[3];

	operands_of(matrix, a_b_c);
	return cuda_product_enqueue(&matrix->product, work->session, a_b_c, reason);
}

static enum bench_outcome matrix_poison(struct cuda_work *work, struct bench_reason *reason)
{
	struct matrix_work *matrix = (struct matrix_work *)work;
	const struct bench_shape *shape = &matrix->product.request.shape;

	return cuda_operand_poison(work->session, cuda_operand(work->session, ROLE_C, matrix->output),
		(size_t)(shape->m * shape->n) * cuda_format_bytes(matrix->output), reason);
}

/* Index of element (i, p) of A; b_at(): of element (p, j) of B. */
static size_t a_at(const struct cuda_matmul_request *request, size_t i, size_t p)
{
	bool turned = request->product == PRODUCT_WEIGHT_GRADIENT && !cuda_matmul_depth_innermost(request->precision);

	return turned ? p * (size_t)request->shape.m + i : i * (size_t)request->shape.k + p;
}

static size_t b_at(const struct cuda_matmul_request *request, size_t p, size_t j)
{
	bool turned = request->product == PRODUCT_INPUT_GRADIENT || cuda_matmul_depth_innermost(request->precision);

	return turned ? j * (size_t)request->shape.k + p : p * (size_t)request->shape.n + j;
}

/* The allowed difference of an output from the sum in double precision. It includes the inputs' rounding where
 * tensor cores truncate them (TF32), the rounding of fp32 sums, which grows with the root of k (fewer bits for FP8
 * with fast accumulation), and the output's rounding. A missing row, column or tile of products is far outside. */
static double allowed_error(const struct matrix_work *matrix, double sum, double magnitude)
{
	const struct cuda_matmul_request *request = &matrix->product.request;
	double terms = sqrt((double)request->shape.k), adding = request->precision == PRECISION_FP8 ? 0x1p-12 : 4 * 0x1p-24;
	double mean = magnitude / terms; /* the sum of the products' errors, which have both signs */

	if (request->precision == PRECISION_INT8)
		return 0.5; /* whole numbers are exact */
	if (request->precision == PRECISION_TF32)
		adding += 8 * 0x1p-11 / terms;
	return adding * magnitude + cuda_format_epsilon(request->precision, matrix->output) * (fabs(sum) + mean * 0x1p-8);
}

static enum bench_outcome check_element(struct matrix_work *matrix, size_t i, size_t j, struct bench_check *check, struct bench_reason *reason)
{
	struct bench_session *session = matrix->work.session;
	const struct cuda_matmul_request *request = &matrix->product.request;
	double sum = 0, magnitude = 0, value, error;
	enum bench_outcome outcome = cuda_output_read(
		session, cuda_operand(session, ROLE_C, matrix->output), matrix->output, i * (size_t)request->shape.n + j, &value, reason);

	for (size_t p = 0; p < (size_t)request->shape.k; p++) {
		double product = cuda_input_value(ROLE_A, matrix->input, a_at(request, i, p)) *
			cuda_input_value(ROLE_B, matrix->input, b_at(request, p, j));

		sum += product;
		magnitude += fabs(product);
	}
	error = fabs(value - sum) / allowed_error(matrix, sum, magnitude);
	if (!(error <= 1)) /* true for NaN, the poison, too */
		check->verified = false;
	if (!(error <= check->worst_error))
		check->worst_error = error;
	return outcome;
}

static enum bench_outcome matrix_check(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct matrix_work *matrix = (struct matrix_work *)work;
	const struct bench_shape *shape = &matrix->product.request.shape;
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	*check = (struct bench_check){.verified = true, .samples = CUDA_SAMPLES};
	for (int s = 0; s < CUDA_SAMPLES && outcome == BENCH_OK; s++) {
		size_t i = s == 1 ? (size_t)shape->m - 1 : random_next(&seed) % (size_t)shape->m;
		size_t j = s == 1 ? (size_t)shape->n - 1 : random_next(&seed) % (size_t)shape->n;

		outcome = check_element(matrix, i, j, check, reason);
	}
	return outcome;
}

static void matrix_release(struct cuda_work *work)
{
	cuda_product_close(&((struct matrix_work *)work)->product, work->session);
}

static enum bench_outcome shape_check(const struct bench_work_request *request, struct bench_reason *reason)
{
	const struct bench_shape *shape = &request->shape;

	if (shape->m < 1 || shape->n < 1 || shape->k < 1 || shape->m > SIDE_MAX || shape->n > SIDE_MAX || shape->k > SIDE_MAX)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the sides of a matrix must be 1 to %d", SIDE_MAX);
	if (cuda_format_of_input(request->precision) == FORMAT_COUNT)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cuda backend does not multiply in %s", precision_name(request->precision));
	return BENCH_OK;
}

static enum bench_outcome matrix_memory(
	struct bench_session *session, const struct bench_work_request *request, const struct matrix_work *matrix, struct bench_reason *reason)
{
	const struct bench_shape *shape = &request->shape;
	enum bench_outcome outcome = cuda_operand_need(session, ROLE_A, matrix->input, (size_t)(shape->m * shape->k), reason);

	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_B, matrix->input, (size_t)(shape->k * shape->n), reason);
	return outcome == BENCH_OK ? cuda_operand_need(session, ROLE_C, matrix->output, (size_t)(shape->m * shape->n), reason) : outcome;
}

CUDA_PREPARE(cuda_matrix_prepare)
{
	const struct bench_shape *shape = &request->shape;
	struct cuda_matmul_request wanted = {
		.shape = *shape, .product = request->product, .precision = request->precision, .scale = 1, .batch = 1};
	enum bench_outcome outcome = shape_check(request, reason);
	struct matrix_work *matrix = outcome == BENCH_OK ? cuda_work_new(session, request, sizeof(*matrix), reason) : NULL;
	cuda_pointer a_b_c[3];

	if (!matrix)
		return outcome == BENCH_OK ? BENCH_FAILED : outcome;
	matrix->input = cuda_format_of_input(request->precision);
	matrix->output = cuda_format_of_output(request->precision);
	matrix->work.enqueue = matrix_enqueue;
	matrix->work.poison = matrix_poison;
	matrix->work.check = matrix_check;
	matrix->work.release = matrix_release;
	outcome = matrix_memory(session, request, matrix, reason);
	*work = (struct bench_work){.flops = bench_shape_flops(shape)};
	cuda_work_fill(work, &matrix->work);
	operands_of(matrix, a_b_c);
	if (outcome == BENCH_OK)
		outcome = cuda_product_open(&matrix->product, session, request->method == METHOD_LIBRARY_GEMM, &wanted, a_b_c, reason);
	if (outcome == BENCH_OK)
		cuda_product_describe(&matrix->product, session, work->detail, sizeof(work->detail));
	else
		work->release(work);
	return outcome;
}
