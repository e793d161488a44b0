#include "bench/suite/suite_tests.h"

#include "base/status.h"

#define ONE(method) \
	{ \
		METHOD_##method, METHOD_##method \
	}
#define EITHER(first, second) \
	{ \
		METHOD_##first, METHOD_##second \
	}
#define NONE PRECISION_UNSET

/* Slices follow the shares of a plan's bottlenecks: products get the most. The tests run in this order. Streams are
 * before the products, which heat the device. The block is before its parts, because its figure is the most
 * important one. The host's storage and decoding are last. Columns: name, bottleneck, methods, work, precision,
 * unit, seconds in quick and full, repeats, cold, runner. */
const struct bench_test bench_tests[] = {
	{"launch_round_trip", "launch_overhead", EITHER(DRIVER_LAUNCH, THREAD_WAKE), WORK_LAUNCH, NONE, UNIT_SECONDS, 0.2, 1, true, false,
		test_work},
	{"launch_pipelined", "launch_overhead", EITHER(DRIVER_LAUNCH, THREAD_WAKE), WORK_LAUNCH_PIPELINED, NONE, UNIT_SECONDS, 0.1, 0.5, true,
		false, test_work},
	{"launch_graph", "launch_overhead", EITHER(DRIVER_LAUNCH, THREAD_WAKE), WORK_LAUNCH_GRAPH, NONE, UNIT_SECONDS, 0.1, 0.5, true, false,
		test_work},
	{"stream_read", "memory_bandwidth", ONE(STREAM), WORK_STREAM_READ, NONE, UNIT_BYTES_PER_S, 0.3, 2, false, false, test_work},
	{"stream_copy", "memory_bandwidth", ONE(STREAM), WORK_STREAM_COPY, NONE, UNIT_BYTES_PER_S, 0.3, 2, false, false, test_work},
	{"stream_triad", "memory_bandwidth", ONE(STREAM), WORK_STREAM_TRIAD, NONE, UNIT_BYTES_PER_S, 0.4, 2, true, false, test_work},
	{"elementwise", "memory_bandwidth", ONE(STREAM), WORK_ELEMENTWISE, NONE, UNIT_BYTES_PER_S, 0, 1, false, false, test_elements},
	{"transfer_pinned", "host_transfer", ONE(COPY_ENGINE), WORK_TRANSFER, NONE, UNIT_BYTES_PER_S, 0.6, 7, true, false, test_transfers},
	{"transfer_pageable", "host_transfer", ONE(COPY_ENGINE), WORK_TRANSFER, NONE, UNIT_BYTES_PER_S, 0.2, 2, false, false, test_pageable},
	{"issue_rate_fp32", "compute", ONE(ISSUE_RATE), WORK_ISSUE_RATE, PRECISION_FP32, UNIT_FLOPS_PER_S, 0.3, 1, false, false, test_work},
	{"issue_rate_bf16", "compute", ONE(ISSUE_RATE), WORK_ISSUE_RATE, PRECISION_BF16, UNIT_FLOPS_PER_S, 0.1, 1, false, false, test_work},
	{"block_step", "step_time", ONE(SEQUENCE), WORK_SEQUENCE, NONE, UNIT_SECONDS, 1.2, 12, true, false, test_block},
	{"gemm_library_bf16", "compute", ONE(LIBRARY_GEMM), WORK_GEMM, PRECISION_BF16, UNIT_FLOPS_PER_S, 1.8, 16, true, true, test_products},
	{"gemm_library_fp16", "compute", ONE(LIBRARY_GEMM), WORK_GEMM, PRECISION_FP16, UNIT_FLOPS_PER_S, 0.4, 6, true, true, test_products},
	{"gemm_library_fp8", "compute", ONE(LIBRARY_GEMM), WORK_GEMM, PRECISION_FP8, UNIT_FLOPS_PER_S, 0.4, 8, true, true, test_products},
	{"gemm_library_tf32", "compute", ONE(LIBRARY_GEMM), WORK_GEMM, PRECISION_TF32, UNIT_FLOPS_PER_S, 0.2, 3, true, true, test_products},
	{"gemm_library_fp32", "compute", ONE(LIBRARY_GEMM), WORK_GEMM, PRECISION_FP32, UNIT_FLOPS_PER_S, 0.6, 5, true, true, test_products},
	{"gemm_kernel_bf16", "compute", ONE(KERNEL_GEMM), WORK_GEMM, PRECISION_BF16, UNIT_FLOPS_PER_S, 0.1, 1, false, true, test_products},
	{"gemm_kernel_fp32", "compute", ONE(KERNEL_GEMM), WORK_GEMM, PRECISION_FP32, UNIT_FLOPS_PER_S, 0.3, 2, false, true, test_products},
	{"gemm_sustained", "compute", EITHER(LIBRARY_GEMM, KERNEL_GEMM), WORK_GEMM, NONE, UNIT_FLOPS_PER_S, 0, 17, false, false, test_sustained},
	{"attention", "compute", EITHER(LIBRARY_ATTENTION, KERNEL_ATTENTION), WORK_ATTENTION, NONE, UNIT_FLOPS_PER_S, 0.6, 5, false, false,
		test_attention},
	{"kv_read", "memory_bandwidth", ONE(STREAM), WORK_KV_READ, NONE, UNIT_BYTES_PER_S, 0.2, 3, false, false, test_kv_read},
	{"peer_copy", "communication", ONE(COPY_ENGINE), WORK_PEER_COPY, NONE, UNIT_BYTES_PER_S, 0, 3, false, false, test_peers},
	{"all_reduce", "communication", ONE(COLLECTIVE_LIBRARY), WORK_ALL_REDUCE, NONE, UNIT_BYTES_PER_S, 0, 7, true, false, test_all_reduce},
	{"storage_sequential", "input", ONE(FILE_READ), WORK_KIND_COUNT, NONE, UNIT_BYTES_PER_S, 0.5, 3, true, false, test_storage},
	{"storage_random", "input", ONE(FILE_READ), WORK_KIND_COUNT, NONE, UNIT_BYTES_PER_S, 0.5, 2, false, false, test_storage},
	{"decode_inflate", "input", ONE(DECODE), WORK_KIND_COUNT, NONE, UNIT_BYTES_PER_S, 0.2, 1, false, false, test_decode},
	{"decode_jpeg", "input", ONE(DECODE), WORK_KIND_COUNT, NONE, UNIT_PER_S, 0.2, 1, false, false, test_decode},
};
const size_t bench_test_count = COUNT_OF(bench_tests);

_Static_assert(COUNT_OF(bench_tests) <= BENCH_TESTS_MAX, "a plan must be able to hold every test");
