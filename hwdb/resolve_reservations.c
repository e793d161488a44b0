/* E102, E110: what a training's accelerators cost reserved, beside the offer that it recommends. */
#include "hwdb/resolve_parts.h"
#include "planner/footprint/commitment.h"
#include "planner/footprint/cost.h"
#include "planner/footprint/supply.h"

/* The cheapest offer of a term for as many as the option has, in the place of its own offer. */
static bool quote(const struct resolver *resolver, const struct training_input *input, const struct training_option *option, enum term term,
	struct offer_quote *found)
{
	const struct accelerator_row *row = catalogue_accelerator(resolver->catalogue, option->accelerator.id, &(const char *){NULL});
	const char *terms[] = {term_text(term)}, *providers[] = {option->cost.offer.provider}, *regions[] = {option->cost.offer.region};
	struct pricing pricing = {.terms = {terms, 1}, .providers = {providers, 1}, .regions = {regions, option->cost.offer.region ? 1 : 0},
		.max_age_days = input->request.common.pricing.max_age_days};
	const struct offer_filter filter = {.pricing = &pricing, .now_us = resolver->now_us};
	struct offer_quote_list quotes;

	if (!row || offers_quote(resolver->catalogue, row, &filter, option->gpu_count, resolver->arena, &quotes, resolver->failure) != STATUS_OK)
		return false;
	for (size_t i = 0; i < quotes.count; i++)
		if (quotes.items[i].offer.gpus == option->cost.offer.gpus) {
			*found = quotes.items[i];
			return true;
		}
	return false;
}

static double usd_of(const struct training_option *option, const struct offer_quote *quote)
{
	return supply_is_by_slice(&option->accelerator) ? quote->offer.usd_per_gpu_hour : quote->usd_per_needed_gpu_hour;
}

void resolve_reservations(const struct resolver *resolver, const struct training_input *input, struct training_plan *plan)
{
	static const enum term terms[RESERVATIONS_MAX] = {TERM_RESERVED_1Y, TERM_RESERVED_3Y};
	const struct training_option *option = &plan->recommended;
	double hours = option->wall_clock_hours, data_usd = given_or(option->cost.storage_usd, 0) + given_or(option->cost.egress_usd, 0);
	struct offer_quote by_use, reserved;

	plan->reservation_count = 0;
	if (!option->cost.has_offer || option->cost.offer.term == TERM_SPOT || !quote(resolver, input, option, TERM_ON_DEMAND, &by_use))
		return;
	for (size_t i = 0; i < RESERVATIONS_MAX; i++) {
		double paid_hours = cost_paid_hours(terms[i], hours, input->request.cadence_hours, false);

		if (!quote(resolver, input, option, terms[i], &reserved))
			continue;
		plan->reservations[plan->reservation_count++] = (struct reservation){.offer = reserved.offer,
			.on_demand_usd_per_gpu_hour = by_use.offer.usd_per_gpu_hour,
			.break_even_utilization = commitment_break_even_utilization(usd_of(option, &reserved), usd_of(option, &by_use)),
			.utilization = hours / paid_hours,
			.total_usd = usd_of(option, &reserved) * option->gpu_hours * paid_hours / hours + data_usd};
	}
}
