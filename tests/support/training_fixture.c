#include "support/training_fixture.h"

#include "support/assert.h"

void fixture_model(struct model *model, int layers, int hidden, int heads, int kv_heads, int width, int vocabulary, bool gpt)
{
	*model = (struct model){.kind = MODEL_TRANSFORMER,
		.hidden = hidden,
		.vocabulary = vocabulary,
		.layer_count = layers,
		.kind_count = 1,
		.tied_embeddings = gpt,
		.params_total = ABSENT_NUMBER,
		.params_active = ABSENT_NUMBER,
		.params_embedding = ABSENT_NUMBER};
	model->kinds[0] = (struct layer_kind){.mixer = MIXER_ATTENTION,
		.heads = heads,
		.kv_heads = kv_heads,
		.head_dim = hidden / heads,
		.value_head_dim = hidden / heads,
		.feed_forward = FEED_FORWARD_DENSE,
		.width = width,
		.gated = !gpt};
	model_finish(model);
}

static struct site fixture_site(void)
{
	return (struct site){.grid_gco2e_per_kwh = 400,
		.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER,
		.grid_market_gco2e_per_kwh = ABSENT_NUMBER,
		.pue = 1.2,
		.wue_l_per_kwh = 0.3,
		.ewif_l_per_kwh = 3,
		.electricity_usd_per_kwh = ABSENT_NUMBER,
		.grid_low_gco2e_per_kwh = 350,
		.grid_high_gco2e_per_kwh = 450,
		.pue_low = 1.1,
		.pue_high = 1.3,
		.grid_source = "test"};
}

struct candidate fixture_a100(void)
{
	return (struct candidate){.accelerator = {.id = "a100-sxm4-80gb",
								  .vendor = "nvidia",
								  .release_year = 2020,
								  .memory_gb = 80,
								  .memory_usable_bytes = 85.2e9,
								  .memory_bandwidth_gbs = 2039,
								  .tflops_fp64 = 9.7,
								  .tflops_fp32 = 19.5,
								  .tflops_tf32 = 156,
								  .tflops_bf16 = 312,
								  .tflops_fp16 = 312,
								  .tflops_fp8 = ABSENT_NUMBER,
								  .tops_int8 = 624,
								  .tflops_fp4 = ABSENT_NUMBER,
								  .tdp_w = 400,
								  .idle_w = 50,
								  .interconnect = "NVLink 3",
								  .interconnect_gbs = 600,
								  .pcie_gen = 4,
								  .max_nvlink_domain = 8,
								  .transistor_nm = 7,
								  .die_area_mm2 = 826,
								  .embodied_kgco2e = ABSENT_NUMBER,
								  .embodied_boavizta_kgco2e = ABSENT_NUMBER},
		.site = fixture_site(),
		.calibration = {.gemm_efficiency = ABSENT_NUMBER, .memory_efficiency = ABSENT_NUMBER},
		.gpus_per_node = 8,
		.internode_gbs = 25};
}

struct candidate fixture_h100(void)
{
	struct candidate candidate = fixture_a100();
	struct accelerator *accelerator = &candidate.accelerator;

	accelerator->id = "h100-sxm5-80gb";
	accelerator->release_year = 2022;
	accelerator->memory_usable_bytes = 85.5e9;
	accelerator->memory_bandwidth_gbs = 3350;
	accelerator->tflops_fp32 = 67;
	accelerator->tflops_tf32 = 494.7;
	accelerator->tflops_bf16 = accelerator->tflops_fp16 = 989.5;
	accelerator->tflops_fp8 = 1979;
	accelerator->tdp_w = 700;
	accelerator->interconnect_gbs = 900;
	accelerator->pcie_gen = 5;
	candidate.internode_gbs = 50;
	return candidate;
}

static void request_absent(struct training_request *request)
{
	*request = (struct training_request){.epochs = 1, .stack = STACK_GENERIC, .optimizer = OPTIMIZER_ADAMW};
	request->tokens = request->sequence_length = request->global_batch_size = request->global_batch_tokens = ABSENT_NUMBER;
	request->deadline_hours = request->budget_usd = request->reserved_hours = request->cadence_hours = request->mfu = ABSENT_NUMBER;
	request->distillation.teacher.params = request->distillation.teacher.params_active = ABSENT_NUMBER;
	request->fine_tuning.rank = ABSENT_COUNT;
	request->input_pipeline.sample_bytes = request->input_pipeline.storage_gbs = request->input_pipeline.cpu_ms_per_sample = ABSENT_NUMBER;
	request->input_pipeline.workers = ABSENT_COUNT;
	request->reliability.mtbf_gpu_hours = request->reliability.restart_minutes = ABSENT_NUMBER;
	request->reliability.checkpoint_gbs = request->reliability.checkpoint_interval_minutes = ABSENT_NUMBER;
	request->reliability.repair_hours = ABSENT_NUMBER;
	request->reliability.spare_nodes = ABSENT_COUNT;
	request->parallelism = (struct parallelism){.tensor = ABSENT_COUNT,
		.pipeline = ABSENT_COUNT,
		.data = ABSENT_COUNT,
		.context = ABSENT_COUNT,
		.expert = ABSENT_COUNT,
		.interleave = ABSENT_COUNT,
		.micro_batch = ABSENT_COUNT,
		.zero_stage = ABSENT_COUNT,
		.zero_group = ABSENT_COUNT,
		.kept_layers = ABSENT_COUNT};
	request->common.gpu_count = request->common.alternatives = ABSENT_COUNT;
	request->common.carbon_cap_kgco2e = request->common.energy_cap_kwh = ABSENT_NUMBER;
	request->common.precision = PRECISION_BF16;
	request->common.practice = PRACTICE_RECIPE; /* steps and failures only; tests of practice and confidence set their own */
	request->common.confidence = 0.5;
	request->common.pricing.usd_per_gpu_hour = request->common.pricing.on_premises.capex_usd_per_gpu = ABSENT_NUMBER;
	request->common.pricing.spot_interruptions_per_gpu_hour = ABSENT_NUMBER;
	request->common.pricing.currency.per_usd = ABSENT_NUMBER;
	request->common.pricing.storage_usd_per_gb_month = request->common.pricing.egress_usd_per_gb = ABSENT_NUMBER;
	request->common.pricing.storage_gb = request->common.pricing.egress_gb = ABSENT_NUMBER;
	request->common.hardware = (struct hardware_request){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
}

void fixture_init(struct training_fixture *fixture)
{
	*fixture = (struct training_fixture){.input = {.candidate_count = 1}};
	request_absent(&fixture->input.request);
	fixture_model(&fixture->input.model, 32, 4096, 32, 8, 14336, 128256, false);
	fixture->candidates[0] = fixture_h100();
	fixture->input.candidates = fixture->candidates;
	fixture->input.request.tokens = 1e12;
	fixture->input.request.sequence_length = 8192;
	fixture->input.request.global_batch_size = 1024;
	fixture->input.request.common.pricing.usd_per_gpu_hour = 2.5;
}

enum status fixture_plan(struct training_fixture *fixture)
{
	findings_clear(&fixture->plan.findings);
	failure_clear(&fixture->failure);
	return planner_training(&fixture->input, &fixture->plan, &fixture->failure);
}

void fixture_planned(struct training_fixture *fixture)
{
	if (fixture_plan(fixture) != STATUS_OK)
		fail_msg("%s %s", fixture->failure.detail, fixture->failure.fault_count > 0 ? fixture->failure.faults[0].detail : "");
}

bool fixture_warned(const struct training_fixture *fixture, const char *part)
{
	for (size_t i = 0; i < fixture->plan.findings.warning_count; i++)
		if (strstr(fixture->plan.findings.warnings[i].detail, part))
			return true;
	return false;
}

bool fixture_assumed(const struct training_fixture *fixture, const char *field)
{
	for (size_t i = 0; i < fixture->plan.findings.assumption_count; i++)
		if (strcmp(fixture->plan.findings.assumptions[i].field, field) == 0)
			return true;
	return false;
}

bool fixture_advised(const struct training_fixture *fixture, const char *code)
{
	for (size_t i = 0; i < fixture->plan.findings.advice_count; i++)
		if (strcmp(fixture->plan.findings.advice[i].code, code) == 0)
			return true;
	return false;
}

void fixture_check_option(const struct training_fixture *fixture, const struct training_option *option)
{
	const struct parallelism *layout = &option->parallelism;
	double tokens = option->tokens_per_s * option->wall_clock_hours * option->goodput.fraction * 3600;

	assert_int_equal(layout->tensor * layout->pipeline * layout->data * layout->context, option->gpu_count);
	assert_close(option->gpu_hours, option->wall_clock_hours * (double)option->gpu_count, 1e-12);
	assert_close(option->cost.total_usd, option->gpu_hours * option->cost.usd_per_gpu_hour, 1e-12);
	assert_close(option->goodput.lost_hours, option->wall_clock_hours * (1 - option->goodput.fraction), 1e-9);
	assert_close(option->carbon.total_kgco2e, option->carbon.operational_kgco2e + option->carbon.embodied_kgco2e, 1e-12);
	assert_close(option->tokens_per_s, option->tokens_per_s_per_gpu * (double)option->gpu_count, 1e-12);
	assert_true(option->memory.total_bytes <= option->memory.capacity_bytes);
	assert_true(option->hfu >= option->mfu && option->mfu > 0.05 && option->hfu < 0.9);
	assert_true(option->interval.total_usd.p10 < option->cost.total_usd && option->cost.total_usd < option->interval.total_usd.p90);
	assert_true(option->provenance_count >= 8);
	assert_close(tokens, fixture->plan.workload.tokens_total, 0.01); /* whole steps */
}
