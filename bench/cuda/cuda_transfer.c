/* Copies between host and device, and between devices, by the copy engines. */
#include <sys/mman.h>
#include <unistd.h>

#include "bench/cuda/cuda_session.h"
#include "bench/device_lock.h"
#include "bench/random.h"

struct transfer_work {
	struct cuda_work work;
	struct bench_transfer transfer;
	size_t bytes;
	uint64_t *host[2];      /* index: enum bench_direction; source of copies to the device, target of copies from it */
	cuda_pointer device[2]; /* target of copies to the device, source of copies from it */
};

struct peer_work {
	struct cuda_work work;
	size_t bytes;
	int peer, lock;
	struct cuda_context *context;
	cuda_pointer from, to; /* on this device; on the peer */
};

static uint64_t word(size_t i)
{
	uint64_t state = i;

	return random_next(&state);
}

static enum bench_outcome pattern_upload(struct bench_session *session, cuda_pointer at, size_t bytes, struct bench_reason *reason)
{
	size_t count = bytes / sizeof(uint64_t);
	uint64_t *words = malloc(bytes);
	enum bench_outcome outcome;

	if (!words)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	for (size_t i = 0; i < count; i++)
		words[i] = word(i);
	outcome = cuda_upload(session, at, words, bytes, reason);
	free(words);
	return outcome;
}

static size_t sampled(int s, size_t count, uint64_t *seed)
{
	return s == 0 ? 0 : s == 1 ? count - 1 : random_next(seed) % count;
}

static enum bench_outcome device_check(
	struct bench_session *session, cuda_pointer at, size_t bytes, struct bench_check *check, struct bench_reason *reason)
{
	enum bench_outcome outcome = BENCH_OK;
	size_t count = bytes / sizeof(uint64_t);
	uint64_t seed = 1;

	check->samples += CUDA_SAMPLES;
	for (int s = 0; s < CUDA_SAMPLES && outcome == BENCH_OK; s++) {
		size_t i = sampled(s, count, &seed);
		uint64_t value = 0;

		outcome = cuda_session_judge(
			session, session->driver.copy_out(&value, at + i * sizeof(value), sizeof(value)), "reading what arrived", reason);
		check->verified = check->verified && value == word(i);
	}
	return outcome;
}

static void host_check(const uint64_t *words, size_t bytes, struct bench_check *check)
{
	uint64_t seed = 1;

	check->samples += CUDA_SAMPLES;
	for (int s = 0; s < CUDA_SAMPLES; s++) {
		size_t i = sampled(s, bytes / sizeof(uint64_t), &seed);

		check->verified = check->verified && words[i] == word(i);
	}
}

static bool goes(const struct transfer_work *transfer, enum bench_direction way)
{
	return transfer->transfer.direction == way || transfer->transfer.direction == DIRECTION_BOTH;
}

/* For both directions, the copy from the device runs on a second stream, which begins and ends together with the
 * first. */
static enum bench_outcome transfer_enqueue(struct cuda_work *work, struct bench_reason *reason)
{
	struct transfer_work *transfer = (struct transfer_work *)work;
	struct bench_session *session = work->session;
	const struct cuda_driver *driver = &session->driver;
	bool both = transfer->transfer.direction == DIRECTION_BOTH;
	struct cuda_stream *back = both ? session->second : session->stream;
	int code = CUDA_OK;

	if (both)
		code = driver->stream_wait_event(back, session->from, 0);
	if (code == CUDA_OK && goes(transfer, DIRECTION_TO_DEVICE))
		code = driver->copy_in_async(
			transfer->device[DIRECTION_TO_DEVICE], transfer->host[DIRECTION_TO_DEVICE], transfer->bytes, session->stream);
	if (code == CUDA_OK && goes(transfer, DIRECTION_FROM_DEVICE))
		code = driver->copy_out_async(transfer->host[DIRECTION_FROM_DEVICE], transfer->device[DIRECTION_FROM_DEVICE], transfer->bytes, back);
	if (code == CUDA_OK && both)
		code = driver->event_record(session->aside, back);
	if (code == CUDA_OK && both)
		code = driver->stream_wait_event(session->stream, session->aside, 0);
	return cuda_session_judge(session, code, "a transfer", reason);
}

static enum bench_outcome transfer_poison(struct cuda_work *work, struct bench_reason *reason)
{
	struct transfer_work *transfer = (struct transfer_work *)work;

	if (goes(transfer, DIRECTION_FROM_DEVICE))
		memset(transfer->host[DIRECTION_FROM_DEVICE], 0xff, transfer->bytes);
	return goes(transfer, DIRECTION_TO_DEVICE)
		? cuda_operand_poison(work->session, transfer->device[DIRECTION_TO_DEVICE], transfer->bytes, reason)
		: BENCH_OK;
}

static enum bench_outcome transfer_check(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct transfer_work *transfer = (struct transfer_work *)work;

	*check = (struct bench_check){.verified = true};
	if (goes(transfer, DIRECTION_FROM_DEVICE))
		host_check(transfer->host[DIRECTION_FROM_DEVICE], transfer->bytes, check);
	return goes(transfer, DIRECTION_TO_DEVICE)
		? device_check(work->session, transfer->device[DIRECTION_TO_DEVICE], transfer->bytes, check, reason)
		: BENCH_OK;
}

static void transfer_release(struct cuda_work *work)
{
	struct transfer_work *transfer = (struct transfer_work *)work;
	const struct cuda_driver *driver = &work->session->driver;

	for (int way = 0; way < DIRECTION_BOTH; way++) {
		if (transfer->host[way] && transfer->transfer.pinned)
			(void)driver->host_free(transfer->host[way]);
		else if (transfer->host[way])
			munmap(transfer->host[way], transfer->bytes);
		if (transfer->device[way])
			(void)driver->memory_free(transfer->device[way]);
	}
}

static enum bench_outcome host_memory(struct transfer_work *transfer, enum bench_direction way, struct bench_reason *reason)
{
	struct bench_session *session = transfer->work.session;
	void *memory = NULL;

	if (transfer->transfer.pinned) {
		int code = session->driver.host_new(&memory, transfer->bytes, 0);

		if (code != CUDA_OK)
			return bench_refuse(reason, BENCH_UNSUPPORTED, "cannot allocate %.1f MiB of pinned memory: %s (%d)",
				(double)transfer->bytes / 0x1p20, cuda_driver_code_name(&session->driver, code), code);
	} else {
		memory = mmap(NULL, transfer->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return bench_refuse(reason, BENCH_UNSUPPORTED, "cannot allocate %.1f MiB of host memory", (double)transfer->bytes / 0x1p20);
	}
	transfer->host[way] = memory;
	for (size_t i = 0; i < transfer->bytes / sizeof(uint64_t); i++)
		transfer->host[way][i] = word(i);
	return BENCH_OK;
}

static enum bench_outcome transfer_memory(struct transfer_work *transfer, struct bench_reason *reason)
{
	struct bench_session *session = transfer->work.session;
	enum bench_outcome outcome = BENCH_OK;

	for (enum bench_direction way = DIRECTION_TO_DEVICE; way < DIRECTION_BOTH && outcome == BENCH_OK; way++) {
		struct cuda_operand device = {0};

		if (!goes(transfer, way))
			continue;
		outcome = cuda_memory_need(session, &device, transfer->bytes, reason);
		transfer->device[way] = device.at;
		if (outcome == BENCH_OK)
			outcome = host_memory(transfer, way, reason);
	}
	if (outcome == BENCH_OK && goes(transfer, DIRECTION_FROM_DEVICE))
		outcome = pattern_upload(session, transfer->device[DIRECTION_FROM_DEVICE], transfer->bytes, reason);
	return outcome;
}

CUDA_PREPARE(cuda_transfer_prepare)
{
	const struct bench_transfer *wanted = &request->transfer;
	struct transfer_work *transfer;
	enum bench_outcome outcome;

	if (wanted->direction == DIRECTION_BOTH && !wanted->pinned)
		return bench_refuse(reason, BENCH_UNSUPPORTED,
			"copies of pageable memory wait for each other; both directions at once need pinned memory, not pageable");
	transfer = cuda_work_new(session, request, sizeof(*transfer), reason);
	if (!transfer)
		return BENCH_FAILED;
	transfer->transfer = *wanted;
	transfer->bytes = ((size_t)(wanted->bytes > 8 ? wanted->bytes : 8) + 7) / 8 * 8;
	transfer->work.enqueue = transfer_enqueue;
	transfer->work.poison = transfer_poison;
	transfer->work.check = transfer_check;
	transfer->work.release = transfer_release;
	*work = (struct bench_work){.bytes = (double)transfer->bytes * (wanted->direction == DIRECTION_BOTH ? 2 : 1)};
	cuda_work_fill(work, &transfer->work);
	snprintf(work->detail, sizeof(work->detail), "%s, %s memory", bench_direction_name(wanted->direction),
		wanted->pinned ? "pinned" : "pageable");
	outcome = transfer_memory(transfer, reason);
	if (outcome != BENCH_OK)
		work->release(work);
	return outcome;
}

static enum bench_outcome peer_enqueue(struct cuda_work *work, struct bench_reason *reason)
{
	struct peer_work *peer = (struct peer_work *)work;
	struct bench_session *session = work->session;

	return cuda_session_judge(session,
		session->driver.copy_peer_async(peer->to, peer->context, peer->from, session->context, peer->bytes, session->stream),
		"a copy to a peer", reason);
}

static enum bench_outcome in_peer(struct peer_work *peer, int code, const char *what, struct bench_reason *reason)
{
	struct bench_session *session = peer->work.session;
	enum bench_outcome outcome = cuda_session_judge(session, code, what, reason);

	(void)session->driver.context_set(session->context);
	return outcome;
}

static enum bench_outcome peer_poison(struct cuda_work *work, struct bench_reason *reason)
{
	struct peer_work *peer = (struct peer_work *)work;
	const struct cuda_driver *driver = &work->session->driver;
	int code = driver->context_set(peer->context);

	if (code == CUDA_OK)
		code = driver->fill_bytes_async(peer->to, 0xff, peer->bytes, NULL);
	if (code == CUDA_OK)
		code = driver->context_synchronize();
	return in_peer(peer, code, "poisoning the peer's memory", reason);
}

static enum bench_outcome peer_check(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct peer_work *peer = (struct peer_work *)work;
	enum bench_outcome outcome;

	*check = (struct bench_check){.verified = true};
	(void)work->session->driver.context_set(peer->context);
	outcome = device_check(work->session, peer->to, peer->bytes, check, reason);
	(void)work->session->driver.context_set(work->session->context);
	return outcome;
}

static void peer_release(struct cuda_work *work)
{
	struct peer_work *peer = (struct peer_work *)work;
	const struct cuda_driver *driver = &work->session->driver;

	if (peer->from)
		(void)driver->memory_free(peer->from);
	if (peer->context) {
		(void)driver->context_set(peer->context);
		if (peer->to)
			(void)driver->memory_free(peer->to);
		(void)driver->context_set(work->session->context);
		(void)driver->primary_release(peer->peer);
	}
	if (peer->lock >= 0)
		close(peer->lock);
}

/* Opens the peer's context, allocates memory on both devices, and enables direct access if there is a direct link. */
static enum bench_outcome peer_open(struct peer_work *peer, int *direct, struct bench_reason *reason)
{
	struct bench_session *session = peer->work.session;
	const struct cuda_driver *driver = &session->driver;
	struct cuda_operand here = {0};
	int code = driver->can_access_peer ? driver->can_access_peer(direct, session->ordinal, peer->peer) : CUDA_OK;
	enum bench_outcome outcome;

	if (code == CUDA_OK)
		code = driver->primary_retain(&peer->context, peer->peer);
	if (code == CUDA_OK && *direct && driver->enable_peer) {
		code = driver->enable_peer(peer->context, 0);
		if (code == CUDA_PEER_ALREADY_ENABLED)
			code = CUDA_OK;
	}
	if (code == CUDA_OK) {
		(void)driver->context_set(peer->context);
		code = driver->memory_new(&peer->to, peer->bytes);
	}
	outcome = in_peer(peer, code, "memory of the peer", reason);
	if (outcome == BENCH_OK)
		outcome = cuda_memory_need(session, &here, peer->bytes, reason);
	peer->from = here.at;
	return outcome == BENCH_OK ? pattern_upload(session, peer->from, peer->bytes, reason) : outcome;
}

CUDA_PREPARE(cuda_peer_prepare)
{
	struct peer_work *peer;
	enum bench_outcome outcome;
	int direct = 0, ordinal = request->peer ? cuda_ordinal_of(&session->driver, request->peer->uuid) : -1;

	if (!session->driver.copy_peer_async || ordinal < 0 || ordinal == session->ordinal)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "no such peer: a copy needs two whole devices that this process sees");
	peer = cuda_work_new(session, request, sizeof(*peer), reason);
	if (!peer)
		return BENCH_FAILED;
	peer->bytes = ((size_t)(request->bytes > 8 ? request->bytes : 8) + 7) / 8 * 8;
	peer->peer = ordinal;
	peer->lock = -1;
	peer->work.enqueue = peer_enqueue;
	peer->work.poison = peer_poison;
	peer->work.check = peer_check;
	peer->work.release = peer_release;
	*work = (struct bench_work){.bytes = (double)peer->bytes};
	cuda_work_fill(work, &peer->work);
	if (bench_device_lock(request->peer->uuid, &peer->lock, reason) != DEVICE_LOCKED) {
		peer->lock = -1;
		outcome = BENCH_UNSUPPORTED; /* another benchmark uses the peer: its figures and ours would be wrong */
	} else {
		outcome = peer_open(peer, &direct, reason);
	}
	snprintf(work->detail, sizeof(work->detail), "%s, to %.56s", direct ? "direct" : "through the host", request->peer->uuid);
	if (outcome != BENCH_OK)
		work->release(work);
	return outcome;
}
