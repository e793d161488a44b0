/* Tests the cpu backend: every instruction set of this CPU against double precision, streams, threads, sizes. */
#include <math.h>
#include <stdatomic.h>

#include "bench/cpu/cpu_gemm.h"
#include "bench/cpu/cpu_info.h"
#include "bench/cpu/cpu_session.h"
#include "bench/random.h"
#include "support/assert.h"

enum { THREADS = 3 };

static float *floats(size_t count)
{
	void *memory = aligned_alloc(CPU_KERNEL_ALIGNMENT, (count * sizeof(float) + 63) / 64 * 64);

	assert_non_null(memory);
	return memory;
}

/* Compares every output of the product with double precision, not only samples. */
static void compare_all(const struct cpu_gemm *gemm)
{
	const struct bench_shape *s = &gemm->shape;

	for (int64_t i = 0; i < s->m; i++)
		for (int64_t j = 0; j < s->n; j++) {
			double sum = 0, magnitude = 0;

			for (int64_t p = 0; p < s->k; p++) {
				double product = (double)gemm->a.at[(size_t)i * gemm->a.row + (size_t)p * gemm->a.column] *
					(double)gemm->b.at[(size_t)p * gemm->b.row + (size_t)j * gemm->b.column];

				sum += product;
				magnitude += fabs(product);
			}
			assert_true(fabs((double)gemm->c[i * s->n + j] - sum) <= 4 * sqrt((double)s->k) * 0x1p-24 * magnitude);
		}
}

static void multiply(const struct cpu_kernels *kernels, struct cpu_pool *pool, struct bench_shape shape, enum bench_product product)
{
	float *panels[THREADS], *a = floats((size_t)(shape.m * shape.k)), *b = floats((size_t)(shape.k * shape.n));
	float *c = floats((size_t)(shape.m * shape.n));
	struct cpu_gemm gemm = {.kernels = kernels, .shape = shape};
	struct bench_check check;

	cpu_gemm_lay(&gemm, product, a, b, c);
	for (int i = 0; i < THREADS; i++)
		panels[i] = floats(cpu_gemm_panel_floats());
	random_fill_normal(a, (size_t)(shape.m * shape.k), 5);
	random_fill_normal(b, (size_t)(shape.k * shape.n), 6);
	for (int64_t i = 0; i < shape.m * shape.n; i++)
		c[i] = NAN;
	cpu_gemm_run(&gemm, panels, pool);
	compare_all(&gemm);
	cpu_gemm_check(&gemm, 64, 1, &check);
	assert_true(check.verified);
	assert_true(check.worst_error < 1);
	for (int i = 0; i < THREADS; i++)
		free(panels[i]);
	free(a);
	free(b);
	free(c);
}

/* The shapes are whole tiles, cross every edge, are thinner than a tile, or need several blocks of depth. */
static void products_are_right_in_every_instruction_set(void **state)
{
	static const struct bench_shape shapes[] = {
		{48, 64, 32}, {37, 41, 53}, {1, 1, 1}, {1, 300, 7}, {300, 1, 7}, {5, 3, 700}, {205, 130, 260}, {24, 1100, 16}};
	struct cpu_pool *pool = cpu_pool_new(THREADS);
	size_t tried = 0;

	(void)state;
	assert_non_null(pool);
	for (size_t i = 0; i < cpu_kernels_count; i++) {
		if (!cpu_kernels_table[i].supported())
			continue;
		tried++;
		for (size_t s = 0; s < COUNT_OF(shapes); s++)
			for (int product = 0; product < PRODUCT_COUNT; product++)
				multiply(&cpu_kernels_table[i], pool, shapes[s], (enum bench_product)product);
	}
	assert_true(tried >= 1);
	cpu_pool_free(pool);
}

/* The check must reject outputs that were never written (poison) and outputs that lack one product. */
static void the_check_finds_wrong_products(void **state)
{
	enum { SIDE = 64 };
	float *a = floats(SIDE * SIDE), *b = floats(SIDE * SIDE), *c = floats(SIDE * SIDE), *panels[THREADS];
	struct cpu_pool *pool = cpu_pool_new(THREADS);
	struct cpu_gemm gemm = {.kernels = cpu_kernels_best(), .shape = {SIDE, SIDE, SIDE}};
	struct bench_check check;

	(void)state;
	cpu_gemm_lay(&gemm, PRODUCT_FORWARD, a, b, c);
	for (int i = 0; i < THREADS; i++)
		panels[i] = floats(cpu_gemm_panel_floats());
	random_fill_normal(a, SIDE * SIDE, 5);
	random_fill_normal(b, SIDE * SIDE, 6);
	for (size_t i = 0; i < SIDE * SIDE; i++)
		c[i] = NAN;
	cpu_gemm_check(&gemm, 8, 1, &check);
	assert_false(check.verified);
	cpu_gemm_run(&gemm, panels, pool);
	for (size_t i = 0; i < SIDE; i++)
		for (size_t j = 0; j < SIDE; j++)
			c[i * SIDE + j] -= a[i * SIDE] * b[j]; /* the first of 64 products is missing */
	cpu_gemm_check(&gemm, 64, 1, &check);
	assert_false(check.verified);
	for (int i = 0; i < THREADS; i++)
		free(panels[i]);
	cpu_pool_free(pool);
	free(a);
	free(b);
	free(c);
}

static void issue_loops_compute_what_they_count(void **state)
{
	(void)state;
	for (size_t i = 0; i < cpu_kernels_count; i++) {
		const struct cpu_kernels *kernels = &cpu_kernels_table[i];

		if (!kernels->supported())
			continue;
		assert_close((double)kernels->issue(1), kernels->issue_sum, 0);
		assert_close((double)kernels->issue(1000), kernels->issue_sum, 0);
		assert_true(kernels->issue_flops > 0);
	}
}

static void streams_do_what_they_say(void **state)
{
	enum { COUNT = 2048 };
	static double x[COUNT] __attribute__((aligned(64))), y[COUNT] __attribute__((aligned(64))), z[COUNT] __attribute__((aligned(64)));

	(void)state;
	for (size_t i = 0; i < cpu_kernels_count; i++) {
		const struct cpu_kernels *kernels = &cpu_kernels_table[i];
		double sum = 0;

		if (!kernels->supported())
			continue;
		for (size_t j = 0; j < COUNT; j++) {
			x[j] = (double)j;
			y[j] = 0.5 * (double)j;
			z[j] = -1;
			sum += x[j];
		}
		assert_close(kernels->read(x, COUNT), sum, 0);
		kernels->copy(z, x, COUNT);
		assert_memory_equal(z, x, sizeof(x));
		kernels->triad(z, x, y, 3, COUNT);
		for (size_t j = 0; j < COUNT; j++)
			assert_close(z[j], 2.5 * (double)j, 0);
		kernels->scale(z, x, 1.5, COUNT);
		for (size_t j = 0; j < COUNT; j++)
			assert_close(z[j], 1.5 * (double)j, 0);
	}
}

static void arrays_are_four_times_the_cache_or_say_so(void **state)
{
	bool large;

	(void)state;
	assert_int_equal(cpu_stream_count(32 * 0x1p20, 64 * 0x1p30, &large) * sizeof(double), 128 << 20);
	assert_true(large);
	assert_int_equal(cpu_stream_count(1 * 0x1p20, 64 * 0x1p30, &large) * sizeof(double), 64 << 20);
	assert_true(large);
	assert_int_equal(cpu_stream_count(480 * 0x1p20, 6 * 0x1p30, &large) * sizeof(double), 512 << 20);
	assert_false(large); /* 3 arrays of 1.9 GiB are more than a quarter of 6 GiB */
	assert_int_equal(cpu_stream_count(0, 64 * 0x1p30, &large) * sizeof(double), 256 << 20);
	assert_int_equal(cpu_stream_count(32 * 0x1p20, 0, &large), 0);
}

static void count_part(void *context, int index, int threads)
{
	_Atomic int *calls = context;

	assert_int_equal(threads, THREADS);
	atomic_fetch_add(&calls[index], 1);
}

static void every_thread_runs_every_piece_once(void **state)
{
	struct cpu_pool *pool = cpu_pool_new(THREADS);
	_Atomic int calls[THREADS] = {0};
	size_t first, last, end = 0;

	(void)state;
	for (int i = 0; i < 500; i++)
		cpu_pool_run(pool, count_part, calls);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(atomic_load(&calls[i]), 500);
	cpu_pool_free(pool);
	for (int i = 0; i < 7; i++) {
		cpu_pool_range(100, 8, i, 7, &first, &last);
		assert_int_equal(first, end);
		assert_true(last >= first && (last % 8 == 0 || last == 100));
		end = last;
	}
	assert_int_equal(end, 100);
}

static void the_device_tells_what_it_knows(void **state)
{
	struct bench_device device;
	struct json_writer writer;
	struct buffer text;
	char slug[32];

	(void)state;
	assert_close(cpu_info_quota("200000 100000"), 2, 1e-15);
	assert_close(cpu_info_quota("150000 100000"), 1.5, 1e-15);
	assert_close(cpu_info_quota("max 100000"), 0, 0);
	assert_close(cpu_info_quota("garbage"), 0, 0);
	cpu_info_slug("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", slug, sizeof(slug));
	assert_string_equal(slug, "intel-xeon-platinum-8481c-cpu");
	cpu_info_slug("AMD EPYC 9654 96-Core (", slug, sizeof(slug));
	assert_string_equal(slug, "amd-epyc-9654-96-core");
	cpu_info_device(&device);
	assert_true(device.threads >= 1 && device.threads == cpu_info_threads());
	assert_true(bench_device_knows(&device, DEVICE_ACCELERATOR));
	assert_memory_equal(device.id, "cpu-", 4);
	device.known &= ~(1u << DEVICE_CACHE);
	buffer_init(&text, 4096);
	json_writer_init(&writer, &text);
	json_begin_object(&writer);
	bench_device_encode(&device, &writer);
	json_end_object(&writer);
	assert_contains(text.bytes, "\"backend\":\"cpu\"");
	assert_null(strstr(text.bytes, "cache_bytes")); /* an unknown value is left out, not written as 0 */
	buffer_release(&text);
}

/* Runs each kind of work through the backend's table. Each is verified and counts its bytes or operations. */
static void work_runs_and_is_verified(void **state)
{
	static const struct {
		enum bench_work_kind kind;
		enum bench_method method;
	} kinds[] = {{WORK_LAUNCH, METHOD_THREAD_WAKE}, {WORK_ISSUE_RATE, METHOD_ISSUE_RATE}, {WORK_GEMM, METHOD_KERNEL_GEMM},
		{WORK_GEMM, METHOD_LIBRARY_GEMM}};
	struct bench_session *session;
	struct bench_reason reason;
	struct bench_device device;
	struct bench_check check;
	struct bench_work work;
	_Atomic uint64_t alive = 0;
	double elapsed_s;
	size_t count;

	(void)state;
	assert_int_equal(bench_cpu_backend.list(&device, 1, &count, &reason), BENCH_OK);
	assert_int_equal(bench_cpu_backend.open(&device, &session, &reason), BENCH_OK);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct bench_work_request request = {
			.kind = kinds[i].kind, .method = kinds[i].method, .precision = PRECISION_FP32, .shape = {160, 96, 64}, .alive = &alive};
		enum bench_outcome outcome;

#ifdef __SANITIZE_THREAD__
		/* The sanitizer did not build the library and does not see how the library's threads wait for each other. */
		if (kinds[i].method == METHOD_LIBRARY_GEMM)
			continue;
#endif
		outcome = bench_cpu_backend.prepare(session, &request, &work, &reason);
		if (kinds[i].method == METHOD_LIBRARY_GEMM && outcome == BENCH_UNSUPPORTED) {
			assert_contains(reason.text, "OpenBLAS"); /* not installed on this machine: refused with the reason */
			continue;
		}
		assert_int_equal(outcome, BENCH_OK);
		assert_int_equal(work.verify(&work, &check, &reason), BENCH_OK);
		assert_true(check.verified);
		assert_int_equal(work.run(&work, &elapsed_s, &reason), BENCH_OK);
		assert_true(elapsed_s > 0);
		if (kinds[i].kind == WORK_GEMM)
			assert_close(work.flops, 2.0 * 160 * 96 * 64, 1e-15);
		work.release(&work);
	}
	bench_cpu_backend.close(session);
}

static void what_cannot_be_is_refused_with_a_reason(void **state)
{
	struct bench_work_request request = {.kind = WORK_GEMM, .method = METHOD_KERNEL_GEMM, .precision = PRECISION_BF16, .shape = {8, 8, 8}};
	struct bench_session *session;
	struct bench_reason reason = {""};
	struct bench_device device;
	struct bench_work work;
	size_t count;

	(void)state;
	assert_int_equal(bench_cpu_backend.list(&device, 1, &count, &reason), BENCH_OK);
	assert_int_equal(bench_cpu_backend.open(&device, &session, &reason), BENCH_OK);
	assert_int_equal(bench_cpu_backend.prepare(session, &request, &work, &reason), BENCH_UNSUPPORTED);
	assert_contains(reason.text, "fp32");
	request.precision = PRECISION_FP32;
	request.shape = (struct bench_shape){1 << 20, 1 << 20, 1 << 20};
	assert_int_equal(bench_cpu_backend.prepare(session, &request, &work, &reason), BENCH_UNSUPPORTED);
	assert_contains(reason.text, "memory");
	bench_cpu_backend.close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_are_right_in_every_instruction_set),
		cmocka_unit_test(the_check_finds_wrong_products),
		cmocka_unit_test(issue_loops_compute_what_they_count),
		cmocka_unit_test(streams_do_what_they_say),
		cmocka_unit_test(arrays_are_four_times_the_cache_or_say_so),
		cmocka_unit_test(every_thread_runs_every_piece_once),
		cmocka_unit_test(the_device_tells_what_it_knows),
		cmocka_unit_test(work_runs_and_is_verified),
		cmocka_unit_test(what_cannot_be_is_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
