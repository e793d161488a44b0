/* E59. The search: every candidate and layout sized, the best by the objective, further ones from the Pareto front. */
#include "planner/serving/option.h"

#include "base/units.h"
#include "planner/serving/infeasible.h"
#include "planner/serving/proof.h"

enum { FLEETS_MAX = 1024, ALTERNATIVES_DEFAULT = 5 };

struct search {
	size_t count;
	struct fleet fleets[FLEETS_MAX]; /* those that can stand */
	struct shortfall shortfall;
};

static double objective_of(const struct fleet *fleet, enum objective objective)
{
	switch (objective) {
	case OBJECTIVE_TIME:
		return fleet->e2e_s;
	case OBJECTIVE_ENERGY:
		return fleet->kwh_per_month;
	case OBJECTIVE_CARBON:
		return fleet->kgco2e_per_month;
	case OBJECTIVE_GPUS:
		return (double)fleet->gpu_count;
	case OBJECTIVE_UNSET:
	case OBJECTIVE_COST:
		break;
	}
	return given_or(fleet->usd_per_hour, HUGE_VAL); /* an unknown price is never the cheapest */
}

/* A fleet of fixed size without a load is judged by what a request costs. */
static double rank_of(const struct fleet *fleet, enum objective objective, bool load_is_free)
{
	return objective_of(fleet, objective) / (load_is_free ? fleet->requests_per_s : 1);
}

static bool better(const struct fleet *a, const struct fleet *b, enum objective objective, bool load_is_free)
{
	double left = rank_of(a, objective, load_is_free), right = rank_of(b, objective, load_is_free);

	if (left != right && !(fabs(left - right) <= 1e-9 * fabs(right)))
		return left < right;
	if (a->gpu_count != b->gpu_count)
		return a->gpu_count < b->gpu_count;
	return a->e2e_s < b->e2e_s;
}

static bool dominates(const struct fleet *a, const struct fleet *b)
{
	double left = given_or(a->usd_per_hour, HUGE_VAL), right = given_or(b->usd_per_hour, HUGE_VAL);

	return left <= right && a->kgco2e_per_month <= b->kgco2e_per_month && a->e2e_s <= b->e2e_s &&
		   a->requests_per_s >= b->requests_per_s &&
		   (left < right || a->kgco2e_per_month < b->kgco2e_per_month || a->e2e_s < b->e2e_s ||
			   a->requests_per_s > b->requests_per_s);
}

static bool within_caps(const struct fleet *fleet, const struct request_common *common)
{
	return !(fleet->kgco2e_per_month > common->carbon_cap_kgco2e) && !(fleet->kwh_per_month > common->energy_cap_kwh);
}

static void search_keep(struct search *search, const struct fleet *fleet, const struct request_common *common)
{
	if (fleet->verdict == FLEET_OK && within_caps(fleet, common) && search->count < FLEETS_MAX)
		search->fleets[search->count++] = *fleet;
	else if (!fleet->candidate->slice) /* what a board cannot do, its slices cannot */
		shortfall_note(&search->shortfall, fleet);
}

/* A slice is a replica by itself. What was measured on whole accelerators is not known of their slices. */
static bool slice_may_serve(const struct inference_request *request)
{
	const struct serving_parallelism *pinned = &request->parallelism;

	return pinned->tensor <= 1 && pinned->pipeline <= 1 && pinned->expert <= 1 && pinned->attention_data <= 1 &&
		   pinned->disaggregated != TRUTH_TRUE && !is_given(request->throughput_tokens_per_s_per_gpu);
}

static void search_candidate(struct search *search, const struct inference_input *input,
	const struct candidate *candidate, const struct demand *demand, const struct fleet_limits *limits)
{
	const struct inference_request *request = &input->request;
	struct replica_layout base = layout_base(&request->common, request->kv_precision, request->engine,
		request->engine_release, &request->parallelism, &candidate->accelerator);
	struct layout_list layouts;

	if (candidate->slice && !slice_may_serve(request))
		return;
	layout_enumerate(&input->model, candidate, &request->parallelism, &base, &layouts);
	for (size_t i = 0; i < layouts.count; i++) {
		struct fleet fleet;

		/* Pipelines over domains are for what does not fit into one, and the shortest that fits is enough. */
		if (layouts.items[i].pipeline > 1 && request->parallelism.pipeline < 1 && search->shortfall.fitted == candidate)
			break;
		fleet_size(&input->model, candidate, &layouts.items[i], demand, limits, &fleet);
		if (fleet.verdict != FLEET_MEMORY && fleet.verdict != FLEET_LAYOUT && !candidate->slice)
			search->shortfall.fitted = candidate;
		search_keep(search, &fleet, &request->common);
	}
}

static struct fleet_limits limits_of(const struct inference_request *request)
{
	return (struct fleet_limits){.gpu_count = request->common.gpu_count,
		.enforce_memory = request->common.enforce_memory != TRUTH_FALSE,
		.throughput_tokens_per_s_per_gpu = request->throughput_tokens_per_s_per_gpu,
		.pricing = &request->common.pricing};
}

static void workload_fill(const struct model *model, const struct demand *demand, enum precision precision,
	enum precision kv_precision, struct inference_plan *plan)
{
	double prompt = demand->shape.prompt_tokens, context = prompt + demand->shape.output_tokens / 2;

	plan->workload.params_total = model->params_total;
	plan->workload.params_active = model->params_active;
	plan->workload.weights_bytes = model_weight_bytes(model, precision);
	plan->workload.kv_bytes_per_token = model_kv_bytes_per_token(model, precision_weight_bytes(kv_precision));
	/* A generated token attends to all of its context; E3 counts a causal mean, half of the length it is given. */
	plan->workload.flops_per_output_token = model_forward_flops_per_token(model, 2 * context);
	plan->workload.flops_per_prompt = prompt * model_forward_flops_per_token(model, prompt);
}

/* A fleet that does not pass is left out from then on. */
static bool search_prove(
	struct search *search, struct prover *prover, struct fleet *fleet, const struct inference_request *request)
{
	prover_prove(prover, fleet);
	if (fleet->verdict == FLEET_OK && within_caps(fleet, &request->common))
		return true;
	shortfall_note(&search->shortfall, fleet);
	fleet->verdict = FLEET_LATENCY;
	return false;
}

/* The best of all that stand. What formulas alone have sized is put to the proof before it may be the best, and looked at again
 * with the size that it then has; what does not pass is out. */
static struct fleet *search_best(struct search *search, struct prover *prover, const struct inference_request *request)
{
	bool load_is_free = !is_given(prover->demand->requests_per_s);

	for (;;) {
		struct fleet *best = NULL;

		for (size_t i = 0; i < search->count; i++)
			if (search->fleets[i].verdict == FLEET_OK &&
				(!best || better(&search->fleets[i], best, request->common.objective, load_is_free)))
				best = &search->fleets[i];
		if (!best || best->trial || !prover_can(prover))
			return best;
		search_prove(search, prover, best, request);
	}
}

/* Further options: off the front first none; of each accelerator and layout what is best, until enough. */
static void alternatives_fill(const struct inference_input *input, struct search *search, const struct fleet *best,
	struct prover *prover, struct inference_plan *plan)
{
	const struct demand *demand = prover->demand;
	int64_t wanted = input->request.common.alternatives < 0 ? ALTERNATIVES_DEFAULT : input->request.common.alternatives;
	bool load_is_free = !is_given(demand->requests_per_s);
	bool taken[FLEETS_MAX] = {false};
	struct fleet *chosen[INFERENCE_OPTIONS_MAX];

	for (size_t i = 0; i < search->count; i++)
		for (size_t j = 0; j < search->count && !taken[i]; j++)
			taken[i] = search->fleets[i].verdict != FLEET_OK || dominates(&search->fleets[j], &search->fleets[i]);
	taken[best - search->fleets] = true;
	while (plan->alternative_count < INFERENCE_OPTIONS_MAX && (int64_t)plan->alternative_count < wanted) {
		size_t next = search->count;

		for (size_t i = 0; i < search->count; i++)
			if (!taken[i] && (next == search->count || better(&search->fleets[i], &search->fleets[next],
														   input->request.common.objective, load_is_free)))
				next = i;
		if (next == search->count)
			break;
		taken[next] = true;
		if (prover_can(prover) && !search_prove(search, prover, &search->fleets[next], &input->request))
			continue;
		chosen[plan->alternative_count++] = &search->fleets[next];
	}
	/* Their largest loads last: what work is left may not suffice for all. */
	for (size_t i = 0; i < plan->alternative_count; i++) {
		prover_find_most(prover, chosen[i]);
		option_fill(input, chosen[i], demand, prover->limits, &plan->alternatives[i], NULL);
	}
}

/* Plans again with prompts on replicas of their own, of the same layout. */
static void advise_apart(struct prover *prover, const struct fleet *best, struct findings *findings)
{
	const struct demand *together = prover->demand;
	struct demand apart = *together;
	struct advice *advice;
	struct fleet fleet;

	if (together->disaggregated || !best->trial || best->replicas < 3 || prover->limits->gpu_count > 0)
		return;
	apart.disaggregated = true;
	fleet_size(&prover->input->model, best->candidate, &best->layout, &apart, prover->limits, &fleet);
	if (fleet.verdict != FLEET_OK || fleet.gpu_count >= best->gpu_count || !prover_can(prover))
		return;
	prover->demand = &apart;
	prover_prove(prover, &fleet);
	prover->demand = together;
	if (fleet.verdict != FLEET_OK || !fleet.trial || fleet.gpu_count >= best->gpu_count)
		return;
	advice = findings_advise(findings, "disaggregate", "suggestion",
		"with prompts on %lld of %lld replicas of their own (parallelism.disaggregated) %lld accelerators keep the promise instead of %lld",
		(long long)fleet.prefill_replicas, (long long)fleet.replicas, (long long)fleet.gpu_count, (long long)best->gpu_count);
	if (is_given(fleet.usd_per_hour) && is_given(best->usd_per_hour))
		snprintf(advice->effect, sizeof advice->effect, "%+lld accelerators, %+.0f USD a month", (long long)(fleet.gpu_count - best->gpu_count),
			(fleet.usd_per_hour - best->usd_per_hour) * HOURS_PER_MONTH);
	else
		snprintf(advice->effect, sizeof advice->effect, "%+lld accelerators", (long long)(fleet.gpu_count - best->gpu_count));
}

enum status planner_inference(const struct inference_input *input, struct inference_plan *plan, struct failure *failure)
{
	const struct inference_request *request = &input->request;
	struct fleet_limits limits = limits_of(request);
	struct search search = {.count = 0};
	struct fleet *best;
	struct prover prover;
	struct demand demand;

	/* Findings may already hold what the resolver noted. */
	plan->alternative_count = 0;
	if (demand_read(request, &demand, &plan->findings, failure) != STATUS_OK)
		return failure->status;
	if (input->model.kind != MODEL_TRANSFORMER)
		return failure_set(
			failure, STATUS_INVALID, "serving is planned for transformers; a generic model has no tokens to generate");
	search.shortfall.promise = demand.promise;
	progress_note(input->progress, 0, "sizing by formulas");
	for (size_t i = 0; i < input->candidate_count && !progress_stopped(input->progress); i++)
		search_candidate(&search, input, &input->candidates[i], &demand, &limits);
	for (size_t i = 0; i < input->slice_count; i++)
		search_candidate(&search, input, &input->slices[i], &demand, &limits);
	prover_start(&prover, input, &demand, &limits);
	best = search_best(&search, &prover, request);
	if (progress_stopped(input->progress))
		return failure_set(failure, STATUS_CANCELLED, "cancelled before an answer was found");
	if (!best)
		return shortfall_fail(&search.shortfall, &input->model, &demand, failure);
	prover_find_most(&prover, best);
	workload_fill(&input->model, &demand, best->layout.precision, best->layout.kv_precision, plan);
	option_fill(input, best, &demand, &limits, &plan->recommended, &plan->findings);
	alternatives_fill(input, &search, best, &prover, plan);
	if (request->common.alternatives != 0)
		advise_apart(&prover, best, &plan->findings);
	rule_of_thumb_fill(request, &demand, best, plan);
	report_fill(input, best, &demand, &limits, plan);
	if (progress_stopped(input->progress))
		return failure_set(failure, STATUS_CANCELLED, "cancelled before the answer was complete");
	return STATUS_OK;
}
