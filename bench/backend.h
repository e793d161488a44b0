/* One kind of device behind one table of functions: cpu, later opencl, cuda, hip.
 *
 * A backend lists its devices, opens a session on one, and prepares work: something that can be run again and again,
 * timed by whichever clock is right for the device, and verified. What a device or machine cannot do is
 * BENCH_UNSUPPORTED with a reason, never a figure of 0 and never a crash; a library that is missing, a stub or too
 * old is such a reason. BENCH_FAILED is for what should have worked. One thread calls all of it. */
#ifndef FLEETPLAN_BENCH_BACKEND_H
#define FLEETPLAN_BENCH_BACKEND_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench/device.h"
#include "planner/precision.h"

enum bench_outcome { BENCH_OK, BENCH_UNSUPPORTED, BENCH_FAILED, BENCH_OUTCOME_COUNT };

enum { BENCH_REASON_MAX = 240 };
struct bench_reason {
	char text[BENCH_REASON_MAX];
};
enum bench_outcome bench_refuse(struct bench_reason *reason, enum bench_outcome outcome, const char *format, ...)
	PRINTF_LIKE(3, 4);

enum bench_work_kind {
	WORK_LAUNCH,      /* hand an empty piece of work to every unit and wait for the last */
	WORK_STREAM_READ, /* sum += a[i] */
	WORK_STREAM_COPY, /* b[i] = a[i] */
	WORK_STREAM_TRIAD, /* a[i] = b[i] + s c[i] */
	WORK_ISSUE_RATE,  /* multiply-adds on registers alone */
	WORK_GEMM,        /* C = A B */
	WORK_KIND_COUNT
};

/* How a figure was got. Only METHOD_LIBRARY_GEMM may calibrate compute: an own kernel is a lower bound of what
 * the device can do, an issue rate an upper bound. */
enum bench_method {
	METHOD_THREAD_WAKE,
	METHOD_STREAM,
	METHOD_ISSUE_RATE,
	METHOD_KERNEL_GEMM,
	METHOD_LIBRARY_GEMM,
	METHOD_COUNT
};
const char *bench_method_name(enum bench_method method); /* "library_gemm" */

struct bench_shape {
	int64_t m, n, k; /* C is m x n, A m x k, B k x n */
};

struct bench_work_request {
	enum bench_work_kind kind;
	enum bench_method method;
	enum precision precision;
	struct bench_shape shape;  /* of WORK_GEMM */
	_Atomic uint64_t *alive;   /* long work raises it as it goes on: the heartbeat's evidence */
};

struct bench_check {
	bool verified;          /* every sampled output was right */
	int samples;
	double worst_error;     /* of the samples, relative to the allowed one: 1 is the limit */
};

/* Prepared work, filled by the backend. */
struct bench_work {
	double flops, bytes;    /* of one run; 0: does not count them */
	bool cache_resident;    /* the data fits a cache: not a figure of memory */
	char detail[DEVICE_TEXT_MAX]; /* which kernel or library, with its version */
	void *state;            /* the backend's */
	enum bench_outcome (*run)(struct bench_work *work, double *elapsed_s, struct bench_reason *reason);
	/* Poisons the output, runs once and compares with double precision. */
	enum bench_outcome (*verify)(struct bench_work *work, struct bench_check *check, struct bench_reason *reason);
	void (*release)(struct bench_work *work);
};

struct bench_session; /* the backend's */

struct bench_backend {
	const char *name;
	/* Fills up to `capacity` devices. None is BENCH_UNSUPPORTED with the reason. */
	enum bench_outcome (*list)(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason);
	enum bench_outcome (*open)(const struct bench_device *device, struct bench_session **session, struct bench_reason *reason);
	enum bench_outcome (*prepare)(struct bench_session *session, const struct bench_work_request *request,
		struct bench_work *work, struct bench_reason *reason);
	void (*close)(struct bench_session *session);
};

extern const struct bench_backend bench_cpu_backend;

/* All that this program has, in the order in which they are asked; ends with NULL. */
extern const struct bench_backend *const bench_backends[];

#endif
