/* Tests the supervisor of benchmark workers against workers that end in every possible way. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "agent/worker.h"
#include "base/clock.h"
#include "support/assert.h"
#include "support/fake_worker.h"

static char self[PATH_MAX];

struct heard {
	size_t lines, measures;
	bool stop;
};

static void on_line(void *context, const struct bench_line *line, const char *text, size_t length)
{
	struct heard *heard = context;

	assert_int_equal(text[0], '{');
	assert_int_equal(text[length - 1], '}');
	heard->lines++;
	heard->measures += line->kind == BENCH_LINE_MEASURE;
}

static bool on_tick(void *context)
{
	return !((struct heard *)context)->stop;
}

/* Runs a script. The silence limit is short only for scripts that must reach it: on a busy machine the other scripts
 * must not reach it. */
static struct bench_worker_outcome play(const char *script, struct heard *heard, double deadline_s)
{
	char name[] = "fake", command[] = "play", copy[32];
	char *const arguments[] = {name, command, copy, NULL};
	struct bench_worker worker = {.program = self,
		.arguments = arguments,
		.deadline_s = deadline_s,
		.silence_s = !strcmp(script, "silent") || !strcmp(script, "sampling") || !strcmp(script, "talking") ? 1 : 60,
		.term_grace_s = 0.2,
		.kill_grace_s = 5,
		.log_bytes = 64 * 1024,
		.wake_fd = -1,
		.context = heard,
		.on_line = on_line,
		.on_tick = on_tick};
	struct bench_worker_outcome outcome;

	snprintf(copy, sizeof(copy), "%s", script);
	bench_worker_run(&worker, &outcome);
	return outcome;
}

static void a_good_worker_succeeds(void **state)
{
	struct heard heard = {0};
	struct bench_worker_outcome outcome = play("ok", &heard, 60);

	(void)state;
	assert_int_equal(outcome.end, WORKER_SUCCEEDED);
	assert_int_equal(outcome.exit_code, 0);
	assert_int_equal(heard.measures, 6);
	assert_int_equal(heard.lines, 11);
	bench_worker_release(&outcome);
}

static void every_other_end_is_told_apart(void **state)
{
	static const struct {
		const char *script;
		enum bench_worker_end end;
		const char *detail;
	} cases[] = {
		{"failed", WORKER_FAILED, "as the script says"},
		{"busy", WORKER_BUSY, "as the script says"},
		{"crash", WORKER_CRASHED, "signal 11"},
		{"no_result", WORKER_CRASHED, "without a result"},
		{"truncated", WORKER_CRASHED, "cut off after 10 bytes"},
		{"two_results", WORKER_MISSPOKE, "after its result"},
		{"after_result", WORKER_MISSPOKE, "after its result"},
		{"garbage", WORKER_MISSPOKE, "not valid"},
		{"blind_measure", WORKER_MISSPOKE, "/method"},
		{"oversized", WORKER_MISSPOKE, "longer than 65536"},
		{"ok_but_failed", WORKER_MISSPOKE, "contradict"},
		{"unknown", WORKER_CRASHED, "exit code 9"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct heard heard = {0};
		struct bench_worker_outcome outcome = play(cases[i].script, &heard, 60);

		if (outcome.end != cases[i].end)
			fail_msg("%s: %s (%s)", cases[i].script, bench_worker_end_name(outcome.end), outcome.detail);
		assert_contains(outcome.detail, cases[i].detail);
		bench_worker_release(&outcome);
	}
}

/* The worker ignores SIGTERM. The supervisor kills it after the grace period, and no process of it remains. */
static void a_deaf_worker_is_killed_at_its_deadline(void **state)
{
	struct heard heard = {0};
	int64_t start_ns = clock_monotonic_ns();
	struct bench_worker_outcome outcome = play("hang", &heard, 2);

	(void)state;
	assert_int_equal(outcome.end, WORKER_OVERDUE);
	assert_int_equal(outcome.signal, SIGKILL);
	assert_true(clock_monotonic_ns() - start_ns >= INT64_C(2200000000));
	assert_int_equal(kill(outcome.pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	bench_worker_release(&outcome);
}

static void a_silent_worker_is_stopped(void **state)
{
	static const char *const scripts[] = {"silent", "sampling"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(scripts); i++) {
		struct heard heard = {0};
		struct bench_worker_outcome outcome = play(scripts[i], &heard, 60);

		assert_int_equal(outcome.end, WORKER_SILENT);
		assert_int_equal(outcome.signal, SIGTERM);
		bench_worker_release(&outcome);
	}
}

static void a_worker_that_talks_may_take_longer(void **state)
{
	struct heard heard = {0};
	struct bench_worker_outcome outcome = play("talking", &heard, 60);

	(void)state;
	assert_int_equal(outcome.end, WORKER_SUCCEEDED);
	bench_worker_release(&outcome);
}

static void the_caller_can_stop_it(void **state)
{
	struct heard heard = {.stop = true};
	struct bench_worker_outcome outcome = play("hang", &heard, 60);

	(void)state;
	assert_int_equal(outcome.end, WORKER_STOPPED);
	bench_worker_release(&outcome);
}

/* True if the process runs. A zombie that its parent has not reaped does not run. */
static bool is_running(long pid)
{
	char path[64], state = 'X';
	FILE *file;

	assert_true(pid > 1);
	for (int i = 0; i < 100; i++) { /* SIGKILL takes a moment */
		snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
		file = fopen(path, "r");
		if (!file)
			return false;
		assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
		fclose(file);
		if (state == 'Z' || state == 'X')
			return false;
		usleep(20000);
	}
	return true;
}

/* The grandchild would keep the pipe open for an hour, far past the deadline. The supervisor ends it with the group,
 * and the result counts. */
static void a_grandchild_does_not_hold_it_up(void **state)
{
	struct heard heard = {0};
	struct bench_worker_outcome outcome = play("grandchild", &heard, 600);

	(void)state;
	assert_int_equal(outcome.end, WORKER_SUCCEEDED);
	assert_true(outcome.log.length > 0);
	assert_false(is_running(strtol(outcome.log.bytes, NULL, 10)));
	bench_worker_release(&outcome);
}

static void what_it_prints_is_kept_up_to_a_maximum(void **state)
{
	struct heard heard = {0};
	struct bench_worker_outcome outcome = play("loud", &heard, 60);

	(void)state;
	assert_int_equal(outcome.end, WORKER_SUCCEEDED);
	assert_int_equal(outcome.log.length, 64 * 1024);
	bench_worker_release(&outcome);
}

static void a_missing_program_is_no_crash(void **state)
{
	char name[] = "x";
	char *const arguments[] = {name, NULL};
	struct bench_worker worker = {
		.program = "/nonexistent/worker", .arguments = arguments, .deadline_s = 1, .silence_s = 1, .log_bytes = 100, .wake_fd = -1};
	struct bench_worker_outcome outcome;

	(void)state;
	bench_worker_run(&worker, &outcome);
	assert_int_equal(outcome.end, WORKER_UNSTARTED);
	assert_contains(outcome.detail, "No such file");
	bench_worker_release(&outcome);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_worker_succeeds),
		cmocka_unit_test(every_other_end_is_told_apart),
		cmocka_unit_test(a_deaf_worker_is_killed_at_its_deadline),
		cmocka_unit_test(a_silent_worker_is_stopped),
		cmocka_unit_test(a_worker_that_talks_may_take_longer),
		cmocka_unit_test(the_caller_can_stop_it),
		cmocka_unit_test(a_grandchild_does_not_hold_it_up),
		cmocka_unit_test(what_it_prints_is_kept_up_to_a_maximum),
		cmocka_unit_test(a_missing_program_is_no_crash),
	};

	if (argc == 3 && !strcmp(argv[1], "play"))
		return fake_worker(argv[2]);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
