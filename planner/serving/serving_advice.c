#include "planner/serving/serving_advice.h"

#include <stdio.h>

#include "base/units.h"
#include "planner/serving/fleet_cost.h"

static const double worth_telling = 0.03, least_saving = 1e-3;

/* Work of one advice, so that none takes that of the others. Advice that cannot be simulated within it is not given. */
static const int64_t work_of_one = 450000;

/* Values that advice assumes; the advice itself has the published figures. */
static const double cached_share = 0.5, draft_tokens = 3, draft_acceptance = 0.7;
static const double narrower_latency = 0.8; /* wider replicas are advised if they answer in this part of the time */

struct adviser {
	struct simulator *simulator;
	const struct fleet *best;
	struct findings *findings;
};

/* Sizes the changed fleet, and simulates it if the best one was simulated. False if it is not possible. */
static bool planned_again(struct adviser *adviser, const struct candidate *candidate, const struct replica_layout *layout,
	const struct demand *demand, struct fleet *fleet)
{
	struct simulator *simulator = adviser->simulator;
	const struct demand *asked = simulator->demand;
	int64_t rest;

	fleet_size(&simulator->input->model, candidate, layout, demand, simulator->limits, fleet);
	if (fleet->verdict != FLEET_OK || !adviser->best->trial)
		return fleet->verdict == FLEET_OK;
	if (!simulator_can(simulator))
		return false;
	rest = simulator->work_left > work_of_one ? simulator->work_left - work_of_one : 0;
	simulator->work_left -= rest;
	simulator->work_later += rest; /* the sum stays the same, because progress is computed from it */
	simulator->demand = demand;
	simulator_run(simulator, fleet);
	simulator->demand = asked;
	simulator->work_later -= rest;
	simulator->work_left += rest;
	return fleet->verdict == FLEET_OK && fleet->trial;
}

static bool load_is_asked(const struct adviser *adviser)
{
	return !is_given(adviser->simulator->demand->requests_per_s);
}

/* True if the fleet costs less, or without a price has fewer accelerators; for a fixed number without a load, if it
 * carries more. */
static bool saves(const struct adviser *adviser, const struct fleet *fleet)
{
	const struct fleet *best = adviser->best;

	if (load_is_asked(adviser))
		return fleet->requests_per_s > (1 + worth_telling) * best->requests_per_s;
	if (is_given(fleet->usd_per_hour) && is_given(best->usd_per_hour))
		return fleet->usd_per_hour < (1 - least_saving) * best->usd_per_hour;
	return fleet->gpu_count < best->gpu_count;
}

static const char *plural(int64_t count)
{
	return count == 1 || count == -1 ? "" : "s";
}

/* "12 accelerators are enough instead of 16", or the load that a fixed number carries. */
struct outcome {
	char text[80];
};

static struct outcome outcome_of(const struct adviser *adviser, const struct fleet *fleet)
{
	struct outcome outcome;

	if (load_is_asked(adviser))
		snprintf(outcome.text, sizeof outcome.text, "the same accelerators carry %.3g requests/s instead of %.3g", fleet->requests_per_s,
			adviser->best->requests_per_s);
	else
		snprintf(outcome.text, sizeof outcome.text, "%lld accelerator%s %s enough instead of %lld", (long long)fleet->gpu_count,
			plural(fleet->gpu_count), fleet->gpu_count == 1 ? "is" : "are", (long long)adviser->best->gpu_count);
	return outcome;
}

static void effect_tell(const struct adviser *adviser, const struct fleet *fleet, struct advice *advice)
{
	const struct fleet *best = adviser->best;
	long long gpus = (long long)(fleet->gpu_count - best->gpu_count);

	advice->change_gpus = (double)gpus;
	if (load_is_asked(adviser)) {
		snprintf(advice->effect, sizeof advice->effect, "%+.0f %% load on the same accelerators",
			(fleet->requests_per_s / best->requests_per_s - 1) * 100);
	} else if (is_given(fleet->usd_per_hour) && is_given(best->usd_per_hour)) {
		advice->change_usd = (fleet->usd_per_hour - best->usd_per_hour) * HOURS_PER_MONTH;
		snprintf(advice->effect, sizeof advice->effect, "%+lld accelerator%s, %+.0f USD a month", gpus, plural(gpus), advice->change_usd);
	} else {
		snprintf(advice->effect, sizeof advice->effect, "%+lld accelerator%s", gpus, plural(gpus));
	}
}

/* Advises narrower weights: in formats that the accelerator computes in, or that weights can be stored in. */
static void advise_precision(struct adviser *adviser)
{
	static const enum precision narrower[] = {PRECISION_FP8, PRECISION_INT8, PRECISION_NVFP4, PRECISION_INT4};
	const struct accelerator *accelerator = &adviser->best->candidate->accelerator;
	enum precision own = adviser->best->layout.precision, told = PRECISION_UNSET;
	struct fleet fleet, most = *adviser->best;

	for (size_t i = 0; i < COUNT_OF(narrower); i++) {
		struct replica_layout layout = adviser->best->layout;
		bool computes = narrower[i] == PRECISION_FP8 ? is_given(accelerator->tflops_fp8)
			: narrower[i] == PRECISION_NVFP4         ? is_given(accelerator->tflops_fp4)
													 : !is_given(accelerator->tflops_fp8);

		if (!computes || precision_weight_bytes(narrower[i]) >= precision_weight_bytes(own))
			continue;
		layout.precision = narrower[i];
		if (adviser->simulator->input->request.kv_precision == PRECISION_UNSET)
			layout.kv_precision = engine_kv_precision(layout.engine, layout.precision, accelerator);
		if (!planned_again(adviser, adviser->best->candidate, &layout, adviser->simulator->demand, &fleet) || !saves(adviser, &fleet))
			continue;
		if (told == PRECISION_UNSET || fleet.gpu_count < most.gpu_count || fleet.requests_per_s > most.requests_per_s) {
			told = narrower[i];
			most = fleet;
		}
	}
	if (told != PRECISION_UNSET)
		effect_tell(adviser, &most,
			findings_advise(adviser->findings, "narrower_weights", "suggestion",
				"with weights in %s (precision) %s (check the answers' quality first)", precision_name(told),
				outcome_of(adviser, &most).text));
}

static void advise_cache_precision(struct adviser *adviser)
{
	struct replica_layout layout = adviser->best->layout;
	struct fleet fleet;

	if (precision_weight_bytes(layout.kv_precision) < 2)
		return;
	layout.kv_precision = PRECISION_FP8;
	if (planned_again(adviser, adviser->best->candidate, &layout, adviser->simulator->demand, &fleet) && saves(adviser, &fleet))
		effect_tell(adviser, &fleet,
			findings_advise(adviser->findings, "narrower_kv_cache", "suggestion",
				"with the KV cache in FP8 (kv_precision) %s (check the answers' quality first)", outcome_of(adviser, &fleet).text));
}

/* Advises the best layout of all where the request pins a part of it. */
static void advise_layout(struct adviser *adviser)
{
	const struct inference_input *input = adviser->simulator->input;
	const struct serving_parallelism *pinned = &input->request.parallelism;
	struct serving_parallelism open = {
		ABSENT_COUNT, ABSENT_COUNT, ABSENT_COUNT, ABSENT_COUNT, pinned->max_batch, pinned->chunk_tokens, pinned->disaggregated};
	struct fleet fleet, best = *adviser->best;
	struct layout_list layouts;

	if (pinned->tensor < 1 && pinned->pipeline < 1 && pinned->expert < 1 && pinned->attention_data < 1)
		return;
	layout_enumerate(&input->model, adviser->best->candidate, &open, &adviser->best->layout, &layouts);
	for (size_t i = 0; i < layouts.count; i++) {
		fleet_size(&input->model, best.candidate, &layouts.items[i], adviser->simulator->demand, adviser->simulator->limits, &fleet);
		if (fleet.verdict == FLEET_OK &&
			(fleet.gpu_count < best.gpu_count || (load_is_asked(adviser) && fleet.requests_per_s > best.requests_per_s)))
			best = fleet;
	}
	if (best.gpu_count == adviser->best->gpu_count && !load_is_asked(adviser))
		return;
	if (planned_again(adviser, best.candidate, &best.layout, adviser->simulator->demand, &fleet) && saves(adviser, &fleet))
		effect_tell(adviser, &fleet,
			findings_advise(adviser->findings, "other_layout", "suggestion",
				"with tensor %d, pipeline %d, expert %d, attention_data %d instead of the pinned layout %s", fleet.layout.tensor,
				fleet.layout.pipeline, fleet.layout.expert, fleet.layout.attention_data, outcome_of(adviser, &fleet).text));
}

static void advise_batch(struct adviser *adviser)
{
	struct replica_layout layout = adviser->best->layout;
	struct fleet fleet;

	if (adviser->simulator->input->request.parallelism.max_batch < 1)
		return;
	layout.max_batch = ABSENT_NUMBER;
	if (planned_again(adviser, adviser->best->candidate, &layout, adviser->simulator->demand, &fleet) && saves(adviser, &fleet))
		effect_tell(adviser, &fleet,
			findings_advise(adviser->findings, "batch_limit", "suggestion",
				"with the engine's default limit of %.0f sequences instead of parallelism.max_batch %s",
				engine_rules_at(layout.engine, &adviser->best->candidate->accelerator, layout.release_years).max_batch,
				outcome_of(adviser, &fleet).text));
}

/* Advises wider replicas, which answer sooner. The effect is reported although the cost is higher. */
static void advise_width(struct adviser *adviser)
{
	const struct fleet *best = adviser->best;
	struct replica_layout layout = best->layout;
	struct fleet fleet;

	layout.tensor *= 2;
	if (best->candidate->slice || layout.attention_data > 1 || layout.tensor > layout_domain(best->candidate) ||
		adviser->simulator->input->request.parallelism.tensor > 0 || load_is_asked(adviser))
		return;
	if (layout.expert > 1)
		layout.expert = layout.tensor;
	if (!planned_again(adviser, best->candidate, &layout, adviser->simulator->demand, &fleet) ||
		!(fleet.e2e_s < narrower_latency * best->e2e_s))
		return;
	effect_tell(adviser, &fleet,
		findings_advise(adviser->findings, "larger_replica", "info",
			"replicas of %lld accelerators instead of %lld (parallelism.tensor %d) answer a whole request in %.2f s instead of %.2f s at the "
			"slo's percentile",
			(long long)fleet.gpus_per_replica, (long long)best->gpus_per_replica, layout.tensor, fleet.e2e_s, best->e2e_s));
}

static void advise_disaggregated(struct adviser *adviser)
{
	const struct fleet *best = adviser->best;
	struct demand apart = *adviser->simulator->demand;
	struct fleet fleet;

	if (apart.disaggregated || !best->trial || best->replicas < 3 || best->candidate->slice)
		return;
	apart.disaggregated = true;
	if (planned_again(adviser, best->candidate, &best->layout, &apart, &fleet) && saves(adviser, &fleet))
		effect_tell(adviser, &fleet,
			findings_advise(adviser->findings, "disaggregate", "suggestion",
				"with separate replicas for prompts, %lld of %lld (parallelism.disaggregated), %s", (long long)fleet.prefill_replicas,
				(long long)fleet.replicas, outcome_of(adviser, &fleet).text));
}

static void advise_prefix_cache(struct adviser *adviser)
{
	struct demand cached = *adviser->simulator->demand;
	struct fleet fleet;

	if (cached.shape.cached_share > 0)
		return;
	cached.shape.cached_share = cached_share;
	if (planned_again(adviser, adviser->best->candidate, &adviser->best->layout, &cached, &fleet) && saves(adviser, &fleet))
		effect_tell(adviser, &fleet,
			findings_advise(adviser->findings, "prefix_cache", "info",
				"if half of each prompt were found in the prefix cache (prefix_cache_hit_rate 0.5), %s", outcome_of(adviser, &fleet).text));
}

/* E58 with 70 % of the drafts right. Leviathan et al. 2023, table 2, report 0.5 to 0.8 for small draft models. */
static void advise_drafts(struct adviser *adviser)
{
	struct demand drafted = *adviser->simulator->demand;
	struct fleet fleet;

	if (drafted.shape.draft_tokens > 0)
		return;
	drafted.shape.draft_tokens = draft_tokens;
	drafted.shape.acceptance = draft_acceptance;
	drafted.shape.accepted_tokens = demand_accepted_tokens(draft_tokens, draft_acceptance);
	if (planned_again(adviser, adviser->best->candidate, &adviser->best->layout, &drafted, &fleet) && saves(adviser, &fleet))
		effect_tell(adviser, &fleet,
			findings_advise(adviser->findings, "speculative_decoding", "info",
				"with %.0f drafted tokens of which %.0f %% are accepted (speculative; Leviathan et al. 2023 report 50 to 80 %%) %s",
				draft_tokens, draft_acceptance * 100, outcome_of(adviser, &fleet).text));
}

/* Advises slices where only a part of a board's price counts: other services can use the other slices. */
static void advise_slices(struct adviser *adviser)
{
	const struct inference_input *input = adviser->simulator->input;
	const struct fleet *best = adviser->best;
	struct fleet fleet, least = *best;
	double needed = 0, usd_per_hour = best->usd_per_hour;

	if (load_is_asked(adviser) || !is_given(usd_per_hour) || best->prefill_replicas > 0 || best->candidate->slice)
		return;
	for (size_t i = 0; i < input->slice_count; i++) {
		const struct candidate *slice = &input->slices[i];
		struct replica_layout layout = best->layout;
		struct fleet_limits limits = *adviser->simulator->limits;
		double boards;

		layout.tensor = layout.pipeline = layout.expert = layout.attention_data = 1;
		if (slice->board != fleet_board(best))
			continue;
		fleet_size(&input->model, slice, &layout, adviser->simulator->demand, &limits, &fleet);
		if (fleet.verdict != FLEET_OK || !is_given(fleet.usd_per_hour))
			continue;
		/* each spare replica is a spare slice on another board */
		boards = (fleet.active_needed + (double)adviser->simulator->demand->spare_replicas) / (double)slice->slice->per_board;
		if (fleet.usd_per_hour / (double)fleet.gpu_count * boards < (1 - worth_telling) * usd_per_hour) {
			usd_per_hour = fleet.usd_per_hour / (double)fleet.gpu_count * boards;
			needed = fleet.active_needed + (double)adviser->simulator->demand->spare_replicas;
			least = fleet;
		}
	}
	if (needed > 0) {
		struct advice *advice = findings_advise(adviser->findings, "mig", "info",
			"%.0f MIG slices %s, %lld to a board, carry the load by formulas. If other services use the rest of the boards, this one costs "
			"its share of them, %.2f USD an hour instead of %.2f",
			needed, least.candidate->slice->profile, (long long)least.candidate->slice->per_board, usd_per_hour, best->usd_per_hour);

		advice->change_usd = (usd_per_hour - best->usd_per_hour) * HOURS_PER_MONTH;
		snprintf(advice->effect, sizeof advice->effect, "%+.2f boards, %+.0f USD a month",
			needed / (double)least.candidate->slice->per_board - (double)best->gpu_count, advice->change_usd);
	}
}

void serving_advise(struct simulator *simulator, const struct fleet *best, struct findings *findings)
{
	struct adviser adviser = {simulator, best, findings};

	simulator_more(simulator, SIMULATOR_ADVICE_WORK);
	advise_precision(&adviser);
	advise_cache_precision(&adviser);
	advise_layout(&adviser);
	advise_batch(&adviser);
	advise_width(&adviser);
	advise_disaggregated(&adviser);
	advise_prefix_cache(&adviser);
	advise_drafts(&adviser);
	advise_slices(&adviser);
}
