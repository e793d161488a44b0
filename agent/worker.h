/* Worker: starts one worker process and watches it until it and its process group have ended.
 *
 * The worker has its own process group, an empty signal mask and default signals. Its open descriptors are /dev/null as
 * stdin, a pipe for stdout and stderr (stored up to a maximum), and a pipe on descriptor 3 for its lines
 * (planner/measurement/bench_lines.h). It succeeds only if it exits with code 0 and writes exactly one result, which is its last line
 * and says ok, and its last line is complete. It is stopped at its deadline, when it is silent for too long, when a line
 * is not valid, and when the caller wants it: SIGTERM, after a grace SIGKILL, both to the whole group. Blocks; any
 * thread; no process-wide state. */
#ifndef FLEETPLAN_AGENT_WORKER_H
#define FLEETPLAN_AGENT_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "api/bench_protocol.h"
#include "base/buffer.h"

enum bench_worker_end {
	WORKER_SUCCEEDED,
	WORKER_FAILED,    /* the worker reported a failure */
	WORKER_BUSY,      /* the device is in use: try again later */
	WORKER_CRASHED,   /* a signal, an exit without a result, or an incomplete line */
	WORKER_MISSPOKE,  /* a line is not valid, too long or after the result; or result and exit code differ */
	WORKER_SILENT,    /* no line for silence_s, samples of sensors not counted: stopped */
	WORKER_OVERDUE,   /* past its deadline: stopped */
	WORKER_STOPPED,   /* the caller stopped it */
	WORKER_WEDGED,    /* survived SIGKILL: a driver blocks it */
	WORKER_UNSTARTED, /* the process cannot be started */
	WORKER_END_COUNT
};
const char *bench_worker_end_name(enum bench_worker_end end);

struct bench_worker {
	const char *program;
	char *const *arguments; /* NULL-terminated, argv[0] included */
	double deadline_s, silence_s;
	double term_grace_s, kill_grace_s; /* from SIGTERM to SIGKILL; from SIGKILL to WORKER_WEDGED */
	size_t log_bytes;                  /* stored of stdout and stderr together; the rest is dropped */
	int wake_fd;                       /* readable: call on_tick at once; -1: none. The caller empties it */
	void *context;
	/* Receives each valid line; `text` does not have the newline. May be NULL. */
	void (*on_line)(void *context, const struct bench_line *line, const char *text, size_t length);
	/* Called four times a second; false stops the worker. May be NULL. */
	bool (*on_tick)(void *context);
};

struct bench_worker_outcome {
	enum bench_worker_end end;
	int exit_code, signal; /* -1: the worker did not end in this way */
	pid_t pid;
	char detail[FAULT_DETAIL_MAX]; /* one sentence for a person */
	struct buffer log;             /* release with bench_worker_release() */
};

void bench_worker_run(const struct bench_worker *worker, struct bench_worker_outcome *outcome);
void bench_worker_release(struct bench_worker_outcome *outcome);

#endif
