/* The pruned search against brute force: both find the same best for many random small requests. */
#include "planner/step/layout.h"
#include "support/assert.h"
#include "support/training_fixture.h"

enum { REQUESTS = 1500 };

static struct training_fixture fixture;
static struct setting setting;
static uint64_t random_state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003): the same requests on every machine. */
static int64_t random_below(int64_t count)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (int64_t)(random_state % (uint64_t)count);
}

static int64_t one_of(const int64_t *choices, size_t count)
{
	return choices[random_below((int64_t)count)];
}
#define ONE_OF(...) one_of((const int64_t[]){__VA_ARGS__}, COUNT_OF(((const int64_t[]){__VA_ARGS__})))

static bool one_in(int64_t count)
{
	return random_below(count) == 0;
}

static void random_model(struct model *model)
{
	int heads = (int)ONE_OF(8, 12, 16, 24), layers = (int)random_below(15) + 2;
	int hidden = heads * (int)ONE_OF(64, 128, 256);

	fixture_model(model, layers, hidden, heads, one_in(2) ? heads : 4, 4 * hidden, 32000, one_in(2));
	if (!one_in(3))
		return;
	model->kind_count = 2; /* dense layers first, then experts */
	model->kinds[1] = model->kinds[0];
	model->kinds[1].feed_forward = FEED_FORWARD_EXPERTS;
	model->kinds[1].width = 0;
	model->kinds[1].experts = (int)ONE_OF(4, 6, 8);
	model->kinds[1].experts_active = 2;
	model->kinds[1].expert_width = hidden;
	for (int i = 1; i < layers; i++)
		model->layers[i] = 1;
	model->params_total = model->params_active = model->params_embedding = ABSENT_NUMBER;
	model_finish(model);
}

static void random_pins(struct parallelism *pins, int64_t gpu_count)
{
	if (one_in(5))
		pins->tensor = one_in(2) ? 1 : gpu_count % 2 ? 1 : 2;
	if (one_in(6))
		pins->pipeline = one_in(2) || gpu_count % 2 ? 1 : 2;
	if (one_in(6))
		pins->micro_batch = ONE_OF(1, 2, 3);
	if (one_in(6))
		pins->recompute = one_in(2) ? RECOMPUTE_FULL : RECOMPUTE_SELECTIVE;
	if (one_in(6))
		pins->zero_stage = random_below(4);
	if (one_in(8))
		pins->interleave = 1 + random_below(2);
	if (one_in(8))
		pins->offload = TRUTH_TRUE;
	if (one_in(8) && pins->recompute != RECOMPUTE_SELECTIVE)
		pins->offload_activations = one_in(2) ? TRUTH_TRUE : TRUTH_FALSE;
	if (one_in(8))
		pins->context = 1;
	if (one_in(8))
		pins->expert = 1;
}

/* Draws a model that nearly fills a few accelerators, so that memory decides in part of the requests. */
static int64_t random_request(void)
{
	static const enum stack stacks[] = {
		STACK_GENERIC, STACK_MEGATRON_LM, STACK_MEGATRON_DEEPSPEED, STACK_MEGATRON_CORE, STACK_FSDP, STACK_INTERNEVO};
	int64_t gpu_count = ONE_OF(1, 2, 4, 6, 8, 12, 16, 24, 32);
	struct training_request *request = &fixture.input.request;

	fixture_init(&fixture);
	random_model(&fixture.input.model);
	fixture.candidates[0] = one_in(2) ? fixture_a100() : fixture_h100();
	if (one_in(4))
		fixture.candidates[0].accelerator.id = "tpu-v5p"; /* its step is compiled: full recomputation takes less than a forward pass */
	fixture.candidates[0].gpus_per_node = ONE_OF(4, 8);
	fixture.candidates[0].accelerator.memory_usable_bytes = (double)ONE_OF(6, 10, 20, 40) * 1e9;
	request->stack = stacks[random_below(COUNT_OF(stacks))];
	random_pins(&request->parallelism, gpu_count);
	assert_true(
		setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, (double)ONE_OF(1024, 4096, 8192), &setting));
	setting.batch = (double)(1 + random_below(70));
	setting.batch_free = one_in(2);
	return gpu_count;
}

/* --- brute force: loops over everything, written apart from the search's own ---------------------------------- */

struct brute {
	int64_t gpu_count, layouts;
	struct parallelism pins;
	double room_bytes;      /* the memory that a chosen layout may fill */
	double best_s, tight_s; /* per sample */
};

/* A chosen batch grows to fit the degrees only where the pins leave no choice. A given batch does not change. */
static bool may_fill(const struct parallelism *pins)
{
	return !setting.batch_free || (pins->tensor > 0 && pins->pipeline > 0);
}

static bool may_be(int64_t pin, int64_t value)
{
	return pin == ABSENT_COUNT || pin == value;
}

static bool power_of_two(int64_t value)
{
	return (value & (value - 1)) == 0;
}

static void brute_time(struct brute *brute, const struct parallelism *layout)
{
	struct memory_use memory;
	struct step_result step;
	struct stages stages;
	double *best;

	brute->layouts++;
	stages_split(setting.model, (int)layout->pipeline, (int)layout->interleave, setting.software.balances_ends, &stages);
	memory_of_layout(&setting, layout, &stages, &memory);
	if (memory.total_bytes > memory.capacity_bytes)
		return;
	step_of_layout(&setting, layout, &stages, &step);
	best = memory.total_bytes <= brute->room_bytes ? &brute->best_s : &brute->tight_s;
	*best = fmin(*best, step.time.time_s / step.samples);
}

/* Tries every number of layers that keep their activations, where not all of them can. */
static void brute_kept(struct brute *brute, struct parallelism layout)
{
	struct memory_use memory;
	struct stages stages;
	int64_t before = brute->layouts;
	bool any = false;

	stages_split(setting.model, (int)layout.pipeline, (int)layout.interleave, setting.software.balances_ends, &stages);
	layout.recompute = RECOMPUTE_NONE;
	memory_of_layout(&setting, &layout, &stages, &memory);
	if (memory.total_bytes <= brute->room_bytes)
		return;
	layout.recompute = RECOMPUTE_FULL;
	for (layout.kept_layers = 1; layout.kept_layers * layout.pipeline < setting.model->layer_count; layout.kept_layers++) {
		memory_of_layout(&setting, &layout, &stages, &memory);
		if (memory.total_bytes > brute->room_bytes)
			continue;
		any = true;
		brute_time(brute, &layout);
	}
	brute->layouts = before + any; /* the search times one of them: the others recompute more */
}

static void brute_rest(struct brute *brute, struct parallelism layout, bool described)
{
	int64_t ranks = layout.data * layout.context;
	int last = layout.pipeline > 1 ? setting.software.zero_most_piped : setting.software.zero_most;

	for (layout.micro_batch = 1; layout.micro_batch <= 128; layout.micro_batch++) {
		bool feeds = (double)(layout.micro_batch * layout.data) < setting.batch + (double)layout.data,
			 usual = power_of_two(layout.micro_batch) && feeds;

		if (brute->pins.micro_batch == ABSENT_COUNT ? !usual
													: brute->pins.micro_batch != layout.micro_batch || !(feeds || may_fill(&brute->pins)))
			continue;
		for (int again = RECOMPUTE_NONE; again <= RECOMPUTE_FULL; again++)
			for (layout.zero_stage = 0; layout.zero_stage <= 3; layout.zero_stage++)
				for (layout.zero_group = ranks; layout.zero_group >= 1; layout.zero_group--) {
					bool offered = layout.zero_stage >= (setting.software.blocks          ? 3
																: described || ranks == 1 ? 1
																						  : 0) &&
						layout.zero_stage <= last;
					bool hybrid = layout.zero_stage == 3 && !described && layout.zero_group > 1 && ranks % layout.zero_group == 0 &&
						power_of_two(ranks / layout.zero_group);

					layout.recompute = (enum recompute)again;
					if ((brute->pins.offload_activations != TRUTH_TRUE || again == RECOMPUTE_FULL) &&
						(brute->pins.recompute == RECOMPUTE_UNSET || brute->pins.recompute == layout.recompute) &&
						(brute->pins.zero_stage == ABSENT_COUNT ? offered : brute->pins.zero_stage == layout.zero_stage) &&
						(layout.zero_group == ranks || hybrid)) {
						brute_time(brute, &layout);
						if (again == RECOMPUTE_FULL && (setting.software.offloads_inputs || brute->pins.offload == TRUTH_TRUE) &&
							brute->pins.offload_activations == TRUTH_UNSET)
							brute_time(brute,
								&(struct parallelism){.tensor = layout.tensor,
									.pipeline = layout.pipeline,
									.data = layout.data,
									.context = layout.context,
									.expert = layout.expert,
									.interleave = layout.interleave,
									.micro_batch = layout.micro_batch,
									.zero_stage = layout.zero_stage,
									.zero_group = layout.zero_group,
									.recompute = layout.recompute,
									.kept_layers = layout.kept_layers,
									.sequence_parallel = layout.sequence_parallel,
									.offload = layout.offload,
									.offload_activations = TRUTH_TRUE});
						if (again == RECOMPUTE_NONE && brute->pins.offload_activations != TRUTH_TRUE &&
							brute->pins.recompute == RECOMPUTE_UNSET)
							brute_kept(brute, layout);
					}
				}
	}
}

static void brute_chunks(struct brute *brute, struct parallelism layout, bool described)
{
	int64_t layers = setting.model->layer_count;

	for (layout.interleave = 1; layout.interleave <= 64; layout.interleave++) {
		int64_t chunks = layout.pipeline * layout.interleave;
		bool even = layers % chunks == 0 || (layers + 2) % chunks == 0;

		if (layout.interleave > 1 && (layout.pipeline == 1 || chunks > layers + 2))
			continue;
		if (brute->pins.interleave == ABSENT_COUNT ? layout.interleave <= 2 || (even && (!described || layout.interleave <= 16))
												   : brute->pins.interleave == layout.interleave)
			brute_rest(brute, layout, described);
	}
}

static bool tensor_splits(int64_t tensor)
{
	int64_t domain = setting.device.domain;

	for (int k = 0; k < setting.model->kind_count; k++)
		if (setting.model->kinds[k].width % tensor ||
			(setting.model->kinds[k].kv_heads % tensor && tensor % setting.model->kinds[k].kv_heads))
			return false;
	return domain % tensor == 0 || tensor % domain == 0 || power_of_two(tensor);
}

static struct brute brute_force(int64_t gpu_count)
{
	const struct parallelism *pins = &fixture.input.request.parallelism;
	bool described = pins->tensor > 0 || pins->pipeline > 0 || pins->micro_batch > 0;
	double capacity = accelerator_capacity_bytes(&fixture.candidates[0].accelerator);
	struct brute brute = {.gpu_count = gpu_count,
		.pins = *pins,
		.room_bytes = capacity * (described ? 1 : LAYOUT_COMFORTABLE_FILL),
		.best_s = INFINITY,
		.tight_s = INFINITY};
	struct parallelism layout = {
		.offload = pins->offload == TRUTH_TRUE ? TRUTH_TRUE : TRUTH_FALSE, .offload_activations = pins->offload_activations};
	int experts = layout_experts(setting.model);

	for (layout.tensor = 1; layout.tensor <= 64; layout.tensor++)
		for (layout.context = 1; layout.context <= 64; layout.context *= 2)
			for (layout.pipeline = 1; layout.pipeline <= setting.model->layer_count; layout.pipeline++)
				for (layout.expert = 1; layout.expert <= 8; layout.expert++) {
					int64_t inner = layout.tensor * layout.context * layout.pipeline;

					layout.data = gpu_count / inner;
					layout.sequence_parallel = layout.tensor > 1 && setting.software.fused_attention ? TRUTH_TRUE : TRUTH_FALSE;
					if (inner * layout.data != gpu_count || ((double)layout.data > setting.batch && !(setting.batch_free && may_fill(pins))) ||
						!may_be(pins->tensor, layout.tensor) || !may_be(pins->pipeline, layout.pipeline) ||
						!may_be(pins->context, layout.context) || !may_be(pins->expert, layout.expert))
						continue;
					if (setting.model->kinds[0].heads % layout.tensor || (pins->tensor == ABSENT_COUNT && !tensor_splits(layout.tensor)))
						continue;
					if (layout.context > 1 && setting.sequence / (double)layout.context < (described ? 8192 : 1024))
						continue;
					if (layout.expert > 1 && (experts == 0 || experts % layout.expert || gpu_count / layout.pipeline % layout.expert))
						continue;
					brute_chunks(&brute, layout, described);
				}
	return brute;
}

static void the_pruned_optimum_is_the_true_one(void **state)
{
	int comfortable = 0, tight = 0, none = 0;
	int64_t brute_layouts = 0, judged = 0;

	(void)state;
	for (int i = 0; i < REQUESTS; i++) {
		int64_t gpu_count = random_request();
		struct layout_search search = {.setting = &setting, .gpu_count = gpu_count, .pins = fixture.input.request.parallelism};
		struct brute brute = brute_force(gpu_count);
		double best_s = isfinite(brute.best_s) ? brute.best_s : brute.tight_s;

		layout_search(&search);
		assert_int_equal(search.best.any, isfinite(best_s));
		if (search.best.any)
			assert_close(search.best.step.time.time_s / search.best.step.samples, best_s, 1e-12);
		assert_true(search.evaluated >= search.feasible && (search.feasible > 0) == search.best.any);
		comfortable += isfinite(brute.best_s);
		tight += !isfinite(brute.best_s) && isfinite(brute.tight_s);
		none += !isfinite(best_s);
		brute_layouts += brute.layouts;
		judged += search.evaluated;
	}
	assert_true(comfortable > REQUESTS / 3 && tight >= 3 && none > REQUESTS / 20); /* all kinds of requests occur */
	assert_true(judged < brute_layouts / 2);                                       /* the bounds do prune */
}

/* Without bounds the search judges every layout, and finds the same best. */
static void an_exhaustive_search_judges_all(void **state)
{
	(void)state;
	for (int i = 0; i < REQUESTS / 8; i++) {
		int64_t gpu_count = random_request();
		struct layout_search pruned = {.setting = &setting, .gpu_count = gpu_count, .pins = fixture.input.request.parallelism}, all = pruned;

		all.exhaustive = true;
		layout_search(&pruned);
		layout_search(&all);
		assert_int_equal(all.evaluated, brute_force(gpu_count).layouts);
		assert_int_equal(all.best.any, pruned.best.any);
		if (all.best.any)
			assert_close(all.best.step.time.time_s, pruned.best.step.time.time_s, 1e-12);
	}
}

/* A limit on the time leaves exactly the faster layouts. The leanest layouts
 * fit only where the search finds a layout. */
static void a_limit_leaves_what_is_faster(void **state)
{
	int limited = 0, fitting = 0;

	(void)state;
	for (int i = 0; i < REQUESTS / 2; i++) {
		int64_t gpu_count = random_request();
		struct layout_search search = {.setting = &setting, .gpu_count = gpu_count, .pins = fixture.input.request.parallelism},
							 under = search, at = search, lean = search;
		double best_s;

		layout_search(&search);
		lean.leanest = lean.fed = true;
		layout_search(&lean);
		if (lean.pins.micro_batch == ABSENT_COUNT && lean.least.any && lean.least.memory.total_bytes <= lean.least.memory.capacity_bytes) {
			assert_true(search.best.any);
			fitting++;
		}
		if (!search.best.any || search.best.memory.total_bytes > LAYOUT_COMFORTABLE_FILL * search.best.memory.capacity_bytes)
			continue;
		best_s = (search.best.step.time.time_s - search.best.step.time.input_wait_s) / search.best.step.samples;
		under.most_sample_s = best_s * 1.000001;
		at.most_sample_s = best_s;
		layout_search(&under);
		layout_search(&at);
		assert_true(under.best.any && !at.best.any);
		assert_close(under.best.step.time.time_s, search.best.step.time.time_s, 1e-12);
		limited++;
	}
	assert_true(limited > REQUESTS / 8 && fitting > REQUESTS / 8);
}

/* Searches the fixture's request. `single_tensors`: ZeRO-1 of the software has a cost of its own. */
static struct found searched(int64_t gpu_count, double batch, bool single_tensors)
{
	struct layout_search search = {.setting = &setting, .gpu_count = gpu_count, .pins = fixture.input.request.parallelism};

	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, 2048, &setting));
	setting.batch = batch;
	setting.software.single_tensors = single_tensors;
	layout_search(&search);
	assert_true(search.best.any);
	return search.best;
}

/* 96 layers on 4 stages and 4 micro-batches: each further chunk shortens the bubble, up to one layer each. 25 heads
 * leave no tensor degree. */
static void chunks_of_one_layer(void **state)
{
	struct parallelism *pins = &fixture.input.request.parallelism;
	struct found found;

	(void)state;
	fixture_init(&fixture);
	fixture_model(&fixture.input.model, 96, 1600, 25, 25, 6400, 50257, true);
	pins->data = pins->context = 1;
	found = searched(4, 4, false);
	assert_int_equal(found.layout.pipeline, 4);
	assert_int_equal(found.layout.interleave, 24);
	pins->interleave = 12;
	assert_true(searched(4, 4, false).step.time.time_s > found.step.time.time_s);
}

/* Where ZeRO's communication costs more than the update that it saves, the search leaves ZeRO out. A request that
 * pins degrees keeps the usual ZeRO-1. */
static void no_zero_where_it_costs_more(void **state)
{
	struct parallelism *pins = &fixture.input.request.parallelism;
	double without_s;

	(void)state;
	fixture_init(&fixture);
	fixture_model(&fixture.input.model, 24, 1024, 16, 16, 4096, 50257, true);
	fixture.input.request.stack = STACK_MEGATRON_LM; /* offers at most ZeRO-1 */
	assert_int_equal(searched(256, 256, false).layout.zero_stage, 1);
	without_s = searched(256, 256, true).step.time.time_s;
	assert_int_equal(searched(256, 256, true).layout.zero_stage, 0);
	pins->zero_stage = 1;
	assert_true(searched(256, 256, true).step.time.time_s > without_s);
	pins->zero_stage = ABSENT_COUNT;
	pins->micro_batch = 1;
	assert_int_equal(searched(256, 256, true).layout.zero_stage, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pruned_optimum_is_the_true_one),
		cmocka_unit_test(an_exhaustive_search_judges_all),
		cmocka_unit_test(a_limit_leaves_what_is_faster),
		cmocka_unit_test(chunks_of_one_layer),
		cmocka_unit_test(no_zero_where_it_costs_more),
	};

	return cmocka_run_group_tests_name("training search", tests, NULL, NULL);
}
