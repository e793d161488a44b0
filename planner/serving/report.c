/* Findings of a serving plan: assumptions, warnings, advice on autoscaling. */
#include "planner/serving/serving_option.h"

#include <stdio.h>

#include "planner/footprint/supply.h"
#include "planner/serving/autoscaling.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/serving_scope.h"

static const char startup_source[] = "E97: engine start 60 s (vLLM documentation), weights at 1.2 GB/s (Fu et al. 2024, ServerlessLLM, section 2)";

static void note_layout(
	const struct fleet *fleet, const struct inference_request *request, const struct inference_option *option, struct findings *findings)
{
	const struct engine_rules *rules = engine_rules_of(fleet->layout.engine);

	findings_assume_text(findings, "engine", rules->name, rules->source);
	if (request->common.precision == PRECISION_UNSET && request->precisions.count > 0)
		findings_assume_text(findings, "precision", precision_name(fleet->layout.precision), "E59: the best of the allowed precisions");
	else if (request->common.precision == PRECISION_UNSET)
		findings_assume_text(findings, "precision", precision_name(fleet->layout.precision),
			"E50: the widest 16-bit format that the accelerator computes in");
	if (request->kv_precision == PRECISION_UNSET)
		findings_assume_text(findings, "kv_precision", precision_name(fleet->layout.kv_precision),
			"E54: the engine's default for weights of that precision");
	if (!request->engine_release)
		findings_assume_text(findings, "engine_release", "2026-06", "E53: the newest release in the published measurements");
	if (request->parallelism.tensor < 1)
		findings_assume_number(
			findings, "parallelism.tensor", fleet->layout.tensor, "E59: searched over 1, 2, 4, ... accelerators of a domain");
	if (request->parallelism.pipeline < 1)
		findings_assume_number(findings, "parallelism.pipeline", fleet->layout.pipeline, "E59: 1 unless one domain is too small");
	if (request->parallelism.expert < 1 && fleet->layout.expert > 1)
		findings_assume_number(findings, "parallelism.expert", fleet->layout.expert, "E59: searched besides tensor-parallel experts");
	if (request->parallelism.attention_data < 1 && fleet->layout.attention_data > 1)
		findings_assume_number(
			findings, "parallelism.attention_data", fleet->layout.attention_data, "E59: searched besides tensor-parallel attention");
	if (request->parallelism.max_batch < 1)
		findings_assume_number(findings, "parallelism.max_batch", given_or(fleet->layout.max_batch, rules->max_batch),
			is_given(fleet->layout.max_batch) ? "E59: searched besides the engine's default limit" : rules->source);
	if (request->parallelism.chunk_tokens < 1)
		findings_assume_number(findings, "parallelism.chunk_tokens", rules->chunk_tokens, rules->source);
	if (request->daily_profile.count > 0 && !is_given(request->startup_s))
		findings_assume_number(findings, "startup_s", option->autoscaled.startup_s, startup_source);
	if (fleet->candidate->slice)
		findings_assume_text(findings, "mig_profile", fleet->candidate->slice->profile, fleet->candidate->slice->source);
	if (fleet->trial)
		findings_assume_text(findings, "simulated", "yes: step by step; the option has requests, repetitions and seed",
			"E90-E93: drawn or replayed traffic, continuous batching by the engine's rules");
	else
		findings_assume_text(findings, "simulated",
			"no: latency percentiles come from queueing formulas; requests this long, or this many, take too long to simulate",
			"E58: Allen-Cunneen and Sakasegawa 1977, exponential tails");
}

static void warn_unused(const struct inference_request *request, const struct model *model, const struct demand *demand, bool simulated,
	const struct mig_slice *slice, struct findings *findings)
{
	double context = demand->shape.prompt_tokens + demand->shape.output_tokens;
	bool seen_by_resolver = is_given(request->prompt_tokens.mean) &&
		is_given(request->output_tokens.mean); /* the resolver has warned already */

	if (demand->disaggregated && !simulated)
		findings_warn(findings,
			"parallelism.disaggregated: too long to simulate. The replicas carry the load; it is not known whether they keep the slo");
	if (model->max_positions > 0 && context > model->max_positions && !seen_by_resolver)
		findings_warn(findings, "prompt and output are %.0f tokens together; the model supports at most %d", context, model->max_positions);
	if (request->common.enforce_memory == TRUTH_FALSE)
		findings_warn(findings, "enforce_memory is false: the plan may need more memory than the accelerators have");
	if (slice)
		findings_warn(findings,
			"each replica is a MIG slice %s, %lld to a board, with its own engine, which the host must feed. No published measurement of serving on "
			"slices is among the cases, so intervals are wider (mig: false excludes slices)",
			slice->profile, (long long)slice->per_board);
	if (model->shape_is_guessed)
		findings_warn(findings,
			"only the model's size is known: layers are a standard shape of that size, and the KV "
			"cache may differ by several times");
}

/* Warns of a given throughput that no such accelerator can reach. The plan still uses it. */
static void warn_of_throughput(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct findings *findings)
{
	const struct accelerator *accelerator = &fleet->candidate->accelerator;
	double given = input->request.throughput_tokens_per_s_per_gpu, most;
	struct replica replica;

	if (!is_given(given) || fleet->candidate->slice || demand->prefix_count > 0 || demand->shape.cached_share > 0 ||
		!fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_PLANNED, &replica))
		return;
	most = fleet_throughput_most(&replica, accelerator, &input->model, demand->shape.prompt_tokens, demand->shape.output_tokens);
	if (given > most)
		findings_warn(findings,
			"throughput_tokens_per_s_per_gpu %.6g is more than %s can do: its memory bandwidth and its peak allow at most %.4g generated tokens/s, unless a pass makes "
			"several tokens or sequences share their cache",
			given, accelerator->id, most);
}

/* Returns the probability that more replicas are away at once than there are spare ones. The number away is Poisson
 * with a mean. */
static double more_away(double mean, int64_t spare)
{
	double term = exp(-mean), sum = term;

	for (int64_t k = 1; k <= spare; k++) {
		term *= mean / (double)k;
		sum += term;
	}
	return fmax(1 - sum, 0);
}

/* E116. Reports the interruptions of a spot offer. */
static void report_spot(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct findings *findings)
{
	double rate = input->request.common.pricing.spot_interruptions_per_gpu_hour, startup_s, away;
	const struct candidate had = fleet_candidate(fleet);
	struct replica replica;

	if (!had.has_offer || had.offer.term != TERM_SPOT) {
		if (is_given(rate))
			findings_warn(
				findings, "pricing.spot_interruptions_per_gpu_hour is not used: the offer is not a spot offer (pricing.terms: [\"spot\"])");
		return;
	}
	if (!is_given(rate) || !fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_PRACTISED, &replica)) {
		findings_warn(findings,
			"the provider interrupts spot accelerators, and how often is not known: neither cost nor latency includes it. Give "
			"pricing.spot_interruptions_per_gpu_hour, and redundancy for interrupted replicas");
		return;
	}
	startup_s = autoscaling_startup_s(&input->request, &replica);
	away = (double)fleet->replicas * (fleet->spot_factor - 1);
	findings_assume_number(findings, "startup_s", startup_s, startup_source);
	findings_warn(findings,
		"spot: of %lld replicas %.2g are away on average, each until another has started (%.0f s). Cost includes %+.1f %% of the hours for this; "
		"latency does not: more replicas are away than spare (%lld) %.2g %% of the time",
		(long long)fleet->replicas, away, startup_s, 100 * (fleet->spot_factor - 1), (long long)demand->spare_replicas,
		100 * more_away(away, demand->spare_replicas));
}

static void advise_autoscaling(const struct inference_option *option, struct findings *findings)
{
	double hours = option->autoscaled.gpu_hours_per_month, saved = option->autoscaled.saved_gpu_hours_per_month;
	struct advice *advice;

	if (!option->has_autoscaled || !(saved > 0.02 * (hours + saved)))
		return;
	advice = findings_advise(findings, "autoscale", "suggestion",
		"with autoscaling along the daily profile %.0f of %.0f accelerator-hours a month are enough, including replicas that start %.0f s ahead",
		hours, hours + saved, option->autoscaled.startup_s);
	advice->change_usd = -option->autoscaled.saved_usd_per_month;
	if (is_given(advice->change_usd))
		snprintf(advice->effect, sizeof advice->effect, "%+.0f USD, %+.0f kWh, %+.0f kgCO2e a month", advice->change_usd,
			-option->autoscaled.saved_kwh_per_month, -option->autoscaled.saved_kgco2e_per_month);
	else
		snprintf(advice->effect, sizeof advice->effect, "%+.0f kWh, %+.0f kgCO2e a month", -option->autoscaled.saved_kwh_per_month,
			-option->autoscaled.saved_kgco2e_per_month);
}

void report_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_plan *plan)
{
	struct findings *findings = &plan->findings;
	const struct candidate had = fleet_candidate(fleet);
	struct serving_scope scope = serving_scope_of(&input->model, &fleet->layout, demand->shape.prompt_tokens, demand->shape.output_tokens);
	int64_t idle = fleet->candidate->slice ? 0 : fleet->gpu_count - fleet->replicas * fleet->gpus_per_replica;

	note_layout(fleet, &input->request, &plan->recommended, findings);
	warn_unused(&input->request, &input->model, demand, fleet->trial != NULL, fleet->candidate->slice, findings);
	layout_remark(fleet->candidate, &fleet->layout, findings);
	serving_scope_warn(&scope, findings);
	warn_of_throughput(input, fleet, demand, limits, findings);
	layout_precision_remark(fleet->candidate, &fleet->layout, findings);
	if (!is_given(fleet->usd_per_hour) && !findings->missing_price_told)
		findings_warn(
			findings, "no price is known for %s: the plan has no cost. Give pricing.usd_per_gpu_hour", fleet->candidate->accelerator.id);
	if (fleet->overloaded)
		findings_warn(findings,
			"overloaded: the trace has %.4g requests/s, and these accelerators serve %.4g of them. The queue grows until the trace ends; "
			"latencies are of this run with its queue (E203), and a longer trace has longer latencies",
			demand->requests_per_s, fleet->requests_per_s);
	if (idle > 0)
		findings_warn(findings, "%lld of the %lld accelerators stay idle but are paid: a replica takes %lld", (long long)idle,
			(long long)fleet->gpu_count, (long long)fleet->gpus_per_replica);
	supply_remark(&had, fleet->gpus_per_replica, fleet->gpu_count, findings);
	report_spot(input, fleet, demand, limits, findings);
	if (limits->mixes)
		findings_assume_text(findings, "objective", "cost is that of the cheapest mix of the terms",
			"E101: over the daily profile, committed instances are paid all day and the others by the hour (commitment); the figures of `cost` are of the peak's fleet all day");
	findings_assume_text(findings, "objective.rule",
		is_given(demand->requests_per_s)
			? "the best by the objective (time: the slo percentile end to end); of equal fleets the one with fewer accelerators, then lower cost, carbon, time"
			: "the best by the objective, of a request (time: its slo percentile end to end); of equal fleets the one with fewer accelerators, then lower cost, carbon, time",
		is_given(demand->requests_per_s) ? "E59" : "E59: no load is given, so fleets are compared per request");
	advise_autoscaling(&plan->recommended, findings);
	sensitivity_report(input, fleet, demand, limits, plan);
}
