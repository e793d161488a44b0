#include "planner/serving/serving_option.h"

#include <stdio.h>

static const double seconds_per_minute = 60;

/* E11. Computes the number of accelerators by the rule of thumb.
 * Given:    output_tokens: generated per request (>= 1); throughput_tokens_per_s_per_gpu: generated tokens/s per
 *           accelerator (> 0); queries_per_minute (>= 0).
 * Returned: output_tokens / throughput x queries_per_minute / 60, not rounded.
 * Valid:    batches large enough for that throughput, no latency limit. */
static double rule_gpu_count(double output_tokens, double throughput_tokens_per_s_per_gpu, double queries_per_minute)
{
	return output_tokens / throughput_tokens_per_s_per_gpu * queries_per_minute / seconds_per_minute;
}

void rule_of_thumb_fill(
	const struct inference_request *request, const struct demand *demand, const struct fleet *fleet, struct inference_plan *plan)
{
	double engines = fleet->candidate->slice ? (double)fleet->candidate->slice->per_board : 1; /* engines of one accelerator */
	double modelled = engines * fleet->replica_requests_per_s * demand->shape.output_tokens / (double)fleet->gpus_per_replica;
	double throughput = given_or(request->throughput_tokens_per_s_per_gpu, modelled);
	double exact = rule_gpu_count(demand->shape.output_tokens, throughput, fleet->requests_per_s * seconds_per_minute);

	plan->rule_of_thumb.throughput_tokens_per_s_per_gpu = throughput;
	plan->rule_of_thumb.gpu_count_exact = exact;
	plan->rule_of_thumb.gpu_count = fmax(1, ceil(exact * (1 - 1e-12)));
	snprintf(plan->rule_of_thumb.formula, sizeof plan->rule_of_thumb.formula,
		"%.6g output tokens / %.6g tokens/s per GPU (%s) x %.6g queries a minute / 60 = %.4g GPUs; the plan has %lld: "
		"whole replicas of %lld, "
		"headroom %g%s%s",
		demand->shape.output_tokens, throughput, is_given(request->throughput_tokens_per_s_per_gpu) ? "given" : "modelled at saturation",
		fleet->requests_per_s * seconds_per_minute, exact, (long long)fleet->gpu_count, (long long)fleet->gpus_per_replica,
		demand->headroom, demand->spare_replicas > 0 ? ", spare replicas" : "",
		is_given(demand->promise.ttft_s) || is_given(demand->promise.tpot_s) || is_given(demand->promise.e2e_s) ? ", the slo's smaller batches"
																												: "");
}
