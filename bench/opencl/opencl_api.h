/* OpenCL as this program uses it: own declarations of version 1.2, bound at run time to libOpenCL.so.1.
 *
 * Numbers and layouts are those of the Khronos headers (cl.h, cl_ext.h). Each kind of object is a pointer to its own
 * struct type, so the compiler distinguishes a queue from a buffer. Functions return 0 or a negative code. */
#ifndef FLEETPLAN_BENCH_OPENCL_OPENCL_API_H
#define FLEETPLAN_BENCH_OPENCL_OPENCL_API_H

#include "bench/backend.h"

struct opencl_platform;
struct opencl_device;
struct opencl_context;
struct opencl_queue;
struct opencl_program;
struct opencl_kernel;
struct opencl_memory;
struct opencl_event;

enum { CL_SUCCESS = 0, CL_DEVICE_NOT_FOUND = -1, CL_OUT_OF_MEMORY = -4, CL_BUILD_FAILURE = -11, CL_NO_PLATFORM = -1001 };
enum { CL_TYPE_CPU = 1 << 1, CL_TYPE_GPU = 1 << 2, CL_TYPE_ACCELERATOR = 1 << 3 };
enum { CL_PLATFORM_VERSION = 0x0901, CL_PLATFORM_NAME = 0x0902 };
enum {
	CL_DEVICE_TYPE = 0x1000,
	CL_DEVICE_VENDOR_ID = 0x1001,
	CL_DEVICE_COMPUTE_UNITS = 0x1002,
	CL_DEVICE_GROUP_SIZE = 0x1004,
	CL_DEVICE_CLOCK_MHZ = 0x100C,
	CL_DEVICE_ALLOCATION_BYTES = 0x1010,
	CL_DEVICE_CACHE_BYTES = 0x101E,
	CL_DEVICE_MEMORY_BYTES = 0x101F,
	CL_DEVICE_ERROR_CORRECTION = 0x1024,
	CL_DEVICE_AVAILABLE = 0x1027,
	CL_DEVICE_COMPILER = 0x1028,
	CL_DEVICE_NAME = 0x102B,
	CL_DEVICE_VENDOR = 0x102C,
	CL_DEVICE_DRIVER = 0x102D,
	CL_DEVICE_VERSION = 0x102F,
	CL_DEVICE_EXTENSIONS = 0x1030,
	CL_DEVICE_UUID_KHR = 0x106A, /* cl_khr_device_uuid: 16 bytes */
	CL_DEVICE_CAPABILITY_MAJOR_NV = 0x4000,
	CL_DEVICE_CAPABILITY_MINOR_NV = 0x4001,
	CL_DEVICE_PCI_BUS_NV = 0x4008,
	CL_DEVICE_PCI_SLOT_NV = 0x4009, /* device * 8 + function */
	CL_DEVICE_PCI_DOMAIN_NV = 0x400A,
	CL_DEVICE_TOPOLOGY_AMD = 0x4037,
	CL_DEVICE_BOARD_NAME_AMD = 0x4038,
	CL_DEVICE_PCI_BUS_INFO_KHR = 0x410F, /* cl_khr_pci_bus_info: domain, bus, device, function */
};
enum { CL_QUEUE_PROFILING = 1 << 1 };
enum { CL_MEM_READ_WRITE = 1, CL_MEM_ALLOC_HOST_PTR = 1 << 4 };
enum { CL_MAP_READ = 1, CL_MAP_WRITE = 2 };
enum { CL_BUILD_LOG = 0x1183 };
enum { CL_PROFILING_START = 0x1282, CL_PROFILING_END = 0x1283 };

struct opencl_api {
	int (*platforms)(unsigned capacity, struct opencl_platform **platforms, unsigned *count);
	int (*platform_info)(struct opencl_platform *platform, unsigned what, size_t size, void *out, size_t *used);
	int (*devices)(struct opencl_platform *platform, uint64_t types, unsigned capacity, struct opencl_device **devices, unsigned *count);
	int (*device_info)(struct opencl_device *device, unsigned what, size_t size, void *out, size_t *used);
	struct opencl_context *(*context_create)(const intptr_t *properties, unsigned count, struct opencl_device *const *devices,
		void (*notify)(const char *, const void *, size_t, void *), void *context, int *code);
	int (*context_release)(struct opencl_context *context);
	struct opencl_queue *(*queue_create)(struct opencl_context *context, struct opencl_device *device, uint64_t properties, int *code);
	int (*queue_release)(struct opencl_queue *queue);
	struct opencl_program *(*program_create)(
		struct opencl_context *context, unsigned count, const char **texts, const size_t *lengths, int *code);
	int (*program_build)(struct opencl_program *program, unsigned count, struct opencl_device *const *devices, const char *options,
		void (*notify)(struct opencl_program *, void *), void *context);
	int (*program_build_info)(
		struct opencl_program *program, struct opencl_device *device, unsigned what, size_t size, void *out, size_t *used);
	int (*program_release)(struct opencl_program *program);
	struct opencl_kernel *(*kernel_create)(struct opencl_program *program, const char *name, int *code);
	int (*kernel_argument)(struct opencl_kernel *kernel, unsigned index, size_t size, const void *value);
	int (*kernel_release)(struct opencl_kernel *kernel);
	struct opencl_memory *(*buffer_create)(struct opencl_context *context, uint64_t flags, size_t bytes, void *host, int *code);
	int (*buffer_release)(struct opencl_memory *buffer);
	int (*launch)(struct opencl_queue *queue, struct opencl_kernel *kernel, unsigned dimensions, const size_t *offset, const size_t *global,
		const size_t *local, unsigned waits, struct opencl_event *const *wait, struct opencl_event **event);
	int (*read)(struct opencl_queue *queue, struct opencl_memory *buffer, unsigned blocking, size_t offset, size_t bytes, void *out,
		unsigned waits, struct opencl_event *const *wait, struct opencl_event **event);
	int (*write)(struct opencl_queue *queue, struct opencl_memory *buffer, unsigned blocking, size_t offset, size_t bytes, const void *in,
		unsigned waits, struct opencl_event *const *wait, struct opencl_event **event);
	void *(*map)(struct opencl_queue *queue, struct opencl_memory *buffer, unsigned blocking, uint64_t flags, size_t offset, size_t bytes,
		unsigned waits, struct opencl_event *const *wait, struct opencl_event **event, int *code);
	int (*unmap)(struct opencl_queue *queue, struct opencl_memory *buffer, void *mapped, unsigned waits, struct opencl_event *const *wait,
		struct opencl_event **event);
	int (*flush)(struct opencl_queue *queue);
	int (*finish)(struct opencl_queue *queue);
	int (*event_profile)(struct opencl_event *event, unsigned what, size_t size, void *out, size_t *used);
	int (*event_release)(struct opencl_event *event);
};

/* Opens the library once for the lifetime of the process: drivers crash when they are unloaded. Not thread-safe.
 * Returns BENCH_UNSUPPORTED with the reason if there is no library or it lacks a function. */
enum bench_outcome opencl_api_open(const struct opencl_api **api, struct bench_reason *reason);

/* "CL_OUT_OF_RESOURCES (-5)". */
const char *opencl_error_text(int code, char out[48]);

/* Writes the failed action and the code as the reason. Returns BENCH_FAILED, or BENCH_UNSUPPORTED if the code says
 * that the device cannot do it. */
enum bench_outcome opencl_refuse(struct bench_reason *reason, const char *tried, int code);

#endif
