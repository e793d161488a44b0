/* The lines that a benchmark's worker writes on file descriptor 3, as the daemon reads them.
 *
 * One JSON object a line, its kind in `type`: hello, device, progress, sample, measure, skip, result. Numbers are SI and
 * finite. Members that are not listed here are allowed, since an agent on another node may be newer; a missing or
 * mistyped one makes the line invalid. Text is borrowed from the arena. Pure, thread-safe. */
#ifndef FLEETPLAN_API_BENCH_PROTOCOL_H
#define FLEETPLAN_API_BENCH_PROTOCOL_H

#include "base/arena.h"
#include "base/failure.h"
#include "planner/given.h"
#include "planner/precision.h"

enum { BENCH_PROTOCOL_VERSION = 1, BENCH_PROTOCOL_LINE_MAX = 64 * 1024 };

enum bench_line_kind {
	BENCH_LINE_HELLO,
	BENCH_LINE_DEVICE,
	BENCH_LINE_PROGRESS,
	BENCH_LINE_SAMPLE,
	BENCH_LINE_MEASURE,
	BENCH_LINE_SKIP,
	BENCH_LINE_RESULT,
	BENCH_LINE_COUNT
};

struct bench_line_device {
	const char *id, *backend, *name; /* always there */
	const char *uuid, *vendor, *accelerator, *driver, *instruction_set; /* NULL: not told; so on below */
	double memory_bytes, threads;
};

/* One figure: of what, how it was got, what it says, and whether it can be trusted. */
struct bench_line_measure {
	const char *test, *method, *unit;
	enum precision precision; /* PRECISION_UNSET: has none */
	int64_t n;
	double median, p10, p90, min, max;
	double flops, bytes; /* of one run; NaN: not counted */
	bool verified, unstable, cache_resident, throttled;
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
		struct bench_line_measure measure;
		struct {
			const char *test, *reason;
		} skip;
		struct {
			const char *status, *reason; /* ok, failed, busy; reason NULL: none */
			double budget_s, elapsed_s;
		} result;
	} as;
};

/* One line, without its newline. STATUS_MALFORMED (not one JSON object) or STATUS_INVALID, with what is wrong. */
FALLIBLE enum status bench_line_parse(
	const char *text, size_t length, struct arena *arena, struct bench_line *line, struct failure *failure);

/* Text of a list of tests as a suite is kept: `"quick"` or `["stream_triad", ...]` becomes "quick" or "stream_triad,...".
 * NULL when it is neither, or a name is not [a-z0-9_]+. */
const char *bench_suite_text(const char *json, size_t length, struct arena *arena);

#endif
