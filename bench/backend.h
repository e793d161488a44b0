/* A backend: the functions that every kind of device implements (cpu, cuda, opencl).
 *
 * A backend lists its devices, opens a session on one, and prepares work. Work can be run many times, is timed by
 * the clock that fits the device, and can be verified. If a device or machine cannot do the work, the function
 * returns BENCH_UNSUPPORTED with a reason; it never reports a figure of 0 and never crashes. A library that is
 * missing, a stub or too old is such a reason. BENCH_FAILED means that something failed which should have worked.
 * One thread calls all functions except sense(), which a second thread may call at any time between open() and
 * close(). */
#ifndef FLEETPLAN_BENCH_BACKEND_H
#define FLEETPLAN_BENCH_BACKEND_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench/device.h"
#include "bench/sensors.h"
#include "planner/measurement/bench_spec.h"

enum bench_outcome { BENCH_OK, BENCH_UNSUPPORTED, BENCH_FAILED, BENCH_OUTCOME_COUNT };

enum { BENCH_REASON_MAX = 240 };
struct bench_reason {
	char text[BENCH_REASON_MAX];
};
enum bench_outcome bench_refuse(struct bench_reason *reason, enum bench_outcome outcome, const char *format, ...) PRINTF_LIKE(3, 4);

enum bench_work_kind {
	WORK_LAUNCH,           /* launch an empty piece of work on every unit and wait for the last */
	WORK_LAUNCH_PIPELINED, /* many launches in a row, one wait at the end; the time of one launch */
	WORK_LAUNCH_GRAPH,     /* launches recorded once and replayed as one graph; the time of one launch */
	WORK_STREAM_READ,      /* sum += a[i] */
	WORK_STREAM_COPY,      /* b[i] = a[i] */
	WORK_STREAM_TRIAD,     /* a[i] = b[i] + s c[i] */
	WORK_TRANSFER,         /* request.transfer, between host memory and device memory */
	WORK_ISSUE_RATE,       /* multiply-adds on registers, without memory access */
	WORK_GEMM,             /* request.shape, request.product */
	WORK_ATTENTION,        /* request.attention, unfused: scores, softmax, values */
	WORK_KV_READ,          /* request.attention with one query per sequence: reads the keys and values once */
	WORK_ELEMENTWISE,      /* reads and writes request.bytes in total, half each: norms, residuals, an optimizer's update */
	WORK_SEQUENCE,         /* request.parts one after another, one wait at the end */
	WORK_PEER_COPY,        /* request.bytes from this device to request.peer */
	WORK_ALL_REDUCE,       /* request.bytes on each device of the backend; the reported bytes are 2 (n - 1) / n times that */
	WORK_KIND_COUNT
};
const char *bench_work_kind_name(enum bench_work_kind kind); /* "stream_read" */

/* How a figure was measured. Only METHOD_LIBRARY_GEMM may calibrate compute: an own kernel gives a lower bound of
 * the device's rate, an issue rate an upper bound. */
enum bench_method {
	METHOD_THREAD_WAKE,   /* cpu: launches */
	METHOD_DRIVER_LAUNCH, /* launches through a driver */
	METHOD_STREAM,        /* own kernels over memory: streams, element-wise work, reads of the cache of keys and values */
	METHOD_COPY_ENGINE,   /* transfers and peer copies */
	METHOD_ISSUE_RATE,
	METHOD_KERNEL_GEMM,
	METHOD_LIBRARY_GEMM,
	METHOD_KERNEL_ATTENTION,  /* own kernels only */
	METHOD_LIBRARY_ATTENTION, /* a library's batched products with an own softmax between them */
	METHOD_SEQUENCE,          /* parts, each with its own method */
	METHOD_COLLECTIVE_LIBRARY,
	METHOD_MODEL, /* not measured: computed from other figures */
	METHOD_FILE_READ,
	METHOD_DECODE,
	METHOD_COUNT
};
const char *bench_method_name(enum bench_method method); /* "library_gemm" */

enum bench_direction { DIRECTION_TO_DEVICE, DIRECTION_FROM_DEVICE, DIRECTION_BOTH, DIRECTION_COUNT };
const char *bench_direction_name(enum bench_direction direction); /* "to_device" */

struct bench_transfer {
	enum bench_direction direction; /* DIRECTION_BOTH: the same number of bytes each way at once; the figure counts both */
	bool pinned;
	double bytes; /* in one direction */
};

struct bench_work_request {
	enum bench_work_kind kind;
	enum bench_method method;
	enum precision precision;
	bool cold;                /* caches are flushed before each run, outside of the measured time */
	struct bench_shape shape; /* for WORK_GEMM, with product */
	enum bench_product product;
	struct bench_attention attention;       /* for WORK_ATTENTION and WORK_KV_READ */
	struct bench_transfer transfer;         /* for WORK_TRANSFER */
	double bytes;                           /* for WORK_ELEMENTWISE, WORK_PEER_COPY, WORK_ALL_REDUCE */
	const struct bench_device *peer;        /* for WORK_PEER_COPY: a device of the same backend */
	const struct bench_work_request *parts; /* for WORK_SEQUENCE; a part is not a sequence itself. Borrowed until release() */
	size_t part_count;
	_Atomic uint64_t *alive; /* raised by long work as it proceeds: the heartbeat reads it */
};

struct bench_check {
	bool verified; /* every sampled output was correct */
	int samples;
	double worst_error; /* of the samples, as a multiple of the allowed error: 1 is the limit */
};

/* Prepared work; the backend fills it. */
struct bench_work {
	double flops, bytes;          /* of one run; 0: not counted */
	double items;                 /* of one run, for work that is counted in pieces, such as decoded images */
	bool cache_resident;          /* the data fits in a cache, so the figure does not measure memory */
	char detail[DEVICE_TEXT_MAX]; /* the kernel or library, with its version */
	void *state;                  /* owned by the backend */
	enum bench_outcome (*run)(struct bench_work *work, double *elapsed_s, struct bench_reason *reason);
	/* Poisons the output, runs once and compares the output with double precision. */
	enum bench_outcome (*verify)(struct bench_work *work, struct bench_check *check, struct bench_reason *reason);
	void (*release)(struct bench_work *work);
};

struct bench_session; /* defined by each backend */

struct bench_backend {
	const char *name;
	/* Fills up to `capacity` devices. Returns BENCH_UNSUPPORTED with the reason if there is none. */
	enum bench_outcome (*list)(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason);
	enum bench_outcome (*open)(const struct bench_device *device, struct bench_session **session, struct bench_reason *reason);
	enum bench_outcome (*prepare)(
		struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
	/* Reads the device's sensors into *sensors, which it clears first. NULL: the backend has no sensors. Returns
	 * BENCH_UNSUPPORTED with the reason if no sensor can be read. Returns quickly and does not disturb the work. */
	enum bench_outcome (*sense)(struct bench_session *session, struct bench_sensors *sensors, struct bench_reason *reason);
	void (*close)(struct bench_session *session);
	bool shared; /* other programs normally use the device too: report their load, but do not refuse to measure */
};

extern const struct bench_backend bench_cpu_backend, bench_cuda_backend, bench_opencl_backend;

/* All backends of this program, in the order in which they are listed; ends with NULL. */
extern const struct bench_backend *const bench_backends[];

#endif
