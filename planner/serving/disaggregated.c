#include "planner/serving/disaggregated.h"

#include "base/units.h"

static const double replicas_max = 1e6;

/* Visible part of a transfer by layers: 5 ms on H100, 8 ms on A100 (Patel et al. 2024, Splitwise, ISCA, section
 * VI.A). */
const double handoff_s = 0.005;

struct disaggregated_rates disaggregated_rates_of(const struct replica *replica, const struct request_shape *shape)
{
	double prompt = fmax(shape->prompt_tokens * (1 - shape->cached_share), 1);
	double chunk = replica->rules.chunk_tokens * replica->attention_data * replica->pipeline;
	double steps = fmax(shape->output_tokens - 1, 0) / (1 + shape->accepted_tokens);
	double inside = replica_sequences_max(replica, shape->prompt_tokens, shape->output_tokens);
	struct batch prompts = {
		.prefill_tokens = chunk, .prefill_sequences = fmax(chunk / prompt, 1), .prefill_context_tokens = shape->prompt_tokens - prompt};
	struct batch answers = {.decode_sequences = inside * (1 + shape->draft_tokens),
		.decode_context_tokens = shape->prompt_tokens + shape->output_tokens / 2,
		.decode_spread_tokens = shape->output_tokens / 2};
	struct step step;
	struct disaggregated_rates rates;

	step_time(replica, &prompts, &step);
	rates.prompts_per_s = chunk / prompt / step.time_s;
	step_time(replica, &answers, &step);
	rates.answers_per_s = inside / (fmax(steps, 1) * step.time_s);
	return rates;
}

double handoff_token_s(const struct replica *replica, const struct candidate *candidate)
{
	double bytes = 0;

	for (int i = 0; i < replica->kind_count; i++)
		bytes += replica->kinds[i].layers / replica->pipeline * replica->kinds[i].kv_bytes_per_token;
	return candidate->internode_gbs > 0 ? bytes / (candidate->internode_gbs * BYTES_PER_GB) : 0;
}

/* Fills the latencies of a single request, which does not wait. They hold until the simulation. */
static void latencies_alone(const struct replica *replica, const struct demand *demand, struct fleet *fleet)
{
	struct operating_point point;

	operating_open(replica, &demand->shape, 1e-6, &point);
	fleet->ttft_s = point.ttft_s * exp(demand->promise.log_ttft);
	fleet->tpot_s = point.tpot_s * exp(demand->promise.log_tpot);
	fleet->e2e_s = fleet->ttft_s + (demand->shape.output_tokens - 1) * fleet->tpot_s;
	fleet->promise_kept = !(fleet->ttft_s > demand->promise.ttft_s) && !(fleet->tpot_s > demand->promise.tpot_s) &&
		!(fleet->e2e_s > demand->promise.e2e_s);
	if (!fleet->promise_kept)
		fleet->verdict = FLEET_LATENCY;
}

void disaggregated_size(const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits, struct fleet *fleet)
{
	struct disaggregated_rates rates = disaggregated_rates_of(replica, &demand->shape);
	double usable = 1 - demand->headroom, prompts, answers;
	double spare = (double)demand->spare_replicas;

	if (limits->gpu_count > 0) {
		double active = floor((double)limits->gpu_count / (double)fleet->gpus_per_replica) - spare;
		double share = 1 / rates.prompts_per_s / (1 / rates.prompts_per_s + 1 / rates.answers_per_s);

		if (active < 2) {
			fleet->verdict = FLEET_COUNT;
			return;
		}
		prompts = fmin(fmax(rint(share * active), 1), active - 1);
		answers = active - prompts;
	} else {
		prompts = fmax(1, ceil(demand->requests_per_s / (usable * rates.prompts_per_s) * (1 - 1e-9)));
		answers = fmax(1, ceil(demand->requests_per_s / (usable * rates.answers_per_s) * (1 - 1e-9)));
	}
	if (prompts + answers > replicas_max) {
		fleet->verdict = FLEET_COUNT;
		return;
	}
	fleet->replica_requests_per_s = fmin(prompts * rates.prompts_per_s, answers * rates.answers_per_s) / (prompts + answers);
	fleet->requests_per_s = given_or(demand->requests_per_s, usable * fleet->replica_requests_per_s * (prompts + answers));
	if (fleet->requests_per_s > usable * fleet->replica_requests_per_s * (prompts + answers) * (1 + 1e-9))
		fleet->verdict = FLEET_COUNT;
	fleet->prefill_replicas = (int64_t)prompts;
	fleet->replicas = (int64_t)(prompts + answers + spare);
	fleet->gpu_count = limits->gpu_count > 0 ? limits->gpu_count : fleet->replicas * fleet->gpus_per_replica;
	if (fleet->verdict == FLEET_OK)
		latencies_alone(replica, demand, fleet);
}
