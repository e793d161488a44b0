/* Matrix products of the opencl backend, by our own kernels. */
#include <math.h>

#include "bench/opencl/opencl_session.h"
#include "bench/random.h"

enum { MATRIX_SAMPLES = 64, MATRIX_SIDE_MAX = 1 << 20, SEED_A = 2, SEED_B = 3 };

static enum bench_outcome matrix_check(struct opencl_work *work, struct bench_check *check, struct bench_reason *reason)
{
	const struct bench_shape *s = &work->request.shape;
	const struct reference_product product = {
		.shape = *s, .product = work->request.product, .precision = work->request.precision, .seed_a = SEED_A, .seed_b = SEED_B, .scale = 1};
	size_t bytes = reference_element_bytes(work->request.precision);
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	for (int sample = 0; sample < MATRIX_SAMPLES && outcome == BENCH_OK; sample++) {
		int64_t i = sample == 0 ? s->m - 1 : (int64_t)(random_next(&seed) % (uint64_t)s->m);
		int64_t j = sample == 0 ? s->n - 1 : (int64_t)(random_next(&seed) % (uint64_t)s->n);
		double allowed, expected = reference_gemm(&product, 0, i, j, &allowed);
		char element[sizeof(double)] = {0};

		outcome = opencl_read(work->session, work->buffers[work->outputs], (size_t)(i * s->n + j) * bytes, bytes, element, reason);
		reference_compare(check, reference_decode(element, 0, work->request.precision), expected, allowed);
		if (work->request.alive)
			atomic_fetch_add_explicit(work->request.alive, 1, memory_order_relaxed);
	}
	return outcome;
}

static enum bench_outcome matrix_make(struct opencl_work *made, struct bench_reason *reason)
{
	const struct bench_shape *s = &made->request.shape;
	double bytes = (double)reference_element_bytes(made->request.precision), m = (double)s->m, n = (double)s->n, k = (double)s->k;
	union opencl_value values[10] = {
		[3] = {.u32 = (uint32_t)s->m}, [4] = {.u32 = (uint32_t)s->n}, [5] = {.u32 = (uint32_t)s->k}, [6] = {.f32 = 1}};
	enum bench_outcome outcome = opencl_work_buffer(made, m * k * bytes, &values[1].memory, reason);

	if (outcome == BENCH_OK)
		outcome = opencl_fill_normal(made->session, values[1].memory, (uint64_t)(s->m * s->k), SEED_A, made->request.precision, reason);
	if (outcome == BENCH_OK)
		outcome = opencl_work_buffer(made, k * n * bytes, &values[2].memory, reason);
	if (outcome == BENCH_OK)
		outcome = opencl_fill_normal(made->session, values[2].memory, (uint64_t)(s->k * s->n), SEED_B, made->request.precision, reason);
	made->outputs = 2;
	if (outcome == BENCH_OK)
		outcome = opencl_work_buffer(made, m * n * bytes, &values[0].memory, reason);
	return outcome != BENCH_OK
		? outcome
		: opencl_work_launch(made, kernel_gemm(made->request.precision, made->request.product), kernel_gemm_groups(s, 1), values, reason);
}

enum bench_outcome opencl_matrix_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	const struct bench_shape *s = &request->shape;
	struct opencl_work *made;
	enum bench_outcome outcome;

	if (request->method == METHOD_LIBRARY_GEMM)
		return bench_refuse(reason, BENCH_UNSUPPORTED,
			"OpenCL has no matrix library that is comparable to a vendor's; "
			"the cuda backend measures NVIDIA's");
	if (kernel_gemm(request->precision, request->product) == KERNEL_COUNT)
		return bench_refuse(
			reason, BENCH_UNSUPPORTED, "own kernels multiply in fp32, bf16 and fp16, not in %s", precision_name(request->precision));
	if (s->m < 1 || s->n < 1 || s->k < 1 || s->m > MATRIX_SIDE_MAX || s->n > MATRIX_SIDE_MAX || s->k > MATRIX_SIDE_MAX)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the sides of a matrix must be 1 to %d", MATRIX_SIDE_MAX);
	made = opencl_work_new(session, request);
	if (!made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = matrix_make(made, reason);
	if (outcome != BENCH_OK) {
		opencl_work_free(made);
		return outcome;
	}
	made->check = matrix_check;
	opencl_work_publish(made, work);
	work->flops = bench_shape_flops(s);
	snprintf(work->detail, sizeof(work->detail), "own kernel, tiles of 128 x 128, sums in fp32");
	return BENCH_OK;
}
