/* An option of the answer, filled from a sized fleet; and the findings about it. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_OPTION_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_OPTION_H

#include "planner/serving/fleet_simulation.h"

/* Fills every member; what the fleet chose is noted in `findings` (NULL for alternatives). */
void option_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_option *option, struct findings *findings);

/* Intervals, provenance and inputs of an option whose figures are filled: each with how far it may be off, and why. */
struct fleet_cost;
void option_provenance(struct inference_option *option, const struct inference_input *input, const struct fleet *fleet,
	const struct demand *demand, const struct fleet_limits *limits, const struct fleet_cost *costs);

/* Percentiles of a trial. */
struct latencies option_latencies(const struct trial *trial);

/* The parallelism members of an answer. */
struct serving_parallelism option_parallelism(const struct replica *replica);

/* Names the largest share and makes the shares sum to 1. */
struct bottleneck_use option_bottleneck(const double shares[BOTTLENECK_COUNT]);

/* E11. output_tokens / throughput x queries per minute / 60, and why the model differs. Throughput: given, else the model's at
 * saturation. */
void rule_of_thumb_fill(const struct inference_request *request, const struct demand *demand, const struct fleet *fleet,
	struct inference_plan *plan);

/* How the recommended fleet's cost, carbon, energy or water (or of a fixed number its throughput) moves with each input through its range
 * while all others stay, at the offer that it has. Load, lengths, speed and headroom are sized again by formulas, in whole replicas of
 * the same layout; where no replica more or less comes of it, what moves is utilization. */
void sensitivity_report(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_plan *plan);

/* Advice, sensitivity, warnings about the recommended fleet. */
void report_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_plan *plan);

/* E156. A filled option beside the prices by the token of its model that are known, or the one that the request gives; the cheapest stands in the option.
 * Returned: how many, the cheapest first; 0 where none is known, or the option's own cost is not. */
size_t option_hosted(const struct inference_input *input, const struct demand *demand, struct inference_option *option, struct hosted hosted[HOSTED_MAX + 1]);

#endif
