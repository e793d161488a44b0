/* The queue of a pool: whose work is next, which request is rejected, and how many threads a client has. */
#include <semaphore.h>

#include "server/exchange.h"
#include "server/workers.h"
#include "support/assert.h"

enum { NAMES_MAX = 16 };

/* The work that the pool has run, in order. Each piece of work ends when the test allows it. */
static struct {
	struct exchange_pool pool;
	struct workers workers;
	sem_t begun, may_end;
	pthread_mutex_t mutex;
	const char *names[NAMES_MAX];
	size_t count;
	uint64_t spender; /* a client each of whose requests uses an hour of its rate */
} room;

static int64_t work(struct exchange *exchange)
{
	int64_t due_ns = exchange->client.who == room.spender ? INT64_C(3600000000000) : 0;

	pthread_mutex_lock(&room.mutex);
	room.names[room.count++] = exchange->call.path;
	pthread_mutex_unlock(&room.mutex);
	sem_post(&room.begun);
	sem_wait(&room.may_end);
	exchange_give(&room.pool, exchange);
	return due_ns;
}

static void open_room(unsigned threads, unsigned threads_per_client, size_t maximum)
{
	const struct workers_options options = {.threads = threads, .threads_per_client = threads_per_client, .maximum = maximum, .run = work};

	memset(&room, 0, sizeof room);
	exchange_pool_init(&room.pool);
	pthread_mutex_init(&room.mutex, NULL);
	sem_init(&room.begun, 0, 0);
	sem_init(&room.may_end, 0, 0);
	assert_true(workers_start(&room.workers, &options));
}

/* Lets all work end, and stops the pool. */
static void close_room(void)
{
	for (int i = 0; i < NAMES_MAX; i++)
		sem_post(&room.may_end);
	workers_stop(&room.workers);
	exchange_pool_release(&room.pool);
}

/* Adds work. Returns the name of the rejected work, its own or another's; NULL: none. */
static const char *push(const char *name, uint64_t who, uint64_t address)
{
	struct exchange *exchange = exchange_take(&room.pool), *away;
	const char *away_name;

	assert_non_null(exchange);
	exchange->call.path = name;
	exchange->client = (struct client){.who = who, .address = address};
	away = workers_push(&room.workers, exchange);
	away_name = away ? away->call.path : NULL;
	if (away)
		exchange_give(&room.pool, away);
	return away_name;
}

static void wait_for_begun(int count)
{
	while (count-- > 0)
		sem_wait(&room.begun);
}

static void who_has_had_least_comes_next(void **state)
{
	static const char *const expected[] = {"a1", "b1", "a2", "a3", "a4"};

	(void)state;
	open_room(1, 0, 100);
	assert_null(push("a1", 1, 1));
	wait_for_begun(1);
	assert_null(push("a2", 1, 1));
	assert_null(push("a3", 1, 1));
	assert_null(push("a4", 1, 1));
	assert_null(push("b1", 2, 2));
	close_room();
	assert_int_equal(room.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(room.names[i], expected[i]);
}

static void addresses_of_one_key_share_fairly(void **state)
{
	(void)state;
	open_room(1, 0, 100);
	assert_null(push("near1", 1, 10));
	wait_for_begun(1);
	assert_null(push("near2", 1, 10));
	assert_null(push("near3", 1, 10));
	assert_null(push("far1", 1, 20));
	close_room();
	assert_string_equal(room.names[0], "near1");
	assert_string_equal(room.names[1], "far1");
	assert_string_equal(room.names[2], "near2");
	assert_string_equal(room.names[3], "near3");
}

static void a_full_queue_turns_away_the_newest_of_who_has_most(void **state)
{
	(void)state;
	open_room(1, 0, 3);
	assert_null(push("a1", 1, 1));
	wait_for_begun(1);
	assert_null(push("a2", 1, 1));
	assert_null(push("a3", 1, 1));
	assert_null(push("a4", 1, 1));
	assert_string_equal(push("a5", 1, 1), "a5");
	assert_string_equal(push("b1", 2, 2), "a4");
	assert_string_equal(push("c1", 3, 3), "a3");
	assert_string_equal(push("b2", 2, 2), "b2");
	assert_int_equal(atomic_load(&room.workers.waiting), 3);
	close_room();
	assert_int_equal(room.count, 4);
}

static void one_client_leaves_a_thread_to_others(void **state)
{
	(void)state;
	open_room(2, 1, 100);
	assert_null(push("a1", 1, 1));
	assert_null(push("a2", 1, 1));
	wait_for_begun(1);
	assert_null(push("b1", 2, 2));
	wait_for_begun(1);
	assert_int_equal(room.count, 2);
	assert_string_equal(room.names[0], "a1");
	assert_string_equal(room.names[1], "b1");
	close_room();
	assert_int_equal(room.count, 3);
	assert_string_equal(room.names[2], "a2");
}

static void others_wait_when_they_could_begin(void **state)
{
	struct exchange running = {.share = NULL}; /* its client has no waiting work */

	(void)state;
	open_room(1, 1, 100);
	assert_false(workers_others_wait(&room.workers, &running));
	assert_null(push("a1", 1, 1));
	wait_for_begun(1);
	assert_null(push("a2", 1, 1));
	assert_false(workers_others_wait(&room.workers, &running)); /* its client already has all its threads */
	assert_null(push("b1", 2, 2));
	assert_true(workers_others_wait(&room.workers, &running));
	pthread_mutex_lock(&room.workers.mutex);
	running.share = room.workers.first->next->share; /* b's share */
	pthread_mutex_unlock(&room.workers.mutex);
	assert_false(workers_others_wait(&room.workers, &running)); /* the client's own work does not count */
	close_room();
}

static void only_its_own_work_makes_a_client_wait(void **state)
{
	const struct client a = {.who = 1, .address = 1}, b = {.who = 2, .address = 2};

	(void)state;
	open_room(1, 0, 100);
	assert_null(push("a1", 1, 1));
	wait_for_begun(1);
	assert_null(push("a2", 1, 1));
	assert_true(workers_waited_ns(&room.workers, &a) > 0);
	assert_int_equal(workers_waited_ns(&room.workers, &b), 0);
	close_room();
}

/* Its work waits until the pool stops. The pool then runs all queued work, so no request is left without an answer. */
static void who_is_ahead_of_its_rate_waits(void **state)
{
	static const char *const expected[] = {"a1", "b1", "b2", "a2"};

	(void)state;
	open_room(1, 0, 100);
	room.spender = 1;
	assert_null(push("a1", 1, 1));
	wait_for_begun(1);
	assert_null(push("a2", 1, 1));
	assert_null(push("b1", 2, 2));
	assert_null(push("b2", 2, 2));
	sem_post(&room.may_end);
	sem_post(&room.may_end);
	sem_post(&room.may_end);
	wait_for_begun(2);
	assert_int_equal(room.count, 3);
	close_room();
	assert_int_equal(room.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(room.names[i], expected[i]);
}

static void a_stopped_pool_turns_everything_away(void **state)
{
	(void)state;
	open_room(1, 0, 100);
	workers_stop(&room.workers);
	assert_string_equal(push("late", 1, 1), "late");
	exchange_pool_release(&room.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_had_least_comes_next),
		cmocka_unit_test(addresses_of_one_key_share_fairly),
		cmocka_unit_test(a_full_queue_turns_away_the_newest_of_who_has_most),
		cmocka_unit_test(one_client_leaves_a_thread_to_others),
		cmocka_unit_test(who_is_ahead_of_its_rate_waits),
		cmocka_unit_test(a_stopped_pool_turns_everything_away),
		cmocka_unit_test(others_wait_when_they_could_begin),
		cmocka_unit_test(only_its_own_work_makes_a_client_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
