/* What the parts of the cuda backend share: one device's context, its stream, its kernels and libraries, and its memory.
 *
 * Everything runs on one stream, in order. Work is a `struct cuda_work`: what puts one run on the stream, and what checks the
 * outputs of one. cuda_work_run() times it by events on the device's own clock. Memory for operands belongs to the session and is
 * shared by all work, which asks for it by role and format at each run (cuda_operand), as it may move when it grows. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_SESSION_H
#define FLEETPLAN_BENCH_CUDA_CUDA_SESSION_H

#include "bench/cuda/cublaslt.h"
#include "bench/cuda/cuda_devices.h"
#include "bench/cuda/cuda_driver.h"
#include "bench/cuda/cuda_format.h"
#include "bench/cuda/cuda_kernels.h"
#include "bench/cuda/nvml.h"

/* Inputs A, B hold random numbers; outputs hold what was written last. */
enum cuda_role { ROLE_A, ROLE_B, ROLE_C, ROLE_D, ROLE_E, ROLE_F, ROLE_COUNT };

struct cuda_operand {
	cuda_pointer at;
	size_t bytes;
	unsigned used; /* by which preparation last */
};

struct bench_session {
	struct bench_device device;
	struct cuda_driver driver;
	struct nvml nvml;
	struct nvml_device *board, *part; /* NVML's: part is the slice, or the board again; NULL: no NVML */
	int ordinal, capability;          /* capability: 90 for 9.0 */
	unsigned units;                   /* multiprocessors */
	struct cuda_context *context;
	struct cuda_stream *stream, *second;
	struct cuda_event *from, *to, *aside;
	struct cuda_kernels kernels;
	struct cuda_function *hold;       /* keeps the device busy while work is put on its stream */
	struct cublaslt cublaslt;         /* opened when first asked for */
	struct cuda_operand operands[ROLE_COUNT][FORMAT_COUNT];
	struct cuda_operand flush, workspace, one; /* one: a float of 1, the scale of FP8 operands */
	size_t l2_bytes;
	double stream_bytes;              /* of each array of a stream, once there was one; 0: not yet */
	int live;                         /* prepared work that was not released */
	unsigned preparing;               /* number of the preparation under way: what it has asked for is not given away */
	char lost[BENCH_REASON_MAX];      /* why nothing can run any more; "": nothing has failed */
};

enum { CUDA_PERIOD = 4194319 /* of the inputs; a prime: rows of matrices do not repeat */, CUDA_WORKSPACE_BYTES = 64 << 20, CUDA_SAMPLES = 64 };

struct cuda_work {
	struct bench_session *session;
	bool cold, counted; /* counted: among the session's live ones */
	_Atomic uint64_t *alive;
	/* Puts one run on the stream. */
	enum bench_outcome (*enqueue)(struct cuda_work *work, struct bench_reason *reason);
	/* Fills the outputs with what is no result. NULL: has none. */
	enum bench_outcome (*poison)(struct cuda_work *work, struct bench_reason *reason);
	/* Compares the outputs of the run that has ended. */
	enum bench_outcome (*check)(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason);
	void (*release)(struct cuda_work *work); /* what it holds beside itself; NULL: nothing */
};

/* bench_work with these functions; `work` is freed with free() by its release. */
void cuda_work_fill(struct bench_work *bench, struct cuda_work *work);
enum bench_outcome cuda_work_run(struct bench_work *bench, double *elapsed_s, struct bench_reason *reason);
/* A zeroed work of `size` >= sizeof(struct cuda_work), its first four members set; NULL with the reason. */
void *cuda_work_new(struct bench_session *session, const struct bench_work_request *request, size_t size, struct bench_reason *reason);

enum bench_outcome cuda_session_launch(struct bench_session *session, struct cuda_function *function, struct kernel_groups groups,
	void **arguments, struct bench_reason *reason);
/* Judges a driver's code. Failures of the device (700, 719 ...) are remembered: the context is dead from then on. */
enum bench_outcome cuda_session_judge(struct bench_session *session, int code, const char *what, struct bench_reason *reason);
enum bench_outcome cuda_session_wait(struct bench_session *session, struct bench_reason *reason); /* for the stream to run dry */

/* Bytes to the device, all there when it returns: the driver's own copy may still be on its way from a buffer of its own, and
 * the session's streams do not wait for it. Into the current context. */
enum bench_outcome cuda_upload(struct bench_session *session, cuda_pointer to, const void *from, size_t bytes, struct bench_reason *reason);

/* Memory of at least `bytes`, grown if need be; BENCH_UNSUPPORTED where it does not fit what is free. */
enum bench_outcome cuda_memory_need(struct bench_session *session, struct cuda_operand *operand, size_t bytes, struct bench_reason *reason);
/* The same for an operand; inputs are filled anew when they grew. */
enum bench_outcome cuda_operand_need(struct bench_session *session, enum cuda_role role, enum cuda_format format, size_t count,
	struct bench_reason *reason);
cuda_pointer cuda_operand(const struct bench_session *session, enum cuda_role role, enum cuda_format format);
/* Element i of an input, as the device has it. */
double cuda_input_value(enum cuda_role role, enum cuda_format format, size_t i);
/* Element i of an operand, read back. */
enum bench_outcome cuda_output_read(struct bench_session *session, cuda_pointer at, enum cuda_format format, size_t i, double *value,
	struct bench_reason *reason);
/* Bytes of 255: no number in any format but INT32, where it is -1. */
enum bench_outcome cuda_operand_poison(struct bench_session *session, cuda_pointer at, size_t bytes, struct bench_reason *reason);
void cuda_memory_release(struct bench_session *session); /* all of it, at the session's end */

/* bench_backend.prepare for their kinds of work. */
#define CUDA_PREPARE(name) \
	enum bench_outcome name(struct bench_session *session, const struct bench_work_request *request, \
		struct bench_work *work, struct bench_reason *reason)
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
enum bench_outcome cuda_prepare(struct bench_session *session, const struct bench_work_request *request, struct bench_work *work,
	struct bench_reason *reason);

#endif
