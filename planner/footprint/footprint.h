/* Energy, carbon and water of accelerators that are in use for some hours. All figures follow from the same hours.
 *
 * The training and serving planners and POST /v1/estimates/carbon call these functions. Equations E60-E69. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_H
#define FLEETPLAN_PLANNER_FOOTPRINT_FOOTPRINT_H

#include "planner/interval.h"
#include "planner/plan/bill.h"

/* Accelerators, their hours, and their utilization in these hours. */
struct usage {
	const struct accelerator *accelerator;
	const struct calibration *calibration; /* NULL: none */
	double gpu_count, node_count;
	double hours;                            /* failures and restarts included */
	double busy_fraction;                    /* fraction of the hours in which they compute; they idle in the rest */
	double compute_utilization;              /* 0..1, of the dense peak, while busy (hfu) */
	double memory_utilization;               /* 0..1, of the bandwidth, while busy */
	double host_power_fraction;              /* of accelerator power; absent: the value of `hardware`, else the cited default (E63) */
	const struct hardware_request *hardware; /* figures of the machines that the request gives; NULL: none */
};

/* E108. Standard deviations of the logarithms of a footprint's figures, from the spread of power, host, PUE, grid,
 * hardware and its life, as far as a figure depends on them. The spread of the hours is not included: the caller adds
 * it (interval_of_product()). */
struct footprint_spread {
	double mean_gpu_w, it_kwh, total_kwh, operational_kgco2e, market_kgco2e, marginal_kgco2e, embodied_kgco2e, total_kgco2e, water_l;
};

struct footprint {
	struct energy energy;
	struct carbon carbon;
	double water_l;
	struct interval total_kwh, total_kgco2e; /* from the spreads of power, host, PUE, grid and embodied carbon */
	double embodied_low_kgco2e, embodied_high_kgco2e;
	struct footprint_spread spread;
	const char *power_source; /* source of the measured load power; NULL: the power was not measured */
};

/* Computes the footprint of a usage: energy (E60, E63), carbon (E64, E65, E109), water (E66) and their spreads (E108).
 * Notes assumptions in `findings` (may be NULL). hours, gpu_count and node_count must be finite. */
void footprint_of_usage(const struct usage *usage, const struct site *site, struct footprint *footprint, struct findings *findings);

/* Appends the inputs of a footprint to `inputs`, each with its range, source and status: grid (market and marginal
 * where known), PUE, WUE, EWIF, idle and load power, the power model, the host's share, embodied carbon of accelerator
 * and node, life, and the fraction of the life in use. */
void footprint_inputs(const struct usage *usage, const struct site *site, struct figures *inputs);

/* Warns if some or all hours of a run with a start time are not counted by the hour, and says why. */
void footprint_warn_of_hours(const struct site *site, const struct carbon *carbon, struct findings *findings);

/* E108. Appends the provenance of an option's `energy`, `carbon` and `water_l`, each with its range. hours: spread of
 * the hours. Leaves out absent figures. */
void footprint_provenance(
	const struct footprint *footprint, const struct site *site, struct spread hours, struct provenance *list, size_t *count);

#endif
