/* Tests the step from a request to the planner's input. */
#include <stdio.h>

#include "hwdb/fixture.h"

static struct training_request request;
static struct training_input input;
static struct calibration_row calibrations[5];

static int begin(void **state)
{
	(void)state;
	fixture_begin();
	fixture_training(&request);
	return 0;
}

static enum status resolve(void)
{
	return resolve_training(&fixture.resolver, &request, &input);
}

static void what_is_left_out_is_filled_and_said(void **state)
{
	const struct candidate *h100;

	(void)state;
	assert_int_equal(resolve(), STATUS_OK);
	assert_int_equal(input.candidate_count, 1);
	h100 = &input.candidates[0];
	assert_string_equal(h100->accelerator.id, "h100-sxm5-80gb");
	assert_true(h100->has_offer);
	assert_string_equal(h100->offer.provider, "nebius");
	assert_string_equal(h100->site.country, "Finland");
	assert_close(h100->site.grid_gco2e_per_kwh, 79.16, 1e-9);
	assert_int_equal(h100->gpus_per_node, 8);
	assert_close(h100->internode_gbs, 50, 1e-12);
	assert_null(h100->calibration.id);
	assert_true(isnan(h100->calibration.gemm_efficiency));
	assert_close(input.model.params_total, 8.03e9, 0.001);
	assert_close(input.request.epochs, 1, 1e-12);
	assert_int_equal(input.request.common.precision, PRECISION_BF16);
	assert_int_equal(input.request.optimizer, OPTIMIZER_ADAMW);
	assert_int_equal(input.request.common.objective, OBJECTIVE_COST);
	assert_int_equal(input.request.common.alternatives, 5);
	assert_int_equal(input.request.common.enforce_memory, TRUTH_TRUE);
	assert_contains(fixture_assumption("accelerator")->source, "\"h100\" is an alias");
	resolve_recommended(&fixture.resolver, &input.request.common, input.candidates, 1, &h100->offer);
	assert_contains(fixture_assumption("pricing.usd_per_gpu_hour")->source, "nebius");
	assert_contains(fixture_assumption("pricing.usd_per_gpu_hour")->source, "instances of 8");
	assert_contains(fixture_assumption("site.grid_gco2e_per_kwh")->source, "catalogue nebius.eu-north1");
	assert_contains(fixture_assumption("site.pue")->source, "ESTIMATE of 1.1");
	assert_contains(fixture_assumption("internode_gbs")->source, "DGX H100");
	assert_contains(fixture_assumption("calibration")->source, "no measurement");
	fixture_sources_are_named();
}

static void what_is_given_is_not_assumed(void **state)
{
	(void)state;
	request.common.accelerator.id = "h100-sxm5-80gb";
	request.common.pricing.usd_per_gpu_hour = 3;
	request.common.site = (struct site_request){.grid_gco2e_per_kwh = 100,
		.pue = 1.2,
		.wue_l_per_kwh = 0,
		.ewif_l_per_kwh = 2,
		.electricity_usd_per_kwh = 0.1,
		.grid_market_gco2e_per_kwh = ABSENT_NUMBER,
		.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER};
	request.common.gpus_per_node = 4;
	request.common.internode_gbs = 25;
	request.common.precision = PRECISION_FP8;
	request.common.objective = OBJECTIVE_TIME;
	request.common.practice = PRACTICE_RECIPE;
	request.common.confidence = 0.9;
	request.common.alternatives = 0;
	request.common.enforce_memory = TRUTH_FALSE;
	request.common.calibration = CALIBRATION_DATASHEET;
	request.epochs = 2;
	request.optimizer = OPTIMIZER_LION;
	request.stack = STACK_FSDP;
	assert_int_equal(resolve(), STATUS_OK);
	assert_int_equal(fixture.findings.assumption_count, 1); /* instances of four: a link within an instance joins four */
	assert_close(fixture_assumption("max_nvlink_domain")->number, 4, 1e-12);
	assert_int_equal(fixture.findings.warning_count, 0);
	assert_false(input.candidates[0].has_offer);
	assert_close(input.candidates[0].site.pue, 1.2, 1e-12);
	assert_close(input.candidates[0].site.grid_low_gco2e_per_kwh, 100, 1e-12);
	assert_close(input.candidates[0].internode_gbs, 25, 1e-12);
}

static void unknown_names_are_answered_with_the_nearest(void **state)
{
	(void)state;
	request.common.model.id = "llama-3.1-8bb";
	request.common.accelerator.id = "h1000";
	assert_int_equal(resolve(), STATUS_INVALID);
	assert_contains(fixture_fault("/model"), "llama-3.1-8b");
	assert_contains(fixture_fault("/accelerator"), "h100");
}

static void every_fault_of_a_request_comes_at_once(void **state)
{
	(void)state;
	request.common.accelerators = (struct accelerator_reference_list){&request.common.accelerator, 1};
	request.global_batch_size = 1024;
	request.global_batch_tokens = 4e6;
	request.tokens = ABSENT_NUMBER;
	request.reserved_hours = 10;
	request.stack_release = "May 2025";
	request.common.pricing.usd_per_gpu_hour = 2;
	request.common.pricing.providers = (struct text_list){(const char *[]){"aws"}, 1};
	request.common.pricing.terms = (struct text_list){(const char *[]){"weekly"}, 1};
	request.common.site.country = "FR";
	request.common.site.region = "us-east-1";
	request.common.gpu_count = 0;
	request.common.gpus_per_node = 0;
	assert_int_equal(resolve(), STATUS_INVALID);
	assert_contains(fixture_fault("/accelerators"), "not both");
	assert_contains(fixture_fault("/global_batch_size"), "not both");
	assert_contains(fixture_fault("/tokens"), "15T");
	assert_contains(fixture_fault("/reserved_hours"), "deadline_hours");
	assert_contains(fixture_fault("/stack_release"), "2025-05");
	assert_contains(fixture_fault("/pricing"), "replaces offers");
	assert_contains(fixture_fault("/pricing/terms"), "reserved_1y");
	assert_contains(fixture_fault("/site/country"), "not both");
	fixture_fault("/gpu_count");
	fixture_fault("/gpus_per_node");
}

static void hours_that_contradict(void **state)
{
	(void)state;
	request.deadline_hours = 20;
	request.reserved_hours = 20;
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/reserved_hours");
	begin(state);
	request.deadline_hours = 30;
	request.cadence_hours = 24;
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/deadline_hours");
	begin(state);
	request.cadence_hours = 24;
	request.reserved_hours = 6;
	assert_int_equal(resolve(), STATUS_OK);
}

static void stages_hold_their_own_tokens(void **state)
{
	struct training_stage stages[] = {{1e12, 4096, ABSENT_NUMBER}, {ABSENT_NUMBER, 200000, ABSENT_NUMBER}};

	(void)state;
	request.stages = (struct training_stage_list){stages, 2};
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/tokens");
	fixture_fault("/stages/1/tokens");
	begin(state);
	stages[1].tokens = 1e9;
	request.tokens = ABSENT_NUMBER;
	request.stages = (struct training_stage_list){stages, 2};
	assert_int_equal(resolve(), STATUS_OK);
	assert_true(fixture_warned("beyond the 131072 positions"));
}

static void models_by_size_config_and_kind(void **state)
{
	static const char config[] = "{\"model_type\":\"llama\",\"hidden_size\":2048,\"intermediate_size\":8192,\"num_hidden_layers\":16,"
								 "\"num_attention_heads\":32,\"num_key_value_heads\":8,\"head_dim\":64,\"vocab_size\":128256,\"tie_word_"
								 "embeddings\":true}";

	(void)state;
	request.common.model.id = NULL;
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/model");
	begin(state);
	request.common.model.id = NULL;
	request.common.model.params = 70e9;
	assert_int_equal(resolve(), STATUS_OK);
	assert_close(input.model.params_total, 70e9, 1e-9);
	assert_contains(fixture_assumption("model.config")->source, "E2");
	begin(state);
	request.common.model.id = NULL;
	request.common.model.config = (struct json_text){config, sizeof config - 1};
	assert_int_equal(resolve(), STATUS_OK);
	assert_close(input.model.params_total, 1.236e9, 0.002);
	begin(state);
	request.common.model.params = 70e9;
	assert_int_equal(resolve(), STATUS_INVALID);
	assert_contains(fixture_fault("/model"), "one of");
	begin(state);
	request.common.model = (struct model_reference){
		.kind = "generic", .params = 25e6, .flops_per_sample = 4.1e9, .sample_bytes = ABSENT_NUMBER, .params_active = ABSENT_NUMBER};
	assert_int_equal(resolve(), STATUS_OK);
	assert_int_equal(input.model.kind, MODEL_GENERIC);
	begin(state);
	request.common.model = (struct model_reference){.kind = "generic", .params = ABSENT_NUMBER, .flops_per_sample = ABSENT_NUMBER};
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/model/params");
	fixture_fault("/model/flops_per_sample");
	begin(state);
	request.common.model = (struct model_reference){.params = 1e9, .params_active = 2e9, .flops_per_sample = ABSENT_NUMBER};
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/model/params_active");
	begin(state);
	request.distillation.teacher.id = "llama-3.1-405b";
	assert_int_equal(resolve(), STATUS_OK);
	assert_close(input.teacher->params_total, 405.85e9, 0.002);
	request.distillation.teacher.id = "llama-9";
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/distillation/teacher");
}

static void variants_change_what_they_name(void **state)
{
	const struct accelerator *base = &catalogue_accelerator(fixture.catalogue, "h100", NULL)->accelerator, *variant;

	(void)state;
	request.common.accelerator.id = NULL;
	request.common.accelerator.like = "h100";
	request.common.accelerator.changes.memory_gb = 160;
	request.common.accelerator.changes.tflops_bf16 = 1200;
	request.common.accelerator.changes.interconnect = "NVLink 9";
	request.common.accelerator.changes.max_nvlink_domain = 72;
	assert_int_equal(resolve(), STATUS_OK);
	variant = &input.candidates[0].accelerator;
	assert_string_equal(variant->id, "like-h100-sxm5-80gb");
	assert_string_equal(accelerator_kin(variant), "h100-sxm5-80gb");
	assert_close(variant->memory_gb, 160, 1e-12);
	assert_close(variant->memory_usable_bytes, 2 * base->memory_usable_bytes, 1e-12);
	assert_close(variant->tflops_bf16, 1200, 1e-12);
	assert_close(variant->tflops_fp8, 2 * 1200, 1e-12);
	assert_string_equal(variant->interconnect, "NVLink 9");
	assert_int_equal(variant->max_nvlink_domain, 72);
	assert_contains(variant->source, "changed: ");
	assert_contains(variant->source, "memory_gb");
	assert_contains(variant->source, "tflops_bf16");
	assert_contains(fixture_assumption("accelerator.like")->source, "catalogue h100-sxm5-80gb");
	fixture_sources_are_named();
}

static void a_variant_that_cannot_be_is_refused(void **state)
{
	(void)state;
	request.common.accelerator.id = NULL;
	request.common.accelerator.like = "h100";
	request.common.accelerator.changes.idle_w = 900;
	request.common.accelerator.changes.memory_usable_bytes = 200e9;
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/accelerator/idle_w");
	fixture_fault("/accelerator/memory_usable_bytes");
	begin(state);
	request.common.accelerator.changes.tdp_w = 1;
	assert_int_equal(resolve(), STATUS_INVALID);
	assert_contains(fixture_fault("/accelerator/id"), "changes tdp_w: name the accelerator in `like` instead");
	begin(state);
	request.common.accelerator.id = NULL;
	request.common.accelerator.like = "nothing-like-it";
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/accelerator/like");
}

static void a_sparse_rate_is_answered_with_the_dense_one(void **state)
{
	(void)state;
	request.common.accelerator.id = NULL;
	request.common.accelerator.like = "h100";
	request.common.accelerator.changes.tflops_bf16 = 1979;
	request.common.accelerator.changes.tflops_fp8 = 3958;
	assert_int_equal(resolve(), STATUS_OK);
	assert_true(fixture_warned("989.5"));
	assert_true(fixture_warned("1979"));
}

static void all_that_can_be_rented_are_candidates(void **state)
{
	(void)state;
	request.common.accelerator.id = NULL;
	assert_int_equal(resolve(), STATUS_OK);
	assert_true(input.candidate_count >= 20);
	for (size_t i = 0; i < input.candidate_count; i++) {
		assert_true(input.candidates[i].has_offer);
		assert_true(input.candidates[i].offer.usd_per_gpu_hour > 0);
		assert_true(input.candidates[i].offer.high_usd_per_gpu_hour >= input.candidates[i].offer.low_usd_per_gpu_hour);
		assert_true(isfinite(input.candidates[i].site.grid_gco2e_per_kwh));
		assert_true(input.candidates[i].gpus_per_node >= 1);
		assert_true(isfinite(input.candidates[i].internode_gbs));
		assert_true(input.candidates[i].single ==
			(strcmp(input.candidates[i].accelerator.id, "gh200-96gb") == 0 || strcmp(input.candidates[i].accelerator.id, "rtx-4090") == 0));
		assert_string_not_equal(input.candidates[i].accelerator.id, "rtx-3090");
	}
	assert_int_equal(input.request.common.precision, PRECISION_UNSET);
	assert_contains(fixture_assumption("precision")->text, "best of each");
	fixture_sources_are_named();
	request.common.pricing.usd_per_gpu_hour = 2;
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/accelerator");
}

static void a_list_keeps_its_order_and_names_its_faults(void **state)
{
	struct accelerator_reference list[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		list[i] = request.common.accelerator;
	list[0].id = "b200";
	list[1].id = "h200";
	list[2].id = "a100";
	request.common.accelerator.id = NULL;
	request.common.accelerators = (struct accelerator_reference_list){list, 3};
	assert_int_equal(resolve(), STATUS_OK);
	assert_int_equal(input.candidate_count, 3);
	assert_string_equal(input.candidates[0].accelerator.id, "b200-sxm6-180gb");
	assert_string_equal(input.candidates[2].accelerator.id, "a100-sxm4-80gb");
	assert_int_equal(input.request.common.precision, PRECISION_BF16);
	resolve_recommended(&fixture.resolver, &input.request.common, input.candidates, 3, &input.candidates[2].offer);
	assert_close(fixture_assumption("pricing.usd_per_gpu_hour")->number, input.candidates[2].offer.usd_per_gpu_hour, 1e-12);
	assert_close(fixture_assumption("site.grid_gco2e_per_kwh")->number, input.candidates[2].site.grid_gco2e_per_kwh, 1e-12);
	list[2].id = "h200-sxm";
	assert_int_equal(resolve(), STATUS_INVALID);
	assert_contains(fixture_fault("/accelerators/2"), "twice");
	begin(state);
	list[1].id = "h2000";
	request.common.accelerator.id = NULL;
	request.common.accelerators = (struct accelerator_reference_list){list, 2};
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/accelerators/1");
}

static void too_many_accelerators_are_refused(void **state)
{
	static struct accelerator_reference list[CANDIDATES_MAX + 1];

	(void)state;
	for (size_t i = 0; i <= CANDIDATES_MAX; i++)
		list[i] = request.common.accelerator;
	request.common.accelerator.id = NULL;
	request.common.accelerators = (struct accelerator_reference_list){list, CANDIDATES_MAX + 1};
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/accelerators");
}

static void without_an_offer_cost_is_left_out_and_said(void **state)
{
	(void)state;
	request.common.accelerator.id = "rtx-3090";
	assert_int_equal(resolve(), STATUS_OK);
	assert_false(input.candidates[0].has_offer);
	assert_true(fixture_warned("no current offer of rtx-3090"));
	assert_true(fixture_warned("world average"));
	request.budget_usd = 1000;
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/budget_usd");
	begin(state);
	request.common.pricing.providers = (struct text_list){(const char *[]){"nobody"}, 1};
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/pricing");
}

static void an_offer_suits_what_works_together(void **state)
{
	const struct candidate *h100;

	(void)state;
	/* The size of the job is unknown. The offer has whole nodes, and the supplies list the price of each smaller instance. */
	assert_int_equal(resolve(), STATUS_OK);
	h100 = &input.candidates[0];
	assert_int_equal(h100->offer.gpus, 8);
	assert_true(h100->supply_count >= 2);
	for (size_t i = 0; i < h100->supply_count; i++) {
		assert_true(isfinite(h100->supplies[i].site.grid_gco2e_per_kwh));
		for (size_t k = 0; k < i; k++) {
			const struct supply *cheap = &h100->supplies[k], *dear = &h100->supplies[i];

			/* A higher price for the same instance comes with a cleaner grid or a better building. */
			assert_true(dear->offer.usd_per_gpu_hour >= cheap->offer.usd_per_gpu_hour);
			assert_true(dear->offer.gpus != cheap->offer.gpus || dear->site.pue < cheap->site.pue ||
				dear->site.pue * dear->site.grid_gco2e_per_kwh < cheap->site.pue * cheap->site.grid_gco2e_per_kwh);
		}
	}
	begin(state);
	request.common.gpu_count = 640;
	assert_int_equal(resolve(), STATUS_OK);
	assert_int_equal(input.candidates[0].offer.gpus, 8);
	assert_string_equal(input.candidates[0].offer.provider, "nebius");
}

static void own_hardware_needs_its_price(void **state)
{
	(void)state;
	request.common.pricing.on_premises.life_years = 5;
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/pricing/on_premises/capex_usd_per_gpu");
	begin(state);
	request.common.pricing.on_premises.capex_usd_per_gpu = 30000;
	assert_int_equal(resolve(), STATUS_OK);
	assert_false(input.candidates[0].has_offer);
	assert_true(fixture_warned("no site is known"));
	request.common.pricing.usd_per_gpu_hour = 2;
	assert_int_equal(resolve(), STATUS_INVALID);
	fixture_fault("/pricing/on_premises");
}

static void measurements_correct_what_they_may(void **state)
{
	struct catalogue *saved = fixture.catalogue;

	(void)state;
	fixture.catalogue = fixture_catalogue(calibrations, 5);
	begin(state);
	assert_int_equal(resolve(), STATUS_OK);
	assert_string_equal(input.candidates[0].calibration.id, "new");
	assert_close(input.candidates[0].calibration.gemm_efficiency, 0.8, 1e-12);
	assert_close(input.candidates[0].calibration.idle_w, 70, 1e-12);
	assert_true(isnan(input.candidates[0].calibration.memory_efficiency));
	assert_string_equal(fixture_assumption("calibration.unused")->text, "kernel");
	assert_contains(fixture_assumption("calibration")->source,
		"measured by library_gemm on gpu-0, 2026-11-20 (1 day old, calibration new); 0.4 % below the published prior of 0.803");
	request.common.calibration = CALIBRATION_DATASHEET;
	assert_int_equal(resolve(), STATUS_OK);
	assert_null(input.candidates[0].calibration.id);
	assert_true(isnan(input.candidates[0].calibration.idle_w));
	catalogue_release(fixture.catalogue);
	fixture.catalogue = saved;
}

static struct calibration_row calibrations[5] = {
	{.id = "old",
		.accelerator_id = "h100-sxm5-80gb",
		.device_id = "gpu-0",
		.precision = PRECISION_BF16,
		.quantity = "gemm_efficiency",
		.class = "large",
		.method = "library_gemm",
		.value = 0.7,
		.meta.valid_from_us = INT64_C(1795132800000000) + 1},
	{.id = "new",
		.accelerator_id = "h100-sxm5-80gb",
		.device_id = "gpu-0",
		.precision = PRECISION_BF16,
		.quantity = "gemm_efficiency",
		.class = "large",
		.method = "library_gemm",
		.value = 0.8,
		.meta.valid_from_us = INT64_C(1795132800000000) + 2},
	{.id = "kernel",
		.accelerator_id = "h100-sxm5-80gb",
		.device_id = "gpu-0",
		.precision = PRECISION_BF16,
		.quantity = "gemm_efficiency",
		.class = "large",
		.method = "kernel_gemm",
		.value = 0.1,
		.meta.valid_from_us = INT64_C(1795132800000000) + 3},
	{.id = "idle", .accelerator_id = "h100-sxm5-80gb", .quantity = "idle_w", .value = 70, .meta.valid_from_us = INT64_C(1795132800000000) + 1},
	{.id = "other",
		.accelerator_id = "a100-sxm4-80gb",
		.quantity = "memory_efficiency",
		.value = 0.9,
		.meta.valid_from_us = INT64_C(1795132800000000) + 1},
};

/* The catalogue must have all figures of each accelerator that a plan needs. */
static void every_accelerator_resolves(void **state)
{
	const struct catalogue_rows *rows = &fixture.catalogue->rows;

	(void)state;
	for (size_t i = 0; i < rows->accelerator_count; i++) {
		const struct candidate *candidate;

		begin(state);
		request.common.accelerator.id = rows->accelerators[i].accelerator.id;
		assert_int_equal(resolve(), STATUS_OK);
		candidate = &input.candidates[0];
		assert_true(accelerator_capacity_bytes(&candidate->accelerator) > 1e9);
		assert_true(accelerator_peak_flops_per_s(&candidate->accelerator, input.request.common.precision, NULL) > 1e12);
		assert_true(candidate->gpus_per_node >= 1 && isfinite(candidate->internode_gbs) && candidate->internode_gbs > 0);
		assert_true(isfinite(candidate->site.grid_gco2e_per_kwh) && isfinite(candidate->site.pue));
		fixture_sources_are_named();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_is_left_out_is_filled_and_said, begin),
		cmocka_unit_test_setup(what_is_given_is_not_assumed, begin),
		cmocka_unit_test_setup(unknown_names_are_answered_with_the_nearest, begin),
		cmocka_unit_test_setup(every_fault_of_a_request_comes_at_once, begin),
		cmocka_unit_test_setup(hours_that_contradict, begin),
		cmocka_unit_test_setup(stages_hold_their_own_tokens, begin),
		cmocka_unit_test_setup(models_by_size_config_and_kind, begin),
		cmocka_unit_test_setup(variants_change_what_they_name, begin),
		cmocka_unit_test_setup(a_variant_that_cannot_be_is_refused, begin),
		cmocka_unit_test_setup(a_sparse_rate_is_answered_with_the_dense_one, begin),
		cmocka_unit_test_setup(all_that_can_be_rented_are_candidates, begin),
		cmocka_unit_test_setup(a_list_keeps_its_order_and_names_its_faults, begin),
		cmocka_unit_test_setup(too_many_accelerators_are_refused, begin),
		cmocka_unit_test_setup(without_an_offer_cost_is_left_out_and_said, begin),
		cmocka_unit_test_setup(an_offer_suits_what_works_together, begin),
		cmocka_unit_test_setup(own_hardware_needs_its_price, begin),
		cmocka_unit_test_setup(measurements_correct_what_they_may, begin),
		cmocka_unit_test_setup(every_accelerator_resolves, begin),
	};

	return cmocka_run_group_tests_name("resolve", tests, fixture_setup, fixture_teardown);
}
