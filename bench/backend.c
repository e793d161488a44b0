#include "bench/backend.h"

#include <stdarg.h>

const struct bench_backend *const bench_backends[] = {&bench_cpu_backend, &bench_cuda_backend, &bench_opencl_backend, NULL};

static const char *const kind_names[WORK_KIND_COUNT] = {
	[WORK_LAUNCH] = "launch",
	[WORK_LAUNCH_PIPELINED] = "launch_pipelined",
	[WORK_LAUNCH_GRAPH] = "launch_graph",
	[WORK_STREAM_READ] = "stream_read",
	[WORK_STREAM_COPY] = "stream_copy",
	[WORK_STREAM_TRIAD] = "stream_triad",
	[WORK_TRANSFER] = "transfer",
	[WORK_ISSUE_RATE] = "issue_rate",
	[WORK_GEMM] = "gemm",
	[WORK_ATTENTION] = "attention",
	[WORK_KV_READ] = "kv_read",
	[WORK_ELEMENTWISE] = "elementwise",
	[WORK_SEQUENCE] = "sequence",
	[WORK_PEER_COPY] = "peer_copy",
	[WORK_ALL_REDUCE] = "all_reduce",
};

static const char *const method_names[METHOD_COUNT] = {
	[METHOD_THREAD_WAKE] = "thread_wake",
	[METHOD_DRIVER_LAUNCH] = "driver_launch",
	[METHOD_STREAM] = "stream",
	[METHOD_COPY_ENGINE] = "copy_engine",
	[METHOD_ISSUE_RATE] = "issue_rate",
	[METHOD_KERNEL_GEMM] = "kernel_gemm",
	[METHOD_LIBRARY_GEMM] = "library_gemm",
	[METHOD_KERNEL_ATTENTION] = "kernel_attention",
	[METHOD_LIBRARY_ATTENTION] = "library_attention",
	[METHOD_SEQUENCE] = "sequence",
	[METHOD_COLLECTIVE_LIBRARY] = "collective_library",
	[METHOD_MODEL] = "model",
	[METHOD_FILE_READ] = "file_read",
	[METHOD_DECODE] = "decode",
};

static const char *const direction_names[DIRECTION_COUNT] = {
	[DIRECTION_TO_DEVICE] = "to_device",
	[DIRECTION_FROM_DEVICE] = "from_device",
	[DIRECTION_BOTH] = "both",
};

const char *bench_work_kind_name(enum bench_work_kind kind)
{
	return kind_names[kind];
}

const char *bench_direction_name(enum bench_direction direction)
{
	return direction_names[direction];
}

const char *bench_method_name(enum bench_method method)
{
	return method_names[method];
}

enum bench_outcome bench_refuse(struct bench_reason *reason, enum bench_outcome outcome, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
	return outcome;
}
