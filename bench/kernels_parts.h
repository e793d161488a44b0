/* Internal to bench/kernels: the texts that bench/kernels_data.S embeds. Each ends with a NUL. */
#ifndef FLEETPLAN_BENCH_KERNELS_PARTS_H
#define FLEETPLAN_BENCH_KERNELS_PARTS_H

extern const char kernel_source_common[], kernel_source_memory[], kernel_source_issue[], kernel_source_gemm[], kernel_source_attention[],
	kernel_source_cache[];
extern const char kernel_ptx_sm_60[], kernel_ptx_sm_80[];

#endif
