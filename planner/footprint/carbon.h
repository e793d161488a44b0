/* Carbon: operational by three ways of counting, never summed, and embodied as a range (E64, E65). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_CARBON_H
#define FLEETPLAN_PLANNER_FOOTPRINT_CARBON_H

#include "planner/footprint/footprint.h"

/* Embodied carbon that hours of use are charged with. */
struct embodied {
	double kgco2e, low_kgco2e, high_kgco2e; /* of the usage */
	double log_sigma;
	struct figure device, node, life_years, used_fraction; /* what it rests upon */
};

/* Makes absent members of a site present: world averages, each noted in `findings` (may be NULL) with its source. */
void site_complete(struct site *site, struct findings *findings);

/* E64. Given: facility kWh (>= 0); a complete site. Returned: kgCO2e location-based (the operational figure); market-based
 * and marginal where the site knows them, else absent; total = operational + embodied. */
struct carbon carbon_of_energy(double facility_kwh, const struct site *site, double embodied_kgco2e);

/* E65. Carbon of making an accelerator of this memory and these dies, over that of an H100; what is absent is as there. */
double embodied_scale(const struct accelerator *accelerator);

/* E65. Embodied carbon of one accelerator, kgCO2e: central value, and the published range around it. Where the catalogue
 * has neither NVIDIA's nor Boavizta's figure, NVIDIA's H100 is scaled by memory and die. */
double embodied_accelerator_kgco2e(
	const struct accelerator *accelerator, double *low, double *high, const char **source);

/* E65. (accelerators x device + nodes x server) x hours / (life x expected use of it). */
void embodied_of_usage(const struct usage *usage, struct embodied *embodied, struct findings *findings);

/* Standard deviation of the logarithm of the grid's intensity: as the site states its range, else as two books of one grid differ (E64). */
double carbon_grid_log_sigma(const struct site *site);

#endif
