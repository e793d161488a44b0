/* Work of several parts in a row with one wait at the end: the step of a transformer block. */
#include <math.h>

#include "bench/opencl/opencl_session.h"

struct sequence_part {
	struct bench_work_request request;
	struct bench_work work;
};

struct sequence_state {
	struct sequence_part *parts; /* all different: equal work of several layers is prepared once */
	size_t part_count;
	struct opencl_work **made; /* in the order of execution */
	size_t count;
};

static enum bench_outcome sequence_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct sequence_state *state = work->state;

	return opencl_launches_run(state->made, state->count, elapsed_s, reason);
}

/* Verifies every part separately: the parts do not share data. */
static enum bench_outcome sequence_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct sequence_state *state = work->state;
	enum bench_outcome outcome = BENCH_OK;

	*check = (struct bench_check){.verified = true};
	for (size_t i = 0; i < state->part_count && outcome == BENCH_OK; i++) {
		struct bench_check part;

		outcome = state->parts[i].work.verify(&state->parts[i].work, &part, reason);
		check->samples += part.samples;
		check->verified = check->verified && part.verified;
		if (!(part.worst_error <= check->worst_error))
			check->worst_error = part.worst_error;
	}
	return outcome;
}

static void sequence_free(struct sequence_state *state)
{
	for (size_t i = 0; i < state->part_count; i++)
		state->parts[i].work.release(&state->parts[i].work);
	free(state->parts);
	free(state->made);
	free(state);
}

static void sequence_release(struct bench_work *work)
{
	sequence_free(work->state);
	work->state = NULL;
}

static bool can_be_a_part(enum bench_work_kind kind)
{
	return kind == WORK_GEMM || kind == WORK_ATTENTION || kind == WORK_KV_READ || kind == WORK_ELEMENTWISE || kind == WORK_STREAM_READ ||
		kind == WORK_STREAM_COPY || kind == WORK_STREAM_TRIAD || kind == WORK_ISSUE_RATE;
}

static bool same_attention(const struct bench_attention *a, const struct bench_attention *b)
{
	return a->batch == b->batch && a->heads == b->heads && a->kv_heads == b->kv_heads && a->queries == b->queries && a->keys == b->keys &&
		a->head_dimension == b->head_dimension && a->causal == b->causal && a->backward == b->backward;
}

static bool same_work(const struct bench_work_request *a, const struct bench_work_request *b)
{
	return a->kind == b->kind && a->method == b->method && a->precision == b->precision && a->product == b->product &&
		a->shape.m == b->shape.m && a->shape.n == b->shape.n && a->shape.k == b->shape.k && !(fabs(a->bytes - b->bytes) > 0) &&
		same_attention(&a->attention, &b->attention);
}

static enum bench_outcome add_part(struct bench_session *session, struct sequence_state *state, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason)
{
	size_t at = 0;

	if (!can_be_a_part(request->kind))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "a sequence cannot contain %s", bench_work_kind_name(request->kind));
	while (at < state->part_count && !same_work(&state->parts[at].request, request))
		at++;
	if (at == state->part_count) {
		enum bench_outcome outcome = opencl_prepare(session, request, &state->parts[at].work, reason);

		if (outcome != BENCH_OK)
			return outcome;
		state->parts[at].request = *request;
		state->part_count++;
	}
	state->made[state->count++] = state->parts[at].work.state;
	work->flops += state->parts[at].work.flops;
	work->bytes += state->parts[at].work.bytes;
	work->cache_resident = work->cache_resident || state->parts[at].work.cache_resident;
	return BENCH_OK;
}

static enum bench_outcome sequence_fill(struct bench_session *session, struct sequence_state *state,
	const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	enum bench_outcome outcome = BENCH_OK;

	state->parts = calloc(request->part_count, sizeof(*state->parts));
	state->made = calloc(request->part_count, sizeof(struct opencl_work *));
	if (!state->parts || !state->made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	for (size_t i = 0; i < request->part_count && outcome == BENCH_OK; i++)
		outcome = add_part(session, state, &request->parts[i], work, reason);
	return outcome;
}

enum bench_outcome opencl_sequence_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct sequence_state *state;
	enum bench_outcome outcome;

	if (!request->part_count)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the sequence has no parts");
	state = calloc(1, sizeof(*state));
	if (!state)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = sequence_fill(session, state, request, work, reason);
	if (outcome != BENCH_OK) {
		sequence_free(state);
		return outcome;
	}
	work->state = state;
	work->run = sequence_run;
	work->verify = sequence_verify;
	work->release = sequence_release;
	snprintf(work->detail, sizeof(work->detail), "%zu parts of %zu kinds, own kernels", state->count, state->part_count);
	return BENCH_OK;
}
