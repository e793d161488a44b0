/* Runs the events of test_lease.c through the store, in random order. After every step the stored rows must agree with
 * the table, only the lease's own agent may change it, and a crash between any two steps must change nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "storage/agents.h"
#include "storage/lease.h"
#include "support/store.h"

enum { JOBS = 2, AGENTS = 2, WALKS = 60, STEPS = 40 };

static const int64_t lease_us = 60, agent_start_us = 1000;

struct scene {
	struct store *store;
	struct benchmark_record jobs[JOBS]; /* the expected rows */
	int64_t now_us;
	uint32_t random;
	size_t accepted, refused, forbidden;
};

static const char *const agents[AGENTS] = {"a1", "a2"}, *const keys[AGENTS] = {"k1", "k2"}, *const devices[AGENTS] = {"d1", "d2"};

static uint32_t draw(struct scene *scene, uint32_t below)
{
	scene->random = scene->random * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)scene->random * below) >> 32);
}

static enum status agent_register(struct store *store, const char *id, const char *key, const struct device_record *told, size_t count,
	int64_t now_us, struct agent_put *put)
{
	static struct agent_record registered;
	struct agent_record agent = {.id = id, .host = "host", .key_id = key, .registered_at_us = now_us, .seen_at_us = now_us};
	struct lease_bearer bearer = {.key_id = key};

	*put = (struct agent_put){.agent = &agent, .devices = told, .device_count = count, .bearer = &bearer, .registered = &registered};
	return store_do(store, &put->job, STORAGE_AGENT_PUT);
}

static struct device_record device_of(const char *id)
{
	return (struct device_record){.id = id, .backend = "cuda", .name = "A GPU", .memory_bytes = 8e9};
}

static void assert_as_stored(struct scene *scene)
{
	struct store *store = scene->store;

	for (int i = 0; i < JOBS; i++) {
		const struct benchmark_record *wanted = &scene->jobs[i];
		struct benchmark_record found;

		assert_status(store, storage_benchmark_get(store->storage, wanted->id, &store->arena, &found, &store->failure), STATUS_OK);
		assert_string_equal(found.state, wanted->state);
		assert_int_equal(found.token, wanted->token);
		assert_int_equal(found.attempt, wanted->attempt);
		assert_int_equal(found.lease_until_us, wanted->lease_until_us);
		assert_int_equal(found.cancel_requested, wanted->cancel_requested);
		assert_int_equal(found.late, wanted->late);
		assert_memory_equal(found.result_sha256, wanted->result_sha256, sizeof found.result_sha256);
		assert_int_equal(found.finished_at_us, wanted->finished_at_us);
	}
	assert_false(!strcmp(scene->jobs[0].state, "running") && !strcmp(scene->jobs[1].state, "running") &&
		!strcmp(scene->jobs[0].running_device, scene->jobs[1].running_device));
}

static enum status apply(struct benchmark_record *job, struct lease_step step)
{
	struct failure failure;

	failure_clear(&failure);
	return lease_apply(job, &step, &failure);
}

/* A free agent claims for its own device, and sometimes names the other agent's device, too, which it does not get. */
static void act_claim(struct scene *scene, int agent)
{
	struct store *store = scene->store;
	struct lease_bearer bearer = {.key_id = keys[agent]};
	const char *named[] = {devices[!agent], devices[agent]};
	struct text_list list = {named, draw(scene, 3) ? 2 : 0};
	struct benchmark_record found;
	struct benchmark_claim claim = {
		.agent_id = agents[agent], .bearer = &bearer, .devices = &list, .now_us = scene->now_us, .lease_us = lease_us, .benchmark = &found};
	struct benchmark_record *next = NULL;
	bool busy = false;

	for (int i = 0; i < JOBS; i++) { /* an agent names only free devices, so a lease on a named device is over */
		struct benchmark_record *job = &scene->jobs[i];
		bool there = !strcmp(job->state, "running") && !strcmp(job->running_device, devices[agent]);

		busy = busy || (there && !list.count);
		if (there && list.count)
			assert_int_equal(apply(job, (struct lease_step){.event = LEASE_OVER, .now_us = scene->now_us}), STATUS_OK);
	}
	for (int i = JOBS - 1; i >= 0; i--)
		next = !strcmp(scene->jobs[i].state, "queued") ? &scene->jobs[i] : next;
	assert_status(store, store_do(store, &claim.job, STORAGE_BENCHMARK_CLAIM), STATUS_OK);
	assert_int_equal(claim.found, next && !busy);
	if (!claim.found)
		return;
	assert_string_equal(found.id, next->id); /* the oldest */
	assert_string_equal(found.running_device, devices[agent]);
	assert_string_equal(found.agent_id, agents[agent]);
	assert_int_equal(apply(next,
						 (struct lease_step){.event = LEASE_CLAIM,
							 .now_us = scene->now_us,
							 .lease_until_us = scene->now_us + lease_us,
							 .device = devices[agent],
							 .agent = agents[agent]}),
		STATUS_OK);
}

static enum status act_store(
	struct scene *scene, const struct benchmark_record *job, const struct lease_step *step, const struct lease_bearer *bearer)
{
	struct benchmark_heartbeat heartbeat = {
		.id = job->id, .token = step->token, .now_us = scene->now_us, .lease_us = lease_us, .bearer = bearer};
	struct benchmark_result result = {.id = job->id,
		.token = step->token,
		.now_us = scene->now_us,
		.result = "{}",
		.bearer = bearer,
		.end = step->event == LEASE_SUCCEED ? BENCHMARK_SUCCEEDED
			: step->event == LEASE_BREAK    ? BENCHMARK_BROKEN
											: BENCHMARK_FAILED};
	struct benchmark_release release = {.id = job->id, .token = step->token, .now_us = scene->now_us, .reason = "drain", .bearer = bearer};

	if (step->event == LEASE_HEARTBEAT)
		return store_do(scene->store, &heartbeat.job, STORAGE_BENCHMARK_HEARTBEAT);
	if (step->event == LEASE_RELEASE)
		return store_do(scene->store, &release.job, STORAGE_BENCHMARK_RELEASE);
	memcpy(result.sha256, step->sha256, sizeof result.sha256);
	return store_do(scene->store, &result.job, STORAGE_BENCHMARK_RESULT);
}

/* Any agent sends any event about any benchmark, with the last token or another. */
static void act_say(struct scene *scene)
{
	static const enum lease_event said[] = {LEASE_HEARTBEAT, LEASE_SUCCEED, LEASE_FAIL, LEASE_BREAK, LEASE_RELEASE};
	struct benchmark_record *job = &scene->jobs[draw(scene, JOBS)];
	int agent = (int)draw(scene, AGENTS);
	struct lease_bearer bearer = {.key_id = keys[agent]};
	unsigned char digest[32] = {(unsigned char)(1 + draw(scene, 2))};
	struct lease_step step = {.event = said[draw(scene, COUNT_OF(said))],
		.now_us = scene->now_us,
		.lease_until_us = scene->now_us + lease_us,
		.sha256 = digest,
		.token = draw(scene, 3) ? job->token : (int64_t)draw(scene, 5)};
	enum status status = act_store(scene, job, &step, &bearer);

	if (job->agent_id && step.token == job->token && strcmp(job->agent_id, agents[agent]) != 0) {
		assert_status(scene->store, status, STATUS_FORBIDDEN);
		scene->forbidden++;
		return;
	}
	assert_int_equal(status, apply(job, step));
	*(status == STATUS_OK ? &scene->accepted : &scene->refused) += 1;
}

static void act_sweep(struct scene *scene)
{
	struct benchmark_sweep sweep = {.now_us = scene->now_us};

	assert_status(scene->store, store_do(scene->store, &sweep.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
	for (int i = 0; i < JOBS; i++)
		if (!strcmp(scene->jobs[i].state, "running") && scene->jobs[i].lease_until_us <= scene->now_us)
			assert_int_equal(apply(&scene->jobs[i], (struct lease_step){.event = LEASE_OVER, .now_us = scene->now_us}), STATUS_OK);
}

static void act_cancel(struct scene *scene)
{
	struct benchmark_record *job = &scene->jobs[draw(scene, JOBS)];
	struct benchmark_cancel cancel = {.id = job->id, .now_us = scene->now_us};
	enum status status = store_do(scene->store, &cancel.job, STORAGE_BENCHMARK_CANCEL);

	assert_int_equal(status, apply(job, (struct lease_step){.event = LEASE_CANCEL, .now_us = scene->now_us}));
}

static void act(struct scene *scene)
{
	uint32_t what = draw(scene, 20);

	scene->now_us += draw(scene, 25);
	if (what < 6)
		act_claim(scene, (int)draw(scene, AGENTS));
	else if (what < 15)
		act_say(scene);
	else if (what < 18)
		act_sweep(scene);
	else if (what < 19)
		act_cancel(scene);
	else { /* the daemon restarts; leases of agents stay valid */
		store_close(scene->store);
		store_open(scene->store);
	}
}

static void walk(struct scene *scene, int number)
{
	struct store *store = scene->store;

	store_sql(store, "DELETE FROM benchmark");
	for (int i = 0; i < JOBS; i++) {
		struct benchmark_put put = {.benchmark = &scene->jobs[i]};

		scene->jobs[i] = store_benchmark(store, 1 + JOBS * number + i);
		assert_status(store, store_do(store, &put.job, STORAGE_BENCHMARK_PUT), STATUS_OK);
		scene->jobs[i].state = "queued";
	}
	for (int step = 0; step < STEPS; step++) {
		act(scene);
		assert_as_stored(scene);
	}
}

static void every_walk_agrees_with_the_table(void **state)
{
	struct scene scene = {.store = *state, .now_us = agent_start_us, .random = 5};
	struct agent_put put;

	for (int i = 0; i < AGENTS; i++) {
		struct device_record device = device_of(devices[i]);

		assert_status(scene.store, agent_register(scene.store, agents[i], keys[i], &device, 1, agent_start_us, &put), STATUS_OK);
	}
	for (int number = 0; number < WALKS; number++) {
		walk(&scene, number);
		arena_reset(&scene.store->arena);
	}
	assert_true(scene.accepted > 100 && scene.refused > 100 && scene.forbidden > 100);
}

/* --- agents and their devices ---------------------------------------------------------------------------------- */

static const char *state_of_device(struct store *store, const char *id)
{
	struct page_request page = {.limit = 100};
	struct device_list list;

	assert_status(store, storage_device_list(store->storage, &page, &store->arena, &list, &store->failure), STATUS_OK);
	for (size_t i = 0; i < list.count; i++)
		if (!strcmp(list.items[i].id, id))
			return list.items[i].state;
	return "unknown";
}

static void a_key_has_so_many_agents(void **state)
{
	struct store *store = *state;
	struct agent_put put;
	char id[16];

	for (int i = 0; i < AGENTS_PER_KEY_MAX; i++) {
		snprintf(id, sizeof id, "a%d", i);
		assert_status(store, agent_register(store, id, "k1", NULL, 0, 5, &put), STATUS_OK);
	}
	assert_status(store, agent_register(store, "more", "k1", NULL, 0, 5, &put), STATUS_CONFLICT);
	assert_contains(store->failure.detail, "create another key");
	failure_clear(&store->failure);
	assert_status(store, agent_register(store, "a7", "k1", NULL, 0, 6, &put), STATUS_OK); /* a known agent may register again */
	assert_status(store, agent_register(store, "more", "k2", NULL, 0, 6, &put), STATUS_OK);
}

static void a_device_has_one_holder(void **state)
{
	struct store *store = *state;
	struct device_record told[] = {device_of("d1"), device_of("d2")}, local = device_of("d3");
	struct device_put own = {.device = &local};
	int64_t now_us = clock_wall_us();
	struct agent_put put;

	local.state = "idle";
	local.seen_at_us = now_us;
	assert_status(store, store_do(store, &own.job, STORAGE_DEVICE_PUT), STATUS_OK);
	assert_status(store, agent_register(store, "a1", "k1", told, 2, now_us, &put), STATUS_OK);
	assert_int_equal(put.registered->refused_devices.count, 0);
	assert_int_equal(put.registered->devices, 2);
	told[0] = local;
	assert_status(store, agent_register(store, "a2", "k2", told, 2, now_us, &put), STATUS_OK);
	assert_int_equal(put.registered->refused_devices.count, 2); /* d3 is the daemon's own device, d2 another agent's */
	assert_status(store, agent_register(store, "a2", "k2", &told[1], 1, now_us + AGENT_SILENCE_US + 1, &put), STATUS_OK);
	assert_int_equal(put.registered->refused_devices.count, 0); /* a1 is silent by then */
	told[0] = device_of("d1");
	assert_status(store, agent_register(store, "a1", "k1", told, 1, now_us, &put), STATUS_OK);
	assert_string_equal(state_of_device(store, "d1"), "idle");
	assert_status(store, agent_register(store, "a1", "k1", NULL, 0, now_us + 1, &put), STATUS_OK);
	assert_string_equal(state_of_device(store, "d1"), "gone"); /* no longer reported */
	assert_string_equal(state_of_device(store, "d2"), "idle"); /* d2 belongs to a2 and stays */
}

static void a_silent_agents_devices_are_gone(void **state)
{
	struct store *store = *state;
	struct device_record told = device_of("d1");
	struct page_request page = {0};
	struct agent_list list;
	struct agent_put put;
	int64_t now_us = clock_wall_us();

	assert_status(store, agent_register(store, "a1", "k1", &told, 1, now_us - AGENT_SILENCE_US - 1000000, &put), STATUS_OK);
	assert_string_equal(state_of_device(store, "d1"), "gone");
	assert_status(store, storage_agent_list(store->storage, now_us, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.items[0].state, "silent");
	assert_int_equal(list.items[0].devices, 1);
	assert_status(store, agent_register(store, "a1", "k1", &told, 1, now_us, &put), STATUS_OK);
	assert_string_equal(state_of_device(store, "d1"), "idle");
	assert_status(store, storage_agent_list(store->storage, now_us, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_string_equal(list.items[0].state, "online");
}

static void an_agent_keeps_its_key_while_that_holds(void **state)
{
	struct store *store = *state;
	struct key_record key = {.id = "k1",
		.name = "gpu",
		.role = "agent",
		.prefix = "fp_abc",
		.created_at_us = 5,
		.expires_at_us = ABSENT_COUNT,
		.revoked_at_us = ABSENT_COUNT};
	struct key_put key_put = {.key = &key, .hash = {1}};
	struct key_revoke revoke = {.id = "k1"};
	struct agent_put put;

	assert_status(store, store_do(store, &key_put.job, STORAGE_KEY_PUT), STATUS_OK);
	assert_status(store, agent_register(store, "a1", "k1", NULL, 0, 10, &put), STATUS_OK);
	assert_status(store, agent_register(store, "a1", "k1", NULL, 0, 11, &put), STATUS_OK);
	assert_status(store, agent_register(store, "a1", "k2", NULL, 0, 12, &put), STATUS_FORBIDDEN);
	assert_status(store, store_do(store, &revoke.job, STORAGE_KEY_REVOKE), STATUS_OK);
	assert_status(store, agent_register(store, "a1", "k2", NULL, 0, 13, &put), STATUS_OK);
	assert_string_equal(put.registered->key_id, "k2");
	assert_int_equal(put.registered->registered_at_us, 10);
}

static void who_never_registered_is_told_so(void **state)
{
	struct store *store = *state;
	struct lease_bearer bearer = {.any = true};
	struct text_list none = {0};
	struct benchmark_record found;
	struct benchmark_claim claim = {
		.agent_id = "nobody", .bearer = &bearer, .devices = &none, .now_us = 5, .lease_us = 5, .benchmark = &found};

	assert_status(store, store_do(store, &claim.job, STORAGE_BENCHMARK_CLAIM), STATUS_NOT_FOUND);
	assert_false(claim.found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_walk_agrees_with_the_table, store_setup_in_memory, store_teardown),
		cmocka_unit_test_setup_teardown(a_key_has_so_many_agents, store_setup_in_memory, store_teardown),
		cmocka_unit_test_setup_teardown(a_device_has_one_holder, store_setup_in_memory, store_teardown),
		cmocka_unit_test_setup_teardown(a_silent_agents_devices_are_gone, store_setup_in_memory, store_teardown),
		cmocka_unit_test_setup_teardown(an_agent_keeps_its_key_while_that_holds, store_setup_in_memory, store_teardown),
		cmocka_unit_test_setup_teardown(who_never_registered_is_told_so, store_setup_in_memory, store_teardown),
	};

	return cmocka_run_group_tests_name("lease_store", tests, NULL, NULL);
}
