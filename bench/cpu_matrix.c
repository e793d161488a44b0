/* Matrix products of the cpu backend: our own kernel and OpenBLAS on the same operands. */
#include <math.h>

#include "base/clock.h"
#include "bench/cpu_gemm.h"
#include "bench/cpu_info.h"
#include "bench/cpu_session.h"
#include "bench/random.h"

enum { MATRIX_SAMPLES = 64, MATRIX_SIDE_MAX = 1 << 20 };

struct matrix_state {
	struct bench_session *session;
	enum bench_method method;
	struct cpu_gemm gemm;
	float *memory; /* a, b, c and the threads' panels, each on its own line of the cache */
	size_t memory_bytes;
	float *panels[];
};

static size_t round_up(size_t floats)
{
	size_t line = CPU_KERNEL_ALIGNMENT / sizeof(float);

	return (floats + line - 1) / line * line;
}

static enum bench_outcome matrix_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct matrix_state *state = work->state;
	struct cpu_gemm *gemm = &state->gemm;
	int64_t start_ns = clock_monotonic_ns();

	(void)reason;
	if (state->method == METHOD_LIBRARY_GEMM)
		cpu_blas_multiply(&state->session->blas, &gemm->shape, gemm->a, gemm->b, gemm->c);
	else
		cpu_gemm_run(gemm, state->session->pool);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return BENCH_OK;
}

static enum bench_outcome matrix_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct matrix_state *state = work->state;
	size_t outputs = (size_t)(state->gemm.shape.m * state->gemm.shape.n);
	double elapsed_s;

	for (size_t i = 0; i < outputs; i++)
		state->gemm.c[i] = NAN;
	(void)matrix_run(work, &elapsed_s, reason);
	cpu_gemm_check(&state->gemm, MATRIX_SAMPLES, 1, check);
	return BENCH_OK;
}

static void matrix_release(struct bench_work *work)
{
	struct matrix_state *state = work->state;

	if (state)
		cpu_memory_unmap(state->memory, state->memory_bytes);
	free(state);
	work->state = NULL;
}

/* Operands and panels in one mapping; NULL when they would take more than half of what is free. */
static struct matrix_state *matrix_new(struct bench_session *session, const struct bench_work_request *request)
{
	const struct bench_shape *shape = &request->shape;
	size_t threads = (size_t)cpu_pool_threads(session->pool);
	size_t a = round_up((size_t)(shape->m * shape->k)), b = round_up((size_t)(shape->k * shape->n));
	size_t c = round_up((size_t)(shape->m * shape->n)), panel = round_up(cpu_gemm_panel_floats(session->kernels));
	size_t bytes = (a + b + c + threads * panel) * sizeof(float);
	struct matrix_state *state = calloc(1, sizeof(*state) + threads * sizeof(state->panels[0]));

	if (!state || (double)bytes > cpu_info_available_bytes() / 2 || !(state->memory = cpu_memory_map(bytes))) {
		free(state);
		return NULL;
	}
	state->session = session;
	state->method = request->method;
	state->memory_bytes = bytes;
	for (size_t i = 0; i < threads; i++)
		state->panels[i] = state->memory + a + b + c + i * panel;
	random_fill_normal(state->memory, a, 2);
	random_fill_normal(state->memory + a, b, 3);
	state->gemm = (struct cpu_gemm){.kernels = session->kernels, .shape = *shape, .a = state->memory, .b = state->memory + a,
		.c = state->memory + a + b, .panels = state->panels, .alive = request->alive};
	return state;
}

enum bench_outcome cpu_matrix_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason)
{
	const struct bench_shape *shape = &request->shape;
	const char *with = session->kernels->instruction_set;

	if (request->precision != PRECISION_FP32)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend multiplies in fp32 only");
	if (request->product != PRODUCT_FORWARD)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend has no %s", bench_product_name(request->product));
	if (shape->m < 1 || shape->n < 1 || shape->k < 1 || shape->m > MATRIX_SIDE_MAX || shape->n > MATRIX_SIDE_MAX ||
		shape->k > MATRIX_SIDE_MAX)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "sides of a matrix are 1 to %d", MATRIX_SIDE_MAX);
	if (request->method == METHOD_LIBRARY_GEMM) {
		if (!session->blas_open && cpu_blas_open(&session->blas, cpu_pool_threads(session->pool), reason) != BENCH_OK)
			return BENCH_UNSUPPORTED;
		session->blas_open = true;
		with = session->blas.version;
	}
	*work = (struct bench_work){
		.flops = 2.0 * (double)shape->m * (double)shape->n * (double)shape->k,
		.state = matrix_new(session, request),
		.run = matrix_run,
		.verify = matrix_verify,
		.release = matrix_release,
	};
	if (!work->state)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "matrices of %lld x %lld x %lld do not fit half of the free memory",
			(long long)shape->m, (long long)shape->n, (long long)shape->k);
	snprintf(work->detail, sizeof(work->detail), "%.72s, %d threads", with, cpu_pool_threads(session->pool));
	return BENCH_OK;
}
