/* Tests `fleetplan bench` as a process: its lines, its lock, its deadline, and that it ends with its daemon. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/command/bench_command.h"
#include "bench/cpu/cpu_info.h"
#include "bench/device_lock.h"
#include "bench/report/watchdog.h"
#include "support/assert.h"

static char folder[] = "/tmp/fleetplan-bench-test-XXXXXX";

struct child {
	pid_t pid;
	FILE *lines; /* its descriptor 3 */
};

/* Runs bench_main in a child of this process. `arguments` follow "bench". */
static struct child spawn(char *const *arguments, size_t count)
{
	char *argv[16] = {NULL};
	struct child child;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	child.pid = fork();
	assert_true(child.pid >= 0);
	if (child.pid == 0) {
		char name[] = "bench";

		argv[0] = name;
		for (size_t i = 0; i < count; i++)
			argv[i + 1] = arguments[i];
		close(ends[0]);
		dup2(ends[1], BENCH_WORKER_FD);
		if (ends[1] != BENCH_WORKER_FD)
			close(ends[1]);
		(void)!freopen("/dev/null", "w", stderr);
		_exit(bench_main((int)count + 1, argv, NULL));
	}
	close(ends[1]);
	child.lines = fdopen(ends[0], "r");
	assert_non_null(child.lines);
	return child;
}

/* Reads the child's lines up to `size` bytes and returns its exit code. */
static int finish(struct child *child, char *text, size_t size)
{
	size_t length = fread(text, 1, size - 1, child->lines);
	int status;

	text[length] = '\0';
	fclose(child->lines);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char text[64 * 1024];

static int run(const char *const *words, size_t count)
{
	char copies[8][64], *arguments[8];
	struct child child;

	for (size_t i = 0; i < count; i++) {
		snprintf(copies[i], sizeof(copies[i]), "%s", words[i]);
		arguments[i] = copies[i];
	}
	child = spawn(arguments, count);
	return finish(&child, text, sizeof(text));
}

#define RUN(...) run((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* A product of 64 takes microseconds. The deadline cuts its slice of the full suite only if something hangs. */
static void a_worker_tells_its_story_in_order(void **state)
{
	const char *at = text;
	static const char *const story[] = {"\"type\":\"hello\"", "\"type\":\"device\"", "\"type\":\"progress\"",
		"\"type\":\"measure\",\"test\":\"launch_round_trip\"", "\"type\":\"result\",\"status\":\"ok\""};

	(void)state;
	assert_int_equal(RUN("--worker", "--suite", "launch_round_trip"), BENCH_EXIT_OK);
	for (size_t i = 0; i < COUNT_OF(story); i++) {
		at = strstr(at, story[i]);
		assert_non_null(at);
	}
	assert_int_equal(text[strlen(text) - 1], '\n');
}

static void a_list_names_the_cpu(void **state)
{
	(void)state;
	assert_int_equal(RUN("--list", "--worker"), BENCH_EXIT_OK);
	assert_contains(text, "\"backend\":\"cpu\"");
	assert_contains(text, "\"type\":\"result\",\"status\":\"ok\"");
}

static void bad_arguments_are_refused(void **state)
{
	(void)state;
	assert_int_equal(RUN("--frobnicate"), BENCH_EXIT_USAGE);
	assert_int_equal(RUN("--shape", "1,2"), BENCH_EXIT_USAGE);
	assert_int_equal(RUN("--shape", "0,2,3"), BENCH_EXIT_USAGE);
	assert_int_equal(RUN("--deadline", "soon"), BENCH_EXIT_USAGE);
	assert_int_equal(RUN("quick"), BENCH_EXIT_USAGE);
	assert_int_equal(RUN("--worker", "--device", "gpu-9"), BENCH_EXIT_FAILED);
	assert_contains(text, "\"status\":\"failed\"");
	assert_contains(text, "no such device");
	assert_contains(text, "; cuda: "); /* the reason: the user may want the device, and this process cannot see it */
	assert_int_equal(RUN("--worker", "--suite", "strem_triad"), BENCH_EXIT_FAILED);
	assert_contains(text, "nearest: stream_triad");
	assert_int_equal(RUN("--worker", "--suite", "nonsense"), BENCH_EXIT_FAILED);
	assert_contains(text, "; quick and full run all tests, --list shows their names");
}

/* While another process holds the device's lock, the result is busy, not a failure. */
static void a_locked_device_is_busy(void **state)
{
	struct bench_reason reason;
	struct bench_device device;
	int lock;

	(void)state;
	cpu_info_device(&device);
	assert_int_equal(bench_device_lock(device.uuid, &lock, &reason), DEVICE_LOCKED);
	assert_int_equal(RUN("--worker", "--suite", "launch_round_trip"), BENCH_EXIT_BUSY);
	assert_contains(text, "\"status\":\"busy\"");
	close(lock);
	assert_int_equal(bench_device_lock(device.uuid, &lock, &reason), DEVICE_LOCKED);
	close(lock);
}

/* The suite has 100 s of work and a deadline of 1 s. The watchdog ends the process without a result. */
static void the_deadline_ends_the_process(void **state)
{
	(void)state;
	assert_int_equal(RUN("--worker", "--suite", "gemm_kernel_fp32", "--shape", "64,64,64", "--deadline", "1"), WATCHDOG_EXIT);
	assert_null(strstr(text, "\"type\":\"result\""));
}

static void a_worker_of_another_parent_does_not_begin(void **state)
{
	(void)state;
	assert_int_equal(RUN("--worker", "--suite", "launch_round_trip", "--parent", "1"), BENCH_EXIT_FAILED);
	assert_string_equal(text, "");
}

/* The test kills the process between itself and the worker, as if a daemon died. The worker's pipe ends only if the
 * worker died, too. */
static void a_worker_dies_with_its_daemon(void **state)
{
	char self[24], line[256];
	int ends[2], status;
	pid_t daemon;
	FILE *lines;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	daemon = fork();
	assert_true(daemon >= 0);
	if (daemon == 0) {
		char worker[] = "--worker", suite[] = "--suite", test[] = "gemm_kernel_fp32", parent[] = "--parent", name[] = "bench",
			 shape[] = "--shape", sides[] = "64,64,64";
		char *argv[] = {name, worker, suite, test, shape, sides, parent, self, NULL};

		snprintf(self, sizeof(self), "%ld", (long)getpid());
		close(ends[0]);
		if (fork() == 0) {
			dup2(ends[1], BENCH_WORKER_FD);
			if (ends[1] != BENCH_WORKER_FD)
				close(ends[1]);
			_exit(bench_main(8, argv, NULL));
		}
		close(ends[1]);
		pause();
		_exit(0);
	}
	close(ends[1]);
	lines = fdopen(ends[0], "r");
	assert_non_null(lines);
	assert_non_null(fgets(line, sizeof(line), lines)); /* the worker runs */
	kill(daemon, SIGKILL);
	assert_int_equal(waitpid(daemon, &status, 0), daemon);
	while (fgets(line, sizeof(line), lines)) /* ends only when every process with the pipe is gone */
		assert_null(strstr(line, "\"type\":\"result\""));
	fclose(lines);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) && setenv("FLEETPLAN_RUN_DIR", folder, 1) == 0 && setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	struct bench_device device;
	char path[PATH_MAX];

	(void)state;
	cpu_info_device(&device);
	snprintf(path, sizeof(path), "%s/fleetplan-device-%s.lock", folder, device.uuid);
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_tells_its_story_in_order),
		cmocka_unit_test(a_list_names_the_cpu),
		cmocka_unit_test(bad_arguments_are_refused),
		cmocka_unit_test(a_locked_device_is_busy),
		cmocka_unit_test(the_deadline_ends_the_process),
		cmocka_unit_test(a_worker_of_another_parent_does_not_begin),
		cmocka_unit_test(a_worker_dies_with_its_daemon),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
