#include "planner/step/layout.h"

enum { MICRO_BATCH_MAX = 128, MICRO_BATCH_GENERIC_MAX = 65536, MICRO_BATCHES_MAX = 17, SHARDINGS_MAX = 32 };

/* The search splits no sequence into parts shorter than this. A described run that does not mention context parallelism
 * has it only where its sequences are long. */
static const double context_least_tokens = 1024, context_described_least_tokens = 8192;

/* Times that layouts of one tensor, context and expert degree and one micro-batch share; both by enum recompute. */
struct shared {
	bool made;
	struct step_parts parts[RECOMPUTE_COUNT];
	double all_s[RECOMPUTE_COUNT]; /* one micro-batch through all layers */
};

struct trial {
	struct layout_search *search;
	struct found tight; /* the fastest layout that fits, but fills more than comfortable_bytes */
	bool described;     /* pinned degrees describe a run: absent members take their usual value where there is one */
	double capacity_bytes, comfortable_bytes, layers[MODEL_LAYER_KINDS_MAX]; /* layers: of each kind */
	struct parallelism layout;
	struct stages stages;
	struct memory_parts memory;
	struct degrees degrees;
	double least_exchange_s; /* s a token: exchange of all layers between tensor and expert ranks */
	bool stepped;            /* `step` is filled: of ZeRO-1 over all ranks, valid while only ZeRO stage and group change */
	struct step_result step;
	struct shared shared[MICRO_BATCHES_MAX];
	struct known_layers { /* of these tensor and expert degrees: by enum recompute, and by whether layers keep their activations */
		bool made;
		struct memory_layers layers;
	} held[RECOMPUTE_COUNT][2];
	int sharding_count; /* of these tensor, pipeline, data, context and expert degrees */
	struct known_sharding {
		int64_t zero_stage, zero_group;
		struct sharding sharding;
	} shardings[SHARDINGS_MAX];
};

static bool pinned(int64_t pin)
{
	return pin >= 0;
}

static bool allowed(int64_t pin, int64_t value)
{
	return pin < 0 || pin == value;
}

/* Returns the time by which the search compares layouts, in s a sample. It leaves out the wait for samples, which fills
 * every step up to the same time. */
static double sample_s(const struct step_result *step)
{
	return (step->time.time_s - step->time.input_wait_s) / step->samples;
}

/* Returns the time of one micro-batch through all layers, in s. */
static double layers_s(const struct trial *trial, const struct step_parts *parts)
{
	double all_s = layer_time_total_s(&parts->ends);

	for (int k = 0; k < parts->kinds; k++)
		all_s += layer_time_total_s(&parts->layers[k]) * trial->layers[k];
	return all_s;
}

static const struct shared *trial_shared(struct trial *trial, int size)
{
	const struct setting *setting = trial->search->setting;
	struct shared *shared = &trial->shared[size];

	if (shared->made)
		return shared;
	shared->made = true;
	step_parts_each(setting, &trial->layout, shared->parts);
	for (int recompute = RECOMPUTE_NONE; recompute < RECOMPUTE_COUNT; recompute++)
		shared->all_s[recompute] = layers_s(trial, &shared->parts[recompute]);
	return shared;
}

static void trial_forget(struct trial *trial)
{
	for (size_t i = 0; i < COUNT_OF(trial->shared); i++)
		trial->shared[i].made = false;
	for (int recompute = 0; recompute < RECOMPUTE_COUNT; recompute++)
		trial->held[recompute][0].made = trial->held[recompute][1].made = false;
}

/* Fills the memory of the stages of the trial's layout. */
static void trial_memory_parts(struct trial *trial, struct memory_parts *parts)
{
	const struct setting *setting = trial->search->setting;
	struct known_layers *known = &trial->held[trial->layout.recompute][trial->layout.kept_layers > 0];

	if (!known->made)
		memory_layers_of(setting, &trial->layout, &known->layers);
	known->made = true;
	memory_parts_of(setting, &trial->layout, &trial->degrees, &known->layers, &trial->stages, parts);
}

/* Returns the sharding of a layout with the trial's degrees. A micro-batch changes it only in whether ZeRO-2 scatters
 * with every micro-batch. */
static const struct sharding *trial_sharding(struct trial *trial, const struct parallelism *layout)
{
	struct degrees degrees = trial->degrees;
	struct known_sharding *known = trial->shardings, *end = trial->shardings + trial->sharding_count;

	degrees.zero_group = (double)layout->zero_group;
	while (known < end &&
		(known->zero_stage != layout->zero_stage || known->zero_group != layout->zero_group ||
			known->sharding.scatters != sharding_scatters(layout, &degrees)))
		known++;
	if (known < end)
		return &known->sharding;
	if (trial->sharding_count == SHARDINGS_MAX)
		known--;
	else
		trial->sharding_count++;
	known->zero_stage = layout->zero_stage;
	known->zero_group = layout->zero_group;
	sharding_of(trial->search->setting, layout, &degrees, &known->sharding);
	return &known->sharding;
}

/* Returns a bound below the layout's time for one sample, in s: its layers, spread evenly over the stages, and nothing
 * beside them. Given: all_s, at most the time of one micro-batch through all layers. */
static double least_sample_s(const struct trial *trial, double all_s)
{
	const struct degrees *degrees = &trial->degrees;

	return pipeline_time_s(all_s / degrees->pipeline, all_s, degrees->micro_batches, degrees->pipeline, degrees->interleave) / degrees->batch;
}

/* As least_sample_s(), from the work of the layers and the exchange of tensor and expert ranks: known before any layer
 * is timed. */
static double least_arithmetic_s(const struct trial *trial)
{
	const struct setting *setting = trial->search->setting;
	double again_s = trial->layout.recompute == RECOMPUTE_FULL && trial->layout.kept_layers <= 0 ? setting->least_again_token_s : 0;

	return least_sample_s(
		trial, trial->degrees.rows * ((setting->least_token_s + again_s) / trial->degrees.tensor + trial->least_exchange_s));
}

/* True if a layout with this lower bound cannot be faster than the best so far. */
static bool too_slow(const struct trial *trial, double least_s)
{
	const struct layout_search *search = trial->search;

	return search->best.any && !search->exhaustive && least_s >= sample_s(&search->best.step);
}

static void least_keep(struct layout_search *search, const struct parallelism *layout, const struct memory_use *memory)
{
	if (!search->least.any || memory->total_bytes < search->least.memory.total_bytes)
		search->least = (struct found){.any = true, .layout = *layout, .memory = *memory};
}

/* As sample_s(), without the costs of sharding: gathers, exchange of gradients and update. */
static double unsharded_sample_s(const struct step_result *step)
{
	return sample_s(step) - (step->time.data_comm_exposed_s + step->time.optimizer_s + step->time.host_transfer_s) / step->samples;
}

/* Returns the step of the layout with its optimizer sharded over all ranks. Without its costs of sharding this is a
 * bound below every other ZeRO stage and group. */
static const struct step_result *trial_step(struct trial *trial, const struct shared *shared)
{
	struct parallelism layout = trial->layout;

	if (trial->stepped)
		return &trial->step;
	layout.zero_stage = 1;
	layout.zero_group = layout.data * layout.context;
	step_of_parts(trial->search->setting, &layout, &trial->stages, &shared->parts[layout.recompute], &shared->parts[RECOMPUTE_NONE],
		trial_sharding(trial, &layout), &trial->step);
	trial->stepped = true;
	return &trial->step;
}

/* Times the layout, which fits, unless the bound shows that it cannot be the fastest. */
static void trial_time(struct trial *trial, const struct shared *shared, const struct memory_use *memory, struct found *kept)
{
	const struct setting *setting = trial->search->setting;
	const struct parallelism *layout = &trial->layout;
	bool whole = layout->kept_layers == 0 || layout->kept_layers == trial->search->pins.kept_layers;
	struct step_result step;

	if (whole && layout->zero_stage == 1 && layout->zero_group == layout->data * layout->context) {
		step = *trial_step(trial, shared);
	} else {
		if (whole && too_slow(trial, unsharded_sample_s(trial_step(trial, shared))))
			return;
		step_of_parts(setting, layout, &trial->stages, &shared->parts[layout->recompute], &shared->parts[RECOMPUTE_NONE],
			trial_sharding(trial, layout), &step);
	}
	if (!kept->any || sample_s(&step) < sample_s(&kept->step))
		*kept = (struct found){.any = true, .fits = true, .layout = *layout, .step = step, .memory = *memory};
}

/* True if the layout fits comfortably when `layers` layers of each stage keep their activations. */
static bool fits_keeping(struct trial *trial, int64_t layers, struct memory_use *memory)
{
	UNCLEARED struct memory_parts parts;

	trial->layout.kept_layers = layers;
	trial_memory_parts(trial, &parts);
	(void)memory_of_parts(trial->search->setting, &trial->layout, &trial->degrees, &parts, trial->comfortable_bytes, memory);
	return memory->total_bytes <= trial->comfortable_bytes;
}

/* Returns the fewest layers of a stage that must keep their activations for the layout to be faster than the best so
 * far. Each saves at most the recomputation of the slowest kind of layer. */
static int64_t kept_at_least(const struct trial *trial, const struct shared *shared)
{
	const struct layout_search *search = trial->search;
	double spared_s = 0, bound_s = least_sample_s(trial, shared->all_s[RECOMPUTE_FULL]), spared_sample_s, best_s;

	if (!search->best.any || search->exhaustive)
		return 1;
	for (int k = 0; k < shared->parts[RECOMPUTE_FULL].kinds; k++)
		spared_s = fmax(spared_s,
			layer_time_total_s(&shared->parts[RECOMPUTE_FULL].layers[k]) - layer_time_total_s(&shared->parts[RECOMPUTE_NONE].layers[k]));
	spared_sample_s = least_sample_s(trial, spared_s * trial->degrees.pipeline);
	best_s = sample_s(&search->best.step);
	return bound_s <= best_s || !(spared_sample_s > 0)
		? 1
		: (int64_t)fmin(1e9, fmax(1, floor((bound_s - best_s) / spared_sample_s * (1 - 1e-9))));
}

/* A dropped activation saves at most itself, the space between its blocks, and what the allocator keeps of it (E38). */
static const double saved_at_most = 1.25;

/* Where not all activations fit, but full recomputation saves more than needed: as many layers keep theirs as fit. */
static void trial_keep_some(struct trial *trial, const struct shared *shared, const struct memory_use *keeping_all)
{
	struct layout_search *search = trial->search;
	int64_t fitting = 0, least = kept_at_least(trial, shared), over = stage_layers(&trial->stages, 0);
	struct memory_use memory, fits = {0};

	if (trial->stages.count > 1 && stage_layers(&trial->stages, 1) > over)
		over = stage_layers(&trial->stages, 1);
	if (least >= over ||
		keeping_all->total_bytes - saved_at_most * keeping_all->activations_bytes * (1 - (double)least / (double)over) >
			trial->comfortable_bytes)
		return;
	trial->layout.recompute = RECOMPUTE_FULL;
	while (over - fitting > 1) {
		int64_t middle = fitting == 0 ? least : (fitting + over) / 2;

		if (middle < over && fits_keeping(trial, middle, &memory)) {
			fitting = middle;
			fits = memory;
		} else if (fitting == 0) {
			break;
		} else {
			over = middle;
		}
	}
	trial->layout.kept_layers = fitting;
	if (fitting > 0) {
		search->evaluated++;
		search->feasible++;
		trial_time(trial, shared, &fits, &search->best);
	}
	trial->layout.kept_layers = 0;
	trial->layout.recompute = RECOMPUTE_NONE;
}

/* True if the gathers and scatters of every micro-batch alone make the layout slower than the best so far. */
static bool scatters_too_slowly(struct trial *trial, const struct shared *shared)
{
	const struct parallelism *layout = &trial->layout;
	const struct sharding *sharding;
	UNCLEARED struct step_parts own;

	if (!trial->search->best.any || trial->search->exhaustive || layout->zero_stage < 2)
		return false;
	sharding = trial_sharding(trial, layout);
	return sharding->scatters && !sharding->once &&
		too_slow(trial,
			least_sample_s(trial,
				layers_s(trial,
					step_parts_scattered(trial->search->setting, layout, sharding,
						&shared->parts[layout->kept_layers > 0 ? RECOMPUTE_NONE : layout->recompute], &own))));
}

static bool trial_may_keep_some(const struct trial *trial)
{
	const struct parallelism *pins = &trial->search->pins;

	return trial->layout.recompute == RECOMPUTE_NONE && pins->recompute == RECOMPUTE_UNSET && !pinned(pins->kept_layers);
}

/* True if the search can skip the layout's ZeRO stages from `first` to `last` with all their groups: none fits, none
 * would fit with some layers recomputed, and, where the leanest layout is searched, none needs less memory than the
 * leanest. */
static bool nothing_fits(struct trial *trial, int first, int last)
{
	const struct layout_search *search = trial->search;
	struct parallelism leanest = trial->layout;
	struct memory_bounds bounds;

	if (search->exhaustive || (search->setting->software.blocks && first != last))
		return false;
	leanest.zero_stage = last;
	trial->degrees.zero_group = (double)leanest.zero_group;
	bounds = memory_bounds_of_parts(search->setting, &leanest, &trial->degrees, &trial->memory, saved_at_most);
	if (bounds.total_bytes <= trial->capacity_bytes || (trial_may_keep_some(trial) && bounds.spared_bytes <= trial->comfortable_bytes))
		return false;
	return search->best.any || trial->tight.any || (search->least.any && bounds.total_bytes >= search->least.memory.total_bytes);
}

/* Counts the layout's memory and, if it fits, times it. */
static void trial_judge(struct trial *trial, const struct shared *shared)
{
	struct layout_search *search = trial->search;
	bool may_keep_some = trial_may_keep_some(trial);
	bool none = !search->best.any && !trial->tight.any; /* then the leanest is searched */
	struct memory_use memory;
	struct found *kept;

	if (scatters_too_slowly(trial, shared))
		return;
	trial->degrees.zero_group = (double)trial->layout.zero_group;
	(void)memory_of_parts(search->setting, &trial->layout, &trial->degrees, &trial->memory,
		none || may_keep_some ? INFINITY : trial->capacity_bytes, &memory);
	search->evaluated++;
	if (none)
		least_keep(search, &trial->layout, &memory);
	if (memory.total_bytes > trial->comfortable_bytes && may_keep_some)
		trial_keep_some(trial, shared, &memory);
	if (memory.total_bytes > memory.capacity_bytes)
		return;
	search->feasible++;
	kept = memory.total_bytes <= trial->comfortable_bytes ? &search->best : &trial->tight;
	if (kept == &search->best || !search->best.any || search->exhaustive)
		trial_time(trial, shared, &memory, kept);
}

static int zero_most_of(const struct trial *trial, int64_t pipeline)
{
	const struct software *software = &trial->search->setting->software;

	return pipeline > 1 ? software->zero_most_piped : software->zero_most;
}

/* Whole-model sharding software runs ZeRO stage 3. */
static int zero_least(const struct trial *trial)
{
	return trial->search->setting->software.blocks ? 3 : 1;
}

/* True if the search tries no ZeRO at all: the whole update on every rank beside one all-reduce. That is best for small
 * models, where ZeRO's exchange costs more than the update that it saves. A described run that does not mention ZeRO has
 * its usual stage 1. */
static bool zero_may_be_none(const struct trial *trial, int64_t ranks)
{
	return !pinned(trial->search->pins.zero_stage) && !trial->described && zero_least(trial) <= 1 && ranks > 1;
}

/* Judges all ZeRO stages and groups of the layout. Whole-model sharding may stay inside groups of ranks (hybrid): it
 * gathers from fewer ranks, and each stores more. */
static void trial_zero(struct trial *trial, const struct shared *shared)
{
	const struct parallelism *pins = &trial->search->pins;
	int64_t ranks = trial->layout.data * trial->layout.context;
	int first = zero_least(trial), last = zero_most_of(trial, trial->layout.pipeline);

	trial->stepped = false;
	trial_memory_parts(trial, &trial->memory);
	if (pinned(pins->zero_stage))
		first = last = (int)pins->zero_stage;
	trial->layout.zero_group = pinned(pins->zero_group) ? pins->zero_group : ranks;
	if (nothing_fits(trial, zero_may_be_none(trial, ranks) ? 0 : first, last))
		return;
	if (trial->search->best.any && too_slow(trial, unsharded_sample_s(trial_step(trial, shared))))
		return;
	for (trial->layout.zero_stage = first; trial->layout.zero_stage <= last; trial->layout.zero_stage++)
		trial_judge(trial, shared);
	if (zero_may_be_none(trial, ranks)) {
		trial->layout.zero_stage = 0;
		trial_judge(trial, shared);
	}
	if (last < 3 || trial->described || pinned(pins->zero_group))
		return;
	trial->layout.zero_stage = 3;
	for (int64_t group = ranks / 2; group >= 2 && ranks % group == 0; group /= 2) {
		trial->layout.zero_group = group;
		trial_judge(trial, shared);
	}
}

/* True if the pins allow it: layers that keep their activations are part of full recomputation. */
static bool recompute_allowed(const struct parallelism *pins, enum recompute recompute)
{
	return (pins->recompute == RECOMPUTE_UNSET || pins->recompute == recompute) &&
		((pins->kept_layers <= 0 && pins->offload_activations != TRUTH_TRUE) || recompute == RECOMPUTE_FULL);
}

/* True if the search may offload layers' inputs: the request does not say, and the software offloads them where memory
 * is short, or the optimizer is on the host already (DeepSpeed's cpu_checkpointing). */
static bool may_offload_inputs(const struct layout_search *search)
{
	return (search->setting->software.offloads_inputs || search->pins.offload == TRUTH_TRUE) &&
		search->pins.offload_activations == TRUTH_UNSET && search->setting->model->kind != MODEL_GENERIC;
}

static enum truth leanest_offload(const struct layout_search *search, enum recompute recompute)
{
	return may_offload_inputs(search) && recompute == RECOMPUTE_FULL ? TRUTH_TRUE : search->pins.offload_activations;
}

static void trial_recompute(struct trial *trial, int size)
{
	const struct parallelism *pins = &trial->search->pins;
	const struct shared *shared;

	trial->degrees = degrees_of(trial->search->setting, &trial->layout);
	for (int recompute = RECOMPUTE_NONE; recompute < RECOMPUTE_COUNT; recompute++) {
		trial->layout.recompute = (enum recompute)recompute;
		trial->layout.offload_activations = pins->offload_activations;
		trial->layout.kept_layers = recompute == RECOMPUTE_FULL && pins->kept_layers > 0 ? pins->kept_layers : 0;
		if (!recompute_allowed(pins, trial->layout.recompute) || too_slow(trial, least_arithmetic_s(trial)))
			continue;
		shared = trial_shared(trial, size);
		if (too_slow(trial, least_sample_s(trial, shared->all_s[trial->layout.kept_layers > 0 ? RECOMPUTE_NONE : recompute])))
			continue;
		trial_zero(trial, shared);
		if (recompute != RECOMPUTE_FULL || !may_offload_inputs(trial->search))
			continue;
		trial->layout.offload_activations = TRUTH_TRUE;
		trial_zero(trial, shared);
		trial->layout.offload_activations = pins->offload_activations;
	}
}

/* True if a batch may grow to what the degrees need. A batch that the planner chose may do so only where pins leave no
 * choice of degrees: otherwise a pin would change the batch, and with it the steps. */
static bool may_fill(const struct trial *trial)
{
	const struct layout_search *search = trial->search;

	return !search->setting->batch_free || pinned(search->pins.data) || (pinned(search->pins.tensor) && pinned(search->pins.pipeline));
}

static void trial_micro_batch(struct trial *trial)
{
	const struct layout_search *search = trial->search;
	int64_t most = (int64_t)ceil(search->setting->batch / (double)trial->layout.data - 1e-9), pin = search->pins.micro_batch;
	int64_t largest = search->setting->model->kind == MODEL_GENERIC ? MICRO_BATCH_GENERIC_MAX : MICRO_BATCH_MAX;
	int size = 0;

	if (pinned(pin)) {
		trial->layout.micro_batch = pin;
		if (pin <= most || may_fill(trial))
			trial_recompute(trial, 0);
		return;
	}
	for (int64_t micro_batch = 1; micro_batch <= largest && micro_batch <= most; micro_batch *= 2, size++) {
		trial->layout.micro_batch = micro_batch;
		trial_recompute(trial, size);
	}
}

static void trial_interleave(struct trial *trial)
{
	const struct setting *setting = trial->search->setting;
	int64_t layers = layout_layers(setting->model), pipeline = trial->layout.pipeline, pin = trial->search->pins.interleave;
	int64_t slots = layers + 2; /* chunks for embedding and loss may be empty of layers */

	for (int64_t v = 1; v <= LAYOUT_INTERLEAVE_MAX && (v == 1 || (pipeline > 1 && pipeline * v <= slots)); v++) {
		if (!allowed(pin, v))
			continue;
		if (v > 2 && !pinned(pin) &&
			((trial->described && v > LAYOUT_INTERLEAVE_USUAL_MAX) || (layers % (pipeline * v) && slots % (pipeline * v))))
			continue;
		trial->layout.interleave = v;
		stages_split(setting->model, (int)pipeline, (int)v, setting->software.balances_ends, &trial->stages);
		trial_micro_batch(trial);
	}
}

/* False if these degrees do not fit however lean the rest is. Then counts one of their leanest layouts for `least`. */
static bool trial_can_fit(struct trial *trial)
{
	const struct parallelism *pins = &trial->search->pins;
	const struct setting *setting = trial->search->setting;
	struct parallelism *layout = &trial->layout;
	struct memory_use memory;

	layout->interleave = pinned(pins->interleave) ? pins->interleave : 1;
	layout->micro_batch = pinned(pins->micro_batch) ? pins->micro_batch : 1;
	layout->zero_stage = pinned(pins->zero_stage) ? pins->zero_stage : zero_most_of(trial, layout->pipeline);
	layout->zero_group = pinned(pins->zero_group) ? pins->zero_group : layout->data * layout->context;
	layout->recompute = pins->recompute != RECOMPUTE_UNSET ? pins->recompute : RECOMPUTE_FULL;
	layout->kept_layers = pins->kept_layers > 0 ? pins->kept_layers : 0;
	layout->offload_activations = leanest_offload(trial->search, layout->recompute);
	if (trial->search->exhaustive || memory_least_bytes(setting, layout) <= trial->capacity_bytes)
		return true;
	if ((layout->interleave > 1 && layout->pipeline == 1) || layout->pipeline * layout->interleave > layout_layers(setting->model) + 2)
		return true; /* the search tries no layout of these */
	stages_split(setting->model, (int)layout->pipeline, (int)layout->interleave, setting->software.balances_ends, &trial->stages);
	memory_of_layout(setting, layout, &trial->stages, &memory);
	trial->search->evaluated++;
	least_keep(trial->search, layout, &memory);
	return false;
}

/* Counts the layouts of these degrees that can need least memory: one chunk a stage, one sample a micro-batch and full
 * recomputation, unless pinned; every ZeRO stage, because a stage's gathers can take more memory than it saves. */
static void trial_leanest(struct trial *trial)
{
	struct layout_search *search = trial->search;
	const struct parallelism *pins = &search->pins;
	struct parallelism *layout = &trial->layout;
	int first = zero_may_be_none(trial, layout->data * layout->context) ? 0 : zero_least(trial), last = zero_most_of(trial, layout->pipeline);
	struct memory_use memory;

	if (pinned(pins->zero_stage))
		first = last = (int)pins->zero_stage;
	layout->interleave = pinned(pins->interleave) ? pins->interleave : 1;
	layout->micro_batch = pinned(pins->micro_batch) ? pins->micro_batch : 1;
	layout->zero_group = pinned(pins->zero_group) ? pins->zero_group : layout->data * layout->context;
	layout->recompute = pins->recompute != RECOMPUTE_UNSET ? pins->recompute : RECOMPUTE_FULL;
	layout->kept_layers = pins->kept_layers > 0 ? pins->kept_layers : 0;
	layout->offload_activations = leanest_offload(search, layout->recompute);
	if ((layout->interleave > 1 && layout->pipeline == 1) || layout->pipeline * layout->interleave > layout_layers(search->setting->model) + 2)
		return;
	stages_split(
		search->setting->model, (int)layout->pipeline, (int)layout->interleave, search->setting->software.balances_ends, &trial->stages);
	trial->degrees = degrees_of(search->setting, layout);
	trial_memory_parts(trial, &trial->memory);
	for (layout->zero_stage = first; layout->zero_stage <= last; layout->zero_stage++) {
		(void)memory_of_parts(search->setting, layout, &trial->degrees, &trial->memory, INFINITY, &memory);
		search->evaluated++;
		least_keep(search, layout, &memory);
	}
}

static void trial_pipeline(struct trial *trial)
{
	const struct layout_search *search = trial->search;
	struct parallelism *layout = &trial->layout;
	int64_t rest = search->gpu_count / (layout->tensor * layout->context), layers = layout_layers(search->setting->model);
	bool fed;

	for (int64_t p = 1; p <= layers && p <= PIPELINE_STAGES_MAX && p <= rest; p++) {
		if (rest % p || !allowed(search->pins.pipeline, p) || !allowed(search->pins.data, rest / p))
			continue;
		layout->pipeline = p;
		layout->data = rest / p;
		trial->sharding_count = 0;
		if (layout->tensor * layout->context * layout->data % layout->expert)
			continue;
		fed = (double)layout->data <= search->setting->batch || pinned(search->pins.data) || (search->setting->batch_free && may_fill(trial));
		if (search->leanest && (fed || !search->fed))
			trial_leanest(trial);
		else if (!search->leanest && fed && trial_can_fit(trial))
			trial_interleave(trial);
	}
}

static void trial_expert(struct trial *trial)
{
	const struct layout_search *search = trial->search;
	int experts = layout_experts(search->setting->model);

	for (int64_t e = 1; e == 1 || (e <= experts && e <= search->gpu_count); e++) {
		if (!allowed(search->pins.expert, e) || (e > 1 && experts % e))
			continue;
		trial->layout.expert = e;
		trial->least_exchange_s = layers_exchange_token_s(search->setting, (double)trial->layout.tensor, (double)e);
		trial_forget(trial);
		trial_pipeline(trial);
	}
}

static bool context_worth_trying(const struct trial *trial, int64_t context)
{
	const struct layout_search *search = trial->search;
	double least_tokens = trial->described ? context_described_least_tokens : context_least_tokens;

	if (!allowed(search->pins.context, context))
		return false;
	if (pinned(search->pins.context) || pinned(search->pins.data) || context == 1)
		return true;
	return (context & (context - 1)) == 0 && search->setting->sequence / (double)context >= least_tokens;
}

/* True if the software can split heads, key-value heads and widths evenly into `tensor` parts, and the groups lie
 * evenly on the domains of the link. */
static bool tensor_worth_trying(const struct layout_search *search, int64_t tensor)
{
	const struct setting *setting = search->setting;
	int64_t domain = setting->device.domain, machine = setting->device.reach;

	if (search->gpu_count % tensor || !allowed(search->pins.tensor, tensor) || !layout_heads_divide(setting->model, tensor))
		return false;
	if (pinned(search->pins.tensor) || tensor == 1)
		return true;
	for (int k = 0; k < setting->model->kind_count && !setting->model->shape_is_guessed; k++) {
		const struct layer_kind *kind = &setting->model->kinds[k];

		if (kind->width % tensor || kind->shared_width % tensor || (kind->kv_heads > 0 && kind->kv_heads % tensor && tensor % kind->kv_heads))
			return false;
	}
	return setting->model->kind != MODEL_GENERIC &&
		((domain > 1 && (domain % tensor == 0 || tensor % domain == 0)) || machine % tensor == 0 || tensor % machine == 0 ||
			(tensor & (tensor - 1)) == 0);
}

static enum truth sequence_parallel_of(const struct layout_search *search, int64_t tensor)
{
	if (search->pins.sequence_parallel != TRUTH_UNSET)
		return search->pins.sequence_parallel;
	return tensor > 1 && search->setting->software.fused_attention ? TRUTH_TRUE : TRUTH_FALSE;
}

static void trial_tensor(struct trial *trial)
{
	const struct layout_search *search = trial->search;

	for (int64_t t = 1; t <= LAYOUT_TENSOR_MAX && t <= search->gpu_count; t++) {
		if (!tensor_worth_trying(search, t))
			continue;
		trial->layout.tensor = t;
		trial->layout.sequence_parallel = sequence_parallel_of(search, t);
		for (int64_t c = 1; c <= search->gpu_count / t && c <= LAYOUT_CONTEXT_MAX; c++) {
			if (search->gpu_count / t % c || !context_worth_trying(trial, c))
				continue;
			trial->layout.context = c;
			trial_expert(trial);
		}
	}
}

static bool zero_allowed(const struct trial *trial, const struct parallelism *begin)
{
	int64_t pin = trial->search->pins.zero_stage;

	if (pinned(pin))
		return begin->zero_stage == pin;
	if (begin->zero_stage == 0)
		return zero_may_be_none(trial, begin->data * begin->context);
	return begin->zero_stage >= zero_least(trial) && begin->zero_stage <= zero_most_of(trial, begin->pipeline);
}

static bool recompute_as_pinned(const struct parallelism *pins, const struct parallelism *begin)
{
	if (begin->offload_activations != pins->offload_activations)
		return false;
	if (pins->recompute == RECOMPUTE_UNSET && !pinned(pins->kept_layers) && pins->offload_activations == TRUTH_UNSET)
		return true;
	return recompute_allowed(pins, begin->recompute) && begin->kept_layers == (pins->kept_layers > 0 ? pins->kept_layers : 0);
}

/* True if `begin`, which may come from another search, is a layout of this search except for its number of data
 * ranks. */
static bool begin_allowed(const struct trial *trial, const struct parallelism *begin)
{
	const struct layout_search *search = trial->search;
	const struct parallelism *pins = &search->pins;
	const struct model *model = search->setting->model;
	int experts = layout_experts(model);

	if (!allowed(pins->pipeline, begin->pipeline) || !allowed(pins->expert, begin->expert) || !allowed(pins->interleave, begin->interleave) ||
		!allowed(pins->micro_batch, begin->micro_batch) || !zero_allowed(trial, begin) || !recompute_as_pinned(pins, begin))
		return false;
	return tensor_worth_trying(search, begin->tensor) && context_worth_trying(trial, begin->context) &&
		(begin->expert == 1 || (experts > 0 && experts % begin->expert == 0)) &&
		begin->pipeline * begin->interleave <= layout_layers(model) + (begin->interleave > 1 ? 2 : 0) &&
		begin->sequence_parallel == sequence_parallel_of(search, begin->tensor) &&
		(pins->offload == TRUTH_TRUE) == (begin->offload == TRUTH_TRUE);
}

/* Judges `begin` on this number of accelerators: data ranks take what the other degrees leave. */
static void trial_begin(struct trial *trial)
{
	const struct layout_search *search = trial->search;
	const struct setting *setting = search->setting;
	const struct parallelism *begin = &search->begin;
	int64_t inner = begin->tensor * begin->pipeline * begin->context, data, filling;

	if (inner < 1 || search->exhaustive || search->gpu_count % inner || !begin_allowed(trial, begin))
		return;
	data = search->gpu_count / inner;
	filling = data * (begin->micro_batch - 1) + 1; /* samples with which the last rank's micro-batch is not empty */
	if ((double)data > setting->batch || (double)filling > setting->batch || !allowed(search->pins.data, data) ||
		begin->tensor * begin->context * data % begin->expert)
		return;
	trial->layout = *begin;
	trial->layout.data = data;
	trial->layout.zero_group = pinned(search->pins.zero_group) ? search->pins.zero_group : data * begin->context;
	trial->degrees = degrees_of(setting, &trial->layout);
	trial_forget(trial);
	trial->sharding_count = 0;
	trial->stepped = false;
	stages_split(setting->model, (int)begin->pipeline, (int)begin->interleave, setting->software.balances_ends, &trial->stages);
	trial_memory_parts(trial, &trial->memory);
	trial_judge(trial, trial_shared(trial, 0));
}

/* Fills the memory that the search does not need itself. */
static void found_complete(const struct setting *setting, struct found *found)
{
	struct stages stages;

	if (!found->any)
		return;
	stages_split(setting->model, (int)found->layout.pipeline, (int)found->layout.interleave, setting->software.balances_ends, &stages);
	memory_of_layout(setting, &found->layout, &stages, &found->memory);
}

void layout_search(struct layout_search *search)
{
	UNCLEARED struct trial trial; /* 60 kB, most of it layers that layouts share: marked as not made before they are read */

	trial.search = search;
	trial.described = pinned(search->pins.tensor) || pinned(search->pins.pipeline) || pinned(search->pins.micro_batch);
	search->best = search->least = trial.tight = (struct found){.any = false};
	if (search->most_sample_s > 0)
		search->best = (struct found){
			.any = true, .step = {.samples = 1, .time.time_s = search->most_sample_s}}; /* only a faster layout replaces it */
	trial.capacity_bytes = accelerator_capacity_bytes(&search->setting->candidate->accelerator);
	trial.comfortable_bytes = trial.capacity_bytes * (trial.described ? 1 : LAYOUT_COMFORTABLE_FILL);
	for (int k = 0; k < MODEL_LAYER_KINDS_MAX; k++)
		trial.layers[k] = search->setting->model->kind == MODEL_GENERIC ? 1 : model_kind_layers(search->setting->model, k);
	trial.layout.offload = search->pins.offload == TRUTH_TRUE ? TRUTH_TRUE : TRUTH_FALSE;
	trial.layout.offload_activations = search->pins.offload_activations;
	trial_begin(&trial);
	trial_tensor(&trial);
	if (!search->best.fits)
		search->best = trial.tight;
	found_complete(search->setting, &search->best);
	found_complete(search->setting, &search->least);
}
