#include "bench/command/bench_command.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/busy.h"
#include "bench/command/bench_arguments.h"
#include "bench/device_lock.h"
#include "bench/report/sampler.h"
#include "bench/report/watchdog.h"

enum { DEVICES_MAX = 64, BACKENDS_MAX = 4 };

struct found_devices {
	struct bench_device devices[DEVICES_MAX];
	const struct bench_backend *backends[DEVICES_MAX];
	size_t count;
	struct bench_reason reasons[BACKENDS_MAX]; /* why a backend has no devices, in the order of bench_backends; "": it has some */
};

/* True if another backend already listed this device: NVIDIA boards appear in CUDA's driver and in OpenCL's. */
static bool is_known(const struct found_devices *found, const struct bench_device *device)
{
	for (size_t i = 0; i < found->count; i++) {
		const struct bench_device *other = &found->devices[i];

		if (strcmp(other->backend, device->backend) != 0 &&
			(!strcmp(other->uuid, device->uuid) || (other->pci_bus[0] && !strcmp(other->pci_bus, device->pci_bus))))
			return true;
	}
	return false;
}

/* Lists the devices of all backends. If two backends list one device, the earlier backend keeps it, unless `wanted`
 * is the id of the other's. */
static void find_devices(struct found_devices *found, const char *wanted)
{
	*found = (struct found_devices){.count = 0};
	for (size_t b = 0; bench_backends[b]; b++) {
		size_t count = 0;

		CHECK(b < BACKENDS_MAX);
		if (bench_backends[b]->list(found->devices + found->count, DEVICES_MAX - found->count, &count, &found->reasons[b]) != BENCH_OK)
			continue;
		found->reasons[b] = (struct bench_reason){""};
		for (size_t i = 0, first = found->count; i < count; i++) {
			const struct bench_device device = found->devices[first + i];

			if (is_known(found, &device) && !(wanted && !strncmp(device.id, wanted, strlen(wanted))))
				continue;
			found->devices[found->count] = device;
			found->backends[found->count++] = bench_backends[b];
		}
	}
}

/* Finds the first device whose id begins with `wanted`. */
static bool choose_device(const struct found_devices *found, const char *wanted, size_t *index)
{
	for (*index = 0; *index < found->count; ++*index)
		if (!wanted || !strncmp(found->devices[*index].id, wanted, strlen(wanted)))
			return true;
	return false;
}

/* Prepares a worker: it dies with its daemon, writes no core file of gigabytes, and returns false if the daemon has
 * already died. */
static bool become_worker(const struct bench_arguments *arguments)
{
	struct rlimit none = {0, 0};

	(void)!setrlimit(RLIMIT_CORE, &none);
	signal(SIGPIPE, SIG_IGN);
	if (!arguments->parent)
		return true;
	(void)!prctl(PR_SET_PDEATHSIG, SIGKILL);
	return getppid() == arguments->parent;
}

/* Lists each test with all its possible methods; the device decides which one is used. */
static void list_tests(int fd)
{
	for (size_t i = 0; i < bench_test_count; i++) {
		const struct bench_test *test = &bench_tests[i];
		const char *first = bench_method_name(test->methods[0]), *second = bench_method_name(test->methods[1]);
		char methods[48];

		snprintf(methods, sizeof(methods), "%s%s%s", first, second == first ? "" : ", ", second == first ? "" : second);
		dprintf(fd, "%-22s %-17s %-35s quick %4.1f s, full %4.1f s\n", test->name, test->bottleneck, methods, test->quick_s, test->full_s);
	}
}

static int list_devices(struct bench_report *report, const struct found_devices *found, const struct bench_arguments *arguments)
{
	struct bench_result result = {.verdict = BENCH_VERDICT_OK, .suite = "list"};

	if (arguments->json && !arguments->worker)
		report->style = REPORT_LINES; /* a record describes one device; a list has one line per device */
	for (size_t i = 0; i < found->count; i++)
		bench_report_device(report, &found->devices[i]);
	if (report->style == REPORT_LINES) {
		if (arguments->worker)
			bench_report_result(report, &result);
		return BENCH_EXIT_OK;
	}
	for (size_t b = 0; bench_backends[b]; b++)
		if (*found->reasons[b].text)
			dprintf(report->fd, "%s: %s\n", bench_backends[b]->name, found->reasons[b].text);
	list_tests(report->fd);
	return BENCH_EXIT_OK;
}

/* Reports a result with the reason why nothing was measured. */
static int refuse(struct bench_report *report, const struct bench_arguments *arguments, enum bench_verdict verdict, const char *reason)
{
	struct bench_result result = {.verdict = verdict, .suite = arguments->suite, .reason = reason};

	bench_report_result(report, &result);
	return verdict == BENCH_VERDICT_BUSY ? BENCH_EXIT_BUSY : BENCH_EXIT_FAILED;
}

/* Finds the devices of the same backend: they are adjacent in the list. */
static void find_peers(struct bench_run *run, const struct found_devices *found, size_t at)
{
	size_t first = at, last = at;

	while (first > 0 && found->backends[first - 1] == found->backends[at])
		first--;
	while (last + 1 < found->count && found->backends[last + 1] == found->backends[at])
		last++;
	run->device = &found->devices[at];
	run->peers = &found->devices[first];
	run->peer_count = last - first + 1;
}

static int tell_result(struct bench_report *report, const struct bench_plan *plan, const struct bench_run *run, double elapsed_s)
{
	struct bench_result result = {.suite = plan->suite,
		.budget_s = plan->budget_s,
		.elapsed_s = elapsed_s,
		.measures = run->measured,
		.failed = run->failed,
		.verdict = run->failed || !run->measured ? BENCH_VERDICT_FAILED : BENCH_VERDICT_OK,
		.reason = run->failed ? "a test failed or gave a wrong result"
			: run->measured   ? NULL
							  : "nothing could be measured"};

	bench_report_result(report, &result);
	return result.verdict == BENCH_VERDICT_OK && !report->broken ? BENCH_EXIT_OK : BENCH_EXIT_FAILED;
}

/* Measures on an open session. The suite's time begins when the device is idle. */
static int measure(struct bench_report *report, const struct bench_arguments *arguments, const struct bench_plan *plan,
	struct bench_run *run, struct watchdog *watchdog)
{
	struct bench_reason reason;
	int64_t start_ns;
	int code;

	(void)watchdog_start(watchdog, report, arguments->deadline_s > 0 ? arguments->deadline_s : bench_deadline_s(plan->budget_s));
	if (!bench_wait_idle(run->backend, run->session, run->alive, &reason)) {
		watchdog_stop(watchdog);
		return refuse(report, arguments, BENCH_VERDICT_BUSY, reason.text);
	}
	run->sampler = bench_sampler_new(run->backend, run->session, report, &reason);
	if (!run->sampler)
		bench_report_skip(report, "energy", reason.text);
	start_ns = clock_monotonic_ns();
	run->deadline_ns = start_ns + (int64_t)(plan->budget_s * 1e9);
	bench_suite_run(run, plan);
	bench_sampler_free(run->sampler);
	watchdog_stop(watchdog);
	code = tell_result(report, plan, run, (double)(clock_monotonic_ns() - start_ns) * 1e-9);
	return code;
}

static int measure_device(struct bench_report *report, const struct bench_arguments *arguments, const struct bench_plan *plan,
	const struct found_devices *found, size_t at)
{
	struct watchdog watchdog;
	struct bench_run run = {.backend = found->backends[at],
		.report = report,
		.storage = arguments->storage,
		.alive = &watchdog.alive,
		.spec = arguments->has_spec ? &arguments->spec : NULL,
		.full = strcmp(plan->suite, "quick") != 0};
	struct bench_reason reason;
	int code;

	if (run.backend->open(&found->devices[at], &run.session, &reason) != BENCH_OK)
		return refuse(report, arguments, BENCH_VERDICT_FAILED, reason.text);
	find_peers(&run, found, at);
	code = measure(report, arguments, plan, &run, &watchdog);
	run.backend->close(run.session);
	return code;
}

/* Writes that no such device exists, and why some backends have no devices: the missing device may belong to one of
 * them. */
static void explain_absence(const struct found_devices *found, struct bench_reason *reason)
{
	size_t length;

	bench_refuse(reason, BENCH_FAILED, "no such device; --list shows the devices");
	for (size_t b = 0; bench_backends[b]; b++) {
		length = strlen(reason->text);
		if (*found->reasons[b].text)
			snprintf(reason->text + length, sizeof(reason->text) - length, "; %s: %.110s", bench_backends[b]->name, found->reasons[b].text);
	}
}

static int run_suite(struct bench_report *report, const struct bench_arguments *arguments, const struct found_devices *found)
{
	struct bench_reason reason;
	struct bench_plan plan;
	int lock = -1, code;
	size_t at;

	if (!bench_plan_make(arguments->suite, &plan, &reason))
		return refuse(report, arguments, BENCH_VERDICT_FAILED, reason.text);
	if (!choose_device(found, arguments->device, &at)) {
		explain_absence(found, &reason);
		return refuse(report, arguments, BENCH_VERDICT_FAILED, reason.text);
	}
	bench_report_device(report, &found->devices[at]);
	switch (bench_device_lock(found->devices[at].uuid, &lock, &reason)) {
	case DEVICE_LOCKED:
		break;
	case DEVICE_BUSY:
		return refuse(report, arguments, BENCH_VERDICT_BUSY, reason.text);
	case DEVICE_LOCK_FAILED:
		return refuse(report, arguments, BENCH_VERDICT_FAILED, reason.text);
	}
	code = measure_device(report, arguments, &plan, found, at);
	close(lock);
	return code;
}

static int run_command(const struct bench_arguments *arguments)
{
	struct found_devices found;
	struct bench_report report;
	int code;

	bench_report_open(&report,
		arguments->worker     ? REPORT_LINES
			: arguments->json ? REPORT_RECORD
							  : REPORT_TABLE,
		arguments->worker ? BENCH_WORKER_FD : STDOUT_FILENO);
	report.progress = !arguments->worker && !arguments->json && isatty(STDERR_FILENO);
	if (arguments->worker)
		bench_report_hello(&report);
	find_devices(&found, arguments->device);
	code = arguments->list ? list_devices(&report, &found, arguments) : run_suite(&report, arguments, &found);
	bench_report_close(&report);
	return code;
}

int bench_main(int argc, char **argv, bench_spec_reader *read_spec)
{
	struct bench_arguments arguments;
	int code = BENCH_EXIT_USAGE;

	if (bench_arguments_parse(argc, argv, read_spec, &arguments))
		code = arguments.worker && !become_worker(&arguments) ? BENCH_EXIT_FAILED : run_command(&arguments);
	bench_arguments_release(&arguments);
	return code;
}
