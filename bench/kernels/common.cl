/* Kernels that measure a device, in OpenCL C 1.2. The files of this folder form one program, in the order of
 * bench/kernels.h. OpenCL drivers compile it when a benchmark runs; clang compiles it to PTX ahead of time (`make
 * ptx`).
 *
 * Every work-group has 256 work-items in one dimension. Kernels check all bounds: sizes need not be multiples of
 * anything. clang has no OpenCL library for PTX, so a kernel may call only functions defined here and operators of
 * the language. */
#pragma OPENCL FP_CONTRACT ON

#define GROUP 256
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define INLINE static inline __attribute__((always_inline))

#ifdef __NVPTX__
#define local_x() ((uint)__nvvm_read_ptx_sreg_tid_x())
#define group_x() ((uint)__nvvm_read_ptx_sreg_ctaid_x())
#define group_y() ((uint)__nvvm_read_ptx_sreg_ctaid_y())
#define group_z() ((uint)__nvvm_read_ptx_sreg_ctaid_z())
#define groups_x() ((uint)__nvvm_read_ptx_sreg_nctaid_x())
#define group_barrier() __syncthreads()
#define power_of_two(x) __nvvm_ex2_approx_f(x)
#else
#define local_x() ((uint)get_local_id(0))
#define group_x() ((uint)get_group_id(0))
#define group_y() ((uint)get_group_id(1))
#define group_z() ((uint)get_group_id(2))
#define groups_x() ((uint)get_num_groups(0))
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define power_of_two(x) exp2(x)
#endif

/* The first element of a work-item in a list, and the distance to its next element. */
#define item_first() ((ulong)group_x() * GROUP + local_x())
#define item_stride() ((ulong)groups_x() * GROUP)

/* Number formats of an operand. Arithmetic is in fp32 for every format. */
enum format { FP32, BF16, FP16 };

INLINE float half_decode(ushort bits)
{
#ifdef __NVPTX__
	float value;

	__asm__("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
	return value;
#else
	return vload_half(0, (const half *)&bits);
#endif
}

INLINE ushort half_encode(float value)
{
	ushort bits;

#ifdef __NVPTX__
	__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
	vstore_half_rte(value, 0, (half *)&bits);
#endif
	return bits;
}

/* Rounds to nearest, ties to even; finite values only. */
INLINE ushort bfloat_encode(float value)
{
	uint bits = as_uint(value);

	return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

INLINE float element_load(const __global void *elements, ulong i, enum format format)
{
	if (format == FP32)
		return ((const __global float *)elements)[i];
	if (format == BF16)
		return as_float((uint)((const __global ushort *)elements)[i] << 16);
	return half_decode(((const __global ushort *)elements)[i]);
}

INLINE void element_store(__global void *elements, ulong i, float value, enum format format)
{
	if (format == FP32)
		((__global float *)elements)[i] = value;
	else
		((__global ushort *)elements)[i] = format == BF16 ? bfloat_encode(value) : half_encode(value);
}

/* SplitMix64 (Steele, Lea, Flood 2014): number i of a seed's sequence. */
INLINE ulong random_draw(ulong seed, ulong i)
{
	ulong z = seed + (i + 1) * 0x9e3779b97f4a7c15UL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9UL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebUL;
	return z ^ z >> 31;
}
