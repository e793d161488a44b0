/* Energy of accelerators: idle and load power, the host's share, the building's overhead once (E60, E61, E63). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_ENERGY_H
#define FLEETPLAN_PLANNER_FOOTPRINT_ENERGY_H

#include "planner/footprint/footprint.h"

/* The host's power over that of its accelerators: central value and range (E63). */
#define HOST_POWER_FRACTION      0.3
#define HOST_POWER_FRACTION_LOW  0.2
#define HOST_POWER_FRACTION_HIGH 0.6

/* E60. What computing at all costs (clocks, schedulers, caches), and what matrix units and memory add at full rate: shares of
 * load - idle. Three numbers for every accelerator; ranges, and how far measured runs are from them, stand in docs/accuracy.md. */
#define POWER_CONSTANTS(X) \
	X(busy_share, 0.1, 0.7, "of load - idle, drawn while computing at all", "clocks, schedulers and caches: none but these runs") \
	X(compute_share, 0.6, 0.8, "of load - idle, that matrix units at the dense peak add", "held to training: an H100 at 0.4 of its peak draws 613 of 700 W") \
	X(memory_share, 0.2, 1, "of load - idle, that memory at full bandwidth adds", "none but these runs")

#define POWER_MEMBER(member_, least_, most_, meaning_, source_) double member_;
struct power_constants {
	POWER_CONSTANTS(POWER_MEMBER)
};
#undef POWER_MEMBER

extern const struct power_constants power_constants;

/* E60. How far between idle and full load the power stands while an accelerator computes.
 * Given: compute_utilization (0..1 of the dense peak), memory_utilization (0..1 of the bandwidth), averages while busy.
 * Returned: fraction of load - idle, 0..1. Valid: dense matrix work; values outside 0..1 are clamped. */
double energy_load_fraction(double compute_utilization, double memory_utilization);

/* E60. Mean power of one accelerator over the usage's hours, W: idle + (load - idle) x busy x load fraction. */
double energy_mean_gpu_w(const struct usage *usage);

/* E63. IT kWh = accelerators x mean W x (1 + host) x hours; facility kWh = IT x PUE (>= 1), once. */
void energy_of_usage(const struct usage *usage, double pue, struct energy *energy, struct findings *findings);

/* What the energy rests upon, each with its range: idle and load power (measured where a calibration has them), how far measured power is
 * from the model's (around 1), the host's share. */
struct energy_inputs {
	struct figure idle_w, load_w, model, host;
};
void energy_inputs(const struct usage *usage, struct energy_inputs *inputs);

/* Standard deviations of the logarithms of an accelerator's mean power (model and load), and of what the host adds to it. */
double energy_gpu_log_sigma(const struct energy_inputs *inputs);
double energy_host_log_sigma(const struct energy_inputs *inputs);

#endif
