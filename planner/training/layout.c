#include "planner/training/layout.h"

enum { TENSOR_MAX = 64, MICRO_BATCH_MAX = 128, MICRO_BATCH_GENERIC_MAX = 65536, INTERLEAVE_MAX = 64, CONTEXT_MAX = 64 };

/* Sequences shorter than this a context rank are not worth splitting: the search does not try them. */
static const double context_least_tokens = 8192;

struct trial {
	struct layout_search *search;
	struct found tight; /* the fastest that fits, but only just */
	double comfortable_bytes;
	struct parallelism layout;
	struct stages stages;
};

static bool pinned(int64_t pin)
{
	return pin >= 0;
}

static bool allowed(int64_t pin, int64_t value)
{
	return pin < 0 || pin == value;
}

static bool heads_divide(const struct model *model, int64_t tensor)
{
	for (int k = 0; k < model->kind_count; k++)
		if (model->kinds[k].heads > 0 && model->kinds[k].heads % tensor)
			return false;
	return true;
}

static int experts_of(const struct model *model)
{
	int experts = 0;

	for (int k = 0; k < model->kind_count; k++)
		if (model->kinds[k].feed_forward == FEED_FORWARD_EXPERTS && model->kinds[k].experts > experts)
			experts = model->kinds[k].experts;
	return experts;
}

static int64_t layers_of(const struct model *model)
{
	return model->kind == MODEL_GENERIC ? 1 : model->layer_count > 0 ? model->layer_count : 1;
}

int64_t layout_pinned_gpu_count(const struct parallelism *pins)
{
	if (!pinned(pins->tensor) || !pinned(pins->pipeline) || !pinned(pins->data) || !pinned(pins->context))
		return ABSENT_COUNT;
	return pins->tensor * pins->pipeline * pins->data * pins->context;
}

/* A bound below any step's time for one sample: what the layers compute at unlimited size, and the bubble. */
static double least_sample_s(const struct trial *trial)
{
	const struct setting *setting = trial->search->setting;
	const struct parallelism *layout = &trial->layout;
	double bubble = (double)(layout->pipeline - 1) / (double)layout->interleave / degrees_of(setting, layout).micro_batches;
	double token_s = setting->least_token_s + (layout->recompute == RECOMPUTE_FULL ? setting->least_again_token_s : 0);

	/* stages are uneven by a layer at most: the others' sum, which the bubble is made of, is a little below the longest's */
	return setting->sequence * token_s / (double)trial->search->gpu_count * (1 + 0.8 * bubble);
}

static double sample_s(const struct step_result *step)
{
	return step->time.time_s / step->samples;
}

/* Times the layout if it fits. True when it does and leaves room, or when it is too slow to matter. */
static bool trial_time(struct trial *trial)
{
	struct layout_search *search = trial->search;
	struct found *kept = &search->best;
	struct memory_use memory;
	struct step_result step;
	bool comfortable;

	if (search->best.any && least_sample_s(trial) >= sample_s(&search->best.step))
		return true;
	memory_of_layout(search->setting, &trial->layout, &trial->stages, &memory);
	search->evaluated++;
	if (!search->least.any || memory.total_bytes < search->least.memory.total_bytes)
		search->least = (struct found){.any = true, .layout = trial->layout, .memory = memory};
	if (memory.total_bytes > memory.capacity_bytes)
		return false;
	search->feasible++;
	comfortable = memory.total_bytes <= trial->comfortable_bytes;
	if (!comfortable && search->best.any)
		return false;
	if (!comfortable)
		kept = &trial->tight;
	step_of_layout(search->setting, &trial->layout, &trial->stages, &step);
	if (!kept->any || sample_s(&step) < sample_s(&kept->step))
		*kept = (struct found){.any = true, .fits = true, .layout = trial->layout, .step = step, .memory = memory};
	return comfortable;
}

/* Less recomputation is never slower: the first that fits is the best. */
static bool trial_recompute(struct trial *trial)
{
	static const enum recompute order[] = {RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL};

	for (size_t i = 0; i < COUNT_OF(order); i++) {
		if (trial->search->pins.recompute != RECOMPUTE_UNSET && trial->search->pins.recompute != order[i])
			continue;
		trial->layout.recompute = order[i];
		if (trial_time(trial))
			return true;
	}
	return false;
}

static int zero_most(const struct trial *trial)
{
	const struct software *software = &trial->search->setting->software;

	return trial->layout.pipeline > 1 ? software->zero_most_piped : software->zero_most;
}

/* ZeRO-1 (the optimizer's states spread) costs no more than none; 2 and 3 are tried where it does not fit. Whole-model
 * sharding software runs 3. */
static bool trial_zero(struct trial *trial)
{
	const struct parallelism *pins = &trial->search->pins;
	int first = trial->search->setting->software.blocks ? 3 : 1, last = zero_most(trial);
	bool fits = false;

	if (pinned(pins->zero_stage))
		first = last = (int)pins->zero_stage;
	for (int stage = first; stage <= last && !fits; stage++) {
		trial->layout.zero_stage = stage;
		trial->layout.zero_group = pinned(pins->zero_group) ? pins->zero_group : trial->layout.data * trial->layout.context;
		fits = trial_recompute(trial);
	}
	return fits;
}

static void trial_micro_batch(struct trial *trial)
{
	const struct layout_search *search = trial->search;
	int64_t most = (int64_t)ceil(search->setting->batch / (double)trial->layout.data - 1e-9), pin = search->pins.micro_batch;
	int64_t largest = search->setting->model->kind == MODEL_GENERIC ? MICRO_BATCH_GENERIC_MAX : MICRO_BATCH_MAX;

	if (pinned(pin)) {
		trial->layout.micro_batch = pin;
		trial_zero(trial);
		return;
	}
	for (int64_t size = 1; size <= largest && size <= most; size *= 2) {
		trial->layout.micro_batch = size;
		if (!trial_zero(trial))
			return; /* memory grows with the micro-batch */
	}
}

static void trial_interleave(struct trial *trial)
{
	const struct setting *setting = trial->search->setting;
	int64_t layers = layers_of(setting->model), pipeline = trial->layout.pipeline;
	int64_t slots = layers + 2; /* chunks for embedding and loss may hold no layer */

	for (int64_t v = 1; v <= INTERLEAVE_MAX && (v == 1 || (pipeline > 1 && pipeline * v <= slots)); v++) {
		if (!allowed(trial->search->pins.interleave, v))
			continue;
		if (v > 2 && !pinned(trial->search->pins.interleave) && layers % (pipeline * v) && (layers + 2) % (pipeline * v))
			continue;
		trial->layout.interleave = v;
		stages_split(setting->model, (int)pipeline, (int)v, setting->software.balances_ends, &trial->stages);
		trial_micro_batch(trial);
	}
}

/* False when these degrees do not fit however lean the rest is: everything that is free at its least. */
static bool trial_can_fit(struct trial *trial)
{
	const struct parallelism *pins = &trial->search->pins;
	const struct setting *setting = trial->search->setting;
	struct memory_use memory;

	trial->layout.interleave = pinned(pins->interleave) ? pins->interleave : 1;
	trial->layout.micro_batch = pinned(pins->micro_batch) ? pins->micro_batch : 1;
	trial->layout.zero_stage = pinned(pins->zero_stage) ? pins->zero_stage : zero_most(trial);
	trial->layout.zero_group = pinned(pins->zero_group) ? pins->zero_group : trial->layout.data * trial->layout.context;
	trial->layout.recompute = pins->recompute != RECOMPUTE_UNSET ? pins->recompute : RECOMPUTE_FULL;
	if ((trial->layout.interleave > 1 && trial->layout.pipeline == 1) ||
		trial->layout.pipeline * trial->layout.interleave > layers_of(setting->model) + 2)
		return true; /* nothing will be tried */
	stages_split(setting->model, (int)trial->layout.pipeline, (int)trial->layout.interleave, setting->software.balances_ends, &trial->stages);
	memory_of_layout(setting, &trial->layout, &trial->stages, &memory);
	if (memory.total_bytes > memory.capacity_bytes)
		trial->search->evaluated++;
	if (!trial->search->least.any || memory.total_bytes < trial->search->least.memory.total_bytes)
		trial->search->least = (struct found){.any = true, .layout = trial->layout, .memory = memory};
	return memory.total_bytes <= memory.capacity_bytes;
}

static bool everything_pinned(const struct parallelism *pins)
{
	return pinned(pins->interleave) && pinned(pins->micro_batch) && pinned(pins->zero_stage) && pins->recompute != RECOMPUTE_UNSET;
}

static void trial_expert(struct trial *trial)
{
	int64_t ranks = trial->layout.tensor * trial->layout.context * trial->layout.data, pin = trial->search->pins.expert;
	int experts = experts_of(trial->search->setting->model);

	for (int64_t e = 1; e <= ranks && (e == 1 || e <= experts); e *= 2) {
		int64_t degree = pinned(pin) ? pin : e;

		if (degree >= 1 && ranks % degree == 0 && (degree == 1 || (experts > 0 && experts % degree == 0))) {
			trial->layout.expert = degree;
			if (everything_pinned(&trial->search->pins) || trial_can_fit(trial))
				trial_interleave(trial);
		}
		if (pinned(pin))
			return;
	}
}

static void trial_context(struct trial *trial, int64_t rest)
{
	const struct layout_search *search = trial->search;
	double longest = search->setting->sequence / context_least_tokens;

	for (int64_t c = 1; c <= rest && c <= CONTEXT_MAX; c++) {
		if (rest % c || !allowed(search->pins.context, c) || !allowed(search->pins.data, rest / c))
			continue;
		if (!pinned(search->pins.context) && !pinned(search->pins.data) && c > 1 && ((double)c > longest || (c & (c - 1))))
			continue;
		trial->layout.context = c;
		trial->layout.data = rest / c;
		if ((double)trial->layout.data <= search->setting->batch || pinned(search->pins.data))
			trial_expert(trial);
	}
}

static bool tensor_worth_trying(const struct layout_search *search, int64_t tensor)
{
	const struct setting *setting = search->setting;

	if (search->gpu_count % tensor || !allowed(search->pins.tensor, tensor) || !heads_divide(setting->model, tensor))
		return false;
	if (pinned(search->pins.tensor) || tensor == 1)
		return true;
	return tensor <= setting->device.domain && (tensor & (tensor - 1)) == 0 && setting->model->kind != MODEL_GENERIC &&
		(tensor <= 8 || tensor <= setting->device.node);
}

void layout_search(struct layout_search *search)
{
	struct trial trial = {.search = search};
	int64_t layers = layers_of(search->setting->model);

	search->best = search->least = trial.tight = (struct found){.any = false};
	trial.comfortable_bytes = accelerator_capacity_bytes(&search->setting->candidate->accelerator) *
		(pinned(search->pins.tensor) || pinned(search->pins.pipeline) || pinned(search->pins.micro_batch) ? 1 : LAYOUT_COMFORTABLE_FILL);
	trial.layout.offload = search->pins.offload == TRUTH_TRUE ? TRUTH_TRUE : TRUTH_FALSE;
	for (int64_t t = 1; t <= TENSOR_MAX && t <= search->gpu_count; t++) {
		if (!tensor_worth_trying(search, t))
			continue;
		trial.layout.tensor = t;
		trial.layout.sequence_parallel = search->pins.sequence_parallel != TRUTH_UNSET ? search->pins.sequence_parallel
			: t > 1 && search->setting->software.fused_attention ? TRUTH_TRUE : TRUTH_FALSE;
		for (int64_t p = 1; p <= layers && p <= PIPELINE_STAGES_MAX && t * p <= search->gpu_count; p++) {
			if (search->gpu_count % (t * p) || !allowed(search->pins.pipeline, p))
				continue;
			trial.layout.pipeline = p;
			trial_context(&trial, search->gpu_count / (t * p));
		}
	}
	if (!search->best.any)
		search->best = trial.tight;
}

bool layout_pins_possible(const struct setting *setting, int64_t gpu_count, const struct parallelism *pins, struct failure *failure)
{
	const struct model *model = setting->model;
	int64_t t = pinned(pins->tensor) ? pins->tensor : 1, p = pinned(pins->pipeline) ? pins->pipeline : 1;
	int64_t c = pinned(pins->context) ? pins->context : 1, d = pinned(pins->data) ? pins->data : 1;
	int64_t v = pinned(pins->interleave) ? pins->interleave : 1, e = pins->expert, inner = t * p * c * d;
	size_t before = failure->fault_total;
	int64_t slots = v > 1 ? layers_of(model) + 2 : layers_of(model); /* interleaved chunks for embedding and loss may hold no layer */
	int experts = experts_of(model);

	if (gpu_count >= 1 && (gpu_count % inner || (layout_pinned_gpu_count(pins) >= 0 && inner != gpu_count)))
		failure_add(failure, "/parallelism", "impossible", "tensor x pipeline x data x context must be the %lld accelerators; the given degrees make %lld",
			(long long)gpu_count, (long long)inner);
	if (t > TENSOR_MAX || !heads_divide(model, t))
		failure_add(failure, "/parallelism/tensor", "impossible", "must be at most %d and divide the model's attention heads (%d)", TENSOR_MAX,
			model->kind_count > 0 ? model->kinds[0].heads : 0);
	if (p > PIPELINE_STAGES_MAX || p * v > slots)
		failure_add(failure, "/parallelism/pipeline", "impossible", "pipeline x interleave is at most the model's %lld layers", (long long)layers_of(model));
	if (pinned(e) && e != 1 && (experts == 0 || experts % e || (gpu_count >= 1 && gpu_count / p % e)))
		failure_add(failure, "/parallelism/expert", "impossible", "must divide the model's %d experts and tensor x context x data", experts);
	if (setting->batch > 0 && (double)d > setting->batch)
		failure_add(failure, "/parallelism/data", "impossible", "a step of %.0f samples cannot feed %lld data-parallel ranks", setting->batch, (long long)d);
	if (v > INTERLEAVE_MAX || (v > 1 && pinned(pins->pipeline) && p == 1))
		failure_add(failure, "/parallelism/interleave", "impossible", "must be 1 without a pipeline, and at most %d", INTERLEAVE_MAX);
	if (c > CONTEXT_MAX || (double)c > setting->sequence)
		failure_add(failure, "/parallelism/context", "impossible", "must be at most %d and the sequence's tokens", CONTEXT_MAX);
	return failure->fault_total == before;
}
