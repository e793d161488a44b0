#include "support/serving_fixture.h"

#include <string.h>

/* Returns the row h100-sxm5-80gb of hwdb/data/accelerators.csv. */
static struct accelerator h100(void)
{
	return (struct accelerator){.id = "h100-sxm5-80gb",
		.vendor = "nvidia",
		.name = "NVIDIA H100 SXM5 80GB",
		.form_factor = "sxm",
		.memory_gb = 80,
		.memory_usable_bytes = 85.5e9,
		.memory_bandwidth_gbs = 3350,
		.tflops_fp64 = 34,
		.tflops_fp32 = 67,
		.tflops_tf32 = 494.5,
		.tflops_bf16 = 989.5,
		.tflops_fp16 = 989.5,
		.tflops_fp8 = 1979,
		.tops_int8 = 1979,
		.tflops_fp4 = ABSENT_NUMBER,
		.tdp_w = 700,
		.idle_w = ABSENT_NUMBER,
		.interconnect_gbs = 900,
		.pcie_gen = 5,
		.max_nvlink_domain = 8,
		.transistor_nm = 4,
		.die_area_mm2 = 814,
		.embodied_kgco2e = 164,
		.embodied_boavizta_kgco2e = 575.2,
		.source = "fixture"};
}

/* Fills in Llama 3.1 70B (Meta 2024, config.json). */
static void llama_70b(struct model *model)
{
	memset(model, 0, sizeof *model);
	*model = (struct model){
		.id = "llama-3.1-70b", .hidden = 8192, .vocabulary = 128256, .max_positions = 131072, .layer_count = 80, .kind_count = 1};
	model->kinds[0] = (struct layer_kind){.mixer = MIXER_ATTENTION,
		.heads = 64,
		.kv_heads = 8,
		.head_dim = 128,
		.value_head_dim = 128,
		.feed_forward = FEED_FORWARD_DENSE,
		.width = 28672,
		.gated = true,
		.norms = 2};
	model->norms = 1;
	model_finish(model);
}

struct request_common serving_fixture_common(void)
{
	struct request_common common = {.gpu_count = ABSENT_COUNT,
		.gpus_per_node = ABSENT_COUNT,
		.internode_gbs = ABSENT_NUMBER,
		.carbon_cap_kgco2e = ABSENT_NUMBER,
		.energy_cap_kwh = ABSENT_NUMBER,
		.practice = PRACTICE_RECIPE,
		.confidence = 0.5,
		.alternatives = ABSENT_COUNT};

	common.pricing = (struct pricing){.usd_per_gpu_hour = ABSENT_NUMBER,
		.max_age_days = ABSENT_NUMBER,
		.spot_interruptions_per_gpu_hour = ABSENT_NUMBER,
		.storage_usd_per_gb_month = ABSENT_NUMBER,
		.egress_usd_per_gb = ABSENT_NUMBER,
		.storage_gb = ABSENT_NUMBER,
		.egress_gb = ABSENT_NUMBER,
		.on_premises = {.capex_usd_per_gpu = ABSENT_NUMBER,
			.life_years = ABSENT_NUMBER,
			.electricity_usd_per_kwh = ABSENT_NUMBER,
			.staff_usd_per_gpu_month = ABSENT_NUMBER,
			.space_usd_per_kw_month = ABSENT_NUMBER}};
	common.site = (struct site_request){.grid_gco2e_per_kwh = ABSENT_NUMBER,
		.pue = ABSENT_NUMBER,
		.wue_l_per_kwh = ABSENT_NUMBER,
		.ewif_l_per_kwh = ABSENT_NUMBER,
		.grid_market_gco2e_per_kwh = ABSENT_NUMBER,
		.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER,
		.electricity_usd_per_kwh = ABSENT_NUMBER};
	common.hardware = (struct hardware_request){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
	return common;
}

static struct token_distribution tokens(double mean)
{
	return (struct token_distribution){.mean = mean, .p50 = ABSENT_NUMBER, .p95 = ABSENT_NUMBER, .cv = ABSENT_NUMBER};
}

static const struct serving_parallelism nothing_pinned = {
	ABSENT_COUNT, ABSENT_COUNT, ABSENT_COUNT, ABSENT_COUNT, ABSENT_COUNT, ABSENT_COUNT, TRUTH_UNSET};

static void fill_candidate(struct candidate *candidate)
{
	memset(candidate, 0, sizeof *candidate);
	candidate->accelerator = h100();
	candidate->has_offer = true;
	candidate->offer = (struct offer){.provider = "example",
		.instance_type = "8x",
		.region = "somewhere",
		.as_of = "2026-07-20",
		.source = "fixture",
		.term = TERM_ON_DEMAND,
		.gpus = 8,
		.usd_per_gpu_hour = 3,
		.low_usd_per_gpu_hour = 2.2,
		.high_usd_per_gpu_hour = 4.5};
	candidate->site = (struct site){.grid_gco2e_per_kwh = 400,
		.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER,
		.grid_market_gco2e_per_kwh = ABSENT_NUMBER,
		.pue = 1.2,
		.wue_l_per_kwh = 0.2,
		.ewif_l_per_kwh = 3,
		.electricity_usd_per_kwh = 0.08,
		.grid_low_gco2e_per_kwh = 360,
		.grid_high_gco2e_per_kwh = 440,
		.pue_low = 1.1,
		.pue_high = 1.3};
	candidate->calibration = (struct calibration){.id = NULL};
	candidate->gpus_per_node = 8;
	candidate->internode_gbs = 50;
}

void serving_fixture_fill(struct serving_fixture *fixture)
{
	struct performance_request *performance = &fixture->performance.request;
	struct inference_request *inference = &fixture->inference.request;

	memset(fixture, 0, sizeof *fixture);
	fill_candidate(&fixture->candidate);
	llama_70b(&fixture->performance.model);
	fixture->inference.model = fixture->performance.model;
	fixture->performance.candidate = fixture->inference.candidates = &fixture->candidate;
	fixture->inference.candidate_count = 1;
	*performance = (struct performance_request){.common = serving_fixture_common(),
		.engine = ENGINE_VLLM,
		.parallelism = nothing_pinned,
		.prompt_tokens = tokens(1000),
		.output_tokens = tokens(300),
		.concurrency = 32,
		.requests_per_s = ABSENT_NUMBER,
		.requests = ABSENT_COUNT};
	performance->common.precision = PRECISION_BF16;
	performance->common.gpu_count = 4;
	*inference = (struct inference_request){.common = serving_fixture_common(),
		.engine = ENGINE_VLLM,
		.queries_per_minute = 600,
		.requests_per_s = ABSENT_NUMBER,
		.prompt_tokens = tokens(1000),
		.output_tokens = tokens(300),
		.slo = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.throughput_tokens_per_s_per_gpu = ABSENT_NUMBER,
		.parallelism = nothing_pinned,
		.prefix_cache_hit_rate = ABSENT_NUMBER,
		.speculative = {ABSENT_NUMBER, ABSENT_NUMBER},
		.burstiness_cv = ABSENT_NUMBER,
		.startup_s = ABSENT_NUMBER,
		.headroom = ABSENT_NUMBER,
		.budget_usd_per_month = ABSENT_NUMBER,
		.hosted_api = {ABSENT_NUMBER, ABSENT_NUMBER},
		.utc_offset_hours = ABSENT_NUMBER};
	inference->common.precision = PRECISION_BF16;
}
