/* Element-wise work of the cpu backend: half of the bytes are read, half are written, in the streams' arrays. */
#include <math.h>

#include "base/clock.h"
#include "bench/cpu/cpu_session.h"
#include "bench/random.h"

enum { ELEMENTS_SAMPLES = 64, ELEMENTS_STEP = 1024 };

#define ELEMENTS_SCALE 1.5 /* exact in a double, like the patterns */

struct elements_state {
	struct bench_session *session;
	size_t count; /* doubles read; the same number is written */
};

/* Work larger than the arrays starts over at their beginning. The arrays are larger than the caches, so the old data
 * has left them. */
static void elements_part(void *context, int index, int threads)
{
	const struct elements_state *state = context;
	const struct cpu_stream_arrays *arrays = &state->session->streams;

	for (size_t done = 0; done < state->count;) {
		size_t piece = state->count - done < arrays->count ? state->count - done : arrays->count, first, last;

		cpu_pool_range(piece, ELEMENTS_STEP, index, threads, &first, &last);
		state->session->kernels->scale(arrays->z + first, arrays->x + first, ELEMENTS_SCALE, last - first);
		done += piece;
	}
}

static enum bench_outcome elements_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct elements_state *state = work->state;
	int64_t start_ns = clock_monotonic_ns();

	(void)reason;
	cpu_pool_run(state->session->pool, elements_part, state);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return BENCH_OK;
}

static enum bench_outcome elements_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct elements_state *state = work->state;
	const struct cpu_stream_arrays *arrays = &state->session->streams;
	size_t written = state->count < arrays->count ? state->count : arrays->count;
	uint64_t seed = 1;
	double elapsed_s;

	CHECK(written > 0);
	*check = (struct bench_check){.verified = true, .samples = ELEMENTS_SAMPLES};
	for (size_t i = 0; i < written; i++)
		arrays->z[i] = (double)NAN;
	(void)elements_run(work, &elapsed_s, reason);
	for (int s = 0; s < ELEMENTS_SAMPLES; s++) {
		size_t i = s == 0 ? written - 1 : random_next(&seed) % written;

		if (!(fabs(arrays->z[i] - ELEMENTS_SCALE * arrays->x[i]) <= 0))
			check->verified = false;
	}
	return BENCH_OK;
}

static void elements_release(struct bench_work *work)
{
	free(work->state);
	work->state = NULL;
}

enum bench_outcome cpu_elements_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct elements_state *state = calloc(1, sizeof(*state));
	double steps = ceil(request->bytes / 2 / sizeof(double) / ELEMENTS_STEP);

	if (request->precision != PRECISION_FP32) {
		free(state);
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend supports element-wise work in fp32 only");
	}
	if (!state || !(request->bytes > 0) || !(steps < 0x1p40) || !cpu_streams_ready(session)) {
		free(state);
		return bench_refuse(reason, BENCH_UNSUPPORTED, "not enough memory for arrays larger than the caches");
	}
	state->session = session;
	state->count = (size_t)steps * ELEMENTS_STEP;
	*work = (struct bench_work){.bytes = 2 * (double)state->count * sizeof(double),
		.cache_resident = session->streams.cache_resident,
		.state = state,
		.run = elements_run,
		.verify = elements_verify,
		.release = elements_release};
	snprintf(work->detail, sizeof(work->detail), "%s, %d threads", session->kernels->instruction_set, cpu_pool_threads(session->pool));
	return BENCH_OK;
}
