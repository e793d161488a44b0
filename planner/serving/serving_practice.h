/* Practice of a service (E136), and the allowance of a replica with which promises are kept with a probability (E137).
 *
 * One error changes a replica as a whole: if its steps take longer, capacity falls, and TPOT and TTFT rise, all by the
 * same factor. A confidence is therefore a slower replica, which is sized and simulated like any other. The model is
 * less accurate for latencies than for throughput, so latencies get the rest of their own spread on top. Only
 * independent factors are multiplied. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_PRACTICE_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_PRACTICE_H

#include "planner/interval.h"
#include "planner/replica/replica.h"
#include "planner/serving/distance.h"

/* Columns: member; value; p10 and p90; meaning; source; inputs of the measurements. tests/validation/engine_pairs.csv
 * has the pairs; tests/planner/test_serving_practice.c recomputes count, median, p10 and p90. */
#define SERVING_PRACTICE_CONSTANTS(X) \
	X(release, 1.0, 0.92, 1.03, \
		"throughput of an engine's newest release divided by that of the release before it, which services still run", \
		"33 pairs of releases on the same model, layout and load: median 0.98, p10 0.92, p90 1.03; no cost of the older release was measured", \
		"vLLM 0.8.3 to 0.11.1 on MI300X, TensorRT-LLM 0.17 and 1.0 on H100 and H200") \
	X(flags, 1.03, 1.0, 1.13, "throughput of an engine with tuned flags divided by that with its default flags", \
		"8 pairs of one flag, vLLM's asynchronous scheduling: median 1.03, p10 1.00, p90 1.13", \
		"gpt-oss-20b on A100 and H100, vLLM of 2025-10") \
	X(tuning, 1.03, 1.0, 1.06, \
		"throughput that constants fitted to vendors' tuned runs predict, divided by the throughput that independent tests measure, beyond the effect of flags", \
		"medians of five tests, predicted with constants fitted without all of them: 0.91 to 1.15, median 1.06 (docs/accuracy.md), divided by the 1.03 of flags; tests that are faster than predicted are part of the intervals' error (E193)", \
		"gpustack, two of dstack, two of ML.ENERGY: 370 throughputs, A100 to B200 and MI300X, vLLM, SGLang and TensorRT-LLM of 2024-11 to 2026-02")

/* E136. Computes by how much a service needs more capacity than the recipe's engine under the announced load.
 * Given:    request: practice, engine_release, throughput_tokens_per_s_per_gpu, trace and rate_profile.
 * Returned: the parts and their product. recipe (or unset): no part. typical: release unless engine_release is given,
 *           flags, tuning, and load unless a trace or rate_profile measured it; throughput_tokens_per_s_per_gpu
 *           replaces release, flags and tuning. first_run: as typical, and a part that raises the product to its p80.
 * Source:   SERVING_PRACTICE_CONSTANTS.
 * Case:     tests/planner/test_serving_practice.c, the_parts_are_what_the_pairs_say and
 *           what_is_known_replaces_its_part. */
struct practice practice_of_service(const struct inference_request *request);

/* E136. The same for one replica at a given operating point, without the part for load.
 * Case: tests/planner/test_serving_practice.c, one_replica_runs_its_recipe_unless_told. */
struct practice practice_of_replica(const struct performance_request *request);

/* Returns the spread of a practice: that of its parts, joined. */
struct spread practice_spread_of(const struct practice *practice);

/* E151, E193. Computes the spread of the model's residuals on an accelerator.
 * Given:    ground; calibration: NULL: none.
 * Returned: log standard deviations of distance_residuals(); 0.8 of them where products and memory were measured; the
 *           spread of the measurement is joined.
 * Case:     tests/planner/test_serving_demand.c, spreads_add_as_squares. */
struct residuals residuals_of(const struct ground *ground, const struct calibration *calibration);

/* The same for a candidate, whole or a slice. The spread of a throughput that the request gives is 0. */
struct residuals residuals_of_candidate(
	const struct model *model, const struct candidate *candidate, const struct replica_layout *layout, bool throughput_is_given);

/* The confidence that a request requires of every fleet. All 0: the recipe's engine at a confidence of 0.5. */
struct assurance {
	double confidence, z; /* its standard normal quantile */
	double log_slow;      /* natural logarithm of the factor of practice */
	struct spread practice;
};

struct assurance assurance_of(double confidence, const struct practice *practice);

/* The allowance of a replica. */
struct allowance {
	double slow;               /* its step time over that of the plan's replica; 1 at a confidence of 0.5 without practice */
	double log_ttft, log_tpot; /* natural logarithms of factors of latencies, beyond the effect of slower steps */
};

/* E137. Computes the allowance with which a replica keeps its promises at the assurance's confidence.
 * Given:    assurance; residuals: log standard deviations.
 * Returned: slow = practice x exp(z s), s: joint spread of throughput and practice; log_ttft, log_tpot = z x (joint
 *           spread of the latency and practice - s).
 * Case:     tests/planner/test_serving_practice.c, one_error_moves_capacity_and_latency_together. */
struct allowance allowance_of(const struct assurance *assurance, const struct residuals *residuals);

/* Multiplies the time of every step and of the front end by `slow`. */
void replica_slow(struct replica *replica, double slow);

#endif
