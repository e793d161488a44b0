/* E155: the cost of renting instead of buying, at each term. */
#include <string.h>

#include "hwdb/resolve/resolve_parts.h"
#include "planner/footprint/purchase.h"
#include "planner/footprint/supply.h"

/* Finds the cheapest offer to rent the same number at a term, of instances large enough for the accelerators that work
 * together on one machine, or of the largest ones. */
static bool find_cheapest(const struct resolver *resolver, const struct accelerator *accelerator, int64_t gpu_count, int64_t group,
	enum term term, struct offer *found, double *usd_per_hour)
{
	const struct accelerator_row *row = catalogue_accelerator(resolver->catalogue, accelerator->id, &(const char *){NULL});
	const char *terms[] = {term_text(term)};
	/* Reserved offers stay listed for years while the on-demand price does not change. */
	const struct pricing pricing = {
		.terms = {terms, 1}, .max_age_days = term == TERM_RESERVED_1Y || term == TERM_RESERVED_3Y ? 3 * 365 : ABSENT_NUMBER};
	const struct offer_filter filter = {.pricing = &pricing, .now_us = resolver->now_us};
	struct offer_place places[SUPPLIES_MAX];
	size_t count = row ? offers_of_sizes(resolver->catalogue, row, &filter, places, SUPPLIES_MAX) : 0;
	int64_t largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = places[i].offer.gpus > largest ? places[i].offer.gpus : largest;
	*usd_per_hour = INFINITY;
	for (size_t i = 0; i < count; i++) {
		double usd = supply_usd_per_hour(accelerator, &places[i].offer, gpu_count);

		if (!supply_is_by_slice(accelerator) && places[i].offer.gpus < (group < largest ? group : largest))
			continue;
		if (usd < *usd_per_hour) {
			*usd_per_hour = usd;
			*found = places[i].offer;
		}
	}
	return isfinite(*usd_per_hour);
}

static void resolve_rents(
	const struct resolver *resolver, const struct accelerator *accelerator, int64_t gpu_count, int64_t group, struct purchase *purchase)
{
	const struct {
		enum term term;
		struct rent *rent;
	} rents[] = {{TERM_ON_DEMAND, &purchase->on_demand}, {TERM_SPOT, &purchase->spot}, {TERM_RESERVED_1Y, &purchase->reserved_1y},
		{TERM_RESERVED_3Y, &purchase->reserved_3y}};
	double usd_per_hour;

	for (size_t i = 0; i < COUNT_OF(rents); i++)
		if (find_cheapest(resolver, accelerator, gpu_count, group, rents[i].term, &rents[i].rent->offer, &usd_per_hour))
			purchase_against(purchase, gpu_count, usd_per_hour, rents[i].rent);
}

static void note_capital(const struct resolver *resolver, const struct purchase *purchase)
{
	findings_assume_text(resolver->findings, "purchase", "accelerators, servers and network",
		"E154: servers 0.67 and, beyond one server, network 0.40 of the accelerators: Cottier et al. 2024, arXiv 2405.21015; a given price is assumed to include them");
	findings_warn(resolver->findings,
		"buying needs %.0f USD at the beginning (purchase.capital_usd); cost is the share that this work uses, and its electricity",
		purchase->capital_usd);
}

static int64_t node_of(const struct training_input *input, const struct accelerator *accelerator)
{
	for (size_t i = 0; i < input->candidate_count; i++)
		if (strcmp(input->candidates[i].accelerator.id, accelerator->id) == 0)
			return input->candidates[i].gpus_per_node;
	return 1;
}

void resolve_training_purchases(const struct resolver *resolver, const struct training_input *input, struct training_plan *plan)
{
	if (!plan->recommended.has_purchase)
		return;
	for (size_t i = 0; i <= plan->alternative_count; i++) {
		struct training_option *option = i == 0 ? &plan->recommended : &plan->alternatives[i - 1];
		int64_t node = node_of(input, &option->accelerator);

		if (option->has_purchase)
			resolve_rents(
				resolver, &option->accelerator, option->gpu_count, option->gpu_count < node ? option->gpu_count : node, &option->purchase);
	}
	note_capital(resolver, &plan->recommended.purchase);
}

void resolve_serving_purchases(const struct resolver *resolver, struct inference_plan *plan)
{
	if (!plan->recommended.has_purchase)
		return;
	for (size_t i = 0; i <= plan->alternative_count; i++) {
		struct inference_option *option = i == 0 ? &plan->recommended : &plan->alternatives[i - 1];

		if (option->has_purchase)
			resolve_rents(resolver, &option->accelerator, option->gpu_count, option->gpus_per_replica, &option->purchase);
	}
	note_capital(resolver, &plan->recommended.purchase);
}
