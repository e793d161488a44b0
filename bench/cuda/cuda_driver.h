/* The CUDA driver (libcuda.so.1), opened with dlopen: only the functions that the benchmarks call.
 *
 * The declarations follow the public documentation of the driver API; handles are opaque. Names with _v2 are the
 * current functions: the plain names are older ones with 32-bit sizes. Optional functions are NULL in old drivers.
 * Most calls need a current context. Thread safety is that of the driver. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_DRIVER_H
#define FLEETPLAN_BENCH_CUDA_CUDA_DRIVER_H

#include "bench/dynamic_library.h"

struct cuda_context;
struct cuda_module;
struct cuda_function;
struct cuda_stream;
struct cuda_event;
struct cuda_graph;
struct cuda_graph_exec;
struct cuda_uuid {
	char bytes[16];
};

enum cuda_code {
	CUDA_OK = 0,
	CUDA_INVALID_VALUE = 1,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_STUB_LIBRARY = 34,
	CUDA_DEVICE_UNAVAILABLE = 46,
	CUDA_NO_DEVICE = 100,
	CUDA_INVALID_DEVICE = 101,
	CUDA_NO_BINARY = 209,
	CUDA_INVALID_PTX = 218,
	CUDA_JIT_COMPILER_NOT_FOUND = 221,
	CUDA_UNSUPPORTED_PTX_VERSION = 222,
	CUDA_NOT_FOUND = 500,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_PEER_ALREADY_ENABLED = 704,
	CUDA_NOT_SUPPORTED = 801,
	CUDA_SYSTEM_NOT_READY = 802,
	CUDA_DRIVER_MISMATCH = 803,
	CUDA_COMPAT_NOT_SUPPORTED = 804,
	CUDA_UNKNOWN = 999
};

enum cuda_attribute {
	CUDA_ATTRIBUTE_CLOCK_KHZ = 13,
	CUDA_ATTRIBUTE_MULTIPROCESSORS = 16,
	CUDA_ATTRIBUTE_ECC = 32,
	CUDA_ATTRIBUTE_L2_BYTES = 38,
	CUDA_ATTRIBUTE_CAPABILITY_MAJOR = 75,
	CUDA_ATTRIBUTE_CAPABILITY_MINOR = 76
};

enum {
	CUDA_STREAM_NON_BLOCKING = 1,
	CUDA_JIT_ERROR_LOG = 5,
	CUDA_JIT_ERROR_LOG_BYTES = 6,
	CUDA_CAPTURE_THREAD_LOCAL = 1,
	CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8,
	CUDA_SCHEDULE_SPIN = 1
};

typedef uint64_t cuda_pointer; /* an address in the device's memory */

struct cuda_driver {
	void *handle;
	char path[DEVICE_TEXT_MAX];
	int version; /* 12040: supports CUDA up to 12.4 */

	int (*init)(unsigned flags);
	int (*driver_version)(int *version);
	int (*error_name)(int code, const char **name);
	int (*error_string)(int code, const char **text);

	int (*device_count)(int *count);
	int (*device_get)(int *device, int ordinal);
	int (*device_name)(char *name, int size, int device);
	int (*device_uuid)(struct cuda_uuid *uuid, int device);    /* of the whole board, also for a slice */
	int (*device_uuid_v2)(struct cuda_uuid *uuid, int device); /* of the slice; optional */
	int (*device_memory)(size_t *bytes, int device);
	int (*device_attribute)(int *value, int attribute, int device);
	int (*device_pci_bus)(char *text, int size, int device);
	int (*primary_retain)(struct cuda_context **context, int device);
	int (*primary_release)(int device);
	int (*primary_flags)(int device, unsigned flags); /* optional */
	int (*context_set)(struct cuda_context *context);
	int (*context_synchronize)(void);

	int (*memory_info)(size_t *free_bytes, size_t *total_bytes);
	int (*memory_new)(cuda_pointer *pointer, size_t bytes);
	int (*memory_free)(cuda_pointer pointer);
	int (*host_new)(void **memory, size_t bytes, unsigned flags);
	int (*host_free)(void *memory);
	int (*copy_in)(cuda_pointer to, const void *from, size_t bytes);
	int (*copy_out)(void *to, cuda_pointer from, size_t bytes);
	int (*copy_in_async)(cuda_pointer to, const void *from, size_t bytes, struct cuda_stream *stream);
	int (*copy_out_async)(void *to, cuda_pointer from, size_t bytes, struct cuda_stream *stream);
	int (*copy_within_async)(cuda_pointer to, cuda_pointer from, size_t bytes, struct cuda_stream *stream);
	int (*copy_peer_async)(cuda_pointer to, struct cuda_context *to_context, cuda_pointer from, struct cuda_context *from_context,
		size_t bytes, struct cuda_stream *stream); /* optional */
	int (*fill_bytes_async)(cuda_pointer to, unsigned char value, size_t count, struct cuda_stream *stream);
	int (*can_access_peer)(int *yes, int device, int peer); /* optional, as is the next */
	int (*enable_peer)(struct cuda_context *peer, unsigned flags);

	int (*module_load)(struct cuda_module **module, const void *image, unsigned option_count, int *options, void **values);
	int (*module_function)(struct cuda_function **function, struct cuda_module *module, const char *name);
	int (*module_unload)(struct cuda_module *module);
	int (*function_set)(struct cuda_function *function, int attribute, int value); /* optional */
	int (*launch)(struct cuda_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
		unsigned block_z, unsigned shared_bytes, struct cuda_stream *stream, void **arguments, void **extra);

	int (*stream_new)(struct cuda_stream **stream, unsigned flags);
	int (*stream_free)(struct cuda_stream *stream);
	int (*stream_synchronize)(struct cuda_stream *stream);
	int (*stream_wait_event)(struct cuda_stream *stream, struct cuda_event *event, unsigned flags);
	int (*event_new)(struct cuda_event **event, unsigned flags);
	int (*event_free)(struct cuda_event *event);
	int (*event_record)(struct cuda_event *event, struct cuda_stream *stream);
	int (*event_synchronize)(struct cuda_event *event);
	int (*event_elapsed_ms)(float *elapsed_ms, struct cuda_event *from, struct cuda_event *to);

	/* All optional. */
	int (*capture_begin)(struct cuda_stream *stream, int mode);
	int (*capture_end)(struct cuda_stream *stream, struct cuda_graph **graph);
	int (*graph_instantiate)(struct cuda_graph_exec **exec, struct cuda_graph *graph, unsigned long long flags);
	int (*graph_launch)(struct cuda_graph_exec *exec, struct cuda_stream *stream);
	int (*graph_exec_free)(struct cuda_graph_exec *exec);
	int (*graph_free)(struct cuda_graph *graph);
};

/* Loads and starts the driver. It stays loaded until the process ends, since it has its own threads. Returns
 * BENCH_UNSUPPORTED, with a reason that says what to do, if there is no driver, only a stub (34), no device (100),
 * or a driver that does not match its kernel module (803, 999 ...). Any other code is BENCH_FAILED. */
enum bench_outcome cuda_driver_open(struct cuda_driver *driver, struct bench_reason *reason);

/* Returns BENCH_OK for CUDA_OK, else BENCH_FAILED with "WHAT: CUDA_ERROR_NAME (code): text". */
enum bench_outcome cuda_driver_judge(const struct cuda_driver *driver, int code, const char *what, struct bench_reason *reason);
const char *cuda_driver_code_name(const struct cuda_driver *driver, int code); /* never NULL */

#endif
