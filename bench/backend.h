/* One kind of device behind one table of functions: cpu, later opencl, cuda, hip.
 *
 * A backend lists its devices, opens a session on one, and prepares work: something that can be run again and again,
 * timed by whichever clock is right for the device, and verified. What a device or machine cannot do is
 * BENCH_UNSUPPORTED with a reason, never a figure of 0 and never a crash; a library that is missing, a stub or too
 * old is such a reason. BENCH_FAILED is for what should have worked. One thread calls all of it, except sense(), which a
 * second thread calls at any moment between open() and close(). */
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
enum bench_outcome bench_refuse(struct bench_reason *reason, enum bench_outcome outcome, const char *format, ...)
	PRINTF_LIKE(3, 4);

enum bench_work_kind {
	WORK_LAUNCH,           /* hand an empty piece of work to every unit and wait for the last */
	WORK_LAUNCH_PIPELINED, /* many in a row, one wait at the end; the time of one */
	WORK_LAUNCH_GRAPH,     /* recorded once, replayed as one; the time of one */
	WORK_STREAM_READ,      /* sum += a[i] */
	WORK_STREAM_COPY,      /* b[i] = a[i] */
	WORK_STREAM_TRIAD,     /* a[i] = b[i] + s c[i] */
	WORK_TRANSFER,         /* request.transfer, between the host's memory and the device's */
	WORK_ISSUE_RATE,       /* multiply-adds on registers alone */
	WORK_GEMM,             /* request.shape, request.product */
	WORK_ATTENTION,        /* request.attention, unfused: scores, softmax, values */
	WORK_KV_READ,          /* request.attention with one query a sequence: reads its keys and values once */
	WORK_ELEMENTWISE,      /* reads and writes request.bytes in all, half and half: norms, residuals, an optimizer's update */
	WORK_SEQUENCE,         /* request.parts one after the other, one wait at the end */
	WORK_PEER_COPY,        /* request.bytes from this device to request.peer */
	WORK_ALL_REDUCE,       /* request.bytes on each of all devices of the backend; its bytes are those 2 (n - 1) / n times */
	WORK_KIND_COUNT
};
const char *bench_work_kind_name(enum bench_work_kind kind); /* "stream_read" */

/* How a figure was got. Only METHOD_LIBRARY_GEMM may calibrate compute: an own kernel is a lower bound of what
 * the device can do, an issue rate an upper bound. */
enum bench_method {
	METHOD_THREAD_WAKE,        /* cpu: launches */
	METHOD_DRIVER_LAUNCH,      /* launches through a driver */
	METHOD_STREAM,             /* own kernels over memory: streams, element-wise work, reads of the cache of keys and values */
	METHOD_COPY_ENGINE,        /* transfers and peer copies */
	METHOD_ISSUE_RATE,
	METHOD_KERNEL_GEMM,
	METHOD_LIBRARY_GEMM,
	METHOD_KERNEL_ATTENTION,   /* all of it own kernels */
	METHOD_LIBRARY_ATTENTION,  /* a library's batched products, an own softmax between them */
	METHOD_SEQUENCE,           /* parts, each by its own method */
	METHOD_COLLECTIVE_LIBRARY,
	METHOD_MODEL,              /* not measured: computed from other figures */
	METHOD_FILE_READ,
	METHOD_DECODE,
	METHOD_COUNT
};
const char *bench_method_name(enum bench_method method); /* "library_gemm" */

enum bench_direction { DIRECTION_TO_DEVICE, DIRECTION_FROM_DEVICE, DIRECTION_BOTH, DIRECTION_COUNT };
const char *bench_direction_name(enum bench_direction direction); /* "to_device" */

struct bench_transfer {
	enum bench_direction direction; /* DIRECTION_BOTH: as many bytes each way at once, and both count */
	bool pinned;
	double bytes;                   /* one way */
};

struct bench_work_request {
	enum bench_work_kind kind;
	enum bench_method method;
	enum precision precision;
	bool cold;                      /* caches are flushed before each run, outside of its time */
	struct bench_shape shape;       /* of WORK_GEMM, with product */
	enum bench_product product;
	struct bench_attention attention; /* of WORK_ATTENTION and WORK_KV_READ */
	struct bench_transfer transfer; /* of WORK_TRANSFER */
	double bytes;                   /* of WORK_ELEMENTWISE, WORK_PEER_COPY, WORK_ALL_REDUCE */
	const struct bench_device *peer; /* of WORK_PEER_COPY: a device of the same backend */
	const struct bench_work_request *parts; /* of WORK_SEQUENCE; no sequence among them. Borrowed until release() */
	size_t part_count;
	_Atomic uint64_t *alive;        /* long work raises it as it goes on: the heartbeat's evidence */
};

struct bench_check {
	bool verified;          /* every sampled output was right */
	int samples;
	double worst_error;     /* of the samples, relative to the allowed one: 1 is the limit */
};

/* Prepared work, filled by the backend. */
struct bench_work {
	double flops, bytes;    /* of one run; 0: does not count them */
	double items;           /* of one run, of work that is counted in pieces: images decoded */
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
	/* What the device's sensors say now, into *sensors (cleared first). NULL: it has none. BENCH_UNSUPPORTED when none of
	 * them can be read, with the reason. Quick, and never in the way of the work. */
	enum bench_outcome (*sense)(struct bench_session *session, struct bench_sensors *sensors, struct bench_reason *reason);
	void (*close)(struct bench_session *session);
	bool shared; /* other programs use it as a matter of course: load is told, and refuses nothing */
};

extern const struct bench_backend bench_cpu_backend, bench_cuda_backend, bench_opencl_backend;

/* All that this program has, in the order in which they are asked; ends with NULL. */
extern const struct bench_backend *const bench_backends[];

#endif
