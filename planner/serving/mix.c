#include "planner/serving/mix.h"

#include <string.h>

#include "planner/footprint/commitment.h"
#include "planner/footprint/supply.h"

static bool commits(enum term term)
{
	return term == TERM_RESERVED_1Y || term == TERM_RESERVED_3Y;
}

bool mix_is_wanted(const struct inference_request *request)
{
	const struct text_list *terms = &request->common.pricing.terms;
	bool committed = false, used = false;

	for (size_t i = 0; i < terms->count; i++) {
		bool reserved = strncmp(terms->items[i], "reserved", strlen("reserved")) == 0;

		committed |= reserved;
		used |= !reserved;
	}
	return request->daily_profile.count > 0 && committed && used;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static size_t list_offers(const struct fleet *fleet, const struct supply *place, struct commitment_offer offers[COMMITMENT_OFFERS_MAX])
{
	const struct candidate *candidate = fleet->candidate;
	size_t count = 0;

	for (size_t i = 0; i < candidate->supply_count && count < COMMITMENT_OFFERS_MAX; i++) {
		const struct offer *offer = &candidate->supplies[i].offer;
		double usd_per_hour = offer->usd_per_gpu_hour * (double)offer->gpus * (offer->term == TERM_SPOT ? fleet->spot_factor : 1);

		if (!same_text(offer->provider, place->offer.provider) || !same_text(offer->region, place->offer.region) ||
			!supply_suits(candidate, fleet->gpus_per_replica, offer))
			continue;
		offers[count++] = (struct commitment_offer){commitment_units(offer->gpus, fleet->gpus_per_replica),
			usd_per_hour * (double)commitment_instances(offer->gpus, fleet->gpus_per_replica), commits(offer->term)};
	}
	return count;
}

/* Fills the replicas (for slices the boards) of each hour. */
static void demand_fill(const struct fleet *fleet, const struct demand *demand, int64_t units[COMMITMENT_HOURS_MAX])
{
	double active = fleet_active_replicas(fleet, demand);

	for (size_t i = 0; i < demand->hour_count; i++) {
		struct fleet then = *fleet;

		fleet_settle(&then, demand, fmax(ceil(active * demand->hour_loads[i] / demand->hour_peak - 1e-9), 1));
		units[i] = then.gpu_count / then.gpus_per_replica;
	}
}

double mix_usd_per_hour(const struct fleet *fleet, const struct demand *demand, const struct fleet_limits *limits, const struct supply *place)
{
	struct commitment_offer offers[COMMITMENT_OFFERS_MAX];
	int64_t units[COMMITMENT_HOURS_MAX];
	struct commitment_task task = {.offers = offers, .demand = units, .hour_count = demand->hour_count};
	struct commitment_mix mix;

	task.offer_count = list_offers(fleet, place, offers);
	if (task.offer_count == 0 || demand->hour_count == 0 || fleet->gpu_count / fleet->gpus_per_replica > COMMITMENT_UNITS_MAX)
		return ABSENT_NUMBER;
	demand_fill(fleet, demand, units);
	if (!limits->scratch || commitment_workspace_bytes(&task) > limits->scratch_bytes || !commitment_best(&task, limits->scratch, &mix))
		return ABSENT_NUMBER;
	return mix.usd_per_hour;
}
