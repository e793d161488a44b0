/* One replica at one operating point, without sizing. */
#include "planner/serving/performance.h"

#include "planner/footprint/energy.h"
#include "planner/interval.h"
#include "planner/serving/infeasible.h"
#include "planner/serving/serving_option.h"
#include "planner/serving/serving_scope.h"

static const double milliseconds_per_second = 1000;

static enum status shape_read(const struct performance_request *request, struct request_shape *shape, struct failure *failure)
{
	*shape = (struct request_shape){.cached_share = given_or(request->prefix_cache_hit_rate, 0),
		.run_requests = request->requests > 0 ? (double)request->requests : ABSENT_NUMBER};
	if (!demand_tokens(&request->prompt_tokens, &shape->prompt_tokens, &shape->prompt_cv))
		failure_add(failure, "/prompt_tokens", "required", "give prompt_tokens: a number, or {mean, cv}");
	if (!demand_tokens(&request->output_tokens, &shape->output_tokens, &shape->output_cv))
		failure_add(failure, "/output_tokens", "required", "give output_tokens: a number, or {mean, cv}");
	if (is_given(request->concurrency) && is_given(request->requests_per_s))
		failure_add(failure, "/requests_per_s", "conflict", "give concurrency (closed loop) or requests_per_s (open loop), not both");
	return failure->status;
}

static enum status replica_read(const struct performance_input *input, const struct serving_constants *constants, double context_tokens,
	struct replica *replica, struct replica_layout *layout, struct findings *findings, struct failure *failure)
{
	const struct performance_request *request = &input->request;
	const struct candidate *candidate = input->candidate;
	struct replica_layout base = layout_base(
		&request->common, request->kv_precision, request->engine, request->engine_release, &request->parallelism, candidate);

	if (input->model.kind != MODEL_TRANSFORMER)
		return failure_set(failure, STATUS_INVALID, "serving is modelled for transformers; a generic model has no tokens to generate");
	if (!layout_of_count(&request->parallelism, request->common.gpu_count, &base, layout))
		failure_add(failure, "/parallelism", "impossible_layout", "tensor x attention_data x pipeline must be gpu_count (%lld)",
			(long long)request->common.gpu_count);
	else if (!replica_prepare(replica, &input->model, &candidate->accelerator, &candidate->calibration, layout, constants))
		failure_add(failure, "/parallelism", "impossible_layout",
			"this layout is impossible: tensor may be at most the attention heads, pipeline at most the layers (%d), and expert "
			"must divide tensor x attention_data",
			input->model.layer_count);
	if (failure->fault_total > 0)
		return failure->status;
	if (request->static_batch == TRUTH_TRUE && layout->engine == ENGINE_GENERIC)
		replica_without_engine(replica);
	if (replica_fits(replica, context_tokens))
		return STATUS_OK;
	if (request->common.enforce_memory != TRUTH_FALSE)
		return infeasible_memory(&input->model, candidate, layout, context_tokens, failure);
	findings_warn(findings, "enforce_memory is false: weights and one sequence of %.0f tokens do not fit", context_tokens);
	return STATUS_OK;
}

static void operate(const struct performance_request *request, const struct replica *replica, const struct request_shape *shape,
	struct operating_point *point, struct findings *findings)
{
	if (request->static_batch == TRUTH_TRUE) {
		double held = replica_sequences_max(replica, shape->prompt_tokens, shape->output_tokens);
		double wanted = is_given(request->concurrency) && request->concurrency > 0 ? request->concurrency : held;

		if (wanted > held)
			findings_warn(
				findings, "the cache has room for %.0f of the static batch's %.0f sequences: no engine runs it as one batch", held, wanted);
		operating_static(replica, shape, wanted, point);
	} else if (is_given(request->requests_per_s)) {
		operating_open(replica, shape, request->requests_per_s, point);
		if (point->saturated)
			findings_warn(findings, "%g requests/s are more than this replica can serve (%.4g): the queue grows until the run ends",
				request->requests_per_s, point->requests_per_s);
	} else {
		operating_closed(replica, shape, given_or(request->concurrency, CONCURRENCY_MAX), point);
		if (!is_given(request->concurrency))
			findings_assume_text(
				findings, "concurrency", "max", "E55: neither concurrency nor requests_per_s is given, so the replica is at saturation");
	}
}

static void note_choices(const struct performance_request *request, const struct replica_layout *layout, struct findings *findings)
{
	const struct engine_rules *rules = engine_rules_of(layout->engine);

	findings_assume_text(findings, "engine", rules->name, rules->source);
	if (request->kv_precision == PRECISION_UNSET)
		findings_assume_text(
			findings, "kv_precision", precision_name(layout->kv_precision), "E54: the engine's default for weights of that precision");
	if (request->common.precision == PRECISION_UNSET)
		findings_assume_text(
			findings, "precision", precision_name(layout->precision), "E50: the widest 16-bit format that the accelerator computes in");
	if (request->parallelism.tensor < 1)
		findings_assume_number(findings, "parallelism.tensor", layout->tensor, "E59: gpu_count / (pipeline x attention_data)");
	if (!request->engine_release)
		findings_assume_text(findings, "engine_release", "2026-06", "E53: the newest release in the published measurements");
	if (request->parallelism.disaggregated == TRUTH_TRUE)
		findings_warn(findings, "parallelism.disaggregated is not modelled yet: prefill and decoding share the replica");
}

static double gpu_w(const struct performance_input *input, double busy, const struct phase_use *use)
{
	struct usage usage = {.accelerator = &input->candidate->accelerator,
		.calibration = &input->candidate->calibration,
		.gpu_count = 1,
		.node_count = 1,
		.hours = 1,
		.busy_fraction = busy,
		.compute_utilization = use->compute_utilization,
		.memory_utilization = use->memory_utilization,
		.host_power_fraction = ABSENT_NUMBER};

	return energy_mean_gpu_w(&usage);
}

/* Fills the energy. Each phase has the power of its own utilisations; between steps power is idle power. */
static void fill_energy(const struct performance_input *input, const struct replica *replica, const struct request_shape *shape,
	const struct operating_point *point, struct performance *performance)
{
	const struct phase_use *prefill = &point->phases[PHASE_PREFILL], *decode = &point->phases[PHASE_DECODE];
	double gpus = replica->gpus, busy = point->busy_fraction, rate = performance->output_tokens_per_s;
	double prefill_w = gpus * busy * prefill->share * gpu_w(input, 1, prefill);
	double decode_w = gpus * busy * decode->share * gpu_w(input, 1, decode);
	double idle_w = gpus * (1 - busy) * gpu_w(input, 0, decode);

	performance->energy.mean_w = prefill_w + decode_w + idle_w;
	performance->energy.joules_per_output_token = performance->energy.mean_w / rate;
	performance->energy.decode_joules_per_output_token = decode_w / rate;
	performance->energy.prefill_joules_per_prompt_token = prefill_w / rate * shape->output_tokens / shape->prompt_tokens;
	performance->energy.idle_joules_per_output_token = idle_w / rate;
}

/* E194. Widens TTFT's interval. Near saturation a slightly slower replica has a growing queue. The interval reaches at
 * least from the TTFT of a replica that is faster by the spread of throughput at p90 to that of one slower by as
 * much. */
static void widen_by_queue(
	const struct replica *replica, const struct request_shape *shape, double requests_per_s, double sigma, struct interval *ttft_ms)
{
	double apart = exp(normal_quantile(0.9) * sigma);
	struct replica slower = *replica, faster = *replica;
	struct operating_point slow, fast;

	replica_slow(&slower, apart);
	replica_slow(&faster, 1 / apart);
	operating_open(&slower, shape, requests_per_s, &slow);
	operating_open(&faster, shape, requests_per_s, &fast);
	if (is_given(slow.ttft_s))
		ttft_ms->p90 = fmax(ttft_ms->p90, slow.ttft_s * milliseconds_per_second);
	if (is_given(fast.ttft_s))
		ttft_ms->p10 = fmin(ttft_ms->p10, fast.ttft_s * milliseconds_per_second);
}

enum status performance_estimate(const struct performance_input *input, const struct serving_constants *constants,
	struct performance *performance, struct operating_point *settled, struct failure *failure)
{
	const struct performance_request *request = &input->request;
	struct findings *findings = &performance->findings;
	struct practice practice = practice_of_replica(request);
	struct serving_scope scope;
	struct residuals residuals;
	struct ground ground;
	struct spread unknown;
	struct request_shape shape = {.run_requests = ABSENT_NUMBER};
	struct replica_layout layout = {.tensor = 1};
	struct replica replica = {.gpus = 1};
	struct operating_point point = {.saturated = false};
	enum status status = shape_read(request, &shape, failure);

	if (status != STATUS_OK)
		return status;
	status = replica_read(input, constants, shape.prompt_tokens + shape.output_tokens, &replica, &layout, findings, failure);
	if (status != STATUS_OK)
		return status;
	ground = (struct ground){.model = &input->model,
		.accelerator = &input->candidate->accelerator,
		.engine = layout.engine,
		.release_years = layout.release_years,
		.at_once = is_given(shape.run_requests) && is_given(request->concurrency) && request->concurrency >= shape.run_requests};
	scope = serving_scope_of(&input->model, &layout, shape.prompt_tokens, shape.output_tokens);
	residuals = serving_scope_widen(residuals_of(&ground, &input->candidate->calibration), &scope);
	serving_scope_warn(&scope, findings);
	distance_note(&ground, findings);
	unknown = practice_spread_of(&practice);
	replica_slow(&replica, practice.value);
	performance->practice = practice;
	note_choices(request, &layout, findings);
	layout_remark(input->candidate, &layout, findings);
	layout_precision_remark(input->candidate, &layout, findings);
	operate(request, &replica, &shape, &point, findings);
	if (!is_given(point.ttft_s))
		return failure_set(failure, STATUS_INFEASIBLE,
			"%g requests/s are more than this replica can serve (%.4g): the queue would grow for ever. Lower requests_per_s, or give the "
			"number of requests of the run (`requests`)",
			request->requests_per_s, point.requests_per_s);
	*settled = point;
	performance->output_tokens_per_s = point.output_tokens_per_s;
	performance->output_tokens_per_s_per_gpu = point.output_tokens_per_s / replica.gpus;
	performance->total_tokens_per_s = point.output_tokens_per_s * (1 + shape.prompt_tokens / shape.output_tokens);
	performance->requests_per_s = point.output_tokens_per_s / shape.output_tokens;
	performance->ttft_ms = point.ttft_s * milliseconds_per_second;
	performance->tpot_ms = point.tpot_s * milliseconds_per_second;
	performance->max_concurrency = replica_sequences_max(&replica, shape.prompt_tokens, shape.output_tokens);
	performance->memory = replica.memory;
	performance->interval.output_tokens_per_s = interval_of_spread(performance->output_tokens_per_s,
		spread_joint(spread_even(residuals.throughput), (struct spread){.low = unknown.high, .high = unknown.low}));
	performance->interval.tpot_ms = interval_of_spread(performance->tpot_ms, spread_joint(spread_even(residuals.tpot), unknown));
	performance->interval.ttft_ms = interval_of_spread(performance->ttft_ms, spread_joint(spread_even(residuals.ttft), unknown));
	if (is_given(request->requests_per_s) && request->static_batch != TRUTH_TRUE)
		widen_by_queue(&replica, &shape, request->requests_per_s, residuals.throughput, &performance->interval.ttft_ms);
	fill_energy(input, &replica, &shape, &point, performance);
	CHECK(isfinite(performance->output_tokens_per_s) && isfinite(performance->tpot_ms) &&
		isfinite(performance->energy.joules_per_output_token));
	return STATUS_OK;
}

enum status planner_performance(const struct performance_input *input, struct performance *performance, struct failure *failure)
{
	struct operating_point point;

	return performance_estimate(input, &serving_constants, performance, &point, failure);
}
