/* A snapshot of the built-in data, and a resolver on it. */
#ifndef FLEETPLAN_TESTS_HWDB_FIXTURE_H
#define FLEETPLAN_TESTS_HWDB_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hwdb/resolve/resolve.h"
#include "hwdb/rows/builtin.h"
#include "support/assert.h"

struct fixture {
	struct catalogue *catalogue;
	struct arena arena;
	struct failure failure;
	struct findings findings;
	struct resolver resolver;
};

static struct fixture fixture;

/* Returns the day on which the data were gathered. The ages of offers refer to it. */
static inline int64_t fixture_now_us(void)
{
	int64_t now_us;

	assert_true(clock_parse("2026-11-21", &now_us));
	return now_us;
}

/* Returns a snapshot of the built-in rows and `count` calibrations. */
static inline struct catalogue *fixture_catalogue(const struct calibration_row *calibrations, size_t count)
{
	struct arena arena;
	struct catalogue_rows rows;
	struct catalogue *catalogue;

	arena_init(&arena, 32 << 20);
	failure_clear(&fixture.failure);
	assert_int_equal(builtin_rows_read(&arena, &rows, &fixture.failure), STATUS_OK);
	if (count > 0) {
		rows.calibrations = ARENA_ARRAY(&arena, struct calibration_row, count);
		memcpy(rows.calibrations, calibrations, count * sizeof *calibrations);
		rows.calibration_count = count;
	}
	catalogue = catalogue_new(&arena, &rows, 1, 1, 0, &fixture.failure);
	if (!catalogue)
		print_error("%s\n", fixture.failure.fault_count ? fixture.failure.faults[0].detail : fixture.failure.detail);
	assert_non_null(catalogue);
	return catalogue;
}

static inline void fixture_begin(void)
{
	failure_clear(&fixture.failure);
	findings_clear(&fixture.findings);
	arena_reset(&fixture.arena);
	fixture.resolver = (struct resolver){.catalogue = fixture.catalogue,
		.arena = &fixture.arena,
		.now_us = fixture_now_us(),
		.findings = &fixture.findings,
		.failure = &fixture.failure};
}

static inline int fixture_setup(void **state)
{
	(void)state;
	fixture.catalogue = fixture_catalogue(NULL, 0);
	arena_init(&fixture.arena, 16 << 20);
	return 0;
}

static inline int fixture_teardown(void **state)
{
	(void)state;
	catalogue_release(fixture.catalogue);
	arena_release(&fixture.arena);
	return 0;
}

/* Returns the assumption about a field. Fails the test if there is none. */
static inline const struct assumption *fixture_assumption(const char *field)
{
	for (size_t i = 0; i < fixture.findings.assumption_count; i++)
		if (strcmp(fixture.findings.assumptions[i].field, field) == 0)
			return &fixture.findings.assumptions[i];
	fail_msg("no assumption about %s", field);
	return &fixture.findings.assumptions[0];
}

/* Returns the detail of the fault at a pointer. Fails the test if there is none. */
static inline const char *fixture_fault(const char *pointer)
{
	for (size_t i = 0; i < fixture.failure.fault_count; i++)
		if (strcmp(fixture.failure.faults[i].pointer, pointer) == 0)
			return fixture.failure.faults[i].detail;
	for (size_t i = 0; i < fixture.failure.fault_count; i++)
		print_error("fault at %s: %s\n", fixture.failure.faults[i].pointer, fixture.failure.faults[i].detail);
	fail_msg("no fault at %s", pointer);
	return "";
}

static inline bool fixture_warned(const char *part)
{
	for (size_t i = 0; i < fixture.findings.warning_count; i++)
		if (strstr(fixture.findings.warnings[i].detail, part))
			return true;
	return false;
}

/* Checks that every assumption has a value and names its source. */
static inline void fixture_sources_are_named(void)
{
	for (size_t i = 0; i < fixture.findings.assumption_count; i++) {
		const struct assumption *assumption = &fixture.findings.assumptions[i];

		assert_non_null(assumption->source);
		assert_true(strlen(assumption->source) > 8);
		assert_null(strstr(assumption->source, "default"));
		assert_true(assumption->text || isfinite(assumption->number));
	}
	assert_int_equal(fixture.findings.dropped, 0);
}

/* Makes every member absent. */
static inline void fixture_accelerator_absent(struct accelerator *a)
{
	*a = (struct accelerator){.release_year = ABSENT_COUNT,
		.memory_gb = ABSENT_NUMBER,
		.memory_usable_bytes = ABSENT_NUMBER,
		.memory_bandwidth_gbs = ABSENT_NUMBER,
		.tflops_fp64 = ABSENT_NUMBER,
		.tflops_fp32 = ABSENT_NUMBER,
		.tflops_tf32 = ABSENT_NUMBER,
		.tflops_bf16 = ABSENT_NUMBER,
		.tflops_fp16 = ABSENT_NUMBER,
		.tflops_fp8 = ABSENT_NUMBER,
		.tops_int8 = ABSENT_NUMBER,
		.tflops_fp4 = ABSENT_NUMBER,
		.tdp_w = ABSENT_NUMBER,
		.idle_w = ABSENT_NUMBER,
		.load_w = ABSENT_NUMBER,
		.interconnect_gbs = ABSENT_NUMBER,
		.pcie_gen = ABSENT_COUNT,
		.max_nvlink_domain = ABSENT_COUNT,
		.transistor_nm = ABSENT_COUNT,
		.die_area_mm2 = ABSENT_NUMBER,
		.embodied_kgco2e = ABSENT_NUMBER,
		.embodied_boavizta_kgco2e = ABSENT_NUMBER};
}

static inline void fixture_common(struct request_common *common)
{
	*common = (struct request_common){
		.model = {.id = "llama-3.1-8b",
			.params = ABSENT_NUMBER,
			.params_active = ABSENT_NUMBER,
			.flops_per_sample = ABSENT_NUMBER,
			.sample_bytes = ABSENT_NUMBER},
		.accelerator = {.id = "h100"},
		.gpu_count = ABSENT_COUNT,
		.gpus_per_node = ABSENT_COUNT,
		.internode_gbs = ABSENT_NUMBER,
		.alternatives = ABSENT_COUNT,
		.carbon_cap_kgco2e = ABSENT_NUMBER,
		.energy_cap_kwh = ABSENT_NUMBER,
		.pricing = {.usd_per_gpu_hour = ABSENT_NUMBER,
			.max_age_days = ABSENT_NUMBER,
			.spot_interruptions_per_gpu_hour = ABSENT_NUMBER,
			.storage_usd_per_gb_month = ABSENT_NUMBER,
			.egress_usd_per_gb = ABSENT_NUMBER,
			.on_premises = {.capex_usd_per_gpu = ABSENT_NUMBER,
				.life_years = ABSENT_NUMBER,
				.electricity_usd_per_kwh = ABSENT_NUMBER,
				.staff_usd_per_gpu_month = ABSENT_NUMBER,
				.space_usd_per_kw_month = ABSENT_NUMBER}},
		.site = {.grid_gco2e_per_kwh = ABSENT_NUMBER,
			.pue = ABSENT_NUMBER,
			.wue_l_per_kwh = ABSENT_NUMBER,
			.ewif_l_per_kwh = ABSENT_NUMBER,
			.grid_market_gco2e_per_kwh = ABSENT_NUMBER,
			.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER,
			.electricity_usd_per_kwh = ABSENT_NUMBER},
		.hardware = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
	};
	fixture_accelerator_absent(&common->accelerator.changes);
}

static inline void fixture_training(struct training_request *request)
{
	*request = (struct training_request){.parallelism = {-1, -1, -1, -1, -1, -1, -1, .zero_stage = -1, .zero_group = -1},
		.fine_tuning.rank = -1,
		.input_pipeline = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, -1},
		.reliability = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, TRUTH_UNSET},
		.tokens = 15e12,
		.epochs = ABSENT_NUMBER,
		.sequence_length = ABSENT_NUMBER,
		.global_batch_tokens = ABSENT_NUMBER,
		.global_batch_size = ABSENT_NUMBER,
		.deadline_hours = ABSENT_NUMBER,
		.budget_usd = ABSENT_NUMBER,
		.reserved_hours = ABSENT_NUMBER,
		.cadence_hours = ABSENT_NUMBER,
		.mfu = ABSENT_NUMBER,
		.distillation.teacher = {
			.params = ABSENT_NUMBER, .params_active = ABSENT_NUMBER, .flops_per_sample = ABSENT_NUMBER, .sample_bytes = ABSENT_NUMBER}};
	fixture_common(&request->common);
}

#endif
