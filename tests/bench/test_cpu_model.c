/* Tests attention, reads of keys and values, element-wise work and sequences on the cpu against textbook formulas in
 * double precision. */
#include <math.h>

#include "bench/cpu/cpu_attention.h"
#include "bench/cpu/cpu_gemm.h"
#include "bench/cpu/cpu_session.h"
#include "bench/random.h"
#include "support/assert.h"

enum { THREADS = 3, ROW_MAX = 70 };

static float *floats(size_t count, uint64_t seed)
{
	float *memory = aligned_alloc(CPU_KERNEL_ALIGNMENT, (count * sizeof(float) + 63) / 64 * 64);

	assert_non_null(memory);
	random_fill_normal(memory, count, seed);
	return memory;
}

/* Tests every length from one lane to several vectors and a rest, in every instruction set. */
static void rows_are_right_in_every_instruction_set(void **state)
{
	float a[ROW_MAX], b[ROW_MAX], p[ROW_MAX], dp[ROW_MAX], out[1];

	(void)state;
	for (size_t i = 0; i < cpu_kernels_count; i++) {
		const struct cpu_kernels *kernels = &cpu_kernels_table[i];

		for (size_t count = 1; kernels->supported() && count <= ROW_MAX; count++) {
			double dot = 0, sum = 0, mean = 0, magnitude = 0;

			random_fill_normal(a, ROW_MAX, count);
			random_fill_normal(b, ROW_MAX, count + 100);
			memcpy(p, a, sizeof(p));
			memcpy(dp, b, sizeof(dp));
			for (size_t j = 0; j < count; j++) {
				dot += (double)a[j] * (double)b[j];
				magnitude += fabs((double)a[j] * (double)b[j]);
				sum += exp(0.5 * (double)a[j]);
			}
			kernels->dots(a, b, 1, count, out);
			assert_true(fabs((double)out[0] - dot) <= 1e-6 * magnitude);
			kernels->softmax(p, count, 0.5f);
			for (size_t j = 0; j < count; j++)
				assert_true(fabs((double)p[j] - exp(0.5 * (double)a[j]) / sum) < 1e-6);
			for (size_t j = 0; j < count; j++)
				mean += (double)p[j] * (double)b[j];
			kernels->softmax_gradient(p, dp, count, 0.5f);
			for (size_t j = 0; j < count; j++)
				assert_true(fabs((double)dp[j] - 0.5 * (double)p[j] * ((double)b[j] - mean)) < 1e-5);
			if (count < ROW_MAX) {
				assert_true(fabsf(p[count] - a[count]) <= 0); /* the code does not write past the row */
				assert_true(fabsf(dp[count] - b[count]) <= 0);
			}
		}
	}
}

/* The scores differ widely. The smallest probabilities must be 0, not garbage. */
static void exponentials_do_not_wrap(void **state)
{
	(void)state;
	for (size_t i = 0; i < cpu_kernels_count; i++) {
		float row[20] = {0};

		if (!cpu_kernels_table[i].supported())
			continue;
		row[3] = 1000;
		row[7] = -1e30f;
		row[11] = 990;
		cpu_kernels_table[i].softmax(row, COUNT_OF(row), 1);
		assert_true(fabsf(row[0]) <= 0 && fabsf(row[7]) <= 0);
		assert_true(fabs((double)row[11] - exp(-10) / (1 + exp(-10))) < 1e-9);
		assert_true(fabs((double)row[3] - 1 / (1 + exp(-10))) < 1e-6);
	}
}

/* One whole attention in double precision by the textbook formulas: outputs and all gradients. */
struct reference {
	double *o, *dq, *dk, *dv;
};

static size_t at(int64_t batch, int64_t rows, int64_t row, int64_t heads, int64_t head, int64_t dimension)
{
	return (size_t)(((batch * rows + row) * heads + head) * dimension);
}

static void refer_query(const struct cpu_attention *attention, struct reference *out, int64_t b, int64_t h, int64_t i)
{
	const struct bench_attention *s = &attention->shape;
	int64_t d = s->head_dimension, shared = h / (s->heads / s->kv_heads), sees = s->causal ? i + 1 + s->keys - s->queries : s->keys;
	const float *q = attention->q + at(b, s->queries, i, s->heads, h, d);
	const float *g = attention->output_gradient + at(b, s->queries, i, s->heads, h, d);
	double p[64], dp[64], sum = 0, mean = 0, scale = 1 / sqrt((double)d);

	assert_true(sees <= 64);
	for (int64_t j = 0; j < sees; j++) {
		const float *k = attention->k + at(b, s->keys, j, s->kv_heads, shared, d),
					*v = attention->v + at(b, s->keys, j, s->kv_heads, shared, d);

		p[j] = dp[j] = 0;
		for (int64_t x = 0; x < d; x++) {
			p[j] += (double)q[x] * (double)k[x] * scale;
			dp[j] += (double)g[x] * (double)v[x];
		}
		sum += p[j] = exp(p[j]);
	}
	for (int64_t j = 0; j < sees; j++)
		mean += (p[j] /= sum) * dp[j];
	for (int64_t j = 0; j < sees; j++)
		for (int64_t x = 0; x < d; x++) {
			size_t from = at(b, s->keys, j, s->kv_heads, shared, d) + (size_t)x, to = at(b, s->queries, i, s->heads, h, d) + (size_t)x;
			double ds = p[j] * (dp[j] - mean) * scale;

			out->o[to] += p[j] * (double)attention->v[from];
			out->dq[to] += ds * (double)attention->k[from];
			out->dk[from] += ds * (double)q[x];
			out->dv[from] += p[j] * (double)g[x];
		}
}

static void compare(const float *got, const double *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_true(fabs((double)got[i] - expected[i]) < 2e-5);
}

static void attend(const struct bench_attention *shape, struct cpu_pool *pool)
{
	size_t queries = cpu_attention_query_floats(shape), keys = cpu_attention_key_floats(shape);
	struct reference expected = {
		calloc(queries, sizeof(double)), calloc(queries, sizeof(double)), calloc(keys, sizeof(double)), calloc(keys, sizeof(double))};
	float *q = floats(queries, 1), *k = floats(keys, 2), *v = floats(keys, 3), *g = floats(queries, 4), *panels[THREADS], *scores[THREADS];
	float *o = floats(queries, 5), *dk = floats(keys, 6), *dv = floats(keys, 7);
	struct cpu_attention attention = {.kernels = cpu_kernels_best(),
		.shape = *shape,
		.q = q,
		.k = k,
		.v = v,
		.output_gradient = g,
		.output = o,
		.dq = o,
		.dk = dk,
		.dv = dv,
		.panels = panels,
		.scores = scores};
	struct bench_check check;

	for (int i = 0; i < THREADS; i++) {
		panels[i] = floats(cpu_gemm_panel_floats(), 8);
		scores[i] = floats(cpu_attention_scratch_floats(shape), 9);
	}
	for (int64_t b = 0; b < shape->batch; b++)
		for (int64_t h = 0; h < shape->heads; h++)
			for (int64_t i = 0; i < shape->queries; i++)
				refer_query(&attention, &expected, b, h, i);
	for (int backward = 0; backward < 2; backward++) {
		attention.shape.backward = backward;
		cpu_attention_run(&attention, pool);
		compare(o, backward ? expected.dq : expected.o, queries);
		cpu_attention_check(&attention, &check);
		assert_true(check.verified);
		o[queries / 2] += 1; /* the check sees most of so few outputs */
	}
	compare(dk, expected.dk, keys);
	compare(dv, expected.dv, keys);
	for (size_t i = 0; i < keys; i++)
		dv[i] *= 0.99f;
	cpu_attention_check(&attention, &check);
	assert_false(check.verified); /* one percent of the values' gradients is missing */
	for (int i = 0; i < THREADS; i++) {
		free(panels[i]);
		free(scores[i]);
	}
	free(expected.o);
	free(expected.dq);
	free(expected.dk);
	free(expected.dv);
	free(q);
	free(k);
	free(v);
	free(g);
	free(o);
	free(dk);
	free(dv);
}

/* Shapes with groups of heads, a query that continues a cache, lengths that are not multiples of a vector, and
 * dimensions of 1. */
static void attention_is_right_forward_and_backward(void **state)
{
	static const struct bench_attention shapes[] = {{1, 1, 1, 1, 1, 1, .causal = true}, {2, 4, 2, 33, 33, 24, .causal = true},
		{1, 3, 3, 20, 50, 7, .causal = true}, {2, 6, 1, 17, 29, 16, .causal = false}};
	struct cpu_pool *pool = cpu_pool_new(THREADS);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(shapes); i++)
		attend(&shapes[i], pool);
	cpu_pool_free(pool);
}

static void shapes_that_are_none_are_refused(void **state)
{
	static const struct bench_attention bad[] = {{1, 4, 3, 8, 8, 8, .causal = false}, {1, 4, 4, 9, 8, 8, .causal = true},
		{0, 4, 4, 8, 8, 8, .causal = false}, {1, 4, 4, 8, 8, 1 << 21, .causal = false},
		{1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, .causal = false}};
	struct bench_attention good = {1, 4, 2, 8, 8, 8, .causal = true};

	(void)state;
	assert_true(cpu_attention_fits(&good));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(cpu_attention_fits(&bad[i]));
}

struct opened {
	struct bench_session *session;
	struct bench_reason reason;
};

static int setup(void **state)
{
	struct opened *opened = calloc(1, sizeof(*opened));
	struct bench_device device;
	size_t count;

	assert_int_equal(bench_cpu_backend.list(&device, 1, &count, &opened->reason), BENCH_OK);
	assert_int_equal(bench_cpu_backend.open(&device, &opened->session, &opened->reason), BENCH_OK);
	*state = opened;
	return 0;
}

static int teardown(void **state)
{
	struct opened *opened = *state;

	bench_cpu_backend.close(opened->session);
	free(opened);
	return 0;
}

static void run_and_verify(struct opened *opened, const struct bench_work_request *request, struct bench_work *work)
{
	struct bench_check check;
	double elapsed_s = 0;

	assert_int_equal(bench_cpu_backend.prepare(opened->session, request, work, &opened->reason), BENCH_OK);
	assert_int_equal(work->verify(work, &check, &opened->reason), BENCH_OK);
	assert_true(check.verified && check.samples > 0);
	assert_int_equal(work->run(work, &elapsed_s, &opened->reason), BENCH_OK);
	assert_true(elapsed_s > 0);
	work->release(work);
}

static void keys_and_values_are_read_once(void **state)
{
	struct bench_work_request request = {
		.kind = WORK_KV_READ, .method = METHOD_STREAM, .precision = PRECISION_FP32, .attention = {3, 8, 2, 1, 75, 40, .causal = false}};
	struct bench_work work;

	run_and_verify(*state, &request, &work);
	assert_close(work.bytes, 2.0 * 3 * 2 * 75 * 40 * 4, 0);
	assert_true(work.cache_resident);
}

static void elements_are_read_and_written_half_and_half(void **state)
{
	struct bench_work_request request = {.kind = WORK_ELEMENTWISE, .method = METHOD_STREAM, .precision = PRECISION_FP32, .bytes = 1e6};
	struct bench_work work;

	run_and_verify(*state, &request, &work);
	assert_true(work.bytes >= 1e6 && work.bytes < 1e6 + 2 * 1024 * 8);
}

/* The parts share memory, and each is still verified alone. */
static void a_sequence_runs_its_parts(void **state)
{
	struct bench_work_request parts[] = {
		{.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_FP32, .shape = {64, 96, 32}},
		{.kind = WORK_ATTENTION,
			.method = METHOD_KERNEL_ATTENTION,
			.precision = PRECISION_FP32,
			.attention = {1, 4, 2, 64, 64, 16, .causal = true}},
		{.kind = WORK_ELEMENTWISE, .method = METHOD_STREAM, .precision = PRECISION_FP32, .bytes = 65536},
		{.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_FP32, .shape = {32, 96, 64}, .product = PRODUCT_WEIGHT_GRADIENT},
		{.kind = WORK_ATTENTION,
			.method = METHOD_KERNEL_ATTENTION,
			.precision = PRECISION_FP32,
			.attention = {1, 4, 2, 64, 64, 16, .causal = true, .backward = true}},
	};
	struct bench_work_request request = {.kind = WORK_SEQUENCE,
								  .method = METHOD_SEQUENCE,
								  .precision = PRECISION_FP32,
								  .parts = parts,
								  .part_count = COUNT_OF(parts)},
							  nested;
	struct opened *opened = *state;
	struct bench_work work;

	run_and_verify(opened, &request, &work);
	assert_close(work.flops,
		2.0 * (2.0 * 64 * 96 * 32) + bench_attention_flops(&parts[1].attention) + bench_attention_flops(&parts[4].attention), 1e-12);
	parts[2].precision = PRECISION_BF16;
	assert_int_equal(bench_cpu_backend.prepare(opened->session, &request, &work, &opened->reason), BENCH_UNSUPPORTED);
	nested = request;
	request.parts = &nested;
	request.part_count = 1;
	assert_int_equal(bench_cpu_backend.prepare(opened->session, &request, &work, &opened->reason), BENCH_UNSUPPORTED);
	assert_contains(opened->reason.text, "sequence");
	parts[2].precision = PRECISION_FP32; /* a failed sequence does not damage the session */
	run_and_verify(opened, &nested, &work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_right_in_every_instruction_set),
		cmocka_unit_test(exponentials_do_not_wrap),
		cmocka_unit_test(attention_is_right_forward_and_backward),
		cmocka_unit_test(shapes_that_are_none_are_refused),
		cmocka_unit_test_setup_teardown(keys_and_values_are_read_once, setup, teardown),
		cmocka_unit_test_setup_teardown(elements_are_read_and_written_half_and_half, setup, teardown),
		cmocka_unit_test_setup_teardown(a_sequence_runs_its_parts, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
