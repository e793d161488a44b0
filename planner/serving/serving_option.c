#include "planner/serving/serving_option.h"

#include "base/units.h"
#include "planner/footprint/purchase.h"
#include "planner/serving/disaggregated.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/hosted.h"
#include "planner/serving/promises.h"

static const double milliseconds_per_second = 1000, tokens_per_million = 1e6, tokens_per_thousand = 1e3, grams_per_kg = 1000,
					wh_per_kwh = 1000;

struct serving_parallelism option_parallelism(const struct replica *replica)
{
	return (struct serving_parallelism){.tensor = replica->tensor,
		.pipeline = replica->pipeline,
		.expert = replica->expert,
		.attention_data = replica->attention_data,
		.max_batch = (int64_t)replica->rules.max_batch,
		.chunk_tokens = (int64_t)replica->rules.chunk_tokens,
		.disaggregated = TRUTH_FALSE};
}

struct bottleneck_use option_bottleneck(const double shares[BOTTLENECK_COUNT])
{
	struct bottleneck_use use = {.kind = BOTTLENECK_COMPUTE};
	double sum = 0;

	for (int i = 0; i < BOTTLENECK_COUNT; i++)
		sum += shares[i];
	for (int i = 0; i < BOTTLENECK_COUNT; i++) {
		use.shares[i] = sum > 0 ? shares[i] / sum : 0;
		if (use.shares[i] > use.shares[use.kind])
			use.kind = (enum bottleneck)i;
	}
	return use;
}

static struct latency percentiles_ms(const struct latency_model *model, enum latency_quantity quantity)
{
	return (struct latency){.p50 = latency_quantile_s(model, quantity, 0.50) * milliseconds_per_second,
		.p95 = latency_quantile_s(model, quantity, 0.95) * milliseconds_per_second,
		.p99 = latency_quantile_s(model, quantity, 0.99) * milliseconds_per_second};
}

static struct latency estimates_ms(const struct trial_latency *latency)
{
	return (struct latency){.p50 = latency->p50.mean_s * milliseconds_per_second,
		.p95 = latency->p95.mean_s * milliseconds_per_second,
		.p99 = latency->p99.mean_s * milliseconds_per_second};
}

struct latencies option_latencies(const struct trial *trial)
{
	return (struct latencies){
		.ttft_ms = estimates_ms(&trial->ttft), .tpot_ms = estimates_ms(&trial->tpot), .e2e_ms = estimates_ms(&trial->e2e)};
}

static void fill_by_formulas(struct inference_option *option, const struct latency_model *model)
{
	option->latency.ttft_ms = percentiles_ms(model, LATENCY_TTFT);
	option->latency.tpot_ms = percentiles_ms(model, LATENCY_TPOT);
	option->latency.e2e_ms = percentiles_ms(model, LATENCY_E2E);
}

/* Fills the latencies of a single request, because there are no formulas for separate replicas for prompts. */
static void fill_alone(struct inference_option *option, const struct fleet *fleet)
{
	double ttft_ms = fleet->ttft_s * milliseconds_per_second, tpot_ms = fleet->tpot_s * milliseconds_per_second;
	double e2e_ms = fleet->e2e_s * milliseconds_per_second;

	option->latency.ttft_ms = (struct latency){ttft_ms, ttft_ms, ttft_ms};
	option->latency.tpot_ms = (struct latency){tpot_ms, tpot_ms, tpot_ms};
	option->latency.e2e_ms = (struct latency){e2e_ms, e2e_ms, e2e_ms};
}

/* Fills the results of the simulation. */
static void fill_simulated(struct inference_option *option, const struct trial *trial)
{
	option->batch.mean = trial->mean_batch;
	option->latency = option_latencies(trial);
	option->latency_of_rest.ttft_ms = estimates_ms(&trial->rest_ttft);
	option->latency_of_rest.tpot_ms = estimates_ms(&trial->rest_tpot);
	option->latency_of_rest.e2e_ms = estimates_ms(&trial->rest_e2e);
	option->simulated.requests = trial->requests;
	option->simulated.replications = trial->replications;
	option->simulated.seed = trial->seed;
	option->simulated.warmup_requests = trial->warmup_requests;
	option->simulated.ttft_half_width_ms = trial->ttft.promised.half_width_s * milliseconds_per_second;
	option->simulated.tpot_half_width_ms = trial->tpot.promised.half_width_s * milliseconds_per_second;
	option->simulated.e2e_half_width_ms = trial->e2e.promised.half_width_s * milliseconds_per_second;
}

/* E112. Returns the part of prompts in the time of a replica that does both: (1/p) / (1/p + 1/a) with p prompts or a
 * answers a second of a replica that does only one of them. */
static double prompts_share(const struct replica *replica, const struct request_shape *shape)
{
	struct disaggregated_rates rates = disaggregated_rates_of(replica, shape);

	return rates.answers_per_s / (rates.answers_per_s + rates.prompts_per_s);
}

static void fill_cost(struct inference_option *option, const struct fleet *fleet, const struct replica *replica,
	const struct demand *demand, const struct fleet_cost *costs)
{
	double share = prompts_share(replica, &demand->shape);
	double hourly = costs->requests_per_month / HOURS_PER_MONTH, usd_per_hour = costs->usd_per_hour;

	option->cost.usd_per_hour = usd_per_hour;
	option->cost.usd_per_month = usd_per_hour * HOURS_PER_MONTH;
	option->cost.accelerators_usd_per_month = costs->accelerators_usd_per_month;
	option->cost.storage_usd_per_month = costs->storage_usd_per_month;
	option->cost.egress_usd_per_month = costs->egress_usd_per_month;
	option->cost.usd_per_million_output_tokens = usd_per_hour / (hourly * demand->shape.output_tokens) * tokens_per_million;
	option->cost.usd_per_million_tokens = usd_per_hour / (hourly * (demand->shape.output_tokens + demand->shape.prompt_tokens)) *
		tokens_per_million;
	option->cost.input_usd_per_million_tokens = usd_per_hour * share / (hourly * demand->shape.prompt_tokens) * tokens_per_million;
	option->cost.output_usd_per_million_tokens = usd_per_hour * (1 - share) / (hourly * demand->shape.output_tokens) * tokens_per_million;
	option->cost.has_offer = costs->price.has_offer;
	if (costs->price.has_offer)
		option->cost.offer = fleet_candidate(fleet).offer;
}

static void fill_currency(struct inference_option *option, const struct currency *rate)
{
	option->cost.has_currency = rate->per_usd > 0 && is_given(option->cost.usd_per_month);
	if (!option->cost.has_currency)
		return;
	option->cost.currency.rate = *rate;
	option->cost.currency.per_month = option->cost.usd_per_month * rate->per_usd;
	option->cost.currency.per_million_output_tokens = option->cost.usd_per_million_output_tokens * rate->per_usd;
	option->cost.currency.per_million_tokens = option->cost.usd_per_million_tokens * rate->per_usd;
}

static void fill_carbon(struct inference_option *option, const struct demand *demand, const struct fleet_cost *costs)
{
	const struct carbon *carbon = &costs->footprint.carbon;
	double output = costs->requests_per_month * demand->shape.output_tokens;
	double tokens = output + costs->requests_per_month * demand->shape.prompt_tokens, grams = carbon->total_kgco2e * grams_per_kg;

	option->carbon.kgco2e_per_month = carbon->total_kgco2e;
	option->carbon.operational_kgco2e_per_month = carbon->operational_kgco2e;
	option->carbon.embodied_kgco2e_per_month = carbon->embodied_kgco2e;
	option->carbon.market_kgco2e_per_month = carbon->market_kgco2e;
	option->carbon.marginal_kgco2e_per_month = carbon->marginal_kgco2e;
	option->carbon.embodied_low_kgco2e_per_month = carbon->embodied_low_kgco2e;
	option->carbon.embodied_high_kgco2e_per_month = carbon->embodied_high_kgco2e;
	option->carbon.gco2e_per_request = grams / costs->requests_per_month;
	option->carbon.gco2e_per_million_tokens = grams / tokens * tokens_per_million;
	option->carbon.gco2e_per_thousand_tokens = grams / tokens * tokens_per_thousand;
	option->carbon.gco2e_per_thousand_output_tokens = grams / output * tokens_per_thousand;
	option->carbon.gco2e_per_gpu_hour = carbon->gco2e_per_gpu_hour;
	option->carbon.grid_gco2e_per_kwh = carbon->grid_gco2e_per_kwh;
	option->carbon.hourly_fraction = carbon->hourly_fraction;
}

static void fill_footprint(struct inference_option *option, const struct demand *demand, const struct fleet_cost *costs)
{
	const struct energy *energy = &costs->footprint.energy;
	double monthly = costs->requests_per_month, joules = energy->total_kwh * JOULES_PER_KWH;

	option->energy.mean_w = energy->total_kwh / HOURS_PER_MONTH * WATTS_PER_KW;
	option->energy.mean_gpu_w = energy->mean_gpu_w;
	option->energy.kwh_per_month = energy->total_kwh;
	option->energy.it_kwh_per_month = energy->it_kwh;
	option->energy.wh_per_request = energy->total_kwh * wh_per_kwh / monthly;
	option->energy.joules_per_output_token = joules / (monthly * demand->shape.output_tokens);
	option->energy.joules_per_token = joules / (monthly * (demand->shape.prompt_tokens + demand->shape.output_tokens));
	option->water_l_per_request = costs->footprint.water_l / monthly;
	option->water_l_per_month = costs->footprint.water_l;
	fill_carbon(option, demand, costs);
}

void option_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_option *option, struct findings *findings)
{
	double active = fleet_active_replicas(fleet, demand);
	struct demand sure_demand = fleet_sure_demand(demand, &fleet->allowance);
	struct replica replica, practised, sure;
	struct latency_model model;
	struct fleet_cost costs;
	bool possible = fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_PLANNED, &replica) &&
		fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_PRACTISED, &practised) &&
		fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_SURE, &sure);
	const struct trial *trial = fleet->planned ? fleet->planned : fleet->trial;

	CHECK(possible && fleet->verdict == FLEET_OK);
	possible = latency_prepare(&replica, demand, active, fleet->requests_per_s, &model);
	CHECK(possible || fleet->trial || demand->disaggregated);
	*option = (struct inference_option){.accelerator = *fleet_board(fleet),
		.gpu_count = fleet->gpu_count,
		.replicas = fleet->candidate->slice ? fleet->gpu_count : fleet->replicas,
		.gpus_per_replica = fleet->gpus_per_replica,
		.prefill_replicas = fleet->prefill_replicas > 0 ? fleet->prefill_replicas : ABSENT_COUNT,
		.mig_profile = fleet->candidate->slice ? fleet->candidate->slice->profile : NULL,
		.slices_per_gpu = fleet->candidate->slice ? fleet->candidate->slice->per_board : ABSENT_COUNT,
		.precision = fleet->layout.precision,
		.kv_precision = fleet->layout.kv_precision,
		.slo_met = fleet->promise_kept};
	option->parallelism = option_parallelism(&replica);
	option->parallelism.disaggregated = fleet->prefill_replicas > 0 ? TRUTH_TRUE : TRUTH_FALSE;
	option->memory = replica.memory;
	option->batch.mean = model.point.decode_sequences;
	option->batch.max = floor(operating_sequences_max(&replica, &demand->shape));
	option->simulated.prefix_hit_rate = ABSENT_NUMBER;
	if (fleet->trial) {
		fill_simulated(option, trial);
		option->has_rest = demand->first_share > 0 && demand->first_share < 1;
		if (demand->prefix_count > 0)
			option->simulated.prefix_hit_rate = trial->cached_share;
	} else if (demand->disaggregated) {
		fill_alone(option, fleet);
	} else {
		fill_by_formulas(option, &model);
	}
	option->throughput.output_tokens_per_s = fleet->requests_per_s * demand->shape.output_tokens;
	option->throughput.output_tokens_per_s_per_gpu = option->throughput.output_tokens_per_s / (double)fleet->gpu_count;
	option->throughput.total_tokens_per_s = fleet->requests_per_s * (demand->shape.output_tokens + demand->shape.prompt_tokens);
	option->throughput.requests_per_s_max = fmax(
		given_or(fleet->requests_per_s_max, fleet_requests_per_s_max(&sure, &sure_demand, active)), fleet->requests_per_s);
	option->utilization = fleet->requests_per_s / (fleet->replica_requests_per_s * (double)fleet->replicas);
	option->bottleneck = option_bottleneck(model.point.shares);
	fleet_cost(fleet, &practised, demand, limits, &costs, findings);
	option->gpus_paid = costs.gpus_paid;
	fill_cost(option, fleet, &practised, demand, &costs);
	fill_currency(option, &input->request.common.pricing.currency);
	option->has_purchase = purchase_of(limits->pricing, fleet->candidate, fleet->gpu_count,
		costs.footprint.energy.total_kwh / HOURS_PER_MONTH / (double)fleet->gpu_count * WATTS_PER_KW, ABSENT_NUMBER, &option->purchase);
	fill_footprint(option, demand, &costs);
	option_provenance(option, input, fleet, demand, limits, &costs);
	option->practice = practice_of_service(&input->request);
	option->promise_count = service_promises(input, fleet, demand, limits, option->promises);
	CHECK(isfinite(option->throughput.output_tokens_per_s) && isfinite(option->latency.e2e_ms.p99) && isfinite(option->energy.kwh_per_month));
}

/* Returns the hosted prices. A price of the request replaces those of the catalogue. */
static size_t hosted_prices(const struct inference_input *input, struct hosted_price prices[HOSTED_MAX])
{
	double in = input->request.hosted_api.input_usd_per_million_tokens, out = input->request.hosted_api.output_usd_per_million_tokens;

	if (given_or(in, 0) + given_or(out, 0) > 0) {
		prices[0] = (struct hosted_price){"request", input->model.id, NULL, "request", given_or(in, 0), given_or(out, 0)};
		return 1;
	}
	memcpy(prices, input->hosted, input->hosted_count * sizeof *prices);
	return input->hosted_count;
}

size_t option_hosted(
	const struct inference_input *input, const struct demand *demand, struct inference_option *option, struct hosted hosted[HOSTED_MAX + 1])
{
	double tokens = demand->shape.prompt_tokens + demand->shape.output_tokens;
	double requests_per_s = option->cost.usd_per_hour / (option->cost.usd_per_million_tokens * tokens / tokens_per_million) /
		SECONDS_PER_HOUR;
	struct hosted_price prices[HOSTED_MAX];
	size_t count = hosted_prices(input, prices);

	option->has_hosted = false;
	if (count == 0 || !is_given(option->cost.usd_per_hour) || !(requests_per_s > 0))
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct hosted one = hosted_beside(&prices[i], demand->shape.prompt_tokens, demand->shape.output_tokens, option->cost.usd_per_hour,
			requests_per_s, option->throughput.requests_per_s_max);
		size_t at = i;

		for (; at > 0 && hosted[at - 1].usd_per_month > one.usd_per_month; at--)
			hosted[at] = hosted[at - 1];
		hosted[at] = one;
	}
	option->has_hosted = true;
	option->hosted = hosted[0];
	return count;
}
