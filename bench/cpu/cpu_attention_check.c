/* Computes attention again for a few queries, in double precision and as in textbooks. */
#include <math.h>

#include "bench/cpu/cpu_attention.h"
#include "bench/random.h"

enum { SAMPLES = 8 };

/* Relative to the sum of the terms' magnitudes; fp32 sums of thousands of terms are within 1e-5. */
#define ALLOWED_ERROR 1e-4

struct sampled_query {
	const struct cpu_attention *attention;
	size_t batch, head, query, sees;
	double *weights;    /* of the keys or values in the sum: probabilities, or gradients of scores */
	double *magnitudes; /* of the terms of each weight: a gradient is a small difference of larger numbers */
};

static const float *query_vector(const struct sampled_query *sampled, const float *queries)
{
	const struct bench_attention *shape = &sampled->attention->shape;

	return queries +
		((sampled->batch * (size_t)shape->queries + sampled->query) * (size_t)shape->heads + sampled->head) * (size_t)shape->head_dimension;
}

static const float *key_vector(const struct sampled_query *sampled, const float *keys, size_t key)
{
	const struct bench_attention *shape = &sampled->attention->shape;
	size_t head = sampled->head * (size_t)shape->kv_heads / (size_t)shape->heads;

	return keys + ((sampled->batch * (size_t)shape->keys + key) * (size_t)shape->kv_heads + head) * (size_t)shape->head_dimension;
}

static double product(const float *a, const float *b, int64_t count)
{
	double sum = 0;

	for (int64_t i = 0; i < count; i++)
		sum += (double)a[i] * (double)b[i];
	return sum;
}

static double magnitude_of(const float *a, const float *b, int64_t count)
{
	double sum = 0;

	for (int64_t i = 0; i < count; i++)
		sum += fabs((double)a[i] * (double)b[i]);
	return sum;
}

static void compute_probabilities(const struct sampled_query *sampled)
{
	const struct cpu_attention *attention = sampled->attention;
	double scale = 1 / sqrt((double)attention->shape.head_dimension), largest = -HUGE_VAL, sum = 0;

	for (size_t j = 0; j < sampled->sees; j++) {
		sampled->weights[j] = scale *
			product(query_vector(sampled, attention->q), key_vector(sampled, attention->k, j), attention->shape.head_dimension);
		largest = fmax(largest, sampled->weights[j]);
	}
	for (size_t j = 0; j < sampled->sees; j++)
		sum += sampled->weights[j] = exp(sampled->weights[j] - largest);
	for (size_t j = 0; j < sampled->sees; j++)
		sampled->magnitudes[j] = sampled->weights[j] /= sum;
}

/* Replaces probabilities by the gradients of the scores. */
static void compute_score_gradients(const struct sampled_query *sampled)
{
	const struct cpu_attention *attention = sampled->attention;
	const float *gradient = query_vector(sampled, attention->output_gradient);
	double scale = 1 / sqrt((double)attention->shape.head_dimension), mean = 0, mean_magnitude = 0;
	int64_t dimension = attention->shape.head_dimension;

	for (size_t j = 0; j < sampled->sees; j++) {
		double part = product(gradient, key_vector(sampled, attention->v, j), dimension);

		mean += sampled->weights[j] * part;
		mean_magnitude += sampled->weights[j] * fabs(part);
	}
	for (size_t j = 0; j < sampled->sees; j++) {
		double part = product(gradient, key_vector(sampled, attention->v, j), dimension);

		sampled->magnitudes[j] = sampled->weights[j] * scale * (fabs(part) + mean_magnitude);
		sampled->weights[j] *= scale * (part - mean);
	}
}

static void compare_element(struct bench_check *check, double got, double expected, double magnitude)
{
	double difference = fabs(got - expected), error = difference > 0 ? difference / (ALLOWED_ERROR * magnitude) : difference;

	if (!(error <= 1)) /* true for NaN, the poison, too */
		check->verified = false;
	if (!(error <= check->worst_error))
		check->worst_error = error;
}

/* Compares a row of `out` with the weighted sum of rows of keys or values. */
static void check_row(const struct sampled_query *sampled, const float *out, const float *keys, struct bench_check *check)
{
	for (int64_t x = 0; x < sampled->attention->shape.head_dimension; x++) {
		double sum = 0, magnitude = 0;

		for (size_t j = 0; j < sampled->sees; j++) {
			double key = (double)key_vector(sampled, keys, j)[x];

			sum += sampled->weights[j] * key;
			magnitude += sampled->magnitudes[j] * fabs(key);
		}
		compare_element(check, (double)query_vector(sampled, out)[x], sum, magnitude);
	}
}

/* Compares the sums over one head of keys with those over the heads that share it. */
static void check_sums(const struct cpu_attention *attention, struct bench_check *check)
{
	const struct bench_attention *shape = &attention->shape;
	struct sampled_query at = {.attention = attention};
	double by_queries = 0, by_keys = 0, magnitude = 0, values = 0, outputs = 0, terms = 0;

	for (size_t h = 0; h < (size_t)(shape->heads / shape->kv_heads); h++)
		for (size_t i = 0; i < (size_t)shape->queries; i++) {
			at.head = h;
			at.query = i;
			by_queries += product(query_vector(&at, attention->q), query_vector(&at, attention->dq), shape->head_dimension);
			magnitude += magnitude_of(query_vector(&at, attention->q), query_vector(&at, attention->dq), shape->head_dimension);
			terms += fabs((double)query_vector(&at, attention->output_gradient)[0]);
			outputs += (double)query_vector(&at, attention->output_gradient)[0];
		}
	at.head = 0;
	for (size_t j = 0; j < (size_t)shape->keys; j++) {
		by_keys += product(key_vector(&at, attention->k, j), key_vector(&at, attention->dk, j), shape->head_dimension);
		values += (double)key_vector(&at, attention->dv, j)[0];
	}
	compare_element(check, by_keys, by_queries, magnitude);
	compare_element(check, values, outputs, terms);
}

void cpu_attention_check(const struct cpu_attention *attention, struct bench_check *check)
{
	const struct bench_attention *shape = &attention->shape;
	size_t keys = (size_t)shape->keys;
	double *memory = malloc(2 * keys * sizeof(double));
	struct sampled_query sampled = {.attention = attention, .weights = memory, .magnitudes = memory ? memory + keys : NULL};
	uint64_t seed = 1;

	*check = (struct bench_check){.verified = memory != NULL, .samples = SAMPLES};
	for (int s = 0; s < SAMPLES && memory; s++) {
		sampled.batch = random_next(&seed) % (size_t)shape->batch;
		sampled.head = random_next(&seed) % (size_t)shape->heads;
		sampled.query = s == 0 ? 0 : random_next(&seed) % (size_t)shape->queries;
		sampled.sees = shape->causal ? sampled.query + 1 + (size_t)(shape->keys - shape->queries) : keys;
		compute_probabilities(&sampled);
		if (shape->backward)
			compute_score_gradients(&sampled);
		check_row(&sampled, shape->backward ? attention->dq : attention->output, shape->backward ? attention->k : attention->v, check);
	}
	if (shape->backward && memory)
		check_sums(attention, check);
	free(memory);
}
