/* Emulates the tensor instructions of NVIDIA's PTX manual (cp.async, ldmatrix, mma.sync.m16n8k16) on a device without
 * them. The work-items of a warp exchange their values through local memory. With this file bench/kernels/tensor.cl
 * runs without a GPU. */
#define UNROLL
#define TENSOR_EXCHANGE __local ulong exchange[GROUP * 3];
#define TENSOR_EXCHANGE_ARGUMENT , __local ulong *exchange
#define TENSOR_EXCHANGE_VALUE , exchange

INLINE void tensor_copy(__local uchar *to, const __global uchar *from, uint bytes)
{
	for (uint i = 0; i < 16; i++)
		to[i] = i < bytes ? from[i] : (uchar)0;
}

INLINE void tensor_copy_commit(void)
{
}

INLINE void tensor_copy_wait(void)
{
}

INLINE void tensor_fetch(uint *registers, const __local uchar *row, bool transposed, __local ulong *exchange)
{
	uint first = local_x() / 32 * 32, lane = local_x() % 32, down = lane / 4, across = lane % 4 * 2;

	exchange[local_x()] = (ulong)row;
	group_barrier();
	for (uint j = 0; j < 4; j++) {
		uint rows = first + j * 8;
		const __local ushort *one = (const __local ushort *)exchange[rows + (transposed ? across : down)];
		const __local ushort *other = (const __local ushort *)exchange[rows + (transposed ? across + 1 : down)];

		registers[j] = one[transposed ? down : across] | (uint)other[transposed ? down : across + 1] << 16;
	}
	group_barrier();
}

INLINE float tensor_element(uint word, uint half_of_it, enum format format)
{
	ushort bits = (ushort)(half_of_it ? word >> 16 : word);

	return format == BF16 ? as_float((uint)bits << 16) : half_decode(bits);
}

INLINE void tensor_multiply(float *sums, const uint *a, const uint *b, enum format format, __local ulong *exchange)
{
	__local uint *words = (__local uint *)exchange;
	uint first = local_x() / 32 * 32, lane = local_x() % 32;

	for (uint r = 0; r < 4; r++)
		words[local_x() * 6 + r] = a[r];
	for (uint r = 0; r < 2; r++)
		words[local_x() * 6 + 4 + r] = b[r];
	group_barrier();
	for (uint e = 0; e < 4; e++) {
		uint row = lane / 4 + e / 2 * 8, column = lane % 4 * 2 + e % 2;

		for (uint p = 0; p < 16; p++) {
			uint holder_a = first + row % 8 * 4 + p % 8 / 2, holder_b = first + column * 4 + p % 8 / 2;

			sums[e] += tensor_element(words[holder_a * 6 + row / 8 + p / 8 * 2], p % 2, format) *
				tensor_element(words[holder_b * 6 + 4 + p / 8], p % 2, format);
		}
	}
	group_barrier();
}

INLINE float tensor_other(float value, uint mask, __local ulong *exchange)
{
	__local float *values = (__local float *)exchange;

	values[local_x()] = value;
	group_barrier();
	value = values[local_x() ^ mask];
	group_barrier();
	return value;
}
