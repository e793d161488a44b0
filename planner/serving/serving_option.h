/* Fills an option of the answer from a sized fleet, and the findings about it. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_OPTION_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_OPTION_H

#include "planner/serving/fleet_simulation.h"

/* Fills every member. Assumptions of the fleet's cost and footprint go to `findings` (NULL for alternatives). */
void option_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_option *option, struct findings *findings);

/* E70, E108. Fills intervals, provenance and inputs of an option whose figures are filled: the spread and the source of
 * each. */
struct fleet_cost;
void option_provenance(struct inference_option *option, const struct inference_input *input, const struct fleet *fleet,
	const struct demand *demand, const struct fleet_limits *limits, const struct fleet_cost *costs);

/* Returns the latency percentiles of a trial, ms. */
struct latencies option_latencies(const struct trial *trial);

/* Returns the parallelism members of an answer. */
struct serving_parallelism option_parallelism(const struct replica *replica);

/* Scales the shares to a sum of 1 and finds the largest. */
struct bottleneck_use option_bottleneck(const double shares[BOTTLENECK_COUNT]);

/* E11. Fills the rule of thumb, and why the plan differs from it.
 * Given:    request: throughput_tokens_per_s_per_gpu, else the model's throughput at saturation counts; demand; fleet:
 *           sized.
 * Returned: plan->rule_of_thumb: gpu_count_exact = output_tokens / throughput x queries per minute / 60; gpu_count
 *           rounds it up.
 * Valid:    batches large enough for that throughput, no latency limit.
 * Case:     tests/planner/golden/serving.txt (E11); tests/planner/test_serving_fleet.c, rule_of_thumb_is_exact. */
void rule_of_thumb_fill(
	const struct inference_request *request, const struct demand *demand, const struct fleet *fleet, struct inference_plan *plan);

/* Reports how the recommended fleet's cost, carbon, energy or water (of a fixed number its throughput) changes with
 * each input over its range, while all other inputs and the offer stay. For load, lengths, speed and headroom the fleet
 * is sized again by formulas, in whole replicas of the same layout. Where their number does not change, the report is
 * of utilization. */
void sensitivity_report(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_plan *plan);

/* Fills assumptions, warnings, advice on autoscaling and sensitivity of the recommended fleet. */
void report_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_plan *plan);

/* E156. Compares a filled option with the known hosted prices of its model, or with the price of the request. The
 * option gets the cheapest one.
 * Returned: hosted, the cheapest first; their number, 0 if no price or no cost of the option is known. */
size_t option_hosted(const struct inference_input *input, const struct demand *demand, struct inference_option *option,
	struct hosted hosted[HOSTED_MAX + 1]);

#endif
