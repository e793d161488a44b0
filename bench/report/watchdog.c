#include "bench/report/watchdog.h"

#include <unistd.h>

#include "base/clock.h"

/* Waits one second. Returns false if the thread should stop. */
static bool watch_second(struct watchdog *watchdog)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_mutex_lock(&watchdog->lock);
	while (!watchdog->stopping && pthread_cond_timedwait(&watchdog->changed, &watchdog->lock, &until) == 0)
		;
	pthread_mutex_unlock(&watchdog->lock);
	return !watchdog->stopping;
}

static void *watch(void *argument)
{
	struct watchdog *watchdog = argument;
	uint64_t seen = 0;

	while (watch_second(watchdog)) {
		int64_t now_ns = clock_monotonic_ns();
		uint64_t alive = atomic_load_explicit(&watchdog->alive, memory_order_relaxed);
		if (now_ns > watchdog->deadline_ns) {
			static const char message[] = "deadline passed: the work did not end in time\n";

			(void)!write(STDERR_FILENO, message, sizeof(message) - 1);
			_exit(WATCHDOG_EXIT);
		}
		if (alive != seen)
			bench_report_alive(watchdog->report);
		seen = alive;
	}
	return NULL;
}

bool watchdog_start(struct watchdog *watchdog, struct bench_report *report, double deadline_s)
{
	pthread_condattr_t attributes;

	*watchdog = (struct watchdog){.report = report, .deadline_ns = clock_monotonic_ns()};
	watchdog->deadline_ns += (int64_t)(deadline_s * 1e9);
	pthread_mutex_init(&watchdog->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&watchdog->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	watchdog->started = pthread_create(&watchdog->thread, NULL, watch, watchdog) == 0;
	return watchdog->started;
}

void watchdog_stop(struct watchdog *watchdog)
{
	if (watchdog->started) {
		pthread_mutex_lock(&watchdog->lock);
		watchdog->stopping = true;
		pthread_cond_signal(&watchdog->changed);
		pthread_mutex_unlock(&watchdog->lock);
		pthread_join(watchdog->thread, NULL);
	}
	pthread_cond_destroy(&watchdog->changed);
	pthread_mutex_destroy(&watchdog->lock);
}
