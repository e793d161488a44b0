#include <stdio.h>
#include <strings.h>

#include "hwdb/resolve/hosted_prices.h"
#include "hwdb/resolve/mig.h"
#include "hwdb/resolve/resolve_parts.h"
#include "planner/replica/engine_rules.h"

static void fault(const struct resolver *resolver, const char *pointer, const char *code, const char *detail)
{
	failure_add(resolver->failure, pointer, code, "%s", detail);
}

static bool has_tokens(const struct token_distribution *distribution)
{
	return is_given(distribution->mean) || is_given(distribution->p50) || is_given(distribution->p95) || distribution->samples.count > 0;
}

/* Adds faults for statistics that no distribution can have, or no log-normal one (E58): p95 / mean is at most
 * exp(1.6449^2 / 2). */
static void tokens_faults(const struct resolver *resolver, const char *pointer, const struct token_distribution *tokens)
{
	static const double p95_over_mean_max = 3.868;
	bool by_mean = is_given(tokens->mean) && is_given(tokens->p95) && !is_given(tokens->p50) && !is_given(tokens->cv);

	if (tokens->samples.count > 0)
		return;
	if (is_given(tokens->p50) && is_given(tokens->p95) && tokens->p95 < tokens->p50)
		fault(resolver, pointer, "conflict", "the 95th percentile (p95) must be at least the median (p50)");
	if (is_given(tokens->p50) && is_given(tokens->mean) && !is_given(tokens->p95) && !is_given(tokens->cv) && tokens->p50 > tokens->mean)
		fault(resolver, pointer, "conflict", "the median (p50) of a log-normal is at most its mean: also give cv or p95, or give samples");
	if (by_mean && tokens->p95 < tokens->mean)
		fault(resolver, pointer, "conflict", "the 95th percentile (p95) is below the mean: also give p50 or cv, or give samples");
	if (by_mean && tokens->p95 > p95_over_mean_max * tokens->mean)
		fault(resolver, pointer, "conflict",
			"the 95th percentile (p95) of a log-normal is at most 3.87 times its mean: also give p50 or cv, or give samples");
}

static const double most_requests_per_s = 1e8;

/* Adds faults for a trace without a rate, which is its requests over its span: it needs at least two different times,
 * in order. */
static void trace_faults(const struct resolver *resolver, const struct request_trace *trace)
{
	double span_s = trace->arrivals[trace->count - 1].t_s - trace->arrivals[0].t_s;

	for (size_t i = 1; i < trace->count; i++)
		if (trace->arrivals[i].t_s < trace->arrivals[i - 1].t_s) {
			failure_add(resolver->failure, "/trace/arrivals", "unsorted",
				"request %zu arrives before the previous one: sort the requests by t_s", i);
			return;
		}
	if (!((double)(trace->count - 1) <= most_requests_per_s * span_s) || trace->count < 2)
		fault(resolver, "/trace/arrivals", "out_of_range",
			"a rate needs requests at two different times at least, and at most 1e8 per second");
}

static void profile_faults(const struct resolver *resolver, const struct inference_request *request)
{
	if (is_given(request->queries_per_minute) || is_given(request->requests_per_s) || request->trace.count > 0)
		fault(resolver, "/rate_profile", "conflict",
			"rate_profile contains the load: leave out queries_per_minute, requests_per_s and trace");
	if (request->daily_profile.count > 0)
		fault(resolver, "/daily_profile", "conflict", "give rate_profile or daily_profile, not both");
}

static double largest(const struct number_list *samples)
{
	double most = 0;

	for (size_t i = 0; i < samples->count; i++)
		most = fmax(most, samples->items[i]);
	return most;
}

static void load_faults(const struct resolver *resolver, const struct inference_request *request)
{
	bool rate = is_given(request->queries_per_minute) || is_given(request->requests_per_s), traced = request->trace.count > 0;

	if (is_given(request->queries_per_minute) && is_given(request->requests_per_s))
		fault(resolver, "/requests_per_s", "conflict", "give queries_per_minute or requests_per_s, not both");
	if (traced)
		trace_faults(resolver, &request->trace);
	if (traced && rate)
		fault(resolver, "/trace", "conflict", "a trace contains its own arrivals: leave out queries_per_minute and requests_per_s");
	if (traced &&
		(has_tokens(&request->prompt_tokens) || has_tokens(&request->output_tokens) || is_given(request->prompt_tokens.cv) ||
			is_given(request->output_tokens.cv)))
		fault(resolver, "/trace", "conflict", "a trace contains its own lengths: leave out prompt_tokens and output_tokens");
	if (request->rate_profile.count > 0)
		profile_faults(resolver, request);
	if (request->shared_prefix.prefixes > 0 && is_given(request->prefix_cache_hit_rate))
		fault(resolver, "/prefix_cache_hit_rate", "conflict",
			"give shared_prefix, which determines the hit rate, or prefix_cache_hit_rate, not both");
	if (request->routing == ROUTING_PREFIX_AWARE && !(request->shared_prefix.prefixes > 0))
		fault(resolver, "/shared_prefix", "required", "prefix_aware routing needs the prefixes: give shared_prefix");
	if (traced && is_given(request->burstiness_cv))
		fault(resolver, "/burstiness_cv", "conflict", "a trace contains its own arrivals");
	if (!traced && !rate && request->rate_profile.count == 0 && request->common.gpu_count < 1)
		fault(resolver, "/queries_per_minute", "required",
			"give the load (queries_per_minute, requests_per_s or a trace), or gpu_count to compute the load that it carries");
	if (!traced && !has_tokens(&request->prompt_tokens))
		fault(resolver, "/prompt_tokens", "required", "give the tokens of a prompt, as 1000 or {mean, p95}");
	if (!traced && !has_tokens(&request->output_tokens))
		fault(resolver, "/output_tokens", "required", "give the tokens of an answer, as 300 or {mean, p95}");
	if (is_given(request->speculative.draft_tokens) != is_given(request->speculative.acceptance))
		fault(resolver, "/speculative", "required", "give draft_tokens and acceptance: they depend on the draft model and have no defaults");
	if (is_given(request->speculative.draft_tokens) && request->speculative.draft_tokens != floor(request->speculative.draft_tokens))
		fault(resolver, "/speculative/draft_tokens", "out_of_range", "must be a whole number of tokens");
	tokens_faults(resolver, "/prompt_tokens", &request->prompt_tokens);
	tokens_faults(resolver, "/output_tokens", &request->output_tokens);
	if (request->daily_profile.count > 0 && request->daily_profile.count != 24 && request->daily_profile.count != 168)
		fault(resolver, "/daily_profile", "out_of_range", "must have 24 or 168 numbers");
	if (request->daily_profile.count > 0 && !(largest(&request->daily_profile) > 0))
		fault(resolver, "/daily_profile", "out_of_range", "the load of every hour is 0; the largest number is the peak and must be above 0");
	if (request->precisions.count > 0 && request->common.precision != PRECISION_UNSET)
		fault(resolver, "/precisions", "conflict", "give precision, or precisions to choose the best of, not both");
}

static void no_generic_model(const struct resolver *resolver, const struct model *model)
{
	if (model->kind == MODEL_GENERIC)
		fault(resolver, "/model/kind", "unsupported",
			"serving is planned for models that generate tokens: give a catalogue id, a config or params; for other models use /v1/estimates/memory or plan a training");
	else if (!model_is_causal(model))
		fault(resolver, "/model", "unsupported",
			"an encoder generates no tokens, and serving plans are for generated tokens: plan a training or use /v1/estimates/memory; size a service of embeddings like prompts of a "
			"decoder of its size (model {params}, output_tokens 1)");
}

static void warn_of_length(const struct resolver *resolver, const struct model *model, const struct token_distribution *prompt,
	const struct token_distribution *output)
{
	double length = given_or(prompt->mean, 0) + given_or(output->mean, 0);

	if (model->max_positions > 0 && length > model->max_positions)
		findings_warn(resolver->findings, "prompt and output, %g tokens, are beyond the %d positions of the model's config", length,
			model->max_positions);
}

/* Warns of the longest requests, which may not fit where the means do: an engine rejects or cuts them. */
static void warn_of_longest(const struct resolver *resolver, const struct model *model, const struct inference_request *request)
{
	double longest = fmax(largest(&request->prompt_tokens.samples), given_or(request->prompt_tokens.mean, 0)) +
		fmax(largest(&request->output_tokens.samples), given_or(request->output_tokens.mean, 0));
	bool sampled = request->prompt_tokens.samples.count + request->output_tokens.samples.count > 0;
	size_t beyond = 0;

	if (model->max_positions < 1)
		return;
	for (size_t i = 0; i < request->trace.count; i++)
		beyond += request->trace.arrivals[i].prompt_tokens + request->trace.arrivals[i].output_tokens > model->max_positions;
	if (beyond > 0)
		findings_warn(resolver->findings,
			"%zu of %zu requests of the trace are longer than the %d positions of the model's config: engines reject or cut them", beyond,
			request->trace.count, model->max_positions);
	else if (sampled && longest > model->max_positions)
		findings_warn(resolver->findings,
			"the longest prompt and output of the samples, %g tokens, are beyond the %d positions of the model's config: engines reject or "
			"cut them",
			longest, model->max_positions);
}

static void default_engine(const struct resolver *resolver, enum engine *engine)
{
	if (*engine != ENGINE_UNSET)
		return;
	*engine = ENGINE_GENERIC;
	findings_assume_text(resolver->findings, "engine", "generic", "E54: no engine named; common behaviour of the published engines");
}

static void note_release(const struct resolver *resolver, enum engine engine, const char *release)
{
	if (release)
		findings_assume_text(resolver->findings, "engine_release", release, engine_release_source(engine, engine_release_years(release)));
}

static void default_assurance(const struct resolver *resolver, struct request_common *common)
{
	if (common->practice == PRACTICE_UNSET) {
		common->practice = PRACTICE_TYPICAL;
		findings_assume_text(resolver->findings, "practice", "typical",
			"E136: engines run with the release and the flags that services usually have; recipe plans the best published ones");
	}
	if (!is_given(common->confidence)) {
		common->confidence = CONFIDENCE_USUAL;
		findings_assume_number(
			resolver->findings, "confidence", CONFIDENCE_USUAL, "E137: load, slo, budget and caps are kept with a probability of 0.8");
	}
}

void resolve_published_precision(const struct resolver *resolver, const struct model *model, enum precision *precision)
{
	if (*precision != PRECISION_UNSET || model->published_precision == PRECISION_UNSET)
		return;
	*precision = model->published_precision;
	findings_assume_text(resolver->findings, "precision", precision_name(*precision),
		"E50: as the checkpoint is published (quantization_config of its config.json)");
}

/* Resolves "h100-1g.10gb" to a slice of an h100, unless the catalogue has a row of that name. */
static enum status resolve_slice_name(const struct resolver *resolver, struct inference_request *request)
{
	const char *name = request->common.accelerator.id, *alias;
	char profile[MIG_PROFILE_MAX];
	size_t length = name && !catalogue_accelerator(resolver->catalogue, name, &alias) ? mig_name_parse(name, profile) : 0;

	if (length == 0)
		return STATUS_OK;
	if (request->mig_profile && strcasecmp(request->mig_profile, profile) != 0)
		fault(resolver, "/mig_profile", "conflict", "accelerator names a slice of another profile");
	request->common.accelerator.id = arena_strndup(resolver->arena, name, length);
	request->mig_profile = arena_strdup(resolver->arena, profile);
	return request->common.accelerator.id && request->mig_profile ? STATUS_OK
																  : failure_set(resolver->failure, STATUS_NO_MEMORY, "no memory for a name");
}

/* Adds a fault for the requested profile with the known profiles, at most MIG_SLICES_MAX for each accelerator. */
static void fault_profile(const struct resolver *resolver, const struct inference_input *input)
{
	char known[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < input->candidate_count; i++) {
		struct mig_slice own[MIG_SLICES_MAX];
		size_t count = mig_slices_of(&input->candidates[i].accelerator, own);

		for (size_t k = 0; k < count && used + MIG_PROFILE_MAX < sizeof known; k++)
			used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", own[k].profile);
	}
	failure_add(resolver->failure, "/mig_profile", "unknown", "no accelerator of this request has MIG slices %.32s; %s%s",
		input->request.mig_profile, known[0] ? "available: " : "none of them can be split", known);
}

/* Adds the slices of all candidates as candidates; with a requested profile, only those. */
static enum status resolve_slices(const struct resolver *resolver, struct inference_input *input)
{
	size_t most = input->candidate_count * MIG_SLICES_MAX;
	struct mig_slice *slices = ARENA_ARRAY(resolver->arena, struct mig_slice, most + 1);
	struct candidate *parts = ARENA_ARRAY(resolver->arena, struct candidate, most + 1);

	if (!slices || !parts)
		return failure_set(resolver->failure, STATUS_NO_MEMORY, "too many accelerators");
	input->slices = parts;
	input->slice_count = 0;
	for (size_t i = 0; i < input->candidate_count; i++) {
		struct mig_slice *own = &slices[input->slice_count];
		size_t count = mig_slices_of(&input->candidates[i].accelerator, own);

		for (size_t k = 0, kept = 0; k < count; k++)
			if (!input->request.mig_profile || strcasecmp(own[k].profile, input->request.mig_profile) == 0) {
				own[kept] = own[k];
				parts[input->slice_count++] = candidate_slice(&input->candidates[i], &own[kept++]);
			}
	}
	if (input->request.mig_profile && input->slice_count == 0)
		fault_profile(resolver, input);
	return resolver_status(resolver);
}

/* True if the committed and the used part may be of different terms. */
static bool mixes_terms(const struct inference_request *request)
{
	return request->daily_profile.count > 0 && request->common.pricing.terms.count > 1;
}

enum status resolve_inference(const struct resolver *resolver, const struct inference_request *request, struct inference_input *input)
{
	enum status model_status, status;

	input->request = *request;
	input->slices = NULL;
	input->slice_count = input->hosted_count = 0;
	model_status = resolve_model(resolver, &request->common.model, "/model", &input->model);
	if (resolve_slice_name(resolver, &input->request) == STATUS_NO_MEMORY)
		return STATUS_NO_MEMORY;
	if (input->request.mig_profile && request->mig == TRUTH_FALSE)
		fault(resolver, "/mig", "conflict", "mig false excludes slices, but mig_profile requests one");
	load_faults(resolver, request);
	if (model_status == STATUS_OK && request->precisions.count == 0)
		resolve_published_precision(resolver, &input->model, &input->request.common.precision);
	resolve_common(resolver, &input->request.common);
	resolve_instance(resolver, &input->request.common);
	status = resolve_placed_candidates(resolver, &input->request.common, mixes_terms(request), &input->candidates, &input->candidate_count);
	if (model_status != STATUS_OK)
		return model_status;
	no_generic_model(resolver, &input->model);
	resolve_layout(
		resolver, &input->model, input->candidates, status == STATUS_OK ? input->candidate_count : 0, &request->parallelism, ABSENT_COUNT);
	input->hosted_count = hosted_prices_of(input->model.id, input->hosted, HOSTED_MAX);
	default_engine(resolver, &input->request.engine);
	note_release(resolver, input->request.engine, request->engine_release);
	default_assurance(resolver, &input->request.common);
	warn_of_length(resolver, &input->model, &request->prompt_tokens, &request->output_tokens);
	warn_of_longest(resolver, &input->model, request);
	resolve_names(resolver, &input->request.common);
	if (status == STATUS_OK && request->mig != TRUTH_FALSE)
		status = resolve_slices(resolver, input);
	return status != STATUS_OK ? status : resolver_status(resolver);
}

static void performance_faults(const struct resolver *resolver, const struct performance_request *request)
{
	if (!resolve_accelerator_given(&request->common.accelerator))
		fault(resolver, "/accelerator", "required", "give the accelerator that the replica runs on");
	if (request->common.accelerators.count > 0)
		fault(resolver, "/accelerators", "unsupported", "one replica runs on one accelerator: give accelerator");
	if (is_given(request->concurrency) && is_given(request->requests_per_s))
		fault(resolver, "/requests_per_s", "conflict", "give concurrency (closed loop) or requests_per_s (open loop), not both");
	if (!has_tokens(&request->prompt_tokens))
		fault(resolver, "/prompt_tokens", "required", "give the tokens of a prompt, as 1000 or {mean, cv}");
	if (!has_tokens(&request->output_tokens))
		fault(resolver, "/output_tokens", "required", "give the tokens of an answer, as 300 or {mean, cv}");
	tokens_faults(resolver, "/prompt_tokens", &request->prompt_tokens);
	tokens_faults(resolver, "/output_tokens", &request->output_tokens);
}

/* Returns tensor x pipeline x attention_data, as far as they are given. */
static int64_t pinned_accelerators(const struct serving_parallelism *pinned)
{
	int64_t tensor = pinned->tensor > 0 ? pinned->tensor : 1, pipeline = pinned->pipeline > 0 ? pinned->pipeline : 1;

	return tensor * pipeline * (pinned->attention_data > 0 ? pinned->attention_data : 1);
}

enum status resolve_performance(const struct resolver *resolver, const struct performance_request *request, struct performance_input *input)
{
	enum status model_status, status;
	size_t count;

	input->request = *request;
	input->candidate = NULL;
	model_status = resolve_model(resolver, &request->common.model, "/model", &input->model);
	performance_faults(resolver, request);
	if (!resolve_accelerator_given(&request->common.accelerator))
		return resolver_status(resolver);
	if (request->common.gpu_count < 1) {
		input->request.common.gpu_count = pinned_accelerators(&request->parallelism);
		findings_assume_number(resolver->findings, "gpu_count", (double)input->request.common.gpu_count,
			"/openapi.json: the pinned parallelism, or one accelerator without pins");
	}
	if (input->request.common.calibration == CALIBRATION_UNSET)
		input->request.common.calibration = CALIBRATION_MEASURED;
	resolve_instance(resolver, &input->request.common);
	if (model_status == STATUS_OK)
		resolve_published_precision(resolver, &input->model, &input->request.common.precision);
	status = resolve_candidates(resolver, &input->request.common, input->request.common.gpu_count, &input->candidate, &count);
	if (model_status != STATUS_OK)
		return model_status;
	no_generic_model(resolver, &input->model);
	resolve_layout(
		resolver, &input->model, input->candidate, status == STATUS_OK ? 1 : 0, &request->parallelism, input->request.common.gpu_count);
	default_engine(resolver, &input->request.engine);
	note_release(resolver, input->request.engine, request->engine_release);
	if (request->common.practice == PRACTICE_UNSET) {
		input->request.common.practice = PRACTICE_RECIPE;
		findings_assume_text(
			resolver->findings, "practice", "recipe", "E136: one replica at one operating point, as published measurements run it");
	}
	warn_of_length(resolver, &input->model, &request->prompt_tokens, &request->output_tokens);
	resolve_names(resolver, &input->request.common);
	return status != STATUS_OK ? status : resolver_status(resolver);
}
