/* Matrix products of the cpu backend: our own kernel and OpenBLAS on the same operands. */
#include <math.h>

#include "base/clock.h"
#include "bench/cpu/cpu_gemm.h"
#include "bench/cpu/cpu_session.h"

enum { MATRIX_SAMPLES = 64, MATRIX_SIDE_MAX = 1 << 20 };

struct matrix_state {
	struct bench_session *session;
	enum bench_method method;
	enum bench_product product;
	struct cpu_gemm gemm;
	struct cpu_matrices matrices;
	size_t a_floats, b_floats, c_floats;
	bool cold;
};

static void flush(const struct matrix_state *state)
{
	cpu_cache_flush(state->gemm.a.at, state->a_floats * sizeof(float));
	cpu_cache_flush(state->gemm.b.at, state->b_floats * sizeof(float));
	cpu_cache_flush(state->gemm.c, state->c_floats * sizeof(float));
}

static enum bench_outcome matrix_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct matrix_state *state = work->state;
	struct cpu_gemm *gemm = &state->gemm;
	int64_t start_ns;

	(void)reason;
	if (state->cold)
		flush(state);
	start_ns = clock_monotonic_ns();
	if (state->method == METHOD_LIBRARY_GEMM)
		cpu_blas_multiply(&state->session->blas, &gemm->shape, state->product, gemm->a.at, gemm->b.at, gemm->c);
	else
		cpu_gemm_run(gemm, state->session->panels, state->session->pool);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return BENCH_OK;
}

static enum bench_outcome matrix_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct matrix_state *state = work->state;
	double elapsed_s;

	for (size_t i = 0; i < state->c_floats; i++)
		state->gemm.c[i] = NAN;
	(void)matrix_run(work, &elapsed_s, reason);
	cpu_gemm_check(&state->gemm, MATRIX_SAMPLES, 1, check);
	return BENCH_OK;
}

static void matrix_release(struct bench_work *work)
{
	struct matrix_state *state = work->state;

	if (state)
		cpu_matrices_give(state->session, &state->matrices);
	free(state);
	work->state = NULL;
}

/* Returns NULL if the operands cannot be allocated. */
static struct matrix_state *matrix_new(struct bench_session *session, const struct bench_work_request *request)
{
	const struct bench_shape *shape = &request->shape;
	struct matrix_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	*state = (struct matrix_state){.session = session,
		.method = request->method,
		.product = request->product,
		.cold = request->cold,
		.a_floats = (size_t)(shape->m * shape->k),
		.b_floats = (size_t)(shape->k * shape->n),
		.c_floats = (size_t)(shape->m * shape->n),
		.gemm = {.kernels = session->kernels, .shape = *shape, .alive = request->alive}};
	if (!cpu_panels_ready(session) ||
		!cpu_matrices_take(session, cpu_line_floats(state->a_floats) + cpu_line_floats(state->b_floats), cpu_line_floats(state->c_floats),
			&state->matrices)) {
		free(state);
		return NULL;
	}
	cpu_gemm_lay(&state->gemm, request->product, state->matrices.operands, state->matrices.operands + cpu_line_floats(state->a_floats),
		state->matrices.outputs);
	return state;
}

enum bench_outcome cpu_matrix_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	const struct bench_shape *shape = &request->shape;
	const char *with = session->kernels->instruction_set;

	if (request->precision != PRECISION_FP32)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend multiplies in fp32 only");
	if (shape->m < 1 || shape->n < 1 || shape->k < 1 || shape->m > MATRIX_SIDE_MAX || shape->n > MATRIX_SIDE_MAX || shape->k > MATRIX_SIDE_MAX)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the sides of a matrix must be 1 to %d", MATRIX_SIDE_MAX);
	if (request->method == METHOD_LIBRARY_GEMM) {
		if (!session->blas_open && cpu_blas_open(&session->blas, cpu_pool_threads(session->pool), reason) != BENCH_OK)
			return BENCH_UNSUPPORTED;
		session->blas_open = true;
		with = session->blas.version;
	}
	*work = (struct bench_work){
		.flops = bench_shape_flops(shape),
		.state = matrix_new(session, request),
		.run = matrix_run,
		.verify = matrix_verify,
		.release = matrix_release,
	};
	if (!work->state)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "matrices of %lld x %lld x %lld do not fit in half of the free memory",
			(long long)shape->m, (long long)shape->n, (long long)shape->k);
	snprintf(work->detail, sizeof(work->detail), "%.72s, %d threads", with, cpu_pool_threads(session->pool));
	return BENCH_OK;
}
