/* Benchmarks, devices, keys, and the service itself. */
#include "api/tables/shared.h"

#define DEVICE      TEXT(device, 128, "Device to run on, as GET /v1/devices names it")
#define ACCELERATOR TEXT(accelerator, 128, "Any device of this accelerator")
#define SUITE       WORDS(suite, "`quick`, `full` or a list of tests by name", .fallback = "quick", .example = "\"quick\"")
#define PLAN_ID     TEXT(plan_id, 36, "Plan to verify", .form = FORM_UUID)
#define SHAPES      JSON(shapes, "What to measure in place of the suite's own shapes, as `fleetplan bench --spec` takes it", .example = "{\"products\":[{\"m\":4096,\"n\":1024,\"k\":4096}]}")
#define TIMEOUT     POSITIVE(timeout_s, 86400, "After which it is stopped", .fallback = "600")
#define PRIORITY    INTEGER(priority, 0, 100, "Higher runs first", .fallback = "0")

#define OF struct benchmark_record
#define BENCHMARK_LABELS LABELS(labels, "Labels, to find it again by")
#define EXPIRES          TIME_AS(expires_at, expires_at_us, "When it expires unless it has begun", .fallback = "a week after it was queued", .example = "\"2027-01-01T00:00:00Z\"")
static const struct field benchmark_request_rows[] = {
	DEVICE, ACCELERATOR, SUITE, PLAN_ID, SHAPES, TIMEOUT, PRIORITY, BENCHMARK_LABELS, EXPIRES};
static const struct field benchmark_rows[] = {
	TEXT(id, 36, "UUIDv7", .form = FORM_UUID),
	WORD(state, state_words, "Where it stands"),
	TEXT(state_reason, 1000, "Why"),
	DEVICE,
	ACCELERATOR,
	SUITE,
	PLAN_ID,
	SHAPES,
	TIMEOUT,
	PRIORITY,
	TIME_AS(created_at, created_at_us, "When it was asked for"),
	BENCHMARK_LABELS,
	EXPIRES,
	TEXT(running_device, 128, "Device of the last attempt"),
	TEXT(agent_id, 64, "Agent of the last attempt; absent for the daemon's own machine"),
	INTEGER(attempt, 0, 1000, "Attempts so far"),
	TIME_AS(lease_until, lease_until_us, "When the attempt is given up unless it is heard of"),
	TIME_AS(started_at, started_at_us, "When the last attempt began"),
	TIME_AS(finished_at, finished_at_us, "When it was over"),
	BOOL(cancel_requested, "Whether it shall stop"),
	BOOL(late, "Whether the result came after its lease was over"),
	JSON(progress, "How far it is"),
	JSON(result, "What was measured, each figure with its method; with plan_id also `verification`"),
};
TABLE(benchmark_request, benchmark_request_rows, "A benchmark to run.");
TABLE(benchmark, benchmark_rows, "A benchmark.");
#undef OF

#define OF struct device_record
static const struct field device_rows[] = {
	TEXT(id, 128, "Id"),
	TEXT(agent_id, 64, "Agent that it is attached to; absent for the daemon's own machine"),
	TEXT(node, 200, "Machine"),
	TEXT(backend, 32, "How it is driven: cpu, opencl, cuda, hip"),
	TEXT(name, 200, "Name that it tells"),
	TEXT(accelerator, 64, "Row of the catalogue; absent when unknown"),
	TEXT(driver, 200, "Driver and version"),
	TEXT(pci_id, 16, "What it is on its bus: vendor and device, `10de:2330`"),
	TEXT(pci_bus, 32, "Where it is on its bus"),
	FIGURE(memory_bytes, "Memory that it reports"),
	WORD(ecc, ecc_words, "Whether its memory corrects errors"),
	FIGURE(power_limit_w, "Above which it slows itself down"),
	TEXT(compute_capability, 16, "Generation of its instructions, `9.0`"),
	TEXT(mig_parent, 128, "Device that it is a slice of"),
	TEXT(mig_profile, 64, "Kind of slice, `1g.10gb`"),
	TEXT(state, 32, "idle, busy, suspect, wedged, gone"),
	TEXT(state_reason, 1000, "Why"),
	TEXT(benchmark_id, 36, "Benchmark that runs on it", .form = FORM_UUID),
	TIME_AS(calibrated_at, calibrated_at_us, "When it was last measured for calibrations"),
	FIGURE(calibration_age_days, "How long that is ago"),
	JSON(properties, "What else it tells"),
	TIME_AS(seen_at, seen_at_us, "When it was last seen"),
};
TABLE(device, device_rows, "An attached accelerator.");
#undef OF

#define OF struct key_record
static const struct field key_rows[] = {
	TEXT(id, 64, "Id"),
	TEXT(name, 200, "Name"),
	WORD(role, role_words, "What it may do"),
	TEXT(prefix, 16, "The key's first characters, to recognise it"),
	TIME_AS(created_at, created_at_us, "When it was made"),
	TIME_AS(expires_at, expires_at_us, "When it ceases to hold"),
	TIME_AS(revoked_at, revoked_at_us, "When it was revoked"),
};
TABLE(key, key_rows, "An API key, without the key.");
#undef OF

#define OF struct backup
static const struct field backup_rows[] = {
	TEXT(file, 4096, "File on the server"),
	INTEGER(bytes, 0, 9e15, "Its size"),
	INTEGER(plans, 0, 9e15, "Plans in it"),
	TIME_AS(created_at, created_at_us, "When it was complete"),
};
TABLE(backup, backup_rows, "A backup.");
#undef OF

#define OF struct job_record
static const struct field job_rows[] = {
	TEXT(id, 36, "UUIDv7", .form = FORM_UUID),
	TEXT(operation, 64, "What was asked for: the operationId of the request"),
	WORD(state, job_state_words, "Where it stands"),
	FIGURE(progress, "How much is done, 0 to 1; about"),
	TEXT(doing, 200, "What is being done"),
	TIME_AS(created_at, created_at_us, "When it was asked for"),
	TIME_AS(started_at, started_at_us, "When it began"),
	TIME_AS(finished_at, finished_at_us, "When it was over"),
	TIME_AS(expires_at, expires_at_us, "Until when it is kept, unless newer results need its place"),
	BOOL(cancel_requested, "Whether it shall stop"),
	INTEGER(http_status, 100, 599, "Of the result: what the request would have been answered with"),
	TEXT(detail, 1000, "Why it failed"),
	TEXT(result, 256, "Where the result is"),
	TEXT(location, 256, "Where the plan is that was made"),
};
TABLE(job, job_rows, "A request that was answered 202.");
#undef OF

#define OF struct version
static const struct field version_rows[] = {
	TEXT(version, 64, "Of the program and its planner"),
	TEXT(api, 16, "Of this API"),
	TEXT(compiler, 200, "That built it"),
	TEXT(sqlite, 64, "Of SQLite"),
	TEXT(microhttpd, 64, "Of libmicrohttpd"),
	TEXT(jansson, 64, "Of jansson"),
	TIME_AS(started_at, started_at_us, "When the daemon started"),
};
TABLE(version, version_rows, "What is running.");
#undef OF

#define OF struct health
static const struct field health_rows[] = {
	TEXT(status, 32, "`ok`, or what is wrong"),
	TEXT(detail, 1000, "Why"),
};
TABLE(health, health_rows, "Whether the service is well.");
#undef OF
