#include "server/watch.h"

#include "base/clock.h"

enum { WATCH_LOOK_MS = 100 };

/* Waits until a watch is added, the watcher is woken, or the next poll is due. Returns true to stop. */
static bool watcher_wait(struct watcher *watcher, struct watch **watches)
{
	int64_t until_ns = clock_monotonic_ns() + WATCH_LOOK_MS * 1000000LL;
	struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
	bool stopping, late = false;

	pthread_mutex_lock(&watcher->mutex);
	while (!watcher->stopping && !watcher->woken && !late) {
		if (*watches)
			late = pthread_cond_timedwait(&watcher->wake, &watcher->mutex, &until) != 0;
		else
			pthread_cond_wait(&watcher->wake, &watcher->mutex);
	}
	watcher->woken = false;
	while (watcher->added) {
		struct watch *watch = watcher->added;

		watcher->added = watch->next;
		watch->next = *watches;
		*watches = watch;
	}
	stopping = watcher->stopping;
	pthread_mutex_unlock(&watcher->mutex);
	return stopping;
}

static void *watcher_main(void *argument)
{
	struct watcher *watcher = argument;
	struct watch *watches = NULL;
	bool last;

	do {
		last = watcher_wait(watcher, &watches);
		for (struct watch **at = &watches; *at;) {
			struct watch *watch = *at, *next = watch->next;

			if (watch->look(watch, last)) /* the watch may be freed now */
				*at = next;
			else
				at = &watch->next;
		}
	} while (!last);
	CHECK(!watches);
	return NULL;
}

bool watcher_start(struct watcher *watcher)
{
	pthread_condattr_t attributes;

	*watcher = (struct watcher){0};
	pthread_mutex_init(&watcher->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&watcher->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	watcher->running = pthread_create(&watcher->thread, NULL, watcher_main, watcher) == 0;
	return watcher->running;
}

void watcher_add(struct watcher *watcher, struct watch *watch)
{
	bool stopping;

	pthread_mutex_lock(&watcher->mutex);
	stopping = watcher->stopping;
	if (!stopping) {
		watch->next = watcher->added;
		watcher->added = watch;
		watcher->woken = true;
		pthread_cond_signal(&watcher->wake);
	}
	pthread_mutex_unlock(&watcher->mutex);
	if (stopping)
		CHECK(watch->look(watch, true));
}

void watcher_wake(struct watcher *watcher)
{
	pthread_mutex_lock(&watcher->mutex);
	watcher->woken = true;
	pthread_cond_signal(&watcher->wake);
	pthread_mutex_unlock(&watcher->mutex);
}

void watcher_stop(struct watcher *watcher)
{
	if (!watcher->running)
		return;
	pthread_mutex_lock(&watcher->mutex);
	watcher->stopping = true;
	pthread_cond_signal(&watcher->wake);
	pthread_mutex_unlock(&watcher->mutex);
	pthread_join(watcher->thread, NULL);
	watcher->running = false;
}
