#include "validation/serving_fits.h"

#include <math.h>

#include "planner/replica/replica_layout.h"

enum { CONTEXT_DOUBLINGS = 40, CONTEXT_BISECTIONS = 40 };

static const double knee_factor = 3;

static bool same_layout(const struct serving_parallelism *a, const struct serving_parallelism *b)
{
	return a->tensor == b->tensor && a->pipeline == b->pipeline && a->expert == b->expert && a->attention_data == b->attention_data;
}

static bool same_configuration(const struct serving_case *a, const struct serving_case *b)
{
	const struct performance_request *x = &a->input.request, *y = &b->input.request;

	return strcmp(a->model, b->model) == 0 && strcmp(a->accelerator, b->accelerator) == 0 && x->common.precision == y->common.precision &&
		x->kv_precision == y->kv_precision && x->engine == y->engine && same_layout(&x->parallelism, &y->parallelism);
}

const char *negative_name(enum negative negative)
{
	static const char *const names[NEGATIVE_COUNT] = {"weights larger than all memory", "one accelerator fewer than the weights need",
		"four times the longest context that fits in memory"};

	return names[negative];
}

/* True if the planner refuses the input for memory; false also if its layout is impossible. */
static bool is_refused(const struct performance_input *input)
{
	static struct performance performance;
	static struct failure failure;

	failure_clear(&failure);
	findings_clear(&performance.findings);
	return planner_performance(input, &performance, &failure) == STATUS_INFEASIBLE;
}

static struct performance_input on_gpus(const struct serving_case *item, int64_t tensor, int64_t pipeline)
{
	struct performance_input input = item->input;

	input.request.common.enforce_memory = TRUTH_UNSET;
	input.request.common.gpu_count = tensor * pipeline;
	input.request.parallelism.tensor = tensor;
	input.request.parallelism.pipeline = pipeline;
	input.request.parallelism.expert = input.request.parallelism.attention_data = 1;
	return input;
}

static void negative_count(const struct performance_input *input, enum negative negative, struct fits_judgement *judgement)
{
	judgement->made[negative]++;
	judgement->refused[negative] += is_refused(input);
}

static void judge_weights(const struct serving_case *item, struct fits_judgement *judgement)
{
	double weights_bytes = model_weight_bytes(&item->input.model, item->input.request.common.precision);
	double capacity_bytes = accelerator_capacity_bytes(&item->input.candidate->accelerator);
	int64_t needed = (int64_t)ceil(weights_bytes / capacity_bytes), most = 1;
	struct performance_input input;

	if (needed <= 1)
		return;
	while (2 * most < needed)
		most *= 2;
	input = on_gpus(item, most, 1);
	negative_count(&input, NEGATIVE_WEIGHTS, judgement);
	input = on_gpus(item, 1, needed - 1);
	negative_count(&input, NEGATIVE_ONE_FEWER, judgement);
}

static bool context_fits(const struct replica *replica, double context_tokens)
{
	return replica_fits(replica, context_tokens);
}

/* Returns the longest context of which one sequence fits; 0 if none fits, or if every one does (states do not grow). */
static double longest_context(const struct replica *replica)
{
	double low = 1, high = 1;

	if (!context_fits(replica, 1))
		return 0;
	for (int i = 0; i < CONTEXT_DOUBLINGS && context_fits(replica, high); i++)
		high *= 2;
	if (context_fits(replica, high))
		return 0;
	for (int i = 0; i < CONTEXT_BISECTIONS; i++) {
		double middle = (low + high) / 2;

		if (context_fits(replica, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void judge_context(const struct serving_case *item, struct fits_judgement *judgement)
{
	const struct performance_request *request = &item->input.request;
	struct replica_layout base = layout_base(&request->common, request->kv_precision, request->engine, request->engine_release,
							  &request->parallelism, item->input.candidate),
						  layout;
	struct performance_input input = item->input;
	struct replica replica;
	double longest = 0;

	if (layout_of_count(&request->parallelism, request->common.gpu_count, &base, &layout) &&
		replica_prepare(&replica, &item->input.model, &item->input.candidate->accelerator, NULL, &layout, &serving_constants))
		longest = longest_context(&replica);
	if (longest <= 0)
		return;
	input.request.common.enforce_memory = TRUTH_UNSET;
	input.request.prompt_tokens.mean = 4 * longest - 1;
	input.request.output_tokens.mean = 1;
	negative_count(&input, NEGATIVE_CONTEXT, judgement);
}

void fits_judge(struct serving_cases *cases, struct fits_judgement *judgement)
{
	*judgement = (struct fits_judgement){.ran = 0};
	for (size_t i = 0; i < cases->count; i++) {
		struct serving_case *item = &cases->items[i];
		struct serving_prediction prediction;
		bool seen = false;

		if (item->side)
			continue;
		serving_predict(item, &serving_constants, true, &prediction);
		judgement->ran++;
		judgement->ran_refused += prediction.refused;
		for (size_t j = 0; j < i && !seen; j++)
			seen = same_configuration(&cases->items[j], item);
		if (seen)
			continue;
		judge_weights(item, judgement);
		judge_context(item, judgement);
	}
}

static bool same_requests(const struct serving_case *a, const struct serving_case *b)
{
	const struct performance_request *x = &a->input.request, *y = &b->input.request;

	return same_configuration(a, b) && x->prompt_tokens.mean == y->prompt_tokens.mean && x->output_tokens.mean == y->output_tokens.mean &&
		x->requests == y->requests;
}

static void step_add(struct serving_case *item, struct sweep *sweep)
{
	struct serving_prediction prediction;
	size_t at = sweep->count++;

	CHECK(sweep->count <= SWEEP_STEPS_MAX);
	serving_predict(item, &serving_constants, true, &prediction);
	for (; at > 0 && sweep->rates[at - 1] > item->input.request.requests_per_s; at--) {
		sweep->rates[at] = sweep->rates[at - 1];
		sweep->observed_ms[at] = sweep->observed_ms[at - 1];
		sweep->predicted_ms[at] = sweep->predicted_ms[at - 1];
	}
	sweep->rates[at] = item->input.request.requests_per_s;
	sweep->observed_ms[at] = item->observed;
	sweep->predicted_ms[at] = prediction.value;
}

static size_t knee_of(const double *ttft_ms, size_t steps)
{
	size_t at = 0;

	while (at < steps && ttft_ms[at] <= knee_factor * ttft_ms[0])
		at++;
	return at;
}

size_t sweeps_judge(struct serving_cases *cases, struct sweep *sweeps)
{
	size_t found = 0, kept = 0;

	for (size_t i = 0; i < cases->count; i++) {
		struct serving_case *item = &cases->items[i];
		size_t s = 0;

		if (item->run != RUN_ARRIVALS || item->quantity != QUANTITY_TTFT)
			continue;
		while (s < found && !same_requests(sweeps[s].first, item))
			s++;
		CHECK(s < SWEEPS_MAX);
		if (s == found)
			sweeps[found++] = (struct sweep){.first = item};
		step_add(item, &sweeps[s]);
	}
	for (size_t s = 0; s < found; s++)
		if (sweeps[s].count >= 3)
			sweeps[kept++] = sweeps[s];
	for (size_t s = 0; s < kept; s++) {
		sweeps[s].observed_knee = knee_of(sweeps[s].observed_ms, sweeps[s].count);
		sweeps[s].predicted_knee = knee_of(sweeps[s].predicted_ms, sweeps[s].count);
	}
	return kept;
}
