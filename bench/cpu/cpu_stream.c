/* Memory streams of the cpu backend: every thread reads or writes its own part of arrays larger than the caches. */
#include <math.h>

#include "base/clock.h"
#include "bench/cpu/cpu_info.h"
#include "bench/cpu/cpu_session.h"
#include "bench/random.h"

enum { STREAM_STEP = 1024, STREAM_SAMPLES = 64 }; /* STREAM_STEP doubles are two whole pages and one whole pattern */

#define STREAM_SCALAR 3.0

struct stream_state {
	struct bench_session *session;
	enum bench_work_kind kind;
	double sums[]; /* one per thread's part */
};

size_t cpu_stream_count(double cache_bytes, double available_bytes, bool *large_enough)
{
	double wanted_bytes = fmax(4 * (cache_bytes > 0 ? cache_bytes : 64 * 0x1p20), 64 * 0x1p20);
	double bytes = fmin(wanted_bytes, available_bytes / 4 / 3);
	size_t count = (size_t)(bytes / sizeof(double)) / STREAM_STEP * STREAM_STEP;

	*large_enough = bytes >= wanted_bytes;
	return count;
}

/* Repeats every STREAM_STEP elements. Its sums are exact in a double. */
static double pattern(size_t i)
{
	return 1 + (double)(i % STREAM_STEP) / STREAM_STEP;
}

/* Each thread touches its own part first, so that the part is in memory near that thread. */
static void fill_part(void *context, int index, int threads)
{
	const struct cpu_stream_arrays *arrays = context;
	size_t first, last;

	cpu_pool_range(arrays->count, STREAM_STEP, index, threads, &first, &last);
	for (size_t i = first; i < last; i++) {
		arrays->x[i] = pattern(i);
		arrays->y[i] = pattern(i);
		arrays->z[i] = 0;
	}
}

bool cpu_streams_ready(struct bench_session *session)
{
	struct cpu_stream_arrays *arrays = &session->streams;
	size_t bytes;
	bool large_enough;

	if (arrays->x)
		return true;
	arrays->count = cpu_stream_count(cpu_info_cache_bytes(), cpu_info_available_bytes(), &large_enough);
	arrays->cache_resident = !large_enough;
	bytes = arrays->count * sizeof(double);
	if (!bytes)
		return false;
	arrays->x = cpu_memory_map(bytes);
	arrays->y = cpu_memory_map(bytes);
	arrays->z = cpu_memory_map(bytes);
	if (!arrays->x || !arrays->y || !arrays->z) {
		cpu_stream_release(session);
		return false;
	}
	cpu_pool_run(session->pool, fill_part, arrays);
	return true;
}

void cpu_stream_release(struct bench_session *session)
{
	size_t bytes = session->streams.count * sizeof(double);

	cpu_memory_unmap(session->streams.x, bytes);
	cpu_memory_unmap(session->streams.y, bytes);
	cpu_memory_unmap(session->streams.z, bytes);
	session->streams = (struct cpu_stream_arrays){0};
}

static void stream_part(void *context, int index, int threads)
{
	struct stream_state *state = context;
	const struct cpu_stream_arrays *arrays = &state->session->streams;
	const struct cpu_kernels *kernels = state->session->kernels;
	size_t first, last;

	cpu_pool_range(arrays->count, STREAM_STEP, index, threads, &first, &last);
	if (state->kind == WORK_STREAM_READ)
		state->sums[index] = kernels->read(arrays->x + first, last - first);
	else if (state->kind == WORK_STREAM_COPY)
		kernels->copy(arrays->z + first, arrays->x + first, last - first);
	else
		kernels->triad(arrays->z + first, arrays->x + first, arrays->y + first, STREAM_SCALAR, last - first);
}

static enum bench_outcome stream_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct stream_state *state = work->state;
	int64_t start_ns = clock_monotonic_ns();

	(void)reason;
	cpu_pool_run(state->session->pool, stream_part, state);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return BENCH_OK;
}

static void poison_part(void *context, int index, int threads)
{
	const struct cpu_stream_arrays *arrays = context;
	size_t first, last;

	cpu_pool_range(arrays->count, STREAM_STEP, index, threads, &first, &last);
	for (size_t i = first; i < last; i++)
		arrays->z[i] = (double)NAN;
}

/* The sum of the whole pattern is exact, so rounding cannot hide a thread's missing part. */
static void check_read(const struct stream_state *state, struct bench_check *check)
{
	size_t patterns = state->session->streams.count / STREAM_STEP;
	double sum = 0, expected = (double)patterns * (1.5 * STREAM_STEP - 0.5);

	for (int i = 0; i < cpu_pool_threads(state->session->pool); i++)
		sum += state->sums[i];
	check->samples = 1;
	check->verified = fabs(sum - expected) <= 0;
	check->worst_error = fabs(sum / expected - 1);
}

/* Checks the first and last element of the array, and others at random: equal to the last bit. */
static void check_written(const struct stream_state *state, struct bench_check *check)
{
	const struct cpu_stream_arrays *arrays = &state->session->streams;
	double scalar = state->kind == WORK_STREAM_TRIAD ? STREAM_SCALAR : 0;
	uint64_t seed = 1;

	check->samples = STREAM_SAMPLES;
	check->verified = true;
	for (size_t s = 0; s < STREAM_SAMPLES; s++) {
		size_t i = s == 0 ? 0 : s == 1 ? arrays->count - 1 : random_next(&seed) % arrays->count;
		double error = fabs(arrays->z[i] - (arrays->x[i] + scalar * arrays->y[i]));

		if (!(error <= 0))
			check->verified = false;
		if (!(error <= check->worst_error))
			check->worst_error = error;
	}
}

static enum bench_outcome stream_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct stream_state *state = work->state;
	double elapsed_s;

	*check = (struct bench_check){0};
	for (int i = 0; i < cpu_pool_threads(state->session->pool); i++)
		state->sums[i] = (double)NAN;
	if (state->kind != WORK_STREAM_READ)
		cpu_pool_run(state->session->pool, poison_part, &state->session->streams);
	(void)stream_run(work, &elapsed_s, reason);
	if (state->kind == WORK_STREAM_READ)
		check_read(state, check);
	else
		check_written(state, check);
	return BENCH_OK;
}

static void stream_work_release(struct bench_work *work)
{
	free(work->state);
	work->state = NULL;
}

enum bench_outcome cpu_stream_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	double arrays = request->kind == WORK_STREAM_READ ? 1 : request->kind == WORK_STREAM_COPY ? 2 : 3;
	size_t sums = (size_t)cpu_pool_threads(session->pool);
	struct stream_state *state = calloc(1, sizeof(*state) + sums * sizeof(state->sums[0]));

	if (!state || !cpu_streams_ready(session)) {
		free(state);
		return bench_refuse(reason, BENCH_UNSUPPORTED, "not enough memory for arrays larger than the caches");
	}
	state->session = session;
	state->kind = request->kind;
	*work = (struct bench_work){
		.bytes = arrays * (double)session->streams.count * sizeof(double),
		.cache_resident = session->streams.cache_resident,
		.state = state,
		.run = stream_run,
		.verify = stream_verify,
		.release = stream_work_release,
	};
	snprintf(work->detail, sizeof(work->detail), "%s, %d threads, %.0f MiB per array", session->kernels->instruction_set,
		cpu_pool_threads(session->pool), (double)session->streams.count * sizeof(double) / 0x1p20);
	return BENCH_OK;
}
