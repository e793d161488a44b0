#include "hwdb/rows/validate.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "hwdb/catalogue/offers.h"

static void fault(
	struct failure *failure, const char *pointer, const char *member, const char *code, const char *detail)
{
	char at[FAULT_POINTER_MAX];

	snprintf(at, sizeof at, "%.110s/%s", pointer, member);
	failure_add(failure, at, code, "%s", detail);
}

/* A member and its allowed range. */
struct bound {
	const char *member;
	size_t offset;
	double least, most;
};

#define BOUND(row, member, least, most)                                                                                \
	{                                                                                                                  \
#member, offsetof(struct row, member), least, most                                                             \
	}

/* Bounds: half of the smallest value ever sold, and about ten times the largest. */
static const struct bound accelerator_bounds[] = {
	BOUND(accelerator, memory_gb, 0.25, 4096),
	BOUND(accelerator, memory_usable_bytes, 0.25e9, 4.4e12),
	BOUND(accelerator, memory_bandwidth_gbs, 1, 200000),
	BOUND(accelerator, tflops_fp64, 0.001, 10000),
	BOUND(accelerator, tflops_fp32, 0.001, 20000),
	BOUND(accelerator, tflops_tf32, 0.001, 50000),
	BOUND(accelerator, tflops_bf16, 0.001, 100000),
	BOUND(accelerator, tflops_fp16, 0.001, 100000),
	BOUND(accelerator, tflops_fp8, 0.001, 200000),
	BOUND(accelerator, tops_int8, 0.001, 200000),
	BOUND(accelerator, tflops_fp4, 0.001, 400000),
	BOUND(accelerator, tdp_w, 1, 50000),
	BOUND(accelerator, idle_w, 0, 20000),
	BOUND(accelerator, load_w, 0, 20000),
	BOUND(accelerator, interconnect_gbs, 0, 50000),
	BOUND(accelerator, die_area_mm2, 1, 100000),
	BOUND(accelerator, embodied_kgco2e, 0, 50000),
	BOUND(accelerator, embodied_boavizta_kgco2e, 0, 50000),
};

static const struct bound region_bounds[] = {
	BOUND(region_row, grid_gco2e_per_kwh, 0, 1500),
	BOUND(region_row, grid_marginal_gco2e_per_kwh, 0, 1500),
	BOUND(region_row, pue, 1, 3),
	BOUND(region_row, wue_l_per_kwh, 0, 20),
	BOUND(region_row, ewif_l_per_kwh, 0, 100),
};

static void check_bounds(
	const struct bound *bounds, size_t count, const void *row, const char *pointer, struct failure *failure)
{
	for (const struct bound *bound = bounds; bound < bounds + count; bound++) {
		double value;
		char detail[96];

		memcpy(&value, (const char *)row + bound->offset, sizeof value);
		if (isnan(value) || (value >= bound->least && value <= bound->most))
			continue;
		snprintf(detail, sizeof detail, "must lie between %g and %g", bound->least, bound->most);
		fault(failure, pointer, bound->member, "out_of_range", detail);
	}
}

/* On tensor units a narrower format is never slower than a wider one. INT8 is not checked, because Blackwell Ultra
 * reduced its rate. */
static void check_rates(const struct accelerator *row, const char *pointer, struct failure *failure)
{
	double half = fmax(given_or(row->tflops_bf16, 0), given_or(row->tflops_fp16, 0));

	if (is_given(row->tflops_fp8) && row->tflops_fp8 < half &&
		!(is_given(row->tflops_bf16) && row->tflops_fp8 >= row->tflops_bf16 * 0.999))
		fault(failure, pointer, "tflops_fp8", "inconsistent",
			"is below the 16-bit rate; leave out a format that is not faster");
	if (is_given(row->tflops_fp4) && is_given(row->tflops_fp8) && row->tflops_fp4 < row->tflops_fp8)
		fault(failure, pointer, "tflops_fp4", "inconsistent",
			"is below tflops_fp8; leave out a format that is not faster");
	if (is_given(row->tflops_tf32) && is_given(row->tflops_bf16) && row->tflops_tf32 > row->tflops_bf16)
		fault(failure, pointer, "tflops_tf32", "inconsistent", "is above tflops_bf16");
	if (half <= 0 && !is_given(row->tflops_fp32))
		fault(failure, pointer, "tflops_bf16", "required",
			"give at least one of tflops_bf16, tflops_fp16 and tflops_fp32");
}

void validate_accelerator(const struct accelerator *row, const char *pointer, struct failure *failure)
{
	check_bounds(accelerator_bounds, COUNT_OF(accelerator_bounds), row, pointer, failure);
	check_rates(row, pointer, failure);
	if (!is_given(row->memory_gb))
		fault(failure, pointer, "memory_gb", "required", "give the name-plate memory");
	if (!is_given(row->memory_bandwidth_gbs))
		fault(failure, pointer, "memory_bandwidth_gbs", "required", "give the memory bandwidth");
	if (is_given(row->idle_w) && is_given(row->tdp_w) && row->idle_w > row->tdp_w)
		fault(failure, pointer, "idle_w", "inconsistent", "is above tdp_w");
	if (is_given(row->memory_usable_bytes) && is_given(row->memory_gb) &&
		row->memory_usable_bytes > 1.1 * row->memory_gb * BYTES_PER_GB)
		fault(failure, pointer, "memory_usable_bytes", "inconsistent",
			"is more than 1.1 x memory_gb; give bytes, not kB or bits");
}

void validate_price(const struct price_row *row, const char *pointer, struct failure *failure)
{
	int64_t as_of_us;

	if (row->gpus < 1 || row->gpus > 4096)
		fault(failure, pointer, "gpus", "out_of_range", "must lie between 1 and 4096");
	else if (!(row->price_usd_per_hour / (double)row->gpus >= 0.01 &&
				 row->price_usd_per_hour / (double)row->gpus <= 200))
		fault(failure, pointer, "price_usd_per_hour", "out_of_range",
			"must be 0.01 to 200 USD per hour for each accelerator; give the price of the whole instance");
	if (term_of_text(row->pricing_model) == TERM_UNSET)
		fault(failure, pointer, "pricing_model", "unknown", "must be on_demand, spot, reserved_1y or reserved_3y");
	if (is_given(row->vcpus) && !(row->vcpus >= 0 && row->vcpus <= 1e6))
		fault(failure, pointer, "vcpus", "out_of_range", "must lie between 0 and 1e6");
	if (is_given(row->ram_gb) && !(row->ram_gb >= 0 && row->ram_gb <= 1e6))
		fault(failure, pointer, "ram_gb", "out_of_range", "must lie between 0 and 1e6");
	if (!row->as_of || !clock_parse(row->as_of, &as_of_us))
		fault(failure, pointer, "as_of", "malformed", "must be the date of the price, such as 2026-07-20");
}

void validate_region(const struct region_row *row, const char *pointer, struct failure *failure)
{
	check_bounds(region_bounds, COUNT_OF(region_bounds), row, pointer, failure);
	if (!is_given(row->grid_gco2e_per_kwh))
		fault(failure, pointer, "grid_gco2e_per_kwh", "required", "give the grid's intensity");
	if (row->year != ABSENT_COUNT && (row->year < 1990 || row->year > 2100))
		fault(failure, pointer, "year", "out_of_range", "must lie between 1990 and 2100");
}

void validate_model(const struct model_row *row, const char *pointer, struct failure *failure)
{
	if (!row->config.text && !is_given(row->params_total))
		fault(failure, pointer, "config", "required", "give a config.json or params_total");
	if (is_given(row->params_total) && !(row->params_total >= 1e6 && row->params_total <= 1e15))
		fault(failure, pointer, "params_total", "out_of_range", "must lie between 1e6 and 1e15");
	if (is_given(row->params_active) &&
		!(row->params_active >= 1e6 && row->params_active <= given_or(row->params_total, 1e15)))
		fault(failure, pointer, "params_active", "out_of_range", "must lie between 1e6 and params_total");
}

enum status validate_rows(const struct catalogue_rows *rows, struct failure *failure)
{
	char pointer[FAULT_POINTER_MAX];

	for (size_t i = 0; i < rows->accelerator_count; i++) {
		snprintf(pointer, sizeof pointer, "/accelerators/%.100s", rows->accelerators[i].accelerator.id);
		validate_accelerator(&rows->accelerators[i].accelerator, pointer, failure);
	}
	for (size_t i = 0; i < rows->model_count; i++) {
		snprintf(pointer, sizeof pointer, "/models/%.100s", rows->models[i].id);
		validate_model(&rows->models[i], pointer, failure);
	}
	for (size_t i = 0; i < rows->price_count; i++) {
		snprintf(pointer, sizeof pointer, "/prices/%.100s", rows->prices[i].id);
		validate_price(&rows->prices[i], pointer, failure);
	}
	for (size_t i = 0; i < rows->region_count; i++) {
		snprintf(pointer, sizeof pointer, "/regions/%.100s", rows->regions[i].id);
		validate_region(&rows->regions[i], pointer, failure);
	}
	return failure->status;
}
