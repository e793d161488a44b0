/* The cost of a launch: a round trip, many in a row, and as a recorded graph. Timed by the host's clock, since the
 * host waits. */
#include "base/clock.h"
#include "bench/cuda/cuda_session.h"

enum { LAUNCHES_IN_A_ROW = 1000, LAUNCHES_IN_A_GRAPH = 200, MARK = 0x5eed };

struct launch_work {
	struct cuda_work work;
	struct cuda_function *empty;
	struct cuda_graph *graph;
	struct cuda_graph_exec *exec;
	unsigned launches;
	unsigned mark; /* written by each launch; 0: writes nothing */
};

static enum bench_outcome launch_all(struct launch_work *launch, struct bench_reason *reason)
{
	struct bench_session *session = launch->work.session;
	cuda_pointer out = cuda_operand(session, ROLE_C, FORMAT_INT32);
	void *arguments[] = {&out, &launch->mark};
	enum bench_outcome outcome = BENCH_OK;

	for (unsigned i = 0; i < launch->launches && outcome == BENCH_OK; i++)
		outcome = cuda_session_launch(session, launch->empty, (struct kernel_groups){session->units, 1, 1}, arguments, reason);
	return outcome;
}

static enum bench_outcome launch_run(struct bench_work *bench, double *elapsed_s, struct bench_reason *reason)
{
	struct launch_work *launch = bench->state;
	struct bench_session *session = launch->work.session;
	int64_t start_ns = clock_monotonic_ns();
	enum bench_outcome outcome = launch->exec
		? cuda_session_judge(session, session->driver.graph_launch(launch->exec, session->stream), "the launch of a graph", reason)
		: launch_all(launch, reason);

	if (outcome == BENCH_OK)
		outcome = cuda_session_wait(session, reason);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9 / launch->launches;
	return outcome;
}

/* Records the launches as a graph, with the current launch->mark. */
static enum bench_outcome record(struct launch_work *launch, struct bench_reason *reason)
{
	struct bench_session *session = launch->work.session;
	const struct cuda_driver *driver = &session->driver;
	enum bench_outcome outcome, ended;

	outcome = cuda_session_judge(session, driver->capture_begin(session->stream, CUDA_CAPTURE_THREAD_LOCAL), "recording", reason);
	if (outcome != BENCH_OK)
		return outcome;
	outcome = launch_all(launch, reason);
	ended = cuda_session_judge(session, driver->capture_end(session->stream, &launch->graph), "recording", reason);
	if (outcome == BENCH_OK)
		outcome = ended;
	if (outcome == BENCH_OK)
		outcome = cuda_session_judge(session, driver->graph_instantiate(&launch->exec, launch->graph, 0), "building the graph", reason);
	return outcome;
}

static void forget_graph(struct cuda_work *work)
{
	struct launch_work *launch = (struct launch_work *)work;
	const struct cuda_driver *driver = &work->session->driver;

	if (launch->exec)
		(void)driver->graph_exec_free(launch->exec);
	if (launch->graph)
		(void)driver->graph_free(launch->graph);
	launch->exec = NULL;
	launch->graph = NULL;
}

/* Launches with a mark that every group writes, so missing launches are detected. */
static enum bench_outcome launch_verify(struct bench_work *bench, struct bench_check *check, struct bench_reason *reason)
{
	struct launch_work *launch = bench->state;
	struct bench_session *session = launch->work.session;
	cuda_pointer out = cuda_operand(session, ROLE_C, FORMAT_INT32);
	bool graph = launch->exec != NULL;
	enum bench_outcome outcome = cuda_operand_poison(session, out, session->units * sizeof(uint32_t), reason);
	double elapsed_s, written;

	*check = (struct bench_check){.verified = true, .samples = (int)session->units};
	launch->mark = MARK;
	forget_graph(&launch->work);
	if (outcome == BENCH_OK && graph)
		outcome = record(launch, reason);
	if (outcome == BENCH_OK)
		outcome = launch_run(bench, &elapsed_s, reason);
	for (size_t i = 0; i < session->units && outcome == BENCH_OK; i++) {
		outcome = cuda_output_read(session, out, FORMAT_INT32, i, &written, reason);
		check->verified = check->verified && (int)written == MARK;
	}
	launch->mark = 0;
	forget_graph(&launch->work);
	return outcome == BENCH_OK && graph ? record(launch, reason) : outcome;
}

static bool has_graphs(const struct cuda_driver *driver)
{
	return driver->capture_begin && driver->capture_end && driver->graph_instantiate && driver->graph_launch && driver->graph_exec_free &&
		driver->graph_free;
}

CUDA_PREPARE(cuda_launch_prepare)
{
	struct launch_work *launch;
	enum bench_outcome outcome;

	if (request->kind == WORK_LAUNCH_GRAPH && !has_graphs(&session->driver))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "this driver has no graphs; install a driver for CUDA 12 or newer");
	outcome = cuda_operand_need(session, ROLE_C, FORMAT_INT32, session->units, reason);
	launch = outcome == BENCH_OK ? cuda_work_new(session, request, sizeof(*launch), reason) : NULL;
	if (!launch)
		return outcome == BENCH_OK ? BENCH_FAILED : outcome;
	launch->launches = request->kind == WORK_LAUNCH ? 1 : request->kind == WORK_LAUNCH_GRAPH ? LAUNCHES_IN_A_GRAPH : LAUNCHES_IN_A_ROW;
	launch->work.release = forget_graph;
	*work = (struct bench_work){.flops = 0};
	cuda_work_fill(work, &launch->work);
	work->run = launch_run;
	work->verify = launch_verify;
	outcome = cuda_kernels_find(&session->kernels, &session->driver, KERNEL_LAUNCH_EMPTY, &launch->empty, reason);
	if (outcome == BENCH_OK && request->kind == WORK_LAUNCH_GRAPH)
		outcome = record(launch, reason);
	snprintf(work->detail, sizeof(work->detail), "%u launch%s of %u groups, driver %.40s", launch->launches,
		request->kind == WORK_LAUNCH ? "" : "es", session->units, session->device.driver);
	if (outcome != BENCH_OK)
		work->release(work);
	return outcome;
}
