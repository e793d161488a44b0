/* Matrix products: the plan's shapes, weighted by their count in a step, or squares if there is no plan. */
#include <math.h>

#include "bench/suite/suite_tests.h"

enum { QUICK_PRODUCTS = 4, LADDER_MAX = 5, SQUARE_LEAST = 256 };

struct chosen_products {
	struct bench_spec_product items[BENCH_PRODUCTS_MAX];
	size_t count;
};

static double product_weight(const struct bench_spec_product *product)
{
	struct bench_shape shape = bench_product_shape(product);

	return given_or(product->count, 1) * bench_shape_flops(&shape);
}

static void chosen_add(struct chosen_products *chosen, const struct bench_spec_product *product)
{
	if (chosen->count < BENCH_PRODUCTS_MAX)
		chosen->items[chosen->count++] = *product;
}

static void chosen_drop_lightest(struct chosen_products *chosen)
{
	size_t lightest = 0;

	for (size_t i = 1; i < chosen->count; i++)
		if (product_weight(&chosen->items[i]) < product_weight(&chosen->items[lightest]))
			lightest = i;
	for (size_t i = lightest + 1; i < chosen->count; i++)
		chosen->items[i - 1] = chosen->items[i];
	chosen->count--;
}

/* Chooses the plan's products of one precision; in quick, only those with the most operations. */
static void choose_planned(const struct bench_run *run, enum precision precision, struct chosen_products *chosen)
{
	for (size_t i = 0; i < run->spec->products.count; i++) {
		const struct bench_spec_product *product = &run->spec->products.items[i];

		if (product->precision == PRECISION_UNSET || product->precision == precision)
			chosen_add(chosen, product);
	}
	while (!run->full && chosen->count > QUICK_PRODUCTS)
		chosen_drop_lightest(chosen);
}

/* Measures a few products of the smallest square; returns the seconds of the fastest. */
static double smallest_square_s(struct bench_run *run, const struct bench_test *test, enum precision precision)
{
	struct bench_work_request request = bench_request(run, test);
	struct bench_reason reason;
	struct bench_work work;
	double elapsed_s = HUGE_VAL, repeat_s;

	request.precision = precision;
	request.shape = (struct bench_shape){SQUARE_LEAST, SQUARE_LEAST, SQUARE_LEAST};
	if (bench_run_try(run, test, &request, &work, &reason) != BENCH_OK)
		return elapsed_s;
	for (int i = 0; i < 3; i++)
		if (work.run(&work, &repeat_s, &reason) == BENCH_OK)
			elapsed_s = fmin(elapsed_s, repeat_s);
	work.release(&work);
	return elapsed_s;
}

/* Chooses one square in quick and several sizes in full, up to the largest that fits in the slice. The estimate uses
 * a small square, which runs at a lower rate, so the largest is rather too small than too large. */
static void choose_squares(
	struct bench_run *run, const struct bench_test *test, enum precision precision, double longest_s, struct chosen_products *chosen)
{
	int64_t *kept = &run->squares[test - bench_tests], top = *kept > 0 ? *kept : run->full ? 8192 : 4096;
	double once_s = *kept > 0 ? 0 : smallest_square_s(run, test, precision);

	while (top > SQUARE_LEAST && once_s * pow((double)top / SQUARE_LEAST, 3) > longest_s)
		top /= 2;
	*kept = top; /* the same size in every round */
	for (int64_t side = run->full && top > 512 ? 512 : top; side <= top && chosen->count < LADDER_MAX; side *= 2)
		chosen_add(chosen, &(struct bench_spec_product){.m = side, .n = side, .k = side, .precision = precision, .count = 1});
}

static void choose_products(
	struct bench_run *run, const struct bench_test *test, enum precision precision, double slice_s, struct chosen_products *chosen)
{
	chosen->count = 0;
	if (run->spec && run->spec->products.count)
		choose_planned(run, precision, chosen);
	else
		choose_squares(run, test, precision, slice_s / (test->repeats ? BENCH_ROUND_SAMPLES_MIN + 1 : 2 * BENCH_SAMPLES_MIN), chosen);
}

static bool measure_product(struct bench_run *run, const struct bench_test *test, const struct bench_spec_product *product,
	struct bench_work_request *request, struct bench_figure *figure, double *flops_per_s)
{
	figure->test = test;
	figure->role = product->role;
	figure->count = given_or(product->count, 0);
	figure->predicted_s = ABSENT_NUMBER;
	request->shape = bench_product_shape(product);
	request->product = product->product;
	return bench_run_figure(run, figure, request, flops_per_s);
}

/* Total operations divided by total time, each product weighted by its count in a step: the harmonic mean weighted
 * by operations. */
struct mean_sums {
	double flops, time_s;
	size_t products;
};

static void mean_add(struct mean_sums *sums, const struct bench_spec_product *product, double flops_per_s)
{
	sums->flops += product_weight(product);
	sums->time_s += product_weight(product) / flops_per_s;
	sums->products++;
}

static void mean_keep(struct bench_run *run, const struct bench_test *test, const struct mean_sums *sums)
{
	struct bench_mean mean = {.test = test->name,
		.method = test->methods[0],
		.precision = test->precision,
		.unit = test->unit,
		.value = sums->flops / sums->time_s,
		.flops = sums->flops,
		.products = sums->products};

	if (sums->products)
		bench_run_mean(run, &mean);
}

void test_products(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct chosen_products chosen;
	struct mean_sums sums = {0};

	choose_products(run, test, test->precision, slice_s, &chosen);
	if (!chosen.count)
		bench_run_skip(run, test, BENCH_UNSUPPORTED, "the plan has no product in this precision");
	for (size_t i = 0; i < chosen.count; i++) {
		struct bench_work_request request = bench_request(run, test);
		struct bench_figure figure = {.slice_s = slice_s / (double)chosen.count};
		double flops_per_s;

		if (measure_product(run, test, &chosen.items[i], &request, &figure, &flops_per_s))
			mean_add(&sums, &chosen.items[i], flops_per_s);
	}
	mean_keep(run, test, &sums);
}

/* Returns the precision of the plan's heaviest product; PRECISION_UNSET: the plan has no product, or its precision
 * is unknown. */
static enum precision planned_precision(const struct bench_run *run)
{
	const struct bench_spec_product *heaviest = NULL;

	for (size_t i = 0; run->spec && i < run->spec->products.count; i++)
		if (!heaviest || product_weight(&run->spec->products.items[i]) > product_weight(heaviest))
			heaviest = &run->spec->products.items[i];
	return heaviest ? heaviest->precision : PRECISION_UNSET;
}

static const struct bench_spec_product *largest_product(const struct chosen_products *chosen)
{
	const struct bench_spec_product *found = &chosen->items[0];

	for (size_t i = 1; i < chosen->count; i++) {
		struct bench_shape shape = bench_product_shape(&chosen->items[i]), best = bench_product_shape(found);

		if (bench_shape_flops(&shape) > bench_shape_flops(&best))
			found = &chosen->items[i];
	}
	return found;
}

/* Runs one product back to back, without cache flushes. Measures the device's power and clock under the plan's
 * heaviest load. */
void test_sustained(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct bench_work_request request = bench_request(run, test);
	struct bench_figure figure = {.slice_s = slice_s, .steady = true};
	struct chosen_products chosen;
	struct bench_reason reason;

	request.shape = (struct bench_shape){SQUARE_LEAST, SQUARE_LEAST, SQUARE_LEAST};
	if (!suite_choose_precision(run, test, planned_precision(run), &request, &reason)) {
		bench_run_skip(run, test, BENCH_UNSUPPORTED, reason.text);
		return;
	}
	choose_products(run, test, request.precision, slice_s / 10, &chosen);
	if (chosen.count)
		(void)measure_product(run, test, largest_product(&chosen), &request, &figure, NULL);
	else
		bench_run_skip(run, test, BENCH_UNSUPPORTED, "the plan has no product in this precision");
}
