/* One attempt at one benchmark: its worker process, and what follows from how that ended. What the daemon's own runner and
 * an agent on another node have in common, so that a benchmark runs and ends in the same way on both.
 *
 * Neither knows here who gave the benchmark or who takes its result. Any thread, one attempt at a time a device: a
 * worker dies with the thread that runs this (PR_SET_PDEATHSIG), so that thread stays until it is over. */
#ifndef FLEETPLAN_AGENT_ATTEMPT_H
#define FLEETPLAN_AGENT_ATTEMPT_H

#include "agent/devices.h"
#include "agent/job.h"

/* What is to be done with a benchmark whose worker has ended. */
enum bench_sequel {
	SEQUEL_SUCCEED,   /* deliver what was measured */
	SEQUEL_FAIL,      /* deliver the failure: trying again would lead to the same */
	SEQUEL_GIVE_BACK, /* without penalty: the device is busy */
	SEQUEL_TRY_AGAIN, /* something broke: another attempt, while there are any left */
	SEQUEL_AS_WISHED, /* it was stopped, and whoever stopped it knows why */
	SEQUEL_COUNT
};

struct bench_attempt {
	const char *program, *device;   /* which worker, on which device */
	double silence_s, term_grace_s; /* as of struct bench_worker */
	int wake_fd;
	void *context;
	bool (*on_tick)(void *context); /* four times a second, and when woken; false stops the worker */
};

/* Runs the worker of a claimed benchmark and gathers its lines in the job. `outcome` is for bench_worker_release. */
void bench_attempt_run(const struct bench_attempt *attempt, struct bench_job *job, struct bench_worker_outcome *outcome);

/* What follows from its end for the benchmark, and for the device. */
enum bench_sequel bench_sequel_of(enum bench_worker_end end);
enum bench_device_state bench_device_state_after(enum bench_worker_end end);

/* Marks the device as its worker left it; one that survived SIGKILL holds it until it is gone (bench_device_ready). */
void bench_attempt_mark(const struct bench_worker_outcome *outcome, struct bench_device_slot *slot);

/* The program that understands `bench --worker`: `given`, or with NULL this very program. Found once, at the start: later
 * the file may have been replaced, and the worker must be of our version. False when it cannot be found. */
bool bench_program_find(const char *given, char *out, size_t size);

#endif
