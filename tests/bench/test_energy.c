/* Tests power and energy: RAPL and hwmon from a tree of files, windows by counters and polls, a sampler on a scripted
 * device, and fits. */
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/busy.h"
#include "bench/cpu/cpu_sensors.h"
#include "bench/fit.h"
#include "bench/report/sampler.h"
#include "support/assert.h"

static char root[] = "/tmp/fleetplan-sysfs-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[PATH_MAX], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = full + sizeof(root); (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		(void)mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int remove_one(const char *path, const struct stat *state, int kind, struct FTW *walk)
{
	(void)state;
	(void)kind;
	(void)walk;
	return remove(path);
}

static int make_root(void **state)
{
	(void)state;
	memcpy(root + sizeof(root) - 7, "XXXXXX", 6);
	assert_non_null(mkdtemp(root));
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define RAPL "class/powercap/intel-rapl:"

/* Writes two packages and the memory of one. The cores within the package and the whole platform must not be counted
 * twice. */
static void put_rapl(void)
{
	put(RAPL "0/name", "package-0\n");
	put(RAPL "0/energy_uj", "1000000\n");
	put(RAPL "0/max_energy_range_uj", "262143328850\n");
	put(RAPL "0/constraint_0_power_limit_uw", "200000000\n");
	put(RAPL "0:0/name", "core\n");
	put(RAPL "0:0/energy_uj", "5\n");
	put(RAPL "0:1/name", "dram\n");
	put(RAPL "0:1/energy_uj", "7000000\n");
	put(RAPL "0:1/max_energy_range_uj", "65712999613\n");
	put(RAPL "1/name", "package-1\n");
	put(RAPL "1/energy_uj", "262143000000\n");
	put(RAPL "1/max_energy_range_uj", "262143328850\n");
	put(RAPL "1/constraint_0_power_limit_uw", "150000000\n");
	put(RAPL "2/name", "psys\n");
	put(RAPL "2/energy_uj", "1\n");
}

static void counters_add_up_and_wrap_around(void **state)
{
	struct cpu_sensors *sensors;
	struct bench_sensors told;
	struct bench_reason reason;

	(void)state;
	put_rapl();
	sensors = cpu_sensors_new(root);
	assert_int_equal(cpu_sensors_read(sensors, &told, &reason), BENCH_OK);
	assert_true(bench_sensors_know(&told, SENSOR_ENERGY));
	assert_close(told.energy_joules, 0, 0);
	assert_string_equal(told.energy_source, "rapl");
	assert_string_equal(told.scope, "cpu_package");
	assert_close(told.power_limit_w, 350, 1e-12);
	assert_false(bench_sensors_know(&told, SENSOR_POWER));
	put(RAPL "0/energy_uj", "3500000\n");
	put(RAPL "0:0/energy_uj", "900000000\n");
	put(RAPL "0:1/energy_uj", "7250000\n");
	put(RAPL "1/energy_uj", "671150\n"); /* past the end of its range: 328,850 + 671,150 uJ */
	put(RAPL "2/energy_uj", "900000000\n");
	assert_int_equal(cpu_sensors_read(sensors, &told, &reason), BENCH_OK);
	assert_close(told.energy_joules, 2.5 + 0.25 + 1, 1e-12);
	cpu_sensors_free(sensors);
}

static void hwmon_tells_power_and_heat(void **state)
{
	struct cpu_sensors *sensors;
	struct bench_sensors told;
	struct bench_reason reason;

	(void)state;
	put("class/hwmon/hwmon0/name", "nvme\n");
	put("class/hwmon/hwmon0/power1_average", "1000000\n"); /* the power of a disk */
	put("class/hwmon/hwmon1/name", "zenpower\n");
	put("class/hwmon/hwmon1/power1_input", "61500000\n");
	put("class/hwmon/hwmon1/temp1_input", "47250\n");
	put("devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3400000\n");
	put("devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n");
	sensors = cpu_sensors_new(root);
	assert_int_equal(cpu_sensors_read(sensors, &told, &reason), BENCH_OK);
	assert_close(told.power_w, 61.5, 1e-12);
	assert_close(told.temperature_c, 47.25, 1e-12);
	assert_close(told.sm_clock_hz, 3.4e9, 1e-12);
	assert_true(bench_sensors_know(&told, SENSOR_THROTTLE) && !told.throttle_reasons);
	put("devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n");
	assert_int_equal(cpu_sensors_read(sensors, &told, &reason), BENCH_OK);
	assert_int_equal(told.throttle_reasons, 1 << THROTTLE_HEAT);
	cpu_sensors_free(sensors);
}

static void what_cannot_be_read_is_unsupported_with_the_reason(void **state)
{
	struct cpu_sensors *sensors = cpu_sensors_new(root);
	struct bench_sensors told;
	struct bench_reason reason;
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(cpu_sensors_read(sensors, &told, &reason), BENCH_UNSUPPORTED);
	assert_contains(reason.text, "neither RAPL nor hwmon");
	cpu_sensors_free(sensors);
	put(RAPL "0/name", "package-0\n");
	put(RAPL "0/max_energy_range_uj", "262143328850\n");
	snprintf(path, sizeof(path), "%s/" RAPL "0/energy_uj", root);
	assert_int_equal(mkdir(path, 0700), 0); /* the entry exists but cannot be read, not even by root */
	sensors = cpu_sensors_new(root);
	assert_int_equal(cpu_sensors_read(sensors, &told, &reason), BENCH_UNSUPPORTED);
	assert_contains(reason.text, "only root may read");
	cpu_sensors_free(sensors);
}

static struct bench_window window_of(double seconds, double counter_joules)
{
	return (struct bench_window){.begin_s = 5,
		.end_s = 5 + seconds,
		.counter_known = true,
		.counter_begin_joules = 100,
		.counter_end_joules = 100 + counter_joules,
		.counter_source = "rapl",
		.limit_w = 400,
		.scope = "cpu_package"};
}

static void poll(struct bench_window *window, size_t count, double first_w, double step_w)
{
	for (size_t i = 0; i < count; i++) {
		struct bench_sensors sensors = {.power_w = first_w + step_w * (double)i, .power_source = "hwmon"};

		bench_sensors_note(&sensors, SENSOR_POWER);
		bench_window_poll(window, 5 + 0.2 * (double)i, &sensors);
	}
}

/* 600 J in 3 s are 200 W. Without 50 W of idle power 450 J remain. 6e12 operations took 100 J per 1e12. */
static void a_counter_over_seconds_is_trusted(void **state)
{
	struct bench_window window = window_of(3, 600);
	struct bench_energy energy;

	(void)state;
	poll(&window, 12, 100, 1);
	assert_true(bench_window_energy(&window, 50, 6e12, &energy));
	assert_close(energy.mean_w, 200, 1e-12);
	assert_close(energy.dynamic_joules, 450, 1e-12);
	assert_close(energy.joules_per_tflop, 100, 1e-12);
	assert_close(energy.limit_fraction, 0.5, 1e-12);
	assert_int_equal(energy.confidence, CONFIDENCE_HIGH);
	assert_string_equal(energy.by, "counter");
	assert_int_equal(energy.samples, 12);
	assert_true(bench_window_energy(&window, (double)NAN, 0, &energy));
	assert_true(isnan(energy.dynamic_joules) && isnan(energy.joules_per_tflop)); /* an unknown value is not 0 */
}

/* A counter that does not change under load is stuck. The energy then comes from the polls, by trapezoids, and says so. */
static void a_stuck_counter_is_refused(void **state)
{
	struct bench_window window = window_of(2.2, 0);
	struct bench_energy energy;

	(void)state;
	assert_false(bench_window_energy(&window, 50, 0, &energy));
	poll(&window, 11, 100, 10); /* 100 to 200 W in 2 s, mean 150 W */
	assert_true(bench_window_energy(&window, 50, 0, &energy));
	assert_close(energy.mean_w, 150, 1e-12);
	assert_close(energy.energy_joules, 330, 1e-12);
	assert_string_equal(energy.by, "polls");
	assert_string_equal(energy.source, "hwmon");
	assert_int_equal(energy.confidence, CONFIDENCE_MEDIUM);
}

static void a_power_that_never_moves_is_refused(void **state)
{
	struct bench_window window = window_of(2.2, 0);
	struct bench_energy energy;

	(void)state;
	poll(&window, 9, 100, 0);
	assert_true(bench_window_energy(&window, 50, 0, &energy)); /* nine equal values may be chance */
	assert_int_equal(energy.confidence, CONFIDENCE_LOW);
	window = window_of(2.2, 0);
	poll(&window, 10, 100, 0);
	assert_false(bench_window_energy(&window, 50, 0, &energy));
}

/* Below two seconds the counter's steps are too coarse. */
static void a_short_window_is_not_trusted(void **state)
{
	struct bench_window window = window_of(1, 130);
	struct bench_energy energy;

	(void)state;
	assert_true(bench_window_energy(&window, 50, 0, &energy));
	assert_int_equal(energy.confidence, CONFIDENCE_LOW);
	assert_string_equal(energy.by, "counter");
	poll(&window, 5, 100, 10); /* 100 to 140 W: the polls, if any, average over more of the window than the counter's last step */
	assert_true(bench_window_energy(&window, 50, 0, &energy));
	assert_string_equal(energy.by, "polls");
	assert_close(energy.energy_joules, 120, 1e-12);
	window.end_s = window.begin_s + 0.29;
	assert_false(bench_window_energy(&window, 50, 0, &energy));
	window.end_s = window.begin_s + 0.31;
	assert_true(bench_window_energy(&window, 50, 0, &energy));
}

/* The counter needs a window of two seconds. It does not count for a shorter window, whatever the polls say. */
static void two_seconds_are_the_counters(void **state)
{
	struct bench_window window = window_of(2.05, 410);
	struct bench_energy energy;

	(void)state;
	poll(&window, 11, 100, 1);
	assert_true(bench_window_energy(&window, 50, 0, &energy));
	assert_string_equal(energy.by, "counter");
	assert_int_equal(energy.confidence, CONFIDENCE_HIGH);
	window.end_s = window.begin_s + 1.95;
	assert_true(bench_window_energy(&window, 50, 0, &energy));
	assert_string_equal(energy.by, "polls");
}

/* A device whose counter runs at 120 W and which is throttled from its third reading on. */
struct bench_session {
	int looks;
	double utilization;
	int busy_looks;          /* after these readings the device is idle */
	bool throttled_at_first; /* throttled before the third reading only */
	int blind_looks;         /* readings without an answer of the counter */
};

static enum bench_outcome scripted_sense(struct bench_session *session, struct bench_sensors *sensors, struct bench_reason *reason)
{
	struct timespec now;

	(void)reason;
	clock_gettime(CLOCK_MONOTONIC, &now);
	*sensors = (struct bench_sensors){
		.energy_source = "nvml", .scope = "gpu_board", .energy_joules = 120 * ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec)};
	if (session->looks >= session->blind_looks)
		bench_sensors_note(sensors, SENSOR_ENERGY);
	bench_sensors_note(sensors, SENSOR_THROTTLE);
	bench_sensors_note(sensors, SENSOR_UTILIZATION);
	sensors->throttle_reasons = (++session->looks >= 3) != session->throttled_at_first ? 1 << THROTTLE_POWER | 1 << THROTTLE_HEAT : 0;
	sensors->utilization = session->looks > session->busy_looks ? 0.01 : session->utilization;
	return BENCH_OK;
}

static const struct bench_backend scripted = {.name = "scripted", .sense = scripted_sense};

static void a_sampler_sees_energy_and_throttling(void **state)
{
	struct bench_session session = {.looks = 0};
	struct bench_sampler *sampler;
	struct bench_report report;
	struct bench_reason reason;
	struct bench_energy energy;
	struct timespec second = {.tv_sec = 1};
	FILE *file = tmpfile();
	char text[8192], throttle[64];
	uint64_t reasons;

	(void)state;
	bench_report_open(&report, REPORT_LINES, fileno(file));
	sampler = bench_sampler_new(&scripted, &session, &report, &reason);
	assert_non_null(sampler);
	bench_sampler_begin(sampler);
	nanosleep(&second, NULL);
	assert_true(bench_sampler_end(sampler, 1e12, &energy, &reasons));
	bench_sampler_free(sampler);
	bench_report_close(&report);
	assert_close(energy.mean_w, 120, 0.05);
	assert_string_equal(energy.scope, "gpu_board");
	bench_throttle_text(reasons, throttle, sizeof(throttle));
	assert_string_equal(throttle, "power,heat");
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_contains(text, "{\"type\":\"sample\",\"t_s\":");
	assert_contains(text, "\"throttle\":\"power,heat\"}");
}

/* A throttle reason from before the window does not count. A window whose counter was not read at its start reports
 * nothing. */
static void a_window_is_told_of_itself_alone(void **state)
{
	struct bench_session session = {.throttled_at_first = true};
	struct timespec moment = {.tv_nsec = 400000000};
	struct bench_sampler *sampler;
	struct bench_report report;
	struct bench_reason reason;
	struct bench_energy energy;
	FILE *file = tmpfile();
	uint64_t reasons;

	(void)state;
	bench_report_open(&report, REPORT_LINES, fileno(file));
	sampler = bench_sampler_new(&scripted, &session, &report, &reason);
	assert_non_null(sampler);
	bench_sampler_begin(sampler);
	nanosleep(&moment, NULL);
	assert_true(bench_sampler_end(sampler, 0, &energy, &reasons));
	assert_int_equal(reasons, 0);
	bench_sampler_free(sampler);
	session = (struct bench_session){.blind_looks = 2};
	sampler = bench_sampler_new(&scripted, &session, &report, &reason);
	assert_non_null(sampler);
	bench_sampler_begin(sampler);
	nanosleep(&moment, NULL);
	assert_false(bench_sampler_end(sampler, 0, &energy, &reasons));
	bench_sampler_free(sampler);
	bench_report_close(&report);
	fclose(file);
}

/* A backend without sensors is not asked for power. */
static void no_sensors_are_no_trouble(void **state)
{
	static const struct bench_backend blind = {.name = "blind"};
	struct bench_energy energy;
	struct bench_reason reason;
	_Atomic uint64_t alive = 0;
	uint64_t reasons;

	(void)state;
	assert_null(bench_sampler_new(&blind, NULL, NULL, &reason));
	assert_contains(reason.text, "no sensors");
	bench_sampler_begin(NULL);
	bench_sampler_idle(NULL, 3, &alive);
	assert_false(bench_sampler_end(NULL, 0, &energy, &reasons));
	assert_true(bench_wait_idle(&blind, NULL, &alive, &reason));
	bench_sampler_free(NULL);
}

/* The device is busy for two readings, then idle for three. A driver's average lags, so the code waits for it. A shared
 * device is not read at all. */
static void a_device_that_falls_idle_is_waited_for(void **state)
{
	struct bench_session session = {.utilization = 0.9, .busy_looks = 1};
	struct bench_backend backend = scripted;
	struct bench_reason reason;
	_Atomic uint64_t alive = 0;

	(void)state;
	assert_true(bench_wait_idle(&backend, &session, &alive, &reason));
	assert_int_equal(session.looks, 4);
	assert_true(atomic_load(&alive) >= 3);
	session = (struct bench_session){.utilization = 0.9, .busy_looks = INT_MAX};
	backend.shared = true;
	assert_true(bench_wait_idle(&backend, &session, &alive, &reason));
	assert_int_equal(session.looks, 0);
}

/* The fit finds alpha and beta exactly if the points are on a line. Errors are relative, so small sizes weigh as much
 * as large ones. */
static void latency_and_bandwidth_come_out_of_times(void **state)
{
	struct fit_point points[] = {{1e3, 0}, {1e5, 0}, {1e7, 0}, {1e9, 0}};
	struct fit_line line;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(points); i++)
		points[i].time_s = 12e-6 + points[i].bytes / 25e9;
	assert_true(fit_line_make(points, COUNT_OF(points), &line));
	assert_close(line.alpha_s, 12e-6, 1e-9);
	assert_close(line.beta_bytes_per_s, 25e9, 1e-9);
	assert_true(line.worst_residual < 1e-9);
	points[0].time_s *= 1.2;
	assert_true(fit_line_make(points, COUNT_OF(points), &line));
	assert_true(line.alpha_s > 12e-6 && line.alpha_s < 14.4e-6);
	assert_true(line.worst_residual > 0.05 && line.worst_residual < 0.2);
	for (size_t i = 0; i < COUNT_OF(points); i++)
		points[i].time_s = points[i].bytes / 25e9 * (1 + 0.1 * (double)i); /* the fit would have a latency below 0 */
	assert_true(fit_line_make(points, COUNT_OF(points), &line));
	assert_close(line.alpha_s, 0, 0);
	assert_false(fit_line_make(points, 1, &line));
	points[1] = points[0];
	assert_false(fit_line_make(points, 2, &line)); /* the same size twice */
	points[1] = (struct fit_point){1e9, points[0].time_s / 2};
	points[0].time_s = 1;
	assert_false(fit_line_make(points, 2, &line) && line.alpha_s > 0); /* the larger size is faster: such points have no line */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counters_add_up_and_wrap_around, make_root, remove_root),
		cmocka_unit_test_setup_teardown(hwmon_tells_power_and_heat, make_root, remove_root),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_unsupported_with_the_reason, make_root, remove_root),
		cmocka_unit_test(a_counter_over_seconds_is_trusted),
		cmocka_unit_test(a_stuck_counter_is_refused),
		cmocka_unit_test(a_power_that_never_moves_is_refused),
		cmocka_unit_test(a_short_window_is_not_trusted),
		cmocka_unit_test(two_seconds_are_the_counters),
		cmocka_unit_test(a_sampler_sees_energy_and_throttling),
		cmocka_unit_test(a_window_is_told_of_itself_alone),
		cmocka_unit_test(no_sensors_are_no_trouble),
		cmocka_unit_test(a_device_that_falls_idle_is_waited_for),
		cmocka_unit_test(latency_and_bandwidth_come_out_of_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
