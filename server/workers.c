#include "server/workers.h"

#include "base/clock.h"
#include "server/exchange.h"

/* The assumed cost of work until it has ended: that of an average estimate. */
#define WORKERS_ADVANCE_NS UINT64_C(10000000)
/* How far a client may be ahead of its rate. */
#define WORKERS_AHEAD_NS   INT64_C(1000000000)

/* The use of the pool by one client, or by one address of it. It exists while the client has work here or is ahead of
 * the others. */
struct share {
	struct share *next;
	uint64_t id;
	uint64_t had_ns; /* time of the pool that it has used, plus the level at which it started */
	size_t waiting, running;
	int64_t due_ns;      /* of a client: the time until which its rate is used up */
	struct share *parts; /* of a client: its addresses */
	uint64_t level_ns;   /* of a client: the level among its addresses, as the pool's among clients */
};

/* --- shares: with the mutex held --------------------------------------------------------------------------------- */

static struct share *share_find(struct share *first, uint64_t id)
{
	while (first && first->id != id)
		first = first->next;
	return first;
}

static struct share *share_of(struct share **first, uint64_t id, uint64_t level_ns)
{
	struct share *share = share_find(*first, id);

	if (!share) {
		share = calloc(1, sizeof *share);
		if (!share)
			return NULL;
		share->id = id;
		share->next = *first;
		*first = share;
	}
	if (share->waiting + share->running == 0 && share->had_ns < level_ns)
		share->had_ns = level_ns;
	return share;
}

/* Frees the shares that have no work here, would start at the level anyway, and are within their rate; without a level
 * frees all. */
/* NOLINTNEXTLINE(misc-no-recursion): shares have parts, parts have none. */
static void shares_forget(struct share **first, const uint64_t *level_ns, int64_t now_ns)
{
	while (*first) {
		struct share *share = *first;

		if (level_ns && (share->waiting + share->running > 0 || share->had_ns > *level_ns || share->due_ns > now_ns)) {
			first = &share->next;
			continue;
		}
		shares_forget(&share->parts, NULL, 0);
		*first = share->next;
		free(share);
	}
}

static void share_begin(struct share *share, uint64_t *level_ns)
{
	*level_ns = share->had_ns > *level_ns ? share->had_ns : *level_ns;
	share->had_ns += WORKERS_ADVANCE_NS;
	share->waiting--;
	share->running++;
}

static void share_end(struct share *share, uint64_t cost_ns)
{
	share->had_ns += cost_ns - WORKERS_ADVANCE_NS; /* the cost may be less than the advance: unsigned arithmetic wraps back */
	share->running--;
}

/* --- the queue: with the mutex held ------------------------------------------------------------------------------ */

/* Returns when work of this client may begin, by the monotonic clock. 0: now; INT64_MAX: when other work of the client
 * has ended. */
static int64_t workers_begins_ns(const struct workers *workers, const struct share *client, int64_t now_ns)
{
	if (workers->options.threads_per_client > 0 && client->running >= workers->options.threads_per_client)
		return INT64_MAX;
	return workers->stopping || client->due_ns - now_ns <= WORKERS_AHEAD_NS ? 0 : client->due_ns - WORKERS_AHEAD_NS;
}

/* Returns the place in the queue of the work to run next; NULL if nothing may begin before *begins_ns. */
static struct exchange **workers_choose(struct workers *workers, int64_t *begins_ns)
{
	int64_t now_ns = clock_monotonic_ns();
	struct share *client = NULL;
	struct exchange **chosen = NULL;

	*begins_ns = INT64_MAX;
	for (struct exchange **at = &workers->first; *at; at = &(*at)->next) {
		struct share *other = (*at)->share;
		int64_t other_ns = workers_begins_ns(workers, other, now_ns);

		if (other_ns > 0) {
			*begins_ns = other_ns < *begins_ns ? other_ns : *begins_ns;
		} else if (chosen && other == client) {
			if ((*at)->part->had_ns < (*chosen)->part->had_ns)
				chosen = at;
		} else if (!client || other->had_ns < client->had_ns) {
			client = other;
			chosen = at;
		}
	}
	return chosen;
}

static struct exchange *workers_remove(struct workers *workers, struct exchange **at)
{
	struct exchange *exchange = *at;

	*at = exchange->next;
	if (!*at)
		workers->last = at;
	exchange->next = NULL;
	atomic_fetch_sub(&workers->waiting, 1);
	return exchange;
}

/* Removes the newest work of the client with the most waiting work. */
static struct exchange *workers_turn_away(struct workers *workers)
{
	struct exchange **newest = &workers->first, *away;

	CHECK(*newest);
	for (struct exchange **at = &workers->first; *at; at = &(*at)->next)
		if ((*at)->share->waiting >= (*newest)->share->waiting)
			newest = at;
	away = workers_remove(workers, newest);
	away->share->waiting--;
	away->part->waiting--;
	return away;
}

static struct exchange *workers_next(struct workers *workers)
{
	struct exchange **at = NULL, *exchange;
	int64_t until_ns;

	pthread_mutex_lock(&workers->mutex);
	while (!(at = workers_choose(workers, &until_ns)) && !(workers->stopping && !workers->first)) {
		const struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};

		if (until_ns == INT64_MAX)
			pthread_cond_wait(&workers->wake, &workers->mutex);
		else
			pthread_cond_timedwait(&workers->wake, &workers->mutex, &until);
	}
	exchange = at ? workers_remove(workers, at) : NULL;
	if (exchange) {
		share_begin(exchange->share, &workers->level_ns);
		share_begin(exchange->part, &exchange->share->level_ns);
	}
	pthread_mutex_unlock(&workers->mutex);
	return exchange;
}

static void workers_ended(struct workers *workers, struct share *client, struct share *part, int64_t cost_ns, int64_t due_ns)
{
	int64_t now_ns = clock_monotonic_ns();

	pthread_mutex_lock(&workers->mutex);
	share_end(client, (uint64_t)cost_ns);
	share_end(part, (uint64_t)cost_ns);
	if (due_ns > 0)
		client->due_ns = (client->due_ns > now_ns ? client->due_ns : now_ns) + due_ns;
	shares_forget(&client->parts, &client->level_ns, now_ns);
	shares_forget(&workers->shares, &workers->level_ns, now_ns);
	if (workers->stopping)
		pthread_cond_broadcast(&workers->wake); /* the client's waiting work is next for a thread */
	pthread_mutex_unlock(&workers->mutex);
}

static void *workers_main(void *argument)
{
	struct workers *workers = argument;

	for (struct exchange *exchange = workers_next(workers); exchange; exchange = workers_next(workers)) {
		struct share *client = exchange->share, *part = exchange->part;
		int64_t began_ns = clock_thread_cpu_ns(), due_ns = workers->options.run(exchange); /* the exchange may not be used afterwards */

		workers_ended(workers, client, part, clock_thread_cpu_ns() - began_ns, due_ns);
	}
	return NULL;
}

bool workers_start(struct workers *workers, const struct workers_options *options)
{
	pthread_condattr_t attributes;

	*workers = (struct workers){.options = *options};
	workers->last = &workers->first;
	pthread_mutex_init(&workers->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&workers->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	workers->threads = calloc(options->threads, sizeof *workers->threads);
	if (!workers->threads)
		return false;
	while (workers->thread_count < options->threads &&
		pthread_create(&workers->threads[workers->thread_count], NULL, workers_main, workers) == 0)
		workers->thread_count++;
	return workers->thread_count > 0;
}

struct exchange *workers_push(struct workers *workers, struct exchange *exchange)
{
	struct exchange *away = NULL;

	exchange->next = NULL;
	exchange->queued_ns = clock_monotonic_ns();
	pthread_mutex_lock(&workers->mutex);
	if (workers->stopping) {
		pthread_mutex_unlock(&workers->mutex);
		return exchange;
	}
	exchange->share = share_of(&workers->shares, exchange->client.who, workers->level_ns);
	exchange->part = exchange->share ? share_of(&exchange->share->parts, exchange->client.address, exchange->share->level_ns) : NULL;
	if (!exchange->part) {
		pthread_mutex_unlock(&workers->mutex);
		return exchange;
	}
	exchange->share->waiting++;
	exchange->part->waiting++;
	*workers->last = exchange;
	workers->last = &exchange->next;
	if (atomic_fetch_add(&workers->waiting, 1) >= workers->options.maximum)
		away = workers_turn_away(workers);
	pthread_cond_signal(&workers->wake);
	pthread_mutex_unlock(&workers->mutex);
	return away;
}

int64_t workers_waited_ns(struct workers *workers, const struct client *client)
{
	int64_t queued_ns = 0;

	pthread_mutex_lock(&workers->mutex);
	for (const struct exchange *exchange = workers->first; exchange && queued_ns == 0; exchange = exchange->next)
		if (exchange->client.who == client->who && exchange->client.address == client->address)
			queued_ns = exchange->queued_ns;
	pthread_mutex_unlock(&workers->mutex);
	return queued_ns ? clock_monotonic_ns() - queued_ns : 0;
}

bool workers_others_wait(struct workers *workers, const struct exchange *running)
{
	int64_t now_ns = clock_monotonic_ns();
	bool wait = false;

	if (atomic_load(&workers->waiting) == 0)
		return false;
	pthread_mutex_lock(&workers->mutex);
	for (const struct exchange *exchange = workers->first; exchange && !wait; exchange = exchange->next)
		wait = exchange->share != running->share && workers_begins_ns(workers, exchange->share, now_ns) == 0;
	pthread_mutex_unlock(&workers->mutex);
	return wait;
}

void workers_stop(struct workers *workers)
{
	if (!workers->threads)
		return;
	pthread_mutex_lock(&workers->mutex);
	workers->stopping = true;
	pthread_cond_broadcast(&workers->wake);
	pthread_mutex_unlock(&workers->mutex);
	for (unsigned i = 0; i < workers->thread_count; i++)
		pthread_join(workers->threads[i], NULL);
	shares_forget(&workers->shares, NULL, 0);
	free(workers->threads);
	workers->threads = NULL; /* the mutex stays valid: later pushes are rejected */
}
