#include "bench/backend.h"

#include <stdarg.h>

const struct bench_backend *const bench_backends[] = {&bench_cpu_backend, NULL};

static const char *const method_names[METHOD_COUNT] = {
	[METHOD_THREAD_WAKE] = "thread_wake",
	[METHOD_STREAM] = "stream",
	[METHOD_ISSUE_RATE] = "issue_rate",
	[METHOD_KERNEL_GEMM] = "kernel_gemm",
	[METHOD_LIBRARY_GEMM] = "library_gemm",
};

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
