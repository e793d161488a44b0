/* Provenance of an option's figures: the source and the spread of each (E70, E108). */
#include "base/units.h"
#include "planner/footprint/carbon.h"
#include "planner/interval.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/serving_option.h"

/* Standard deviations of logarithms. */
struct spreads {
	struct residuals model; /* of the replica's model */
	double count;           /* of accelerators: a slower replica needs more of them; 0 of a fixed number */
	double load;            /* of the load that a fixed number carries; 0 for a given load */
	double price;
	const struct footprint_spread *footprint; /* for a fixed number of accelerators and hours */
};

static struct spreads spreads_of(
	const struct inference_input *input, const struct fleet *fleet, const struct fleet_limits *limits, const struct fleet_cost *costs)
{
	struct spreads spreads = {
		.model = fleet_residuals(&input->model, fleet->candidate, &fleet->layout, limits), .footprint = &costs->footprint.spread};

	spreads.count = limits->gpu_count > 0 ? 0 : spreads.model.throughput;
	spreads.load = limits->gpu_count > 0 && !is_given(input->request.requests_per_s) && !is_given(input->request.queries_per_minute) &&
			input->request.trace.count == 0 && input->request.rate_profile.count == 0
		? spreads.model.throughput
		: 0;
	if (costs->price_known)
		spreads.price = interval_log_sigma(costs->price.low_usd_per_gpu_hour, costs->price.high_usd_per_gpu_hour);
	return spreads;
}

static struct interval around(double value, double sigma)
{
	return interval_of_product(value, &sigma, 1);
}

static void intervals_fill(struct inference_option *option, const struct spreads *spreads)
{
	option->interval.output_tokens_per_s = around(option->throughput.output_tokens_per_s, spreads->model.throughput);
	option->interval.ttft_ms = around(option->latency.ttft_ms.p50, spreads->model.ttft);
	option->interval.tpot_ms = around(option->latency.tpot_ms.p50, spreads->model.tpot);
	option->interval.gpu_count = around((double)option->gpu_count, spreads->count);
	option->interval.usd_per_month = around(option->cost.usd_per_month, interval_joint_sigma(spreads->price, spreads->count));
	option->interval.kwh_per_month = around(
		option->energy.kwh_per_month, interval_joint_sigma(spreads->footprint->total_kwh, spreads->count));
	option->interval.kgco2e_per_month = around(
		option->carbon.kgco2e_per_month, interval_joint_sigma(spreads->footprint->total_kgco2e, spreads->count));
}

/* A figure of the answer: its pointer, value and spread. */
struct row {
	const char *pointer;
	double value, sigma;
	const char *source;
	enum provenance_status status;
};

static void rows_add(struct inference_option *option, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		provenance_add(option->provenance, &option->provenance_count, rows[i].pointer, around(rows[i].value, rows[i].sigma),
			rows[i].status == PROVENANCE_UNSET ? PROVENANCE_DERIVED : rows[i].status, rows[i].source);
}

static void service_rows(
	struct inference_option *option, const struct inference_input *input, const struct fleet *fleet, const struct spreads *spreads)
{
	const struct calibration *calibration = &fleet->candidate->calibration;
	bool given = is_given(input->request.throughput_tokens_per_s_per_gpu), measured = calibration->id && calibration->source;
	const char *how = given ? "request: throughput_tokens_per_s_per_gpu" : measured ? calibration->source : "E50-E57: roofline by operator";
	enum provenance_status status = given ? PROVENANCE_GIVEN : measured ? PROVENANCE_MEASURED : PROVENANCE_DERIVED;
	const char *when = option->simulated.requests > 0 ? "E90-E93: simulated, step by step" : "E58: queueing estimate";
	const struct latencies *latency = &option->latency;
	double throughput = spreads->model.throughput, ttft = spreads->model.ttft, tpot = spreads->model.tpot;
	const struct row rows[] = {
		{"/gpu_count", (double)option->gpu_count, spreads->count, "E59: whole replicas for the load", PROVENANCE_UNSET},
		{"/utilization", option->utilization, throughput, "E59: load over the capacity of all replicas", PROVENANCE_UNSET},
		{"/throughput/output_tokens_per_s", option->throughput.output_tokens_per_s, throughput, how, status},
		{"/throughput/output_tokens_per_s_per_gpu", option->throughput.output_tokens_per_s_per_gpu, throughput, how, status},
		{"/throughput/total_tokens_per_s", option->throughput.total_tokens_per_s, throughput, how, status},
		{"/throughput/requests_per_s_max", option->throughput.requests_per_s_max, throughput, how, status},
		{"/latency/ttft_ms/p50", latency->ttft_ms.p50, ttft, when, PROVENANCE_UNSET},
		{"/latency/ttft_ms/p95", latency->ttft_ms.p95, ttft, when, PROVENANCE_UNSET},
		{"/latency/ttft_ms/p99", latency->ttft_ms.p99, ttft, when, PROVENANCE_UNSET},
		{"/latency/tpot_ms/p50", latency->tpot_ms.p50, tpot, when, PROVENANCE_UNSET},
		{"/latency/tpot_ms/p95", latency->tpot_ms.p95, tpot, when, PROVENANCE_UNSET},
		{"/latency/tpot_ms/p99", latency->tpot_ms.p99, tpot, when, PROVENANCE_UNSET},
		{"/latency/e2e_ms/p50", latency->e2e_ms.p50, fmax(ttft * latency->ttft_ms.p50 / latency->e2e_ms.p50, tpot), when, PROVENANCE_UNSET},
		{"/latency/e2e_ms/p95", latency->e2e_ms.p95, fmax(ttft * latency->ttft_ms.p95 / latency->e2e_ms.p95, tpot), when, PROVENANCE_UNSET},
		{"/latency/e2e_ms/p99", latency->e2e_ms.p99, fmax(ttft * latency->ttft_ms.p99 / latency->e2e_ms.p99, tpot), when, PROVENANCE_UNSET},
	};

	rows_add(option, rows, COUNT_OF(rows));
}

static void cost_rows(
	struct inference_option *option, const struct pricing *pricing, const struct fleet_cost *costs, const struct spreads *spreads)
{
	double all = interval_joint_sigma(spreads->price, spreads->count), each = interval_joint_sigma(all, spreads->load);
	const char *source = costs->price.source, *share = "E112: cost by each kind of token's share of the time";
	enum provenance_status status = costs->price.status, kept = is_given(pricing->storage_gb) ? PROVENANCE_GIVEN : PROVENANCE_DEFAULT,
						   sent = is_given(pricing->egress_gb) ? PROVENANCE_GIVEN : PROVENANCE_DEFAULT;
	const struct row rows[] = {
		{"/cost/usd_per_hour", option->cost.usd_per_hour, all, source, status},
		{"/cost/usd_per_month", option->cost.usd_per_month, all, source, status},
		{"/cost/accelerators_usd_per_month", option->cost.accelerators_usd_per_month, all, source, status},
		{"/cost/storage_usd_per_month", option->cost.storage_usd_per_month, 0, "E113: GB x price", kept},
		{"/cost/egress_usd_per_month", option->cost.egress_usd_per_month, 0, "E113: GB x price", sent},
		{"/cost/usd_per_million_output_tokens", option->cost.usd_per_million_output_tokens, each, source, status},
		{"/cost/usd_per_million_tokens", option->cost.usd_per_million_tokens, each, source, status},
		{"/cost/input_usd_per_million_tokens", option->cost.input_usd_per_million_tokens, each, share, PROVENANCE_UNSET},
		{"/cost/output_usd_per_million_tokens", option->cost.output_usd_per_million_tokens, each, share, PROVENANCE_UNSET},
	};

	rows_add(option, rows, COUNT_OF(rows));
	if (option->cost.has_currency) {
		static const char rate[] = "USD x per_usd of the request";
		const struct row converted[] = {
			{"/cost/currency/per_month", option->cost.currency.per_month, all, rate, PROVENANCE_UNSET},
			{"/cost/currency/per_million_output_tokens", option->cost.currency.per_million_output_tokens, each, rate, PROVENANCE_UNSET},
			{"/cost/currency/per_million_tokens", option->cost.currency.per_million_tokens, each, rate, PROVENANCE_UNSET},
		};

		rows_add(option, converted, COUNT_OF(converted));
	}
}

static void energy_rows(struct inference_option *option, const struct fleet_cost *costs, const struct spreads *spreads)
{
	const char *it = "E60, E63: idle and load power by each hour's load, and the host's", *whole = "E60-E63: IT kWh x PUE";
	double all = interval_joint_sigma(spreads->footprint->total_kwh, spreads->count), each = interval_joint_sigma(all, spreads->load);
	double water = interval_joint_sigma(spreads->footprint->water_l, spreads->count);
	const char *water_source = "E66: IT kWh x (WUE + PUE x EWIF)";
	const char *power = costs->footprint.power_source;
	enum provenance_status status = power ? PROVENANCE_MEASURED : PROVENANCE_DERIVED;
	const struct row rows[] = {
		{"/energy/mean_gpu_w", option->energy.mean_gpu_w, spreads->footprint->mean_gpu_w,
			power ? power : "E60: idle + (load - idle) x the predicted utilization", status},
		{"/energy/it_kwh_per_month", option->energy.it_kwh_per_month, interval_joint_sigma(spreads->footprint->it_kwh, spreads->count), it,
			PROVENANCE_UNSET},
		{"/energy/mean_w", option->energy.mean_w, all, whole, PROVENANCE_UNSET},
		{"/energy/kwh_per_month", option->energy.kwh_per_month, all, whole, PROVENANCE_UNSET},
		{"/energy/wh_per_request", option->energy.wh_per_request, each, whole, PROVENANCE_UNSET},
		{"/energy/joules_per_output_token", option->energy.joules_per_output_token, each, whole, PROVENANCE_UNSET},
		{"/energy/joules_per_token", option->energy.joules_per_token, each, whole, PROVENANCE_UNSET},
		{"/water_l_per_month", option->water_l_per_month, water, water_source, PROVENANCE_UNSET},
		{"/water_l_per_request", option->water_l_per_request, interval_joint_sigma(water, spreads->load), water_source, PROVENANCE_UNSET},
	};

	rows_add(option, rows, COUNT_OF(rows));
}

static void carbon_rows(struct inference_option *option, const struct site *site, const struct spreads *spreads)
{
	const struct footprint_spread *spread = spreads->footprint;
	const char *grid = is_given(option->carbon.hourly_fraction) ? "E64, E115: each hour's kWh x the grid's intensity in it"
		: site->grid_source                                     ? site->grid_source
																: "E64: facility kWh x the world's average grid";
	const char *made = "E65: published range over a life of 3 to 6 years",
			   *per = "E105: operational (location-based) and embodied carbon, over the served requests and tokens";
	double total = interval_joint_sigma(spread->total_kgco2e, spreads->count), each = interval_joint_sigma(total, spreads->load);
	const struct row rows[] = {
		{"/carbon/kgco2e_per_month", option->carbon.kgco2e_per_month, total, grid, PROVENANCE_UNSET},
		{"/carbon/operational_kgco2e_per_month", option->carbon.operational_kgco2e_per_month,
			interval_joint_sigma(spread->operational_kgco2e, spreads->count), grid, PROVENANCE_UNSET},
		{"/carbon/market_kgco2e_per_month", option->carbon.market_kgco2e_per_month,
			interval_joint_sigma(spread->market_kgco2e, spreads->count), "E64: facility kWh x the market-based intensity", PROVENANCE_UNSET},
		{"/carbon/marginal_kgco2e_per_month", option->carbon.marginal_kgco2e_per_month,
			interval_joint_sigma(spread->marginal_kgco2e, spreads->count), "E64: facility kWh x the marginal intensity", PROVENANCE_UNSET},
		{"/carbon/grid_gco2e_per_kwh", option->carbon.grid_gco2e_per_kwh, carbon_grid_log_sigma(site), grid, PROVENANCE_UNSET},
		{"/carbon/hourly_fraction", option->carbon.hourly_fraction, 0, "E115: hours of the clock in the series", PROVENANCE_UNSET},
		{"/carbon/embodied_kgco2e_per_month", option->carbon.embodied_kgco2e_per_month,
			interval_joint_sigma(spread->embodied_kgco2e, spreads->count), made, PROVENANCE_UNSET},
		{"/carbon/embodied_low_kgco2e_per_month", option->carbon.embodied_low_kgco2e_per_month, spreads->count, made, PROVENANCE_UNSET},
		{"/carbon/embodied_high_kgco2e_per_month", option->carbon.embodied_high_kgco2e_per_month, spreads->count, made, PROVENANCE_UNSET},
		{"/carbon/gco2e_per_request", option->carbon.gco2e_per_request, each, per, PROVENANCE_UNSET},
		{"/carbon/gco2e_per_thousand_tokens", option->carbon.gco2e_per_thousand_tokens, each, per, PROVENANCE_UNSET},
		{"/carbon/gco2e_per_thousand_output_tokens", option->carbon.gco2e_per_thousand_output_tokens, each, per, PROVENANCE_UNSET},
		{"/carbon/gco2e_per_million_tokens", option->carbon.gco2e_per_million_tokens, each, per, PROVENANCE_UNSET},
		{"/carbon/gco2e_per_gpu_hour", option->carbon.gco2e_per_gpu_hour, spread->total_kgco2e, per, PROVENANCE_UNSET},
	};

	rows_add(option, rows, COUNT_OF(rows));
}

/* Returns the throughput of an accelerator at saturation, with its range. */
static struct figure throughput_of(
	const struct fleet *fleet, const struct inference_request *request, const struct demand *demand, const struct spreads *spreads)
{
	bool given = is_given(request->throughput_tokens_per_s_per_gpu);
	double each = fleet->replica_requests_per_s * demand->shape.output_tokens / (double)fleet->gpus_per_replica;
	struct interval range = around(
		each * (fleet->candidate->slice ? (double)fleet->candidate->slice->per_board : 1), spreads->model.throughput);

	return (struct figure){"throughput_tokens_per_s_per_gpu", range.p50, range.p10, range.p90,
		given ? "request" : "E70: at saturation; the range is that of measured over modelled throughput (make validate)",
		given ? PROVENANCE_GIVEN : PROVENANCE_DERIVED};
}

void option_provenance(struct inference_option *option, const struct inference_input *input, const struct fleet *fleet,
	const struct demand *demand, const struct fleet_limits *limits, const struct fleet_cost *costs)
{
	struct spreads spreads = spreads_of(input, fleet, limits, costs);
	const struct candidate had = fleet_candidate(fleet);

	option->provenance_count = option->inputs.count = 0;
	intervals_fill(option, &spreads);
	service_rows(option, input, fleet, &spreads);
	if (costs->price_known)
		cost_rows(option, limits->pricing, costs, &spreads);
	energy_rows(option, costs, &spreads);
	carbon_rows(option, &had.site, &spreads);
	if (costs->price_known)
		figures_add(&option->inputs,
			(struct figure){"pricing.usd_per_gpu_hour", costs->price.usd_per_gpu_hour, costs->price.low_usd_per_gpu_hour,
				costs->price.high_usd_per_gpu_hour, costs->price.source, costs->price.status});
	figures_add(&option->inputs, throughput_of(fleet, &input->request, demand, &spreads));
	footprint_inputs(&costs->usage, &had.site, &option->inputs);
}
