/* Checks the built-in rows against physical and market limits: rates between formats, bandwidth by the kind of memory,
 * power, prices compared with other prices of the same accelerator, grids and buildings. A list names each unusual
 * value that is true, with its reason. A new row outside the limits and the lists fails. */
#include <stdio.h>
#include <string.h>

#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/fixture.h"
#include "support/assert.h"

static bool within(double value, double low, double high)
{
	return value >= low && value <= high;
}

static double half_of(const struct accelerator *a)
{
	return is_given(a->tflops_bf16) ? a->tflops_bf16 : a->tflops_fp16;
}

static bool is_one_of(const char *id, const char *const *ids)
{
	while (*ids && strcmp(*ids, id) != 0)
		ids++;
	return *ids != NULL;
}

static void rates_of_formats_are_multiples_of_each_other(void **state)
{
	/* Gaudi 3 runs FP16 and TF32 without the full width of its matrix engine. MI100 runs BF16 at half of FP16. */
	static const char *const odd_16_bit[] = {"gaudi3", "mi100", NULL};
	/* These accelerators only store the format in fewer bits, or run it at the rate of BF16. */
	static const char *const fp8_as_bf16[] = {"gaudi3", "inferentia2", "trainium1", "tpu-v6e", NULL};
	static const char *const tf32_as_bf16[] = {"gaudi3", "inferentia2", "trainium1", "trainium2", NULL};
	/* GeForce: the driver halves the rate of matrix products with FP32 sums, and of no others. */
	static const char *const fourfold[] = {"rtx-3090", "rtx-4090", "rtx-5090", NULL};
	static const char *const int8_as_bf16[] = {"mi210", "mi250x", "tpu-v4", NULL};
	/* Blackwell Ultra has hardly any INT8, and FP4 at 1.5 times the usual rate. */
	static const char *const ultra[] = {"b300-sxm6-288gb", "gb300", NULL};

	(void)state;
	for (size_t i = 0; i < fixture.catalogue->rows.accelerator_count; i++) {
		const struct accelerator *a = &fixture.catalogue->rows.accelerators[i].accelerator;
		double half = half_of(a), int8 = a->tops_int8 / half;

		if (is_given(a->tflops_bf16) && is_given(a->tflops_fp16) && !is_one_of(a->id, odd_16_bit))
			assert_close(a->tflops_fp16, a->tflops_bf16, 0.001);
		if (is_given(a->tflops_tf32) && !is_one_of(a->id, tf32_as_bf16) && !within(a->tflops_tf32 / half, 0.49, 0.51))
			fail_msg("%s: TF32 at %g of BF16", a->id, a->tflops_tf32 / half);
		if (is_given(a->tflops_fp8) && !within(a->tflops_fp8 / half, 1.9, 2.05) && !is_one_of(a->id, fp8_as_bf16))
			fail_msg("%s: FP8 at %g of BF16", a->id, a->tflops_fp8 / half);
		if (is_given(a->tops_int8) && !within(int8, 1.9, 2.05) && !(within(int8, 3.9, 4.1) && is_one_of(a->id, fourfold)) &&
			!(within(int8, 0.99, 1.01) && is_one_of(a->id, int8_as_bf16)) && !(int8 < 0.1 && is_one_of(a->id, ultra)))
			fail_msg("%s: INT8 at %g of BF16", a->id, int8);
		if (is_given(a->tflops_fp4) && !within(a->tflops_fp4 / a->tflops_fp8, 1.9, 2.05) &&
			!(within(a->tflops_fp4 / a->tflops_fp8, 3, 3.2) && is_one_of(a->id, ultra)) &&
			!(within(a->tflops_fp4 / a->tflops_fp8, 3.9, 4.1) && is_one_of(a->id, fourfold)))
			fail_msg("%s: FP4 at %g of FP8", a->id, a->tflops_fp4 / a->tflops_fp8);
		if (is_given(half) && is_given(a->tflops_fp32) && !within(a->tflops_fp32 / half, 0.03, 0.502))
			fail_msg("%s: FP32 at %g of 16 bits", a->id, a->tflops_fp32 / half);
		if (is_given(a->tflops_fp64) && a->tflops_fp64 > a->tflops_fp32 * 1.001)
			fail_msg("%s: FP64 above FP32", a->id);
	}
}

/* GB/s of the slowest and the fastest product of each kind: the rate by JEDEC times the widest bus sold. */
static void bandwidth_fits_the_memory(void **state)
{
	static const struct {
		const char *kind;
		double least_gbs, most_gbs;
	} kinds[] = {{"GDDR5", 200, 500}, {"GDDR6", 200, 960}, {"GDDR6X", 900, 1010}, {"GDDR7", 1500, 1800}, {"HBM", 600, 1000},
		{"HBM2", 700, 1560}, {"HBM2e", 800, 3700}, {"HBM3", 1600, 5400}, {"HBM3e", 4000, 8000}};

	(void)state;
	for (size_t i = 0; i < fixture.catalogue->rows.accelerator_count; i++) {
		const struct accelerator *a = &fixture.catalogue->rows.accelerators[i].accelerator;
		bool found = false;

		if (strcmp(a->id, "cpu-reference") == 0 || !a->memory_type || strncmp(a->memory_type, "DDR", 3) == 0)
			continue;
		for (size_t k = 0; k < COUNT_OF(kinds); k++)
			if (strcmp(kinds[k].kind, a->memory_type) == 0) {
				found = true;
				if (!within(a->memory_bandwidth_gbs, kinds[k].least_gbs, kinds[k].most_gbs))
					fail_msg("%s: %g GB/s of %s", a->id, a->memory_bandwidth_gbs, a->memory_type);
			}
		if (!found)
			fail_msg("%s: memory \"%s\"", a->id, a->memory_type);
		/* The name-plate counts in 10^9 or 2^30 bytes. ECC and the driver reserve up to 7 % of the latter. */
		if (is_given(a->memory_usable_bytes) && !within(a->memory_usable_bytes / (a->memory_gb * 1e9), 0.93, 1.0738))
			fail_msg("%s: %g usable of %g GB", a->id, a->memory_usable_bytes, a->memory_gb);
	}
}

static void power_fits_the_rates(void **state)
{
	(void)state;
	for (size_t i = 0; i < fixture.catalogue->rows.accelerator_count; i++) {
		const struct accelerator *a = &fixture.catalogue->rows.accelerators[i].accelerator;
		double half = half_of(a);

		if (!is_given(a->tdp_w))
			continue;
		if (!within(a->tdp_w, 10, 1500))
			fail_msg("%s: %g W", a->id, a->tdp_w);
		if (is_given(half) && a->release_year >= 2016 && !within(half / a->tdp_w, 0.005, 2.6)) /* P100: 0.07; B100, unverified: 2.5 */
			fail_msg("%s: %g TFLOPS a watt", a->id, half / a->tdp_w);
		if (is_given(a->idle_w) && !within(a->idle_w / a->tdp_w, 0.05, 0.5))
			fail_msg("%s: idle at %g of its limit", a->id, a->idle_w / a->tdp_w);
		if (is_given(a->die_area_mm2) && strcmp(a->form_factor, "superchip") != 0 && !within(a->tdp_w / a->die_area_mm2, 0.1, 1.0))
			fail_msg("%s: %g W a square millimetre", a->id, a->tdp_w / a->die_area_mm2);
	}
}

/* Prices are within 0.2 to 5 times the median of the accelerator and term, the limits for feeds. A lower price is
 * marked, and a plan uses it only on request. */
static void prices_stand_beside_those_of_the_same_accelerator(void **state)
{
	size_t offers = 0, outside = 0;

	(void)state;
	for (size_t i = 0; i < fixture.catalogue->rows.accelerator_count; i++) {
		const struct offer_span *span = &fixture.catalogue->index->offers[i];

		for (size_t k = 0; k < span->count; k++) {
			const struct indexed_offer *offer = &span->items[k];
			size_t count = 0, at = 0;
			double median = 0;

			for (size_t m = 0; m < span->count; m++)
				count += span->items[m].term == offer->term;
			for (size_t m = 0; m < span->count && median == 0; m++)
				if (span->items[m].term == offer->term && at++ == count / 2)
					median = span->items[m].usd_per_gpu_hour;
			offers++;
			if (offer->usd_per_gpu_hour > 5 * median)
				fail_msg("%s: %g times the median", offer->row->id, offer->usd_per_gpu_hour / median);
			if (offer->usd_per_gpu_hour < 0.2 * median) {
				outside++;
				if (!offer->suspicious)
					fail_msg("%s: %g times the median, and not marked", offer->row->id, offer->usd_per_gpu_hour / median);
			}
		}
	}
	assert_true(offers > 500 && outside > 0 && outside < 8);
}

static void what_binds_longer_or_less_costs_less(void **state)
{
	(void)state;
	for (size_t i = 0; i < fixture.catalogue->rows.accelerator_count; i++) {
		const struct offer_span *span = &fixture.catalogue->index->offers[i];

		for (size_t k = 0; k < span->count; k++)
			for (size_t m = 0; m < span->count; m++) {
				const struct indexed_offer *a = &span->items[k], *b = &span->items[m];

				if (a->term != TERM_ON_DEMAND || b->term == TERM_ON_DEMAND || a->row->gpus != b->row->gpus || !a->row->region ||
					!b->row->region || strcmp(a->row->instance_type, b->row->instance_type) != 0 ||
					strcmp(a->row->region, b->row->region) != 0 || strcmp(a->row->provider, b->row->provider) != 0 || b->suspicious)
					continue;
				if (b->usd_per_gpu_hour >= a->usd_per_gpu_hour)
					fail_msg("%s costs more than %s", b->row->id, a->row->id);
			}
	}
}

static void grids_and_buildings_are_of_this_world(void **state)
{
	/* Grids on coal or gas only, and islands on diesel. */
	static const char *const dirty[] = {"country.tkm", "country.uzb", "country.bhr", "country.msr", "country.shn", NULL};
	/* Grids on water power only, according to the publisher. */
	static const char *const clean[] = {"country.caf", NULL};

	(void)state;
	for (size_t i = 0; i < fixture.catalogue->rows.region_count; i++) {
		const struct region_row *row = &fixture.catalogue->rows.regions[i];

		if (!within(row->grid_gco2e_per_kwh, 1, 900) && !is_one_of(row->id, dirty) && !is_one_of(row->id, clean))
			fail_msg("%s: %g g/kWh", row->id, row->grid_gco2e_per_kwh);
		assert_true(within(row->grid_gco2e_per_kwh, 0, 1500));
		if (is_given(row->grid_marginal_gco2e_per_kwh) && !within(row->grid_marginal_gco2e_per_kwh, 200, 1000))
			fail_msg("%s: %g g/kWh on the margin", row->id, row->grid_marginal_gco2e_per_kwh);
		if (is_given(row->pue) && !within(row->pue, 1.02, 1.7))
			fail_msg("%s: PUE %g", row->id, row->pue);
		if (is_given(row->wue_l_per_kwh) && !within(row->wue_l_per_kwh, 0, 3))
			fail_msg("%s: WUE %g", row->id, row->wue_l_per_kwh);
		if (is_given(row->ewif_l_per_kwh) && !within(row->ewif_l_per_kwh, 0.05, 20))
			fail_msg("%s: EWIF %g", row->id, row->ewif_l_per_kwh);
		if (row->year != ABSENT_COUNT && (row->year < 2015 || row->year > 2026))
			fail_msg("%s: of %lld", row->id, (long long)row->year);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_of_formats_are_multiples_of_each_other),
		cmocka_unit_test(bandwidth_fits_the_memory),
		cmocka_unit_test(power_fits_the_rates),
		cmocka_unit_test(prices_stand_beside_those_of_the_same_accelerator),
		cmocka_unit_test(what_binds_longer_or_less_costs_less),
		cmocka_unit_test(grids_and_buildings_are_of_this_world),
	};

	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
