/* Decoding on the cpu backend: one query per sequence attends to all its keys and values. Each is read once for the
 * heads that share it. */
#include <math.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "bench/cpu/cpu_attention.h"
#include "bench/cpu/cpu_session.h"

enum { PIECE_KEYS = 32 };

struct kv_state {
	struct bench_session *session;
	struct cpu_attention attention; /* its layout, for the check */
	struct cpu_matrices matrices;
	size_t output_floats, scores_floats;
	_Atomic size_t next;
};

static size_t piece(size_t keys, size_t at)
{
	return keys - at < PIECE_KEYS ? keys - at : PIECE_KEYS;
}

/* Processes one head of keys of one sequence: scores of the group's heads, their softmax, the weighted sum of
 * values. A piece of keys is small enough to stay in the nearest cache for the group's next head. */
static void kv_unit(const struct kv_state *state, float *scores, size_t unit)
{
	const struct cpu_attention *attention = &state->attention;
	const struct cpu_kernels *kernels = attention->kernels;
	size_t dimension = (size_t)attention->shape.head_dimension, keys = (size_t)attention->shape.keys, group = (size_t)attention->shape.heads;
	const float *k = attention->k + unit * keys * dimension, *v = attention->v + unit * keys * dimension;
	const float *q = attention->q + unit * group * dimension;
	float *output = attention->output + unit * group * dimension;

	for (size_t j = 0; j < keys; j += PIECE_KEYS)
		for (size_t h = 0; h < group; h++)
			kernels->dots(q + h * dimension, k + j * dimension, piece(keys, j), dimension, scores + h * keys + j);
	memset(output, 0, group * dimension * sizeof(float));
	for (size_t h = 0; h < group; h++)
		kernels->softmax(scores + h * keys, keys, 1 / sqrtf((float)dimension));
	for (size_t j = 0; j < keys; j += PIECE_KEYS)
		for (size_t h = 0; h < group; h++)
			kernels->weigh(output + h * dimension, v + j * dimension, scores + h * keys + j, piece(keys, j), dimension);
}

static void kv_part(void *context, int index, int threads)
{
	struct kv_state *state = context;
	const struct bench_attention *shape = &state->attention.shape;
	size_t units = (size_t)shape->batch, unit;

	(void)threads;
	while ((unit = atomic_fetch_add(&state->next, 1)) < units)
		kv_unit(state, state->matrices.outputs + state->output_floats + (size_t)index * state->scores_floats, unit);
}

static enum bench_outcome kv_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct kv_state *state = work->state;
	int64_t start_ns = clock_monotonic_ns();

	(void)reason;
	atomic_store(&state->next, 0);
	cpu_pool_run(state->session->pool, kv_part, state);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return BENCH_OK;
}

static enum bench_outcome kv_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct kv_state *state = work->state;
	double elapsed_s;

	for (size_t i = 0; i < state->output_floats; i++)
		state->matrices.outputs[i] = NAN;
	(void)kv_run(work, &elapsed_s, reason);
	cpu_attention_check(&state->attention, check);
	return BENCH_OK;
}

static void kv_release(struct bench_work *work)
{
	struct kv_state *state = work->state;

	if (state)
		cpu_matrices_give(state->session, &state->matrices);
	free(state);
	work->state = NULL;
}

static bool kv_lay(struct kv_state *state, const struct bench_attention *shape)
{
	size_t queries = cpu_line_floats(cpu_attention_query_floats(shape)), keys = cpu_line_floats(cpu_attention_key_floats(shape));
	size_t threads = (size_t)cpu_pool_threads(state->session->pool);

	state->output_floats = queries;
	state->scores_floats = cpu_line_floats((size_t)(shape->heads / shape->kv_heads * shape->keys));
	if (!cpu_matrices_take(state->session, queries + 2 * keys, queries + threads * state->scores_floats, &state->matrices))
		return false;
	/* A cache stores each head's keys together, so the check treats every head of keys as a sequence. */
	state->attention.shape = *shape;
	state->attention.shape.batch = shape->batch * shape->kv_heads;
	state->attention.shape.heads = shape->heads / shape->kv_heads;
	state->attention.shape.kv_heads = 1;
	state->attention.q = state->matrices.operands;
	state->attention.k = state->attention.q + queries;
	state->attention.v = state->attention.k + keys;
	state->attention.output = state->matrices.outputs;
	return true;
}

enum bench_outcome cpu_kv_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	const struct bench_attention *shape = &request->attention;
	struct kv_state *state;

	if (request->precision != PRECISION_FP32)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend reads keys and values in fp32 only");
	if (shape->queries != 1 || shape->causal || shape->backward || !cpu_attention_fits(shape))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "a read of keys and values must have one query per sequence that sees all keys");
	state = calloc(1, sizeof(*state));
	if (state) {
		state->session = session;
		state->attention.kernels = session->kernels;
	}
	if (!state || !kv_lay(state, shape)) {
		free(state);
		return bench_refuse(reason, BENCH_UNSUPPORTED, "its matrices do not fit in half of the free memory");
	}
	*work = (struct bench_work){.bytes = bench_kv_bytes(shape, sizeof(float)),
		.flops = bench_attention_flops(shape),
		.state = state,
		.run = kv_run,
		.verify = kv_verify,
		.release = kv_release,
		.cache_resident = bench_kv_bytes(shape, sizeof(float)) < 4 * session->device.cache_bytes};
	snprintf(work->detail, sizeof(work->detail), "%s, %d threads", session->kernels->instruction_set, cpu_pool_threads(session->pool));
	return BENCH_OK;
}
