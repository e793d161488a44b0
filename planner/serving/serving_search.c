#include "planner/serving/serving_search.h"

#include "planner/serving/fleet_cost.h"

/* Sequences at once beside the engine's own limit: more let a small model fill its accelerator. A lower limit only helps where
 * bursts make tokens late, which the simulation sees and formulas do not. */
static const double batch_limits[] = {1, 2, 4};
static const double less_load = 0.98; /* that a simulation left of what formulas promised: less is no rounding */
static const double rank_rounding = 1e-9;
enum { BATCH_LIMIT_MOST = 8192, BATCH_LIMIT_LEAST = 4, RIVALS_MOST = 2 };

void search_start(struct search *search, const struct inference_input *input, const struct demand *demand,
	const struct fleet_limits *limits)
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

/* Accelerators without a load are judged by what a request costs; how long one takes is a request's own already. */
static double rank_of(const struct search *search, const struct fleet *fleet)
{
	enum objective objective = search->input->request.common.objective;
	bool whole = is_given(search->demand->requests_per_s) || objective == OBJECTIVE_TIME;

	return objective_of(fleet, objective) / (whole ? 1 : fleet->requests_per_s);
}

/* -1, 0, 1; what differs by rounding is equal. */
static int order(double a, double b)
{
	if (a == b || fabs(a - b) <= 1e-9 * fabs(b))
		return 0;
	return a < b ? -1 : 1;
}

/* Where limits are given, all that is answered keeps them; where none is, how soon answers come is a side of its own. */
static bool something_is_promised(const struct promise *promise)
{
	return is_given(promise->ttft_s) || is_given(promise->tpot_s) || is_given(promise->e2e_s);
}

/* Where the accelerators and a promise are given, all layouts that keep it serve the load: the one that holds most leaves most room, and is the same at
 * every load. */
static int order_by_capacity(const struct search *search, const struct fleet *a, const struct fleet *b)
{
	if (!is_given(search->demand->requests_per_s) || !is_given(a->capacity_requests_per_s) || !is_given(b->capacity_requests_per_s) ||
		!something_is_promised(&search->demand->promise))
		return 0;
	return order(b->capacity_requests_per_s, a->capacity_requests_per_s);
}

/* Whole accelerators are what a request names; their slices are answered beside them unless it asks for slices. */
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

/* Nowhere worse, and somewhere better. */
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

/* Where a fleet is kept: behind the others, or in the place of the worst of them. */
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
		if (!fleet->candidate->slice || search->input->request.mig_profile) /* what a board cannot do, its slices cannot */
			shortfall_note(&search->shortfall, fleet);
		return;
	}
	place = place_for(search, fleet);
	if (place)
		*place = *fleet;
}

/* A slice is a replica by itself. What was measured on whole accelerators is not known of their slices. */
static bool slice_may_serve(const struct inference_request *request)
{
	const struct serving_parallelism *pinned = &request->parallelism;

	return pinned->tensor <= 1 && pinned->pipeline <= 1 && pinned->expert <= 1 && pinned->attention_data <= 1 &&
		   pinned->disaggregated != TRUTH_TRUE && !is_given(request->throughput_tokens_per_s_per_gpu);
}

/* The fleet of a layout, with the batch limit that suits it where the request leaves it open. */
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

/* Of the rank of what an engine's default flags hold, at which a replica with raised flags is worth its simulation: half as many accelerators. */
static const double raised_worth = 0.5;

/* E202. First with the engine's default flags; then what does not fit so, with flags raised (E189). A replica with hardly a cache is kept where it halves what the
 * best of the first costs, or where none of them is allowed: as one of dozens it would be simulated for nothing. */
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

			/* Pipelines over domains are for what does not fit into one, and the shortest that fits is enough. */
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
			if (!raised || !found || (fleet.verdict == FLEET_OK && rank_of(search, &fleet) <= raised_worth * (1 + rank_rounding) * rank_of(search, &best)))
				search_keep(search, &fleet);
		}
	}
}

void search_candidate(struct search *search, const struct candidate *candidate)
{
	const struct inference_request *request = &search->input->request;
	struct replica_layout base = layout_base(&request->common, request->kv_precision, request->engine,
		request->engine_release, &request->parallelism, candidate);

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

	for (size_t i = 0; i < input->candidate_count && !input->request.mig_profile && !progress_stopped(input->progress); i++) /* then slices alone are asked for */
		search_candidate(search, &input->candidates[i]);
	for (size_t i = 0; i < input->slice_count && !progress_stopped(input->progress); i++)
		search_candidate(search, &input->slices[i]);
}

/* A fleet whose engines take in at most so many sequences at once, sized and simulated; it stands in where it is better. */
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

/* Where bursts make tokens late, fewer at once may keep the promise with fewer replicas, or of a fixed number with more load: the
 * batch seen, rounded up to a power of two, and twice that are tried. Requests then wait at the door instead. */
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

/* A fleet not simulated yet that would be before the best if the simulation let it do with a replica less; of several the one that would be first; else the best. Above
 * even odds the limits that formulas hold are tighter, and nearer to where they are too careful; by no factor of two. */
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

/* Replicas over machines are for what nothing else holds, and overloaded ones for where all are: beside a better one they are no answer, whatever they cost. */
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
		/* With the size that the simulation gave it, it may no longer be the best. */
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

/* The best fleet on the front that is not answered yet; NULL: there is none. */
static struct fleet *next_of_front(struct search *search, const bool answered[FLEETS_MAX])
{
	bool passed[FLEETS_MAX];

	memcpy(passed, answered, sizeof passed);
	for (;;) {
		struct fleet *next = NULL;

		for (size_t i = 0; i < search->count; i++)
			if (!passed[i] && search->fleets[i].verdict == FLEET_OK &&
				(!next || search_is_better(search, &search->fleets[i], next)))
				next = &search->fleets[i];
		if (!next || !is_dominated(search, next))
			return next;
		passed[next - search->fleets] = true;
	}
}

size_t search_front(
	struct search *search, struct simulator *simulator, const struct fleet *best, struct fleet **front, size_t wanted)
{
	bool answered[FLEETS_MAX] = {false};
	size_t count = 0, kept = 0;

	answered[best - search->fleets] = true;
	while (count < wanted) {
		struct fleet *next = next_of_front(search, answered);

		if (!next)
			break;
		if (!next->trial && simulator_can(simulator)) {
			search_simulate(search, simulator, next); /* its size may have changed: looked at again */
			continue;
		}
		answered[next - search->fleets] = true;
		front[count++] = next;
	}
	/* What was simulated later may beat what was answered before. */
	for (size_t i = 0; i < count; i++)
		if (!is_dominated(search, front[i]))
			front[kept++] = front[i];
	return kept;
}
