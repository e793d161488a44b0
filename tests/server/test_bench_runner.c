/* Follows a benchmark from the queue to a stored result and its calibrations, through a real storage and real
 * processes. */
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "agent/attempt.h"
#include "base/clock.h"
#include "base/log.h"
#include "bench/command/bench_command.h"
#include "server/bench_runner.h"
#include "storage/lease.h"
#include "support/fake_worker.h"
#include "support/store.h"

/* The script for the next workers. "first,then": the first worker plays another script than the later ones. */
static char script_file[PATH_MAX];

static void set_script(struct store *store, const char *script)
{
	FILE *file;

	snprintf(script_file, sizeof(script_file), "%s/script", store->folder);
	setenv("FAKE_WORKER_SCRIPT", script_file, 1);
	file = fopen(script_file, "w");
	assert_non_null(file);
	fputs(script, file);
	fclose(file);
}

/* Takes the first word of the script, and leaves the rest to the next worker. The last word repeats. */
static int play_next(void)
{
	const char *path = getenv("FAKE_WORKER_SCRIPT");
	char words[256] = "", *comma;
	FILE *file = fopen(path, "r");

	if (!file || !fgets(words, sizeof(words), file))
		return 9;
	fclose(file);
	comma = strchr(words, ',');
	if (comma) {
		file = fopen(path, "w");
		if (!file)
			return 9;
		fputs(comma + 1, file);
		fclose(file);
		*comma = '\0';
	}
	return fake_worker(words);
}

static void note_change(void *context)
{
	atomic_fetch_add((_Atomic int *)context, 1);
}

static struct bench_runner *start(struct store *store, _Atomic int *changes)
{
	struct bench_runner_options options = {.storage = store->storage,
		.heartbeat_s = 0.1,
		.term_grace_s = 0.2,
		.context = changes,
		.catalogue_changed = changes ? note_change : NULL};
	struct bench_runner *runner;

	assert_status(store, bench_runner_start(&options, &runner, &store->failure), STATUS_OK);
	return runner;
}

static struct benchmark_record enqueue(struct store *store, const char *suite)
{
	struct benchmark_record benchmark = store_benchmark(store, 1);
	struct benchmark_put put = {.benchmark = &benchmark};

	benchmark.suite = (struct json_text){suite, strlen(suite)};
	benchmark.expires_at_us = ABSENT_COUNT;
	assert_status(store, store_do(store, &put.job, STORAGE_BENCHMARK_PUT), STATUS_OK);
	return benchmark;
}

static struct benchmark_record read_back(struct store *store, const char *id)
{
	struct benchmark_record benchmark;

	assert_status(store, storage_benchmark_get(store->storage, id, &store->arena, &benchmark, &store->failure), STATUS_OK);
	return benchmark;
}

/* Waits up to 20 s for a state. Each poll allocates a little more of the arena. */
static struct benchmark_record wait_for(struct store *store, const char *id, const char *state)
{
	struct benchmark_record benchmark = read_back(store, id);

	for (int i = 0; i < 400 && strcmp(benchmark.state, state) != 0; i++) {
		usleep(50000);
		benchmark = read_back(store, id);
	}
	assert_string_equal(benchmark.state, state);
	return benchmark;
}

static struct calibration_row calibration(struct store *store, const char *id)
{
	struct calibration_row row;

	assert_status(store, storage_row_get(store->storage, ROW_CALIBRATION, id, 0, &store->arena, &row, &store->failure), STATUS_OK);
	return row;
}

/* The fake worker's figures: 250 GFLOP/s by the library, 505 by issue (p90), 40 GB/s triad, 50 GB/s read. */
static void a_result_is_stored_and_calibrates(void **state)
{
	struct store *store = *state;
	_Atomic int changes = 0;
	struct bench_runner *runner;
	struct benchmark_record benchmark;
	struct accelerator_row row;
	struct calibration_row gemm;

	set_script(store, "ok");
	benchmark = enqueue(store, "\"quick\"");
	runner = start(store, &changes);
	bench_runner_wake(runner);
	benchmark = wait_for(store, benchmark.id, "succeeded");
	bench_runner_stop(runner);
	assert_int_equal(benchmark.attempt, 1);
	assert_contains(benchmark.result.text, "\"measures\":[{\"type\":\"measure\",\"test\":\"launch_round_trip\"");
	assert_contains(benchmark.result.text, "\"calibrations\":[{\"id\":\"gemm_efficiency.fp32.large.cpu-fake\"");
	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "cpu-fake-2t", 0, &store->arena, &row, &store->failure), STATUS_OK);
	assert_string_equal(row.meta.origin, "measured");
	assert_close(row.accelerator.tflops_fp32, 0.505, 1e-12);
	assert_close(row.accelerator.memory_bandwidth_gbs, 50, 1e-12);
	assert_close(row.accelerator.memory_usable_bytes, 16e9, 1e-12);
	gemm = calibration(store, "gemm_efficiency.fp32.large.cpu-fake");
	assert_close(gemm.value, 250.0 / 505, 1e-12);
	assert_close(gemm.low, 247.5 / 505, 1e-12);
	assert_close(gemm.high, 252.5 / 505, 1e-12);
	assert_string_equal(gemm.method, "library_gemm");
	assert_string_equal(gemm.benchmark_id, benchmark.id);
	assert_close(calibration(store, "memory_efficiency.cpu-fake").value, 0.8, 1e-12);
	assert_close(calibration(store, "kernel_launch_s.cpu-fake").value, 1e-5, 1e-12);
	assert_int_equal(atomic_load(&changes), 1);
}

/* The real worker measures this machine. The test checks that the figure exists, not that it is stable. */
static void the_real_worker_measures(void **state)
{
	struct store *store = *state;
	struct bench_runner *runner;
	struct benchmark_record benchmark;

	setenv("FLEETPLAN_RUN_DIR", store->folder, 1);
	benchmark = enqueue(store, "[\"launch_round_trip\"]");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "succeeded");
	bench_runner_stop(runner);
	assert_contains(benchmark.result.text, "\"end\":\"succeeded\"");
	assert_contains(benchmark.result.text, "\"test\":\"launch_round_trip\"");
	assert_contains(benchmark.result.text, "\"verified\":true");
	assert_contains(benchmark.result.text, "\"backend\":\"cpu\"");
	assert_contains(benchmark.result.text, "has no catalogue row"); /* one launch time is not enough for a row */
	snprintf(script_file, sizeof(script_file), "%s/fleetplan-device-%s.lock", store->folder, benchmark.running_device);
}

static void the_devices_of_this_machine_are_known(void **state)
{
	struct store *store = *state;
	struct page_request page = {.limit = 10};
	struct device_record device = {.id = "cpu-old", .backend = "cpu", .state = "idle", .seen_at_us = 1};
	struct device_put put = {.device = &device};
	struct device_list list = {.count = 0};
	struct bench_runner *runner;
	size_t gone = 0, idle = 0;

	assert_status(store, store_do(store, &put.job, STORAGE_DEVICE_PUT), STATUS_OK);
	runner = start(store, NULL);
	for (int i = 0; i < 400 && gone == 0; i++) {
		usleep(50000);
		assert_status(store, storage_device_list(store->storage, &page, &store->arena, &list, &store->failure), STATUS_OK);
		gone = idle = 0;
		for (size_t d = 0; d < list.count; d++) {
			gone += !strcmp(list.items[d].state, "gone");
			idle += !strcmp(list.items[d].state, "idle");
		}
	}
	bench_runner_stop(runner);
	assert_int_equal(list.count, 2);
	assert_int_equal(gone, 1);
	assert_int_equal(idle, 1);
	for (size_t d = 0; d < list.count; d++)
		if (!strcmp(list.items[d].state, "idle")) {
			assert_non_null(list.items[d].accelerator);
			assert_contains(list.items[d].properties.text, "\"instruction_set\"");
		}
}

static void a_crash_is_tried_again(void **state)
{
	struct store *store = *state;
	struct bench_runner *runner;
	struct benchmark_record benchmark;

	set_script(store, "crash,ok");
	benchmark = enqueue(store, "\"quick\"");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "succeeded");
	bench_runner_stop(runner);
	assert_int_equal(benchmark.attempt, 2);
}

static void three_crashes_are_a_failure(void **state)
{
	struct store *store = *state;
	struct bench_runner_counts counts;
	struct bench_runner *runner;
	struct benchmark_record benchmark;

	set_script(store, "crash");
	benchmark = enqueue(store, "\"quick\"");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "failed");
	bench_runner_counts_get(runner, &counts);
	bench_runner_stop(runner);
	assert_int_equal(benchmark.attempt, LEASE_ATTEMPTS_MAX);
	assert_contains(benchmark.state_reason, "signal 11");
	assert_contains(benchmark.state_reason, "attempt 3 of 3");
	assert_contains(benchmark.result.text, "\"stream_read\""); /* measurements before the crash are kept */
	assert_null(strstr(benchmark.result.text, "\"calibrations\""));
	assert_int_equal(counts.claimed, 3);
	assert_int_equal(counts.returned, 2);
	assert_int_equal(counts.failed, 1);
}

static void an_orderly_failure_is_not_repeated(void **state)
{
	struct store *store = *state;
	struct bench_runner *runner;
	struct benchmark_record benchmark;

	set_script(store, "failed");
	benchmark = enqueue(store, "\"quick\"");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "failed");
	bench_runner_stop(runner);
	assert_int_equal(benchmark.attempt, 1);
	assert_contains(benchmark.state_reason, "as the script says");
}

static void an_unknown_test_fails_with_the_nearest_names(void **state)
{
	struct store *store = *state;
	struct bench_runner *runner;
	struct benchmark_record benchmark;

	benchmark = enqueue(store, "[\"stream_triadd\"]");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "failed");
	bench_runner_stop(runner);
	assert_contains(benchmark.state_reason, "stream_triad");
}

static void cancelling_ends_the_worker(void **state)
{
	struct store *store = *state;
	struct benchmark_cancel cancel;
	struct bench_runner *runner;
	struct benchmark_record benchmark;

	set_script(store, "hang");
	benchmark = enqueue(store, "\"quick\"");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "running");
	cancel = (struct benchmark_cancel){.id = benchmark.id, .now_us = clock_wall_us()};
	assert_status(store, store_do(store, &cancel.job, STORAGE_BENCHMARK_CANCEL), STATUS_OK);
	bench_runner_cancel(runner, benchmark.id);
	benchmark = wait_for(store, benchmark.id, "cancelled");
	bench_runner_stop(runner);
}

/* Another process cancelled the benchmark: the heartbeat reports it. */
static void a_cancellation_is_heard_of_by_heartbeat(void **state)
{
	struct store *store = *state;
	struct benchmark_cancel cancel;
	struct bench_runner *runner;
	struct benchmark_record benchmark;

	set_script(store, "hang");
	benchmark = enqueue(store, "\"quick\"");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "running");
	for (int i = 0; i < 400 && !benchmark.progress.text; i++) {
		usleep(50000);
		benchmark = read_back(store, benchmark.id);
	}
	assert_contains(benchmark.progress.text, "stream_read"); /* the heartbeats report progress as well */
	cancel = (struct benchmark_cancel){.id = benchmark.id, .now_us = clock_wall_us()};
	assert_status(store, store_do(store, &cancel.job, STORAGE_BENCHMARK_CANCEL), STATUS_OK);
	benchmark = wait_for(store, benchmark.id, "cancelled");
	bench_runner_stop(runner);
}

static void a_stopped_daemon_gives_back_what_it_ran(void **state)
{
	struct store *store = *state;
	struct bench_runner *runner;
	struct benchmark_record benchmark;

	set_script(store, "hang");
	benchmark = enqueue(store, "\"quick\"");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "running");
	bench_runner_stop(runner);
	benchmark = read_back(store, benchmark.id);
	assert_string_equal(benchmark.state, "queued");
	assert_int_equal(benchmark.attempt, 0); /* the attempt is not counted */
	set_script(store, "ok");
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "succeeded");
	bench_runner_stop(runner);
}

/* A daemon died while its worker ran: the lease still has an hour to run, but the next daemon knows that no process
 * holds it. */
static void a_dead_daemon_loses_nothing(void **state)
{
	struct store *store = *state;
	struct benchmark_record benchmark = enqueue(store, "\"quick\""), claimed;
	struct benchmark_claim claim = {
		.device_id = "cpu-before", .now_us = clock_wall_us(), .lease_us = INT64_C(3600000000), .benchmark = &claimed};
	struct bench_runner *runner;

	set_script(store, "ok");
	assert_status(store, store_do(store, &claim.job, STORAGE_BENCHMARK_CLAIM), STATUS_OK);
	assert_string_equal(claimed.state, "running");
	store_close(store);
	store_open(store);
	runner = start(store, NULL);
	benchmark = wait_for(store, benchmark.id, "succeeded");
	bench_runner_stop(runner);
	assert_int_equal(benchmark.attempt, 2);
}

static int teardown(void **state)
{
	if (*script_file)
		unlink(script_file);
	*script_file = '\0';
	unsetenv("FAKE_WORKER_SCRIPT");
	return store_teardown(state);
}

/* Simulates a driver that keeps its process in the kernel: the device is free only when that process has ended. */
static void a_device_is_free_again_when_its_worker_is_gone(void **state)
{
	struct bench_device_slot slot = {.id = "d", .state = DEVICE_IN_USE};
	struct bench_worker_outcome outcome = {.end = WORKER_WEDGED, .detail = "the worker survived SIGKILL", .pid = fork()};
	bool changed;

	(void)state;
	if (outcome.pid == 0) {
		pause();
		_exit(0);
	}
	bench_attempt_mark(&outcome, &slot);
	assert_int_equal(slot.state, DEVICE_WEDGED);
	assert_string_equal(slot.reason, "the worker survived SIGKILL");
	assert_false(bench_device_ready(&slot, &changed));
	assert_false(changed);
	kill(outcome.pid, SIGKILL);
	for (int i = 0; i < 500 && !bench_device_ready(&slot, &changed); i++)
		usleep(10000);
	assert_true(changed);
	assert_int_equal(slot.state, DEVICE_SUSPECT);
	outcome.end = WORKER_SUCCEEDED;
	bench_attempt_mark(&outcome, &slot);
	assert_int_equal(slot.state, DEVICE_IDLE);
	assert_string_equal(slot.reason, "");
	assert_true(bench_device_ready(&slot, &changed) && !changed);
}

int main(int argc, char **argv)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, store_setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_free_again_when_its_worker_is_gone),
		WITH_STORE(a_result_is_stored_and_calibrates),
		WITH_STORE(the_real_worker_measures),
		WITH_STORE(the_devices_of_this_machine_are_known),
		WITH_STORE(a_crash_is_tried_again),
		WITH_STORE(three_crashes_are_a_failure),
		WITH_STORE(an_orderly_failure_is_not_repeated),
		WITH_STORE(an_unknown_test_fails_with_the_nearest_names),
		WITH_STORE(cancelling_ends_the_worker),
		WITH_STORE(a_cancellation_is_heard_of_by_heartbeat),
		WITH_STORE(a_stopped_daemon_gives_back_what_it_ran),
		WITH_STORE(a_dead_daemon_loses_nothing),
	};

	/* This program is also the runner's worker: a fake one if there is a script, except for listing devices. */
	if (argc > 2 && !strcmp(argv[1], "bench"))
		return !strcmp(argv[2], "--list") || !getenv("FAKE_WORKER_SCRIPT") ? bench_main(argc - 1, argv + 1, NULL) : play_next();
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
