#include "bench/list_apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { LIST_TIMEOUT_MS = 20000 }; /* less than the daemon's limit for a list, so that other backends' devices are still reported */
enum { LISTED_MAX = 64 };

/* The child's message. The child is a copy of this process, so pointers to constants are valid here too. */
struct listing {
	enum bench_outcome outcome;
	struct bench_reason reason;
	size_t count;
	struct bench_device devices[LISTED_MAX];
};

static void listing_write(const struct listing *listing, int fd)
{
	const char *at = (const char *)listing;
	size_t left = sizeof(*listing);

	while (left) {
		ssize_t wrote = write(fd, at, left);

		if (wrote < 0 && errno != EINTR)
			return;
		at += wrote > 0 ? wrote : 0;
		left -= wrote > 0 ? (size_t)wrote : 0;
	}
}

/* Returns false if the child closed its end, or the time was over, before the whole message arrived. */
static bool listing_read(struct listing *listing, int fd)
{
	int64_t deadline_ns = clock_monotonic_ns() + (int64_t)LIST_TIMEOUT_MS * 1000000;
	char *at = (char *)listing;
	size_t left = sizeof(*listing);

	while (left) {
		struct pollfd waiting = {.fd = fd, .events = POLLIN};
		int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / 1000000;
		ssize_t got;

		if (left_ms <= 0 || (poll(&waiting, 1, (int)left_ms) < 0 && errno != EINTR))
			return false;
		if (!waiting.revents)
			continue;
		got = read(fd, at, left);
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		at += got > 0 ? got : 0;
		left -= got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* Waits for the child's message and its end. Returns false if the child ended, or was killed, without a message;
 * *signal is the signal that ended it, 0 for none. */
static bool listing_wait(struct listing *listing, pid_t child, int fd, int *signal)
{
	bool whole = listing_read(listing, fd);
	int status = 0;

	if (!whole)
		kill(child, SIGKILL); /* has no effect on a child that has ended; ends one that hangs */
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	*signal = WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL ? WTERMSIG(status) : 0;
	return whole;
}

enum bench_outcome bench_list_apart(
	enum bench_outcome (*list)(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason),
	const char *driver, struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason)
{
	struct listing *listing = calloc(1, sizeof(*listing));
	enum bench_outcome outcome;
	int ends[2], signal = 0;
	pid_t child;
	bool whole;

	*count = 0;
	if (!listing)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	if (pipe(ends) != 0) {
		free(listing);
		return bench_refuse(reason, BENCH_FAILED, "cannot create a pipe: %s", strerror(errno));
	}
	child = fork();
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		listing->outcome = list(listing->devices, capacity < LISTED_MAX ? capacity : LISTED_MAX, &listing->count, &listing->reason);
		listing_write(listing, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	whole = child > 0 && listing_wait(listing, child, ends[0], &signal);
	close(ends[0]);
	if (whole) {
		outcome = listing->outcome;
		*count = outcome == BENCH_OK ? listing->count : 0;
		memcpy(devices, listing->devices, *count * sizeof(*devices));
		*reason = listing->reason;
	} else if (child < 0) {
		outcome = bench_refuse(reason, BENCH_FAILED, "cannot start a process that lists the devices: %s", strerror(errno));
	} else if (signal) {
		outcome = bench_refuse(reason, BENCH_FAILED, "%s crashed with signal %d while it listed its devices", driver, signal);
	} else {
		outcome = bench_refuse(reason, BENCH_FAILED, "%s did not list its devices within %d s", driver, LIST_TIMEOUT_MS / 1000);
	}
	free(listing);
	return outcome;
}
