/* Limits of the degrees: what the model, the batch and the number of accelerators allow. */
#include "planner/step/layout.h"

static bool pinned(int64_t pin)
{
	return pin >= 0;
}

bool layout_heads_divide(const struct model *model, int64_t tensor)
{
	for (int k = 0; k < model->kind_count; k++)
		if (model->kinds[k].heads > 0 && model->kinds[k].heads % tensor)
			return false;
	return true;
}

int layout_experts(const struct model *model)
{
	int experts = 0;

	for (int k = 0; k < model->kind_count; k++)
		if (model->kinds[k].feed_forward == FEED_FORWARD_EXPERTS && model->kinds[k].experts > experts)
			experts = model->kinds[k].experts;
	return experts;
}

int64_t layout_layers(const struct model *model)
{
	return model->kind == MODEL_GENERIC ? 1 : model->layer_count > 0 ? model->layer_count : 1;
}

int64_t layout_pinned_gpu_count(const struct parallelism *pins)
{
	if (!pinned(pins->tensor) || !pinned(pins->pipeline) || !pinned(pins->data) || !pinned(pins->context))
		return ABSENT_COUNT;
	return pins->tensor * pins->pipeline * pins->data * pins->context;
}

/* The pins under test, and the values to use in place of the faulty ones. */
struct pins_check {
	const struct setting *setting;
	int64_t gpu_count;
	struct parallelism pins, right; /* right: the faulty ones are absent, so that the search chooses them */
	struct failure *failure;
	char list[96];
};

static int64_t degree(int64_t pin)
{
	return pinned(pin) ? pin : 1;
}

/* Writes the divisors of `number` up to `most` to check->list: "1, 2, 4, 8". */
static const char *divisors(struct pins_check *check, int64_t number, int64_t most)
{
	size_t length = 0;

	check->list[0] = '\0';
	for (int64_t d = 1; d <= number && d <= most && length + 16 < sizeof check->list; d++)
		if (number % d == 0)
			length += (size_t)snprintf(check->list + length, sizeof check->list - length, "%s%lld", length > 0 ? ", " : "", (long long)d);
	return check->list;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The degrees whose product is the number of accelerators, in the order in which they are dropped. */
enum { PRODUCT_DEGREES = 4 };
static const char *const product_names[PRODUCT_DEGREES] = {"data", "context", "pipeline", "tensor"};

static void product_degrees(struct parallelism *pins, int64_t *degrees[PRODUCT_DEGREES])
{
	degrees[0] = &pins->data;
	degrees[1] = &pins->context;
	degrees[2] = &pins->pipeline;
	degrees[3] = &pins->tensor;
}

/* Drops the fewest degrees with which the rest divides the accelerators. Returns the index of the dropped degree, or -1
 * where several were dropped. */
static int free_degrees(int64_t gpu_count, struct parallelism *pins)
{
	static const unsigned subsets[] = {1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15}; /* by their size */
	int64_t *degrees[PRODUCT_DEGREES];

	product_degrees(pins, degrees);
	for (size_t s = 0; s < COUNT_OF(subsets); s++) {
		int64_t kept = 1;
		bool all_pinned = true;
		int only = -1;

		for (int i = 0; i < PRODUCT_DEGREES; i++) {
			bool freed = subsets[s] & 1U << i;

			kept *= freed ? 1 : degree(*degrees[i]);
			all_pinned &= !freed || pinned(*degrees[i]);
			only = subsets[s] == 1U << i ? i : only;
		}
		if (!all_pinned || gpu_count % kept)
			continue;
		for (int i = 0; i < PRODUCT_DEGREES; i++)
			*degrees[i] = subsets[s] & 1U << i ? ABSENT_COUNT : *degrees[i];
		return only;
	}
	return -1;
}

static void check_product(struct pins_check *check)
{
	const struct parallelism *pins = &check->pins;
	int64_t all = degree(pins->tensor) * degree(pins->pipeline) * degree(pins->context) * degree(pins->data);
	int64_t below = check->gpu_count / all * all, above = below + all;
	int64_t *degrees[PRODUCT_DEGREES];
	struct parallelism given = *pins;
	int only;

	if (check->gpu_count < 1 || (check->gpu_count % all == 0 && (layout_pinned_gpu_count(pins) < 0 || all == check->gpu_count)))
		return;
	only = free_degrees(check->gpu_count, &check->right);
	product_degrees(&given, degrees);
	if (only == 0 || only == 1) /* these two leave the other degrees' demands on the model unchanged */
		snprintf(
			check->list, sizeof check->list, "set %s to %lld", product_names[only], (long long)(check->gpu_count / (all / *degrees[only])));
	else if (below == 0)
		snprintf(check->list, sizeof check->list, "set gpu_count to %lld or a multiple of it", (long long)all);
	else
		snprintf(check->list, sizeof check->list, "set gpu_count to %lld or %lld", (long long)below, (long long)above);
	failure_add(check->failure, "/parallelism", "impossible",
		"tensor x pipeline x data x context must be the %lld accelerators; the given degrees make %lld: %s", (long long)check->gpu_count,
		(long long)all, check->list);
}

static void check_tensor(struct pins_check *check)
{
	const struct model *model = check->setting->model;
	int64_t t = degree(check->pins.tensor);

	if (model->kind == MODEL_GENERIC && t > 1) {
		failure_add(check->failure, "/parallelism/tensor", "impossible",
			"a generic model has no heads or widths to split: leave tensor out, or give 1");
		check->right.tensor = ABSENT_COUNT;
		return;
	}
	if (t <= LAYOUT_TENSOR_MAX && layout_heads_divide(model, t))
		return;
	failure_add(check->failure, "/parallelism/tensor", "impossible",
		"must be at most %d and divide the model's attention heads (%d); allowed: %s", LAYOUT_TENSOR_MAX,
		model->kind_count > 0 ? model->kinds[0].heads : 0,
		divisors(check, model->kind_count > 0 ? model->kinds[0].heads : 1, LAYOUT_TENSOR_MAX));
	check->right.tensor = ABSENT_COUNT;
}

static void check_pipeline(struct pins_check *check)
{
	int64_t layers = layout_layers(check->setting->model), p = degree(check->pins.pipeline), v = degree(check->pins.interleave);
	int64_t slots = v > 1 ? layers + 2 : layers; /* interleaved: the chunks for embedding and loss may be empty of layers */

	if (p > PIPELINE_STAGES_MAX || p * v > slots) {
		failure_add(check->failure, "/parallelism/pipeline", "impossible",
			"pipeline x interleave must be at most the model's %lld layers; allowed: %lld stages with interleave %lld", (long long)layers,
			(long long)(p <= layers                ? p
					: layers > PIPELINE_STAGES_MAX ? PIPELINE_STAGES_MAX
												   : layers),
			(long long)(p <= layers ? layers / p : 1));
		check->right.pipeline = check->right.interleave = ABSENT_COUNT;
	}
	if (v > LAYOUT_INTERLEAVE_MAX || (v > 1 && pinned(check->pins.pipeline) && p == 1)) {
		failure_add(
			check->failure, "/parallelism/interleave", "impossible", "must be 1 without a pipeline, and at most %d", LAYOUT_INTERLEAVE_MAX);
		check->right.interleave = ABSENT_COUNT;
	}
}

static void check_expert(struct pins_check *check)
{
	int experts = layout_experts(check->setting->model);
	int64_t e = check->pins.expert, ranks = check->gpu_count >= 1 ? check->gpu_count / degree(check->pins.pipeline) : 0;

	if (!pinned(e) || e == 1 || (experts > 0 && experts % e == 0 && (ranks == 0 || ranks % e == 0)))
		return;
	if (experts == 0)
		failure_add(check->failure, "/parallelism/expert", "impossible", "the model has no experts: leave expert out, or give 1");
	else
		failure_add(check->failure, "/parallelism/expert", "impossible",
			"must divide the model's %d experts and the %lld ranks of tensor x context x data; allowed: %s", experts, (long long)ranks,
			divisors(check, common_divisor(experts, ranks > 0 ? ranks : experts), 4096));
	check->right.expert = ABSENT_COUNT;
}

/* Checks that each data rank has at least one sample, and that a micro-batch is no larger than a rank's share. */
static void check_batch(struct pins_check *check)
{
	double batch = check->setting->batch, d = (double)degree(check->pins.data), size = (double)degree(check->pins.micro_batch);

	if (!(batch > 0))
		return;
	if (d > batch) {
		failure_add(check->failure, "/parallelism/data", "impossible",
			"a step of %.0f samples cannot feed %.0f data-parallel ranks; give at most %.0f, or a global batch of %.0f samples", batch, d,
			batch, d);
		check->right.data = ABSENT_COUNT;
	} else if (size > ceil(batch / d - 1e-9)) {
		failure_add(check->failure, "/parallelism/micro_batch", "impossible",
			"a step of %.0f samples leaves %.0f for each of %.0f data-parallel ranks; give at most that, or a global batch of %.0f samples",
			batch, ceil(batch / d - 1e-9), d, size * d);
		check->right.micro_batch = ABSENT_COUNT;
	}
}

static void check_context(struct pins_check *check)
{
	int64_t c = degree(check->pins.context);

	if (c <= LAYOUT_CONTEXT_MAX && (double)c <= check->setting->sequence)
		return;
	failure_add(check->failure, "/parallelism/context", "impossible", "must be at most %d and at most the sequence's %.0f tokens",
		LAYOUT_CONTEXT_MAX, check->setting->sequence);
	check->right.context = ABSENT_COUNT;
}

static void check_zero_group(struct pins_check *check)
{
	const struct parallelism *pins = &check->pins;
	int64_t others = degree(pins->tensor) * degree(pins->pipeline), ranks = degree(pins->data) * degree(pins->context);

	if (!pinned(pins->data) && check->gpu_count >= 1 && pinned(pins->tensor) && pinned(pins->pipeline) && check->gpu_count % others == 0)
		ranks = check->gpu_count / others;
	else if (!pinned(pins->data))
		ranks = check->gpu_count; /* data x context is not known yet: it divides this number */
	if (!pinned(pins->zero_group) || ranks < 1 || ranks % pins->zero_group == 0)
		return;
	failure_add(check->failure, "/parallelism/zero_group", "impossible", "must divide data x context, %s%lld; allowed: %s",
		pinned(pins->data) ? "" : "at most ", (long long)ranks, divisors(check, ranks, ranks));
	check->right.zero_group = ABSENT_COUNT;
}

/* Returns the most layers of any stage under the pins: lighter ends leave more layers to the other stages. */
static int64_t stage_layers_most(const struct pins_check *check)
{
	int64_t layers = layout_layers(check->setting->model), p = degree(check->pins.pipeline), v = degree(check->pins.interleave);
	struct stages stages;
	int most = 0;

	if (p < 1 || p > PIPELINE_STAGES_MAX || p * v > layers + 2)
		return layers;
	stages_split(check->setting->model, (int)p, (int)v, check->setting->software.balances_ends, &stages);
	for (int stage = 0; stage < stages.count; stage++)
		most = stage_layers(&stages, stage) > most ? stage_layers(&stages, stage) : most;
	return most;
}

static void check_kept_layers(struct pins_check *check)
{
	int64_t kept = check->pins.kept_layers;
	enum recompute recompute = check->pins.recompute;

	if (kept <= 0)
		return;
	if (check->setting->model->kind == MODEL_GENERIC)
		failure_add(
			check->failure, "/parallelism/kept_layers", "impossible", "a generic model has no separate layers: leave kept_layers out");
	else if (recompute != RECOMPUTE_FULL && recompute != RECOMPUTE_UNSET)
		failure_add(check->failure, "/parallelism/kept_layers", "contradiction",
			"only full recomputation repeats layers: set recompute to full, or leave kept_layers out");
	else if (kept > stage_layers_most(check))
		failure_add(check->failure, "/parallelism/kept_layers", "impossible",
			"a stage has at most %lld layers: give at most that, or set recompute to none to keep all", (long long)stage_layers_most(check));
	else
		return;
	check->right.kept_layers = ABSENT_COUNT;
}

static void check_offload_activations(struct pins_check *check)
{
	const struct parallelism *pins = &check->pins;

	if (pins->offload_activations != TRUTH_TRUE)
		return;
	if (check->setting->model->kind == MODEL_GENERIC)
		failure_add(check->failure, "/parallelism/offload_activations", "impossible",
			"a generic model has no layers whose inputs could wait in host memory: leave offload_activations out");
	else if (pins->recompute != RECOMPUTE_FULL && pins->recompute != RECOMPUTE_UNSET)
		failure_add(check->failure, "/parallelism/offload_activations", "contradiction",
			"only recomputed layers can keep nothing but their inputs: set recompute to full, or leave offload_activations out");
	else
		return;
	check->right.offload_activations = TRUTH_UNSET;
}

bool layout_pins_check(
	const struct setting *setting, int64_t gpu_count, const struct parallelism *pins, struct parallelism *right, struct failure *failure)
{
	struct pins_check check = {.setting = setting, .gpu_count = gpu_count, .pins = *pins, .right = *pins, .failure = failure};
	size_t before = failure->fault_total;

	check_product(&check);
	check_tensor(&check);
	check_pipeline(&check);
	check_expert(&check);
	check_batch(&check);
	check_context(&check);
	check_zero_group(&check);
	check_kept_layers(&check);
	check_offload_activations(&check);
	*right = check.right;
	return failure->fault_total == before;
}
