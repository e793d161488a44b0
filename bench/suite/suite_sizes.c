/* Work in several sizes, to fit a latency and a bandwidth: transfers, copies between devices, reductions. */
#include <math.h>

#include "bench/fit.h"
#include "bench/suite/suite_tests.h"

enum { SIZES_MAX = 16 };

struct sizes {
	double bytes[SIZES_MAX];
	size_t count;
};

static void sizes_add(struct sizes *sizes, double bytes)
{
	for (size_t i = 0; i < sizes->count; i++)
		if (fabs(sizes->bytes[i] - bytes) < 1)
			return;
	if (sizes->count < SIZES_MAX)
		sizes->bytes[sizes->count++] = bytes;
}

/* The default sizes (in quick only the ends and the middle) and the sizes that the plan moves. */
static struct sizes sizes_of(const struct bench_run *run, const struct number_list *planned)
{
	static const double full[] = {0x1p16, 0x1p20, 0x1p24, 0x1p28}, quick[] = {0x1p16, 0x1p22, 0x1p26};
	struct sizes sizes = {.count = 0};

	for (size_t i = 0; i < (run->full ? COUNT_OF(full) : COUNT_OF(quick)); i++)
		sizes_add(&sizes, run->full ? full[i] : quick[i]);
	for (size_t i = 0; planned && i < planned->count; i++)
		sizes_add(&sizes, planned->items[i]);
	return sizes;
}

/* Stores the time of one size for the fit. `bytes` are those that the work counts in its rate. */
static void keep_point(struct fit_point *points, size_t *count, double bytes, double bytes_per_s)
{
	points[(*count)++] = (struct fit_point){bytes, bytes / bytes_per_s};
}

static void fit_keep(struct bench_run *run, const struct bench_test *test, const char *what, const struct fit_point *points, size_t count)
{
	struct bench_fit fit = {.test = test->name, .what = what, .method = test->methods[0], .sizes = count};
	struct fit_line line;

	if (!fit_line_make(points, count, &line))
		return;
	fit.alpha_s = line.alpha_s;
	fit.beta_bytes_per_s = line.beta_bytes_per_s;
	fit.worst_residual = line.worst_residual;
	bench_run_fit(run, &fit);
}

/* Measures all sizes in one direction. Returns false if the backend does not support it, so the skip is reported
 * once. */
static bool measure_direction(struct bench_run *run, const struct bench_test *test, const struct sizes *sizes,
	enum bench_direction direction, bool pinned, double slice_s)
{
	struct fit_point points[SIZES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < sizes->count; i++) {
		struct bench_work_request request = bench_request(run, test);
		struct bench_figure figure = {.test = test, .predicted_s = ABSENT_NUMBER, .slice_s = slice_s / (double)sizes->count};
		double bytes_per_s;

		request.transfer = (struct bench_transfer){direction, pinned, sizes->bytes[i]};
		if (!bench_run_figure(run, &figure, &request, &bytes_per_s)) {
			if (!i)
				return false;
			continue;
		}
		keep_point(points, &count, sizes->bytes[i] * (direction == DIRECTION_BOTH ? 2 : 1), bytes_per_s);
	}
	fit_keep(run, test, bench_direction_name(direction), points, count);
	return true;
}

static void measure_transfers(struct bench_run *run, const struct bench_test *test, bool pinned, double slice_s)
{
	struct sizes sizes = sizes_of(run, run->spec ? &run->spec->transfer_bytes : NULL);

	for (int direction = 0; direction < DIRECTION_COUNT; direction++)
		if (!measure_direction(run, test, &sizes, (enum bench_direction)direction, pinned, slice_s / DIRECTION_COUNT))
			return;
}

void test_transfers(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	measure_transfers(run, test, true, slice_s);
}

/* Measures one size in each direction. Pageable memory shows what a simple program loses; it is not a term of the
 * plan. */
void test_pageable(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct sizes one = {.bytes = {0x1p26}, .count = 1};

	for (int direction = 0; direction < DIRECTION_BOTH; direction++)
		if (!measure_direction(run, test, &one, (enum bench_direction)direction, false, slice_s / DIRECTION_BOTH))
			return;
}

static const struct bench_device *peer_of(const struct bench_run *run, size_t i)
{
	const struct bench_device *peer = &run->peers[i];

	return run->device && strcmp(peer->id, run->device->id) != 0 ? peer : NULL;
}

/* Measures copies to every other device, in three sizes: the largest shows the link's bandwidth, the others its
 * latency. */
void test_peers(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct sizes sizes = {.bytes = {0x1p20, 0x1p24, 0x1p28}, .count = 3};
	size_t others = 0;

	for (size_t i = 0; i < run->peer_count; i++)
		others += peer_of(run, i) != NULL;
	if (!others)
		bench_run_skip(run, test, BENCH_UNSUPPORTED, "there is only one device");
	for (size_t i = 0; i < run->peer_count; i++) {
		struct fit_point points[SIZES_MAX];
		size_t count = 0;

		for (size_t s = 0; peer_of(run, i) && s < sizes.count; s++) {
			struct bench_work_request request = bench_request(run, test);
			struct bench_figure figure = {.test = test, .predicted_s = ABSENT_NUMBER, .slice_s = slice_s / (double)(others * sizes.count)};
			double bytes_per_s;

			request.peer = peer_of(run, i);
			request.bytes = sizes.bytes[s];
			if (bench_run_figure(run, &figure, &request, &bytes_per_s))
				keep_point(points, &count, sizes.bytes[s], bytes_per_s);
		}
		fit_keep(run, test, run->peers[i].id, points, count);
	}
}

/* T = alpha + S 2 (n - 1) / n / beta: the work counts the bytes S 2 (n - 1) / n. */
void test_all_reduce(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct sizes sizes = sizes_of(run, run->spec ? &run->spec->collective_bytes : NULL);
	struct fit_point points[SIZES_MAX];
	double factor = run->peer_count > 1 ? 2 * (double)(run->peer_count - 1) / (double)run->peer_count : 1;
	size_t count = 0;

	if (run->peer_count < 2) {
		bench_run_skip(run, test, BENCH_UNSUPPORTED, "there is only one device");
		return;
	}
	for (size_t i = 0; i < sizes.count; i++) {
		struct bench_work_request request = bench_request(run, test);
		struct bench_figure figure = {.test = test, .predicted_s = ABSENT_NUMBER, .slice_s = slice_s / (double)sizes.count};
		double bytes_per_s;

		request.bytes = sizes.bytes[i];
		if (bench_run_figure(run, &figure, &request, &bytes_per_s))
			keep_point(points, &count, sizes.bytes[i] * factor, bytes_per_s);
		else if (!i)
			return;
	}
	fit_keep(run, test, NULL, points, count);
}
