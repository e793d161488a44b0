/* Cost, energy and carbon of a fleet, and the offer from which it is rented (E60-E68, E113, E116).
 *
 * All figures are of a month of the peak's fleet with all replicas running: those that carry the load, spare ones, and
 * those that headroom keeps idle. With a daily profile, power follows the load of each hour; else it is that of the
 * mean load. */
#ifndef FLEETPLAN_PLANNER_SERVING_FLEET_COST_H
#define FLEETPLAN_PLANNER_SERVING_FLEET_COST_H

#include "planner/serving/serving_fleet.h"

struct fleet_cost {
	struct gpu_price price; /* of one accelerator; a spot price includes the hours lost to interruptions (E116) */
	bool price_known;
	double usd_per_hour; /* accelerators, storage and egress; absent: no price is known */
	double accelerators_usd_per_month;
	double storage_usd_per_month, egress_usd_per_month; /* E113; absent: not counted */
	struct footprint footprint;                         /* of a month */
	struct usage usage;                                 /* of a month at the mean load */
	double requests_per_month;
	int64_t gpus_paid; /* accelerators of whole instances; those beyond gpu_count idle */
	double node_count; /* a node that is rented in parts counts by its part */
};

/* Returns the accelerator that is rented and powered: for a slice its board. */
const struct accelerator *fleet_board(const struct fleet *fleet);

/* Returns the fleet's candidate with the offer and the site that the fleet uses. */
struct candidate fleet_candidate(const struct fleet *fleet);

/* Computes cost and footprint of a sized fleet at its offer. findings may be NULL. */
void fleet_cost(const struct fleet *fleet, const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits,
	struct fleet_cost *costs, struct findings *findings);

/* Computes the same for one hour of the clock at its own load. `hours`: how many hours of the month it stands for. */
void fleet_cost_of_hour(const struct fleet *fleet, const struct replica *replica, const struct demand *demand,
	const struct fleet_limits *limits, size_t hour, double requests_per_s, double hours, struct fleet_cost *costs);

/* E115. Returns the number of clock hours of a month's account: those of the daily profile; without one those of the
 * grid's series (24); else 0. */
size_t fleet_hour_count(const struct demand *demand);

/* E115. Fills one row for each hour of the clock.
 * Given:    fleet: sized; replica: as it usually runs; demand; limits; list: of fleet_hour_count() rows.
 * Returned: list: load, energy, grid and operational carbon of each hour, which sum to those of the month.
 * Case:     tests/planner/test_serving_figures.c, hours_sum_up_to_the_month and
 *           hours_without_a_profile_are_the_grids. */
void fleet_hours(const struct fleet *fleet, const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits,
	struct service_hour *list);

/* A fleet at one of its candidate's offers. */
struct fleet_place {
	const struct supply *supply;                           /* NULL: the candidate's own offer and site */
	double usd_per_hour, kwh_per_month, kgco2e_per_month;  /* usd_per_hour absent: no price known */
	double usd_log_sigma, kwh_log_sigma, kgco2e_log_sigma; /* 0 where no cap asks for them */
};

/* Lists the offers from which the fleet can be rented. fleet_value() has been called. Returns the number of places, at
 * most `most` (>= 1). */
size_t fleet_places(const struct fleet *fleet, const struct fleet_limits *limits, struct fleet_place *places, size_t most);

/* E137. Compares a place with the caps of a month.
 * Returned: the largest of figure / cap; 0 without caps. The figures are those that are not exceeded with the request's
 *           confidence. A cap on money counts as exceeded where no price is known. */
double fleet_place_excess(const struct fleet_limits *limits, const struct fleet_place *place);

/* True if the place keeps all caps. */
bool fleet_place_is_allowed(const struct fleet_limits *limits, const struct fleet_place *place);

/* Returns the place of a fleet for which fleet_value() has been called. */
struct fleet_place fleet_place_of(const struct fleet *fleet);

/* Chooses the offer of a sized fleet: the best by the objective among those within the caps, or, if there is none, the
 * one that exceeds them least. Fills supply, usd_per_hour, kgco2e_per_month and kwh_per_month. */
void fleet_value(struct fleet *fleet, const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits);

/* E116. Computes paid accelerator-hours over serving ones where spot replicas are interrupted and started again.
 * Given:    interruptions_per_gpu_hour: per accelerator-hour (>= 0); gpus_per_replica: accelerators (>= 1); startup_s:
 *           until a new replica serves, s (>= 0).
 * Returned: 1 + interruptions_per_gpu_hour x gpus_per_replica x startup_s / 3600.
 * Case:     tests/planner/golden/serving.txt (E116). */
double spot_hours_factor(double interruptions_per_gpu_hour, double gpus_per_replica, double startup_s);

#endif
