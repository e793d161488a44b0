/* The life of a benchmark: every order of events up to a depth, against what must always hold; then the same orders
 * through the store, whose rows must agree with the table at every step. */
#include <string.h>

#include "storage/lease.h"
#include "support/store.h"

enum { WORKERS = 2, PURE_DEPTH = 7, STORE_DEPTH = 4 };

/* One step of a history. The worker of an event shows the token of its own last claim. */
static const struct step {
	enum lease_event event;
	int worker;
} steps[] = {
	{LEASE_CLAIM, 0}, {LEASE_CLAIM, 1}, {LEASE_HEARTBEAT, 0}, {LEASE_HEARTBEAT, 1}, {LEASE_SUCCEED, 0}, {LEASE_SUCCEED, 1},
	{LEASE_FAIL, 0}, {LEASE_RELEASE, 0}, {LEASE_CANCEL, 0}, {LEASE_OVER, 0}, {LEASE_TOO_LATE, 0},
};

/* What the outside knows: who holds which token, and what was promised. */
struct world {
	struct benchmark_record benchmark;
	int64_t token_of[WORKERS];
	int64_t newest_token;  /* of all claims */
	bool released;         /* the newest claim was given back */
	bool cancel_asked;
	int deliveries, losses;
};

static struct failure failure;

static struct world world_new(void)
{
	return (struct world){.benchmark = {.id = "b", .state = "queued", .lease_until_us = ABSENT_COUNT, .finished_at_us = ABSENT_COUNT,
		.started_at_us = ABSENT_COUNT}};
}

static bool is_state(const struct world *world, const char *state)
{
	return strcmp(world->benchmark.state, state) == 0;
}

static bool is_over(const char *state)
{
	return strcmp(state, "succeeded") == 0 || strcmp(state, "failed") == 0 || strcmp(state, "cancelled") == 0;
}

/* What an accepted event tells the outside; what must hold then. */
static void world_accept(struct world *world, const struct world *before, struct step step)
{
	const struct benchmark_record *now = &world->benchmark;
	bool newest = world->token_of[step.worker] == world->newest_token && !before->released && world->newest_token > 0;

	switch (step.event) {
	case LEASE_CLAIM:
		assert_true(is_state(before, "queued") && is_state(world, "running"));
		assert_true(now->token > before->newest_token); /* fences everyone before */
		world->token_of[step.worker] = world->newest_token = now->token;
		world->released = false;
		break;
	case LEASE_HEARTBEAT:
		assert_true(newest && is_state(before, "running") && is_state(world, "running"));
		break;
	case LEASE_SUCCEED:
	case LEASE_FAIL:
		assert_true(newest);
		assert_true(now->late == !is_state(before, "running"));
		assert_true(is_state(world, step.event == LEASE_SUCCEED ? "succeeded" : before->cancel_asked && !now->late ? "cancelled" : "failed"));
		assert_int_equal(++world->deliveries, 1);
		break;
	case LEASE_RELEASE:
		assert_true(newest && is_state(before, "running"));
		assert_true(is_state(world, before->cancel_asked ? "cancelled" : "queued"));
		assert_int_equal(now->attempt, before->benchmark.attempt - 1);
		world->released = true;
		break;
	case LEASE_CANCEL:
		assert_true(is_state(world, is_state(before, "queued") ? "cancelled" : "running"));
		world->cancel_asked = true;
		break;
	case LEASE_OVER:
		assert_true(is_state(before, "running"));
		world->losses++;
		assert_true(is_state(world, before->cancel_asked ? "cancelled" : world->losses >= LEASE_ATTEMPTS_MAX ? "expired" : "queued"));
		break;
	case LEASE_TOO_LATE:
		assert_true(is_state(before, "queued") && is_state(world, "expired"));
		break;
	case LEASE_EVENT_COUNT:
		fail();
	}
}

static void world_always(const struct world *world, const struct world *before)
{
	const struct benchmark_record *now = &world->benchmark;

	assert_true(now->token >= before->benchmark.token);
	assert_true(now->attempt >= 0 && now->attempt <= LEASE_ATTEMPTS_MAX);
	assert_true(is_state(world, "running") == (now->lease_until_us != ABSENT_COUNT));
	assert_true((is_over(now->state) || is_state(world, "expired")) == (now->finished_at_us != ABSENT_COUNT));
	if (is_over(before->benchmark.state))
		assert_string_equal(now->state, before->benchmark.state);
}

/* Refused: nothing changed, and whoever showed a token hears that its lease is stale. */
static void world_refuse(const struct world *world, const struct world *before, enum status status, struct step step)
{
	bool with_token = step.event == LEASE_HEARTBEAT || step.event == LEASE_SUCCEED || step.event == LEASE_FAIL || step.event == LEASE_RELEASE;

	assert_int_equal(status, with_token ? STATUS_STALE_LEASE : STATUS_CONFLICT);
	assert_memory_equal(&world->benchmark, &before->benchmark, sizeof world->benchmark);
}

static struct world world_step(const struct world *before, struct step step, int64_t now_us)
{
	struct world world = *before;
	enum status status;

	failure_clear(&failure);
	status = lease_apply(&world.benchmark, step.event, world.token_of[step.worker], now_us, now_us + 60, &failure);
	if (status == STATUS_OK)
		world_accept(&world, before, step);
	else
		world_refuse(&world, before, status, step);
	world_always(&world, before);
	return world;
}

static size_t walk(const struct world *before, int depth)
{
	size_t histories = 1;

	if (depth == PURE_DEPTH)
		return histories;
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		struct world world = world_step(before, steps[i], depth);

		/* A refused event changes nothing: what follows it is walked already. */
		if (memcmp(&world, before, sizeof world) != 0)
			histories += walk(&world, depth + 1);
	}
	return histories;
}

static void every_order_of_events_keeps_the_promises(void **state)
{
	struct world world = world_new();

	(void)state;
	assert_true(walk(&world, 0) > 1000);
	assert_int_equal(lease_state_of("nonsense"), LEASE_STATE_COUNT);
	assert_string_equal(lease_event_name(LEASE_CANCEL), "cancelled");
	assert_string_equal(lease_state_name(LEASE_EXPIRED), "expired");
}

/* The same event through the store. Every history has a device of its own, so that none meets another. */
static enum status store_event(struct store *store, struct world *world, struct step step, int64_t now_us, const char *device)
{
	const char *id = world->benchmark.id;
	int64_t token = world->token_of[step.worker];
	struct benchmark_record claimed;
	struct benchmark_claim claim = {.device_id = device, .agent_id = "agent", .now_us = now_us, .lease_us = 60, .benchmark = &claimed};
	struct benchmark_heartbeat heartbeat = {.id = id, .token = token, .now_us = now_us, .lease_us = 60};
	struct benchmark_result result = {.id = id, .token = token, .now_us = now_us, .succeeded = step.event == LEASE_SUCCEED, .result = "{}",
		.sha256 = {(unsigned char)(1 + step.worker + 4 * (step.event == LEASE_FAIL))}};
	struct benchmark_release release = {.id = id, .token = token, .now_us = now_us, .reason = "drain"};
	struct benchmark_cancel cancel = {.id = id, .now_us = now_us};
	struct benchmark_sweep sweep = {.now_us = now_us + 1000}; /* every lease is over then */

	switch (step.event) {
	case LEASE_CLAIM:
		return store_do(store, &claim.job, STORAGE_BENCHMARK_CLAIM);
	case LEASE_HEARTBEAT:
		return store_do(store, &heartbeat.job, STORAGE_BENCHMARK_HEARTBEAT);
	case LEASE_SUCCEED:
	case LEASE_FAIL:
		return store_do(store, &result.job, STORAGE_BENCHMARK_RESULT);
	case LEASE_RELEASE:
		return store_do(store, &release.job, STORAGE_BENCHMARK_RELEASE);
	case LEASE_CANCEL:
		return store_do(store, &cancel.job, STORAGE_BENCHMARK_CANCEL);
	case LEASE_OVER:
		return store_do(store, &sweep.job, STORAGE_BENCHMARK_SWEEP);
	case LEASE_TOO_LATE:
	case LEASE_EVENT_COUNT:
		break;
	}
	return STATUS_OK;
}

static void assert_stored(struct store *store, const struct benchmark_record *wanted)
{
	struct benchmark_record found;

	assert_status(store, storage_benchmark_get(store->storage, wanted->id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, wanted->state);
	assert_int_equal(found.token, wanted->token);
	assert_int_equal(found.attempt, wanted->attempt);
	assert_int_equal(found.cancel_requested, wanted->cancel_requested);
	assert_int_equal(found.late, wanted->late);
	assert_int_equal(found.lease_until_us != ABSENT_COUNT, wanted->lease_until_us != ABSENT_COUNT);
}

static void history_run(struct store *store, size_t number)
{
	struct world world = world_new();
	struct benchmark_record benchmark = store_benchmark(store, (int)number);
	struct benchmark_put put = {.benchmark = &benchmark};
	char device[32];

	snprintf(device, sizeof device, "d%zu", number);
	benchmark.device = device;
	world.benchmark.id = benchmark.id;
	assert_status(store, store_do(store, &put.job, STORAGE_BENCHMARK_PUT), STATUS_OK);
	for (int depth = 0; depth < STORE_DEPTH; depth++, number /= COUNT_OF(steps)) {
		struct step step = steps[number % COUNT_OF(steps)];
		struct world before = world;
		enum status status;

		if (step.event == LEASE_TOO_LATE)
			continue;
		status = store_event(store, &world, step, depth, device);
		world = world_step(&before, step, depth);
		if (step.event == LEASE_CLAIM) /* refused as "none waits" or "one is running", where the table says conflict */
			assert_int_equal(status == STATUS_OK, failure.status == STATUS_OK);
		else if (step.event != LEASE_OVER && status != failure.status) /* a repeated delivery is answered, and another one refused, by its digest */
			assert_true((step.event == LEASE_SUCCEED || step.event == LEASE_FAIL) && before.deliveries == 1 && failure.status == STATUS_STALE_LEASE &&
				(status == STATUS_OK || status == STATUS_CONFLICT));
		assert_stored(store, &world.benchmark);
	}
	/* Leaves no lease behind for the next history's sweep. */
	store_sql(store, "DELETE FROM benchmark");
	arena_reset(&store->arena);
}

static void the_store_agrees_with_the_table(void **state)
{
	struct store *store = *state;
	size_t histories = 1;

	for (int depth = 0; depth < STORE_DEPTH; depth++)
		histories *= COUNT_OF(steps);
	for (size_t number = 0; number < histories; number += 7) /* 7 and 11 share no factor: every prefix is met */
		history_run(store, number);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_order_of_events_keeps_the_promises),
		cmocka_unit_test_setup_teardown(the_store_agrees_with_the_table, store_setup_in_memory, store_teardown),
	};

	return cmocka_run_group_tests_name("lease", tests, NULL, NULL);
}
