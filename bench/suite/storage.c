#include "bench/suite/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/cpu/cpu_pool.h"
#include "bench/cpu/cpu_session.h"
#include "bench/random.h"
#include "bench/suite/storage_file.h"

enum { ALIGNMENT = 4096, CHECKED_READS = 16, READS_EACH = 8 };

struct storage_state {
	struct storage_file file;
	struct cpu_pool *pool;
	size_t block_bytes, blocks; /* bytes of one read; number of blocks in the file */
	bool random;
	_Atomic size_t next; /* index of the next block of a sequential read */
	_Atomic int error;   /* errno of the first failed read; 0: none */
	_Atomic uint64_t *alive;
	uint64_t seed;
	unsigned char *buffers; /* one per thread, aligned for direct reads */
};

static size_t choose_block(struct storage_state *state, uint64_t *seed)
{
	return (state->random ? random_next(seed) : atomic_fetch_add(&state->next, 1)) % state->blocks;
}

/* Reads a whole block, in as many pieces as necessary. Returns 0 or errno. */
static int read_block(int fd, unsigned char *out, size_t bytes, size_t offset)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t got = pread(fd, out + done, bytes - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? errno : EIO; /* the file became shorter */
		done += (size_t)got;
	}
	return 0;
}

static void storage_part(void *context, int index, int threads)
{
	struct storage_state *state = context;
	unsigned char *buffer = state->buffers + (size_t)index * state->block_bytes;
	uint64_t seed = state->seed + (uint64_t)index;

	(void)threads;
	for (int i = 0; i < READS_EACH && !atomic_load(&state->error); i++) {
		int error = read_block(state->file.fd, buffer, state->block_bytes, choose_block(state, &seed) * state->block_bytes);

		if (error)
			atomic_store(&state->error, error);
		if (state->alive)
			atomic_fetch_add_explicit(state->alive, 1, memory_order_relaxed);
	}
}

static enum bench_outcome storage_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct storage_state *state = work->state;
	int64_t start_ns = clock_monotonic_ns();

	state->seed = random_next(&state->seed);
	cpu_pool_run(state->pool, storage_part, state);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	if (atomic_load(&state->error))
		return bench_refuse(reason, BENCH_FAILED, "reading %.100s: %s", state->file.name, strerror(atomic_load(&state->error)));
	return BENCH_OK;
}

/* Direct reads must return the same bytes as the page cache for the same blocks. */
static enum bench_outcome storage_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct storage_state *state = work->state;
	unsigned char *direct = state->buffers, *cached = malloc(state->block_bytes);
	uint64_t seed = 1;
	int error = cached ? 0 : ENOMEM;

	*check = (struct bench_check){.verified = true, .samples = CHECKED_READS};
	for (int i = 0; i < CHECKED_READS && !error; i++) {
		size_t offset = random_next(&seed) % state->blocks * state->block_bytes;

		memset(direct, 0xa5, state->block_bytes);
		error = read_block(state->file.fd, direct, state->block_bytes, offset);
		if (!error)
			error = read_block(state->file.buffered_fd, cached, state->block_bytes, offset);
		if (!error && memcmp(direct, cached, state->block_bytes) != 0)
			check->verified = false;
	}
	free(cached);
	if (error)
		return bench_refuse(reason, BENCH_FAILED, "reading %.100s: %s", state->file.name, strerror(error));
	storage_file_forget(&state->file); /* later reads must not find the checked blocks in memory */
	return BENCH_OK;
}

static void state_free(struct storage_state *state, int threads)
{
	if (!state)
		return;
	cpu_memory_unmap(state->buffers, (size_t)threads * state->block_bytes);
	if (state->pool)
		cpu_pool_free(state->pool);
	storage_file_close(&state->file);
	free(state);
}

static void storage_release(struct bench_work *work)
{
	struct storage_state *state = work->state;

	state_free(state, cpu_pool_threads(state->pool));
	work->state = NULL;
}

static size_t block_of(double wanted_bytes)
{
	double least = wanted_bytes < ALIGNMENT ? ALIGNMENT : wanted_bytes > 0x1p26 ? 0x1p26 : wanted_bytes;

	return ((size_t)least + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

enum bench_outcome bench_storage_prepare(const struct storage_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct storage_state *state = calloc(1, sizeof(*state));
	enum bench_outcome outcome;

	if (!state)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	state->file = (struct storage_file){.fd = -1, .buffered_fd = -1};
	state->block_bytes = block_of(request->block_bytes);
	outcome = storage_file_open(&state->file, request->path, request->write_bytes, request->alive, reason);
	if (outcome == BENCH_OK && state->file.bytes / state->block_bytes < CHECKED_READS)
		outcome = bench_refuse(reason, BENCH_UNSUPPORTED,
			"%.100s is too small: it has %zu bytes; the test needs at least %d reads of %zu bytes", state->file.name, state->file.bytes,
			CHECKED_READS, state->block_bytes);
	if (outcome == BENCH_OK) {
		state->blocks = state->file.bytes / state->block_bytes;
		state->random = request->random;
		state->alive = request->alive;
		state->buffers = cpu_memory_map((size_t)request->threads * state->block_bytes);
		state->pool = cpu_pool_new(request->threads);
		if (!state->buffers || !state->pool)
			outcome = bench_refuse(reason, BENCH_FAILED, "out of memory or threads for the reads");
	}
	if (outcome != BENCH_OK) {
		state_free(state, request->threads);
		return outcome;
	}
	*work = (struct bench_work){.state = state,
		.run = storage_run,
		.verify = storage_verify,
		.release = storage_release,
		.bytes = (double)state->block_bytes * READS_EACH * request->threads,
		.cache_resident = !state->file.direct};
	snprintf(work->detail, sizeof(work->detail), "%.20s, %.3g MiB %s%.3g KiB, %d threads%s", state->file.kind,
		(double)state->file.bytes / 0x1p20, request->random ? "random " : "", (double)state->block_bytes / 0x1p10, request->threads,
		state->file.direct ? "" : ", page cache");
	return BENCH_OK;
}
