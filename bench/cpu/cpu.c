/* The cpu backend. It is always available, needs no library, and is the model for the other backends. */
#include <math.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "bench/cpu/cpu_info.h"
#include "bench/cpu/cpu_session.h"

/* A run of the issue loop takes about this long: waking the threads takes less than 0.5 % of it. */
#define ISSUE_RUN_S 0.01

struct units_state {
	struct bench_session *session;
	size_t rounds;
	_Atomic int started;
	_Atomic int wrong;
};

static enum bench_outcome cpu_list(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason)
{
	*count = 0;
	if (!capacity)
		return bench_refuse(reason, BENCH_FAILED, "no room for the device");
	cpu_info_device(&devices[0]);
	*count = 1;
	return BENCH_OK;
}

static void cpu_close(struct bench_session *session)
{
	if (!session)
		return;
	cpu_stream_release(session);
	if (session->pool)
		cpu_panels_release(session);
	cpu_sensors_free(session->sensors);
	if (session->blas_open)
		cpu_blas_close(&session->blas);
	cpu_pool_free(session->pool);
	free(session);
}

static enum bench_outcome cpu_open(const struct bench_device *device, struct bench_session **session, struct bench_reason *reason)
{
	struct bench_session *made = calloc(1, sizeof(*made));
	const char *sysfs = getenv("FLEETPLAN_BENCH_SYSFS");

	*session = made;
	if (made) {
		made->device = *device;
		made->kernels = cpu_kernels_best();
		made->pool = cpu_pool_new(device->threads);
		made->sensors = cpu_sensors_new(sysfs && *sysfs ? sysfs : "/sys");
		if (made->pool && made->sensors)
			return BENCH_OK;
	}
	cpu_close(made);
	*session = NULL;
	return bench_refuse(reason, BENCH_FAILED, "%d threads cannot be started", device->threads);
}

static enum bench_outcome units_run(struct bench_work *work, double *elapsed_s, void (*part)(void *, int, int))
{
	struct units_state *state = work->state;
	int64_t start_ns = clock_monotonic_ns();

	cpu_pool_run(state->session->pool, part, state);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return BENCH_OK;
}

static void launch_part(void *context, int index, int threads)
{
	struct units_state *state = context;

	(void)index;
	(void)threads;
	atomic_fetch_add_explicit(&state->started, 1, memory_order_relaxed);
}

static enum bench_outcome launch_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	(void)reason;
	return units_run(work, elapsed_s, launch_part);
}

static enum bench_outcome launch_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct units_state *state = work->state;
	int threads = cpu_pool_threads(state->session->pool);
	double elapsed_s;

	atomic_store(&state->started, 0);
	(void)launch_run(work, &elapsed_s, reason);
	*check = (struct bench_check){.samples = threads, .verified = atomic_load(&state->started) == threads};
	return BENCH_OK;
}

static void issue_part(void *context, int index, int threads)
{
	struct units_state *state = context;
	const struct cpu_kernels *kernels = state->session->kernels;

	(void)index;
	(void)threads;
	if (fabs((double)kernels->issue(state->rounds) - kernels->issue_sum) > 0)
		atomic_fetch_add_explicit(&state->wrong, 1, memory_order_relaxed);
}

static enum bench_outcome issue_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	(void)reason;
	return units_run(work, elapsed_s, issue_part);
}

static enum bench_outcome issue_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct units_state *state = work->state;
	double elapsed_s;

	atomic_store(&state->wrong, 0);
	(void)issue_run(work, &elapsed_s, reason);
	*check = (struct bench_check){.samples = cpu_pool_threads(state->session->pool), .verified = !atomic_load(&state->wrong)};
	return BENCH_OK;
}

/* Doubles the rounds until a run takes ISSUE_RUN_S: the CPU's clock is not known well enough to compute them. */
static void issue_calibrate(struct bench_work *work)
{
	struct units_state *state = work->state;
	struct bench_reason reason;
	double elapsed_s = 0;

	for (state->rounds = 1024; elapsed_s < ISSUE_RUN_S && state->rounds < (size_t)1 << 40; state->rounds *= 2)
		(void)issue_run(work, &elapsed_s, &reason);
	state->rounds /= 2;
	work->flops = (double)state->rounds * state->session->kernels->issue_flops * cpu_pool_threads(state->session->pool);
}

static void units_release(struct bench_work *work)
{
	free(work->state);
	work->state = NULL;
}

static enum bench_outcome units_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct units_state *state = calloc(1, sizeof(*state));
	bool launch = request->kind == WORK_LAUNCH;

	if (!state)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	if (request->method == METHOD_DRIVER_LAUNCH || (!launch && request->precision != PRECISION_FP32)) {
		free(state);
		return launch ? bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend has no driver: its launches wake threads")
					  : bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend multiplies in fp32 only");
	}
	state->session = session;
	*work = (struct bench_work){
		.state = state, .run = launch ? launch_run : issue_run, .verify = launch ? launch_verify : issue_verify, .release = units_release};
	if (!launch)
		issue_calibrate(work);
	snprintf(work->detail, sizeof(work->detail), "%s, %d threads", launch ? "condition variable" : session->kernels->instruction_set,
		cpu_pool_threads(session->pool));
	return BENCH_OK;
}

static enum bench_outcome cpu_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	switch (request->kind) {
	case WORK_LAUNCH:
	case WORK_ISSUE_RATE:
		return units_prepare(session, request, work, reason);
	case WORK_STREAM_READ:
	case WORK_STREAM_COPY:
	case WORK_STREAM_TRIAD:
		return cpu_stream_prepare(session, request, work, reason);
	case WORK_GEMM:
		return cpu_matrix_prepare(session, request, work, reason);
	case WORK_TRANSFER:
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu uses the host's memory: there is no transfer");
	case WORK_ATTENTION:
		return cpu_attention_prepare(session, request, work, reason);
	case WORK_KV_READ:
		return cpu_kv_prepare(session, request, work, reason);
	case WORK_ELEMENTWISE:
		return cpu_elements_prepare(session, request, work, reason);
	case WORK_SEQUENCE:
		return cpu_sequence_prepare(session, request, work, reason);
	case WORK_LAUNCH_PIPELINED:
	case WORK_LAUNCH_GRAPH:
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend has no queue: it wakes its threads for each piece of work");
	case WORK_PEER_COPY:
	case WORK_ALL_REDUCE:
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend has only one device");
	case WORK_KIND_COUNT:
		break;
	}
	return bench_refuse(reason, BENCH_UNSUPPORTED, "the cpu backend does not support %s", bench_work_kind_name(request->kind));
}

static enum bench_outcome cpu_sense(struct bench_session *session, struct bench_sensors *sensors, struct bench_reason *reason)
{
	return cpu_sensors_read(session->sensors, sensors, reason);
}

const struct bench_backend bench_cpu_backend = {
	.name = "cpu",
	.list = cpu_list,
	.open = cpu_open,
	.prepare = cpu_prepare,
	.sense = cpu_sense,
	.close = cpu_close,
	.shared = true,
};
