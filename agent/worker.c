#include "agent/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/spawn.h"
#include "base/clock.h"

enum { POLL_MS = 20, TICK_MS = 250, READ_BYTES = 16 * 1024, LINE_ARENA_BYTES = 1024 * 1024 };

/* Seconds to read the pipes after the worker has exited; then they are closed, even if another process has them open. */
#define LINGER_S 1.0

#define EXIT_BUSY 75 /* the worker's code for a busy device: EX_TEMPFAIL of sysexits.h */

struct supervision {
	const struct bench_worker *worker;
	struct bench_worker_outcome *outcome;
	struct bench_process process;
	struct buffer line; /* the received part of the current line */
	struct arena arena; /* of one parsed line */
	struct failure failure;
	int64_t start_ns, heard_ns, tick_ns;
	int64_t stop_ns; /* when SIGTERM was sent; 0: not yet */
	int64_t left_ns; /* when the exit of the worker was noticed; 0: it runs */
	bool killed;
	size_t results;
	enum bench_worker_end said; /* the status of the result line */
	siginfo_t exit;
};

static const char *const end_names[WORKER_END_COUNT] = {
	[WORKER_SUCCEEDED] = "succeeded",
	[WORKER_FAILED] = "failed",
	[WORKER_BUSY] = "busy",
	[WORKER_CRASHED] = "crashed",
	[WORKER_MISSPOKE] = "misspoke",
	[WORKER_SILENT] = "silent",
	[WORKER_OVERDUE] = "overdue",
	[WORKER_STOPPED] = "stopped",
	[WORKER_WEDGED] = "wedged",
	[WORKER_UNSTARTED] = "unstarted",
};

const char *bench_worker_end_name(enum bench_worker_end end)
{
	return end_names[end];
}

static double since_s(int64_t moment_ns)
{
	return (double)(clock_monotonic_ns() - moment_ns) * 1e-9;
}

__attribute__((format(printf, 3, 4))) static void conclude(struct supervision *watch, enum bench_worker_end end, const char *format, ...)
{
	va_list arguments;

	watch->outcome->end = end;
	va_start(arguments, format);
	vsnprintf(watch->outcome->detail, sizeof(watch->outcome->detail), format, arguments);
	va_end(arguments);
}

static void send_group(struct supervision *watch, int number)
{
	if (kill(-watch->process.pid, number) && errno == ESRCH)
		(void)!kill(watch->process.pid, number); /* the child makes the group and may not have done so yet */
}

/* Sends SIGTERM. The outcome has the first reason. */
__attribute__((format(printf, 3, 4))) static void stop_worker(struct supervision *watch, enum bench_worker_end end, const char *format, ...)
{
	va_list arguments;

	if (watch->stop_ns || watch->left_ns)
		return;
	watch->stop_ns = clock_monotonic_ns();
	watch->outcome->end = end;
	va_start(arguments, format);
	vsnprintf(watch->outcome->detail, sizeof(watch->outcome->detail), format, arguments);
	va_end(arguments);
	send_group(watch, SIGTERM);
}

static enum bench_worker_end verdict_of(const char *status)
{
	return !strcmp(status, "ok") ? WORKER_SUCCEEDED : !strcmp(status, "busy") ? WORKER_BUSY : WORKER_FAILED;
}

static void take_line(struct supervision *watch, const char *text, size_t length)
{
	struct bench_line line;

	if (watch->outcome->end == WORKER_MISSPOKE)
		return;
	arena_reset(&watch->arena);
	if (bench_line_parse(text, length, &watch->arena, &line, &watch->failure) != STATUS_OK) {
		const struct fault *fault = watch->failure.fault_count ? &watch->failure.faults[0] : NULL;

		conclude(watch, WORKER_MISSPOKE, "a line of the worker is not valid: %s %s", fault ? fault->pointer : "",
			fault ? fault->detail : watch->failure.detail);
	} else if (watch->results) {
		conclude(watch, WORKER_MISSPOKE, "the worker wrote a line after its result");
	} else if (watch->worker->on_line && watch->outcome->end == WORKER_END_COUNT) {
		watch->worker->on_line(watch->worker->context, &line, text, length);
	}
	if (line.kind != BENCH_LINE_SAMPLE) /* the sensors' thread also runs while the work hangs */
		watch->heard_ns = clock_monotonic_ns();
	if (line.kind == BENCH_LINE_RESULT && watch->failure.status == STATUS_OK) {
		watch->results++;
		watch->said = verdict_of(line.as.result.status);
		if (line.as.result.reason && watch->outcome->end == WORKER_END_COUNT)
			snprintf(watch->outcome->detail, sizeof(watch->outcome->detail), "%s", line.as.result.reason);
	}
}

static void take_bytes(struct supervision *watch, const char *bytes, size_t length)
{
	while (length) {
		const char *newline = memchr(bytes, '\n', length);
		size_t piece = newline ? (size_t)(newline - bytes) : length;

		buffer_append(&watch->line, bytes, piece);
		if (watch->line.failed || watch->line.length >= BENCH_PROTOCOL_LINE_MAX) {
			if (watch->outcome->end == WORKER_END_COUNT)
				conclude(watch, WORKER_MISSPOKE, "a line of the worker is longer than %d bytes", BENCH_PROTOCOL_LINE_MAX);
			buffer_clear(&watch->line);
		} else if (newline) {
			take_line(watch, watch->line.bytes ? watch->line.bytes : "", watch->line.length);
			buffer_clear(&watch->line);
		}
		bytes += piece + (newline != NULL);
		length -= piece + (newline != NULL);
	}
}

/* Reads the available bytes. Closes the descriptor at its end and sets it to -1. */
static void read_pipe(struct supervision *watch, int *fd, void (*take)(struct supervision *, const char *, size_t))
{
	char bytes[READ_BYTES];

	while (*fd >= 0) {
		ssize_t got = read(*fd, bytes, sizeof(bytes));

		if (got > 0) {
			take(watch, bytes, (size_t)got);
		} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
			close(*fd);
			*fd = -1;
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

static void take_log(struct supervision *watch, const char *bytes, size_t length)
{
	struct buffer *log = &watch->outcome->log;
	size_t room = watch->worker->log_bytes - log->length;

	buffer_append(log, bytes, length < room ? length : room);
}

/* Notices the exit of the worker without reaping it, so that its process id and group id are not reused. Kills the other
 * processes of its group. */
static void look_for_exit(struct supervision *watch)
{
	watch->exit.si_pid = 0;
	if (watch->left_ns || waitid(P_PID, (id_t)watch->process.pid, &watch->exit, WEXITED | WNOHANG | WNOWAIT) || !watch->exit.si_pid)
		return;
	watch->left_ns = clock_monotonic_ns();
	send_group(watch, SIGKILL);
}

static void enforce_limits(struct supervision *watch)
{
	const struct bench_worker *worker = watch->worker;

	if (watch->left_ns)
		return;
	if (watch->outcome->end == WORKER_MISSPOKE && !watch->stop_ns) {
		watch->stop_ns = clock_monotonic_ns();
		send_group(watch, SIGTERM);
	}
	if (since_s(watch->start_ns) > worker->deadline_s)
		stop_worker(watch, WORKER_OVERDUE, "the worker did not end within %.3g s", worker->deadline_s);
	else if (since_s(watch->heard_ns) > worker->silence_s)
		stop_worker(watch, WORKER_SILENT, "the worker wrote no line for %.3g s", worker->silence_s);
	if (watch->stop_ns && !watch->killed && since_s(watch->stop_ns) > worker->term_grace_s) {
		watch->killed = true;
		send_group(watch, SIGKILL);
	}
}

static void call_on_tick(struct supervision *watch, bool now)
{
	const struct bench_worker *worker = watch->worker;

	if (!worker->on_tick || watch->left_ns || (!now && since_s(watch->tick_ns) < TICK_MS * 1e-3))
		return;
	watch->tick_ns = clock_monotonic_ns();
	if (!worker->on_tick(worker->context))
		stop_worker(watch, WORKER_STOPPED, "the benchmark was stopped");
}

static bool is_wedged(const struct supervision *watch)
{
	return watch->killed && !watch->left_ns && since_s(watch->stop_ns) > watch->worker->term_grace_s + watch->worker->kill_grace_s;
}

/* True while the worker runs, or its pipes are open and LINGER_S has not passed. */
static bool is_under_way(const struct supervision *watch)
{
	if (!watch->left_ns)
		return !is_wedged(watch);
	return (watch->process.lines_fd >= 0 || watch->process.log_fd >= 0) && since_s(watch->left_ns) < LINGER_S;
}

static void watch_until_left(struct supervision *watch)
{
	while (is_under_way(watch)) {
		struct pollfd polled[] = {{.fd = watch->process.lines_fd, .events = POLLIN}, {.fd = watch->process.log_fd, .events = POLLIN},
			{.fd = watch->worker->wake_fd, .events = POLLIN}};
		int ready = poll(polled, watch->left_ns ? 2 : 3, POLL_MS);

		read_pipe(watch, &watch->process.lines_fd, take_bytes);
		read_pipe(watch, &watch->process.log_fd, take_log);
		call_on_tick(watch, ready > 0 && !watch->left_ns && polled[2].revents);
		enforce_limits(watch);
		look_for_exit(watch);
	}
}

/* Sets the outcome of an exit that the caller did not cause, from its code and the result line. */
static void judge_exit(struct supervision *watch)
{
	struct bench_worker_outcome *outcome = watch->outcome;
	bool ok = watch->said == WORKER_SUCCEEDED, busy = watch->said == WORKER_BUSY;

	if (outcome->signal >= 0)
		conclude(watch, WORKER_CRASHED, "the worker was ended by signal %d (%s)", outcome->signal, strsignal(outcome->signal));
	else if (watch->line.length)
		conclude(watch, WORKER_CRASHED, "the worker's last line is cut off after %zu bytes", watch->line.length);
	else if (!watch->results)
		conclude(watch, WORKER_CRASHED, "the worker ended with exit code %d and without a result", outcome->exit_code);
	else if (ok != (outcome->exit_code == 0) || busy != (outcome->exit_code == EXIT_BUSY))
		conclude(watch, WORKER_MISSPOKE, "the worker's result and its exit code %d contradict each other", outcome->exit_code);
	else
		outcome->end = watch->said;
}

static void reap_worker(struct supervision *watch)
{
	struct bench_worker_outcome *outcome = watch->outcome;
	int status;

	if (watch->left_ns && waitpid(watch->process.pid, &status, 0) == watch->process.pid) {
		outcome->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
	}
	if (watch->process.lines_fd >= 0)
		close(watch->process.lines_fd);
	if (watch->process.log_fd >= 0)
		close(watch->process.log_fd);
	if (!watch->left_ns)
		conclude(watch, WORKER_WEDGED, "the worker survived SIGKILL: the device's driver blocks it");
	else if (outcome->end == WORKER_END_COUNT)
		judge_exit(watch);
}

void bench_worker_run(const struct bench_worker *worker, struct bench_worker_outcome *outcome)
{
	struct supervision *watch = calloc(1, sizeof(*watch));
	int error = watch ? 0 : ENOMEM;

	*outcome = (struct bench_worker_outcome){.end = WORKER_END_COUNT, .exit_code = -1, .signal = -1, .pid = -1};
	buffer_init(&outcome->log, worker->log_bytes + 1);
	if (!error)
		error = bench_spawn(worker->program, worker->arguments, &watch->process);
	if (error) {
		outcome->end = WORKER_UNSTARTED;
		snprintf(outcome->detail, sizeof(outcome->detail), "%.200s cannot be started: %s", worker->program, strerror(error));
		free(watch);
		return;
	}
	watch->worker = worker;
	watch->outcome = outcome;
	watch->start_ns = watch->heard_ns = watch->tick_ns = clock_monotonic_ns();
	outcome->pid = watch->process.pid;
	buffer_init(&watch->line, 2 * BENCH_PROTOCOL_LINE_MAX);
	arena_init(&watch->arena, LINE_ARENA_BYTES);
	watch_until_left(watch);
	reap_worker(watch);
	buffer_release(&watch->line);
	arena_release(&watch->arena);
	free(watch);
}

void bench_worker_release(struct bench_worker_outcome *outcome)
{
	buffer_release(&outcome->log);
}
