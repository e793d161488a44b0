/* Matrix products by tensor instructions (compute capability 8.0 and above), in bf16 and fp16 with fp32 sums, and the
 * issue rate of these instructions.
 *
 * A group of 8 warps computes a tile of 128 x 128 of C; each warp computes 64 x 32 of it. Tiles of A and B, 32 deep
 * in the summed index, have the same layout in local memory as in global memory. There are three stages: one is
 * multiplied while two are being loaded. Chunks of 16 bytes are permuted within their rows, so that the eight rows
 * of a fragment are in different banks. */
#define TENSOR_TILE 128
#define TENSOR_DEPTH 32
#define TENSOR_STAGES 3
#define TENSOR_TILE_BYTES (TENSOR_TILE * TENSOR_DEPTH * 2)
#define TENSOR_LOADS (TENSOR_TILE_BYTES / 16 / GROUP)

#ifdef __NVPTX__
#define UNROLL _Pragma("unroll")
/* Used only by the emulation of these instructions: it passes values between work-items through local memory. */
#define TENSOR_EXCHANGE
#define TENSOR_EXCHANGE_ARGUMENT
#define TENSOR_EXCHANGE_VALUE

/* Copies 16 bytes to local memory: reads the first `bytes` and sets the rest to 0. */
INLINE void tensor_copy(__local uchar *to, const __global uchar *from, uint bytes)
{
	__asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"((uint)(ulong)to), "l"(from), "r"(bytes) : "memory");
}

INLINE void tensor_copy_commit(void)
{
	__asm__ volatile("cp.async.commit_group;" : : : "memory");
}

/* Waits for all copies except those of the last commit. */
INLINE void tensor_copy_wait(void)
{
	__asm__ volatile("cp.async.wait_group 1;" : : : "memory");
}

/* Loads four matrices of 8 x 8. Work-item t of a warp gives the address of row t % 8 of matrix t / 8. Its register j
 * receives elements 2 (t % 4) and 2 (t % 4) + 1 of row t / 4 of matrix j, or of column t / 4 if transposed. */
INLINE void tensor_fetch(uint *registers, const __local uchar *row, bool transposed TENSOR_EXCHANGE_ARGUMENT)
{
	uint address = (uint)(ulong)row;

	if (transposed)
		__asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
			: "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3]) : "r"(address) : "memory");
	else
		__asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			: "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3]) : "r"(address) : "memory");
}

/* D += A B, with A of 16 x 16 and B of 16 x 8. Register j of A contains rows from 8 (j % 2) and depths from 8 (j /
 * 2); register j of B contains depths from 8 j. */
INLINE void tensor_multiply(float *sums, const uint *a, const uint *b, enum format format TENSOR_EXCHANGE_ARGUMENT)
{
	if (format == BF16)
		__asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			: "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
			: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	else
		__asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			: "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
			: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

/* One operand of 16-bit elements. along_depth: the summed index is contiguous, and a row of `pitch` elements is a
 * row (or column) of C; otherwise it is one depth. */
struct tensor_operand {
	const __global ushort *elements;
	uint extent, depth;
	ulong pitch;
	bool along_depth, aligned;
};

/* Byte offset of element (i, p) in a tile; i or p, the contiguous one, is a multiple of 8. */
INLINE uint tensor_place(bool along_depth, uint i, uint p)
{
	return along_depth ? i * 64 + ((p / 8) ^ (i / 2 % 4)) * 16 : p * 256 + ((i / 8) ^ (p % 8)) * 16;
}

INLINE void tensor_load(const struct tensor_operand *operand, uint first_i, uint first_p, __local uchar *tile)
{
	UNROLL
	for (uint load = 0; load < TENSOR_LOADS; load++) {
		uint chunk = load * GROUP + local_x();
		uint i = operand->along_depth ? chunk / 4 : chunk % 16 * 8, p = operand->along_depth ? chunk % 4 * 8 : chunk / 16;
		uint row = operand->along_depth ? first_i + i : first_p + p, column = operand->along_depth ? first_p + p : first_i + i;
		uint rows = operand->along_depth ? operand->extent : operand->depth, columns = operand->along_depth ? operand->depth : operand->extent;
		uint inside = row < rows && column < columns ? (columns - column < 8 ? columns - column : 8) : 0;
		const __global ushort *from = operand->elements + (inside ? row * operand->pitch + column : 0);
		__local uchar *to = tile + tensor_place(operand->along_depth, i, p);

		if (operand->aligned)
			tensor_copy(to, (const __global uchar *)from, inside * 2);
		else
			for (uint e = 0; e < 8; e++)
				((__local ushort *)to)[e] = e < inside ? from[e] : (ushort)0;
	}
}

/* Loads the registers of the 16 x 16 elements from (i, p) on, in the order for A or for B. */
INLINE void tensor_fragment(uint *registers, const __local uchar *tile, bool along_depth, uint i, uint p, bool of_b TENSOR_EXCHANGE_ARGUMENT)
{
	uint lane = local_x() % 32, matrix = lane / 8, within = lane % 8;
	uint down = (of_b ? matrix / 2 : matrix % 2) * 8, deep = (of_b ? matrix % 2 : matrix / 2) * 8;
	uint place = along_depth ? tensor_place(true, i + down + within, p + deep) : tensor_place(false, i + down, p + deep + within);

	tensor_fetch(registers, tile + place, !along_depth TENSOR_EXCHANGE_VALUE);
}

INLINE void tensor_multiply_tile(const __local uchar *tile_a, const __local uchar *tile_b, bool a_along, bool b_along, float sums[4][4][4],
	enum format format TENSOR_EXCHANGE_ARGUMENT)
{
	uint warp = local_x() / 32, row = warp / 4 * 64, column = warp % 4 * 32;

	UNROLL
	for (uint p = 0; p < TENSOR_DEPTH; p += 16) {
		uint a[4][4], b[2][4];

		UNROLL
		for (uint i = 0; i < 4; i++)
			tensor_fragment(a[i], tile_a, a_along, row + i * 16, p, false TENSOR_EXCHANGE_VALUE);
		UNROLL
		for (uint j = 0; j < 2; j++)
			tensor_fragment(b[j], tile_b, b_along, column + j * 16, p, true TENSOR_EXCHANGE_VALUE);
		UNROLL
		for (uint i = 0; i < 4; i++)
			UNROLL
			for (uint j = 0; j < 4; j++)
				tensor_multiply(sums[i][j], a[i], &b[j / 2][j % 2 * 2], format TENSOR_EXCHANGE_VALUE);
	}
}

INLINE void tensor_store(__global ushort *c, uint m, uint n, float sums[4][4][4], float scale, enum format format)
{
	uint warp = local_x() / 32, lane = local_x() % 32;
	uint row = group_y() * TENSOR_TILE + warp / 4 * 64 + lane / 4, column = group_x() * TENSOR_TILE + warp % 4 * 32 + lane % 4 * 2;

	UNROLL
	for (uint i = 0; i < 4; i++)
		UNROLL
		for (uint j = 0; j < 4; j++)
			UNROLL
			for (uint e = 0; e < 4; e++) {
				uint at_row = row + i * 16 + e / 2 * 8, at_column = column + j * 8 + e % 2;

				if (at_row < m && at_column < n)
					element_store(c, (ulong)at_row * n + at_column, scale * sums[i][j][e], format);
			}
}

INLINE void tensor_gemm(__global ushort *c, const struct tensor_operand *a, const struct tensor_operand *b, float scale, enum format format,
	__local uchar *tiles TENSOR_EXCHANGE_ARGUMENT)
{
	uint row = group_y() * TENSOR_TILE, column = group_x() * TENSOR_TILE, steps = (a->depth + TENSOR_DEPTH - 1) / TENSOR_DEPTH;
	float sums[4][4][4];

	UNROLL
	for (uint i = 0; i < 64; i++)
		sums[i / 16][i / 4 % 4][i % 4] = 0;
	for (uint step = 0; step < steps + TENSOR_STAGES - 1; step++) {
		uint stage = step % TENSOR_STAGES, done = (step + 1) % TENSOR_STAGES;
		__local uchar *tile_a = tiles + stage * 2 * TENSOR_TILE_BYTES;

		/* the stage that is overwritten now was multiplied before this barrier */
		if (step >= TENSOR_STAGES - 1)
			tensor_copy_wait();
		group_barrier();
		if (step < steps) {
			tensor_load(a, row, step * TENSOR_DEPTH, tile_a);
			tensor_load(b, column, step * TENSOR_DEPTH, tile_a + TENSOR_TILE_BYTES);
		}
		tensor_copy_commit();
		if (step >= TENSOR_STAGES - 1)
			tensor_multiply_tile(tiles + done * 2 * TENSOR_TILE_BYTES, tiles + (done * 2 + 1) * TENSOR_TILE_BYTES, a->along_depth,
				b->along_depth, sums, format TENSOR_EXCHANGE_VALUE);
	}
	tensor_store(c, a->extent, b->extent, sums, scale, format);
}

/* Copies of 16 bytes require rows, and products of the batch, that begin at multiples of 16 bytes. */
#define tensor_aligned(elements, pitch, stride) (((ulong)(elements) % 16 | (pitch) % 8 | (stride) % 8) == 0)

#define TENSOR_GEMM_KERNEL(name, format, a_transposed, b_transposed) \
	KERNEL void name(__global ushort *c, const __global ushort *a, const __global ushort *b, uint m, uint n, uint k, float scale, \
		ulong c_stride, ulong a_stride, ulong b_stride) \
	{ \
		__local uchar tiles[TENSOR_STAGES * 2 * TENSOR_TILE_BYTES] __attribute__((aligned(128))); \
		TENSOR_EXCHANGE \
		struct tensor_operand left = {a + group_z() * a_stride, m, k, a_transposed ? m : k, !a_transposed, \
			tensor_aligned(a, a_transposed ? m : k, a_stride)}; \
		struct tensor_operand right = {b + group_z() * b_stride, n, k, b_transposed ? k : n, b_transposed, \
			tensor_aligned(b, b_transposed ? k : n, b_stride)}; \
		tensor_gemm(c + group_z() * c_stride, &left, &right, scale, format, tiles TENSOR_EXCHANGE_VALUE); \
	}

TENSOR_GEMM_KERNEL(gemm_bf16_nn, BF16, false, false)
TENSOR_GEMM_KERNEL(gemm_bf16_nt, BF16, false, true)
TENSOR_GEMM_KERNEL(gemm_bf16_tn, BF16, true, false)
TENSOR_GEMM_KERNEL(gemm_fp16_nn, FP16, false, false)
TENSOR_GEMM_KERNEL(gemm_fp16_nt, FP16, false, true)
TENSOR_GEMM_KERNEL(gemm_fp16_tn, FP16, true, false)

#define ISSUE_TENSOR_SETS 2   /* of A */
#define ISSUE_TENSOR_SUMS 8   /* independent sums, each with its own B */
#define ISSUE_TENSOR_WORDS 2048

/* out[item] = the sum of the work-item's registers; it is equal for the same item of every group. */
INLINE void issue_tensor(__global float *out, const __global uint *operands, uint rounds, enum format format TENSOR_EXCHANGE_ARGUMENT)
{
	uint a[ISSUE_TENSOR_SETS][4], b[ISSUE_TENSOR_SUMS][2];
	float sums[ISSUE_TENSOR_SUMS][4], sum = 0;

	UNROLL
	for (uint r = 0; r < ISSUE_TENSOR_SETS * 4; r++)
		a[r / 4][r % 4] = operands[(local_x() * 24 + r) % ISSUE_TENSOR_WORDS];
	UNROLL
	for (uint r = 0; r < ISSUE_TENSOR_SUMS * 2; r++)
		b[r / 2][r % 2] = operands[(local_x() * 24 + 8 + r) % ISSUE_TENSOR_WORDS];
	UNROLL
	for (uint r = 0; r < ISSUE_TENSOR_SUMS * 4; r++)
		sums[r / 4][r % 4] = 0;
	for (uint round = 0; round < rounds; round++)
		UNROLL
		for (uint s = 0; s < ISSUE_TENSOR_SETS; s++)
			UNROLL
			for (uint j = 0; j < ISSUE_TENSOR_SUMS; j++)
				tensor_multiply(sums[j], a[s], b[j], format TENSOR_EXCHANGE_VALUE);
	UNROLL
	for (uint r = 0; r < ISSUE_TENSOR_SUMS * 4; r++)
		sum += sums[r / 4][r % 4];
	out[item_first()] = sum;
}

KERNEL void issue_tensor_bf16(__global float *out, const __global uint *operands, uint rounds)
{
	TENSOR_EXCHANGE
	issue_tensor(out, operands, rounds, BF16 TENSOR_EXCHANGE_VALUE);
}

KERNEL void issue_tensor_fp16(__global float *out, const __global uint *operands, uint rounds)
{
	TENSOR_EXCHANGE
	issue_tensor(out, operands, rounds, FP16 TENSOR_EXCHANGE_VALUE);
}
