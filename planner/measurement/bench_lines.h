/* The lines that a benchmark's worker writes on file descriptor 3.
 *
 * Each line is one JSON object; `type` is its kind: hello, device, progress, sample, measure, fit, mean, skip, result. A line has at most
 * BENCH_LINE_MAX bytes, including the newline. bench_tables.h describes the members: bench/report/ writes them in the order of the rows,
 * api/bench_protocol.h reads them. Numbers are SI and finite. NaN, ABSENT_COUNT, NULL: not reported, except as noted. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_BENCH_LINES_H
#define FLEETPLAN_PLANNER_MEASUREMENT_BENCH_LINES_H

#include "planner/measurement/bench_spec.h"

enum { BENCH_PROTOCOL_VERSION = 1, BENCH_LINE_MAX = 64 * 1024 };

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

struct bench_line_hello {
	int64_t protocol, pid;
	const char *worker_version;
};

struct bench_line_device {
	const char *id, *backend, *name; /* never NULL */
	const char *uuid, *vendor, *accelerator, *driver, *instruction_set, *pci_id, *pci_bus, *mig_parent, *mig_profile, *compute_capability;
	double memory_bytes, cache_bytes, clock_hz, threads, load_1m, power_limit_w, unit_count, numa_node;
	enum truth ecc;
};

struct bench_line_progress {
	const char *test;
	int64_t i, n; /* tests begun, of all tests */
	double elapsed_ms, budget_ms;
};

struct bench_line_sample {
	double t_s, power_w, energy_joules, temperature_c, sm_clock_hz, memory_clock_hz, power_limit_w, utilization, memory_used_bytes;
	const char *throttle; /* "": not throttled */
};

struct bench_line_transfer {
	const char *direction; /* to_device, from_device, both */
	bool pinned;
	double bytes;
};

/* Power and energy of a measure's steady window. */
struct bench_line_energy {
	double window_s, energy_joules, mean_w, idle_w, dynamic_joules, joules_per_tflop, limit_fraction;
	int64_t samples;
	const char *source, *by, *scope, *confidence; /* by: counter, polls; confidence: high, medium, low */
};

/* One figure: its subject, its method, its value, and whether it can be trusted. */
struct bench_line_measure {
	const char *test, *method, *unit, *bottleneck, *detail, *peer;
	const char *role;
	const char *kind;         /* "gemm", "all_reduce": kind of work */
	const char *throttle;     /* "power,heat": reasons for which the device throttled while it ran */
	enum precision precision; /* PRECISION_UNSET: none */
	int64_t n, rounds;        /* rounds: absent from an older worker, which does not report its median's interval */
	int64_t rounds_left_out, warmup, runs_per_sample, verified_samples;
	double median, p10, p90, min, max, mean, drift;
	double flops, bytes;                    /* of one run; NaN: not counted */
	double size_bytes;                      /* of the message, or the read */
	double count;                           /* in one step of the plan */
	double median_p10, median_p90;          /* interval of the median with 80 % (E149); NaN: an older worker, or too few samples */
	double disagreement;                    /* difference of the later half of its rounds from the earlier half; NaN: one round */
	double steal_fraction, others_fraction; /* fractions of the CPUs' time that other guests and other processes used */
	double elapsed_s;
	double predicted_s; /* NaN: not predicted */
	bool verified, unstable, cache_resident, throttled;
	bool trend; /* its rounds have a trend (E150) */
	bool has_shape, has_attention, has_transfer, has_block, has_energy;
	struct number_list sides; /* of the product: m, n, k; the reader stores them in `shape` */
	const char *product_name; /* the reader stores it in `product` */
	struct bench_shape shape; /* with product */
	enum bench_product product;
	struct bench_attention attention;
	struct bench_line_transfer transfer;
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

struct bench_line_skip {
	const char *test, *reason;
};

struct bench_line_result {
	const char *status, *reason, *suite; /* status: ok, failed, busy; reason NULL: none */
	double budget_s, elapsed_s;
	int64_t measures, failed;
};

struct bench_line {
	enum bench_line_kind kind;
	union {
		struct bench_line_hello hello;
		struct bench_line_device device;
		struct bench_line_progress progress;
		struct bench_line_sample sample;
		struct bench_line_measure measure;
		struct bench_line_fit fit;
		struct bench_line_mean mean;
		struct bench_line_skip skip;
		struct bench_line_result result;
	} as;
};

#endif
