/* State that the parts of the cuda backend share: a device's context, its stream, its kernels and libraries, and its
 * memory.
 *
 * All work runs in order on one stream. Work is a `struct cuda_work`: a function that puts one run on the stream,
 * and one that checks the outputs. cuda_work_run() times it by events on the device's clock. The session owns the
 * memory for operands, and all work shares it. Work asks for an operand by role and format at each run
 * (cuda_operand), because the operand may move when it grows. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_SESSION_H
#define FLEETPLAN_BENCH_CUDA_CUDA_SESSION_H

#include "bench/cuda/cublaslt.h"
#include "bench/cuda/cuda_devices.h"
#include "bench/cuda/cuda_driver.h"
#include "bench/cuda/cuda_format.h"
#include "bench/cuda/cuda_kernels.h"
#include "bench/cuda/nvml.h"

/* Inputs A and B contain random numbers; outputs contain the result of the last run. */
enum cuda_role { ROLE_A, ROLE_B, ROLE_C, ROLE_D, ROLE_E, ROLE_F, ROLE_COUNT };

struct cuda_operand {
	cuda_pointer at;
	size_t bytes;
	unsigned used; /* number of the last preparation that used it */
};

struct bench_session {
	struct bench_device device;
	struct cuda_driver driver;
	struct nvml nvml;
	struct nvml_device *board, *part; /* NVML's handles; part is the slice, or the board again; NULL: no NVML */
	int ordinal, capability;          /* capability: 90 means 9.0 */
	unsigned units;                   /* multiprocessors */
	struct cuda_context *context;
	struct cuda_stream *stream, *second;
	struct cuda_event *from, *to, *aside;
	struct cuda_kernels kernels;
	struct cuda_function *hold; /* keeps the device busy while the host puts work on its stream */
	struct cublaslt cublaslt;   /* opened at first use */
	struct cuda_operand operands[ROLE_COUNT][FORMAT_COUNT];
	struct cuda_operand flush, workspace, one; /* one: a float of 1, the scale of FP8 operands */
	size_t l2_bytes;
	double stream_bytes;         /* of each array of a stream, from the first stream on; 0: none yet */
	int live;                    /* prepared work that is not yet released */
	unsigned preparing;          /* number of the current preparation: the memory that it uses is not released */
	char lost[BENCH_REASON_MAX]; /* why the session cannot run work any more; "": no failure */
};

enum {
	CUDA_PERIOD = 4194319 /* length of the inputs' period; a prime, so rows of matrices do not repeat */,
	CUDA_WORKSPACE_BYTES = 64 << 20,
	CUDA_SAMPLES = 64
};

struct cuda_work {
	struct bench_session *session;
	bool cold, counted; /* counted: included in the session's `live` */
	_Atomic uint64_t *alive;
	/* Puts one run on the stream. */
	enum bench_outcome (*enqueue)(struct cuda_work *work, struct bench_reason *reason);
	/* Fills the outputs with values that are not a result. NULL: has no outputs. */
	enum bench_outcome (*poison)(struct cuda_work *work, struct bench_reason *reason);
	/* Compares the outputs of the finished run. */
	enum bench_outcome (*check)(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason);
	void (*release)(struct cuda_work *work); /* releases what the work owns besides itself; NULL: nothing */
};

/* Fills *bench with these functions; its release calls free() on `work`. */
void cuda_work_fill(struct bench_work *bench, struct cuda_work *work);
enum bench_outcome cuda_work_run(struct bench_work *bench, double *elapsed_s, struct bench_reason *reason);
/* Allocates a zeroed work of `size` >= sizeof(struct cuda_work) and sets its first four members; NULL with the
 * reason. */
void *cuda_work_new(struct bench_session *session, const struct bench_work_request *request, size_t size, struct bench_reason *reason);

enum bench_outcome cuda_session_launch(struct bench_session *session, struct cuda_function *function, struct kernel_groups groups,
	void **arguments, struct bench_reason *reason);
/* Judges a driver's code. The session stores failures of the device (700, 719 ...): its context is unusable
 * afterwards. */
enum bench_outcome cuda_session_judge(struct bench_session *session, int code, const char *what, struct bench_reason *reason);
enum bench_outcome cuda_session_wait(struct bench_session *session, struct bench_reason *reason); /* until the stream is empty */

/* Copies bytes to the device, into the current context, and waits until they are there. Without the wait, the driver
 * may still be copying from its staging buffer when it returns, and the session's streams do not wait for that copy. */
enum bench_outcome cuda_upload(struct bench_session *session, cuda_pointer to, const void *from, size_t bytes, struct bench_reason *reason);

/* Provides memory of at least `bytes`; grows it if necessary. Returns BENCH_UNSUPPORTED if it does not fit in the
 * free memory. */
enum bench_outcome cuda_memory_need(struct bench_session *session, struct cuda_operand *operand, size_t bytes, struct bench_reason *reason);
/* The same for an operand; an input that grew is filled again. */
enum bench_outcome cuda_operand_need(
	struct bench_session *session, enum cuda_role role, enum cuda_format format, size_t count, struct bench_reason *reason);
cuda_pointer cuda_operand(const struct bench_session *session, enum cuda_role role, enum cuda_format format);
/* Element i of an input, as stored on the device. */
double cuda_input_value(enum cuda_role role, enum cuda_format format, size_t i);
/* Reads element i of an operand from the device. */
enum bench_outcome cuda_output_read(
	struct bench_session *session, cuda_pointer at, enum cuda_format format, size_t i, double *value, struct bench_reason *reason);
/* Fills with bytes of 255: NaN in every format except INT32, where it is -1. */
enum bench_outcome cuda_operand_poison(struct bench_session *session, cuda_pointer at, size_t bytes, struct bench_reason *reason);
void cuda_memory_release(struct bench_session *session); /* all memory, at the end of the session */

/* bench_backend.prepare for each kind of work. */
#define CUDA_PREPARE(name) \
	enum bench_outcome name( \
		struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
CUDA_PREPARE(cuda_launch_prepare);
CUDA_PREPARE(cuda_stream_prepare);
CUDA_PREPARE(cuda_transfer_prepare);
CUDA_PREPARE(cuda_peer_prepare);
CUDA_PREPARE(cuda_matrix_prepare);
CUDA_PREPARE(cuda_issue_prepare);
CUDA_PREPARE(cuda_attention_prepare);
CUDA_PREPARE(cuda_cache_prepare);
CUDA_PREPARE(cuda_sequence_prepare);
CUDA_PREPARE(cuda_collective_prepare);
enum bench_outcome cuda_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);

#endif
