/* Reads the cache of keys and values with tensor instructions (8.0 and above, bf16 and fp16). Up to 16 queries of a
 * group are the rows of one product, so memory and not arithmetic limits the rate. Chunks and their partial results are
 * as in cache.cl.
 *
 * Each warp takes 16 keys at a time, from global memory directly into the instructions' registers. Registers may
 * hold the summed indices in any order if both operands use the same order: a work-item's vector of 16 bytes of a
 * key fills four registers of two products. Values need two keys per register: column n of product t is column 8 n +
 * t of 64, so one vector again serves eight products. */
#define TENSOR_KEYS 16
#define TENSOR_WARPS (GROUP / 32)
#define TENSOR_ROWS 16
#define TENSOR_DIMENSION_MAX 128 /* loops run to it: compilers unroll them before they know the dimension */

#ifdef __NVPTX__
/* Returns the value of the work-item whose number in the warp differs in the bits of `mask`. */
INLINE float tensor_other(float value, uint mask TENSOR_EXCHANGE_ARGUMENT)
{
	float other;

	__asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(value), "r"(mask));
	return other;
}
#endif

INLINE uint tensor_pair(float low, float high, enum format format)
{
	return format == BF16 ? bfloat_encode(low) | (uint)bfloat_encode(high) << 16 : half_encode(low) | (uint)half_encode(high) << 16;
}

/* Word `i` of a vector; i is a compile-time constant. */
#define tensor_word(vector, i) ((i) == 0 ? (vector).x : (i) == 1 ? (vector).y : (i) == 2 ? (vector).z : (vector).w)

/* A work-item's part of the queries' rows: rows lane / 4 and lane / 4 + 8. */
struct tensor_state {
	float highest[2], sum[2], out[16][4]; /* sum: over this work-item's own keys */
};

/* Loads 16 keys and their values, with all loads in flight at once. */
INLINE void tensor_load_cache(const __global uint4 *k, const __global uint4 *v, uint first, uint end, uint dimension, uint4 keys[2][4], uint4 values[2][4])
{
	uint lane = local_x() % 32;

	UNROLL
	for (uint n = 0; n < 2; n++)
		UNROLL
		for (uint s = 0; s < TENSOR_DIMENSION_MAX / 32; s++) {
			uint key = first + n * 8 + lane / 4;

			keys[n][s] = key < end && s < dimension / 32 ? k[(ulong)key * (dimension / 8) + s * 4 + lane % 4] : (uint4)(0, 0, 0, 0);
		}
	UNROLL
	for (uint h = 0; h < TENSOR_DIMENSION_MAX / 64; h++)
		UNROLL
		for (uint j = 0; j < 4; j++) {
			uint key = first + lane % 4 * 2 + j % 2 + j / 2 * 8;

			values[h][j] = key < end && h < dimension / 64 ? v[(ulong)key * (dimension / 8) + h * 8 + lane / 4] : (uint4)(0, 0, 0, 0);
		}
}

/* Computes the scores of 16 keys, as powers of two. Element e of scores[n] belongs to key 8 n + 2 (lane % 4) + e % 2
 * and row lane / 4 + 8 (e / 2). */
INLINE void tensor_scores(uint4 keys[2][4], uint first, uint end, uint dimension, const uint queries[8][4], float scale, float scores[2][4],
	enum format format TENSOR_EXCHANGE_ARGUMENT)
{
	uint lane = local_x() % 32;

	UNROLL
	for (uint n = 0; n < 2; n++) {
		UNROLL
		for (uint e = 0; e < 4; e++)
			scores[n][e] = 0;
		UNROLL
		for (uint s = 0; s < TENSOR_DIMENSION_MAX / 16; s++) {
			uint b[2] = {s % 2 ? keys[n][s / 2].z : keys[n][s / 2].x, s % 2 ? keys[n][s / 2].w : keys[n][s / 2].y};

			if (s < dimension / 16)
				tensor_multiply(scores[n], queries[s], b, format TENSOR_EXCHANGE_VALUE);
		}
		UNROLL
		for (uint e = 0; e < 4; e++)
			scores[n][e] = first + n * 8 + lane % 4 * 2 + e % 2 < end ? scores[n][e] * scale : NO_SCORE;
	}
}

/* Converts scores to weights relative to the highest score so far, and scales the earlier sums to it. */
INLINE void tensor_weigh(struct tensor_state *state, float scores[2][4], uint dimension TENSOR_EXCHANGE_ARGUMENT)
{
	UNROLL
	for (uint half_of_it = 0; half_of_it < 2; half_of_it++) {
		uint e = half_of_it * 2;
		float highest = state->highest[half_of_it], factor, sum = 0;

		UNROLL
		for (uint i = 0; i < 4; i++)
			highest = scores[i / 2][e + i % 2] > highest ? scores[i / 2][e + i % 2] : highest;
		UNROLL
		for (uint mask = 1; mask < 4; mask *= 2) {
			float other = tensor_other(highest, mask TENSOR_EXCHANGE_VALUE);

			highest = other > highest ? other : highest;
		}
		factor = power_of_two(state->highest[half_of_it] - highest);
		UNROLL
		for (uint i = 0; i < 4; i++) {
			float score = scores[i / 2][e + i % 2];

			scores[i / 2][e + i % 2] = score > NO_SCORE ? power_of_two(score - highest) : 0;
			sum += scores[i / 2][e + i % 2];
		}
		state->highest[half_of_it] = highest;
		state->sum[half_of_it] = state->sum[half_of_it] * factor + sum;
		UNROLL
		for (uint t = 0; t < TENSOR_DIMENSION_MAX / 8; t++) {
			state->out[t][e] *= factor;
			state->out[t][e + 1] *= factor;
		}
	}
}

/* Adds the values of 16 keys, multiplied by their weights. */
INLINE void tensor_values(struct tensor_state *state, uint4 values[2][4], uint dimension, float weights[2][4], enum format format TENSOR_EXCHANGE_ARGUMENT)
{
	uint a[4] = {tensor_pair(weights[0][0], weights[0][1], format), tensor_pair(weights[0][2], weights[0][3], format),
		tensor_pair(weights[1][0], weights[1][1], format), tensor_pair(weights[1][2], weights[1][3], format)};

	UNROLL
	for (uint t = 0; t < TENSOR_DIMENSION_MAX / 8; t++) {
		uint b[2];

		UNROLL
		for (uint j = 0; j < 2; j++) {
			uint one = tensor_word(values[t / 8][j * 2], t % 8 / 2), other = tensor_word(values[t / 8][j * 2 + 1], t % 8 / 2);

			b[j] = t % 2 ? one >> 16 | (other & 0xffff0000u) : (one & 0xffffu) | other << 16;
		}
		if (t < dimension / 8)
			tensor_multiply(state->out[t], a, b, format TENSOR_EXCHANGE_VALUE);
	}
}

/* Loads the rows of the queries from `row` on, in the order of the summed index that a key's vector has. */
INLINE void tensor_queries(const __global uint4 *q, uint row, uint rows, uint dimension, uint queries[8][4])
{
	uint lane = local_x() % 32;

	UNROLL
	for (uint s = 0; s < TENSOR_DIMENSION_MAX / 32; s++)
		UNROLL
		for (uint half_of_it = 0; half_of_it < 2; half_of_it++) {
			uint at = row + lane / 4 + half_of_it * 8;
			uint4 vector = at < rows && s < dimension / 32 ? q[(group_y() * (ulong)rows + at) * (dimension / 8) + s * 4 + lane % 4] : (uint4)(0, 0, 0, 0);

			queries[s * 2][half_of_it] = vector.x;
			queries[s * 2][half_of_it + 2] = vector.y;
			queries[s * 2 + 1][half_of_it] = vector.z;
			queries[s * 2 + 1][half_of_it + 2] = vector.w;
		}
}

/* Merges the results of the warps, one warp after another, and writes them. stats: highest score and sum of each
 * warp's rows. */
INLINE void tensor_keep(struct tensor_state *state, __global float *part, uint rows_left, uint dimension, __local float *stats, __local float *sums
	TENSOR_EXCHANGE_ARGUMENT)
{
	uint warp = local_x() / 32, lane = local_x() % 32;

	UNROLL
	for (uint half_of_it = 0; half_of_it < 2; half_of_it++) {
		uint row = lane / 4 + half_of_it * 8;

		UNROLL
		for (uint mask = 1; mask < 4; mask *= 2)
			state->sum[half_of_it] += tensor_other(state->sum[half_of_it], mask TENSOR_EXCHANGE_VALUE);
		stats[(warp * TENSOR_ROWS + row) * 2] = state->highest[half_of_it];
		stats[(warp * TENSOR_ROWS + row) * 2 + 1] = state->sum[half_of_it];
	}
	group_barrier();
	for (uint turn = 0; turn < TENSOR_WARPS; turn++) {
		UNROLL
		for (uint half_of_it = 0; half_of_it < 2 && turn == warp; half_of_it++) {
			uint row = lane / 4 + half_of_it * 8;
			float highest = NO_SCORE, factor;

			for (uint w = 0; w < TENSOR_WARPS; w++)
				highest = stats[(w * TENSOR_ROWS + row) * 2] > highest ? stats[(w * TENSOR_ROWS + row) * 2] : highest;
			factor = power_of_two(state->highest[half_of_it] - highest);
			UNROLL
			for (uint i = 0; i < TENSOR_DIMENSION_MAX / 4; i++) {
				uint column = i / 16 * 64 + (lane % 4 * 2 + i % 2) * 8 + i / 2 % 8;
				__local float *sum = sums + row * dimension + column;

				if (column < dimension)
					*sum = (turn ? *sum : 0) + factor * state->out[i / 2][half_of_it * 2 + i % 2];
			}
		}
		group_barrier();
	}
	for (uint i = local_x(); i < rows_left * dimension; i += GROUP)
		part[i / dimension * (dimension + 2) + i % dimension] = sums[i];
	if (local_x() < rows_left) {
		float highest = NO_SCORE, sum = 0;

		for (uint w = 0; w < TENSOR_WARPS; w++)
			highest = stats[(w * TENSOR_ROWS + local_x()) * 2] > highest ? stats[(w * TENSOR_ROWS + local_x()) * 2] : highest;
		for (uint w = 0; w < TENSOR_WARPS; w++)
			sum += power_of_two(stats[(w * TENSOR_ROWS + local_x()) * 2] - highest) * stats[(w * TENSOR_ROWS + local_x()) * 2 + 1];
		part[local_x() * (dimension + 2) + dimension] = highest;
		part[local_x() * (dimension + 2) + dimension + 1] = sum;
	}
	group_barrier();
}

INLINE void tensor_attend(__global float *partial, const __global uint4 *q, const __global uint4 *k, const __global uint4 *v, uint rows, uint keys,
	uint chunk, float scale, uint dimension, enum format format, __local float *stats, __local float *sums TENSOR_EXCHANGE_ARGUMENT)
{
	ulong unit = (ulong)group_y() * keys * (dimension / 8);
	uint first = group_x() * chunk, end = keys - first < chunk ? keys : first + chunk, warp = local_x() / 32;

	for (uint row = 0; row < rows; row += TENSOR_ROWS) {
		struct tensor_state state;
		uint queries[8][4];

		UNROLL
		for (uint i = 0; i < TENSOR_DIMENSION_MAX / 2; i++)
			state.out[i / 4][i % 4] = 0;
		UNROLL
		for (uint i = 0; i < 2; i++) {
			state.highest[i] = NO_SCORE;
			state.sum[i] = 0;
		}
		tensor_queries(q, row, rows, dimension, queries);
		for (uint at = first; at < end; at += TENSOR_KEYS * TENSOR_WARPS) {
			uint4 sixteen_keys[2][4], sixteen_values[2][4];
			float scores[2][4];

			tensor_load_cache(k + unit, v + unit, at + warp * TENSOR_KEYS, end, dimension, sixteen_keys, sixteen_values);
			tensor_scores(sixteen_keys, at + warp * TENSOR_KEYS, end, dimension, queries, scale * LOG2_E, scores, format TENSOR_EXCHANGE_VALUE);
			tensor_weigh(&state, scores, dimension TENSOR_EXCHANGE_VALUE);
			tensor_values(&state, sixteen_values, dimension, scores, format TENSOR_EXCHANGE_VALUE);
		}
		tensor_keep(&state, cache_part(partial, rows, row, dimension), rows - row < TENSOR_ROWS ? rows - row : TENSOR_ROWS, dimension, stats, sums
			TENSOR_EXCHANGE_VALUE);
	}
}

/* chunk is a multiple of 128 keys. */
#define TENSOR_CACHE_KERNEL(name, format, dimension) \
	KERNEL void name(__global float *partial, const __global uint4 *q, const __global uint4 *k, const __global uint4 *v, uint rows, uint keys, \
		uint chunk, float scale) \
	{ \
		__local float stats[TENSOR_WARPS * TENSOR_ROWS * 2], sums[TENSOR_ROWS * dimension]; \
		TENSOR_EXCHANGE \
		tensor_attend(partial, q, k, v, rows, keys, chunk, scale, dimension, format, stats, sums TENSOR_EXCHANGE_VALUE); \
	}

TENSOR_CACHE_KERNEL(cache_tensor_64_bf16, BF16, 64)
TENSOR_CACHE_KERNEL(cache_tensor_64_fp16, FP16, 64)
TENSOR_CACHE_KERNEL(cache_tensor_128_bf16, BF16, 128)
TENSOR_CACHE_KERNEL(cache_tensor_128_fp16, FP16, 128)
