#include "planner/serving/serving_search.h"

#include "planner/serving/fleet_cost.h"

/* Limits on sequences at once, as factors of the engine's default: with more sequences a small model fills its
 * accelerator. A lower limit only helps where bursts make tokens late, which the simulation models and formulas do
 * not. */
static const double batch_limits[] = {1, 2, 4};
static const double less_load = 0.98; /* simulated load over that by formulas; a lower ratio is more than rounding */
static const double rank_rounding = 1e-9;
enum { BATCH_LIMIT_MOST = 8192, BATCH_LIMIT_LEAST = 4, RIVALS_MOST = 2 };

void search_start(struct search *search, const struct inference_input *input, const struct demand *demand, const struct fleet_limits *limits)
{
	search->input = input;
	search->demand = demand;
	search->limits = limits;
	search->count = 0;
	search->shortfall = (struct shortfall){.promise = demand->promise, .limits = limits};
}

static double usd_of(const struct fleet *fleet)
{
	return given_or(fleet->usd_per_hour, HUGE_VAL); /* an unknown price is never the cheapest */
}

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
	return usd_of(fleet);
}

/* Returns the figure of the objective. Without a given load it is per request/s; the time of a request is not
 * divided. */
static double rank_of(const struct search *search, const struct fleet *fleet)
{
	enum objective objective = search->input->request.common.objective;
	bool whole = is_given(search->demand->requests_per_s) || objective == OBJECTIVE_TIME;

	return objective_of(fleet, objective) / (whole ? 1 : fleet->requests_per_s);
}

/* Returns -1, 0 or 1. Values that differ only by rounding are equal. */
static int order(double a, double b)
{
	if (a == b || fabs(a - b) <= 1e-9 * fabs(b))
		return 0;
	return a < b ? -1 : 1;
}

/* True if the request limits a latency. All answered fleets then keep it; otherwise the time of a request is a
 * dimension of the front. */
static bool something_is_promised(const struct promise *promise)
{
	return is_given(promise->ttft_s) || is_given(promise->tpot_s) || is_given(promise->e2e_s);
}

/* Compares the capacities. With given accelerators and a promise, all layouts that keep it serve the load. The one with
 * the largest capacity has the most reserve, and is the same at every load. */
static int order_by_capacity(const struct search *search, const struct fleet *a, const struct fleet *b)
{
	if (!is_given(search->demand->requests_per_s) || !is_given(a->capacity_requests_per_s) || !is_given(b->capacity_requests_per_s) ||
		!something_is_promised(&search->demand->promise))
		return 0;
	return order(b->capacity_requests_per_s, a->capacity_requests_per_s);
}

/* True if the fleet may be recommended. A request names whole accelerators, so slices are only alternatives unless it
 * asks for slices. */
static bool may_be_recommended(const struct search *search, const struct fleet *fleet)
{
	return !fleet->candidate->slice || search->input->request.mig == TRUTH_TRUE || search->input->request.mig_profile;
}

bool search_is_better(const struct search *search, const struct fleet *a, const struct fleet *b)
{
	int by = (int)layout_span_of(a->candidate, &a->layout) - (int)layout_span_of(b->candidate, &b->layout);

	by = by != 0 ? by : (int)a->overloaded - (int)b->overloaded;
	by = by != 0 || !a->overloaded ? by : order(b->requests_per_s, a->requests_per_s);
	by = by != 0 ? by : order(rank_of(search, a), rank_of(search, b));
	by = by != 0 ? by : order((double)a->gpu_count, (double)b->gpu_count);
	by = by != 0 ? by : order(usd_of(a), usd_of(b));
	by = by != 0 ? by : order_by_capacity(search, a, b);
	by = by != 0 ? by : order(a->kgco2e_per_month, b->kgco2e_per_month);
	return (by != 0 ? by : order(a->e2e_s, b->e2e_s)) < 0;
}

/* True if `a` is worse in no figure and better in at least one. */
static bool dominates(const struct search *search, const struct fleet *a, const struct fleet *b)
{
	int orders[] = {order(rank_of(search, a), rank_of(search, b)), order((double)a->gpu_count, (double)b->gpu_count),
		order(usd_of(a), usd_of(b)), order(a->kgco2e_per_month, b->kgco2e_per_month),
		is_given(search->demand->requests_per_s) ? 0 : order(b->requests_per_s, a->requests_per_s),
		something_is_promised(&search->demand->promise) ? 0 : order(a->e2e_s, b->e2e_s)};
	bool better = false;

	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		if (orders[i] > 0)
			return false;
		better |= orders[i] < 0;
	}
	return better;
}

static bool within_caps(const struct fleet *fleet, const struct fleet_limits *limits)
{
	struct fleet_place place = fleet_place_of(fleet);

	return fleet_place_is_allowed(limits, &place);
}

/* Returns the place to store a fleet: a free one, or that of the worst fleet if the new one is better; else NULL. */
static struct fleet *place_for(struct search *search, const struct fleet *fleet)
{
	struct fleet *worst = &search->fleets[0];

	if (search->count < FLEETS_MAX)
		return &search->fleets[search->count++];
	for (size_t i = 1; i < search->count; i++)
		if (search_is_better(search, worst, &search->fleets[i]))
			worst = &search->fleets[i];
	return search_is_better(search, fleet, worst) ? worst : NULL;
}

static void search_keep(struct search *search, const struct fleet *fleet)
{
	struct fleet *place;

	if (fleet->verdict != FLEET_OK || !within_caps(fleet, search->limits)) {
		if (!fleet->candidate->slice || search->input->request.mig_profile) /* slices cannot do what their board cannot */
			shortfall_note(&search->shortfall, fleet);
		return;
	}
	place = place_for(search, fleet);
	if (place)
		*place = *fleet;
}

/* True if a slice may serve the request. A slice is a whole replica. A throughput measured on whole accelerators does
 * not apply to slices. */
static bool slice_may_serve(const struct inference_request *request)
{
	const struct serving_parallelism *pinned = &request->parallelism;

	return pinned->tensor <= 1 && pinned->pipeline <= 1 && pinned->expert <= 1 && pinned->attention_data <= 1 &&
		pinned->disaggregated != TRUTH_TRUE && !is_given(request->throughput_tokens_per_s_per_gpu);
}

/* Sizes the fleet of a layout, with the best batch limit unless the request gives one. */
static void layout_size(
	const struct search *search, const struct candidate *candidate, const struct replica_layout *layout, struct fleet *best)
{
	double own = engine_rules_at(layout->engine, &candidate->accelerator, layout->release_years).max_batch;
	size_t limits = is_given(layout->max_batch) ? 1 : COUNT_OF(batch_limits);

	fleet_size(&search->input->model, candidate, layout, search->demand, search->limits, best);
	for (size_t i = 1; i < limits && best->verdict == FLEET_OK && batch_limits[i] * own <= BATCH_LIMIT_MOST; i++) {
		struct replica_layout wider = *layout;
		struct fleet fleet;

		wider.max_batch = batch_limits[i] * own;
		fleet_size(&search->input->model, candidate, &wider, search->demand, search->limits, &fleet);
		if (fleet.verdict == FLEET_OK && order(rank_of(search, &fleet), rank_of(search, best)) < 0)
			*best = fleet;
	}
}

/* A replica with raised flags is worth its simulation up to this part of the rank of the best one with default
 * flags. */
static const double raised_worth = 0.5;

/* E202. Sizes layouts first with the engine's default flags; then those that did not fit, with raised flags (E189). A
 * layout of the second kind has hardly any cache. It is kept if it halves the rank of the best of the first kind, or if
 * there is none; otherwise dozens of them would be simulated in vain. */
static void search_layouts(struct search *search, const struct candidate *candidate, struct replica_layout *base)
{
	const struct inference_request *request = &search->input->request;
	bool held[LAYOUTS_MAX] = {false}, found = false;
	struct layout_list layouts;
	struct fleet best;

	for (int raised = 0; raised < 2; raised++) {
		base->keeps_flags = !raised;
		layout_enumerate(&search->input->model, candidate, &request->parallelism, base, &layouts);
		for (size_t i = 0; i < layouts.count; i++) {
			struct fleet fleet;

			/* Pipelines over domains are for models that do not fit into one domain. The shortest pipeline that fits is
			 * enough. */
			if (layouts.items[i].pipeline > 1 && request->parallelism.pipeline < 1 && search->shortfall.fitted == candidate)
				break;
			if (held[i] || (candidate->single && layouts.items[i].tensor * layouts.items[i].pipeline * layouts.items[i].attention_data > 1))
				continue;
			layout_size(search, candidate, &layouts.items[i], &fleet);
			held[i] = fleet.verdict != FLEET_MEMORY && fleet.verdict != FLEET_LAYOUT;
			if (held[i] && !candidate->slice)
				search->shortfall.fitted = candidate;
			if (!raised && fleet.verdict == FLEET_OK && (!found || search_is_better(search, &fleet, &best))) {
				best = fleet;
				found = true;
			}
			if (!raised || !found ||
				(fleet.verdict == FLEET_OK && rank_of(search, &fleet) <= raised_worth * (1 + rank_rounding) * rank_of(search, &best)))
				search_keep(search, &fleet);
		}
	}
}

void search_candidate(struct search *search, const struct candidate *candidate)
{
	const struct inference_request *request = &search->input->request;
	struct replica_layout base = layout_base(
		&request->common, request->kv_precision, request->engine, request->engine_release, &request->parallelism, candidate);

	if (candidate->slice && !slice_may_serve(request))
		return;
	if (request->precisions.count == 0) {
		search_layouts(search, candidate, &base);
		return;
	}
	for (size_t i = 0; i < request->precisions.count; i++) {
		base.precision = precision_of_name(request->precisions.items[i]);
		if (request->kv_precision == PRECISION_UNSET)
			base.kv_precision = engine_kv_precision(base.engine, base.precision, &candidate->accelerator);
		search_layouts(search, candidate, &base);
	}
}

void search_all(struct search *search)
{
	const struct inference_input *input = search->input;

	for (size_t i = 0; i < input->candidate_count && !input->request.mig_profile && !progress_stopped(input->progress);
		 i++) /* with mig_profile the request is for slices only */
		search_candidate(search, &input->candidates[i]);
	for (size_t i = 0; i < input->slice_count && !progress_stopped(input->progress); i++)
		search_candidate(search, &input->slices[i]);
}

/* Sizes and simulates the fleet with a limit of `most` sequences at once. It replaces the fleet if it is better. */
static void try_batch(struct search *search, struct simulator *simulator, struct fleet *fleet, double most)
{
	struct replica_layout layout = fleet->layout;
	struct fleet limited;

	layout.max_batch = most;
	fleet_size(&search->input->model, fleet->candidate, &layout, search->demand, search->limits, &limited);
	if (limited.verdict != FLEET_OK || !simulator_can(simulator))
		return;
	if (is_given(search->demand->requests_per_s) || fleet->verdict != FLEET_OK)
		simulator_run(simulator, &limited);
	else
		simulator_prove_beyond(simulator, &limited, fleet->requests_per_s);
	if (limited.verdict == FLEET_OK && limited.trial && (fleet->verdict != FLEET_OK || search_is_better(search, &limited, fleet)))
		*fleet = limited;
}

/* Tries smaller batches where bursts make tokens late. Fewer sequences at once may keep the promise with fewer
 * replicas, or for a fixed number with more load, because requests then wait before they enter. It tries the simulated
 * batch, rounded up to a power of two, and twice that. */
static void try_smaller_batches(struct search *search, struct simulator *simulator, struct fleet *fleet, const struct fleet *by_formulas)
{
	bool late = fleet->verdict != FLEET_OK || fleet->replicas > by_formulas->replicas ||
		fleet->requests_per_s < less_load * by_formulas->requests_per_s;
	double seen = fleet->trial ? exp2(ceil(log2(fmax(fleet->trial->mean_batch, 1)))) : 0;

	if (!late || !(seen > BATCH_LIMIT_LEAST) || search->input->request.parallelism.max_batch > 0)
		return;
	try_batch(search, simulator, fleet, 2 * seen);
	try_batch(search, simulator, fleet, seen);
}

bool search_simulate(struct search *search, struct simulator *simulator, struct fleet *fleet)
{
	const struct fleet by_formulas = *fleet;

	simulator_run(simulator, fleet);
	try_smaller_batches(search, simulator, fleet, &by_formulas);
	if (fleet->verdict == FLEET_OK && within_caps(fleet, search->limits))
		return true;
	shortfall_note(&search->shortfall, fleet);
	fleet->verdict = FLEET_LATENCY;
	return false;
}

/* Returns a fleet that is not simulated yet and would be better than the best with one replica less; of several the
 * first; else the best. Above a confidence of 0.5 formulas have tighter limits and are closer to where they are too
 * careful, though not by a factor of two. */
static struct fleet *rival_or(struct search *search, struct fleet *best)
{
	struct fleet *rival = best;
	double least = rank_of(search, best) * (1 - rank_rounding);

	if (!(search->limits->assurance.z > 0) || search->input->request.common.objective == OBJECTIVE_TIME || search->limits->gpu_count > 0)
		return best;
	for (size_t i = 0; i < search->count; i++) {
		const struct fleet *fleet = &search->fleets[i];
		double with_less = rank_of(search, fleet) * (double)(fleet->replicas - 1) / (double)fleet->replicas;

		if (fleet->verdict == FLEET_OK && may_be_recommended(search, fleet) && !fleet->trial && fleet->replicas > 2 && with_less < least) {
			least = with_less;
			rival = &search->fleets[i];
		}
	}
	return rival;
}

/* Excludes fleets with replicas of a larger extent than the best fleet's, and overloaded ones if the best is not, at
 * any cost. */
static struct fleet *leave_out_worse(struct search *search, struct fleet *best)
{
	for (size_t i = 0; i < search->count && best; i++)
		if (layout_span_of(search->fleets[i].candidate, &search->fleets[i].layout) > layout_span_of(best->candidate, &best->layout) ||
			(search->fleets[i].overloaded && !best->overloaded))
			search->fleets[i].verdict = FLEET_LAYOUT;
	return best;
}

struct fleet *search_best(struct search *search, struct simulator *simulator)
{
	int rivals = 0;

	for (;;) {
		struct fleet *best = NULL;

		for (size_t i = 0; i < search->count; i++)
			if (search->fleets[i].verdict == FLEET_OK && may_be_recommended(search, &search->fleets[i]) &&
				(!best || search_is_better(search, &search->fleets[i], best)))
				best = &search->fleets[i];
		/* The simulation may have changed its size, so that it is no longer the best. */
		if (best && best->trial && simulator_can(simulator) && rivals++ < RIVALS_MOST)
			best = rival_or(search, best);
		if (!best || best->trial || !simulator_can(simulator))
			return leave_out_worse(search, best);
		search_simulate(search, simulator, best);
	}
}

static bool is_dominated(const struct search *search, const struct fleet *fleet)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->fleets[i].verdict == FLEET_OK && dominates(search, &search->fleets[i], fleet))
			return true;
	return false;
}

/* Returns the best fleet on the front that is not answered yet. NULL: there is none. */
static struct fleet *next_of_front(struct search *search, const bool answered[FLEETS_MAX])
{
	bool passed[FLEETS_MAX];

	memcpy(passed, answered, sizeof passed);
	for (;;) {
		struct fleet *next = NULL;

		for (size_t i = 0; i < search->count; i++)
			if (!passed[i] && search->fleets[i].verdict == FLEET_OK && (!next || search_is_better(search, &search->fleets[i], next)))
				next = &search->fleets[i];
		if (!next || !is_dominated(search, next))
			return next;
		passed[next - search->fleets] = true;
	}
}

size_t search_front(struct search *search, struct simulator *simulator, const struct fleet *best, struct fleet **front, size_t wanted)
{
	bool answered[FLEETS_MAX] = {false};
	size_t count = 0, kept = 0;

	answered[best - search->fleets] = true;
	while (count < wanted) {
		struct fleet *next = next_of_front(search, answered);

		if (!next)
			break;
		if (!next->trial && simulator_can(simulator)) {
			search_simulate(search, simulator, next); /* its size may have changed, so it is considered again */
			continue;
		}
		answered[next - search->fleets] = true;
		front[count++] = next;
	}
	/* A fleet that was simulated later may dominate an earlier one. */
	for (size_t i = 0; i < count; i++)
		if (!is_dominated(search, front[i]))
			front[kept++] = front[i];
	return kept;
}
