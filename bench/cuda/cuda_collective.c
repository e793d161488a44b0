/* A reduction over all devices of this node by NCCL: one process, with one communicator and one stream per device. */
#include <unistd.h>

#include "bench/cuda/cuda_session.h"
#include "bench/cuda/nccl.h"
#include "bench/device_lock.h"

enum { DEVICES_MAX = 64 };

/* Each device's operand is its number plus 1, so the sum is a whole number that differs from every operand. */
struct rank {
	int lock; /* of the device; -1: the session holds it, or it was not taken */
	struct cuda_context *context;
	struct cuda_stream *stream;
	struct cuda_event *from, *to;
	cuda_pointer in, out;
};

struct collective_work {
	struct cuda_work work;
	struct nccl nccl;
	size_t count;    /* floats */
	int ranks, made; /* made: number of initialised entries of `rank` */
	struct rank rank[DEVICES_MAX];
	struct nccl_communicator *communicators[DEVICES_MAX];
};

static enum bench_outcome judge(struct collective_work *collective, int code, const char *what, struct bench_reason *reason)
{
	if (code == NCCL_OK)
		return BENCH_OK;
	return bench_refuse(reason, BENCH_FAILED, "NCCL, %s: %s (%d)", what, collective->nccl.error_text(code), code);
}

/* Enqueues all ranks' parts of one reduction, each between its own events. */
static enum bench_outcome reduce(struct collective_work *collective, struct bench_reason *reason)
{
	struct bench_session *session = collective->work.session;
	const struct cuda_driver *driver = &session->driver;
	const struct nccl *nccl = &collective->nccl;
	enum bench_outcome outcome = BENCH_OK;
	int code = CUDA_OK, ended;

	for (int i = 0; i < collective->ranks && code == CUDA_OK; i++) {
		(void)driver->context_set(collective->rank[i].context);
		code = driver->event_record(collective->rank[i].from, collective->rank[i].stream);
	}
	outcome = cuda_session_judge(session, code, "an event", reason);
	if (outcome != BENCH_OK)
		return outcome;
	code = nccl->group_start();
	for (int i = 0; i < collective->ranks && code == NCCL_OK; i++) {
		uintptr_t in = (uintptr_t)collective->rank[i].in, out = (uintptr_t)collective->rank[i].out;

		code = nccl->all_reduce((const void *)in, (void *)out, collective->count, NCCL_FLOAT32, NCCL_SUM, collective->communicators[i],
			collective->rank[i].stream);
	}
	ended = nccl->group_end();
	outcome = judge(collective, code != NCCL_OK ? code : ended, "a reduction", reason);
	code = CUDA_OK;
	for (int i = 0; i < collective->ranks && code == CUDA_OK && outcome == BENCH_OK; i++) {
		(void)driver->context_set(collective->rank[i].context);
		code = driver->event_record(collective->rank[i].to, collective->rank[i].stream);
	}
	return outcome == BENCH_OK ? cuda_session_judge(session, code, "an event", reason) : outcome;
}

/* Measures the time of the slowest rank. All ranks begin within microseconds, and none ends before the last has sent
 * its part. */
static enum bench_outcome collective_run(struct bench_work *bench, double *elapsed_s, struct bench_reason *reason)
{
	struct collective_work *collective = bench->state;
	struct bench_session *session = collective->work.session;
	const struct cuda_driver *driver = &session->driver;
	enum bench_outcome outcome = reduce(collective, reason);

	*elapsed_s = 0;
	for (int i = 0; i < collective->ranks && outcome == BENCH_OK; i++) {
		float elapsed_ms = 0;
		int code;

		(void)driver->context_set(collective->rank[i].context);
		code = driver->event_synchronize(collective->rank[i].to);
		if (code == CUDA_OK)
			code = driver->event_elapsed_ms(&elapsed_ms, collective->rank[i].from, collective->rank[i].to);
		outcome = cuda_session_judge(session, code, "a reduction", reason);
		*elapsed_s = (double)elapsed_ms * 1e-3 > *elapsed_s ? (double)elapsed_ms * 1e-3 : *elapsed_s;
	}
	for (int i = 0; i < collective->ranks && outcome == BENCH_OK; i++) {
		int code = NCCL_OK;

		(void)collective->nccl.async_error(collective->communicators[i], &code);
		outcome = judge(collective, code, "a reduction", reason);
	}
	(void)driver->context_set(session->context);
	return outcome;
}

static enum bench_outcome collective_verify(struct bench_work *bench, struct bench_check *check, struct bench_reason *reason)
{
	struct collective_work *collective = bench->state;
	struct bench_session *session = collective->work.session;
	const struct cuda_driver *driver = &session->driver;
	double elapsed_s, expected = collective->ranks * (collective->ranks + 1) / 2.0;
	enum bench_outcome outcome = BENCH_OK;

	*check = (struct bench_check){.verified = true};
	for (int i = 0; i < collective->ranks && outcome == BENCH_OK; i++) {
		(void)driver->context_set(collective->rank[i].context);
		outcome = cuda_session_judge(session,
			driver->fill_bytes_async(collective->rank[i].out, 0xff, collective->count * sizeof(float), collective->rank[i].stream),
			"poisoning", reason);
	}
	if (outcome == BENCH_OK)
		outcome = collective_run(bench, &elapsed_s, reason);
	for (int i = 0; i < collective->ranks && outcome == BENCH_OK; i++) {
		size_t places[] = {0, collective->count / 2, collective->count - 1};

		(void)driver->context_set(collective->rank[i].context);
		for (size_t p = 0; p < COUNT_OF(places) && outcome == BENCH_OK; p++) {
			double value = 0;

			outcome = cuda_output_read(session, collective->rank[i].out, FORMAT_FP32, places[p], &value, reason);
			check->samples++;
			check->verified = check->verified && !(value < expected) && !(value > expected);
		}
	}
	(void)driver->context_set(session->context);
	return outcome;
}

static void rank_release(const struct bench_session *session, struct rank *rank, int ordinal)
{
	const struct cuda_driver *driver = &session->driver;

	if (rank->context) {
		(void)driver->context_set(rank->context);
		if (rank->in)
			(void)driver->memory_free(rank->in);
		if (rank->out)
			(void)driver->memory_free(rank->out);
		if (rank->from)
			(void)driver->event_free(rank->from);
		if (rank->to)
			(void)driver->event_free(rank->to);
		if (rank->stream)
			(void)driver->stream_free(rank->stream);
		(void)driver->primary_release(ordinal);
	}
	if (rank->lock >= 0)
		close(rank->lock);
}

static void collective_release(struct cuda_work *work)
{
	struct collective_work *collective = (struct collective_work *)work;

	for (int i = 0; i < collective->ranks; i++)
		if (collective->communicators[i])
			(void)(*work->session->lost ? collective->nccl.abort : collective->nccl.destroy)(collective->communicators[i]);
	for (int i = 0; i < collective->made; i++)
		rank_release(work->session, &collective->rank[i], i);
	(void)work->session->driver.context_set(work->session->context);
}

/* Locks the device, except the session's own device: the program already holds that lock. */
static enum bench_outcome rank_lock(struct bench_session *session, struct rank *rank, int ordinal, struct bench_reason *reason)
{
	char uuid[DEVICE_ID_MAX];

	if (ordinal == session->ordinal)
		return BENCH_OK;
	if (!cuda_uuid_of(&session->driver, ordinal, uuid, sizeof(uuid)))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the driver does not report the UUID of device %d", ordinal);
	if (bench_device_lock(uuid, &rank->lock, reason) == DEVICE_LOCKED)
		return BENCH_OK;
	rank->lock = -1;
	return BENCH_UNSUPPORTED;
}

static enum bench_outcome rank_fill(struct collective_work *collective, int ordinal, struct bench_reason *reason)
{
	struct bench_session *session = collective->work.session;
	struct rank *rank = &collective->rank[ordinal];
	float *values = malloc(collective->count * sizeof(float));
	enum bench_outcome outcome;

	if (!values)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	for (size_t i = 0; i < collective->count; i++)
		values[i] = (float)(ordinal + 1);
	outcome = cuda_upload(session, rank->in, values, collective->count * sizeof(float), reason);
	free(values);
	return outcome;
}

static enum bench_outcome rank_open(struct collective_work *collective, int ordinal, struct bench_reason *reason)
{
	struct bench_session *session = collective->work.session;
	const struct cuda_driver *driver = &session->driver;
	struct rank *rank = &collective->rank[ordinal];
	size_t bytes = collective->count * sizeof(float);
	enum bench_outcome outcome;
	int code;

	rank->lock = -1;
	collective->made++;
	outcome = rank_lock(session, rank, ordinal, reason);
	if (outcome != BENCH_OK)
		return outcome;
	code = driver->primary_retain(&rank->context, ordinal);
	if (code == CUDA_OK)
		code = driver->context_set(rank->context);
	if (code == CUDA_OK)
		code = driver->stream_new(&rank->stream, CUDA_STREAM_NON_BLOCKING);
	if (code == CUDA_OK)
		code = driver->event_new(&rank->from, 0);
	if (code == CUDA_OK)
		code = driver->event_new(&rank->to, 0);
	if (code == CUDA_OK)
		code = driver->memory_new(&rank->in, bytes);
	if (code == CUDA_OK)
		code = driver->memory_new(&rank->out, bytes);
	if (code == CUDA_OUT_OF_MEMORY)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "cannot allocate %.1f MiB on each device: %s (%d)", 2 * (double)bytes / 0x1p20,
			cuda_driver_code_name(driver, code), code);
	outcome = cuda_session_judge(session, code, "another device", reason);
	return outcome == BENCH_OK ? rank_fill(collective, ordinal, reason) : outcome;
}

static enum bench_outcome collective_open(struct collective_work *collective, struct bench_reason *reason)
{
	struct bench_session *session = collective->work.session;
	enum bench_outcome outcome = nccl_open(&collective->nccl, reason);
	int devices[DEVICES_MAX];

	for (int i = 0; i < collective->ranks && outcome == BENCH_OK; i++) {
		devices[i] = i;
		outcome = rank_open(collective, i, reason);
	}
	if (outcome == BENCH_OK)
		outcome = judge(
			collective, collective->nccl.init_all(collective->communicators, collective->ranks, devices), "the communicators", reason);
	(void)session->driver.context_set(session->context);
	return outcome;
}

CUDA_PREPARE(cuda_collective_prepare)
{
	struct collective_work *collective;
	enum bench_outcome outcome;
	int count = 0;

	if (session->driver.device_count(&count) != CUDA_OK || count < 2 || count > DEVICES_MAX)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "a reduction needs 2 to %d devices; this process sees %d", DEVICES_MAX, count);
	collective = cuda_work_new(session, request, sizeof(*collective), reason);
	if (!collective)
		return BENCH_FAILED;
	collective->ranks = count;
	collective->count = (size_t)(request->bytes / sizeof(float)) > 0 ? (size_t)(request->bytes / sizeof(float)) : 1;
	collective->work.release = collective_release;
	*work = (struct bench_work){.bytes = 2.0 * (count - 1) / count * (double)collective->count * sizeof(float)};
	cuda_work_fill(work, &collective->work);
	work->run = collective_run;
	work->verify = collective_verify;
	outcome = collective_open(collective, reason);
	snprintf(work->detail, sizeof(work->detail), "NCCL %d.%d.%d, %d devices", collective->nccl.version / 10000,
		collective->nccl.version / 100 % 100, collective->nccl.version % 100, count);
	if (outcome != BENCH_OK)
		work->release(work);
	return outcome;
}
