/* E102, E110: the reserved price of a training's accelerators, beside the offer that it recommends. */
#include "hwdb/resolve/resolve_parts.h"
#include "planner/footprint/commitment.h"
#include "planner/footprint/cost.h"
#include "planner/footprint/supply.h"

/* Finds the cheapest offer of a term at the provider and region of the option's offer, of instances of the same
 * size. */
static bool find_offer_of_term(const struct resolver *resolver, const struct training_input *input, const struct training_option *option,
	enum term term, struct offer *found)
{
	const struct accelerator_row *row = catalogue_accelerator(resolver->catalogue, option->accelerator.id, &(const char *){NULL});
	const char *terms[] = {term_text(term)}, *providers[] = {option->cost.offer.provider}, *regions[] = {option->cost.offer.region};
	const struct pricing pricing = {.terms = {terms, 1},
		.providers = {providers, 1},
		.regions = {regions, option->cost.offer.region ? 1 : 0},
		.max_age_days = input->request.common.pricing.max_age_days};
	const struct offer_filter filter = {.pricing = &pricing, .now_us = resolver->now_us};
	struct offer_place places[SUPPLIES_MAX];
	size_t count = row ? offers_of_sizes(resolver->catalogue, row, &filter, places, SUPPLIES_MAX) : 0;

	for (size_t i = 0; i < count; i++)
		if (places[i].offer.gpus == option->cost.offer.gpus) {
			*found = places[i].offer;
			return true;
		}
	return false;
}

void resolve_reservations(const struct resolver *resolver, const struct training_input *input, struct training_plan *plan)
{
	static const enum term terms[RESERVATIONS_MAX] = {TERM_RESERVED_1Y, TERM_RESERVED_3Y};
	const struct training_option *option = &plan->recommended;
	double hours = option->wall_clock_hours, data_usd = given_or(option->cost.storage_usd, 0) + given_or(option->cost.egress_usd, 0);
	struct offer by_use, reserved;

	plan->reservation_count = 0;
	if (!option->cost.has_offer || option->cost.offer.term == TERM_SPOT ||
		!find_offer_of_term(resolver, input, option, TERM_ON_DEMAND, &by_use))
		return;
	for (size_t i = 0; i < RESERVATIONS_MAX; i++) {
		double paid_hours = cost_paid_hours(terms[i], hours, input->request.cadence_hours, false);

		if (!find_offer_of_term(resolver, input, option, terms[i], &reserved))
			continue;
		plan->reservations[plan->reservation_count++] = (struct reservation){.offer = reserved,
			.on_demand_usd_per_gpu_hour = by_use.usd_per_gpu_hour,
			.break_even_utilization = commitment_break_even_utilization(reserved.usd_per_gpu_hour, by_use.usd_per_gpu_hour),
			.utilization = hours / paid_hours,
			.total_usd = supply_usd_per_hour(&option->accelerator, &reserved, option->gpu_count) * paid_hours + data_usd};
	}
}
