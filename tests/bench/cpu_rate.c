/* Compares the cpu backend with plain code: its triad with a loop on plain threads, its product with OpenBLAS.
 *
 * The two of a pair run by turns, so that other load on the machine affects both. usage: cpu_rate [SECONDS] */
#include <math.h>
#include <pthread.h>
#include <sched.h>

#include "base/clock.h"
#include "bench/cpu/cpu_info.h"
#include "bench/cpu/cpu_session.h"
#include "bench/statistics.h"

enum { RUNS_MAX = 2000, THREADS_MAX = 512 };

struct plain {
	pthread_t thread;
	int index;
	double *a, *b, *c;
	size_t first, last;
	pthread_barrier_t *begin, *end;
	const bool *over;
};

static void pin(int index)
{
	cpu_set_t allowed, mine;

	CPU_ZERO(&mine);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && index-- == 0)
			CPU_SET(cpu, &mine);
	(void)!pthread_setaffinity_np(pthread_self(), sizeof(mine), &mine);
}

static void *plain_triad(void *argument)
{
	struct plain *part = argument;
	double *restrict a = part->a;
	const double *restrict b = part->b, *restrict c = part->c;

	pin(part->index);
	for (size_t i = part->first; i < part->last; i++) {
		part->b[i] = 1;
		part->c[i] = 2;
		a[i] = 0;
	}
	for (;;) {
		pthread_barrier_wait(part->begin);
		if (*part->over)
			return NULL;
		for (size_t i = part->first; i < part->last; i++)
			a[i] = b[i] + 3.0 * c[i];
		pthread_barrier_wait(part->end);
	}
}

struct plain_threads {
	struct plain parts[THREADS_MAX];
	int count;
	pthread_barrier_t begin, end;
	bool over;
};

static bool plain_start(struct plain_threads *threads, int count, size_t doubles)
{
	double *memory = cpu_memory_map(3 * doubles * sizeof(double));

	threads->count = count;
	threads->over = false;
	pthread_barrier_init(&threads->begin, NULL, (unsigned)count + 1);
	pthread_barrier_init(&threads->end, NULL, (unsigned)count + 1);
	for (int i = 0; memory && i < count; i++) {
		struct plain *part = &threads->parts[i];

		*part = (struct plain){.index = i,
			.a = memory,
			.b = memory + doubles,
			.c = memory + 2 * doubles,
			.begin = &threads->begin,
			.end = &threads->end,
			.over = &threads->over};
		cpu_pool_range(doubles, 1024, i, count, &part->first, &part->last);
		if (pthread_create(&part->thread, NULL, plain_triad, part))
			return false;
	}
	return memory != NULL;
}

static double plain_run_s(struct plain_threads *threads)
{
	int64_t start_ns;

	start_ns = clock_monotonic_ns();
	pthread_barrier_wait(&threads->begin);
	pthread_barrier_wait(&threads->end);
	return (double)(clock_monotonic_ns() - start_ns) * 1e-9;
}

static void plain_stop(struct plain_threads *threads)
{
	threads->over = true;
	pthread_barrier_wait(&threads->begin);
	for (int i = 0; i < threads->count; i++)
		pthread_join(threads->parts[i].thread, NULL);
}

static double seconds[2][RUNS_MAX], scratch[RUNS_MAX];

/* Prints the median rates of both, and the median ratio of the second to the first. */
static void print_pair(const char *what, const char *unit, double amount, const char *const names[2], size_t runs, double least)
{
	struct bench_statistics statistics[2], ratio;
	static double ratios[RUNS_MAX];

	for (size_t i = 0; i < runs; i++)
		ratios[i] = seconds[0][i] / seconds[1][i];
	for (int s = 0; s < 2; s++)
		bench_statistics_compute(seconds[s], scratch, runs, &statistics[s]);
	bench_statistics_compute(ratios, scratch, runs, &ratio);
	printf("%-24s %-22s %8.2f %s, %-12s %8.2f %s; ratio %.3f (p10 %.3f, p90 %.3f, %zu pairs; required: at least %.2f)\n", what, names[0],
		amount / statistics[0].median * 1e-9, unit, names[1], amount / statistics[1].median * 1e-9, unit, ratio.median, ratio.p10,
		ratio.p90, runs, least);
}

static void compare_triads(struct bench_session *session, double budget_s)
{
	static const char *const names[2] = {"plain C", "fleetplan"};
	struct bench_work_request request = {.kind = WORK_STREAM_TRIAD, .method = METHOD_STREAM};
	static struct plain_threads threads;
	struct bench_reason reason;
	struct bench_work work;
	int64_t end_ns = clock_monotonic_ns() + (int64_t)(budget_s * 1e9);
	size_t runs = 0;

	if (bench_cpu_backend.prepare(session, &request, &work, &reason) != BENCH_OK ||
		!plain_start(&threads, session->device.threads, session->streams.count)) {
		printf("triad: %s\n", reason.text);
		return;
	}
	(void)plain_run_s(&threads); /* the first run takes the page faults of both */
	(void)work.run(&work, &seconds[1][0], &reason);
	while (runs < RUNS_MAX && (runs < 5 || clock_monotonic_ns() < end_ns)) {
		seconds[0][runs] = plain_run_s(&threads);
		(void)work.run(&work, &seconds[1][runs], &reason);
		runs++;
	}
	plain_stop(&threads);
	print_pair("triad", "GB/s", work.bytes, names, runs, 0.9);
	work.release(&work);
}

static void compare_products(struct bench_session *session, struct bench_shape shape, enum bench_product product, double budget_s)
{
	static const char *names[2] = {NULL, "own kernel"};
	struct bench_work_request requests[2] = {
		{.kind = WORK_GEMM, .method = METHOD_LIBRARY_GEMM, .precision = PRECISION_FP32, .shape = shape, .product = product}};
	struct bench_work works[2];
	struct bench_reason reason;
	int64_t end_ns = clock_monotonic_ns() + (int64_t)(budget_s * 1e9);
	char what[64];
	size_t runs = 0;

	requests[1] = requests[0];
	requests[1].method = METHOD_KERNEL_GEMM;
	for (int s = 0; s < 2; s++)
		if (bench_cpu_backend.prepare(session, &requests[s], &works[s], &reason) != BENCH_OK) {
			printf("product: %s\n", reason.text);
			return;
		}
	while (runs < RUNS_MAX && (runs < 6 || clock_monotonic_ns() < end_ns)) {
		for (int s = 0; s < 2; s++)
			(void)works[s].run(&works[s], &seconds[s][runs], &reason);
		runs++;
	}
	names[0] = session->blas.version;
	snprintf(
		what, sizeof(what), "%lldx%lldx%lld %s", (long long)shape.m, (long long)shape.n, (long long)shape.k, bench_product_name(product));
	print_pair(what, "GFLOP/s", works[0].flops, names, runs, 0.6);
	for (int s = 0; s < 2; s++)
		works[s].release(&works[s]);
}

int main(int argc, char **argv)
{
	double budget_s = argc > 1 ? strtod(argv[1], NULL) : 4;
	struct bench_session *session;
	struct bench_device device;
	struct bench_reason reason;
	size_t count;

	if (bench_cpu_backend.list(&device, 1, &count, &reason) != BENCH_OK || device.threads > THREADS_MAX ||
		bench_cpu_backend.open(&device, &session, &reason) != BENCH_OK)
		return 1;
	printf("%s, %d threads, %s\n", device.name, device.threads, device.instruction_set);
	compare_triads(session, budget_s);
	compare_products(session, (struct bench_shape){1024, 1024, 1024}, PRODUCT_FORWARD, budget_s);
	compare_products(session, (struct bench_shape){2048, 2048, 2048}, PRODUCT_FORWARD, budget_s);
	compare_products(session, (struct bench_shape){1024, 3072, 1024}, PRODUCT_INPUT_GRADIENT, budget_s);
	compare_products(session, (struct bench_shape){1024, 3072, 1024}, PRODUCT_WEIGHT_GRADIENT, budget_s);
	compare_products(session, (struct bench_shape){8, 4096, 4096}, PRODUCT_FORWARD, budget_s);
	bench_cpu_backend.close(session);
	return 0;
}
