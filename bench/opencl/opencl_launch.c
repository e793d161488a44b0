/* Launches and issue rates of the opencl backend. */
#include <math.h>

#include "base/clock.h"
#include "bench/opencl/opencl_session.h"
#include "bench/random.h"

enum { PIPELINED_LAUNCHES = 500, LAUNCH_MARK = 0x5eed, ISSUE_GROUPS_A_UNIT = 8, ISSUE_SAMPLES = 64 };

/* A run of an issue loop takes at least this long, so that its launch takes less than 1 % of it. */
#define ISSUE_RUN_S 0.01
#define ISSUE_TURN  0.25f

/* Measures with the host's clock: the cost of a launch is the time that the program waits. */
static enum bench_outcome launch_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct opencl_work *made = work->state;
	const struct opencl_api *api = made->session->api;
	const struct opencl_launch *launch = &made->launches[0];
	static const size_t local[3] = {KERNEL_GROUP_ITEMS, 1, 1};
	int launches = made->request.kind == WORK_LAUNCH ? 1 : PIPELINED_LAUNCHES, code = CL_SUCCESS;
	int64_t start_ns = clock_monotonic_ns();

	for (int i = 0; i < launches && code == CL_SUCCESS; i++)
		code = api->launch(made->session->queue, launch->kernel, 3, NULL, launch->global, local, 0, NULL, NULL);
	if (code == CL_SUCCESS)
		code = api->finish(made->session->queue);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9 / launches;
	return code == CL_SUCCESS ? BENCH_OK : opencl_refuse(reason, "launching kernels", code);
}

/* Runs the same kernel with a mark to write: every group must have run. */
static enum bench_outcome launch_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct opencl_work *made = work->state;
	const struct kernel_groups groups = {made->groups, 1, 1};
	const union opencl_value fill[] = {
		{.memory = made->buffers[0]}, {.u32 = UINT32_MAX}, {.u64 = (uint64_t)made->buffer_bytes[0] / KERNEL_VECTOR_BYTES}};
	const union opencl_value values[] = {{.memory = made->buffers[0]}, {.u32 = LAUNCH_MARK}};
	enum bench_outcome outcome = opencl_run_kernel(made->session, KERNEL_FILL_WORD, groups, fill, reason);

	*check = (struct bench_check){.verified = true};
	if (outcome == BENCH_OK)
		outcome = opencl_run_kernel(made->session, KERNEL_LAUNCH_EMPTY, groups, values, reason);
	for (uint32_t i = 0; i < made->groups && outcome == BENCH_OK; i++) {
		uint32_t mark = 0;

		outcome = opencl_read(made->session, made->buffers[0], i * sizeof(mark), sizeof(mark), &mark, reason);
		reference_compare(check, mark, LAUNCH_MARK, 1e-9);
	}
	return outcome;
}

enum bench_outcome opencl_launch_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct opencl_work *made = opencl_work_new(session, request);
	struct opencl_memory *marks;
	enum bench_outcome outcome;

	if (!made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	made->groups = session->device.unit_count > 0 ? (uint32_t)session->device.unit_count : 1;
	outcome = opencl_work_buffer(made, (double)made->groups * sizeof(uint32_t), &marks, reason);
	if (outcome == BENCH_OK) {
		const union opencl_value values[] = {{.memory = marks}, {.u32 = 0}};

		outcome = opencl_work_launch(made, KERNEL_LAUNCH_EMPTY, (struct kernel_groups){made->groups, 1, 1}, values, reason);
	}
	if (outcome != BENCH_OK) {
		opencl_work_free(made);
		return outcome;
	}
	opencl_work_publish(made, work);
	work->run = launch_run;
	work->verify = launch_verify;
	snprintf(work->detail, sizeof(work->detail), "OpenCL, %u groups%s", made->groups, request->kind == WORK_LAUNCH ? "" : ", 500 in a row");
	return BENCH_OK;
}

static bool is_half(const struct opencl_work *work)
{
	return work->request.precision == PRECISION_FP16;
}

static enum kernel issue_kernel(const struct opencl_work *work)
{
	return is_half(work) ? KERNEL_ISSUE_FP16 : KERNEL_ISSUE_FP32;
}

/* Runs the same kernel briefly: rounding errors then stay far below one step of any pair. */
static enum bench_outcome issue_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct opencl_work *made = work->state;
	uint32_t rounds = is_half(made) ? 1 : 32, steps = rounds * 16, pairs = is_half(made) ? 16 : 8;
	const union opencl_value values[] = {{.memory = made->buffers[0]}, {.u32 = rounds}, {.f32 = ISSUE_TURN}};
	double allowed = steps * pairs * (is_half(made) ? 0x1p-12 : 0x1p-24);
	uint64_t seed = 1, items = (uint64_t)made->groups * KERNEL_GROUP_ITEMS;
	const union opencl_value fill[] = {
		{.memory = made->buffers[0]}, {.u32 = UINT32_MAX}, {.u64 = items * sizeof(float) / KERNEL_VECTOR_BYTES}};
	enum bench_outcome outcome = opencl_run_kernel(made->session, KERNEL_FILL_WORD, (struct kernel_groups){made->groups, 1, 1}, fill, reason);

	*check = (struct bench_check){.verified = true};
	if (outcome == BENCH_OK)
		outcome = opencl_run_kernel(made->session, issue_kernel(made), (struct kernel_groups){made->groups, 1, 1}, values, reason);
	for (int s = 0; s < ISSUE_SAMPLES && outcome == BENCH_OK; s++) {
		uint64_t item = random_next(&seed) % items;
		float sum = NAN;

		outcome = opencl_read(made->session, made->buffers[0], (size_t)item * sizeof(sum), sizeof(sum), &sum, reason);
		reference_compare(check, (double)sum, reference_issue(item, pairs, rounds, (double)ISSUE_TURN), allowed);
	}
	return outcome;
}

/* Doubles the rounds until a run is long enough: reported clocks are not sustained clocks. */
static enum bench_outcome issue_calibrate(struct opencl_work *made, struct bench_reason *reason)
{
	enum { ROUNDS_MAX = 1 << 24 };
	double elapsed_s = 0;
	int code = CL_SUCCESS;

	for (made->rounds = 16; made->rounds < ROUNDS_MAX && code == CL_SUCCESS; made->rounds *= 2) {
		enum bench_outcome outcome;

		code = made->session->api->kernel_argument(made->launches[0].kernel, 1, sizeof(made->rounds), &made->rounds);
		outcome = opencl_launches_run(&made, 1, &elapsed_s, reason);
		if (outcome != BENCH_OK)
			return outcome;
		if (elapsed_s >= ISSUE_RUN_S)
			break;
	}
	return code == CL_SUCCESS ? BENCH_OK : opencl_refuse(reason, "clSetKernelArg", code);
}

static enum bench_outcome issue_make(struct opencl_work *made, struct bench_reason *reason)
{
	union opencl_value values[] = {{.memory = NULL}, {.u32 = 1}, {.f32 = ISSUE_TURN}};
	enum bench_outcome outcome;

	made->groups = (made->session->device.unit_count > 0 ? (uint32_t)made->session->device.unit_count : 1) * ISSUE_GROUPS_A_UNIT;
	outcome = opencl_work_buffer(made, (double)made->groups * KERNEL_GROUP_ITEMS * sizeof(float), &values[0].memory, reason);
	if (outcome == BENCH_OK)
		outcome = opencl_work_launch(made, issue_kernel(made), (struct kernel_groups){made->groups, 1, 1}, values, reason);
	return outcome == BENCH_OK ? issue_calibrate(made, reason) : outcome;
}

enum bench_outcome opencl_issue_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct opencl_work *made;
	enum bench_outcome outcome;

	if (request->precision != PRECISION_FP32 && request->precision != PRECISION_FP16)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the opencl backend measures multiply-adds in fp32 and fp16, not in %s",
			precision_name(request->precision));
	if (request->precision == PRECISION_FP16 && !session->half)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the driver does not support half precision (cl_khr_fp16)");
	made = opencl_work_new(session, request);
	if (!made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = issue_make(made, reason);
	if (outcome != BENCH_OK) {
		opencl_work_free(made);
		return outcome;
	}
	opencl_work_publish(made, work);
	work->verify = issue_verify;
	work->flops = kernel_issue_flops(issue_kernel(made)) * made->rounds * made->groups * KERNEL_GROUP_ITEMS;
	snprintf(work->detail, sizeof(work->detail), "own kernel, %u groups, %u rounds", made->groups, made->rounds);
	return BENCH_OK;
}
