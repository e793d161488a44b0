/* Tests the queue of benchmarks, devices, keys and settings through the interface. */
#include <string.h>

#include "base/clock.h"
#include "storage/agents.h"
#include "support/store.h"

static void enqueue(struct store *store, const struct benchmark_record *benchmark)
{
	struct benchmark_put put = {.benchmark = benchmark};

	assert_status(store, store_do(store, &put.job, STORAGE_BENCHMARK_PUT), STATUS_OK);
}

static enum status claim(struct store *store, const char *device, int64_t now_us, struct benchmark_record *out)
{
	struct benchmark_claim operation = {.device_id = device, .now_us = now_us, .lease_us = 60, .benchmark = out};

	return store_do(store, &operation.job, STORAGE_BENCHMARK_CLAIM);
}

static enum status deliver(struct store *store, const char *id, int64_t token, unsigned char digest, struct benchmark_result *out)
{
	*out = (struct benchmark_result){
		.id = id, .token = token, .now_us = 50, .end = BENCHMARK_SUCCEEDED, .result = "{\"tflops\":7}", .sha256 = {digest}};
	return store_do(store, &out->job, STORAGE_BENCHMARK_RESULT);
}

static void a_benchmark_comes_back_as_it_was(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = store_benchmark(store, 1), found;

	benchmark.device = "gpu-1";
	benchmark.accelerator = "h100";
	benchmark.plan_id = "p";
	benchmark.timeout_s = 12.5;
	benchmark.priority = 9;
	benchmark.expires_at_us = 1000;
	enqueue(store, &benchmark);
	assert_status(store, storage_benchmark_get(store->storage, benchmark.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.device, "gpu-1");
	assert_string_equal(found.accelerator, "h100");
	assert_string_equal(found.plan_id, "p");
	assert_string_equal(found.suite.text, "\"quick\"");
	assert_close(found.timeout_s, 12.5, 0);
	assert_int_equal(found.priority, 9);
	assert_int_equal(found.expires_at_us, 1000);
	assert_string_equal(found.state, "queued");
	assert_int_equal(found.attempt + found.token, 0);
	assert_int_equal(found.started_at_us, ABSENT_COUNT);
	assert_status(store, storage_benchmark_get(store->storage, "none", &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
}

static void put_device(struct store *store, const char *id, const char *accelerator)
{
	struct device_record device = {.id = id,
		.backend = "cpu",
		.name = "A CPU",
		.accelerator = accelerator,
		.memory_bytes = 8e9,
		.state = "idle",
		.properties = {"{\"threads\":2}", 13},
		.seen_at_us = 5};
	struct device_put put = {.device = &device};

	assert_status(store, store_do(store, &put.job, STORAGE_DEVICE_PUT), STATUS_OK);
}

static void the_right_benchmark_is_claimed(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark[6], found;

	put_device(store, "d1", "h100");
	put_device(store, "d2", "a100");
	for (int i = 0; i < 6; i++)
		benchmark[i] = store_benchmark(store, i + 1);
	benchmark[0].device = "d2";
	benchmark[1].accelerator = "a100";
	benchmark[2].expires_at_us = 5;
	benchmark[3].accelerator = "h100";
	benchmark[4].priority = 10;
	for (int i = 0; i < 6; i++)
		enqueue(store, &benchmark[i]);
	assert_status(store, claim(store, "d1", 10, &found), STATUS_OK);
	assert_string_equal(found.id, benchmark[4].id); /* the highest priority comes first */
	assert_string_equal(found.running_device, "d1");
	assert_int_equal(found.token, 1);
	assert_int_equal(found.lease_until_us, 70);
	assert_status(store, claim(store, "d1", 10, &found), STATUS_CONFLICT); /* never two on one device */
	assert_status(store, claim(store, "d2", 10, &found), STATUS_OK);
	assert_string_equal(found.id, benchmark[0].id);
	store_sql(store, "DELETE FROM benchmark WHERE state = 'running'");
	assert_status(store, claim(store, "d1", 10, &found), STATUS_OK);
	assert_string_equal(found.id, benchmark[3].id); /* the third has expired, the second needs an a100 */
	assert_status(store, claim(store, "unknown", 10, &found), STATUS_OK);
	assert_string_equal(found.id, benchmark[5].id);
	assert_status(store, claim(store, "other", 10, &found), STATUS_NOT_FOUND);
}

static void a_result_is_delivered_once(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = store_benchmark(store, 1), found;
	struct accelerator_row row = store_accelerator(store, "cpu-x", 65), row_found;
	struct calibration_row calibration = {.meta.origin = "measured",
		.id = "c",
		.accelerator_id = "cpu-x",
		.quantity = "gemm_efficiency",
		.method = "library_gemm",
		.value = 0.5,
		.low = ABSENT_NUMBER,
		.high = ABSENT_NUMBER};
	struct catalogue_rows rows = {.accelerators = &row, .accelerator_count = 1, .calibrations = &calibration, .calibration_count = 1};
	struct benchmark_result result = {.id = benchmark.id,
								.token = 1,
								.now_us = 20,
								.end = BENCHMARK_SUCCEEDED,
								.result = "{\"tflops\":7}",
								.sha256 = {1},
								.calibrations = &rows},
							again;

	enqueue(store, &benchmark);
	assert_status(store, claim(store, "d", 10, &found), STATUS_OK);
	assert_status(store, deliver(store, benchmark.id, 7, 1, &again), STATUS_STALE_LEASE);
	assert_status(store, store_do(store, &result.job, STORAGE_BENCHMARK_RESULT), STATUS_OK);
	assert_false(result.repeated);
	assert_status(store, deliver(store, benchmark.id, 1, 1, &again), STATUS_OK);
	assert_true(again.repeated);
	assert_status(store, deliver(store, benchmark.id, 1, 2, &again), STATUS_CONFLICT);
	assert_status(store, deliver(store, benchmark.id, 2, 1, &again), STATUS_STALE_LEASE);
	assert_status(store, deliver(store, "none", 2, 1, &again), STATUS_NOT_FOUND);
	assert_status(store, storage_benchmark_get(store->storage, benchmark.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, "succeeded");
	assert_string_equal(found.result.text, "{\"tflops\":7}");
	assert_int_equal(found.finished_at_us, 20);
	assert_int_equal(found.started_at_us, 10);
	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "cpu-x", 0, &store->arena, &row_found, &store->failure), STATUS_OK);
	assert_int_equal(row_found.meta.revision, 1);
}

static struct benchmark_sweep sweep(struct store *store, int64_t now_us, bool restart)
{
	struct benchmark_sweep operation = {.now_us = now_us, .restart = restart};

	assert_status(store, store_do(store, &operation.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
	return operation;
}

static void a_lost_worker_costs_an_attempt(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = store_benchmark(store, 1), found;
	struct benchmark_heartbeat heartbeat = {.id = benchmark.id, .token = 1, .now_us = 60, .lease_us = 60, .progress = "{\"done\":1}"};
	struct benchmark_result result;

	enqueue(store, &benchmark);
	assert_status(store, claim(store, "d", 10, &found), STATUS_OK);
	assert_int_equal(sweep(store, 69, false).requeued, 0);
	assert_status(store, store_do(store, &heartbeat.job, STORAGE_BENCHMARK_HEARTBEAT), STATUS_OK);
	assert_int_equal(sweep(store, 119, false).requeued, 0);
	assert_status(store, storage_benchmark_get(store->storage, benchmark.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.progress.text, "{\"done\":1}");
	assert_int_equal(sweep(store, 120, false).requeued, 1);
	assert_status(store, store_do(store, &heartbeat.job, STORAGE_BENCHMARK_HEARTBEAT), STATUS_STALE_LEASE);
	assert_status(store, claim(store, "d", 200, &found), STATUS_OK);
	assert_int_equal(found.attempt, 2);
	assert_status(
		store, store_do(store, &heartbeat.job, STORAGE_BENCHMARK_HEARTBEAT), STATUS_STALE_LEASE); /* the second attempt has the lease */
	assert_int_equal(sweep(store, 210, true).requeued, 1); /* after a restart the daemon's own worker is dead */
	assert_status(store, claim(store, "d", 300, &found), STATUS_OK);
	assert_int_equal(sweep(store, 1000, false).expired, 1);
	assert_status(store, claim(store, "d", 1100, &found), STATUS_NOT_FOUND);
	assert_status(store, deliver(store, benchmark.id, 3, 1, &result), STATUS_OK); /* the result is late, but no other worker delivered one */
	assert_true(result.late);
	assert_status(store, storage_benchmark_get(store->storage, benchmark.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, "succeeded");
	assert_true(found.late);
}

static void a_remote_lease_outlives_a_restart(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = store_benchmark(store, 1), found;
	struct benchmark_claim operation = {.device_id = "d", .agent_id = "far", .now_us = 10, .lease_us = 60, .benchmark = &found};

	enqueue(store, &benchmark);
	assert_status(store, store_do(store, &operation.job, STORAGE_BENCHMARK_CLAIM), STATUS_OK);
	assert_string_equal(found.agent_id, "far");
	store_close(store);
	store_open(store);
	assert_int_equal(sweep(store, 20, true).requeued, 0);
	assert_int_equal(sweep(store, 70, false).requeued, 1);
}

/* A daemon that starts does not know the clock of the run before. An agent whose lease is still valid must not lose it. */
static void a_start_gives_agents_the_time_of_a_lease(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = store_benchmark(store, 1), found;
	struct benchmark_claim operation = {.device_id = "d", .agent_id = "far", .now_us = 10, .lease_us = 60, .benchmark = &found};
	static const int64_t clocks_us[] = {5000, 3, INT64_C(1) << 50, 100};

	enqueue(store, &benchmark);
	assert_status(store, store_do(store, &operation.job, STORAGE_BENCHMARK_CLAIM), STATUS_OK);
	for (size_t i = 0; i < COUNT_OF(clocks_us); i++) {
		struct benchmark_sweep start = {.now_us = clocks_us[i], .restart = true, .lease_us = 60};

		assert_status(store, store_do(store, &start.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
		assert_int_equal(start.requeued, 0);
		assert_int_equal(sweep(store, clocks_us[i] + 59, false).requeued, 0);
	}
	assert_int_equal(sweep(store, 160, false).requeued, 1);
}

/* The newest thousand results of one agent stay complete. An older benchmark keeps its state and its digest. */
static void an_agents_results_are_bounded(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark, found;
	struct benchmark_claim operation = {.device_id = "d", .agent_id = "far", .now_us = 10, .lease_us = 60, .benchmark = &found};
	struct benchmark_result result;
	const char *ids[AGENT_RESULTS_MAX + 2];

	for (int i = 0; i < AGENT_RESULTS_MAX + 2; i++) {
		benchmark = store_benchmark(store, i + 1);
		ids[i] = arena_strdup(&store->arena, benchmark.id);
		enqueue(store, &benchmark);
		assert_status(store, store_do(store, &operation.job, STORAGE_BENCHMARK_CLAIM), STATUS_OK);
		assert_string_equal(found.id, ids[i]);
		assert_status(store, deliver(store, ids[i], 1, 1, &result), STATUS_OK);
	}
	for (int i = 0; i < 4; i++) {
		assert_status(store, storage_benchmark_get(store->storage, ids[i], &store->arena, &found, &store->failure), STATUS_OK);
		assert_string_equal(found.state, "succeeded");
		assert_int_equal(found.result.text == NULL, i < 2);
		assert_int_equal(found.state_reason != NULL, i < 2);
	}
	assert_status(store, deliver(store, ids[0], 1, 1, &result), STATUS_OK);
	assert_true(result.repeated);
}

static void what_waits_too_long_expires(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = store_benchmark(store, 1), found;

	benchmark.expires_at_us = 100;
	enqueue(store, &benchmark);
	assert_int_equal(sweep(store, 99, false).expired, 0);
	assert_int_equal(sweep(store, 100, false).expired, 1);
	assert_status(store, storage_benchmark_get(store->storage, benchmark.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, "expired");
	assert_contains(found.state_reason, "in time");
}

/* The start time belongs to the last attempt, so start and end are of the same run. */
static void another_attempt_starts_anew(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = store_benchmark(store, 1), found;

	enqueue(store, &benchmark);
	assert_status(store, claim(store, "d", 10, &found), STATUS_OK);
	assert_int_equal(found.started_at_us, 10);
	assert_int_equal(sweep(store, INT64_C(1) << 40, false).requeued, 1);
	assert_status(store, claim(store, "d", (INT64_C(1) << 40) + 5, &found), STATUS_OK);
	assert_int_equal(found.attempt, 2);
	assert_int_equal(found.started_at_us, (INT64_C(1) << 40) + 5);
}

static void cancelling_reaches_the_worker(void **state)
{
	struct store *store = *state;
	struct benchmark_record first = store_benchmark(store, 1), second = store_benchmark(store, 2), found;
	struct benchmark_cancel cancel = {.id = first.id, .now_us = 15, .benchmark = &found};
	struct benchmark_heartbeat heartbeat = {.id = first.id, .token = 1, .now_us = 20, .lease_us = 60};
	struct benchmark_release release = {.id = first.id, .token = 1, .now_us = 25, .reason = "stopped"};

	enqueue(store, &first);
	enqueue(store, &second);
	assert_status(store, claim(store, "d", 10, &found), STATUS_OK);
	assert_status(store, store_do(store, &cancel.job, STORAGE_BENCHMARK_CANCEL), STATUS_OK);
	assert_string_equal(found.state, "running");
	assert_true(found.cancel_requested);
	assert_status(store, store_do(store, &heartbeat.job, STORAGE_BENCHMARK_HEARTBEAT), STATUS_OK);
	assert_true(heartbeat.cancel_requested);
	assert_status(store, store_do(store, &release.job, STORAGE_BENCHMARK_RELEASE), STATUS_OK);
	assert_status(store, storage_benchmark_get(store->storage, first.id, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, "cancelled");
	assert_string_equal(found.state_reason, "stopped");
	assert_status(store, store_do(store, &cancel.job, STORAGE_BENCHMARK_CANCEL), STATUS_CONFLICT);
	cancel.id = second.id;
	assert_status(store, store_do(store, &cancel.job, STORAGE_BENCHMARK_CANCEL), STATUS_OK);
	assert_string_equal(found.state, "cancelled");
	cancel.id = "none";
	assert_status(store, store_do(store, &cancel.job, STORAGE_BENCHMARK_CANCEL), STATUS_NOT_FOUND);
}

static void a_lost_worker_of_a_cancelled_one_ends_it(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = store_benchmark(store, 1), found;
	struct benchmark_cancel cancel = {.id = benchmark.id, .now_us = 15};

	enqueue(store, &benchmark);
	assert_status(store, claim(store, "d", 10, &found), STATUS_OK);
	assert_status(store, store_do(store, &cancel.job, STORAGE_BENCHMARK_CANCEL), STATUS_OK);
	assert_int_equal(sweep(store, 500, false).cancelled, 1);
}

static void benchmarks_are_listed(void **state)
{
	struct store *store = *state;
	struct benchmark_filter filter = {0};
	struct page_request page = {.limit = 4};
	struct benchmark_list list;
	struct benchmark_record found;
	size_t count = 0;

	for (int i = 1; i <= 10; i++) {
		struct benchmark_record benchmark = store_benchmark(store, i);
		benchmark.plan_id = i % 2 ? "odd" : "even";
		benchmark.created_at_us = i / 3;
		enqueue(store, &benchmark);
	}
	assert_status(store, claim(store, "d", 10, &found), STATUS_OK);
	do {
		assert_status(store, storage_benchmark_list(store->storage, &filter, &page, &store->arena, &list, &store->failure), STATUS_OK);
		for (size_t i = 1; i < list.count; i++)
			assert_true(strcmp(list.items[i - 1].id, list.items[i].id) > 0);
		count += list.count;
		page.cursor = list.next_cursor;
	} while (page.cursor);
	assert_int_equal(count, 10);
	page = (struct page_request){0};
	filter = (struct benchmark_filter){.state = "running", .device_id = "d"};
	assert_status(store, storage_benchmark_list(store->storage, &filter, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 1);
	filter = (struct benchmark_filter){.plan_id = "even"};
	assert_status(store, storage_benchmark_list(store->storage, &filter, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 5);
	page.cursor = "?";
	assert_status(store, storage_benchmark_list(store->storage, &filter, &page, &store->arena, &list, &store->failure), STATUS_MALFORMED);
}

static void devices_are_added_and_updated(void **state)
{
	struct store *store = *state;
	struct page_request page = {.limit = 1};
	struct device_list list;

	put_device(store, "d1", "old");
	put_device(store, "d2", NULL);
	put_device(store, "d1", "new");
	assert_status(store, storage_device_list(store->storage, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.items[0].accelerator, "new");
	assert_string_equal(list.items[0].properties.text, "{\"threads\":2}");
	assert_close(list.items[0].memory_bytes, 8e9, 0);
	page.cursor = list.next_cursor;
	assert_status(store, storage_device_list(store->storage, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_string_equal(list.items[0].id, "d2");
	assert_null(list.items[0].accelerator);
	assert_null(list.next_cursor);
	page.cursor = "?";
	assert_status(store, storage_device_list(store->storage, &page, &store->arena, &list, &store->failure), STATUS_MALFORMED);
}

static enum status key_add(struct store *store, const char *id, unsigned char hash, int64_t expires_at_us)
{
	struct key_record key = {.id = id,
		.name = "laptop",
		.role = "admin",
		.prefix = "fp_abc",
		.created_at_us = 5,
		.expires_at_us = expires_at_us,
		.revoked_at_us = ABSENT_COUNT};
	struct key_put put = {.key = &key, .hash = {hash}};

	return store_do(store, &put.job, STORAGE_KEY_PUT);
}

static enum status key_find(struct store *store, unsigned char hash, struct key_record *key)
{
	const unsigned char bytes[KEY_HASH_BYTES] = {hash};

	return storage_key_find(store->storage, bytes, &store->arena, key, &store->failure);
}

static void keys_are_found_until_revoked(void **state)
{
	struct store *store = *state;
	struct key_record key;
	struct key_revoke revoke = {.id = "k1"};
	struct page_request page = {.limit = 2};
	struct key_list list;
	int64_t count;

	assert_status(store, storage_key_count(store->storage, &count, &store->failure), STATUS_OK);
	assert_int_equal(count, 0);
	assert_status(store, key_add(store, "k1", 1, ABSENT_COUNT), STATUS_OK);
	assert_status(store, key_add(store, "k2", 2, clock_wall_us() + 60000000), STATUS_OK);
	assert_status(store, key_add(store, "k3", 3, 6), STATUS_OK);
	assert_status(store, key_add(store, "k4", 1, ABSENT_COUNT), STATUS_CONFLICT);
	assert_status(store, key_find(store, 1, &key), STATUS_OK);
	assert_string_equal(key.id, "k1");
	assert_string_equal(key.role, "admin");
	assert_string_equal(key.prefix, "fp_abc");
	assert_int_equal(key.created_at_us, 5);
	assert_status(store, key_find(store, 2, &key), STATUS_OK);
	assert_status(store, key_find(store, 3, &key), STATUS_NOT_FOUND); /* the key has expired */
	assert_status(store, key_find(store, 9, &key), STATUS_NOT_FOUND);
	assert_status(store, storage_key_count(store->storage, &count, &store->failure), STATUS_OK);
	assert_int_equal(count, 3); /* includes the expired key */
	assert_status(store, store_do(store, &revoke.job, STORAGE_KEY_REVOKE), STATUS_OK);
	assert_status(store, store_do(store, &revoke.job, STORAGE_KEY_REVOKE), STATUS_NOT_FOUND);
	assert_status(store, key_find(store, 1, &key), STATUS_NOT_FOUND);
	assert_status(store, storage_key_list(store->storage, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 2);
	assert_true(list.items[0].revoked_at_us > 0);
	assert_int_equal(list.items[1].revoked_at_us, ABSENT_COUNT);
	page.cursor = list.next_cursor;
	assert_status(store, storage_key_list(store->storage, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.items[0].id, "k3");
	page.cursor = "?";
	assert_status(store, storage_key_list(store->storage, &page, &store->arena, &list, &store->failure), STATUS_MALFORMED);
}

static void settings_are_kept(void **state)
{
	struct store *store = *state;
	struct setting_put put = {.name = "greeting", .value = "hello"};
	const char *value;

	assert_status(store, storage_setting_get(store->storage, "greeting", &store->arena, &value, &store->failure), STATUS_NOT_FOUND);
	assert_status(store, store_do(store, &put.job, STORAGE_SETTING_PUT), STATUS_OK);
	put.value = "good day";
	assert_status(store, store_do(store, &put.job, STORAGE_SETTING_PUT), STATUS_OK);
	assert_status(store, storage_setting_get(store->storage, "greeting", &store->arena, &value, &store->failure), STATUS_OK);
	assert_string_equal(value, "good day");
	put.value = NULL;
	assert_status(store, store_do(store, &put.job, STORAGE_SETTING_PUT), STATUS_OK);
	assert_status(store, storage_setting_get(store->storage, "greeting", &store->arena, &value, &store->failure), STATUS_NOT_FOUND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_setup, store_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_benchmark_comes_back_as_it_was),
		TEST(the_right_benchmark_is_claimed),
		TEST(a_result_is_delivered_once),
		TEST(a_lost_worker_costs_an_attempt),
		TEST(a_remote_lease_outlives_a_restart),
		TEST(a_start_gives_agents_the_time_of_a_lease),
		TEST(an_agents_results_are_bounded),
		TEST(what_waits_too_long_expires),
		TEST(another_attempt_starts_anew),
		TEST(cancelling_reaches_the_worker),
		TEST(a_lost_worker_of_a_cancelled_one_ends_it),
		TEST(benchmarks_are_listed),
		TEST(devices_are_added_and_updated),
		TEST(keys_are_found_until_revoked),
		TEST(settings_are_kept),
	};

	return cmocka_run_group_tests_name("benchmarks", tests, NULL, NULL);
}
