/* Cost, energy, carbon and water of accelerators held for hours: one set of hours behind all of them.
 *
 * The training and serving planners and POST /v1/estimates/carbon call these. Equations E60-E69. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_H
#define FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_H

#include "planner/training/training.h"

/* Accelerators held for some hours, and how hard they work in them. */
struct usage {
	const struct accelerator *accelerator;
	const struct calibration *calibration; /* NULL: none */
	double gpu_count, node_count;
	double hours; /* held, failures and restarts included */
	double busy_fraction; /* of the hours in which they compute; the rest is idle power */
	double compute_utilization; /* 0..1, of the dense peak, while busy (hfu) */
	double memory_utilization; /* 0..1, of the bandwidth, while busy */
	double host_power_fraction; /* of accelerator power; absent: cited default (E63) */
};

struct footprint {
	struct energy energy;
	struct carbon carbon;
	double water_l;
	struct interval total_kwh, total_kgco2e; /* from power, PUE, grid and embodied spreads */
	double embodied_low_kgco2e, embodied_high_kgco2e;
};

/* Energy (idle + load, host share, PUE once), carbon (location-based; market and marginal where known; embodied
 * amortised), water. Assumptions made on the way are noted in `findings` (may be NULL). All inputs finite. */
void footprint_of_usage(
	const struct usage *usage, const struct site *site, struct footprint *footprint, struct findings *findings);

#endif
