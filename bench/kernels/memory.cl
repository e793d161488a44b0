/* Launches, fills, and streams over memory in vectors of 16 bytes. */

/* An empty launch. It writes `value` unless that is 0; a check uses this to prove that the kernel ran. */
KERNEL void launch_empty(__global uint *out, uint value)
{
	if (value && local_x() == 0)
		out[group_x()] = value;
}

/* Writes poison before a check. Between cold runs it evicts all other data from the caches. */
KERNEL void fill_word(__global uint4 *out, uint word, ulong vectors)
{
	for (ulong i = item_first(); i < vectors; i += item_stride())
		out[i] = (uint4)(word, word, word, word);
}

/* Floats in [1, 2) with 20 random bits of mantissa, so sums of a few are exact. They repeat every PATTERN_PERIOD. */
#define PATTERN_PERIOD (1u << 20)

KERNEL void fill_pattern(__global float *out, ulong count)
{
	for (ulong i = item_first(); i < count; i += item_stride())
		out[i] = as_float(0x3f800000u | (uint)(random_draw(0, i % PATTERN_PERIOD) >> 44) << 3);
}

/* Near-normal numbers with mean 0 and variance 1: the scaled sum of four uniform 16-bit numbers from one draw. */
INLINE float normal_draw(ulong seed, ulong i)
{
	ulong bits = random_draw(seed, i);
	ulong sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);

	return ((float)sum * 0x1p-16f - 1.99996948f) * 1.7320508f;
}

INLINE void fill_normal(__global void *out, ulong count, ulong seed, enum format format)
{
	for (ulong i = item_first(); i < count; i += item_stride())
		element_store(out, i, normal_draw(seed, i), format);
}

KERNEL void fill_normal_fp32(__global float *out, ulong count, ulong seed)
{
	fill_normal(out, count, seed, FP32);
}

KERNEL void fill_normal_bf16(__global ushort *out, ulong count, ulong seed)
{
	fill_normal(out, count, seed, BF16);
}

KERNEL void fill_normal_fp16(__global ushort *out, ulong count, ulong seed)
{
	fill_normal(out, count, seed, FP16);
}

/* out[group] = the sum, modulo 2^32, of the words that the group read; exact in any order. */
KERNEL void stream_read(__global uint *out, const __global uint4 *in, ulong vectors)
{
	__local uint sums[GROUP];
	ulong stride = item_stride(), i = item_first();
	uint4 sum = (uint4)(0, 0, 0, 0);

	for (; i + 3 * stride < vectors; i += 4 * stride) {
		uint4 a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];

		sum += (a + b) + (c + d);
	}
	for (; i < vectors; i += stride)
		sum += in[i];
	sums[local_x()] = sum.x + sum.y + sum.z + sum.w;
	for (uint half_way = GROUP / 2; half_way > 0; half_way /= 2) {
		group_barrier();
		if (local_x() < half_way)
			sums[local_x()] += sums[local_x() + half_way];
	}
	if (local_x() == 0)
		out[group_x()] = sums[0];
}

/* Each work-item of the following kernels has four loads in flight: with one, a fast memory would wait. */
KERNEL void stream_copy(__global uint4 *out, const __global uint4 *in, ulong vectors)
{
	ulong stride = item_stride(), i = item_first();

	for (; i + 3 * stride < vectors; i += 4 * stride) {
		uint4 a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];

		out[i] = a;
		out[i + stride] = b;
		out[i + 2 * stride] = c;
		out[i + 3 * stride] = d;
	}
	for (; i < vectors; i += stride)
		out[i] = in[i];
}

KERNEL void stream_triad(__global float4 *out, const __global float4 *b, const __global float4 *c, float scalar, ulong vectors)
{
	ulong stride = item_stride(), i = item_first();

	for (; i + stride < vectors; i += 2 * stride) {
		float4 b0 = b[i], c0 = c[i], b1 = b[i + stride], c1 = c[i + stride];

		out[i] = b0 + scalar * c0;
		out[i + stride] = b1 + scalar * c1;
	}
	if (i < vectors)
		out[i] = b[i] + scalar * c[i];
}

KERNEL void elementwise(__global float4 *out, const __global float4 *in, float scalar, ulong vectors)
{
	ulong stride = item_stride(), i = item_first();

	for (; i + 3 * stride < vectors; i += 4 * stride) {
		float4 a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];

		out[i] = a * scalar + 1.0f;
		out[i + stride] = b * scalar + 1.0f;
		out[i + 2 * stride] = c * scalar + 1.0f;
		out[i + 3 * stride] = d * scalar + 1.0f;
	}
	for (; i < vectors; i += stride)
		out[i] = in[i] * scalar + 1.0f;
}
