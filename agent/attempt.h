/* An attempt at a benchmark: runs its worker process and says what to do after its end. The daemon's own runner and the
 * agents use it, so that a benchmark runs and ends in the same way for both.
 *
 * Independent of the source of the benchmark and of the receiver of its result. Any thread, one attempt per device at a
 * time. The worker dies with the thread that runs the attempt (PR_SET_PDEATHSIG): the thread must live until then. */
#ifndef FLEETPLAN_AGENT_ATTEMPT_H
#define FLEETPLAN_AGENT_ATTEMPT_H

#include "agent/devices.h"
#include "agent/job.h"

/* What to do with a benchmark whose worker has ended. */
enum bench_sequel {
	SEQUEL_SUCCEED,   /* deliver the result */
	SEQUEL_FAIL,      /* deliver the failure: another attempt would fail too */
	SEQUEL_GIVE_BACK, /* release the benchmark, which costs no attempt: the device is busy */
	SEQUEL_TRY_AGAIN, /* the worker broke: another attempt, if one is left */
	SEQUEL_AS_WISHED, /* the caller stopped the worker and decides */
	SEQUEL_COUNT
};

struct bench_attempt {
	const char *program, *device;   /* the program of the worker, and the id of the device */
	double silence_s, term_grace_s; /* as in struct bench_worker */
	int wake_fd;
	void *context;
	bool (*on_tick)(void *context); /* four times a second, and when woken; false stops the worker */
};

/* Runs the worker of a claimed benchmark and stores its lines in the job. Release `outcome` with bench_worker_release(). */
void bench_attempt_run(const struct bench_attempt *attempt, struct bench_job *job, struct bench_worker_outcome *outcome);

/* The consequence of a worker's end for the benchmark, and for the device. */
enum bench_sequel bench_sequel_of(enum bench_worker_end end);
enum bench_device_state bench_device_state_after(enum bench_worker_end end);

/* Sets the state of the device. A worker that survived SIGKILL blocks it until the process ends (bench_device_ready). */
void bench_attempt_mark(const struct bench_worker_outcome *outcome, struct bench_device_slot *slot);

/* Finds the program for `bench --worker`: `given`, or this program if NULL or "". Call it once, at the start: the file may
 * be replaced later, and the worker must have our version. False: not found. */
bool bench_program_find(const char *given, char *out, size_t size);

#endif
