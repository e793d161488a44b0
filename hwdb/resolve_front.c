/* E107: the options of a plan at every offer that they can be had from. */
#include <string.h>

#include "hwdb/resolve_parts.h"
#include "planner/footprint/carbon.h"
#include "planner/footprint/front.h"
#include "planner/footprint/supply.h"

enum { POINTS_MAX = 4096 };

struct front {
	const struct resolver *resolver;
	const struct training_input *input;
	struct front_point *points;
	size_t count;
};

static const double grams_per_kg = 1000;

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_offer(const struct offer *a, const struct offer *b)
{
	return a->term == b->term && same_text(a->provider, b->provider) && same_text(a->instance_type, b->instance_type) &&
		   same_text(a->region, b->region);
}

/* Interruptions change the hours; what works together stays on one instance. */
static bool is_alternative(const struct training_option *option, const struct offer *offer)
{
	const struct offer *own = &option->cost.offer;

	return !same_offer(own, offer) && (own->term == TERM_SPOT) == (offer->term == TERM_SPOT) &&
		   (offer->gpus >= own->gpus || offer->gpus >= option->gpu_count);
}

static struct front_point point_of(const struct front *front, const struct training_option *option, const struct offer *offer,
	const struct region_row *region, double usd)
{
	const struct region_row *asked = NULL;
	struct site site;

	if (resolve_site_region(front->resolver, &front->input->request.common.site, &asked) != STATUS_OK)
		asked = NULL;
	resolve_site_at(front->resolver, &front->input->request.common.site, asked, region, offer, NULL, &site);
	site_complete(&site, NULL);
	return (struct front_point){
		.accelerator = option->accelerator.id,
		.gpu_count = option->gpu_count,
		.has_offer = true,
		.offer = *offer,
		.grid_gco2e_per_kwh = site.grid_gco2e_per_kwh,
		.pue = site.pue,
		.hours = option->wall_clock_hours,
		.usd = usd,
		.kgco2e = option->energy.it_kwh * site.pue * site.grid_gco2e_per_kwh / grams_per_kg + option->carbon.embodied_kgco2e,
	};
}

static void add(struct front *front, struct front_point point)
{
	if (front->count < POINTS_MAX)
		front->points[front->count++] = point;
}

/* The option as it is, and at every other offer that may be used for so many. */
static enum status add_option(struct front *front, const struct training_option *option)
{
	const struct request_common *common = &front->input->request.common;
	const struct accelerator_row *row = catalogue_accelerator(front->resolver->catalogue, option->accelerator.id, &(const char *){NULL});
	const struct offer_filter filter = {.pricing = &common->pricing, .provider = common->site.provider, .region = common->site.provider ? common->site.region : NULL,
		.now_us = front->resolver->now_us};
	double data_usd = given_or(option->cost.storage_usd, 0) + given_or(option->cost.egress_usd, 0);
	struct offer_quote_list quotes;
	enum status status;

	if (!option->cost.has_offer || !row)
		return STATUS_OK;
	status = offers_quote(front->resolver->catalogue, row, &filter, option->gpu_count, front->resolver->arena, &quotes, front->resolver->failure);
	for (size_t i = 0; status == STATUS_OK && i < quotes.count; i++) {
		const struct offer_quote *quote = &quotes.items[i];
		double usd_per_gpu_hour = supply_is_by_slice(&row->accelerator) ? quote->offer.usd_per_gpu_hour : quote->usd_per_needed_gpu_hour;

		if (same_offer(&option->cost.offer, &quote->offer))
			add(front, point_of(front, option, &quote->offer, quote->region, option->cost.total_usd));
		else if (is_alternative(option, &quote->offer))
			add(front, point_of(front, option, &quote->offer, quote->region, usd_per_gpu_hour * option->gpu_hours + data_usd));
	}
	return status;
}

enum status resolve_front(const struct resolver *resolver, const struct training_input *input, struct training_plan *plan)
{
	struct front front = {.resolver = resolver, .input = input};
	enum status status;

	plan->front_count = 0;
	if (!plan->recommended.cost.has_offer)
		return STATUS_OK;
	front.points = arena_alloc_uncleared(resolver->arena, POINTS_MAX * sizeof *front.points);
	if (!front.points)
		return STATUS_NO_MEMORY;
	status = add_option(&front, &plan->recommended);
	for (size_t i = 0; i < plan->alternative_count && status == STATUS_OK; i++)
		status = add_option(&front, &plan->alternatives[i]);
	if (status != STATUS_OK)
		return status;
	front.count = front_of_points(front.points, front.count, FRONT_POINTS_MAX);
	memcpy(plan->front, front.points, front.count * sizeof *front.points);
	plan->front_count = front.count;
	return STATUS_OK;
}
