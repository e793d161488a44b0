/* E59. Makes an inference plan: searches fleets, simulates them and fills the answer. */
#include <string.h>

#include "planner/serving/autoscaling.h"
#include "planner/serving/day.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/mix.h"
#include "planner/serving/promises.h"
#include "planner/serving/serving_advice.h"
#include "planner/serving/serving_front.h"
#include "planner/serving/serving_option.h"
#include "planner/serving/serving_search.h"

enum { ALTERNATIVES_DEFAULT = 5 };

static struct fleet_limits limits_of(const struct inference_input *input)
{
	const struct inference_request *request = &input->request;
	struct practice practice = practice_of_service(request);

	return (struct fleet_limits){.gpu_count = request->common.gpu_count,
		.enforce_memory = request->common.enforce_memory != TRUTH_FALSE,
		.throughput_tokens_per_s_per_gpu = request->throughput_tokens_per_s_per_gpu,
		.pricing = &request->common.pricing,
		.objective = request->common.objective,
		.usd_cap_per_month = request->budget_usd_per_month,
		.kgco2e_cap_per_month = request->common.carbon_cap_kgco2e,
		.kwh_cap_per_month = request->common.energy_cap_kwh,
		.mixes = mix_is_wanted(request),
		.scratch = input->workspace,
		.scratch_bytes = input->workspace_bytes,
		.request = request,
		.assurance = assurance_of(request->common.confidence, &practice)};
}

static void workload_fill(const struct model *model, const struct demand *demand, enum precision precision, enum precision kv_precision,
	struct inference_plan *plan)
{
	double prompt = demand->shape.prompt_tokens, context = prompt + demand->shape.output_tokens / 2;

	plan->workload.params_total = model->params_total;
	plan->workload.params_active = model->params_active;
	plan->workload.weights_bytes = model_weight_bytes(model, precision);
	plan->workload.kv_bytes_per_token = model_kv_bytes_per_token(model, precision_weight_bytes(kv_precision));
	/* A generated token attends to its whole context. E3 counts a causal mean, which is half of the given length. */
	plan->workload.flops_per_output_token = model_forward_flops_per_token(model, 2 * context);
	plan->workload.flops_per_prompt = prompt * model_forward_flops_per_token(model, prompt);
}

static void option_and_schedule(struct search *search, const struct fleet *fleet, struct simulator *simulator,
	struct inference_option *option, struct findings *findings)
{
	option_fill(search->input, fleet, search->demand, search->limits, option, findings);
	autoscaling_fill(search->input, fleet, search->demand, search->limits, simulator, option);
}

static void hours_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_plan *plan)
{
	struct replica replica;

	plan->hour_count = fleet_hour_count(demand);
	if (plan->hour_count > 0 && fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_PRACTISED, &replica))
		fleet_hours(fleet, &replica, demand, limits, plan->hours);
}

/* Returns the time of a request as in the answer: simulated at the plan's own speed, if that was done. */
static double answered_e2e_s(const struct fleet *fleet)
{
	const struct trial *trial = fleet->planned ? fleet->planned : fleet->trial;

	return trial ? trial->e2e.promised.mean_s : fleet->e2e_s;
}

/* Finds the alternatives, and returns the fleet to recommend. For the objective time the answered times may have
 * another order than those of the sizing. */
static struct fleet *alternatives_fill(struct search *search, struct simulator *simulator, struct fleet *best, struct inference_plan *plan)
{
	int64_t asked = search->input->request.common.alternatives;
	size_t wanted = asked < 0 ? ALTERNATIVES_DEFAULT : (size_t)asked;
	struct fleet *front[INFERENCE_OPTIONS_MAX];
	size_t count = search_front(search, simulator, best, front, wanted < INFERENCE_OPTIONS_MAX ? wanted : INFERENCE_OPTIONS_MAX);

	for (size_t i = 0; i < count; i++) {
		struct fleet *other = front[i];

		simulator_find_most(simulator, other, search->limits->gpu_count > 0);
		simulator_observe(simulator, other);
		if (search->input->request.common.objective == OBJECTIVE_TIME && answered_e2e_s(other) < answered_e2e_s(best)) {
			front[i] = best;
			best = other;
		}
	}
	for (size_t i = 0; i < count; i++)
		option_and_schedule(search, front[i], NULL, &plan->alternatives[plan->alternative_count++], NULL);
	return best;
}

static double place_objective(const struct fleet_place *place, enum objective objective)
{
	return objective == OBJECTIVE_CARBON ? place->kgco2e_per_month
		: objective == OBJECTIVE_ENERGY  ? place->kwh_per_month
										 : place->usd_per_hour;
}

/* Adds the recommended fleet at the best other provider or region that costs less or emits less, in the place of the
 * last alternative if the list is full. */
static void elsewhere_fill(struct search *search, const struct fleet *best, struct inference_plan *plan)
{
	int64_t asked = search->input->request.common.alternatives;
	size_t limit = asked < 0 ? ALTERNATIVES_DEFAULT : asked < INFERENCE_OPTIONS_MAX ? (size_t)asked : INFERENCE_OPTIONS_MAX;
	const struct candidate here = fleet_candidate(best);
	struct fleet_place places[SUPPLIES_MOST];
	const struct fleet_place *found = NULL;
	struct fleet elsewhere = *best;
	size_t count = limit > 1 && is_given(best->usd_per_hour) ? fleet_places(best, search->limits, places, COUNT_OF(places)) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct offer *offer = places[i].supply ? &places[i].supply->offer : &best->candidate->offer;

		if (!is_given(places[i].usd_per_hour) || !fleet_place_is_allowed(search->limits, &places[i]) || offer_same_place(offer, &here.offer) ||
			!(places[i].usd_per_hour < best->usd_per_hour || places[i].kgco2e_per_month < best->kgco2e_per_month))
			continue;
		if (!found || place_objective(&places[i], search->limits->objective) < place_objective(found, search->limits->objective))
			found = &places[i];
	}
	if (!found)
		return;
	elsewhere.supply = found->supply;
	elsewhere.usd_per_hour = found->usd_per_hour;
	elsewhere.kwh_per_month = found->kwh_per_month;
	elsewhere.kgco2e_per_month = found->kgco2e_per_month;
	plan->alternative_count += plan->alternative_count < limit;
	option_and_schedule(search, &elsewhere, NULL, &plan->alternatives[plan->alternative_count - 1], NULL);
}

/* Reads the hours of the grid. They are those of the request's site, so they are the same for all candidates. */
static void hours_read(const struct inference_input *input, struct demand *demand, struct clock_grid *grid, struct findings *findings)
{
	const struct grid_hours *series = input->candidate_count > 0 ? &input->candidates[0].site.hours : NULL;
	double offset = given_or(input->request.utc_offset_hours, 0);

	if (series && series->count == 0 && input->candidates[0].site.run_start_us > 0)
		findings_warn(findings,
			"site.start is not used: no hours of this site's grid are known from then on, so carbon uses the grid's mean. Give site.series, or a "
			"site whose grid has a feed");
	if (is_given(input->request.utc_offset_hours) && (!series || series->count == 0))
		findings_warn(findings, "utc_offset_hours is not used: no hours of the grid are known (site.series)");
	if (!series || series->count == 0)
		return;
	if (!demand_grid(series, demand->hour_count > 0 ? demand->hour_count : 24, offset, grid)) {
		findings_warn(findings, "site.series has no whole hour: carbon uses the grid's mean");
		return;
	}
	demand->grid = grid;
	findings_assume_text(findings, "site.series", "carbon is computed by the hours of the clock, each at its load and its mean intensity",
		series->source && strcmp(series->source, "request") != 0 ? series->source : "E115: site.series of the request");
	if (demand->hour_count > 0 && !is_given(input->request.utc_offset_hours))
		findings_assume_number(findings, "utc_offset_hours", 0, "E115: the profile's hours are assumed to be UTC, like those of the grid");
	if (grid->covered_fraction < 1)
		findings_warn(findings, "site.series has %.0f of the %zu hours of the profile's clock: the others use the grid's mean",
			grid->covered_fraction * (double)grid->count, grid->count);
}

enum status planner_inference(const struct inference_input *input, struct inference_plan *plan, struct failure *failure)
{
	const struct inference_request *request = &input->request;
	struct fleet_limits limits = limits_of(input);
	struct search search;
	struct fleet *best;
	struct simulator simulator;
	struct clock_grid grid;
	struct demand demand;

	/* Findings may already contain notes of the resolver. */
	plan->alternative_count = 0;
	if (demand_read(request, &demand, &plan->findings, failure) != STATUS_OK)
		return failure->status;
	if (input->model.kind != MODEL_TRANSFORMER)
		return failure_set(failure, STATUS_INVALID, "serving is planned for transformers; a generic model has no tokens to generate");
	limits.prompt_tokens = demand.shape.prompt_tokens;
	limits.output_tokens = demand.shape.output_tokens;
	hours_read(input, &demand, &grid, &plan->findings);
	search_start(&search, input, &demand, &limits);
	progress_note(input->progress, 0, "sizing by formulas");
	search_all(&search);
	simulator_start(&simulator, input, &demand, &limits);
	best = search_best(&search, &simulator);
	if (progress_stopped(input->progress))
		return failure_set(failure, STATUS_CANCELLED, "cancelled before an answer was found");
	if (!best) {
		shortfall_measure(&search.shortfall, &simulator);
		return shortfall_fail(&search.shortfall, &input->model, &demand, &limits, failure);
	}
	simulator_find_most(&simulator, best, true);
	simulator_observe(&simulator, best);
	service_front_fill(&search, &simulator, plan);
	best = alternatives_fill(&search, &simulator, best, plan);
	elsewhere_fill(&search, best, plan);
	workload_fill(&input->model, &demand, best->layout.precision, best->layout.kv_precision, plan);
	option_and_schedule(&search, best, &simulator, &plan->recommended, &plan->findings);
	plan->hosted_count = option_hosted(input, &demand, &plan->recommended, plan->hosted);
	for (size_t i = 0; i < plan->alternative_count; i++)
		(void)option_hosted(input, &demand, &plan->alternatives[i], (struct hosted[HOSTED_MAX + 1]){{.usd_per_month = 0}});
	hours_fill(input, best, &demand, &limits, plan);
	day_fill(&simulator, best, &plan->recommended);
	plan->uncertainty_count = service_uncertainties(input, best, &demand, &limits, plan->uncertainties);
	rule_of_thumb_fill(request, &demand, best, plan);
	report_fill(input, best, &demand, &limits, plan);
	if (request->common.alternatives != 0 && !parts_are_omitted(PART_ADVICE, input->omitted))
		serving_advise(&simulator, best, &plan->findings);
	plan->confidence_count = parts_are_omitted(PART_CONFIDENCE, input->omitted)
		? 0
		: service_confidences(&search, &simulator, best, plan->confidence_curve);
	if (progress_stopped(input->progress))
		return failure_set(failure, STATUS_CANCELLED, "cancelled before the answer was complete");
	return STATUS_OK;
}
