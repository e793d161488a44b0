/* Tests the opencl backend on a libOpenCL.so.1 that fails in every way of a driver (tests/fakes/opencl.c). */
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/command/bench_command.h"
#include "bench/opencl/opencl_session.h"
#include "bench/report/watchdog.h"
#include "support/assert.h"

static char self[PATH_MAX], fakes[PATH_MAX];

/* The last stage of a case, which gave its outcome. */
enum stage { STAGE_LIST, STAGE_OPEN, STAGE_PREPARE, STAGE_RUN };

struct found {
	enum bench_outcome outcome;
	enum stage stage; /* the stage of the outcome */
	struct bench_device device;
	struct bench_check check;
	double bytes, elapsed_s;
	struct bench_reason reason;
};

/* The library reads its script at every call, so the cases share this process and its one open library. */
static struct found play(const char *script, const struct bench_work_request *request)
{
	struct found found = {.outcome = BENCH_FAILED};
	struct bench_session *session = NULL;
	struct bench_work work;
	size_t count;

	setenv("FAKE_OPENCL", script, 1);
	found.outcome = bench_opencl_backend.list(&found.device, 1, &count, &found.reason);
	if (found.outcome == BENCH_OK) {
		found.stage = STAGE_OPEN;
		found.outcome = bench_opencl_backend.open(&found.device, &session, &found.reason);
	}
	if (found.outcome == BENCH_OK) {
		found.stage = STAGE_PREPARE;
		found.outcome = bench_opencl_backend.prepare(session, request, &work, &found.reason);
		if (found.outcome == BENCH_OK) {
			found.stage = STAGE_RUN;
			found.outcome = work.verify(&work, &found.check, &found.reason);
			if (found.outcome == BENCH_OK)
				found.outcome = work.run(&work, &found.elapsed_s, &found.reason);
			found.bytes = work.bytes;
			work.release(&work);
		}
		bench_opencl_backend.close(session);
	}
	return found;
}

static void each_failure_is_told_with_its_reason(void **state)
{
	static const struct bench_work_request copy = {.kind = WORK_ELEMENTWISE, .method = METHOD_STREAM, .bytes = 4096};
	static const struct {
		const char *script;
		enum stage stage;
		enum bench_outcome outcome;
		const char *reason;
	} cases[] = {
		{"abort", STAGE_LIST, BENCH_FAILED, "an OpenCL driver crashed with signal 6 while it listed its devices"}, /* PoCL does without /sys */
		{"no_platform", STAGE_LIST, BENCH_UNSUPPORTED, "install the device's OpenCL driver"},
		{"platform_code", STAGE_LIST, BENCH_UNSUPPORTED, "CL_OUT_OF_HOST_MEMORY (-6)"},
		{"no_device", STAGE_LIST, BENCH_UNSUPPORTED, "no GPU or accelerator"},
		{"device_code", STAGE_LIST, BENCH_UNSUPPORTED, "CL_INVALID_VALUE (-30)"},
		{"unavailable", STAGE_LIST, BENCH_UNSUPPORTED, "not available"},
		{"small_groups", STAGE_OPEN, BENCH_UNSUPPORTED, "at most 64 items"},
		{"build", STAGE_OPEN, BENCH_FAILED, "<kernel>:7:3: error: use of undeclared identifier"},
		{"memory", STAGE_PREPARE, BENCH_UNSUPPORTED, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
		{"launch", STAGE_PREPARE, BENCH_FAILED, "CL_OUT_OF_RESOURCES (-5)"},
		{"clock", STAGE_RUN, BENCH_FAILED, "clock did not move"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct found found = play(cases[i].script, &copy);

		assert_int_equal(found.stage, cases[i].stage);
		assert_int_equal(found.outcome, cases[i].outcome);
		assert_contains(found.reason.text, cases[i].reason);
	}
}

/* The stand-in's kernels compute nothing. The check must reject the output of every kind of work. */
static void a_device_that_computes_nothing_is_found_out(void **state)
{
	static const struct bench_work_request requests[] = {
		{.kind = WORK_LAUNCH, .method = METHOD_DRIVER_LAUNCH},
		{.kind = WORK_STREAM_READ, .method = METHOD_STREAM},
		{.kind = WORK_STREAM_TRIAD, .method = METHOD_STREAM},
		{.kind = WORK_ISSUE_RATE, .method = METHOD_ISSUE_RATE, .precision = PRECISION_FP32},
		{.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_BF16, .shape = {32, 32, 32}},
		{.kind = WORK_ATTENTION, .method = METHOD_KERNEL_ATTENTION, .precision = PRECISION_BF16, .attention = {1, 1, 1, 8, 8, 8, .causal = true}},
		{.kind = WORK_TRANSFER, .method = METHOD_COPY_ENGINE, .transfer = {.direction = DIRECTION_FROM_DEVICE, .bytes = 65536}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(requests); i++) {
		struct found found = play("", &requests[i]);

		assert_int_equal(found.outcome, BENCH_OK);
		assert_false(found.check.verified);
	}
}

/* A run lasts from the start of the first kernel to the end of the last. Its bytes are those of every array that it
 * reads or writes. */
static void a_run_takes_as_long_as_the_device_says(void **state)
{
	struct bench_work_request request = {.kind = WORK_STREAM_READ, .method = METHOD_STREAM};
	struct found read = play("", &request), found;

	(void)state;
	assert_close(read.elapsed_s, 0.7e-6, 1e-9);
	request.kind = WORK_STREAM_COPY;
	assert_close(play("", &request).bytes, 2 * read.bytes, 0);
	request.kind = WORK_STREAM_TRIAD;
	assert_close(play("", &request).bytes, 3 * read.bytes, 0);
	request = (struct bench_work_request){.kind = WORK_ATTENTION,
		.method = METHOD_KERNEL_ATTENTION,
		.precision = PRECISION_BF16,
		.attention = {1, 1, 1, 8, 8, 8, .causal = true}};
	found = play("", &request); /* scores, softmax, values */
	assert_close(found.elapsed_s, 2.7e-6, 1e-9);
}

static void what_the_driver_lacks_is_unsupported(void **state)
{
	struct bench_work_request request = {
		.kind = WORK_TRANSFER, .method = METHOD_COPY_ENGINE, .transfer = {.direction = DIRECTION_TO_DEVICE, .bytes = 65536, .pinned = true}};
	struct found found = play("", &request);

	(void)state;
	assert_int_equal(found.outcome, BENCH_UNSUPPORTED); /* this library has no clEnqueueMapBuffer */
	assert_contains(found.reason.text, "pinned");
	request.transfer.pinned = false; /* the stand-in really copies, so the bytes are right */
	found = play("", &request);
	assert_true(found.outcome == BENCH_OK && found.check.verified);
	request = (struct bench_work_request){.kind = WORK_ISSUE_RATE, .method = METHOD_ISSUE_RATE, .precision = PRECISION_FP16};
	found = play("", &request);
	assert_int_equal(found.outcome, BENCH_UNSUPPORTED); /* "cl_khr_fp16_not" is not cl_khr_fp16 */
	assert_contains(found.reason.text, "cl_khr_fp16");
}

static void the_device_is_told_by_its_place_on_the_bus(void **state)
{
	static const struct bench_work_request launch = {.kind = WORK_LAUNCH, .method = METHOD_DRIVER_LAUNCH};
	struct bench_device device = play("", &launch).device;

	(void)state;
	assert_string_equal(device.id, "opencl-pci-0000:83:1b.1");
	assert_string_equal(device.uuid, "pci-0000:83:1b.1");
	assert_string_equal(device.name, "AMD Instinct MI300X");
	assert_string_equal(device.pci_bus, "0000:83:1b.1");
	assert_true(device.unit_count == 304 && device.ecc && bench_device_knows(&device, DEVICE_ECC));
	assert_close(device.memory_bytes, 0x1p30, 1e-15);
	assert_close(device.clock_hz, 2.1e9, 1e-15);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void remove_tree(const char *folder)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	assert_int_equal(system(command), 0);
}

static void sysfs_tells_product_and_node(void **state)
{
	char root[] = "/tmp/fleetplan-sysfs-XXXXXX", folder[PATH_MAX], command[PATH_MAX + 16];
	struct bench_device device = {.pci_bus = "0000:83:00.1"};

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(folder, sizeof(folder), "%s/bus/pci/devices/0000:83:00.1", root);
	snprintf(command, sizeof(command), "mkdir -p '%s'", folder);
	assert_int_equal(system(command), 0);
	opencl_device_pci(root, &device);
	assert_int_equal(device.known, 0);
	write_file(folder, "vendor", "0x1002\n");
	write_file(folder, "device", "0x74a1\n");
	write_file(folder, "numa_node", "1\n");
	opencl_device_pci(root, &device);
	assert_string_equal(device.pci_id, "1002:74a1");
	assert_true(bench_device_knows(&device, DEVICE_NUMA_NODE) && device.numa_node == 1);
	device = (struct bench_device){.pci_bus = "0000:83:00.1"};
	write_file(folder, "vendor", "");
	write_file(folder, "numa_node", "-1\n"); /* -1: one node, or an unknown node */
	opencl_device_pci(root, &device);
	assert_int_equal(device.known, 0);
	remove_tree(root);
}

/* Runs this program again with `folder` first in the linker's path. Copies the printed list to `out` and returns the
 * exit status. */
static int list_with(const char *folder, const char *libraries, const char *how, char *out, size_t size)
{
	char command[4 * PATH_MAX];
	FILE *pipe;
	size_t got;

	snprintf(command, sizeof(command), "LD_LIBRARY_PATH='%s' FLEETPLAN_BENCH_LIB_DIR='%s' '%s' %s", folder, libraries, self, how);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	got = fread(out, 1, size - 1, pipe);
	out[got] = '\0';
	return pclose(pipe);
}

static void a_library_that_is_none_is_a_reason(void **state)
{
	char folder[PATH_MAX], broken[] = "/tmp/fleetplan-opencl-XXXXXX", said[512];

	(void)state;
	snprintf(folder, sizeof(folder), "%.4000s/too-old", fakes);
	assert_int_equal(list_with(folder, folder, "list", said, sizeof(said)), BENCH_UNSUPPORTED << 8);
	assert_contains(said, "clGetEventProfilingInfo");
	assert_non_null(mkdtemp(broken));
	write_file(broken, "libOpenCL.so.1", "this is no library");
	assert_int_equal(list_with(broken, broken, "list", said, sizeof(said)), BENCH_UNSUPPORTED << 8);
	assert_contains(said, "libOpenCL.so.1");
	remove_tree(broken);
}

/* Without a home PoCL would cache its compiled kernels in /tmp/pocl, which any user may own. */
static void caches_are_private_without_a_home(void **state)
{
	const char *home = getenv("HOME"), *caches = getenv("XDG_CACHE_HOME"), *own = getenv("POCL_CACHE_DIR"),
			   *run = getenv("FLEETPLAN_RUN_DIR");
	const char *const values[] = {home, caches, own, run}, *const names[] = {"HOME", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "FLEETPLAN_RUN_DIR"};
	char kept[COUNT_OF(names)][PATH_MAX], said[512];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(kept[i], sizeof(kept[i]), "%s", values[i] ? values[i] : "");
		unsetenv(names[i]);
	}
	setenv("FLEETPLAN_RUN_DIR", "/tmp/fleetplan-run", 1);
	assert_int_equal(list_with(fakes, fakes, "list", said, sizeof(said)), 0);
	assert_contains(said, "caches /tmp/fleetplan-run/pocl\n");
	setenv("POCL_CACHE_DIR", "/tmp/mine", 1);
	assert_int_equal(list_with(fakes, fakes, "list", said, sizeof(said)), 0);
	assert_contains(said, "caches /tmp/mine\n");
	unsetenv("POCL_CACHE_DIR");
	setenv("HOME", "/root", 1);
	assert_int_equal(list_with(fakes, fakes, "list", said, sizeof(said)), 0);
	assert_contains(said, "caches where they are\n");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (values[i])
			setenv(names[i], kept[i], 1);
		else
			unsetenv(names[i]);
}

/* CUDA's driver and OpenCL both list the same board. The list has it once, and its other name selects the same device. */
static void a_board_that_two_drivers_show_is_listed_once(void **state)
{
	char cuda[PATH_MAX], said[16384];

	(void)state;
	snprintf(cuda, sizeof(cuda), "%.4000s/..", fakes);
	setenv("FAKE_OPENCL", "same_board", 1);
	assert_int_equal(list_with(cuda, fakes, "bench", said, sizeof(said)), 0);
	assert_contains(said, "\"backend\":\"cuda\"");
	assert_null(strstr(said, "\"backend\":\"opencl\""));
	assert_int_equal(list_with(cuda, fakes, "bench opencl-pci", said, sizeof(said)), 0);
	assert_contains(said, "\"backend\":\"opencl\"");
	setenv("FAKE_OPENCL", "", 1);
	assert_int_equal(list_with(cuda, fakes, "bench", said, sizeof(said)), 0);
	assert_contains(said, "\"backend\":\"opencl\""); /* a different board */
}

/* A driver that never answers ends at the worker's deadline. */
static void a_driver_that_hangs_ends_at_the_deadline(void **state)
{
	char words[][16] = {"bench", "--device", "opencl-pci", "--suite", "stream_copy", "--deadline", "1", "--json"};
	char *arguments[] = {words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], NULL};
	int status = 0;
	pid_t child;

	(void)state;
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		setenv("FAKE_OPENCL", "hang", 1);
		if (!freopen("/dev/null", "w", stdout))
			_exit(99);
		_exit(bench_main(COUNT_OF(arguments) - 1, arguments, NULL));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), WATCHDOG_EXIT);
}

/* "list" prints this backend's listing. "bench [DEVICE]" prints the list of the command. */
static int listing(int argc, char **argv)
{
	char words[][16] = {"bench", "--list", "--json", "--device"};
	char *arguments[] = {words[0], words[1], words[2], argc > 2 ? words[3] : NULL, argc > 2 ? argv[2] : NULL, NULL};
	struct bench_reason reason = {""};
	const struct opencl_api *api;
	struct bench_device device;
	enum bench_outcome outcome;
	size_t count;

	if (!strcmp(argv[1], "bench"))
		return bench_main(argc > 2 ? 5 : 3, arguments, NULL);
	outcome = bench_opencl_backend.list(&device, 1, &count, &reason);
	puts(reason.text);
	(void)opencl_api_open(&api, &reason); /* another process lists the devices */
	printf("caches %s\n", getenv("POCL_CACHE_DIR") ? getenv("POCL_CACHE_DIR") : "where they are");
	return (int)outcome;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_is_told_with_its_reason),
		cmocka_unit_test(a_device_that_computes_nothing_is_found_out),
		cmocka_unit_test(a_run_takes_as_long_as_the_device_says),
		cmocka_unit_test(what_the_driver_lacks_is_unsupported),
		cmocka_unit_test(the_device_is_told_by_its_place_on_the_bus),
		cmocka_unit_test(sysfs_tells_product_and_node),
		cmocka_unit_test(a_library_that_is_none_is_a_reason),
		cmocka_unit_test(caches_are_private_without_a_home),
		cmocka_unit_test(a_board_that_two_drivers_show_is_listed_once),
		cmocka_unit_test(a_driver_that_hangs_ends_at_the_deadline),
	};
	char folder[PATH_MAX];

	if (argc > 1)
		return listing(argc, argv);
	if (!realpath("/proc/self/exe", self))
		return 1;
	snprintf(folder, sizeof(folder), "%s", self);
	snprintf(fakes, sizeof(fakes), "%.4000s/../../fakes/opencl", dirname(folder));
	setenv("FLEETPLAN_BENCH_LIB_DIR", fakes, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
