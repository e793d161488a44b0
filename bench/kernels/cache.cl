/* Attention of one query per sequence over its cache of keys and values, as in decoding. The keys and values are read
 * once for all queries of the group that shares the head.
 *
 * Group (x, y): chunk x of the keys of unit y; a unit is a head of keys of a sequence. The kernel writes a partial
 * result per chunk: for each query a row of `dimension` sums of values, the highest score (as a power of two) and
 * the sum of the powers. Another kernel merges the chunks. Neighbours read a row of keys in vectors of 16 bytes, so
 * dimension is a multiple of the numbers in a vector. */
#define CACHE_CHUNK 256
#define CACHE_ROWS 8    /* queries at once; the chunk is read again for every further eight */
#define CACHE_AHEAD 4   /* loads in flight per work-item */
#define LOG2_E 1.44269504f

/* Count of numbers in a vector of 16 bytes, and access to one of them. Loops run to the maximum: compilers unroll
 * them before they know the format. */
#define NUMBERS_MAX 8
#define vector_numbers(format) ((format) == FP32 ? 4u : 8u)

INLINE float vector_number(uint4 vector, uint i, enum format format)
{
	uint word = format == FP32 ? i % 4 : i / 2;
	uint bits = word == 0 ? vector.x : word == 1 ? vector.y : word == 2 ? vector.z : vector.w;

	if (format == FP32)
		return as_float(bits);
	if (format == BF16)
		return as_float(i % 2 ? bits & 0xffff0000u : bits << 16);
	return half_decode((ushort)(i % 2 ? bits >> 16 : bits));
}

struct cache_shape {
	uint rows, keys, dimension, first, end; /* first, end: keys of the chunk */
	uint lanes, at_once;                    /* work-items per key, keys at once */
};

INLINE struct cache_shape cache_shape(uint rows, uint keys, uint dimension, enum format format)
{
	struct cache_shape shape = {rows, keys, dimension, group_x() * CACHE_CHUNK, 0, dimension / vector_numbers(format), 0};

	shape.end = keys - shape.first < CACHE_CHUNK ? keys : shape.first + CACHE_CHUNK;
	shape.at_once = GROUP / shape.lanes;
	return shape;
}

/* Computes the scores of the chunk's keys for the queries from `row` on, as powers of two. */
INLINE void cache_scores(const struct cache_shape *shape, const __global void *q, const __global uint4 *k, uint row, float scale, enum format format,
	__local float *scores, __local float *scratch)
{
	uint lane = local_x() % shape->lanes, which = local_x() / shape->lanes, numbers = vector_numbers(format);
	ulong unit = group_y();
	float queries[CACHE_ROWS][NUMBERS_MAX];

#pragma unroll
	for (uint r = 0; r < CACHE_ROWS; r++)
#pragma unroll
		for (uint e = 0; e < NUMBERS_MAX; e++)
			queries[r][e] = row + r < shape->rows && which < shape->at_once && e < numbers ?
				scale * element_load(q, (unit * shape->rows + row + r) * shape->dimension + lane * numbers + e, format) : 0;
	for (uint key = shape->first; key < shape->end; key += CACHE_AHEAD * shape->at_once) {
		uint4 vectors[CACHE_AHEAD];

#pragma unroll
		for (uint a = 0; a < CACHE_AHEAD; a++) {
			uint at = key + a * shape->at_once + which;

			vectors[a] = at < shape->end && which < shape->at_once ? k[(unit * shape->keys + at) * shape->lanes + lane] : (uint4)(0, 0, 0, 0);
		}
#pragma unroll
		for (uint a = 0; a < CACHE_AHEAD; a++) {
#pragma unroll
			for (uint r = 0; r < CACHE_ROWS; r++) {
				float sum = 0;

#pragma unroll
				for (uint e = 0; e < NUMBERS_MAX; e++)
					sum += e < numbers ? queries[r][e] * vector_number(vectors[a], e, format) : 0;
				scratch[r * GROUP + local_x()] = sum;
			}
			group_barrier();
			for (uint i = local_x(); i < CACHE_ROWS * shape->at_once; i += GROUP) {
				uint r = i / shape->at_once, at = key + a * shape->at_once + i % shape->at_once;
				float sum = 0;

				for (uint l = 0; l < shape->lanes; l++)
					sum += scratch[r * GROUP + i % shape->at_once * shape->lanes + l];
				if (at < shape->end)
					scores[r * CACHE_CHUNK + at - shape->first] = sum;
			}
			group_barrier();
		}
	}
}

/* Converts scores to powers of two relative to the highest of their row. Stores that highest score and the row's sum. */
INLINE void cache_softmax(const struct cache_shape *shape, __local float *scores, __local float *stats, __local float *scratch)
{
	uint row = local_x() / (GROUP / CACHE_ROWS), item = local_x() % (GROUP / CACHE_ROWS), count = shape->end - shape->first;
	__local float *mine = scores + row * CACHE_CHUNK, *part = scratch + row * (GROUP / CACHE_ROWS);
	float highest = NO_SCORE, sum = 0;

	for (uint i = item; i < count; i += GROUP / CACHE_ROWS)
		highest = mine[i] > highest ? mine[i] : highest;
	part[item] = highest;
	group_barrier();
	for (uint i = 0; i < GROUP / CACHE_ROWS; i++)
		highest = part[i] > highest ? part[i] : highest;
	group_barrier();
	for (uint i = item; i < count; i += GROUP / CACHE_ROWS) {
		mine[i] = power_of_two(mine[i] - highest);
		sum += mine[i];
	}
	part[item] = sum;
	group_barrier();
	sum = 0;
	for (uint i = 0; i < GROUP / CACHE_ROWS; i++)
		sum += part[i];
	if (item == 0) {
		stats[row] = highest;
		stats[CACHE_ROWS + row] = sum;
	}
	group_barrier();
}

/* Writes the sums of values, weighted by the scores, to `out`: one row per query. */
INLINE void cache_values(const struct cache_shape *shape, const __global uint4 *v, uint row, enum format format, const __local float *scores,
	__local float *scratch, __global float *out)
{
	uint lane = local_x() % shape->lanes, which = local_x() / shape->lanes, numbers = vector_numbers(format);
	ulong unit = group_y();
	float sums[CACHE_ROWS][NUMBERS_MAX];

#pragma unroll
	for (uint r = 0; r < CACHE_ROWS; r++)
#pragma unroll
		for (uint e = 0; e < NUMBERS_MAX; e++)
			sums[r][e] = 0;
	for (uint key = shape->first + which; key < shape->end && which < shape->at_once; key += CACHE_AHEAD * shape->at_once) {
		uint4 vectors[CACHE_AHEAD];

#pragma unroll
		for (uint a = 0; a < CACHE_AHEAD; a++) {
			uint at = key + a * shape->at_once;

			vectors[a] = at < shape->end ? v[(unit * shape->keys + at) * shape->lanes + lane] : (uint4)(0, 0, 0, 0);
		}
#pragma unroll
		for (uint a = 0; a < CACHE_AHEAD; a++)
#pragma unroll
			for (uint r = 0; r < CACHE_ROWS; r++) {
				uint at = key + a * shape->at_once;
				float weight = at < shape->end ? scores[r * CACHE_CHUNK + at - shape->first] : 0;

#pragma unroll
				for (uint e = 0; e < NUMBERS_MAX; e++)
					sums[r][e] += e < numbers ? weight * vector_number(vectors[a], e, format) : 0;
			}
	}
#pragma unroll
	for (uint r = 0; r < CACHE_ROWS; r++) {
#pragma unroll
		for (uint e = 0; e < NUMBERS_MAX; e++)
			if (e < numbers)
				scratch[local_x() * numbers + e] = sums[r][e];
		group_barrier();
		for (uint d = local_x(); d < shape->dimension && row + r < shape->rows; d += GROUP) {
			float sum = 0;

			for (uint w = 0; w < shape->at_once; w++)
				sum += scratch[w * shape->dimension + d];
			out[r * (shape->dimension + 2) + d] = sum;
		}
		group_barrier();
	}
}

/* Address of the chunk's partial result for a row. */
#define cache_part(partial, rows, row, dimension) \
	((partial) + (((ulong)group_y() * groups_x() + group_x()) * (rows) + (row)) * ((dimension) + 2))

INLINE void cache_attend(__global float *partial, const __global void *q, const __global uint4 *k, const __global uint4 *v, uint rows, uint keys,
	uint dimension, float scale, enum format format, __local float *scores, __local float *stats, __local float *scratch)
{
	struct cache_shape shape = cache_shape(rows, keys, dimension, format);

	for (uint row = 0; row < rows; row += CACHE_ROWS) {
		__global float *out = cache_part(partial, rows, row, dimension);

		cache_scores(&shape, q, k, row, scale * LOG2_E, format, scores, scratch);
		cache_softmax(&shape, scores, stats, scratch);
		cache_values(&shape, v, row, format, scores, scratch, out);
		if (local_x() < CACHE_ROWS && row + local_x() < rows) {
			out[local_x() * (dimension + 2) + dimension] = stats[local_x()];
			out[local_x() * (dimension + 2) + dimension + 1] = stats[CACHE_ROWS + local_x()];
		}
		group_barrier();
	}
}

/* Merges all chunks. Group (x, y): query x of unit y. */
INLINE void cache_merge(__global void *out, const __global float *partial, uint rows, uint dimension, uint chunks, enum format format)
{
	ulong unit = group_y();
	uint row = group_x(), pitch = dimension + 2;

	for (uint d = local_x(); d < dimension; d += GROUP) {
		float highest = NO_SCORE, sum = 0, all = 0;

		for (uint c = 0; c < chunks; c++) {
			float score = partial[((unit * chunks + c) * rows + row) * pitch + dimension];

			highest = score > highest ? score : highest;
		}
		for (uint c = 0; c < chunks; c++) {
			const __global float *part = partial + ((unit * chunks + c) * rows + row) * pitch;
			float weight = power_of_two(part[dimension] - highest);

			sum += weight * part[d];
			all += weight * part[dimension + 1];
		}
		element_store(out, (unit * rows + row) * dimension + d, sum / all, format);
	}
}

#define CACHE_KERNELS(name, format) \
	KERNEL void cache_attend_##name(__global float *partial, const __global void *q, const __global uint4 *k, const __global uint4 *v, \
		uint rows, uint keys, uint dimension, float scale) \
	{ \
		__local float scores[CACHE_ROWS * CACHE_CHUNK], stats[2 * CACHE_ROWS], scratch[CACHE_ROWS * GROUP]; \
		cache_attend(partial, q, k, v, rows, keys, dimension, scale, format, scores, stats, scratch); \
	} \
	KERNEL void cache_merge_##name(__global void *out, const __global float *partial, uint rows, uint dimension, uint chunks) \
	{ \
		cache_merge(out, partial, rows, dimension, chunks, format); \
	}

CACHE_KERNELS(fp32, FP32)
CACHE_KERNELS(bf16, BF16)
CACHE_KERNELS(fp16, FP16)
