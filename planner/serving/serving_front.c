#include "planner/serving/serving_front.h"

#include "base/units.h"
#include "planner/footprint/carbon.h"
#include "planner/footprint/front.h"
#include "planner/serving/fleet_cost.h"

enum { WAYS_MAX = 512 };
static const double milliseconds_per_second = 1000, tokens_per_million = 1e6, grams_per_kg = 1000, step = 1.1;

/* A fleet at an offer, with the figures of the comparison. */
struct way {
	const struct fleet *fleet;
	struct fleet_place place;
	double hours, usd, kgco2e;
};

struct ways {
	const struct search *search;
	const bool *out; /* for each fleet: excluded */
	size_t count;
	struct way items[WAYS_MAX]; /* no item beats another */
};

double service_time_step_s(double e2e_s)
{
	return pow(step, floor(log(e2e_s) / log(step) + 1e-9));
}

static bool beats(const struct way *a, const struct way *b)
{
	return a->hours <= b->hours && a->usd <= b->usd && a->kgco2e <= b->kgco2e;
}

static void ways_add(struct ways *ways, const struct way *way)
{
	size_t kept = 0;

	for (size_t i = 0; i < ways->count; i++)
		if (beats(&ways->items[i], way))
			return;
	for (size_t i = 0; i < ways->count; i++)
		if (!beats(way, &ways->items[i]))
			ways->items[kept++] = ways->items[i];
	ways->count = kept;
	if (ways->count < WAYS_MAX)
		ways->items[ways->count++] = *way;
}

/* Returns a fleet at an offer. Without a given load its cost and carbon are per request/s. */
static struct way way_of(const struct search *search, const struct fleet *fleet, const struct fleet_place *place)
{
	double per = is_given(search->demand->requests_per_s) ? 1 : fleet->requests_per_s;

	return (struct way){.fleet = fleet,
		.place = *place,
		.hours = service_time_step_s(fleet->e2e_s),
		.usd = place->usd_per_hour * HOURS_PER_MONTH / per,
		.kgco2e = place->kgco2e_per_month / per};
}

static void ways_collect(struct ways *ways)
{
	const struct search *search = ways->search;

	ways->count = 0;
	for (size_t i = 0; i < search->count; i++) {
		const struct fleet *fleet = &search->fleets[i];
		struct fleet_place places[SUPPLIES_MOST];
		size_t count;

		if (ways->out[i] || fleet->verdict != FLEET_OK || !is_given(fleet->usd_per_hour))
			continue;
		count = fleet_places(fleet, search->limits, places, COUNT_OF(places));
		for (size_t k = 0; k < count; k++) {
			struct way way = way_of(search, fleet, &places[k]);

			if (fleet_place_is_allowed(search->limits, &places[k]))
				ways_add(ways, &way);
		}
	}
}

static bool is_untried(const struct ways *ways, const struct way *way, const bool *tried)
{
	return !way->fleet->trial && !tried[way->fleet - ways->search->fleets];
}

/* Returns the next fleet to simulate: the cleanest, the fastest, or the cheapest one that is not simulated. */
static const struct way *next_untried(const struct ways *ways, const bool *tried)
{
	const struct way *cleanest = &ways->items[0], *fastest = cleanest, *cheapest = NULL;

	for (size_t i = 0; i < ways->count; i++) {
		const struct way *way = &ways->items[i];

		cleanest = way->kgco2e < cleanest->kgco2e ? way : cleanest;
		fastest = way->hours < fastest->hours ? way : fastest;
		if (is_untried(ways, way, tried) && (!cheapest || way->usd < cheapest->usd))
			cheapest = way;
	}
	if (cheapest && is_untried(ways, cleanest, tried))
		return cleanest;
	return cheapest && is_untried(ways, fastest, tried) ? fastest : cheapest;
}

/* Simulates the fleets on the front until all are simulated or the work is used up. Returns the number of fleets left
 * out. */
static size_t ways_simulate(struct ways *ways, struct search *search, struct simulator *simulator, bool out[FLEETS_MAX])
{
	bool tried[FLEETS_MAX] = {false};
	int64_t least;
	size_t left_out = 0;

	ways_collect(ways);
	if (!simulator->workspace)
		return 0;
	least = simulator->work_left;
	simulator_more(simulator, SIMULATOR_FRONT_WORK);
	for (;;) {
		const struct way *next = ways->count > 0 ? next_untried(ways, tried) : NULL;
		size_t at;

		if (!next)
			return left_out;
		at = (size_t)(next->fleet - search->fleets);
		if (simulator->work_left > least && simulator_can(simulator)) {
			tried[at] = true;
			search_simulate(search, simulator, &search->fleets[at]);
		} else {
			out[at] = true;
			left_out++;
		}
		ways_collect(ways);
	}
}

static struct service_point point_of(const struct search *search, const struct way *way, const struct front_point *named)
{
	const struct fleet *fleet = way->fleet;
	struct site site = way->place.supply ? way->place.supply->site : fleet->candidate->site;
	double requests_per_month = fleet->requests_per_s * search->demand->mean_load * SECONDS_PER_HOUR * HOURS_PER_MONTH;
	bool by_offer = cost_is_by_offer(search->limits->pricing, fleet->candidate);

	site_complete(&site, NULL);
	return (struct service_point){.accelerator = fleet_board(fleet)->id,
		.mig_profile = fleet->candidate->slice ? fleet->candidate->slice->profile : NULL,
		.gpu_count = fleet->gpu_count,
		.replicas = fleet->candidate->slice ? fleet->gpu_count : fleet->replicas,
		.gpus_per_replica = fleet->gpus_per_replica,
		.precision = fleet->layout.precision,
		.has_offer = by_offer,
		.offer = way->place.supply ? way->place.supply->offer : fleet->candidate->offer,
		.grid_gco2e_per_kwh = site.grid_gco2e_per_kwh,
		.pue = site.pue,
		.requests_per_s = fleet->requests_per_s,
		.usd_per_hour = way->place.usd_per_hour,
		.usd_per_month = way->place.usd_per_hour * HOURS_PER_MONTH,
		.kgco2e_per_month = way->place.kgco2e_per_month,
		.kwh_per_month = way->place.kwh_per_month,
		.usd_per_million_output_tokens = way->place.usd_per_hour * HOURS_PER_MONTH /
			(requests_per_month * search->demand->shape.output_tokens) * tokens_per_million,
		.gco2e_per_request = way->place.kgco2e_per_month * grams_per_kg / requests_per_month,
		.e2e_ms = fleet->e2e_s * milliseconds_per_second,
		.simulated = fleet->trial ? TRUTH_TRUE : TRUTH_FALSE,
		.cheapest = named->cheapest,
		.cleanest = named->cleanest,
		.fastest = named->fastest,
		.usd_per_t_saved = named->usd_per_t_saved};
}

void service_front_fill(struct search *search, struct simulator *simulator, struct inference_plan *plan)
{
	bool out[FLEETS_MAX] = {false};
	struct ways ways = {.search = search, .out = out};
	struct front_point points[WAYS_MAX];
	size_t left_out = ways_simulate(&ways, search, simulator, out);

	for (size_t i = 0; i < ways.count; i++)
		points[i] = (struct front_point){
			.hours = ways.items[i].hours, .usd = ways.items[i].usd, .kgco2e = ways.items[i].kgco2e, .index = (int64_t)i};
	plan->front_count = front_of_points(points, ways.count, FRONT_POINTS_MAX);
	for (size_t i = 0; i < plan->front_count; i++) {
		const struct way *way = &ways.items[points[i].index];

		CHECK(way->fleet);
		plan->front[i] = point_of(search, way, &points[i]);
	}
	if (left_out > 0)
		findings_assume_number(&plan->findings, "front", (double)left_out,
			"E114: fleets that are on the front by formulas but are left out: the plan's work was not enough to simulate them");
}
