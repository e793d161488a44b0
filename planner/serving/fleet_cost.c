#include "planner/serving/fleet_cost.h"

#include "base/units.h"
#include "planner/footprint/carbon.h"
#include "planner/footprint/energy.h"
#include "planner/footprint/supply.h"
#include "planner/serving/autoscaling.h"
#include "planner/serving/mix.h"

static const double grams_per_kg = 1000;

const struct accelerator *fleet_board(const struct fleet *fleet)
{
	return fleet->candidate->slice ? fleet->candidate->board : &fleet->candidate->accelerator;
}

struct candidate fleet_candidate(const struct fleet *fleet)
{
	struct candidate chosen = *fleet->candidate;

	if (fleet->supply) {
		chosen.offer = fleet->supply->offer;
		chosen.site = fleet->supply->site;
	}
	return chosen;
}

double spot_hours_factor(double interruptions_per_gpu_hour, double gpus_per_replica, double startup_s)
{
	return 1 + interruptions_per_gpu_hour * gpus_per_replica * startup_s / SECONDS_PER_HOUR;
}

/* E60. Turns the point of a slice into that of its board. A board is busy while any of its slices is; its utilisation
 * is then the sum over the busy slices. */
static void board_of_slices(struct operating_point *point, const struct mig_slice *slice)
{
	double slices = (double)slice->per_board, idle = pow(1 - fmin(point->busy_fraction, 1), slices);
	double busy_slices = idle < 1 ? slices * point->busy_fraction / (1 - idle) : 0;

	point->compute_utilization *= busy_slices * slice->compute_share;
	point->memory_utilization *= busy_slices * slice->bandwidth_share;
	point->busy_fraction = 1 - idle;
}

static double working_gpus(const struct fleet *fleet)
{
	return (double)(fleet->candidate->slice ? fleet->gpu_count : fleet->replicas * fleet->gpus_per_replica);
}

static bool by_offer(const struct candidate *had, const struct fleet_limits *limits)
{
	return cost_is_by_offer(limits->pricing, had);
}

/* Returns the accelerators that are paid at the candidate's offer. All of them draw power. */
static int64_t paid_of(const struct candidate *had, const struct fleet_limits *limits, const struct fleet *fleet)
{
	return by_offer(had, limits) ? supply_paid_count(had, fleet->gpu_count) : fleet->gpu_count;
}

/* Returns the number of nodes. A node that is rented in parts counts by its part. */
static double nodes_of(const struct candidate *had, const struct fleet_limits *limits, int64_t paid)
{
	int64_t node = had->gpus_per_node > 0 ? had->gpus_per_node : 8;
	double nodes = (double)paid / (double)node;

	return by_offer(had, limits) && had->offer.gpus < node ? nodes : ceil(nodes);
}

/* Returns the usage of the paid accelerators. Those outside replicas stay idle, and so does the rest of whole
 * instances. They enter as a smaller busy fraction, because power is linear in the busy time. */
static struct usage usage_at(const struct fleet *fleet, const struct replica *replica, const struct demand *demand,
	const struct fleet_limits *limits, const struct fleet_cost *costs, double requests_per_s, double hours)
{
	struct operating_point point;

	operating_open(replica, &demand->shape, requests_per_s / (double)fleet->replicas, &point);
	if (fleet->candidate->slice)
		board_of_slices(&point, fleet->candidate->slice);
	return (struct usage){.accelerator = fleet_board(fleet),
		.calibration = &fleet->candidate->calibration,
		.gpu_count = (double)costs->gpus_paid,
		.node_count = costs->node_count,
		.hours = hours,
		.busy_fraction = point.busy_fraction * fmin(working_gpus(fleet) / (double)costs->gpus_paid, 1),
		.compute_utilization = point.compute_utilization,
		.memory_utilization = point.memory_utilization,
		.host_power_fraction = ABSENT_NUMBER,
		.hardware = limits->request ? &limits->request->common.hardware : NULL};
}

static void interval_add(struct interval *sum, const struct interval *part)
{
	sum->p10 += part->p10;
	sum->p50 += part->p50;
	sum->p90 += part->p90;
}

/* Adds a footprint to a sum. Hours share their uncertainties, so the ends of their intervals add up. */
static void footprint_add(struct footprint *sum, const struct footprint *part)
{
	sum->energy.total_kwh += part->energy.total_kwh;
	sum->energy.it_kwh += part->energy.it_kwh;
	sum->carbon.operational_kgco2e += part->carbon.operational_kgco2e;
	sum->carbon.market_kgco2e += part->carbon.market_kgco2e;
	sum->carbon.marginal_kgco2e += part->carbon.marginal_kgco2e;
	sum->carbon.embodied_kgco2e += part->carbon.embodied_kgco2e;
	sum->carbon.total_kgco2e += part->carbon.total_kgco2e;
	sum->carbon.embodied_low_kgco2e += part->carbon.embodied_low_kgco2e;
	sum->carbon.embodied_high_kgco2e += part->carbon.embodied_high_kgco2e;
	sum->water_l += part->water_l;
	sum->embodied_low_kgco2e += part->embodied_low_kgco2e;
	sum->embodied_high_kgco2e += part->embodied_high_kgco2e;
	interval_add(&sum->total_kwh, &part->total_kwh);
	interval_add(&sum->total_kgco2e, &part->total_kgco2e);
}

/* E115. Returns the site with the grid's intensity at an hour of the clock, where the series has that hour. */
static struct site site_at(const struct site *site, const struct demand *demand, size_t hour)
{
	struct site there = *site;

	there.hours.count = 0; /* the series would count from the start of a run; a service has no end */
	if (demand->grid && is_given(demand->grid->gco2e_per_kwh[hour]))
		there.grid_gco2e_per_kwh = demand->grid->gco2e_per_kwh[hour];
	return there;
}

size_t fleet_hour_count(const struct demand *demand)
{
	return demand->hour_count > 0 ? demand->hour_count : demand->grid ? demand->grid->count : 0;
}

static double hour_requests_per_s(const struct fleet *fleet, const struct demand *demand, size_t hour)
{
	return fleet->requests_per_s * (demand->hour_count > 0 ? demand->hour_loads[hour] / demand->hour_peak : demand->mean_load);
}

static double host_factor(const struct usage *usage)
{
	struct energy_inputs inputs;

	energy_inputs(usage, &inputs);
	return 1 + inputs.host.value;
}

/* Fills means of the month after its hours are summed. */
static void month_fill(const struct site *site, const struct demand *demand, struct fleet_cost *costs)
{
	struct footprint *footprint = &costs->footprint;
	double gpu_hours = costs->usage.gpu_count * costs->usage.hours;

	footprint->energy.mean_gpu_w = footprint->energy.it_kwh * WATTS_PER_KW / host_factor(&costs->usage) / gpu_hours;
	footprint->carbon.gco2e_per_gpu_hour = footprint->carbon.total_kgco2e * grams_per_kg / gpu_hours;
	footprint->carbon.grid_gco2e_per_kwh = footprint->energy.total_kwh > 0
		? footprint->carbon.operational_kgco2e * grams_per_kg / footprint->energy.total_kwh
		: site->grid_gco2e_per_kwh;
	footprint->carbon.hourly_fraction = demand->grid ? demand->grid->covered_fraction : ABSENT_NUMBER;
}

/* Fills the footprint, hour by hour of the clock, or at the mean load. Without a daily profile every hour has the mean
 * load and its power. */
static void footprint_fill(const struct fleet *fleet, const struct replica *replica, const struct demand *demand,
	const struct fleet_limits *limits, const struct site *site, struct fleet_cost *costs, struct findings *findings)
{
	size_t count = fleet_hour_count(demand);
	double hours = HOURS_PER_MONTH / (double)count;
	struct footprint_spread spread;
	struct site alike = *site;

	alike.hours.count = 0;
	costs->usage = usage_at(fleet, replica, demand, limits, costs, fleet->requests_per_s * demand->mean_load, HOURS_PER_MONTH);
	footprint_of_usage(&costs->usage, &alike, &costs->footprint, findings);
	spread = costs->footprint.spread;
	for (size_t i = 0; i < count; i++) {
		struct usage usage = demand->hour_count > 0
			? usage_at(fleet, replica, demand, limits, costs, hour_requests_per_s(fleet, demand, i), hours)
			: costs->usage;
		struct site there = site_at(site, demand, i);
		struct footprint footprint;

		usage.hours = hours;
		footprint_of_usage(&usage, &there, &footprint, NULL);
		if (i == 0)
			costs->footprint = footprint;
		else
			footprint_add(&costs->footprint, &footprint);
	}
	costs->footprint.spread = spread;
	month_fill(site, demand, costs);
}

void fleet_hours(const struct fleet *fleet, const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits,
	struct service_hour *list)
{
	const struct candidate had = fleet_candidate(fleet);
	size_t count = fleet_hour_count(demand);

	for (size_t i = 0; i < count; i++) {
		struct fleet_cost costs;

		list[i] = (struct service_hour){.hour = (int64_t)i, .requests_per_s = hour_requests_per_s(fleet, demand, i)};
		fleet_cost_of_hour(fleet, replica, demand, limits, i, list[i].requests_per_s, HOURS_PER_MONTH / (double)count, &costs);
		list[i].kwh_per_month = costs.footprint.energy.total_kwh;
		list[i].grid_gco2e_per_kwh = site_at(&had.site, demand, i).grid_gco2e_per_kwh;
		list[i].operational_kgco2e_per_month = costs.footprint.carbon.operational_kgco2e;
	}
}

static double spot_factor(
	const struct fleet *fleet, const struct replica *replica, const struct fleet_limits *limits, const struct offer *offer)
{
	if (offer->term != TERM_SPOT || !limits->request)
		return 1;
	return spot_hours_factor(given_or(limits->pricing->spot_interruptions_per_gpu_hour, 0), (double)fleet->gpus_per_replica,
		autoscaling_startup_s(limits->request, replica));
}

static void price_fill(const struct fleet *fleet, const struct replica *replica, const struct demand *demand,
	const struct fleet_limits *limits, const struct candidate *had, struct fleet_cost *costs, struct findings *findings)
{
	double facility_w = costs->footprint.energy.total_kwh / costs->usage.hours / (double)fleet->gpu_count * WATTS_PER_KW;
	struct gpu_price *price = &costs->price;
	struct data_cost data = cost_of_serving_data(
		limits->pricing, replica->memory.weights_bytes * replica->gpus, costs->requests_per_month * demand->shape.output_tokens, findings);

	costs->storage_usd_per_month = data.storage_usd;
	costs->egress_usd_per_month = data.egress_usd;
	costs->usd_per_hour = costs->accelerators_usd_per_month = ABSENT_NUMBER;
	costs->price_known = cost_gpu_price(limits->pricing, had, fleet->gpu_count, facility_w, price, findings);
	if (!costs->price_known)
		return;
	if (price->has_offer) {
		double factor = spot_factor(fleet, replica, limits, &had->offer);

		price->usd_per_gpu_hour *= factor;
		price->low_usd_per_gpu_hour *= factor;
		price->high_usd_per_gpu_hour *= factor;
	}
	costs->accelerators_usd_per_month = price->usd_per_gpu_hour * (double)fleet->gpu_count * HOURS_PER_MONTH;
	costs->usd_per_hour = price->usd_per_gpu_hour * (double)fleet->gpu_count +
		(given_or(data.storage_usd, 0) + given_or(data.egress_usd, 0)) / HOURS_PER_MONTH;
}

void fleet_cost(const struct fleet *fleet, const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits,
	struct fleet_cost *costs, struct findings *findings)
{
	const struct candidate had = fleet_candidate(fleet);

	*costs = (struct fleet_cost){.requests_per_month = fleet->requests_per_s * demand->mean_load * SECONDS_PER_HOUR * HOURS_PER_MONTH};
	costs->gpus_paid = paid_of(&had, limits, fleet);
	costs->node_count = nodes_of(&had, limits, costs->gpus_paid);
	footprint_fill(fleet, replica, demand, limits, &had.site, costs, findings);
	price_fill(fleet, replica, demand, limits, &had, costs, findings);
}

void fleet_cost_of_hour(const struct fleet *fleet, const struct replica *replica, const struct demand *demand,
	const struct fleet_limits *limits, size_t hour, double requests_per_s, double hours, struct fleet_cost *costs)
{
	const struct candidate had = fleet_candidate(fleet);
	struct site there = site_at(&had.site, demand, hour);

	*costs = (struct fleet_cost){.requests_per_month = requests_per_s * SECONDS_PER_HOUR * hours, .gpus_paid = paid_of(&had, limits, fleet)};
	costs->node_count = nodes_of(&had, limits, costs->gpus_paid);
	costs->usage = usage_at(fleet, replica, demand, limits, costs, requests_per_s, hours);
	footprint_of_usage(&costs->usage, &there, &costs->footprint, NULL);
	price_fill(fleet, replica, demand, limits, &had, costs, NULL);
}

double fleet_place_excess(const struct fleet_limits *limits, const struct fleet_place *place)
{
	double excess = 0, z = limits->assurance.z;

	if (is_given(limits->usd_cap_per_month))
		excess = given_or(place->usd_per_hour, HUGE_VAL) * HOURS_PER_MONTH * exp(z * place->usd_log_sigma) / limits->usd_cap_per_month;
	if (is_given(limits->kgco2e_cap_per_month))
		excess = fmax(excess, place->kgco2e_per_month * exp(z * place->kgco2e_log_sigma) / limits->kgco2e_cap_per_month);
	if (is_given(limits->kwh_cap_per_month))
		excess = fmax(excess, place->kwh_per_month * exp(z * place->kwh_log_sigma) / limits->kwh_cap_per_month);
	return excess;
}

bool fleet_place_is_allowed(const struct fleet_limits *limits, const struct fleet_place *place)
{
	return fleet_place_excess(limits, place) <= 1;
}

struct fleet_place fleet_place_of(const struct fleet *fleet)
{
	return (struct fleet_place){fleet->supply, fleet->usd_per_hour, fleet->kwh_per_month, fleet->kgco2e_per_month, fleet->usd_log_sigma,
		fleet->kwh_log_sigma, fleet->kgco2e_log_sigma};
}

static struct usage idle_usage(const struct fleet *fleet, const struct fleet_limits *limits, int64_t count)
{
	return (struct usage){.accelerator = fleet_board(fleet),
		.calibration = &fleet->candidate->calibration,
		.gpu_count = (double)count,
		.hours = HOURS_PER_MONTH,
		.host_power_fraction = ABSENT_NUMBER,
		.hardware = limits->request ? &limits->request->common.hardware : NULL};
}

/* Returns the energy of idle accelerators in a month, IT kWh. */
static double idle_kwh(const struct fleet *fleet, const struct fleet_limits *limits, double count)
{
	struct usage idle = idle_usage(fleet, limits, 1);

	return count * energy_mean_gpu_w(&idle) * host_factor(&idle) * HOURS_PER_MONTH / WATTS_PER_KW;
}

static bool is_capped(const struct fleet_limits *limits)
{
	return is_given(limits->usd_cap_per_month) || is_given(limits->kgco2e_cap_per_month) || is_given(limits->kwh_cap_per_month);
}

/* E108. Fills the spreads of cost, energy and carbon at an offer. The number of accelerators is decided; price, power
 * and grid are uncertain. */
static void place_sigmas(const struct fleet *fleet, const struct fleet_limits *limits, const struct candidate *had, double embodied_kgco2e,
	double embodied_log_sigma, struct fleet_place *place)
{
	const struct site *site = &had->site;
	double pue = interval_log_sigma(given_or(site->pue_low, site->pue), given_or(site->pue_high, site->pue));
	double facility_w = place->kwh_per_month / HOURS_PER_MONTH / (double)fleet->gpu_count * WATTS_PER_KW;
	double operational = place->kgco2e_per_month > 0 ? 1 - embodied_kgco2e / place->kgco2e_per_month : 1;
	struct gpu_price price;

	place->kwh_log_sigma = interval_joint_sigma(fleet->it_log_sigma, pue);
	place->kgco2e_log_sigma = interval_joint_sigma(
		operational * interval_joint_sigma(place->kwh_log_sigma, carbon_grid_log_sigma(site)), (1 - operational) * embodied_log_sigma);
	if (is_given(place->usd_per_hour) && cost_gpu_price(limits->pricing, had, fleet->gpu_count, facility_w, &price, NULL))
		place->usd_log_sigma = (1 - fleet->data_usd_per_hour / place->usd_per_hour) *
			interval_log_sigma(price.low_usd_per_gpu_hour, price.high_usd_per_gpu_hour);
}

/* Returns the fleet at an offer. Its accelerators use the same IT energy at every offer. The idle rest of whole
 * instances, PUE and the grid differ. */
static struct fleet_place place_of(const struct fleet *fleet, const struct fleet_limits *limits, const struct supply *supply)
{
	struct fleet_place place = {.supply = supply, .usd_per_hour = fleet->usd_per_hour};
	struct fleet there = *fleet;
	struct candidate had;
	struct embodied embodied;
	struct usage all;
	double rest_kwh, grid;

	there.supply = supply;
	had = fleet_candidate(&there);
	site_complete(&had.site, NULL);
	all = idle_usage(fleet, limits, paid_of(&had, limits, fleet));
	all.node_count = nodes_of(&had, limits, paid_of(&had, limits, fleet));
	embodied_of_usage(&all, &embodied, NULL);
	rest_kwh = idle_kwh(fleet, limits, all.gpu_count - (double)fleet->gpu_count);
	grid = had.site.grid_gco2e_per_kwh;
	place.kwh_per_month = (fleet->it_kwh_per_month + rest_kwh) * had.site.pue;
	place.kgco2e_per_month = embodied.kgco2e +
		had.site.pue / grams_per_kg *
			(fleet->it_kwh_per_month * given_or(fleet->grid_gco2e_per_kwh, grid) + rest_kwh * given_or(fleet->rest_grid_gco2e_per_kwh, grid));
	if (supply)
		place.usd_per_hour = fleet->data_usd_per_hour +
			supply_usd_per_hour(&fleet->candidate->accelerator, &supply->offer, fleet->gpu_count) *
				(supply->offer.term == TERM_SPOT ? fleet->spot_factor : 1);
	if (is_capped(limits))
		place_sigmas(fleet, limits, &had, embodied.kgco2e, embodied.log_sigma, &place);
	return place;
}

size_t fleet_places(const struct fleet *fleet, const struct fleet_limits *limits, struct fleet_place *places, size_t most)
{
	const struct candidate *candidate = fleet->candidate;
	bool offered = by_offer(candidate, limits);
	size_t count = 0;

	for (size_t i = 0; offered && i < candidate->supply_count && count < most; i++)
		if (supply_suits(candidate, fleet->gpus_per_replica, &candidate->supplies[i].offer))
			places[count++] = place_of(fleet, limits, &candidate->supplies[i]);
	if (count == 0)
		places[count++] = place_of(fleet, limits, NULL);
	return count;
}

static double place_rank(const struct fleet_place *place, enum objective objective)
{
	switch (objective) {
	case OBJECTIVE_ENERGY:
		return place->kwh_per_month;
	case OBJECTIVE_CARBON:
		return place->kgco2e_per_month;
	case OBJECTIVE_UNSET:
	case OBJECTIVE_COST:
	case OBJECTIVE_TIME:
	case OBJECTIVE_GPUS:
		break;
	}
	return given_or(place->usd_per_hour, HUGE_VAL);
}

static bool place_is_better(const struct fleet_limits *limits, const struct fleet_place *a, const struct fleet_place *b)
{
	double a_excess = fmax(fleet_place_excess(limits, a), 1), b_excess = fmax(fleet_place_excess(limits, b), 1);
	double a_rank = place_rank(a, limits->objective), b_rank = place_rank(b, limits->objective);

	if (a_excess < b_excess || a_excess > b_excess)
		return a_excess < b_excess;
	if (a_rank < b_rank || a_rank > b_rank)
		return a_rank < b_rank;
	if (a->usd_per_hour < b->usd_per_hour || a->usd_per_hour > b->usd_per_hour)
		return a->usd_per_hour < b->usd_per_hour;
	return a->kgco2e_per_month < b->kgco2e_per_month;
}

/* Fills the energy and the grid's intensity of the fleet's own accelerators, without the rest of whole instances, which
 * is idle in all hours alike. */
static void split_rest(struct fleet *fleet, const struct demand *demand, const struct fleet_limits *limits, const struct fleet_cost *costs)
{
	const struct footprint *footprint = &costs->footprint;
	double rest_kwh = idle_kwh(fleet, limits, (double)(costs->gpus_paid - fleet->gpu_count)), grid = 0;
	struct site site = fleet->candidate->site;
	size_t count = fleet_hour_count(demand);

	fleet->it_kwh_per_month = footprint->energy.it_kwh - rest_kwh;
	fleet->grid_gco2e_per_kwh = fleet->rest_grid_gco2e_per_kwh = ABSENT_NUMBER;
	if (!demand->grid)
		return;
	site_complete(&site, NULL);
	for (size_t i = 0; i < count; i++)
		grid += site_at(&site, demand, i).grid_gco2e_per_kwh / (double)count;
	fleet->rest_grid_gco2e_per_kwh = grid;
	fleet->grid_gco2e_per_kwh = (footprint->carbon.operational_kgco2e * grams_per_kg / site.pue - rest_kwh * grid) / fleet->it_kwh_per_month;
}

void fleet_value(struct fleet *fleet, const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits)
{
	struct fleet_place places[SUPPLIES_MOST], best;
	struct fleet_cost costs;
	size_t count;

	fleet->supply = NULL;
	fleet_cost(fleet, replica, demand, limits, &costs, NULL);
	fleet->usd_per_hour = costs.usd_per_hour;
	fleet->it_log_sigma = costs.footprint.spread.it_kwh;
	split_rest(fleet, demand, limits, &costs);
	fleet->data_usd_per_hour = (given_or(costs.storage_usd_per_month, 0) + given_or(costs.egress_usd_per_month, 0)) / HOURS_PER_MONTH;
	fleet->spot_factor = spot_factor(fleet, replica, limits, &(struct offer){.term = TERM_SPOT});
	count = fleet_places(fleet, limits, places, COUNT_OF(places));
	for (size_t i = 0; limits->mixes && i < count; i++)
		if (places[i].supply)
			places[i].usd_per_hour = fleet->data_usd_per_hour +
				given_or(mix_usd_per_hour(fleet, demand, limits, places[i].supply), places[i].usd_per_hour - fleet->data_usd_per_hour);
	best = places[0];
	for (size_t i = 1; i < count; i++)
		if (place_is_better(limits, &places[i], &best))
			best = places[i];
	fleet->supply = best.supply;
	fleet->usd_per_hour = best.usd_per_hour;
	fleet->kgco2e_per_month = best.kgco2e_per_month;
	fleet->kwh_per_month = best.kwh_per_month;
	fleet->usd_log_sigma = best.usd_log_sigma;
	fleet->kwh_log_sigma = best.kwh_log_sigma;
	fleet->kgco2e_log_sigma = best.kgco2e_log_sigma;
}
