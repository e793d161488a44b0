/* Parameters, FLOPs, KV bytes and weights (E1-E7): golden cases, and properties of every model. */
#include <math.h>
#include <string.h>

#include "planner/model/compute.h"
#include "planner/model/model.h"
#include "support/assert.h"
#include "support/golden.h"

/* --- golden cases ----------------------------------------------------------------------------------------- */

static int given_int(const struct golden_case *golden, const char *key, int otherwise)
{
	return (int)golden_number_or(golden, key, otherwise);
}

static enum mixer given_mixer(const struct golden_case *golden)
{
	const char *word = golden_word_or(golden, "mixer", golden_number_or(golden, "kv_lora_rank", 0) > 0 ? "mla" : "attention");

	return strcmp(word, "mamba2") == 0     ? MIXER_MAMBA2
		: strcmp(word, "gated_delta") == 0 ? MIXER_GATED_DELTA
		: strcmp(word, "mla") == 0         ? MIXER_MLA
										   : MIXER_ATTENTION;
}

static struct layer_kind given_kind(const struct golden_case *golden)
{
	return (struct layer_kind){.mixer = given_mixer(golden),
		.heads = given_int(golden, "heads", 0),
		.kv_heads = given_int(golden, "kv_heads", 0),
		.head_dim = given_int(golden, "head_dim", 0),
		.value_head_dim = given_int(golden, "value_head_dim", 0),
		.q_lora_rank = given_int(golden, "q_lora_rank", 0),
		.kv_lora_rank = given_int(golden, "kv_lora_rank", 0),
		.rope_head_dim = given_int(golden, "rope_head_dim", 0),
		.state_dim = given_int(golden, "state_dim", 0),
		.groups = given_int(golden, "groups", 0),
		.conv_kernel = given_int(golden, "conv_kernel", 0),
		.feed_forward = given_int(golden, "experts", 0) > 0 ? FEED_FORWARD_EXPERTS : FEED_FORWARD_DENSE,
		.width = given_int(golden, "width", 0),
		.gated = given_int(golden, "gated", 1) != 0,
		.experts = given_int(golden, "experts", 0),
		.experts_active = given_int(golden, "experts_active", 0),
		.expert_width = given_int(golden, "expert_width", 0),
		.shared_width = given_int(golden, "shared_width", 0),
		.norms = 2};
}

/* Builds the model of a case: kind 0 is most layers, kind 1 the leading dense ones, kind 2 those with a window. */
static void given_model(const struct golden_case *golden, struct model *model)
{
	int dense = given_int(golden, "dense_layers", 0), windowed = given_int(golden, "windowed_layers", 0);

	memset(model, 0, sizeof *model);
	model->hidden = given_int(golden, "hidden", 0);
	model->vocabulary = given_int(golden, "vocabulary", 0);
	model->layer_count = given_int(golden, "layers", 0);
	model->tied_embeddings = given_int(golden, "tied", 0) != 0;
	model->learned_positions = given_int(golden, "learned_positions", 0);
	model->norms = 1;
	model->kind_count = 3;
	for (int i = 0; i < 3; i++)
		model->kinds[i] = given_kind(golden);
	model->kinds[1].feed_forward = FEED_FORWARD_DENSE;
	model->kinds[2].window = given_int(golden, "window", 0);
	for (int i = 0; i < model->layer_count; i++)
		model->layers[i] = i < dense ? 1 : i < dense + windowed ? 2 : 0;
	model_finish(model);
}

static double golden_params(const struct golden_case *golden, const char *expected)
{
	static struct model model;

	given_model(golden, &model);
	return strcmp(expected, "total") == 0    ? model.params_total
		: strcmp(expected, "active") == 0    ? model.params_active
		: strcmp(expected, "embedding") == 0 ? model.params_embedding
											 : ABSENT_NUMBER;
}

static double golden_standard(const struct golden_case *golden, const char *expected)
{
	static struct model model;

	model_from_size(&model, golden_number(golden, "size"), golden_number_or(golden, "active", ABSENT_NUMBER));
	return strcmp(expected, "hidden") == 0 ? model.hidden
		: strcmp(expected, "layers") == 0  ? model.layer_count
		: strcmp(expected, "experts") == 0 ? model.kinds[0].experts
										   : ABSENT_NUMBER;
}

static double golden_flops(const struct golden_case *golden, const char *expected)
{
	static struct model model;
	double length = golden_number(golden, "sequence_length");

	given_model(golden, &model);
	if (strcmp(expected, "forward") == 0)
		return model_forward_flops_per_token(&model, length);
	if (strcmp(expected, "attention") == 0)
		return model_attention_flops_per_token(&model, length);
	return strcmp(expected, "training") == 0 ? model_training_flops_per_token(&model, length) : ABSENT_NUMBER;
}

static double golden_cache(const struct golden_case *golden, const char *expected)
{
	static struct model model;
	double bytes = golden_number(golden, "bytes");

	given_model(golden, &model);
	if (strcmp(expected, "token") == 0)
		return model_kv_bytes_per_token(&model, bytes);
	if (strcmp(expected, "sequence") == 0)
		return model_kv_bytes(&model, golden_number(golden, "context"), bytes);
	return strcmp(expected, "state") == 0 ? model_state_bytes(&model, bytes) : ABSENT_NUMBER;
}

static double golden_weights(const struct golden_case *golden, const char *expected)
{
	static struct model model;

	given_model(golden, &model);
	for (int precision = PRECISION_FP32; precision < PRECISION_COUNT; precision++)
		if (strcmp(precision_name((enum precision)precision), golden_word(golden, "precision")) == 0 && strcmp(expected, "bytes") == 0)
			return model_weight_bytes(&model, (enum precision)precision);
	return ABSENT_NUMBER;
}

static double golden_run_flops(const struct golden_case *golden, const char *expected)
{
	static struct model model;
	double tokens = golden_number(golden, "tokens"), rule = compute_rule_flops(golden_number_or(golden, "params", 0), tokens);

	if (strcmp(expected, "rule") == 0)
		return rule;
	if (strcmp(expected, "petaflop_s_days") == 0)
		return compute_petaflop_s_days(rule);
	given_model(golden, &model);
	return strcmp(expected, "training") == 0 ? compute_training_flops(&model, tokens, golden_number(golden, "sequence_length"))
											 : ABSENT_NUMBER;
}

static void golden_cases_hold(void **state)
{
	static const struct golden_row rows[] = {{"E1", golden_params}, {"E2", golden_standard}, {"E3", golden_flops}, {"E4", golden_flops},
		{"E5", golden_cache}, {"E6", golden_weights}, {"E7", golden_run_flops}};

	(void)state;
	golden_run("tests/planner/golden/workload.txt", rows, COUNT_OF(rows), 32);
}

/* --- properties ------------------------------------------------------------------------------------------- */

/* Builds a model with one layer of each mixer, each with its own feed-forward. */
static void build_zoo(struct model *model)
{
	static const struct layer_kind kinds[] = {
		{.mixer = MIXER_ATTENTION,
			.heads = 8,
			.kv_heads = 2,
			.head_dim = 64,
			.feed_forward = FEED_FORWARD_DENSE,
			.width = 2048,
			.gated = true,
			.norms = 2},
		{.mixer = MIXER_ATTENTION,
			.heads = 8,
			.kv_heads = 4,
			.head_dim = 64,
			.window = 100,
			.output_gate = true,
			.feed_forward = FEED_FORWARD_DENSE,
			.width = 2048,
			.norms = 2,
			.extra_params = 77},
		{.mixer = MIXER_MLA,
			.heads = 8,
			.head_dim = 64,
			.rope_head_dim = 32,
			.value_head_dim = 64,
			.q_lora_rank = 128,
			.kv_lora_rank = 96,
			.index_heads = 4,
			.index_head_dim = 32,
			.index_tokens = 300,
			.feed_forward = FEED_FORWARD_EXPERTS,
			.gated = true,
			.experts = 16,
			.experts_active = 4,
			.expert_width = 256,
			.shared_width = 512,
			.norms = 2,
			.expert_extra_params = 3},
		{.mixer = MIXER_MAMBA2, .heads = 16, .value_head_dim = 64, .state_dim = 64, .groups = 2, .conv_kernel = 4, .norms = 1},
		{.mixer = MIXER_MAMBA2, .heads = 1024, .value_head_dim = 1, .state_dim = 16, .step_rank = 32, .conv_kernel = 4, .norms = 1},
		{.mixer = MIXER_GATED_DELTA,
			.heads = 8,
			.kv_heads = 4,
			.head_dim = 64,
			.value_head_dim = 64,
			.conv_kernel = 4,
			.feed_forward = FEED_FORWARD_DENSE,
			.width = 1024,
			.norms = 2},
	};

	memset(model, 0, sizeof *model);
	model->hidden = 512;
	model->vocabulary = 5000;
	model->norms = 1;
	model->kind_count = model->layer_count = (int)COUNT_OF(kinds);
	for (int i = 0; i < model->layer_count; i++) {
		model->kinds[i] = kinds[i];
		model->layers[i] = (uint8_t)i;
	}
}

static void parts_sum_to_the_whole(void **state)
{
	static struct model model;
	double total, active;

	(void)state;
	build_zoo(&model);
	model_finish(&model);
	total = active = model.params_embedding + model.hidden;
	for (int i = 0; i < model.kind_count; i++) {
		const struct layer_kind *kind = &model.kinds[i];

		total += kind->mixer_params + kind->feed_forward_params + kind->other_params;
		active += kind->mixer_params + kind->feed_forward_active_params + kind->other_params;
		assert_int_equal(model_kind_layers(&model, i), 1);
	}
	assert_true(model.params_total == total && model.params_active == active);
	assert_true(total - active == 12 * (3.0 * 512 * 256 + 3));
	assert_true(model_kv_bytes(&model, 50, 2) == 50 * model_kv_bytes_per_token(&model, 2) + model_state_bytes(&model, 2));
}

static double total_with(size_t offset, int layer, int factor)
{
	static struct model model;
	int *value;

	build_zoo(&model);
	value = (int *)(void *)((char *)(layer < 0 ? (void *)&model : (void *)&model.kinds[layer]) + offset);
	*value *= factor;
	model_finish(&model);
	return model.params_total;
}

static void every_width_adds_parameters(void **state)
{
	static const struct {
		int layer;
		size_t offset;
	} widths[] = {{-1, offsetof(struct model, hidden)}, {-1, offsetof(struct model, vocabulary)}, {0, offsetof(struct layer_kind, heads)},
		{0, offsetof(struct layer_kind, kv_heads)}, {0, offsetof(struct layer_kind, head_dim)}, {0, offsetof(struct layer_kind, width)},
		{1, offsetof(struct layer_kind, width)}, {2, offsetof(struct layer_kind, heads)}, {2, offsetof(struct layer_kind, head_dim)},
		{2, offsetof(struct layer_kind, rope_head_dim)}, {2, offsetof(struct layer_kind, value_head_dim)},
		{2, offsetof(struct layer_kind, q_lora_rank)}, {2, offsetof(struct layer_kind, kv_lora_rank)},
		{2, offsetof(struct layer_kind, index_heads)}, {2, offsetof(struct layer_kind, index_head_dim)},
		{2, offsetof(struct layer_kind, experts)}, {2, offsetof(struct layer_kind, expert_width)},
		{2, offsetof(struct layer_kind, shared_width)}, {3, offsetof(struct layer_kind, heads)}, {3, offsetof(struct layer_kind, state_dim)},
		{3, offsetof(struct layer_kind, groups)}, {3, offsetof(struct layer_kind, conv_kernel)}, {4, offsetof(struct layer_kind, state_dim)},
		{4, offsetof(struct layer_kind, step_rank)}, {5, offsetof(struct layer_kind, heads)}, {5, offsetof(struct layer_kind, kv_heads)},
		{5, offsetof(struct layer_kind, value_head_dim)}, {5, offsetof(struct layer_kind, conv_kernel)}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(widths); i++)
		assert_true(total_with(widths[i].offset, widths[i].layer, 2) > total_with(widths[i].offset, widths[i].layer, 1));
}

/* E3's closed forms against a count of the keys of every query. */
static void mean_contexts_are_what_counting_gives(void **state)
{
	static const int lengths[] = {1, 2, 99, 100, 101, 250, 300, 1000};

	(void)state;
	for (int chunked = 0; chunked <= 1; chunked++)
		for (int window = 0; window <= 300; window += 50)
			for (size_t i = 0; i < COUNT_OF(lengths); i++) {
				struct layer_kind kind = {.mixer = MIXER_ATTENTION, .window = window, .chunked = chunked};
				double keys = 0;

				for (int query = 1; query <= lengths[i]; query++)
					keys += window == 0 ? query : chunked ? (query - 1) % window + 1 : query < window ? query : window;
				assert_close(model_mean_context_tokens(&kind, lengths[i]), keys / lengths[i], 1e-13);
			}
}

static void caches_scale_with_bytes_and_stop_at_windows(void **state)
{
	static struct model model;
	double windowed = 2.0 * 4 * 64 * 2;

	(void)state;
	build_zoo(&model);
	model_finish(&model);
	assert_close(model_kv_bytes(&model, 777, 2), 2 * model_kv_bytes(&model, 777, 1), 1e-15);
	assert_close(model_kv_bytes(&model, 1101, 2) - model_kv_bytes(&model, 1100, 2), model_kv_bytes_per_token(&model, 2) - windowed, 1e-12);
	assert_close(model_kv_bytes(&model, 0, 2), model_state_bytes(&model, 2), 1e-15);
	model.kinds[0].shares_cache = true;
	assert_close(model_kv_bytes(&model, 101, 2) - model_kv_bytes(&model, 100, 2), 2 * (96 + 32 + 32), 1e-12);
}

static void flops_grow_with_the_sequence_and_shrink_with_a_window(void **state)
{
	static struct model model;
	double last = 0;

	(void)state;
	build_zoo(&model);
	model_finish(&model);
	for (double length = 1; length < 1e7; length *= 3) {
		double now = model_forward_flops_per_token(&model, length);

		assert_true(now > last);
		assert_close(model_training_flops_per_token(&model, length), 3 * now, 1e-15);
		last = now;
	}
	model.kinds[0].window = 1000;
	assert_true(model_forward_flops_per_token(&model, 3e6) < model_forward_flops_per_token(&model, 1e7));
	assert_true(model_attention_flops_per_token(&model, 1e6) < 0.5 * last);
}

/* --- sizes without shapes --------------------------------------------------------------------------------- */

static void a_size_becomes_a_shape_of_that_size(void **state)
{
	static struct model model, counted;

	(void)state;
	for (double size = 1e8; size < 1e15; size *= 3.7)
		for (double share = 1; share > 0.02; share /= 3) {
			model_from_size(&model, size, share < 1 ? size * share : ABSENT_NUMBER);
			counted = model;
			counted.params_total = counted.params_active = 0;
			model_finish(&counted);
			assert_close(counted.params_total, size, size * share < 1e9 ? 0.05 : 0.01);
			assert_close(counted.params_active, size * share, size * share < 1e9 ? 0.15 : 0.03);
			assert_true(model.params_total == size && model.shape_is_guessed);
			assert_int_equal(model.kinds[0].heads % model.kinds[0].kv_heads, 0);
			if (share < 1)
				assert_int_equal(model.kinds[0].feed_forward, FEED_FORWARD_EXPERTS);
		}
}

/* The FLOPs of the standard shape are near the rule of thumb, so that a guessed shape costs little accuracy. */
static void a_standard_shape_computes_like_the_rule(void **state)
{
	static struct model model;

	(void)state;
	for (double size = 1e9; size < 2e13; size *= 2.3) {
		model_from_size(&model, size, ABSENT_NUMBER);
		assert_close(compute_training_flops(&model, 1e12, 2048), compute_rule_flops(size, 1e12), 0.1);
	}
}

static void a_generic_model_has_what_was_said_of_it(void **state)
{
	static struct model model;

	(void)state;
	memset(&model, 0, sizeof model);
	model.kind = MODEL_GENERIC;
	model.params_total = 25.6e6;
	model.generic_flops_per_sample = 8.2e9;
	model_finish(&model);
	assert_true(model.params_active == 25.6e6);
	assert_true(model_forward_flops_per_token(&model, 1) == 8.2e9);
	assert_true(model_training_flops_per_token(&model, 1) == 24.6e9);
	assert_true(model_kv_bytes(&model, 1000, 2) == 0);
	assert_true(model_weight_bytes(&model, PRECISION_FP32) == 102.4e6);
	assert_true(model.params_embedding == 0);
	memset(&model, 0, sizeof model);
	model.kind = MODEL_GENERIC;
	model.params_total = 10e9; /* a recommender: 20 MFLOP use at most 10 million weights, the rest are tables */
	model.generic_flops_per_sample = 20e6;
	model_finish(&model);
	assert_true(model.params_active == 10e6 && model.params_embedding == 10e9 - 10e6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_cases_hold),
		cmocka_unit_test(parts_sum_to_the_whole),
		cmocka_unit_test(every_width_adds_parameters),
		cmocka_unit_test(mean_contexts_are_what_counting_gives),
		cmocka_unit_test(caches_scale_with_bytes_and_stop_at_windows),
		cmocka_unit_test(flops_grow_with_the_sequence_and_shrink_with_a_window),
		cmocka_unit_test(a_size_becomes_a_shape_of_that_size),
		cmocka_unit_test(a_standard_shape_computes_like_the_rule),
		cmocka_unit_test(a_generic_model_has_what_was_said_of_it),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
