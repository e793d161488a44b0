/* Cost, energy, carbon and water of accelerators held for hours: one set of hours behind all of them.
 *
 * The training and serving planners and POST /v1/estimates/carbon call these. Equations E60-E69. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_H
#define FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_H

#include "planner/interval.h"
#include "planner/plan/bill.h"

/* Accelerators held for some hours, and how hard they work in them. */
struct usage {
	const struct accelerator *accelerator;
	const struct calibration *calibration; /* NULL: none */
	double gpu_count, node_count;
	double hours; /* held, failures and restarts included */
	double busy_fraction; /* of the hours in which they compute; the rest is idle power */
	double compute_utilization; /* 0..1, of the dense peak, while busy (hfu) */
	double memory_utilization; /* 0..1, of the bandwidth, while busy */
	double host_power_fraction; /* of accelerator power; absent: that of `hardware`, else the cited default (E63) */
	const struct hardware_request *hardware; /* what the request says of the machines; NULL: nothing */
};

/* E108. Standard deviations of the logarithms of a footprint's figures: power, host, PUE, grid, hardware and its life, each as far as the
 * figure depends on it. The hours' own is not in them: whoever knows it adds it (interval_of_product()). */
struct footprint_spread {
	double mean_gpu_w, it_kwh, total_kwh, operational_kgco2e, market_kgco2e, marginal_kgco2e, embodied_kgco2e, total_kgco2e, water_l;
};

struct footprint {
	struct energy energy;
	struct carbon carbon;
	double water_l;
	struct interval total_kwh, total_kgco2e; /* from power, PUE, grid and embodied spreads */
	double embodied_low_kgco2e, embodied_high_kgco2e;
	struct footprint_spread spread;
	const char *power_source; /* of the measured power that stands for the catalogue's; NULL: none was measured */
};

/* Energy (idle + load, host share, PUE once), carbon (location-based; market and marginal where known; embodied
 * amortised), water. Assumptions made on the way are noted in `findings` (may be NULL). All inputs finite. */
void footprint_of_usage(
	const struct usage *usage, const struct site *site, struct footprint *footprint, struct findings *findings);

/* The inputs that a footprint rests upon, each with its range, source and status: grid (market and marginal where known), PUE, WUE, EWIF,
 * idle and load power, the host's share, embodied carbon of accelerator and node, life and use. Appends to `inputs`. */
void footprint_inputs(const struct usage *usage, const struct site *site, struct figures *inputs);

/* Says what of a run that has a beginning is not counted by the hour, and why. */
void footprint_warn_of_hours(const struct site *site, const struct carbon *carbon, struct findings *findings);

/* Where `energy`, `carbon` and `water_l` of an option come from, each with its range (E108). hours: spread of the hours. Appends;
 * figures that are absent are left out. */
void footprint_provenance(const struct footprint *footprint, const struct site *site, struct spread hours, struct provenance *list, size_t *count);

#endif
