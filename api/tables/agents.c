/* Agents on other nodes, and the leases by which they work. */
#include "api/tables/shared.h"

#define TOKEN INTEGER(token, 1, 9e15, "Of the lease, as it was given", .flags = REQUIRED, .example = "1")

#define OF struct device_record
static const struct field agent_device_rows[] = {
	TEXT(id, 128, "Id: the same whenever this device is listed, and no other device's", .flags = REQUIRED, .example = "\"GPU-6e1b\""),
	TEXT(backend, 32, "How it is driven: cpu, opencl, cuda, hip", .flags = REQUIRED, .example = "\"cuda\""),
	TEXT(name, 200, "Name that it tells", .flags = REQUIRED),
	TEXT(accelerator, 64, "Row of the catalogue; absent when unknown"),
	TEXT(driver, 200, "Driver and version"),
	NUMBER(memory_bytes, 0, 1e15, "Memory that it reports"),
	WORD(state, agent_device_state_words, "How it is", .fallback = "idle"),
	TEXT(state_reason, 1000, "Why"),
	JSON(properties, "What else it tells: the `device` line of `fleetplan bench`, from which pci_id, ecc, power_limit_w, ... are read"),
};
TABLE(agent_device, agent_device_rows, "A device as its agent tells it.");
#undef OF

#define HOST    TEXT(host, 200, "Machine", .example = "\"gpu-07\"")
#define VERSION TEXT(version, 64, "Of its program")
#define AGENT_LABELS LABELS(labels, "What its owner calls it: a map of text to text")

#define OF struct agent_registration
static const struct field agent_registration_rows[] = {
	TEXT(agent_id, 64, "Id that the agent chose once and keeps; who comes again with it is the same agent. Made of the host when left out",
		.form = FORM_SLUG),
	TEXT(host, 200, "Machine", .flags = REQUIRED, .example = "\"gpu-07\""),
	VERSION,
	AGENT_LABELS,
	LIST(devices, AGENT_DEVICES_MAX, agent_device, "What is attached to it. Those that it told before and does not tell now are `gone`"),
};
TABLE(agent_registration, agent_registration_rows, "An agent that offers its devices.");
#undef OF

#define OF struct agent_record
static const struct field agent_rows[] = {
	TEXT(id, 64, "Id"),
	HOST,
	VERSION,
	AGENT_LABELS,
	WORD(state, agent_state_words, "Whether it is heard of"),
	INTEGER(devices, 0, 9e15, "Devices attached to it"),
	FIGURE(heartbeat_s, "How often it shall be heard of while it works, give or take a fifth"),
	FIGURE(lease_s, "After which silence its work is given to another"),
	TEXTS(refused_devices, AGENT_DEVICES_MAX, "Devices that it told and that are another's: of an agent that is heard of, or of the daemon's own machine"),
	TIME_AS(registered_at, registered_at_us, "When it came first"),
	TIME_AS(seen_at, seen_at_us, "When it was last heard of"),
};
TABLE(agent, agent_rows, "An agent: a machine that runs benchmarks on its devices.");
#undef OF

#define OF struct lease_request
static const struct field lease_request_rows[] = {
	TEXTS(devices, AGENT_DEVICES_MAX, "Devices that are free, by id; all of the agent's that are idle when left out"),
	NUMBER(wait_s, 0, LEASE_WAIT_MAX_S, "How long to wait for work", .fallback = "0", .example = "0"),
};
TABLE(lease_request, lease_request_rows, "Asks for work.");
#undef OF

#define OF struct lease_spec
static const struct field lease_spec_rows[] = {
	TEXT(suite, 4096, "`quick`, `full` or tests by name with commas between them, as the worker takes it"),
	TEXT(plan_id, 36, "Plan that is verified", .form = FORM_UUID),
	FIGURE(timeout_s, "After which the worker is to be stopped"),
	JSON(shapes, "What of the plan is measured, as the worker takes it; absent: the suite's own"),
};
TABLE(lease_spec, lease_spec_rows, "What is to be measured.");
#undef OF

#define OF struct lease
static const struct field lease_rows[] = {
	TEXT(benchmark_id, 36, "The benchmark", .form = FORM_UUID),
	TEXT(device, 128, "Device to run it on"),
	INTEGER(attempt, 1, 1000, "Which attempt this is"),
	INTEGER(attempts_max, 1, 1000, "How many there are"),
	INTEGER(token, 1, 9e15, "To be shown with heartbeats, the result or the release; a later lease of the benchmark makes it stale"),
	FIGURE(lease_s, "How long the lease holds, from this answer and from each heartbeat's"),
	FIGURE(heartbeat_s, "How often it shall be heard of, give or take a fifth"),
	OBJECT(spec, lease_spec, "What is to be measured"),
};
TABLE(lease, lease_rows, "A benchmark that is an agent's for a while.");
#undef OF

#define OF struct lease_heartbeat
static const struct field lease_heartbeat_rows[] = {
	TOKEN,
	JSON(progress, "How far it is: the last `progress` line of the worker"),
};
TABLE(lease_heartbeat, lease_heartbeat_rows, "Keeps a lease alive.");
#undef OF

#define OF struct lease_renewal
static const struct field lease_renewal_rows[] = {
	FIGURE(lease_s, "How long the lease holds from now"),
	BOOL(cancel, "Somebody does not want the benchmark any more: stop the worker, and deliver that or release"),
};
TABLE(lease_renewal, lease_renewal_rows, "A lease that goes on.");
#undef OF

#define OF struct lease_result
static const struct field lease_result_rows[] = {
	TOKEN,
	JSON(result, "What the worker told and how it ended: `end`, `detail`, `worker_version`, `elapsed_s`, `device`, `measures`, `skips`, `log`",
		.flags = REQUIRED, .example = "{\"end\":\"failed\",\"detail\":\"no device\"}"),
	TEXT(sha256, 64, "Of the result's bytes as they stand in this body, in hexadecimal: what tells a repetition from another result"),
};
TABLE(lease_result, lease_result_rows, "The end of a benchmark.");
#undef OF

#define OF struct lease_release
static const struct field lease_release_rows[] = {
	TOKEN,
	TEXT(reason, 500, "Why", .example = "\"the agent is being stopped\""),
};
TABLE(lease_release, lease_release_rows, "Gives a benchmark back, without penalty.");
#undef OF

#define OF struct lease_outcome
static const struct field lease_outcome_rows[] = {
	TEXT(benchmark_id, 36, "The benchmark", .form = FORM_UUID),
	WORD(state, state_words, "Where it stands now: `queued` when another attempt follows"),
	TEXT(state_reason, 1000, "Why"),
	INTEGER(attempt, 0, 1000, "Attempts so far"),
	BOOL(late, "Whether the result came after its lease was over"),
	BOOL(repeated, "Whether this result had been delivered before"),
	INTEGER(held, 0, 1000, "Figures of it that wait for an admin or for a device of another key that agrees, as they are out of range"),
};
TABLE(lease_outcome, lease_outcome_rows, "What became of a benchmark.");
#undef OF
