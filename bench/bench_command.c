#include "bench/bench_command.h"

#include <getopt.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/device_lock.h"
#include "bench/suite.h"
#include "bench/watchdog.h"

enum { DEVICES_MAX = 64 };

static const char usage[] =
	"usage: fleetplan bench [--device ID] [--suite quick|full|TEST,...] [--shape M,N,K]... [--json]\n"
	"       fleetplan bench --list [--json]\n"
	"\n"
	"Measures a device: memory streams, matrix products, launch overhead. Without --device the first one.\n"
	"  --device ID     a device's id, or the beginning of it\n"
	"  --suite SUITE   quick (10 s, the default), full (120 s), or names of tests with commas between\n"
	"  --shape M,N,K   a matrix product to measure, instead of squares; may be repeated\n"
	"  --list          the devices, and the tests\n"
	"  --json          one JSON record instead of a table\n"
	"  --worker        for the daemon: NDJSON lines on file descriptor 3\n"
	"  --parent PID    for the daemon: end when that process is no longer the parent\n"
	"  --deadline S    end the process after so many seconds, whatever it does\n";

struct arguments {
	const char *device, *suite;
	struct bench_shape shapes[BENCH_SHAPES_MAX];
	size_t shape_count;
	bool list, json, worker;
	pid_t parent;
	double deadline_s; /* 0: half as much again as the budget, and 10 s */
};

struct found_devices {
	struct bench_device devices[DEVICES_MAX];
	const struct bench_backend *backends[DEVICES_MAX];
	size_t count;
	struct bench_reason reason; /* of the last backend that has none */
};

static bool parse_shape(const char *text, struct bench_shape *shape)
{
	int used = 0;
	long long m, n, k;

	if (sscanf(text, "%9lld,%9lld,%9lld%n", &m, &n, &k, &used) != 3 || text[used] || m < 1 || n < 1 || k < 1)
		return false;
	*shape = (struct bench_shape){m, n, k};
	return true;
}

static bool parse_seconds(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return end != text && !*end && *seconds > 0 && *seconds < 1e7;
}

static bool complain(const char *message, const char *about)
{
	fprintf(stderr, "fleetplan bench: %s%s\n%s", message, about, usage);
	return false;
}

static bool parse_option(int option, const char *value, struct arguments *arguments)
{
	switch (option) {
	case 'd':
		arguments->device = value;
		return true;
	case 's':
		arguments->suite = value;
		return true;
	case 'm':
		if (arguments->shape_count == BENCH_SHAPES_MAX)
			return complain("too many shapes", "");
		if (!parse_shape(value, &arguments->shapes[arguments->shape_count]))
			return complain("a shape is M,N,K, as 4096,4096,1024, and not ", value);
		arguments->shape_count++;
		return true;
	case 'l':
		return arguments->list = true;
	case 'j':
		return arguments->json = true;
	case 'w':
		return arguments->worker = true;
	case 'p':
		arguments->parent = (pid_t)strtol(value, NULL, 10);
		return true;
	case 't':
		return parse_seconds(value, &arguments->deadline_s) || complain("not a number of seconds: ", value);
	default:
		return complain("see what it takes:", "");
	}
}

static bool parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct option options[] = {{"device", 1, NULL, 'd'}, {"suite", 1, NULL, 's'}, {"shape", 1, NULL, 'm'},
		{"list", 0, NULL, 'l'}, {"json", 0, NULL, 'j'}, {"worker", 0, NULL, 'w'}, {"parent", 1, NULL, 'p'},
		{"deadline", 1, NULL, 't'}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0}};
	int option;

	*arguments = (struct arguments){.suite = "quick"};
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			exit(BENCH_EXIT_OK);
		}
		if (!parse_option(option, optarg, arguments))
			return false;
	}
	return optind == argc || complain("what is ", argv[optind]);
}

static void find_devices(struct found_devices *found)
{
	*found = (struct found_devices){.count = 0};
	for (size_t b = 0; bench_backends[b]; b++) {
		size_t count = 0;

		if (bench_backends[b]->list(found->devices + found->count, DEVICES_MAX - found->count, &count, &found->reason) != BENCH_OK)
			continue;
		for (size_t i = 0; i < count; i++)
			found->backends[found->count++] = bench_backends[b];
	}
}

/* The first device whose id begins with `wanted`. */
static bool choose_device(const struct found_devices *found, const char *wanted, size_t *index)
{
	for (*index = 0; *index < found->count; ++*index)
		if (!wanted || !strncmp(found->devices[*index].id, wanted, strlen(wanted)))
			return true;
	return false;
}

/* A worker dies with its daemon, leaves no core file of gigabytes, and does not outlive a daemon that died before this. */
static bool become_worker(const struct arguments *arguments)
{
	struct rlimit none = {0, 0};

	(void)!setrlimit(RLIMIT_CORE, &none);
	signal(SIGPIPE, SIG_IGN);
	if (!arguments->parent)
		return true;
	(void)!prctl(PR_SET_PDEATHSIG, SIGKILL);
	return getppid() == arguments->parent;
}

static int list_devices(struct bench_report *report, const struct found_devices *found, const struct arguments *arguments)
{
	struct bench_result result = {.verdict = BENCH_VERDICT_OK, .suite = "list"};

	if (arguments->json && !arguments->worker)
		report->style = REPORT_LINES; /* a record holds one device; a list is a line each */
	for (size_t i = 0; i < found->count; i++)
		bench_report_device(report, &found->devices[i]);
	if (report->style == REPORT_LINES) {
		if (arguments->worker)
			bench_report_result(report, &result);
		return BENCH_EXIT_OK;
	}
	for (size_t i = 0; i < bench_test_count; i++)
		dprintf(report->fd, "%-18s %-17s %-13s quick %4.1f s, full %3.0f s\n", bench_tests[i].name, bench_tests[i].bottleneck,
			bench_method_name(bench_tests[i].method), bench_tests[i].quick_s, bench_tests[i].full_s);
	return BENCH_EXIT_OK;
}

/* Says why nothing was measured, as a result of the run. */
static int refuse(struct bench_report *report, const struct arguments *arguments, enum bench_verdict verdict, const char *reason)
{
	struct bench_result result = {.verdict = verdict, .suite = arguments->suite, .reason = reason};

	bench_report_result(report, &result);
	return verdict == BENCH_VERDICT_BUSY ? BENCH_EXIT_BUSY : BENCH_EXIT_FAILED;
}

static int measure(struct bench_report *report, const struct arguments *arguments, const struct bench_plan *plan,
	const struct bench_backend *backend, struct bench_session *session)
{
	struct watchdog watchdog;
	int64_t start_ns = clock_monotonic_ns();
	struct bench_run run = {.backend = backend, .session = session, .report = report, .shapes = arguments->shapes,
		.shape_count = arguments->shape_count, .full = strcmp(plan->suite, "quick") != 0,
		.deadline_ns = start_ns + (int64_t)(plan->budget_s * 1e9), .alive = &watchdog.alive};
	struct bench_result result = {.suite = plan->suite, .budget_s = plan->budget_s};

	(void)watchdog_start(&watchdog, report,
		arguments->deadline_s > 0 ? arguments->deadline_s : plan->budget_s * 1.5 + 10);
	bench_suite_run(&run, plan);
	watchdog_stop(&watchdog);
	result.elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	result.measures = run.measured;
	result.failed = run.failed;
	result.verdict = run.failed || !run.measured ? BENCH_VERDICT_FAILED : BENCH_VERDICT_OK;
	result.reason = run.failed ? "a test failed or gave a wrong result" : run.measured ? NULL : "nothing could be measured";
	bench_report_result(report, &result);
	return result.verdict == BENCH_VERDICT_OK && !report->broken ? BENCH_EXIT_OK : BENCH_EXIT_FAILED;
}

static int run_suite(struct bench_report *report, const struct arguments *arguments, const struct found_devices *found)
{
	struct bench_session *session;
	struct bench_reason reason;
	struct bench_plan plan;
	int lock = -1, code;
	size_t at;

	if (!bench_plan_make(arguments->suite, &plan, &reason))
		return refuse(report, arguments, BENCH_VERDICT_FAILED, reason.text);
	if (!choose_device(found, arguments->device, &at))
		return refuse(report, arguments, BENCH_VERDICT_FAILED, found->count ? "no such device; see --list" : found->reason.text);
	bench_report_device(report, &found->devices[at]);
	switch (bench_device_lock(found->devices[at].uuid, &lock, &reason)) {
	case DEVICE_LOCKED:
		break;
	case DEVICE_BUSY:
		return refuse(report, arguments, BENCH_VERDICT_BUSY, reason.text);
	case DEVICE_LOCK_FAILED:
		return refuse(report, arguments, BENCH_VERDICT_FAILED, reason.text);
	}
	if (found->backends[at]->open(&found->devices[at], &session, &reason) == BENCH_OK) {
		code = measure(report, arguments, &plan, found->backends[at], session);
		found->backends[at]->close(session);
	} else {
		code = refuse(report, arguments, BENCH_VERDICT_FAILED, reason.text);
	}
	close(lock);
	return code;
}

int bench_main(int argc, char **argv)
{
	struct arguments arguments;
	struct found_devices found;
	struct bench_report report;
	int code;

	if (!parse_arguments(argc, argv, &arguments))
		return BENCH_EXIT_USAGE;
	if (arguments.worker && !become_worker(&arguments))
		return BENCH_EXIT_FAILED;
	bench_report_open(&report, arguments.worker ? REPORT_LINES : arguments.json ? REPORT_RECORD : REPORT_TABLE,
		arguments.worker ? BENCH_WORKER_FD : STDOUT_FILENO);
	report.progress = !arguments.worker && !arguments.json && isatty(STDERR_FILENO);
	if (arguments.worker)
		bench_report_hello(&report);
	find_devices(&found);
	code = arguments.list ? list_devices(&report, &found, &arguments) : run_suite(&report, &arguments, &found);
	bench_report_close(&report);
	return code;
}
