/* Records that the API shows and the storage keeps: plans, benchmarks, devices, keys. Plain structs that belong to
 * neither: api/tables maps them to JSON, storage to rows. Absent members as in base/given.h; text is borrowed from
 * the arena of whoever filled the record. Times are wall clock, microseconds since 1970. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_RECORDS_H
#define FLEETPLAN_HWDB_CATALOGUE_RECORDS_H

#include "base/given.h"
#include "planner/precision.h"

struct plan_record {
	const char *id;   /* UUIDv7 */
	const char *kind; /* training, inference */
	const char *name, *notes;
	struct json_text labels; /* a map of strings */
	int64_t created_at_us, updated_at_us;
	int64_t revision; /* raised by every change, from 1; the ETag */

	struct json_text verification, observations; /* answered, not stored with it: the newest of a benchmark, and what real jobs reported */

	struct json_text asked; /* the request as it came: what a refresh computes again; storage and server only */

	/* The computed content. */
	const char *model, *accelerator; /* ids, of the recommended option: for filters and lists */
	struct json_text request, result; /* as they are answered */
	struct json_text changes;         /* answered by a refresh, and not kept */
	int64_t catalogue_revision, calibration_revision;
	const char *planner_version;
	int64_t computed_at_us;
};

/* What a plan recommends, in figures; of inference hours are absent, and money, energy and carbon are of a month. */
struct plan_figures {
	const char *accelerator, *offer; /* offer: "aws p5.48xlarge us-east-1 on_demand" */
	int64_t gpu_count;
	double hours, usd_per_gpu_hour, usd, kwh, kgco2e;
};

/* One cause of what a refresh changed, and by how much. */
struct plan_cause {
	const char *cause, *detail; /* prices, regions, accelerators, models, calibrations, planner */
	double change_gpus, change_hours, change_usd, change_kwh, change_kgco2e;
};

enum { PLAN_CAUSES_MAX = 8 };

/* A value that is otherwise in one JSON text than in another; NULL where it is not there. */
struct json_difference {
	const char *pointer; /* RFC 6901 */
	const char *before, *after;
};

enum { DIFFERENCES_MAX = 20 };

/* What a plan's stored content is, beside the same request computed again on the catalogue and calibrations of its revisions. */
struct plan_replay {
	const char *id, *kind;
	int64_t revision, catalogue_revision, calibration_revision;
	const char *planner_version, *planner_version_now;
	int64_t computed_at_us;
	bool reproduced; /* to the bit, but for how long the search took */
	int64_t differing;       /* values that differ, of which the first are listed */
	size_t difference_count;
	struct json_difference differences[DIFFERENCES_MAX];
};

/* Why a plan that was computed anew differs from what it was. */
struct plan_changes {
	int64_t since_us;       /* when it was computed before */
	bool reproduced;        /* on the catalogue of then it is answered to the bit as it was */
	const char *difference; /* where not: what differs first */
	struct plan_figures before, after;
	size_t cause_count;
	struct plan_cause causes[PLAN_CAUSES_MAX]; /* their changes sum up to after less before */
};

struct benchmark_record {
	const char *id; /* UUIDv7 */
	const char *device, *accelerator; /* what it wants: a device's id, an accelerator's id, or neither: any */
	struct json_text suite;           /* "quick", "full" or a list of tests */
	const char *plan_id;
	struct json_text shapes;          /* what of that plan is measured: planner/measurement/bench_spec.h; absent: the suite's own */
	struct json_text labels;          /* a map of strings */
	double timeout_s;
	int64_t priority; /* 0..100, higher first; ABSENT_COUNT is 0 */
	int64_t created_at_us;
	int64_t expires_at_us; /* when queued for longer than this it expires; ABSENT_COUNT: never */

	const char *state; /* queued, running, succeeded, failed, cancelled, expired */
	const char *state_reason;
	const char *running_device, *agent_id; /* of the last attempt */
	int64_t attempt, token;
	int64_t lease_until_us, started_at_us, finished_at_us; /* ABSENT_COUNT: not yet */
	bool cancel_requested, late; /* late: delivered after its lease was over */
	struct json_text progress, result;
	unsigned char result_sha256[32]; /* of the result as it was delivered; all zero: none yet */

	/* The store's alone. */
	int64_t number, result_checksum;
	struct json_text verification; /* what the result says of the plan */
};

struct device_record {
	const char *id; /* "cpu-...", a GPU's UUID */
	const char *agent_id; /* NULL: attached to the daemon's own machine */
	const char *node, *backend; /* cpu, opencl, cuda, hip */
	const char *name, *accelerator; /* marketing name; catalogue id, NULL when unknown */
	const char *driver;
	double memory_bytes;
	const char *state; /* idle, busy, suspect, wedged, gone */
	const char *state_reason;
	struct json_text properties; /* what else the device told: its line of api/bench_protocol.h */
	int64_t seen_at_us;

	/* Answered, not put: read out of properties, the queue and the calibrations. */
	const char *pci_id, *pci_bus, *ecc, *mig_parent, *mig_profile, *compute_capability; /* ecc: enabled, disabled */
	double power_limit_w;
	const char *benchmark_id;  /* that runs on it */
	int64_t calibrated_at_us;  /* the newest calibration of it; ABSENT_COUNT: none */
	double calibration_age_days;
};

/* A machine that leases benchmarks for its devices. */
struct agent_record {
	const char *id; /* it chose it once and keeps it */
	const char *host, *version;
	struct json_text labels;
	const char *key_id; /* of the API key that it came with: no other may act for it while that one holds */
	const char *state;  /* online, silent */
	int64_t registered_at_us, seen_at_us;
	int64_t devices; /* attached, as far as it told */
	double heartbeat_s, lease_s; /* how often it shall be heard of while it works, and after which silence its work is lost */
	struct text_list refused_devices; /* of its last registration: attached to somebody else. Answered, not kept */
};

/* What a real job achieved, beside what its plan had predicted when this was reported. Absent where nobody told. */
struct observation_record {
	const char *id, *plan_id;
	int64_t created_at_us;
	double step_time_s, tokens_per_s, mean_gpu_w, hours, total_kwh, total_usd;
	int64_t gpu_count;
	const char *stack, *stack_release; /* as reported, else the plan's */
	struct json_text labels;
	const char *notes;

	const char *accelerator; /* of the plan's recommended option */
	struct {
		double step_time_s, tokens_per_s, mean_gpu_w, hours, total_kwh, total_usd;
	} predicted;
	double stack_speed;         /* of the software, beside what is predicted of it without any calibration: 1 is as predicted */
	double params;              /* of its plan: the model's active ones, accelerators, number format; absent: not known */
	int64_t planned_gpu_count;
	enum precision precision;
	double ratio;               /* answered, not stored: observed over predicted time of a step */
	enum truth used;            /* answered, not stored: whether plans go by it now */
	const char *unused_because; /* stored: why it never counts; NULL: it may. Answered: why it does not count now */

	double practice, practice_expected; /* of a whole run (E134): hours over those of its plan's steps and failures, and what published runs let expect */
	enum truth practice_used;            /* answered, not stored: whether plans go by its hours now */
	const char *practice_unused_because; /* as above; NULL also where no hours were reported */
};

/* Rows that came together, and became visible together: a file, or a feed's refresh. */
struct import_record {
	const char *id;         /* UUIDv7 */
	const char *kind;       /* accelerator, model, price, region */
	const char *state;      /* running, succeeded, failed, cancelled, interrupted */
	const char *detail;     /* why it did not succeed */
	const char *started_by; /* request, feed, command */
	const char *key_id, *key_name; /* whose request; of a feed its name */
	const char *content_type, *sha256; /* of the file after decompression; sha256 in hexadecimal */
	int64_t bytes;
	bool replaces;   /* imported rows that it does not name end with it */
	bool overwrites; /* rows of users and measurements too */
	int64_t started_at_us, finished_at_us;
	int64_t rows, added, changed, removed, unchanged, kept;
	int64_t revision; /* of the catalogue, that it made; ABSENT_COUNT: none, as it changed nothing or did not succeed */
};

/* A write, as the audit log has it. Nothing in it is secret: no key, no query, no body. */
struct audit_record {
	int64_t number; /* counts up without gaps */
	int64_t at_us;
	const char *key_id, *key_name, *role; /* key_id "anonymous": there was no key yet; "command": somebody on the machine */
	const char *address;    /* the connection's; NULL: of no connection */
	const char *request_id;
	const char *method, *path;
	const char *entity;     /* id of what was written, where it has one */
	int64_t revision;       /* of that, afterwards; ABSENT_COUNT: it has none */
	const char *outcome;    /* done, refused */
	int64_t http_status;
};

struct key_record {
	const char *id, *name, *role; /* viewer, planner, admin, agent */
	const char *prefix;           /* the key's first characters, to recognise it */
	int64_t created_at_us, expires_at_us, revoked_at_us; /* ABSENT_COUNT: never, not */
	const char *family;                  /* id of the first of the keys that succeeded one another; NULL: this one is it */
	const char *scope_key, *scope_value; /* the label whose plans alone it may see and write; NULL: all */
};

#endif
