/* Measures the search for the cheapest offers of one accelerator and number among 100,000 prices. Part of `make
 * bench-planner`. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "hwdb/catalogue/offers.h"
#include "hwdb/rows/builtin.h"
#include "hwdb/rows/rows_text.h"

enum { PRICES = 100000, PROVIDERS = 20, REGIONS = 50, QUOTES = 200, ARENA_MAX_BYTES = 1 << 30 };

static _Noreturn void stop(const char *what)
{
	fprintf(stderr, "offers_rate: %s\n", what);
	exit(1);
}

/* Fills a price that differs from its neighbours in provider, region, accelerator, size and term. */
static void price_fill(struct arena *arena, const struct catalogue_rows *rows, size_t number, struct price_row *price)
{
	static const char *const terms[] = {"on_demand", "spot", "reserved_1y", "reserved_3y"};

	price_row_clear(price);
	price->meta.origin = "imported";
	price->id = arena_printf(arena, "bench.%zu", number);
	price->provider = arena_printf(arena, "provider-%zu", number % PROVIDERS);
	price->region = arena_printf(arena, "region-%zu", number / PROVIDERS % REGIONS);
	price->instance_type = arena_printf(arena, "type-%zu", number / 7 % 300);
	price->accelerator_id = rows->accelerators[number / 3 % rows->accelerator_count].accelerator.id;
	price->pricing_model = terms[number % COUNT_OF(terms)];
	price->as_of = "2026-11-01";
	price->gpus = INT64_C(1) << number % 4;
	price->price_usd_per_hour = (double)price->gpus * (1 + (double)(number % 97) / 20);
}

static struct catalogue *catalogue_make(void)
{
	struct catalogue_rows rows = {0};
	struct catalogue *catalogue;
	struct failure failure;
	struct arena arena;

	arena_init(&arena, ARENA_MAX_BYTES);
	failure_clear(&failure);
	if (builtin_rows_read(&arena, &rows, &failure) != STATUS_OK)
		stop(failure.detail);
	rows.prices = ARENA_ARRAY(&arena, struct price_row, PRICES);
	if (!rows.prices)
		stop("out of memory");
	rows.price_count = PRICES;
	for (size_t i = 0; i < PRICES; i++)
		price_fill(&arena, &rows, i, &rows.prices[i]);
	catalogue = catalogue_new(&arena, &rows, 1, 1, 0, &failure);
	if (!catalogue)
		stop(failure.detail);
	return catalogue;
}

int main(void)
{
	int64_t began_ns = clock_monotonic_ns(), longest_ns = 0, all_ns;
	struct catalogue *catalogue = catalogue_make();
	double made_s = (double)(clock_monotonic_ns() - began_ns) / 1e9;
	const struct pricing pricing = {.usd_per_gpu_hour = ABSENT_NUMBER, .max_age_days = ABSENT_NUMBER};
	const struct offer_filter filter = {.pricing = &pricing, .now_us = INT64_C(1795000000) * 1000000};
	size_t found = 0;
	struct arena arena;

	arena_init(&arena, ARENA_MAX_BYTES);
	began_ns = clock_monotonic_ns();
	for (size_t i = 0; i < QUOTES; i++) {
		const struct accelerator_row *row = &catalogue->rows.accelerators[i % catalogue->rows.accelerator_count];
		int64_t begin_ns = clock_monotonic_ns();
		struct offer_quote_list quotes;
		struct failure failure;

		failure_clear(&failure);
		if (offers_quote(catalogue, row, &filter, 1 + (int64_t)i % 64, &arena, &quotes, &failure) != STATUS_OK)
			stop(failure.detail);
		found += quotes.count;
		if (clock_monotonic_ns() - begin_ns > longest_ns)
			longest_ns = clock_monotonic_ns() - begin_ns;
		arena_reset(&arena);
	}
	all_ns = clock_monotonic_ns() - began_ns;
	printf(
		"offers for an accelerator and a number, of 100,000 prices: mean %.3f ms, longest %.3f ms (at most 5); %.0f found each; snapshot in %.2f s\n",
		(double)all_ns / QUOTES / 1e6, (double)longest_ns / 1e6, (double)found / QUOTES, made_s);
	arena_release(&arena);
	catalogue_release(catalogue);
	return 0;
}
