/* Agents on other nodes, and their leases. */
#include "api/tables/shared.h"

#define TOKEN INTEGER(token, 1, 9e15, "Token of the lease", .flags = REQUIRED, .example = "1")

#define OF struct device_record
static const struct field agent_device_rows[] = {
	TEXT(id, 128, "Id of the device: always the same for this device, and different from every other device's", .flags = REQUIRED,
		.example = "\"GPU-6e1b\""),
	TEXT(backend, 32, "Backend that drives it: cpu, opencl, cuda, hip", .flags = REQUIRED, .example = "\"cuda\""),
	TEXT(name, 200, "Name that the device reports", .flags = REQUIRED),
	TEXT(accelerator, 64, "Id of its catalogue row; absent if unknown"),
	TEXT(driver, 200, "Driver and version"),
	NUMBER(memory_bytes, 0, 1e15, "Memory that the device reports"),
	WORD(state, agent_device_state_words, "State of the device", .fallback = "idle"),
	TEXT(state_reason, 1000, "Reason for the state"),
	JSON(properties,
		"Other properties: the `device` line of `fleetplan bench`, from which the daemon reads pci_id, ecc, power_limit_w and others"),
};
TABLE(agent_device, agent_device_rows, "A device as its agent reports it.");
#undef OF

#define HOST         TEXT(host, 200, "Name of the machine", .example = "\"gpu-07\"")
#define VERSION      TEXT(version, 64, "Version of the agent")
#define AGENT_LABELS LABELS(labels, "Labels that its owner gives it: pairs of key and text")

#define OF struct agent_registration
static const struct field agent_registration_rows[] = {
	TEXT(agent_id, 64,
		"Id that the agent chooses once and keeps; a registration with the same id is the same agent. Default: made of the host",
		.form = FORM_SLUG),
	TEXT(host, 200, "Name of the machine", .flags = REQUIRED, .example = "\"gpu-07\""),
	VERSION,
	AGENT_LABELS,
	LIST(devices, AGENT_DEVICES_MAX, agent_device,
		"Devices attached to the machine. A device that an earlier registration listed and this one does not becomes `gone`"),
};
TABLE(agent_registration, agent_registration_rows, "An agent that offers its devices.");
#undef OF

#define OF struct agent_record
static const struct field agent_rows[] = {
	TEXT(id, 64, "Id", .always = true),
	HOST,
	VERSION,
	AGENT_LABELS,
	WORD(state, agent_state_words, "Whether the agent reports (online) or not (silent)", .always = true),
	INTEGER(devices, 0, 9e15, "Number of devices attached to the machine"),
	FIGURE(heartbeat_s, "Interval of heartbeats while the agent works, give or take a fifth"),
	FIGURE(lease_s, "Silence after which its work goes to another agent"),
	TEXTS(refused_devices, AGENT_DEVICES_MAX,
		"Devices in its registration that belong to another online agent or to the daemon's own machine"),
	TIME_AS(registered_at, registered_at_us, "Time of the first registration", .always = true),
	TIME_AS(seen_at, seen_at_us, "Time at which the agent last reported", .always = true),
};
TABLE(agent, agent_rows, "An agent: a machine that runs benchmarks on its devices.");
#undef OF

#define OF struct lease_request
static const struct field lease_request_rows[] = {
	TEXTS(devices, AGENT_DEVICES_MAX, "Ids of free devices; default: all idle devices of the agent"),
	NUMBER(wait_s, 0, LEASE_WAIT_MAX_S, "Time to wait for work", .fallback = "0", .example = "0"),
};
TABLE(lease_request, lease_request_rows, "A request for work.");
#undef OF

#define OF struct lease_spec
static const struct field lease_spec_rows[] = {
	TEXT(suite, 4096, "Suite in the worker's form: `quick`, `full` or names of tests with commas between them"),
	TEXT(plan_id, 36, "Plan to verify", .form = FORM_UUID),
	FIGURE(timeout_s, "Time after which the agent must stop the worker"),
	JSON(shapes, "Shapes of the plan to measure, in the worker's form; absent: the suite's own"),
};
TABLE(lease_spec, lease_spec_rows, "The work of a lease.");
#undef OF

#define OF struct lease
static const struct field lease_rows[] = {
	TEXT(benchmark_id, 36, "Id of the benchmark", .form = FORM_UUID, .always = true),
	TEXT(device, 128, "Device to run it on", .always = true),
	INTEGER(attempt, 1, 1000, "Number of this attempt", .always = true),
	INTEGER(attempts_max, 1, 1000, "Largest number of attempts"),
	INTEGER(token, 1, 9e15, "Token to send with heartbeats, the result or the release; a later lease of the benchmark makes it stale",
		.always = true),
	FIGURE(lease_s, "Duration of the lease, from this response and from the response to each heartbeat", .always = true),
	FIGURE(heartbeat_s, "Interval of heartbeats, give or take a fifth", .always = true),
	OBJECT(spec, lease_spec, "The work", .always = true),
};
TABLE(lease, lease_rows, "A benchmark leased to an agent.");
#undef OF

#define OF struct lease_heartbeat
static const struct field lease_heartbeat_rows[] = {
	TOKEN,
	JSON(progress, "Progress: the last `progress` line of the worker"),
};
TABLE(lease_heartbeat, lease_heartbeat_rows, "A heartbeat, which renews a lease.");
#undef OF

#define OF struct lease_renewal
static const struct field lease_renewal_rows[] = {
	FIGURE(lease_s, "Duration of the lease from now", .always = true),
	BOOL(cancel, "Whether a client cancelled the benchmark: the agent stops the worker, and delivers the result or releases the lease"),
};
TABLE(lease_renewal, lease_renewal_rows, "A renewed lease.");
#undef OF

#define OF struct lease_result
static const struct field lease_result_rows[] = {
	TOKEN,
	JSON(result, "Output of the worker and its end: `end`, `detail`, `worker_version`, `elapsed_s`, `device`, `measures`, `skips`, `log`",
		.flags = REQUIRED, .example = "{\"end\":\"failed\",\"detail\":\"no device\"}"),
	TEXT(sha256, 64,
		"SHA-256, in hexadecimal, of the result's bytes exactly as in this body; the daemon recognises a repeated delivery by it"),
};
TABLE(lease_result, lease_result_rows, "The result of a benchmark.");
#undef OF

#define OF struct lease_release
static const struct field lease_release_rows[] = {
	TOKEN,
	TEXT(reason, 500, "Reason for the release", .example = "\"the agent is being stopped\""),
};
TABLE(lease_release, lease_release_rows, "A release, which returns a benchmark without penalty.");
#undef OF

#define OF struct lease_outcome
static const struct field lease_outcome_rows[] = {
	TEXT(benchmark_id, 36, "Id of the benchmark", .form = FORM_UUID, .always = true),
	WORD(state, state_words, "State of the benchmark now: `queued` if another attempt follows", .always = true),
	TEXT(state_reason, 1000, "Reason for the state"),
	INTEGER(attempt, 0, 1000, "Number of attempts so far"),
	BOOL(late, "Whether the result arrived after the end of its lease"),
	BOOL(repeated, "Whether this result was delivered before"),
	INTEGER(held, 0, 1000,
		"Number of its calibrations that are out of range and wait for an admin's decision, or for a device with another key that agrees"),
};
TABLE(lease_outcome, lease_outcome_rows, "The state of a benchmark after a delivery or a release.");
#undef OF
