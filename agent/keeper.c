#include "agent/keeper.h"

#include <poll.h>
#include <sodium.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum { PROGRESS_MAX_BYTES = 32 * 1024, POLL_MAX_MS = 60 * 1000 };

static double chance(void)
{
	return randombytes_random() / 4294967296.0;
}

/* Updates clock and state after a heartbeat sent at `sent_ns`. */
static void take_answer(struct keeper *keeper, enum link_end end, int64_t sent_ns, const struct lease_renewal *renewal)
{
	switch (end) {
	case LINK_OK:
		lease_clock_renew(
			&keeper->clock, sent_ns, renewal->lease_s > 0 ? renewal->lease_s : keeper->clock.lease_s, keeper->lease->heartbeat_s, chance());
		if (renewal->cancel && keeper->word == KEEPER_GO_ON)
			keeper->word = KEEPER_CANCELLED;
		break;
	case LINK_STALE:
	case LINK_UNKNOWN:
		keeper->word = KEEPER_LOST;
		break;
	case LINK_EMPTY:
	case LINK_REFUSED:
	case LINK_DENIED:
	case LINK_BROKEN:
	case LINK_AWAY:
	case LINK_INTERRUPTED:
	case LINK_END_COUNT:
		lease_clock_miss(&keeper->clock, clock_boot_ns(), keeper->link->retry_after_s, chance());
		break;
	}
}

static enum link_end send_heartbeat(struct keeper *keeper, int wake_fd)
{
	struct lease_heartbeat heartbeat = {.token = keeper->lease->token};
	struct lease_renewal renewal = {.lease_s = 0};
	int64_t sent_ns = clock_boot_ns();
	struct buffer progress;
	enum link_end end;

	buffer_init(&progress, PROGRESS_MAX_BYTES);
	pthread_mutex_lock(&keeper->lock);
	buffer_append(&progress, keeper->progress.bytes ? keeper->progress.bytes : "", keeper->progress.length);
	pthread_mutex_unlock(&keeper->lock);
	if (progress.length)
		heartbeat.progress = (struct json_text){progress.bytes, progress.length};
	end = link_heartbeat(keeper->link, keeper->lease->benchmark_id, &heartbeat,
		(struct link_patience){lease_request_s(keeper->clock.lease_s), wake_fd}, &renewal);
	if (end != LINK_OK && end != LINK_INTERRUPTED)
		log_event(LOG_WARNING, "agent_heartbeat_missed", LOG_TEXT("benchmark", keeper->lease->benchmark_id),
			LOG_TEXT("detail", keeper->link->detail));
	pthread_mutex_lock(&keeper->lock);
	take_answer(keeper, end, sent_ns, &renewal);
	pthread_mutex_unlock(&keeper->lock);
	buffer_release(&progress);
	return end;
}

/* Waits until the next heartbeat is due. False: the keeper stops, or the lease is lost. */
static bool wait_for_beat(struct keeper *keeper)
{
	struct pollfd polled = {.fd = keeper->wake_fd, .events = POLLIN};
	bool going, due;
	int64_t left_ms;

	do {
		pthread_mutex_lock(&keeper->lock);
		going = !keeper->stopping && keeper->word != KEEPER_LOST;
		due = lease_clock_beats(&keeper->clock, clock_boot_ns());
		left_ms = (keeper->clock.beat_ns - clock_boot_ns()) / 1000000 + 1;
		pthread_mutex_unlock(&keeper->lock);
		if (going && !due)
			(void)poll(&polled, 1, left_ms < 0 ? 0 : left_ms < POLL_MAX_MS ? (int)left_ms : POLL_MAX_MS);
	} while (going && !due);
	return going;
}

static void *keeper_thread(void *context)
{
	struct keeper *keeper = context;

	while (wait_for_beat(keeper))
		(void)send_heartbeat(keeper, keeper->wake_fd);
	return NULL;
}

static void release_keeper(struct keeper *keeper)
{
	if (keeper->wake_fd >= 0)
		close(keeper->wake_fd);
	pthread_mutex_destroy(&keeper->lock);
	buffer_release(&keeper->progress);
}

enum link_end keeper_start(struct keeper *keeper, struct link *link, const struct lease *lease)
{
	enum link_end end;

	*keeper = (struct keeper){.link = link, .lease = lease, .word = KEEPER_GO_ON, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	pthread_mutex_init(&keeper->lock, NULL);
	buffer_init(&keeper->progress, PROGRESS_MAX_BYTES);
	keeper->clock.lease_s = lease->lease_s;
	end = send_heartbeat(keeper, -1);
	if (end == LINK_OK && (keeper->wake_fd < 0 || pthread_create(&keeper->thread, NULL, keeper_thread, keeper)))
		end = LINK_BROKEN;
	if (end != LINK_OK)
		release_keeper(keeper);
	return end;
}

enum keeper_word keeper_ask(struct keeper *keeper)
{
	enum keeper_word word;

	pthread_mutex_lock(&keeper->lock);
	word = keeper->word;
	if (word != KEEPER_LOST && lease_clock_ends(&keeper->clock, clock_boot_ns()))
		word = KEEPER_OVER;
	pthread_mutex_unlock(&keeper->lock);
	return word;
}

void keeper_tell(struct keeper *keeper, const struct buffer *progress)
{
	if (!progress->length || progress->length > PROGRESS_MAX_BYTES)
		return;
	pthread_mutex_lock(&keeper->lock);
	buffer_clear(&keeper->progress);
	buffer_append(&keeper->progress, progress->bytes, progress->length);
	pthread_mutex_unlock(&keeper->lock);
}

void keeper_stop(struct keeper *keeper)
{
	uint64_t one = 1;

	pthread_mutex_lock(&keeper->lock);
	keeper->stopping = true;
	pthread_mutex_unlock(&keeper->lock);
	(void)!write(keeper->wake_fd, &one, sizeof(one));
	pthread_join(keeper->thread, NULL);
	release_keeper(keeper);
}
