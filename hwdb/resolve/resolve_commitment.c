/* E101, E102, E106: a service's demand over its day, and the terms at which its instances can be rented. */
#include "base/units.h"
#include "hwdb/resolve/resolve_parts.h"
#include "planner/footprint/commitment.h"

struct market {
	const struct resolver *resolver;
	const struct inference_input *input;
	struct inference_option *option;
	struct committed_offer offers[COMMITTED_OFFERS_MAX];
	size_t count;
	int64_t demand[COMMITMENT_HOURS_MAX];
};

static bool is_committed(enum term term)
{
	return term == TERM_RESERVED_1Y || term == TERM_RESERVED_3Y;
}

static bool is_wanted(const struct pricing *pricing, enum term term)
{
	if (pricing->terms.count == 0)
		return term != TERM_SPOT;
	for (size_t i = 0; i < pricing->terms.count; i++)
		if (term_of_text(pricing->terms.items[i]) == term)
			return true;
	return false;
}

/* E106. Adds the cost of interruptions to a spot offer's price. */
static double interrupted_price(const struct market *market, const struct offer *offer, double usd_per_hour)
{
	double per_gpu_hour = given_or(market->input->request.common.pricing.spot_interruptions_per_gpu_hour, 0);

	if (offer->term != TERM_SPOT)
		return usd_per_hour;
	return usd_per_hour *
		(1 + per_gpu_hour * (double)market->option->gpus_per_replica * market->option->autoscaled.startup_s / SECONDS_PER_HOUR);
}

/* Adds offers of one term by the provider, in the region of the recommended offer: the cheapest of each size of
 * instance. */
static void market_add(struct market *market, const struct accelerator_row *row, enum term term)
{
	const struct offer *chosen = &market->option->cost.offer;
	const char *words[] = {term_text(term)}, *providers[] = {chosen->provider}, *regions[] = {chosen->region};
	struct pricing pricing = market->input->request.common.pricing;
	struct offer_place places[COMMITTED_OFFERS_MAX];
	size_t count;

	pricing.terms = (struct text_list){words, 1};
	pricing.providers = (struct text_list){providers, 1};
	pricing.regions = (struct text_list){regions, chosen->region && chosen->region[0] ? 1 : 0};
	count = offers_of_sizes(market->resolver->catalogue, row,
		&(struct offer_filter){.pricing = &pricing, .now_us = market->resolver->now_us}, places, COUNT_OF(places));
	for (size_t i = 0; i < count && market->count < COMMITTED_OFFERS_MAX; i++) {
		const struct offer *offer = &places[i].offer;
		double usd_per_hour = offer->usd_per_gpu_hour * (double)offer->gpus;

		market->offers[market->count++] = (struct committed_offer){
			.offer = *offer, .usd_per_hour = interrupted_price(market, offer, usd_per_hour), .break_even_utilization = ABSENT_NUMBER};
	}
}

static bool has_both_kinds(const struct market *market)
{
	bool committed = false, used = false;

	for (size_t i = 0; i < market->count; i++) {
		committed |= is_committed(market->offers[i].offer.term);
		used |= !is_committed(market->offers[i].offer.term);
	}
	return committed && used;
}

/* Computes break-even utilisations against the cheapest offer that holds a replica and is paid by use. */
static void break_even_fill(struct market *market)
{
	int64_t gpus = market->option->gpus_per_replica;
	double used = HUGE_VAL;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < market->count; i++) {
			struct committed_offer *item = &market->offers[i];
			double each = item->usd_per_hour * (double)commitment_instances(item->offer.gpus, gpus) /
				(double)commitment_units(item->offer.gpus, gpus);

			if (pass == 0 && !is_committed(item->offer.term))
				used = fmin(used, each);
			else if (pass == 1 && is_committed(item->offer.term))
				item->break_even_utilization = commitment_break_even_utilization(each, used);
		}
}

static void fill_answer(struct market *market, const struct commitment_mix *mix)
{
	struct commitment *commitment = &market->option->commitment;
	int64_t gpus = market->option->gpus_per_replica;

	*commitment = (struct commitment){
		.usd_per_hour = mix->usd_per_hour,
		.committed_usd_per_hour = mix->committed_usd_per_hour,
		.used_usd_per_hour = mix->used_usd_per_hour,
		.usd_per_month = mix->usd_per_hour * HOURS_PER_MONTH,
		.uncommitted_usd_per_month = mix->uncommitted_usd_per_hour * HOURS_PER_MONTH,
		.saved_usd_per_month = (mix->uncommitted_usd_per_hour - mix->usd_per_hour) * HOURS_PER_MONTH,
		.committed_utilization = mix->committed_utilization,
	};
	for (size_t i = 0; i < market->count; i++) {
		struct committed_offer *item = &market->offers[i];

		item->instances = mix->instances[i] * commitment_instances(item->offer.gpus, gpus);
		item->peak_instances = mix->peak_instances[i] * commitment_instances(item->offer.gpus, gpus);
		if (item->instances > 0 || item->peak_instances > 0 || is_committed(item->offer.term))
			commitment->offers[commitment->offer_count++] = *item;
	}
	market->option->has_commitment = true;
}

enum status resolve_commitment(const struct resolver *resolver, const struct inference_input *input, struct inference_option *option)
{
	struct market market = {.resolver = resolver, .input = input, .option = option};
	const struct accelerator_row *row = catalogue_accelerator(resolver->catalogue, option->accelerator.id, &(const char *){NULL});
	struct commitment_offer offers[COMMITTED_OFFERS_MAX];
	struct commitment_task task = {.offers = offers, .demand = market.demand, .hour_count = option->autoscaling_count};
	struct commitment_mix mix;
	void *workspace;

	option->has_commitment = false;
	if (option->autoscaling_count == 0 || !option->cost.has_offer || !row)
		return STATUS_OK;
	for (enum term term = TERM_ON_DEMAND; term < TERM_COUNT; term++)
		if (is_wanted(&input->request.common.pricing, term))
			market_add(&market, row, term);
	if (!has_both_kinds(&market))
		return STATUS_OK;
	for (size_t i = 0; i < option->autoscaling_count; i++) {
		market.demand[i] = option->autoscaling[i].replicas + option->autoscaling[i].starting;
		if (market.demand[i] > COMMITMENT_UNITS_MAX)
			return STATUS_OK;
	}
	for (size_t i = 0; i < market.count; i++)
		offers[i] = (struct commitment_offer){commitment_units(market.offers[i].offer.gpus, option->gpus_per_replica),
			market.offers[i].usd_per_hour * (double)commitment_instances(market.offers[i].offer.gpus, option->gpus_per_replica),
			is_committed(market.offers[i].offer.term)};
	task.offer_count = market.count;
	workspace = arena_alloc_uncleared(resolver->arena, commitment_workspace_bytes(&task));
	if (!workspace)
		return STATUS_NO_MEMORY;
	if (commitment_best(&task, workspace, &mix)) {
		break_even_fill(&market);
		fill_answer(&market, &mix);
	}
	return STATUS_OK;
}
