#include "planner/serving/autoscaling.h"

#include "base/units.h"
#include "planner/serving/fleet_cost.h"

enum { HOURS_MAX = 168 };

/* Fu et al. 2024 (ServerlessLLM, OSDI), section 2: 130 GB of LLaMA-2-70B take 26 s to fetch at 5 GB/s and 84 s to load. */
static const double load_bytes_per_s = 130e9 / (26 + 84);
/* Process, CUDA context and graph capture of an engine. Source: the same, and vLLM's documentation. */
static const double engine_start_s = 60;

struct scaler {
	const struct inference_input *input;
	const struct fleet *fleet;
	const struct demand *demand;
	const struct fleet_limits *limits;
	struct simulator *simulator;  /* NULL: formulas only */
	struct replica replica, sure; /* as it usually runs, for its cost; with the fleet's allowance */
	struct demand sure_demand;
	double factor; /* load that the fleet carries over the load by formulas */
};

/* Replicas of one hour without spare ones. */
struct need {
	double active, prefill; /* prefill: those of them that compute prompts only */
};

double autoscaling_startup_s(const struct inference_request *request, const struct replica *replica)
{
	return given_or(request->startup_s, engine_start_s + replica->memory.weights_bytes * replica->gpus / load_bytes_per_s);
}

static bool need_is_enough(struct scaler *scaler, struct need need, double requests_per_s, bool simulated)
{
	if (simulated)
		return simulator_keeps(scaler->simulator, scaler->fleet, need.active - need.prefill, need.prefill, requests_per_s);
	if (need.prefill > 0)
		return true; /* in proportion to the simulated peak */
	return fleet_holds(&scaler->sure, &scaler->sure_demand, need.active, requests_per_s / scaler->factor);
}

/* Returns the need of a number of active replicas. Replicas for prompts are in proportion to the peak's, at least one
 * of a kind. */
static struct need need_at(const struct scaler *scaler, double active)
{
	double most = fleet_active_replicas(scaler->fleet, scaler->demand), prefill = (double)scaler->fleet->prefill_replicas;
	struct need need = {.active = active};

	if (prefill > 0) {
		need.active = fmax(active, 2);
		need.prefill = fmin(fmax(ceil(prefill * active / most - 1e-9), 1), need.active - 1);
	}
	return need;
}

/* Returns the fewest replicas by formulas. More replicas always carry more. */
static double fewest_by_formulas(struct scaler *scaler, double share, double requests_per_s)
{
	double most = fleet_active_replicas(scaler->fleet, scaler->demand), low = 0, high = most;

	if (scaler->fleet->prefill_replicas > 0)
		return fmax(ceil(most * share - 1e-9), 2);
	while (high - low > 1) {
		double middle = floor((low + high) / 2);

		if (need_is_enough(scaler, need_at(scaler, middle), requests_per_s, false))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* Returns the fewest replicas by simulation, from the number by formulas upwards in steps of 5 %. A number that is
 * enough for a larger load is enough for this one, so only fewer replicas are simulated. Without work the number is in
 * proportion to `enough`, plus one. */
static double fewest_simulated(struct scaler *scaler, double fewest, double enough, double requests_per_s, double enough_per_s)
{
	if (scaler->simulator->work_left <= 0)
		return fmin(fmax(fewest, ceil(enough * requests_per_s / enough_per_s)) + 1, enough);
	while (fewest < enough) {
		if (need_is_enough(scaler, need_at(scaler, fewest), requests_per_s, true))
			return fewest;
		if (scaler->simulator->work_left <= 0)
			return enough;
		fewest = floor(fewest * 1.05) + 1;
	}
	return enough;
}

/* Sorts the hours by their load, the heaviest first. */
static void hours_by_load(const struct number_list *profile, size_t order[HOURS_MAX])
{
	for (size_t i = 0; i < profile->count; i++) {
		size_t at = i;

		for (; at > 0 && profile->items[order[at - 1]] < profile->items[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

/* Fills the need of each hour from the heaviest down. An hour never needs more than one with more load. The fleet of
 * the peak is simulated already. */
static void needs_fill(struct scaler *scaler, const struct number_list *profile, struct need needs[HOURS_MAX])
{
	double most = fleet_active_replicas(scaler->fleet, scaler->demand);
	struct need kept = need_at(scaler, most);
	double peak, kept_per_s = scaler->fleet->requests_per_s;
	size_t order[HOURS_MAX];

	hours_by_load(profile, order);
	peak = profile->items[order[0]];
	for (size_t i = 0; i < profile->count; i++) {
		double share = profile->items[order[i]] / peak, requests_per_s = fmax(scaler->fleet->requests_per_s * share, 1e-6);
		double fewest = fmin(fewest_by_formulas(scaler, share, requests_per_s), kept.active);

		fewest = scaler->simulator ? fewest_simulated(scaler, fewest, kept.active, requests_per_s, kept_per_s) : fewest;
		if (fewest < kept.active) {
			kept = need_at(scaler, fewest);
			kept_per_s = requests_per_s;
		}
		needs[order[i]] = kept;
	}
}

/* Returns the fleet of a need, with spare replicas and whole boards. */
static struct fleet fleet_of(const struct scaler *scaler, struct need need, double requests_per_s)
{
	struct fleet fleet = *scaler->fleet;

	fleet_settle(&fleet, scaler->demand, need.active);
	fleet.prefill_replicas = (int64_t)need.prefill;
	fleet.requests_per_s = requests_per_s;
	return fleet;
}

/* Returns the largest need of an hour and the `hours` hours after it. */
static struct need most_of(const struct need *needs, size_t count, size_t from, size_t hours)
{
	struct need most = needs[from];

	for (size_t i = 1; i <= hours; i++) {
		struct need need = needs[(from + i) % count];

		most = need.active > most.active ? need : most;
	}
	return most;
}

/* Accelerator-hours, cost, energy and carbon. */
struct toll {
	double gpu_hours, usd, kwh, kgco2e;
};

static void toll_add(const struct scaler *scaler, size_t hour, struct need need, double requests_per_s, double hours, struct toll *toll)
{
	struct fleet fleet = fleet_of(scaler, need, requests_per_s);
	struct fleet_cost costs;

	fleet_cost_of_hour(&fleet, &scaler->replica, scaler->demand, scaler->limits, hour, requests_per_s, hours, &costs);
	toll->gpu_hours += hours * (double)fleet.gpu_count;
	toll->usd += costs.price_known ? hours * costs.price.usd_per_gpu_hour * (double)fleet.gpu_count : ABSENT_NUMBER;
	toll->kwh += costs.footprint.energy.total_kwh;
	toll->kgco2e += costs.footprint.carbon.total_kgco2e;
}

static bool is_reserved(const struct candidate *candidate)
{
	return candidate->has_offer && (candidate->offer.term == TERM_RESERVED_1Y || candidate->offer.term == TERM_RESERVED_3Y);
}

/* E97. Fills the schedule. A replica that is needed at the beginning of an hour starts one start-up time before it. At
 * any time the number that runs or starts is the largest need within one start-up time from then. With a start-up time
 * of `whole` hours and a `part` of an hour, the first 1 - part of an hour looks `whole` hours ahead, and the rest one
 * hour more. */
static void schedule_fill(
	const struct scaler *scaler, const struct number_list *profile, const struct need *needs, struct inference_option *option)
{
	double startup_h = option->autoscaled.startup_s / SECONDS_PER_HOUR, part = startup_h - floor(startup_h), peak = 0;
	size_t whole = (size_t)startup_h, count = profile->count;
	struct need all_day = need_at(scaler, fleet_active_replicas(scaler->fleet, scaler->demand));
	double monthly = HOURS_PER_MONTH / (double)count;
	const struct candidate had = fleet_candidate(scaler->fleet);
	struct toll followed = {0}, unfollowed = {0};

	for (size_t i = 0; i < count; i++)
		peak = fmax(peak, profile->items[i]);
	for (size_t i = 0; i < count; i++) {
		double requests_per_s = scaler->fleet->requests_per_s * profile->items[i] / peak;
		struct need ready = most_of(needs, count, i, whole), ahead = most_of(needs, count, i, whole + (part > 0));
		struct fleet now = fleet_of(scaler, ready, requests_per_s), soon = fleet_of(scaler, ahead, requests_per_s);
		int64_t slices = scaler->fleet->candidate->slice ? scaler->fleet->candidate->slice->per_board : 1;

		option->autoscaling[i] = (struct autoscaling_hour){.hour = (int64_t)i,
			.replicas = now.replicas / slices,
			.starting = (soon.replicas - now.replicas) / slices,
			.prefill_replicas = ready.prefill > 0 ? (int64_t)ready.prefill : ABSENT_COUNT,
			.requests_per_s = requests_per_s};
		toll_add(scaler, i, ready, requests_per_s, monthly * (1 - part), &followed);
		toll_add(scaler, i, ahead, requests_per_s, monthly * part, &followed);
		toll_add(scaler, i, all_day, requests_per_s, monthly, &unfollowed);
	}
	option->autoscaled.gpu_hours_per_month = followed.gpu_hours;
	/* reserved accelerators are paid all day */
	option->autoscaled.usd_per_month = is_reserved(&had) ? unfollowed.usd : followed.usd;
	option->autoscaled.kwh_per_month = followed.kwh;
	option->autoscaled.kgco2e_per_month = followed.kgco2e;
	option->autoscaled.saved_gpu_hours_per_month = unfollowed.gpu_hours - followed.gpu_hours;
	option->autoscaled.saved_usd_per_month = unfollowed.usd - option->autoscaled.usd_per_month;
	option->autoscaled.saved_kwh_per_month = unfollowed.kwh - followed.kwh;
	option->autoscaled.saved_kgco2e_per_month = unfollowed.kgco2e - followed.kgco2e;
}

void autoscaling_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct simulator *simulator, struct inference_option *option)
{
	const struct number_list *profile = &input->request.daily_profile;
	struct scaler scaler = {.input = input, .fleet = fleet, .demand = demand, .limits = limits};
	double active = fleet_active_replicas(fleet, demand);
	struct need needs[HOURS_MAX];
	bool possible;

	option->autoscaling_count = profile->count <= COUNT_OF(option->autoscaling) ? profile->count : 0;
	option->has_autoscaled = option->autoscaling_count > 0;
	if (!option->has_autoscaled)
		return;
	possible = fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_PRACTISED, &scaler.replica) &&
		fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_SURE, &scaler.sure);
	CHECK(possible);
	scaler.sure_demand = fleet_sure_demand(demand, &fleet->allowance);
	if (simulator && simulator->workspace && fleet->trial) {
		scaler.simulator = simulator;
		simulator_more(simulator, SIMULATOR_SCHEDULE_WORK);
	}
	scaler.factor = given_or(fleet->requests_per_s_max, fleet->requests_per_s) /
		fmax(fleet_requests_per_s_max(&scaler.sure, &scaler.sure_demand, active), 1e-9);
	option->autoscaled.startup_s = autoscaling_startup_s(&input->request, &scaler.replica);
	needs_fill(&scaler, profile, needs);
	schedule_fill(&scaler, profile, needs, option);
}
