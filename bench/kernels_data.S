# The kernels that the program carries: source for OpenCL's drivers, PTX for CUDA's.
# embeds: bench/kernels/common.cl
# embeds: bench/kernels/memory.cl
# embeds: bench/kernels/issue.cl
# embeds: bench/kernels/gemm.cl
# embeds: bench/kernels/attention.cl
# embeds: bench/kernels/cache.cl
# embeds: bench/kernels/sm_60.ptx
# embeds: bench/kernels/sm_80.ptx
	.section .rodata

	.macro embed name, path
	.global kernel_\name
kernel_\name:
	.incbin "\path"
	.byte 0
	.endm

	embed source_common, "bench/kernels/common.cl"
	embed source_memory, "bench/kernels/memory.cl"
	embed source_issue, "bench/kernels/issue.cl"
	embed source_gemm, "bench/kernels/gemm.cl"
	embed source_attention, "bench/kernels/attention.cl"
	embed source_cache, "bench/kernels/cache.cl"
	embed ptx_sm_60, "bench/kernels/sm_60.ptx"
	embed ptx_sm_80, "bench/kernels/sm_80.ptx"

	.section .note.GNU-stack,"",@progbits
