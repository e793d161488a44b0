/* Parts of work one after another, with one wait at the end: a transformer's block as one measurement. */
#include <math.h>

#include "bench/cuda/cuda_session.h"

struct sequence_work {
	struct cuda_work work;
	size_t count;
	struct bench_work parts[];
};

static enum bench_outcome sequence_enqueue(struct cuda_work *work, struct bench_reason *reason)
{
	struct sequence_work *sequence = (struct sequence_work *)work;
	enum bench_outcome outcome = BENCH_OK;

	for (size_t i = 0; i < sequence->count && outcome == BENCH_OK; i++) {
		struct cuda_work *part = sequence->parts[i].state;

		outcome = part->enqueue(part, reason);
	}
	return outcome;
}

/* Verifies each part separately, because parts write to the same memory. */
static enum bench_outcome sequence_verify(struct bench_work *bench, struct bench_check *check, struct bench_reason *reason)
{
	struct sequence_work *sequence = bench->state;
	enum bench_outcome outcome = BENCH_OK;

	*check = (struct bench_check){.verified = true};
	for (size_t i = 0; i < sequence->count && outcome == BENCH_OK; i++) {
		struct bench_check part;

		outcome = sequence->parts[i].verify(&sequence->parts[i], &part, reason);
		check->verified = check->verified && part.verified;
		check->samples += part.samples;
		check->worst_error = fmax(check->worst_error, part.worst_error);
	}
	return outcome;
}

static void sequence_release(struct cuda_work *work)
{
	struct sequence_work *sequence = (struct sequence_work *)work;

	for (size_t i = 0; i < sequence->count; i++)
		sequence->parts[i].release(&sequence->parts[i]);
}

/* True for work that is on the stream and timed by its events. Launches and reductions wait on the host. */
static bool can_be_part(enum bench_work_kind kind)
{
	switch (kind) {
	case WORK_STREAM_READ:
	case WORK_STREAM_COPY:
	case WORK_STREAM_TRIAD:
	case WORK_TRANSFER:
	case WORK_ISSUE_RATE:
	case WORK_GEMM:
	case WORK_ATTENTION:
	case WORK_KV_READ:
	case WORK_ELEMENTWISE:
	case WORK_PEER_COPY:
		return true;
	case WORK_LAUNCH:
	case WORK_LAUNCH_PIPELINED:
	case WORK_LAUNCH_GRAPH:
	case WORK_SEQUENCE:
	case WORK_ALL_REDUCE:
	case WORK_KIND_COUNT:
		break;
	}
	return false;
}

CUDA_PREPARE(cuda_sequence_prepare)
{
	struct sequence_work *sequence;
	enum bench_outcome outcome = BENCH_OK;
	double flops = 0, bytes = 0;

	for (size_t i = 0; i < request->part_count; i++)
		if (!can_be_part(request->parts[i].kind))
			return bench_refuse(reason, BENCH_UNSUPPORTED, "%s cannot be part of a sequence", bench_work_kind_name(request->parts[i].kind));
	sequence = cuda_work_new(session, request, sizeof(*sequence) + request->part_count * sizeof(sequence->parts[0]), reason);
	if (!sequence)
		return BENCH_FAILED;
	sequence->work.enqueue = sequence_enqueue;
	sequence->work.release = sequence_release;
	*work = (struct bench_work){.flops = 0};
	cuda_work_fill(work, &sequence->work);
	for (size_t i = 0; i < request->part_count && outcome == BENCH_OK; i++) {
		outcome = cuda_prepare(session, &request->parts[i], &sequence->parts[i], reason);
		sequence->count += outcome == BENCH_OK;
		flops += outcome == BENCH_OK ? sequence->parts[i].flops : 0;
		bytes += outcome == BENCH_OK ? sequence->parts[i].bytes : 0;
	}
	work->verify = sequence_verify;
	work->flops = flops;
	work->bytes = bytes;
	snprintf(work->detail, sizeof(work->detail), "%zu parts, one wait", sequence->count);
	if (outcome != BENCH_OK)
		work->release(work);
	return outcome;
}
