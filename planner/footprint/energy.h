/* Energy of accelerators: idle and load power, the host's share, and the building's overhead, counted once (E60, E61,
 * E63). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_ENERGY_H
#define FLEETPLAN_PLANNER_FOOTPRINT_ENERGY_H

#include "planner/footprint/footprint.h"

/* The host's power over that of its accelerators: central value and range (E63). */
#define HOST_POWER_FRACTION      0.3
#define HOST_POWER_FRACTION_LOW  0.2
#define HOST_POWER_FRACTION_HIGH 0.6

/* E60. Parts of the power between idle and load: of computing at all (clocks, schedulers, caches), of the matrix units
 * and of the memory, each at its full rate. The same three numbers hold for every accelerator; docs/accuracy.md shows
 * their ranges and the distance to measured runs. */
#define POWER_CONSTANTS(X) \
	X(busy_share, 0.1, 0.7, "part of (load - idle) that an accelerator draws as soon as it computes", \
		"clocks, schedulers and caches; only the runs of the fit") \
	X(compute_share, 0.6, 0.8, "part of (load - idle) that the matrix units add at the dense peak", \
		"set to agree with training (decision 0042): an H100 at 0.4 of its peak draws 613 of 700 W") \
	X(memory_share, 0.2, 1, "part of (load - idle) that the memory adds at full bandwidth", "only the runs of the fit")

#define POWER_MEMBER(member_, least_, most_, meaning_, source_) double member_;
struct power_constants {
	POWER_CONSTANTS(POWER_MEMBER)
};
#undef POWER_MEMBER

extern const struct power_constants power_constants;

/* E60. Computes the power of a computing accelerator as a fraction of load - idle.
 *
 * Given:    compute_utilization  fraction of the dense peak while busy, 0..1
 *           memory_utilization   fraction of the bandwidth while busy, 0..1
 * Returned: min(1, 0.50 + 0.70 compute + 0.35 memory), 0..1; 0 if both are 0
 * Valid:    dense matrix work; values outside of 0..1 are clamped
 * Source:   fitted to 296 serving runs on H100 and B200, ML.ENERGY leaderboard 2026-02
 * Case:     tests/planner/golden/footprint.txt */
double energy_load_fraction(double compute_utilization, double memory_utilization);

/* E60. Computes the mean power of one accelerator over the usage's hours.
 *
 * Given:    usage  accelerator, calibration, busy_fraction 0..1, compute_utilization 0..1, memory_utilization 0..1
 * Returned: idle + (load - idle) x busy x energy_load_fraction(), W. Measured idle and load power replace the
 *             catalogue's. */
double energy_mean_gpu_w(const struct usage *usage);

/* E63. Computes the energy of a usage.
 *
 * Given:    usage     gpu_count, hours, and the members of E60; host_power_fraction (absent: of usage->hardware, else
 *             0.3)
 *           pue       power usage effectiveness of the building, >= 1
 *           findings  receives the assumptions; may be NULL
 * Returned: it_kwh = accelerators x mean W x (1 + host) x hours / 1000, kWh; total_kwh = it_kwh x PUE, kWh;
 *             mean_gpu_w, W; powered_gpu_hours, h
 * Source:   host: BoaviztAPI 0.33; Google 2025, Gemini: 25/58
 * Case:     tests/planner/golden/footprint.txt */
void energy_of_usage(const struct usage *usage, double pue, struct energy *energy, struct findings *findings);

/* The inputs of the energy, each with its range: idle and load power (measured, if the calibration has them), measured
 * over modelled power (around 1), and the host's share. */
struct energy_inputs {
	struct figure idle_w, load_w, model, host;
};
void energy_inputs(const struct usage *usage, struct energy_inputs *inputs);

/* Standard deviations of the logarithms of an accelerator's mean power (power model and load power), and of 1 + the
 * host's share. */
double energy_gpu_log_sigma(const struct energy_inputs *inputs);
double energy_host_log_sigma(const struct energy_inputs *inputs);

#endif
