/* A model's work on the cpu besides products: attention, and sequences of all kinds of work. */
#include <math.h>

#include "base/clock.h"
#include "bench/cpu/cpu_attention.h"
#include "bench/cpu/cpu_session.h"

struct attention_state {
	struct bench_session *session;
	struct cpu_attention attention;
	struct cpu_matrices matrices;
	size_t output_floats; /* written by a run, without scratch */
	float *scores[];
};

static enum bench_outcome attention_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct attention_state *state = work->state;
	int64_t start_ns = clock_monotonic_ns();

	(void)reason;
	cpu_attention_run(&state->attention, state->session->pool);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return BENCH_OK;
}

static enum bench_outcome attention_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct attention_state *state = work->state;
	double elapsed_s;

	for (size_t i = 0; i < state->output_floats; i++)
		state->matrices.outputs[i] = NAN;
	(void)attention_run(work, &elapsed_s, reason);
	cpu_attention_check(&state->attention, check);
	return BENCH_OK;
}

static void attention_release(struct bench_work *work)
{
	struct attention_state *state = work->state;

	if (state)
		cpu_matrices_give(state->session, &state->matrices);
	free(state);
	work->state = NULL;
}

/* Operands: q, k, v, and for the backward pass the outputs' gradient. Outputs: o, or dq, dk, dv; then the threads'
 * scores. */
static bool attention_lay(struct attention_state *state, const struct bench_attention *shape)
{
	struct cpu_attention *attention = &state->attention;
	size_t threads = (size_t)cpu_pool_threads(state->session->pool), scratch = cpu_line_floats(cpu_attention_scratch_floats(shape));
	size_t queries = cpu_line_floats(cpu_attention_query_floats(shape)), keys = cpu_line_floats(cpu_attention_key_floats(shape));
	float *operands, *outputs;

	state->output_floats = shape->backward ? queries + 2 * keys : queries;
	if (!cpu_panels_ready(state->session) ||
		!cpu_matrices_take(
			state->session, queries * (shape->backward ? 2 : 1) + 2 * keys, state->output_floats + threads * scratch, &state->matrices))
		return false;
	operands = state->matrices.operands;
	outputs = state->matrices.outputs;
	attention->shape = *shape;
	attention->q = operands;
	attention->k = operands + queries;
	attention->v = operands + queries + keys;
	attention->output_gradient = operands + queries + 2 * keys;
	attention->output = attention->dq = outputs;
	attention->dk = outputs + queries;
	attention->dv = outputs + queries + keys;
	attention->panels = state->session->panels;
	attention->scores = state->scores;
	for (size_t i = 0; i < threads; i++)
		state->scores[i] = outputs + state->output_floats + i * scratch;
	return true;
}

enum bench_outcome cpu_attention_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	size_t threads = (size_t)cpu_pool_threads(session->pool);
	struct attention_state *state;

	if (request->method != METHOD_KERNEL_ATTENTION)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "there is no attention library for the cpu");
	if (request->precision != PRECISION_FP32)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend computes attention in fp32 only");
	if (!cpu_attention_fits(&request->attention))
		return bench_refuse(
			reason, BENCH_UNSUPPORTED, "heads must be a multiple of kv_heads, and causal attention needs at least as many keys as queries");
	state = calloc(1, sizeof(*state) + threads * sizeof(state->scores[0]));
	if (state) {
		state->session = session;
		state->attention.kernels = session->kernels;
		state->attention.alive = request->alive;
	}
	if (!state || !attention_lay(state, &request->attention)) {
		free(state);
		return bench_refuse(reason, BENCH_UNSUPPORTED, "its matrices do not fit in half of the free memory");
	}
	*work = (struct bench_work){.flops = bench_attention_flops(&request->attention),
		.state = state,
		.run = attention_run,
		.verify = attention_verify,
		.release = attention_release};
	snprintf(work->detail, sizeof(work->detail), "%s, %d threads, unfused by blocks of queries", session->kernels->instruction_set,
		(int)threads);
	return BENCH_OK;
}

struct sequence_state {
	struct bench_session *session;
	struct cpu_matrices matrices; /* shared by all parts */
	size_t count;
	struct bench_work works[];
};

static enum bench_outcome sequence_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct sequence_state *state = work->state;
	int64_t start_ns = clock_monotonic_ns();

	for (size_t i = 0; i < state->count; i++) {
		enum bench_outcome outcome = state->works[i].run(&state->works[i], elapsed_s, reason);

		if (outcome != BENCH_OK)
			return outcome;
	}
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return BENCH_OK;
}

static enum bench_outcome sequence_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct sequence_state *state = work->state;

	*check = (struct bench_check){.verified = true};
	for (size_t i = 0; i < state->count; i++) {
		struct bench_check part;
		enum bench_outcome outcome = state->works[i].verify(&state->works[i], &part, reason);

		if (outcome != BENCH_OK)
			return outcome;
		check->verified = check->verified && part.verified;
		check->samples += part.samples;
		check->worst_error = fmax(check->worst_error, part.worst_error);
	}
	return BENCH_OK;
}

static void sequence_release(struct bench_work *work)
{
	struct sequence_state *state = work->state;

	if (!state)
		return;
	state->session->shared = state->matrices.operands ? &state->matrices : NULL; /* the parts must not free the shared matrices */
	for (size_t i = 0; i < state->count; i++)
		state->works[i].release(&state->works[i]);
	state->session->shared = NULL;
	cpu_matrices_give(state->session, &state->matrices);
	free(state);
	work->state = NULL;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Computes the largest operands and outputs of any part. The parts share one memory, since no part writes where
 * another reads. */
static void sequence_sizes(const struct bench_session *session, const struct bench_work_request *request, size_t *operands, size_t *outputs)
{
	size_t threads = (size_t)cpu_pool_threads(session->pool);

	*operands = *outputs = 0;
	for (size_t i = 0; i < request->part_count; i++) {
		const struct bench_work_request *part = &request->parts[i];
		const struct bench_shape *shape = &part->shape;
		const struct bench_attention *attention = &part->attention;
		size_t queries, keys;

		if (part->kind == WORK_GEMM) {
			*operands = larger(*operands, cpu_line_floats((size_t)(shape->m * shape->k)) + cpu_line_floats((size_t)(shape->k * shape->n)));
			*outputs = larger(*outputs, cpu_line_floats((size_t)(shape->m * shape->n)));
		} else if (part->kind == WORK_ATTENTION || part->kind == WORK_KV_READ) {
			queries = cpu_line_floats(cpu_attention_query_floats(attention));
			keys = cpu_line_floats(cpu_attention_key_floats(attention));
			*operands = larger(*operands, 2 * queries + 2 * keys);
			*outputs = larger(*outputs, queries + 2 * keys + threads * cpu_line_floats(cpu_attention_scratch_floats(attention)));
		}
	}
}

/* Prepares each part on the shared memory. If one part is unsupported, the whole sequence is. */
static enum bench_outcome sequence_parts(struct bench_session *session, const struct bench_work_request *request,
	struct sequence_state *state, struct bench_work *work, struct bench_reason *reason)
{
	enum bench_outcome outcome = BENCH_OK;

	session->shared = &state->matrices;
	for (size_t i = 0; i < request->part_count && outcome == BENCH_OK; i++) {
		outcome = request->parts[i].kind == WORK_SEQUENCE ? bench_refuse(reason, BENCH_UNSUPPORTED, "a sequence cannot contain a sequence")
														  : bench_cpu_backend.prepare(session, &request->parts[i], &state->works[i], reason);
		if (outcome != BENCH_OK)
			break;
		state->count++;
		work->flops += state->works[i].flops;
		work->bytes += state->works[i].bytes;
	}
	session->shared = NULL;
	return outcome;
}

enum bench_outcome cpu_sequence_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct sequence_state *state = calloc(1, sizeof(*state) + request->part_count * sizeof(state->works[0]));
	size_t operands, outputs;
	enum bench_outcome outcome;

	if (!state)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	*work = (struct bench_work){.state = state, .run = sequence_run, .verify = sequence_verify, .release = sequence_release};
	state->session = session;
	sequence_sizes(session, request, &operands, &outputs);
	if ((operands || outputs) && !cpu_matrices_take(session, operands, outputs, &state->matrices))
		outcome = bench_refuse(reason, BENCH_UNSUPPORTED, "its matrices do not fit in half of the free memory");
	else
		outcome = sequence_parts(session, request, state, work, reason);
	if (outcome != BENCH_OK)
		sequence_release(work);
	else
		snprintf(work->detail, sizeof(work->detail), "%zu parts, %d threads", state->count, cpu_pool_threads(session->pool));
	return outcome;
}
