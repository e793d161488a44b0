/* Requests of agents on other nodes, and the answers: registration, leases, outcomes.
 *
 * Absent members as in base/given.h; the field tables of api/tables/tables.h describe them. */
#ifndef FLEETPLAN_API_TABLES_LEASES_H
#define FLEETPLAN_API_TABLES_LEASES_H

#include "hwdb/catalogue/records.h"

enum { AGENT_DEVICES_MAX = 64, LEASE_WAIT_MAX_S = 30 };

/* POST /v1/agents. */
struct agent_registration {
	const char *agent_id, *host, *version;
	struct json_text labels;
	struct {
		struct device_record *items;
		size_t count;
	} devices;
};

/* POST /v1/agents/{id}/leases. */
struct lease_request {
	struct text_list devices; /* empty: all idle devices of the agent */
	double wait_s;
};

/* The work of a lease, in the worker's terms. */
struct lease_spec {
	const char *suite; /* "quick", "full", "stream_triad,launch_round_trip" */
	const char *plan_id;
	double timeout_s;        /* the agent stops the worker after this time */
	struct json_text shapes; /* of the plan (planner/measurement/bench_spec.h); absent: the suite's own shapes */
};

struct lease {
	const char *benchmark_id, *device;
	int64_t attempt, attempts_max, token;
	double lease_s, heartbeat_s;
	struct lease_spec spec;
};

/* POST /v1/benchmarks/{id}/heartbeat. */
struct lease_heartbeat {
	int64_t token;
	struct json_text progress;
};

struct lease_renewal {
	double lease_s;
	bool cancel;
};

/* PUT /v1/benchmarks/{id}/result. */
struct lease_result {
	int64_t token;
	struct json_text result;
	const char *sha256;
};

/* POST /v1/benchmarks/{id}/release. */
struct lease_release {
	int64_t token;
	const char *reason;
};

/* The state of a benchmark after its result was delivered or its lease released. */
struct lease_outcome {
	const char *benchmark_id, *state, *state_reason;
	int64_t attempt;
	bool late, repeated;
	int64_t held;
};

#endif
