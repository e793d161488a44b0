/* Records that the API returns and the storage keeps: plans, benchmarks, devices, keys. They are plain structs that
 * depend on neither: api/tables maps them to JSON, storage to rows. Absent members as in base/given.h. Text is borrowed
 * from the arena of the caller that filled the record. Times are wall clock, microseconds since 1970. */
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
	int64_t revision; /* starts at 1, raised by every change; the ETag */

	struct json_text verification, observations; /* in answers only: the newest verification by a benchmark, and the reports of real jobs */

	struct json_text asked; /* the request as received, which a refresh computes again; for storage and server only */

	/* The computed content. */
	const char *model, *accelerator;  /* ids, of the recommended option; for filters and lists */
	struct json_text request, result; /* as answered */
	struct json_text summary;         /* the result's own, for lists; absent: of a version without summaries */
	struct json_text changes;         /* in the answer to a refresh only, not stored */
	int64_t catalogue_revision, calibration_revision;
	const char *planner_version;
	int64_t computed_at_us;
};

/* The figures of a plan's recommendation. For inference hours are absent, and cost, energy and carbon are per month. */
struct plan_figures {
	const char *accelerator, *offer; /* offer: "aws p5.48xlarge us-east-1 on_demand" */
	int64_t gpu_count;
	double hours, usd_per_gpu_hour, usd, kwh, kgco2e;
};

/* A cause of the change that a refresh made, with its amount. */
struct plan_cause {
	const char *cause, *detail; /* prices, regions, accelerators, models, calibrations, planner */
	double change_gpus, change_hours, change_usd, change_kwh, change_kgco2e;
};

enum { PLAN_CAUSES_MAX = 8 };

/* A value that differs between two JSON texts; NULL in the text that does not contain it. */
struct json_difference {
	const char *pointer; /* RFC 6901 */
	const char *before, *after;
};

enum { DIFFERENCES_MAX = 20 };

/* Comparison of a plan's stored content with the same request computed again on the catalogue and calibrations of its
 * revisions. */
struct plan_replay {
	const char *id, *kind;
	int64_t revision, catalogue_revision, calibration_revision;
	const char *planner_version, *planner_version_now;
	int64_t computed_at_us;
	bool reproduced;   /* identical to the bit, except for the duration of the search */
	int64_t differing; /* number of values that differ; the first of them are listed */
	size_t difference_count;
	struct json_difference differences[DIFFERENCES_MAX];
};

/* The causes of the difference between a plan computed again and its earlier answer. */
struct plan_changes {
	int64_t since_us;       /* time of the earlier computation */
	bool reproduced;        /* on the earlier catalogue the answer is identical to the bit */
	const char *difference; /* if not reproduced: the first difference */
	struct plan_figures before, after;
	size_t cause_count;
	struct plan_cause causes[PLAN_CAUSES_MAX]; /* their changes sum to after minus before */
};

struct benchmark_record {
	const char *id;                   /* UUIDv7 */
	const char *device, *accelerator; /* requested: a device's id, an accelerator's id, or neither (any device) */
	struct json_text suite;           /* "quick", "full" or a list of tests */
	const char *plan_id;
	struct json_text shapes; /* the measured parts of that plan: planner/measurement/bench_spec.h; absent: the suite's own */
	struct json_text labels; /* a map of strings */
	double timeout_s;
	int64_t priority; /* 0..100, higher first; ABSENT_COUNT is 0 */
	int64_t created_at_us;
	int64_t expires_at_us; /* time at which it expires if still queued; ABSENT_COUNT: never */

	const char *state; /* queued, running, succeeded, failed, cancelled, expired */
	const char *state_reason;
	const char *running_device, *agent_id; /* of the last attempt */
	int64_t attempt, token;
	int64_t lease_until_us, started_at_us, finished_at_us; /* ABSENT_COUNT: not yet */
	bool cancel_requested, late;                           /* late: delivered after the end of its lease */
	struct json_text progress, result;
	unsigned char result_sha256[32]; /* of the result as delivered; all zero: no result yet */

	/* Used by storage only. */
	int64_t number, result_checksum;
	struct json_text verification; /* comparison of the result with the plan */
};

struct device_record {
	const char *id;                 /* "cpu-...", a GPU's UUID */
	const char *agent_id;           /* NULL: a device of the daemon's own machine */
	const char *node, *backend;     /* cpu, opencl, cuda, hip */
	const char *name, *accelerator; /* marketing name; catalogue id, NULL when unknown */
	const char *driver;
	double memory_bytes;
	const char *state; /* idle, busy, suspect, wedged, gone */
	const char *state_reason;
	struct json_text properties; /* other properties that the device reported: its line of planner/measurement/bench_lines.h */
	int64_t seen_at_us;

	/* In answers only: from properties, the queue and the calibrations. */
	const char *pci_id, *pci_bus, *ecc, *mig_parent, *mig_profile, *compute_capability; /* ecc: enabled, disabled */
	double power_limit_w;
	const char *benchmark_id; /* the benchmark that runs on it */
	int64_t calibrated_at_us; /* time of its newest calibration; ABSENT_COUNT: none */
	double calibration_age_days;
};

/* A machine that leases benchmarks for its devices. */
struct agent_record {
	const char *id; /* chosen once by the agent and kept */
	const char *host, *version;
	struct json_text labels;
	const char *key_id; /* id of the API key that registered it; while that key is valid, no other key may act for the agent */
	const char *state;  /* online, silent */
	int64_t registered_at_us, seen_at_us;
	int64_t devices;                  /* attached devices, as reported */
	double heartbeat_s, lease_s;      /* interval at which the agent must report while it works; silence after which its work is lost */
	struct text_list refused_devices; /* devices of the last registration that are attached to another agent. In answers only */
};

/* The results of a real job, with its plan's predictions at the time of the report. Members that the client did not
 * report are absent. */
struct observation_record {
	const char *id, *plan_id;
	int64_t created_at_us;
	double step_time_s, tokens_per_s, mean_gpu_w, hours, total_kwh, total_usd;
	int64_t gpu_count;
	const char *stack, *stack_release; /* as reported, else those of the plan */
	struct json_text labels;
	const char *notes;

	const char *accelerator; /* of the plan's recommended option */
	struct {
		double step_time_s, tokens_per_s, mean_gpu_w, hours, total_kwh, total_usd;
	} predicted;
	double stack_speed; /* speed of the software over the prediction without any calibration; 1: as predicted */
	double params;      /* of its plan: the model's active parameters, accelerators, number format; absent: unknown */
	int64_t planned_gpu_count;
	enum precision precision;
	double ratio;               /* in answers only: observed over predicted time of a step */
	enum truth used;            /* in answers only: whether plans use it now */
	const char *unused_because; /* stored: why it never counts; NULL: it may count. In answers: why it does not count now */

	double practice,
		practice_expected; /* a whole run (E134): hours over the hours of its plan's steps and failures; the value that published runs suggest */
	enum truth practice_used;            /* in answers only: whether plans use its hours now */
	const char *practice_unused_because; /* as above; NULL also where no hours were reported */
};

/* Rows that arrived together and became visible together: a file, or a feed's refresh. */
struct import_record {
	const char *id;                    /* UUIDv7 */
	const char *kind;                  /* accelerator, model, price, region */
	const char *state;                 /* running, succeeded, failed, cancelled, interrupted */
	const char *detail;                /* the reason if it did not succeed */
	const char *started_by;            /* request, feed, command */
	const char *key_id, *key_name;     /* of the request; for a feed its name */
	const char *content_type, *sha256; /* of the file after decompression; sha256 in hexadecimal */
	int64_t bytes;
	bool replaces;   /* imported rows that it does not contain end with it */
	bool overwrites; /* it also replaces users' rows and measured rows */
	int64_t started_at_us, finished_at_us;
	int64_t rows, added, changed, removed, unchanged, kept;
	int64_t revision; /* catalogue revision that it created; ABSENT_COUNT: none, because it changed nothing or failed */
};

/* A write in the audit log. It contains no secrets: no key, no query, no body. */
struct audit_record {
	int64_t number; /* ascending without gaps */
	int64_t at_us;
	const char *key_id, *key_name, *role; /* key_id "anonymous": no key existed yet; "command": a command on the machine */
	const char *address;                  /* of the connection; NULL: none */
	const char *request_id;
	const char *method, *path;
	const char *entity;  /* id of the written entity, if it has one */
	int64_t revision;    /* revision of the entity after the write; ABSENT_COUNT: none */
	const char *outcome; /* done, refused */
	int64_t http_status;
};

struct key_record {
	const char *id, *name, *role;                        /* viewer, planner, admin, agent */
	const char *prefix;                                  /* first characters of the key, to recognise it */
	int64_t created_at_us, expires_at_us, revoked_at_us; /* ABSENT_COUNT: never, not */
	const char *family;                                  /* id of the first key of a chain of rotated keys; NULL: this key is the first */
	const char *scope_key, *scope_value;                 /* label of the plans that the key may read and write; NULL: all plans */
};

#endif
