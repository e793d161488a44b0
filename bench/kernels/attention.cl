/* The steps between the two products of attention, and between those of its backward pass. A group processes one row. */
#define NO_SCORE (-3.402823466e+38f)

/* Compute the sum or maximum over the group and return it to every work-item. */
INLINE float group_sum(float value, __local float *scratch)
{
	scratch[local_x()] = value;
	for (uint half_way = GROUP / 2; half_way > 0; half_way /= 2) {
		group_barrier();
		if (local_x() < half_way)
			scratch[local_x()] += scratch[local_x() + half_way];
	}
	group_barrier();
	value = scratch[0];
	group_barrier();
	return value;
}

INLINE float group_maximum(float value, __local float *scratch)
{
	scratch[local_x()] = value;
	for (uint half_way = GROUP / 2; half_way > 0; half_way /= 2) {
		group_barrier();
		if (local_x() < half_way && scratch[local_x() + half_way] > scratch[local_x()])
			scratch[local_x()] = scratch[local_x() + half_way];
	}
	group_barrier();
	value = scratch[0];
	group_barrier();
	return value;
}

/* Converts rows of scores to rows of probabilities, in place. Row r is query r mod queries. Causal: a query sees the
 * keys up to its own position, the last query being at the last key; other keys get 0. Group (x, y): row y *
 * groups_x + x. */
INLINE void softmax(__global void *scores, uint rows, uint queries, uint keys, uint causal, enum format format, __local float *scratch)
{
	ulong row = (ulong)group_y() * groups_x() + group_x(), first = row * keys;
	uint query = (uint)(row % queries);
	/* if causal, queries <= keys, so every query sees a key */
	uint seen = causal ? keys - queries + query + 1 : keys;
	float highest = NO_SCORE, sum = 0;

	if (row >= rows)
		return;
	for (uint j = local_x(); j < seen; j += GROUP) {
		float score = element_load(scores, first + j, format);

		highest = score > highest ? score : highest;
	}
	highest = group_maximum(highest, scratch);
	for (uint j = local_x(); j < seen; j += GROUP)
		sum += power_of_two((element_load(scores, first + j, format) - highest) * 1.44269504f);
	sum = group_sum(sum, scratch);
	for (uint j = local_x(); j < keys; j += GROUP) {
		float probability = j < seen ?
			power_of_two((element_load(scores, first + j, format) - highest) * 1.44269504f) / sum : 0;

		element_store(scores, first + j, probability, format);
	}
}

/* Converts gradients of probabilities to gradients of scores, in place: p (g - sum of p g). */
INLINE void softmax_gradient(__global void *gradients, const __global void *probabilities, uint rows, uint keys, enum format format,
	__local float *scratch)
{
	ulong row = (ulong)group_y() * groups_x() + group_x(), first = row * keys;
	float sum = 0;

	if (row >= rows)
		return;
	for (uint j = local_x(); j < keys; j += GROUP)
		sum += element_load(probabilities, first + j, format) * element_load(gradients, first + j, format);
	sum = group_sum(sum, scratch);
	for (uint j = local_x(); j < keys; j += GROUP)
		element_store(gradients, first + j, element_load(probabilities, first + j, format) *
			(element_load(gradients, first + j, format) - sum), format);
}

#define SOFTMAX_KERNELS(name, format) \
	KERNEL void softmax_##name(__global void *scores, uint rows, uint queries, uint keys, uint causal) \
	{ \
		__local float scratch[GROUP]; \
		softmax(scores, rows, queries, keys, causal, format, scratch); \
	} \
	KERNEL void softmax_gradient_##name(__global void *gradients, const __global void *probabilities, uint rows, uint keys) \
	{ \
		__local float scratch[GROUP]; \
		softmax_gradient(gradients, probabilities, rows, keys, format, scratch); \
	}

SOFTMAX_KERNELS(fp32, FP32)
SOFTMAX_KERNELS(bf16, BF16)
SOFTMAX_KERNELS(fp16, FP16)
