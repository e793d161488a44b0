#include "hwdb/rows/validate.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "hwdb/catalogue/catalogue_tables.h"
#include "hwdb/catalogue/offers.h"

static void fault(struct failure *failure, const char *pointer, const char *member, const char *code, const char *detail)
{
	char at[FAULT_POINTER_MAX];

	snprintf(at, sizeof at, "%.110s/%s", pointer, member);
	failure_add(failure, at, code, "%s", detail);
}

/* Checks numbers and counts against the ranges of the table's own rows. */
static void check_ranges(const struct field_table *table, const void *object, const char *pointer, struct failure *failure)
{
	for (const struct field *field = table->rows; field < table->rows + table->row_count; field++) {
		const void *member = (const char *)object + field->offset;
		char detail[96];
		double value;

		if (field->kind == FIELD_NUMBER || field->kind == FIELD_COUNT)
			value = *(const double *)member;
		else if (field->kind == FIELD_INTEGER && *(const int64_t *)member != ABSENT_COUNT)
			value = (double)*(const int64_t *)member;
		else
			continue;
		if (isnan(value) || (value >= field->minimum && value <= field->maximum && !(field->open_minimum && value <= field->minimum)))
			continue;
		snprintf(detail, sizeof detail, "must lie between %g and %g", field->minimum, field->maximum);
		fault(failure, pointer, field->key, "out_of_range", detail);
	}
}

/* On tensor units a narrower format is never slower than a wider one. INT8 is not checked, because Blackwell Ultra
 * reduced its rate. */
static void check_rates(const struct accelerator *row, const char *pointer, struct failure *failure)
{
	double half = fmax(given_or(row->tflops_bf16, 0), given_or(row->tflops_fp16, 0));

	if (is_given(row->tflops_fp8) && row->tflops_fp8 < half && !(is_given(row->tflops_bf16) && row->tflops_fp8 >= row->tflops_bf16 * 0.999))
		fault(failure, pointer, "tflops_fp8", "inconsistent", "is below the 16-bit rate; leave out a format that is not faster");
	if (is_given(row->tflops_fp4) && is_given(row->tflops_fp8) && row->tflops_fp4 < row->tflops_fp8)
		fault(failure, pointer, "tflops_fp4", "inconsistent", "is below tflops_fp8; leave out a format that is not faster");
	if (is_given(row->tflops_tf32) && is_given(row->tflops_bf16) && row->tflops_tf32 > row->tflops_bf16)
		fault(failure, pointer, "tflops_tf32", "inconsistent", "is above tflops_bf16");
	if (half <= 0 && !is_given(row->tflops_fp32))
		fault(failure, pointer, "tflops_bf16", "required", "give at least one of tflops_bf16, tflops_fp16 and tflops_fp32");
}

void validate_accelerator(const struct accelerator *row, const char *pointer, struct failure *failure)
{
	check_ranges(&table_accelerator_fields, row, pointer, failure);
	check_rates(row, pointer, failure);
	if (!is_given(row->memory_gb))
		fault(failure, pointer, "memory_gb", "required", "give the name-plate memory");
	if (!is_given(row->memory_bandwidth_gbs))
		fault(failure, pointer, "memory_bandwidth_gbs", "required", "give the memory bandwidth");
	if (is_given(row->idle_w) && is_given(row->tdp_w) && row->idle_w > row->tdp_w)
		fault(failure, pointer, "idle_w", "inconsistent", "is above tdp_w");
	if (is_given(row->memory_usable_bytes) && is_given(row->memory_gb) && row->memory_usable_bytes > 1.1 * row->memory_gb * BYTES_PER_GB)
		fault(failure, pointer, "memory_usable_bytes", "inconsistent", "is more than 1.1 x memory_gb; give bytes, not kB or bits");
}

void validate_price(const struct price_row *row, const char *pointer, struct failure *failure)
{
	static const double least_usd = 0.01, most_usd = 200; /* of one accelerator: outside, the price or the count is wrong */
	double each_usd = row->price_usd_per_hour / (double)row->gpus;
	int64_t as_of_us;

	check_ranges(&table_price, row, pointer, failure);
	if (row->gpus == ABSENT_COUNT)
		fault(failure, pointer, "gpus", "required", "give the number of accelerators of the instance");
	else if (row->gpus >= 1 && !(each_usd >= least_usd && each_usd <= most_usd))
		fault(failure, pointer, "price_usd_per_hour", "out_of_range",
			"must be 0.01 to 200 USD an hour for each accelerator; give the price of the whole instance");
	if (term_of_text(row->pricing_model) == TERM_UNSET)
		fault(failure, pointer, "pricing_model", "unknown", "must be on_demand, spot, reserved_1y or reserved_3y");
	if (!row->as_of || !clock_parse(row->as_of, &as_of_us))
		fault(failure, pointer, "as_of", "malformed", "must be the date of the price, such as 2026-07-20");
}

void validate_region(const struct region_row *row, const char *pointer, struct failure *failure)
{
	check_ranges(&table_region, row, pointer, failure);
	if (!is_given(row->grid_gco2e_per_kwh))
		fault(failure, pointer, "grid_gco2e_per_kwh", "required", "give the grid's intensity");
}

void validate_model(const struct model_row *row, const char *pointer, struct failure *failure)
{
	if (!row->config.text && !is_given(row->params_total))
		fault(failure, pointer, "config", "required", "give a config.json or params_total");
	check_ranges(&table_model, row, pointer, failure);
	if (is_given(row->params_active) && row->params_active > given_or(row->params_total, INFINITY))
		fault(failure, pointer, "params_active", "out_of_range", "must not be above params_total");
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
