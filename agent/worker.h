/* One worker process, started and watched until nothing of it is left.
 *
 * The worker has its own process group, an empty signal mask, default signals, nothing open but /dev/null as its
 * stdin, a pipe for stdout and stderr that is kept up to a maximum, and a pipe on descriptor 3 for its lines
 * (api/bench_protocol.h). It succeeded only when it left with exit code 0, wrote exactly one result, which was its last
 * line and said ok, and ended no line in the middle. It is stopped (SIGTERM, after a grace SIGKILL, both to the whole group) at its deadline,
 * when it falls silent, when a line is not one, and when the caller says so. Blocks; any thread; no process-wide state. */
#ifndef FLEETPLAN_AGENT_WORKER_H
#define FLEETPLAN_AGENT_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "api/bench_protocol.h"
#include "base/buffer.h"

enum bench_worker_end {
	WORKER_SUCCEEDED,
	WORKER_FAILED,    /* it said so, orderly */
	WORKER_BUSY,      /* the device is in use: try again later */
	WORKER_CRASHED,   /* a signal, an exit without a result, a line cut off */
	WORKER_MISSPOKE,  /* a line that is not one, too long, or after the result */
	WORKER_SILENT,    /* nothing heard for silence_s, samples of sensors left out: stopped */
	WORKER_OVERDUE,   /* past its deadline: stopped */
	WORKER_STOPPED,   /* as the caller wished */
	WORKER_WEDGED,    /* survived SIGKILL: a driver holds it */
	WORKER_UNSTARTED,
	WORKER_END_COUNT
};
const char *bench_worker_end_name(enum bench_worker_end end);

struct bench_worker {
	const char *program;
	char *const *arguments; /* NULL-terminated, argv[0] included */
	double deadline_s, silence_s;
	double term_grace_s, kill_grace_s; /* from SIGTERM to SIGKILL, from there to giving up */
	size_t log_bytes;       /* of stdout and stderr together; what follows is dropped */
	int wake_fd;            /* becomes readable when on_tick should be called at once; -1: none. The caller drains it */
	void *context;
	/* Every valid line as it comes; `text` is without its newline. May be NULL. */
	void (*on_line)(void *context, const struct bench_line *line, const char *text, size_t length);
	/* Four times a second; false stops the worker. May be NULL. */
	bool (*on_tick)(void *context);
};

struct bench_worker_outcome {
	enum bench_worker_end end;
	int exit_code, signal; /* -1: did not leave so */
	pid_t pid;
	char detail[FAULT_DETAIL_MAX]; /* one sentence for a person */
	struct buffer log;             /* to be released with bench_worker_release */
};

void bench_worker_run(const struct bench_worker *worker, struct bench_worker_outcome *outcome);
void bench_worker_release(struct bench_worker_outcome *outcome);

#endif
