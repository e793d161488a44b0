/* State that the parts of the opencl backend share: the device's context, its queue, the program, and work as a list of
 * launches.
 *
 * Each piece of work is a list of launches, whose arguments are set once, and the buffers that they use. A run puts
 * all launches on the queue and waits for the last; its time is measured by the device, from the start of the first
 * to the end of the last. */
#ifndef FLEETPLAN_BENCH_OPENCL_OPENCL_SESSION_H
#define FLEETPLAN_BENCH_OPENCL_OPENCL_SESSION_H

#include "bench/kernels.h"
#include "bench/opencl/opencl_device.h"
#include "bench/reference.h"

struct bench_session {
	const struct opencl_api *api;
	struct bench_device device;
	struct opencl_device *id;
	struct opencl_context *context;
	struct opencl_queue *queue, *second_queue; /* in order, with profiling; the second is only for transfers both ways at once */
	struct opencl_program *program;
	size_t allocation_bytes;     /* size limit of one buffer */
	double free_bytes;           /* device memory that buffers may still take */
	bool half;                   /* cl_khr_fp16 */
	size_t cache_bytes;          /* assumed if the driver's figure is not a last-level cache */
	struct opencl_memory *flush; /* twice the cache; NULL until used */
	struct opencl_kernel *flush_kernel;
};

union opencl_value {
	struct opencl_memory *memory;
	uint32_t u32;
	uint64_t u64;
	float f32;
};

enum { OPENCL_LAUNCHES_MAX = 16, OPENCL_BUFFERS_MAX = 12 };

struct opencl_launch {
	struct opencl_kernel *kernel;
	size_t global[3];
};

struct opencl_work {
	struct bench_session *session;
	struct bench_work_request request;
	struct opencl_launch launches[OPENCL_LAUNCHES_MAX];
	size_t launch_count;
	struct opencl_memory *buffers[OPENCL_BUFFERS_MAX];
	double buffer_bytes[OPENCL_BUFFERS_MAX];
	size_t buffer_count;
	/* Compares sampled outputs after a run. The buffers from `outputs` on are poisoned before the run. */
	enum bench_outcome (*check)(struct opencl_work *work, struct bench_check *check, struct bench_reason *reason);
	size_t outputs;
	uint32_t groups; /* of a stream read: number of partial sums */
	uint64_t count;  /* of elements or vectors; the kind of work defines it */
	uint32_t rounds; /* of an issue-rate kernel */
};

/* Creates work without buffers and launches; NULL: out of memory. opencl_work_free() frees it with all that it owns. */
struct opencl_work *opencl_work_new(struct bench_session *session, const struct bench_work_request *request);
void opencl_work_free(struct opencl_work *work);

/* Adds a buffer, in whole vectors of 16 bytes. Returns BENCH_UNSUPPORTED if the device lacks the memory. */
enum bench_outcome opencl_work_buffer(struct opencl_work *work, double bytes, struct opencl_memory **buffer, struct bench_reason *reason);

/* Adds a launch; `values` are the kernel's arguments. */
enum bench_outcome opencl_work_launch(struct opencl_work *work, enum kernel kernel, struct kernel_groups groups,
	const union opencl_value *values, struct bench_reason *reason);

/* Runs one kernel now and waits for it: for fills and poison. */
enum bench_outcome opencl_run_kernel(struct bench_session *session, enum kernel kernel, struct kernel_groups groups,
	const union opencl_value *values, struct bench_reason *reason);
enum bench_outcome opencl_fill_normal(struct bench_session *session, struct opencl_memory *buffer, uint64_t count, uint64_t seed,
	enum precision precision, struct bench_reason *reason);
enum bench_outcome opencl_fill_pattern(
	struct bench_session *session, struct opencl_memory *buffer, uint64_t count, struct bench_reason *reason);
enum bench_outcome opencl_read(
	struct bench_session *session, struct opencl_memory *buffer, size_t offset, size_t bytes, void *out, struct bench_reason *reason);

/* Groups for a list: one element per work-item, at most 2^22 groups. */
struct kernel_groups opencl_list_groups(const struct bench_session *session, uint64_t elements);

/* Runs all launches one after another; *elapsed_s is the time on the device. */
enum bench_outcome opencl_launches_run(struct opencl_work *const *works, size_t count, double *elapsed_s, struct bench_reason *reason);

/* Sets run, verify and release of the backend's work, for work that is a list of launches. */
void opencl_work_publish(struct opencl_work *made, struct bench_work *work);

/* bench_backend.prepare for all kinds of work, and the functions for each kind; *work is cleared before. */
enum bench_outcome opencl_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome opencl_launch_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome opencl_issue_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome opencl_stream_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome opencl_transfer_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome opencl_matrix_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome opencl_attention_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome opencl_cache_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome opencl_sequence_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);

#endif
