/* Reads the lines that a benchmark's worker writes on file descriptor 3.
 *
 * Each line is one JSON object; `type` is its kind: hello, device, progress, sample, measure, fit, mean, skip, result.
 * Numbers are SI and finite. Members that are not listed here are allowed, since an agent on another node may be newer;
 * a missing or mistyped member makes the line invalid. Text is borrowed from the arena. Pure, thread-safe. */
#ifndef FLEETPLAN_API_BENCH_PROTOCOL_H
#define FLEETPLAN_API_BENCH_PROTOCOL_H

#include "base/arena.h"
#include "base/failure.h"
#include "planner/measurement/bench_spec.h"

enum { BENCH_PROTOCOL_VERSION = 1, BENCH_PROTOCOL_LINE_MAX = 64 * 1024 };

enum bench_line_kind {
	BENCH_LINE_HELLO,
	BENCH_LINE_DEVICE,
	BENCH_LINE_PROGRESS,
	BENCH_LINE_SAMPLE,
	BENCH_LINE_MEASURE,
	BENCH_LINE_FIT,
	BENCH_LINE_MEAN,
	BENCH_LINE_SKIP,
	BENCH_LINE_RESULT,
	BENCH_LINE_COUNT
};

struct bench_line_device {
	const char *id, *backend, *name;                                    /* never NULL */
	const char *uuid, *vendor, *accelerator, *driver, *instruction_set; /* NULL: not reported, as below */
	const char *pci_id, *pci_bus, *mig_parent, *mig_profile, *compute_capability;
	double memory_bytes, threads, unit_count, numa_node, power_limit_w;
	enum truth ecc;
};

/* Power and energy of a measure's steady window. NaN: not known. */
struct bench_line_energy {
	double window_s, energy_joules, mean_w, idle_w, dynamic_joules, joules_per_tflop, limit_fraction;
	const char *source, *by, *scope, *confidence; /* by: counter, polls; confidence: high, medium, low */
};

/* One figure: its subject, its method, its value, and whether it can be trusted. */
struct bench_line_measure {
	const char *test, *method, *unit;
	const char *role;         /* NULL: not reported, as below */
	const char *kind;         /* "gemm", "all_reduce": kind of work */
	const char *throttle;     /* "power,heat": reasons for which the device throttled while it ran */
	enum precision precision; /* PRECISION_UNSET: none */
	int64_t n, rounds;        /* rounds: ABSENT_COUNT: an older worker, which does not report its median's interval */
	double median, p10, p90, min, max, drift;
	double flops, bytes;                    /* of one run; NaN: not counted */
	double size_bytes;                      /* of the message, or the read; NaN: not reported */
	double count;                           /* in one step of the plan; NaN: not reported */
	double median_p10, median_p90;          /* interval of the median with 80 % (E149); NaN: an older worker, or too few samples */
	double disagreement;                    /* difference of the later half of its rounds from the earlier half; NaN: one round */
	double steal_fraction, others_fraction; /* fractions of the CPUs' time that other guests and other processes used; NaN: not reported */
	double predicted_s;                     /* NaN: not predicted */
	bool verified, unstable, cache_resident, throttled;
	bool trend; /* its rounds have a trend (E150) */
	bool has_shape, has_attention, has_transfer, has_block, has_energy;
	struct bench_shape shape; /* with product */
	enum bench_product product;
	struct bench_attention attention;
	struct {
		const char *direction; /* to_device, from_device, both */
		bool pinned;
		double bytes;
	} transfer;
	struct bench_block block;
	struct bench_line_energy energy;
};

/* T(bytes) = alpha + bytes / beta. */
struct bench_line_fit {
	const char *test, *what, *method; /* what: a direction; NULL: there is only one */
	double alpha_s, beta_bytes_per_s, worst_residual;
	int64_t sizes;
};

/* All products of a test: total operations over total time. */
struct bench_line_mean {
	const char *test, *method, *unit;
	enum precision precision;
	double value, flops;
	int64_t products;
};

/* NaN: the device does not report it. */
struct bench_line_sample {
	double t_s, power_w, energy_joules, temperature_c, sm_clock_hz, memory_clock_hz, power_limit_w, utilization, memory_used_bytes;
	const char *throttle; /* NULL: not reported; "": not throttled */
};

struct bench_line {
	enum bench_line_kind kind;
	union {
		struct {
			int64_t protocol;
			const char *worker_version;
		} hello;
		struct bench_line_device device;
		struct {
			const char *test;
			double elapsed_ms;
		} progress;
		struct bench_line_sample sample;
		struct bench_line_measure measure;
		struct bench_line_fit fit;
		struct bench_line_mean mean;
		struct {
			const char *test, *reason;
		} skip;
		struct {
			const char *status, *reason; /* ok, failed, busy; reason NULL: none */
			double budget_s, elapsed_s;
		} result;
	} as;
};

/* Reads one line, without its newline. Errors: STATUS_MALFORMED (not one JSON object), STATUS_INVALID, each with what
 * is wrong. */
FALLIBLE enum status bench_line_parse(const char *text, size_t length, struct arena *arena, struct bench_line *line, struct failure *failure);

/* Returns the text of a list of tests as a suite is stored: `"quick"` or `["stream_triad", ...]` becomes "quick" or
 * "stream_triad,...". Errors, both without a failure: STATUS_INVALID if the JSON is neither, if a name is not [a-z0-9_]+
 * or if the text is too long for a worker; STATUS_NO_MEMORY. */
FALLIBLE enum status bench_suite_text(const char *json, size_t length, struct arena *arena, const char **text);

#endif
