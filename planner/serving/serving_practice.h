/* Practice of a service (E136), and what a replica has to allow for so that promises are kept with a probability (E137).
 *
 * One error moves a replica as a whole: where its steps take longer, its capacity falls, and TPOT and TTFT rise, all by the same factor. So
 * a confidence is a slower replica, sized and simulated as any other; latencies, of which less is known than of throughput, get the
 * rest of their own spread on top. Nothing is multiplied that is not independent. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_PRACTICE_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_PRACTICE_H

#include "planner/interval.h"
#include "planner/replica/replica.h"
#include "planner/serving/distance.h"

/* member; value; p10 and p90; meaning; source; inputs that it was measured on. tests/validation/engine_pairs.csv holds the pairs, and
 * tests/planner/test_serving_practice.c recomputes count, median, p10 and p90. */
#define SERVING_PRACTICE_CONSTANTS(X) \
	X(release, 1.0, 0.92, 1.03, "throughput of an engine's newest release over that of the one before it, which still runs", \
		"33 pairs on the same model, layout and load: median 0.98, p10 0.92, p90 1.03: to be one release behind costs nothing that was measured", \
		"vLLM 0.8.3 to 0.11.1 on MI300X, TensorRT-LLM 0.17 and 1.0 on H100 and H200") \
	X(flags, 1.03, 1.0, 1.13, "throughput of an engine with tuned flags over that with the flags it starts with", \
		"8 pairs of one flag, vLLM's asynchronous scheduling: median 1.03, p10 1.00, p90 1.13", "gpt-oss-20b on A100 and H100, vLLM of 2025-10") \
	X(tuning, 1.03, 1.0, 1.06, "throughput that constants of vendors' tuned runs predict over what independent tests measure, beyond their flags", \
		"medians of five tests, fitted without all of them: 0.91 to 1.15, median 1.06 (docs/accuracy.md), over the 1.03 of flags; that some are faster is the error that intervals have (E193)", \
		"gpustack, two of dstack, two of ML.ENERGY: 370 throughputs, A100 to B200 and MI300X, vLLM, SGLang and TensorRT-LLM of 2024-11 to 2026-02")

/* E136. Given: practice, release and measured throughput of the request. Returned: the parts that nothing of these replaces, and their
 * product, by which a service needs more capacity than the recipe's engine under the load announced.
 *   recipe (or unset): none; typical: release unless engine_release is given, flags, tuning, and load unless it was measured (trace, rate_profile);
 *   throughput_tokens_per_s_per_gpu replaces release, flags and tuning. first_run: typical, and a part that lifts it to its own p80. */
struct practice practice_of_service(const struct inference_request *request);

/* The same of one replica at a given operating point: it has no load of its own. */
struct practice practice_of_replica(const struct performance_request *request);

/* How far a practice may be off. */
struct spread practice_spread_of(const struct practice *practice);

/* E193 on an accelerator, narrower where its products and its memory were measured: what measurement leaves is joined (E151). */
struct residuals residuals_of(const struct ground *ground, const struct calibration *calibration);

/* The same of a candidate, whole or a slice; of a throughput that the request gives nothing is unknown. */
struct residuals residuals_of_candidate(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout, bool throughput_is_given);

/* What a request asks of every fleet. All 0: the recipe's engine, at even odds (0.5). */
struct assurance {
	double confidence, z; /* its standard normal quantile */
	double log_slow; /* of practice */
	struct spread practice;
};

struct assurance assurance_of(double confidence, const struct practice *practice);

/* What a replica allows for. */
struct allowance {
	double slow;                /* times that its steps take what the plan's take; 1 at even odds without practice */
	double log_ttft, log_tpot;  /* of latencies, beyond what slower steps make of them */
};

/* E137. The quantile of the assurance: slow = practice x exp(z s), s of throughput and practice jointly; TTFT and TPOT beyond that by what
 * their own spread exceeds s. */
struct allowance allowance_of(const struct assurance *assurance, const struct residuals *residuals);

/* A replica whose every step, and its front end, takes so many times as long. */
void replica_slow(struct replica *replica, double slow);

#endif
