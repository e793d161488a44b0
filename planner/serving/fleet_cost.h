/* What a fleet costs, draws and emits, and from which offer it is had (E60-E68, E113, E116).
 *
 * A month of the peak's fleet, all replicas running: those that carry the load, spare ones, and what headroom leaves idle. Power is
 * that of every hour's load where a daily profile says what it is, not that of the mean load. */
#ifndef FLEETPLAN_PLANNER_SERVING_FLEET_COST_H
#define FLEETPLAN_PLANNER_SERVING_FLEET_COST_H

#include "planner/serving/serving_fleet.h"

struct fleet_cost {
	struct gpu_price price; /* of one accelerator; of a spot offer with the hours that interruptions cost (E116) */
	bool price_known;
	double usd_per_hour; /* accelerators, storage and egress; absent: no price is known */
	double accelerators_usd_per_month;
	double storage_usd_per_month, egress_usd_per_month; /* E113; absent: not counted */
	struct footprint footprint; /* of a month */
	struct usage usage;         /* of a month at the mean load */
	double requests_per_month;
	int64_t gpus_paid; /* accelerators of whole instances; those beyond gpu_count idle */
	double node_count; /* of a node that is rented in parts its part */
};

/* What is had and powered: the accelerator, of a slice its board. */
const struct accelerator *fleet_board(const struct fleet *fleet);

/* The fleet's candidate with the offer and the site where it is had. */
struct candidate fleet_candidate(const struct fleet *fleet);

/* Cost and footprint of a sized fleet where it is had. findings may be NULL. */
void fleet_cost(const struct fleet *fleet, const struct replica *replica, const struct demand *demand,
	const struct fleet_limits *limits, struct fleet_cost *costs, struct findings *findings);

/* The same of one hour of the clock, which lasts so many of the month's hours, at a load of its own. */
void fleet_cost_of_hour(const struct fleet *fleet, const struct replica *replica, const struct demand *demand,
	const struct fleet_limits *limits, size_t hour, double requests_per_s, double hours, struct fleet_cost *costs);

/* E115. Hours of the clock by which a month counts: those of the profile; 24 where only the grid is known by the hour; else 0. Of each its
 * load, energy, grid and carbon, which sum up to the month's. */
size_t fleet_hour_count(const struct demand *demand);
void fleet_hours(const struct fleet *fleet, const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits,
	struct service_hour *list);

/* A fleet at one of its candidate's offers. */
struct fleet_place {
	const struct supply *supply; /* NULL: the candidate's own offer and site */
	double usd_per_hour, kwh_per_month, kgco2e_per_month; /* usd_per_hour absent: no price known */
	double usd_log_sigma, kwh_log_sigma, kgco2e_log_sigma; /* 0 where no cap asks for them */
};

/* All that its accelerators can be had from; returns how many, at most `most` (>= 1). The fleet is valued already. */
size_t fleet_places(const struct fleet *fleet, const struct fleet_limits *limits, struct fleet_place *places, size_t most);

/* How far above its caps of a month it is: the largest of figure / cap, 0 without caps. One on money is not kept where no price is known.
 * The figures are those that are not exceeded with the request's confidence (E137). */
double fleet_place_excess(const struct fleet_limits *limits, const struct fleet_place *place);

/* Whether it is within them. */
bool fleet_place_is_allowed(const struct fleet_limits *limits, const struct fleet_place *place);

/* A valued fleet where it is had. */
struct fleet_place fleet_place_of(const struct fleet *fleet);

/* Of a fleet whose size is settled: the offer that suits the objective best of those within the caps (or, where none is, of all), and
 * usd_per_hour, kgco2e_per_month and kwh_per_month there. */
void fleet_value(struct fleet *fleet, const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits);

/* E116. Accelerator-hours over those that serve, where replicas are taken away and started again: 1 and more. Given: interruptions an
 * accelerator-hour (>= 0), accelerators of a replica, seconds until another one serves. */
double spot_hours_factor(double interruptions_per_gpu_hour, double gpus_per_replica, double startup_s);

#endif
