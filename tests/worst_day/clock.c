/* Loaded into the daemon with LD_PRELOAD. Replaces the wall clock with one that the storm sets, as an administrator or
 * NTP would.
 *
 * CLOCK_CONTROL names a file with one number, which the storm maps too: the offset of the wall clock in nanoseconds.
 * Steady clocks are unchanged. The kernel wakes a thread that waits for a wall-clock time when the clock is set past
 * it. Here such a wait checks the clock every 20 ms. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

enum { LOOK_NS = 20000000, COND_IS_MONOTONIC = 2 /* of __wrefs, glibc 2.25 and later */ };

static _Atomic int64_t *off_ns;
static int (*next_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void map_control(void)
{
	const char *path = getenv("CLOCK_CONTROL");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *mapped = fd >= 0 ? mmap(NULL, sizeof *off_ns, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

	next_gettime = NEXT(clock_gettime);
	if (fd >= 0)
		close(fd);
	if (mapped != MAP_FAILED)
		off_ns = mapped;
	unsetenv("LD_PRELOAD");
}

static int64_t ns_of(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static struct timespec time_of(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	if (!next_gettime)
		next_gettime = NEXT(clock_gettime);
	next_gettime(clock, &now);
	return ns_of(&now) + (off_ns && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) ? atomic_load(off_ns) : 0);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
	if (!next_gettime)
		next_gettime = NEXT(clock_gettime);
	if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
		return next_gettime(clock, out);
	*out = time_of(now_ns(clock));
	return 0;
}

time_t time(time_t *out)
{
	time_t now = (time_t)(now_ns(CLOCK_REALTIME) / 1000000000);

	if (out)
		*out = now;
	return now;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	int64_t now = now_ns(CLOCK_REALTIME);

	(void)zone;
	out->tv_sec = now / 1000000000;
	out->tv_usec = now % 1000000000 / 1000;
	return 0;
}

/* Waits in slices of the steady clock, until this wall clock has passed the given time. */
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
	struct timespec slice;
	int error = ETIMEDOUT;

	if (condition->__data.__wrefs & COND_IS_MONOTONIC)
		return NEXT(pthread_cond_timedwait)(condition, mutex, until);
	while (now_ns(CLOCK_REALTIME) < ns_of(until)) {
		slice = time_of(now_ns(CLOCK_MONOTONIC) + LOOK_NS);
		error = pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &slice);
		if (error != ETIMEDOUT)
			return error;
	}
	return error;
}
