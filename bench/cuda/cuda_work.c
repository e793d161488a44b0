/* Runs work on the device's clock, and checks it. */
#include "bench/cuda/cuda_session.h"

/* Rounds of a register-only kernel (some 20 us) that keep the device busy while the host puts the run on the stream.
 * Without them, the time between the two events would include waiting for the host. */
enum { HOLD_ROUNDS = 64 };

static bool device_is_lost(int code)
{
	return (code >= CUDA_ILLEGAL_ADDRESS && code < 800 && code != CUDA_PEER_ALREADY_ENABLED) || code == CUDA_UNKNOWN || code == 214 ||
		code == 46;
}

enum bench_outcome cuda_session_judge(struct bench_session *session, int code, const char *what, struct bench_reason *reason)
{
	enum bench_outcome outcome = cuda_driver_judge(&session->driver, code, what, reason);

	if (device_is_lost(code) && !*session->lost)
		snprintf(session->lost, sizeof(session->lost), "%s", reason->text);
	return outcome;
}

enum bench_outcome cuda_session_wait(struct bench_session *session, struct bench_reason *reason)
{
	return cuda_session_judge(session, session->driver.stream_synchronize(session->stream), "waiting for the device", reason);
}

void *cuda_work_new(struct bench_session *session, const struct bench_work_request *request, size_t size, struct bench_reason *reason)
{
	struct cuda_work *work = calloc(1, size);

	if (!work) {
		bench_refuse(reason, BENCH_FAILED, "out of memory");
		return NULL;
	}
	*work = (struct cuda_work){.session = session, .cold = request->cold, .alive = request->alive};
	return work;
}

enum bench_outcome cuda_session_launch(struct bench_session *session, struct cuda_function *function, struct kernel_groups groups,
	void **arguments, struct bench_reason *reason)
{
	int code = session->driver.launch(function, groups.x, groups.y, groups.z, KERNEL_GROUP_ITEMS, 1, 1, 0, session->stream, arguments, NULL);

	return cuda_session_judge(session, code, "a launch", reason);
}

static enum bench_outcome flush_caches(struct bench_session *session, struct bench_reason *reason)
{
	/* Writes twice the size of the cache, so that none of the operands stays in it under any replacement policy. */
	return cuda_session_judge(session, session->driver.fill_bytes_async(session->flush.at, 0, session->flush.bytes, session->stream),
		"flushing the cache", reason);
}

static enum bench_outcome hold_device(struct bench_session *session, struct bench_reason *reason)
{
	unsigned rounds = HOLD_ROUNDS;
	float turn = 0.125f;
	void *arguments[] = {&session->flush.at, &rounds, &turn};

	return cuda_session_launch(session, session->hold, (struct kernel_groups){1, 1, 1}, arguments, reason);
}

static enum bench_outcome enqueue_timed(struct cuda_work *work, struct bench_reason *reason)
{
	struct bench_session *session = work->session;
	const struct cuda_driver *driver = &session->driver;
	enum bench_outcome outcome = work->cold ? flush_caches(session, reason) : BENCH_OK;

	if (outcome == BENCH_OK)
		outcome = hold_device(session, reason);
	if (outcome == BENCH_OK)
		outcome = cuda_session_judge(session, driver->event_record(session->from, session->stream), "an event", reason);
	if (outcome == BENCH_OK)
		outcome = work->enqueue(work, reason);
	if (outcome == BENCH_OK)
		outcome = cuda_session_judge(session, driver->event_record(session->to, session->stream), "an event", reason);
	return outcome;
}

enum bench_outcome cuda_work_run(struct bench_work *bench, double *elapsed_s, struct bench_reason *reason)
{
	struct cuda_work *work = bench->state;
	struct bench_session *session = work->session;
	enum bench_outcome outcome = enqueue_timed(work, reason);
	float elapsed_ms = 0;

	if (outcome == BENCH_OK)
		outcome = cuda_session_judge(session, session->driver.event_synchronize(session->to), "a run", reason);
	if (outcome == BENCH_OK)
		outcome = cuda_session_judge(
			session, session->driver.event_elapsed_ms(&elapsed_ms, session->from, session->to), "the time of a run", reason);
	if (work->alive)
		atomic_fetch_add_explicit(work->alive, 1, memory_order_relaxed);
	*elapsed_s = (double)elapsed_ms * 1e-3;
	return outcome;
}

static enum bench_outcome work_verify(struct bench_work *bench, struct bench_check *check, struct bench_reason *reason)
{
	struct cuda_work *work = bench->state;
	enum bench_outcome outcome = BENCH_OK;
	double elapsed_s;

	*check = (struct bench_check){.verified = false};
	if (work->poison)
		outcome = work->poison(work, reason);
	if (outcome == BENCH_OK)
		outcome = bench->run(bench, &elapsed_s, reason);
	return outcome == BENCH_OK ? work->check(work, check, reason) : outcome;
}

static void work_release(struct bench_work *bench)
{
	struct cuda_work *work = bench->state;

	if (work) {
		if (work->release)
			work->release(work);
		work->session->live -= work->counted;
	}
	free(work);
	bench->state = NULL;
}

void cuda_work_fill(struct bench_work *bench, struct cuda_work *work)
{
	bench->state = work;
	bench->run = cuda_work_run;
	bench->verify = work_verify;
	bench->release = work_release;
}
