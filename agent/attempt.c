#include "agent/attempt.h"

#include <unistd.h>

#include "bench/suite/suite.h"

enum { WORKER_LOG_BYTES = 1024 * 1024 };

/* Seconds after SIGKILL until a worker counts as wedged. */
#define KILL_GRACE_S 10.0

static const struct bench_consequence {
	enum bench_sequel sequel;
	enum bench_device_state state;
} consequences[WORKER_END_COUNT] = {
	[WORKER_SUCCEEDED] = {SEQUEL_SUCCEED, DEVICE_IDLE},
	[WORKER_FAILED] = {SEQUEL_FAIL, DEVICE_IDLE},
	[WORKER_BUSY] = {SEQUEL_GIVE_BACK, DEVICE_IDLE},
	[WORKER_CRASHED] = {SEQUEL_TRY_AGAIN, DEVICE_SUSPECT},
	[WORKER_MISSPOKE] = {SEQUEL_TRY_AGAIN, DEVICE_SUSPECT},
	[WORKER_SILENT] = {SEQUEL_TRY_AGAIN, DEVICE_SUSPECT},
	[WORKER_OVERDUE] = {SEQUEL_TRY_AGAIN, DEVICE_SUSPECT},
	[WORKER_STOPPED] = {SEQUEL_AS_WISHED, DEVICE_IDLE},
	[WORKER_WEDGED] = {SEQUEL_TRY_AGAIN, DEVICE_WEDGED},
	[WORKER_UNSTARTED] = {SEQUEL_TRY_AGAIN, DEVICE_IDLE},
};

enum bench_sequel bench_sequel_of(enum bench_worker_end end)
{
	CHECK(end < WORKER_END_COUNT);
	return consequences[end].sequel;
}

enum bench_device_state bench_device_state_after(enum bench_worker_end end)
{
	CHECK(end < WORKER_END_COUNT);
	return consequences[end].state;
}

void bench_attempt_mark(const struct bench_worker_outcome *outcome, struct bench_device_slot *slot)
{
	enum bench_device_state state = bench_device_state_after(outcome->end);

	slot->wedged = state == DEVICE_WEDGED ? outcome->pid : 0;
	bench_device_mark(slot, state, state == DEVICE_IDLE ? NULL : outcome->detail);
}

bool bench_program_find(const char *given, char *out, size_t size)
{
	ssize_t length;

	if (given && *given)
		return snprintf(out, size, "%s", given) < (int)size;
	length = readlink("/proc/self/exe", out, size - 1);
	out[length > 0 ? length : 0] = '\0';
	return length > 0;
}

struct attempt_call {
	const struct bench_attempt *attempt;
	struct bench_job *job;
};

static void on_line(void *context, const struct bench_line *line, const char *text, size_t length)
{
	const struct attempt_call *call = context;

	bench_job_take(call->job, line, text, length);
}

static bool on_tick(void *context)
{
	const struct attempt_call *call = context;

	return call->attempt->on_tick(call->attempt->context);
}

static void run_worker(struct attempt_call *call, struct bench_worker_outcome *outcome)
{
	const struct bench_attempt *attempt = call->attempt;
	struct bench_job *job = call->job;
	const struct json_text *wanted = &job->record.shapes;
	char *shapes = wanted->text ? arena_strndup(&job->arena, wanted->text, wanted->length) : NULL;
	double longest_s = bench_deadline_s(job->budget_s), budget_s = given_or(job->record.timeout_s, longest_s);
	double deadline_s = budget_s < longest_s ? budget_s : longest_s;
	char name[] = "fleetplan", command[] = "bench", role[] = "--worker", device[] = "--device", suite[] = "--suite", parent[] = "--parent",
		 deadline[] = "--deadline", spec[] = "--spec", pid[24], seconds[24], id[BENCH_DEVICE_ID_MAX], tests[4096];
	char *const arguments[] = {
		name, command, role, device, id, suite, tests, parent, pid, deadline, seconds, shapes ? spec : NULL, shapes, NULL};
	struct bench_worker worker = {.program = attempt->program,
		.arguments = arguments,
		.deadline_s = deadline_s,
		.silence_s = attempt->silence_s,
		.term_grace_s = attempt->term_grace_s,
		.kill_grace_s = KILL_GRACE_S,
		.log_bytes = WORKER_LOG_BYTES,
		.wake_fd = attempt->wake_fd,
		.context = call,
		.on_line = on_line,
		.on_tick = on_tick};

	if (wanted->text && !shapes) {
		outcome->end = WORKER_UNSTARTED;
		snprintf(outcome->detail, sizeof(outcome->detail), "no memory for the shapes of the plan");
		return;
	}
	snprintf(id, sizeof(id), "%s", attempt->device);
	snprintf(tests, sizeof(tests), "%s", job->suite);
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	snprintf(seconds, sizeof(seconds), "%.3f", deadline_s);
	bench_worker_run(&worker, outcome);
}

void bench_attempt_run(const struct bench_attempt *attempt, struct bench_job *job, struct bench_worker_outcome *outcome)
{
	struct attempt_call call = {attempt, job};

	*outcome = (struct bench_worker_outcome){.end = WORKER_FAILED, .exit_code = -1, .signal = -1, .pid = -1};
	buffer_init(&outcome->log, 1);
	if (!bench_job_plan(job, outcome->detail, sizeof(outcome->detail)))
		return;
	run_worker(&call, outcome);
	bench_job_judge(job, outcome);
}
