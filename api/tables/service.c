/* Benchmarks, devices, keys, and the service itself. */
#include "api/tables/shared.h"

#define DEVICE      TEXT(device, 128, "Device to run on, by its id in GET /v1/devices")
#define ACCELERATOR TEXT(accelerator, 128, "Any device of this accelerator")
#define SUITE       WORDS(suite, "`quick`, `full` or a list of tests by name", .fallback = "quick", .example = "\"quick\"")
#define PLAN_ID     TEXT(plan_id, 36, "Plan to verify", .form = FORM_UUID)
#define SHAPES \
	JSON(shapes, "Shapes to measure instead of the suite's own, as for `fleetplan bench --spec`", \
		.example = "{\"products\":[{\"m\":4096,\"n\":1024,\"k\":4096}]}")
#define TIMEOUT  POSITIVE(timeout_s, 86400, "Time after which the benchmark is stopped", .fallback = "600")
#define PRIORITY INTEGER(priority, 0, 100, "Higher runs first", .fallback = "0")

#define OF               struct benchmark_record
#define BENCHMARK_LABELS LABELS(labels, "Labels, to find the benchmark")
#define EXPIRES \
	TIME_AS(expires_at, expires_at_us, "Time at which the benchmark expires if it has not started", \
		.fallback = "a week after it was queued", .example = "\"2027-01-01T00:00:00Z\"")
static const struct field benchmark_request_rows[] = {
	DEVICE, ACCELERATOR, SUITE, PLAN_ID, SHAPES, TIMEOUT, PRIORITY, BENCHMARK_LABELS, EXPIRES};
static const struct field benchmark_rows[] = {
	TEXT(id, 36, "UUIDv7", .form = FORM_UUID, .always = true),
	WORD(state, state_words, "State of the benchmark", .always = true),
	TEXT(state_reason, 1000, "Reason for the state"),
	DEVICE,
	ACCELERATOR,
	SUITE,
	PLAN_ID,
	SHAPES,
	TIMEOUT,
	PRIORITY,
	TIME_AS(created_at, created_at_us, "Time of the request", .always = true),
	BENCHMARK_LABELS,
	EXPIRES,
	TEXT(running_device, 128, "Device of the last attempt"),
	TEXT(agent_id, 64, "Agent of the last attempt; absent for the daemon's own machine"),
	INTEGER(attempt, 0, 1000, "Number of attempts so far", .always = true),
	TIME_AS(lease_until, lease_until_us, "Time at which the attempt ends unless its agent reports before"),
	TIME_AS(started_at, started_at_us, "Start of the last attempt"),
	TIME_AS(finished_at, finished_at_us, "End of the benchmark"),
	BOOL(cancel_requested, "Whether a client cancelled it"),
	BOOL(late, "Whether the result arrived after the end of its lease"),
	JSON(progress, "Progress of the attempt"),
	JSON(result, "Measurements, each figure with its method; with plan_id also `verification`"),
};
TABLE(benchmark_request, benchmark_request_rows, "A benchmark to run.");
TABLE(benchmark, benchmark_rows, "A benchmark.");
#undef OF

#define OF struct device_record
static const struct field device_rows[] = {
	TEXT(id, 128, "Id", .always = true),
	TEXT(agent_id, 64, "Agent of the device; absent for the daemon's own machine"),
	TEXT(node, 200, "Name of the machine"),
	TEXT(backend, 32, "Backend that drives it: cpu, opencl, cuda, hip", .always = true),
	TEXT(name, 200, "Name that the device reports", .always = true),
	TEXT(accelerator, 64, "Id of its catalogue row; absent if unknown"),
	TEXT(driver, 200, "Driver and version"),
	TEXT(pci_id, 16, "PCI vendor and device id, `10de:2330`"),
	TEXT(pci_bus, 32, "PCI bus address"),
	FIGURE(memory_bytes, "Memory that the device reports"),
	WORD(ecc, ecc_words, "Whether its memory corrects errors (ECC)"),
	FIGURE(power_limit_w, "Power limit, above which the device throttles"),
	TEXT(compute_capability, 16, "Compute capability, `9.0`"),
	TEXT(mig_parent, 128, "Device of which this is a MIG slice"),
	TEXT(mig_profile, 64, "MIG profile of the slice, `1g.10gb`"),
	TEXT(state, 32, "State: idle, busy, suspect, wedged, gone", .always = true),
	TEXT(state_reason, 1000, "Reason for the state"),
	TEXT(benchmark_id, 36, "Benchmark that runs on it", .form = FORM_UUID),
	TIME_AS(calibrated_at, calibrated_at_us, "Time of its last calibration measurement"),
	FIGURE(calibration_age_days, "Age of the last calibration measurement"),
	JSON(properties, "Other properties that the device reports"),
	TIME_AS(seen_at, seen_at_us, "Time at which the device was last seen"),
};
TABLE(device, device_rows, "An attached accelerator.");
#undef OF

#define OF struct key_record
static const struct field key_rows[] = {
	TEXT(id, 64, "Id"),
	TEXT(name, 200, "Name"),
	WORD(role, role_words, "Role: the rights of the key"),
	TEXT(prefix, 16, "First characters of the key, to recognise it"),
	TIME_AS(created_at, created_at_us, "Creation time"),
	TIME_AS(expires_at, expires_at_us, "Time at which the key expires"),
	TIME_AS(revoked_at, revoked_at_us, "Time at which the key was revoked"),
};
TABLE(key, key_rows, "An API key, without its secret.");
#undef OF

#define OF struct backup
static const struct field backup_rows[] = {
	TEXT(file, 4096, "Path of the file on the server", .always = true),
	INTEGER(bytes, 0, 9e15, "Size of the file", .always = true),
	INTEGER(plans, 0, 9e15, "Number of plans in the backup"),
	TIME_AS(created_at, created_at_us, "Time at which the backup was complete", .always = true),
};
TABLE(backup, backup_rows, "A backup.");
#undef OF

#define OF struct job_record
static const struct field job_rows[] = {
	TEXT(id, 36, "UUIDv7", .form = FORM_UUID, .always = true),
	TEXT(operation, 64, "operationId of the request", .always = true),
	WORD(state, job_state_words, "State of the job", .always = true),
	FIGURE(progress, "Approximate progress, 0 to 1"),
	TEXT(doing, 200, "Current activity"),
	TIME_AS(created_at, created_at_us, "Time of the request", .always = true),
	TIME_AS(started_at, started_at_us, "Start of the job"),
	TIME_AS(finished_at, finished_at_us, "End of the job"),
	TIME_AS(expires_at, expires_at_us, "Time until which the job is kept, unless newer results need its space"),
	BOOL(cancel_requested, "Whether a client cancelled it"),
	INTEGER(http_status, 100, 599, "Status code of the result: the one that the request would have received"),
	TEXT(detail, 1000, "Reason of a failure"),
	TEXT(result, 256, "URL of the result"),
	TEXT(location, 256, "URL of the plan that the job created"),
};
TABLE(job, job_rows, "A request that was answered 202.");
#undef OF

#define OF struct version
static const struct field version_rows[] = {
	TEXT(version, 64, "Version of the program and its planner", .always = true),
	TEXT(api, 16, "Version of the API", .always = true),
	TEXT(compiler, 200, "Compiler that built it", .always = true),
	TEXT(sqlite, 64, "Version of SQLite", .always = true),
	TEXT(microhttpd, 64, "Version of libmicrohttpd", .always = true),
	TEXT(jansson, 64, "Version of jansson", .always = true),
	TIME_AS(started_at, started_at_us, "Start time of the daemon", .always = true),
};
TABLE(version, version_rows, "The versions of the running daemon and its libraries.");
#undef OF

#define OF struct health
static const struct field health_rows[] = {
	TEXT(status, 32, "`ok`, or the problem", .always = true),
	TEXT(detail, 1000, "Reason"),
};
TABLE(health, health_rows, "The health of the service.");
#undef OF
