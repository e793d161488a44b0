/* Serving models whose layers differ: mixtures, latent attention, windows, state; and layouts over ranks. */
#include <math.h>
#include <string.h>

#include "planner/replica/operating.h"
#include "planner/replica/replica_layout.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct model model;
static struct accelerator accelerator;

/* Fills in a mixture of moderate size like DeepSeek's: latent attention, one
 * dense layer, then experts with a shared one. */
static void mixture_fill(void)
{
	struct serving_fixture fixture;

	serving_fixture_fill(&fixture);
	accelerator = fixture.candidate.accelerator;
	memset(&model, 0, sizeof model);
	model = (struct model){.id = "mixture", .hidden = 4096, .vocabulary = 64000, .layer_count = 24, .kind_count = 2};
	model.kinds[0] = (struct layer_kind){.mixer = MIXER_MLA,
		.heads = 64,
		.kv_heads = 64,
		.head_dim = 128,
		.value_head_dim = 128,
		.q_lora_rank = 1024,
		.kv_lora_rank = 512,
		.rope_head_dim = 64,
		.feed_forward = FEED_FORWARD_DENSE,
		.width = 11008,
		.gated = true,
		.norms = 2};
	model.kinds[1] = model.kinds[0];
	model.kinds[1].feed_forward = FEED_FORWARD_EXPERTS;
	model.kinds[1].experts = 64;
	model.kinds[1].experts_active = 4;
	model.kinds[1].expert_width = 1536;
	model.kinds[1].shared_width = 1536;
	for (int i = 1; i < model.layer_count; i++)
		model.layers[i] = 1;
	model_finish(&model);
}

static struct replica_layout layout_of(int tensor, int expert, int attention_data, enum precision precision)
{
	return (struct replica_layout){.tensor = tensor,
		.pipeline = 1,
		.expert = expert,
		.attention_data = attention_data,
		.precision = precision,
		.kv_precision = PRECISION_BF16,
		.engine = ENGINE_VLLM,
		.release_years = engine_newest_release_years(),
		.max_batch = ABSENT_NUMBER,
		.chunk_tokens = ABSENT_NUMBER};
}

static struct replica prepared(struct replica_layout layout)
{
	struct replica replica;

	assert_true(replica_prepare(&replica, &model, &accelerator, NULL, &layout, &serving_constants));
	return replica;
}

static struct step step_of(const struct replica *replica, double sequences, double context, double prompt)
{
	struct batch batch = {
		.decode_sequences = sequences, .decode_context_tokens = context, .prefill_tokens = prompt, .prefill_sequences = prompt > 0};
	struct step step;

	step_time(replica, &batch, &step);
	assert_close(step.time_s, step.compute_s + step.memory_s + step.network_s + step.overhead_s, 1e-12);
	return step;
}

static void weights_agree_with_the_model(void **state)
{
	static const enum precision precisions[] = {PRECISION_BF16, PRECISION_FP8, PRECISION_NVFP4, PRECISION_INT4};

	(void)state;
	mixture_fill();
	for (size_t i = 0; i < COUNT_OF(precisions); i++) {
		struct replica replica = prepared(layout_of(1, 1, 1, precisions[i]));

		assert_close(replica.memory.weights_bytes, model_weight_bytes(&model, precisions[i]), 0.002);
	}
}

/* Weights that are stored narrower than they are multiplied stream slower than their bytes suggest. A mixture's
 * 16-bit parts do not. */
static void widened_weights_stream_slower(void **state)
{
	struct serving_fixture fixture;
	struct replica wide, eight, four;
	double eight_share, four_share;

	(void)state;
	serving_fixture_fill(&fixture);
	model = fixture.inference.model;
	accelerator = fixture.candidate.accelerator;
	accelerator.tflops_fp8 = ABSENT_NUMBER;
	wide = prepared(layout_of(4, 1, 1, PRECISION_BF16));
	eight = prepared(layout_of(4, 1, 1, PRECISION_FP8));
	four = prepared(layout_of(4, 1, 1, PRECISION_INT4));
	eight_share = pow(serving_constants.widening_memory, log2(2 / precision_weight_bytes(PRECISION_FP8)));
	four_share = pow(serving_constants.widening_memory, log2(2 / precision_weight_bytes(PRECISION_INT4)));
	assert_true(four_share < eight_share && eight_share < 1 && four_share > 0.65);
	for (int i = 0; i < wide.kinds[0].gemm_count; i++) {
		assert_close(eight.kinds[0].gemms[i].memory_bytes_per_s, eight_share * wide.kinds[0].gemms[i].memory_bytes_per_s, 1e-9);
		assert_close(four.kinds[0].gemms[i].memory_bytes_per_s, four_share * wide.kinds[0].gemms[i].memory_bytes_per_s, 1e-9);
		assert_close(four.kinds[0].gemms[i].flops_per_s, wide.kinds[0].gemms[i].flops_per_s, 1e-9);
	}
	mixture_fill();
	wide = prepared(layout_of(1, 1, 1, PRECISION_BF16));
	four = prepared(layout_of(1, 1, 1, PRECISION_INT4));
	assert_close(four.kinds[1].gemms[0].memory_bytes_per_s, wide.kinds[1].gemms[0].memory_bytes_per_s, 1e-12);
	assert_close(four.kinds[1].expert_flops_per_s, serving_constants.expert_widening * wide.kinds[1].expert_flops_per_s, 1e-9);
}

static void few_tokens_touch_few_experts(void **state)
{
	struct replica replica;
	struct step one, many;

	(void)state;
	mixture_fill();
	replica = prepared(layout_of(1, 1, 1, PRECISION_BF16));
	one = step_of(&replica, 1, 100, 0);
	many = step_of(&replica, 256, 100, 0);
	assert_true(one.bytes < 0.35 * many.bytes); /* 4 of 64 experts; the other step reads nearly all */
	assert_true(many.bytes < 1.5 * replica.memory.weights_bytes && many.bytes > 0.9 * replica.memory.weights_bytes);
	assert_true(one.time_s < many.time_s);
}

static void latent_caches_are_whole_on_every_rank(void **state)
{
	struct replica one, eight, ranks;

	(void)state;
	mixture_fill();
	one = prepared(layout_of(1, 1, 1, PRECISION_BF16));
	eight = prepared(layout_of(8, 1, 1, PRECISION_BF16));
	ranks = prepared(layout_of(1, 8, 8, PRECISION_BF16));
	/* 24 layers x (512 + 64) x 2 bytes, in blocks of 16 tokens */
	assert_close(replica_sequence_bytes(&one, 1600), 1600.0 * 24 * 576 * 2, 1e-12);
	assert_close(replica_sequence_bytes(&eight, 1600), replica_sequence_bytes(&one, 1600), 1e-12);
	/* Attention by data keeps each sequence on one rank: eight times the sequences,
	 * for eight copies of attention weights. */
	assert_true(ranks.memory.weights_bytes > eight.memory.weights_bytes && ranks.memory.weights_bytes < one.memory.weights_bytes);
	assert_true(replica_sequences_max(&ranks, 8000, 1000) > 5 * replica_sequences_max(&eight, 8000, 1000));
}

static void experts_by_rank_exchange_instead_of_reducing(void **state)
{
	struct replica tensor, ranks;

	(void)state;
	mixture_fill();
	tensor = prepared(layout_of(8, 8, 1, PRECISION_BF16));
	ranks = prepared(layout_of(1, 8, 8, PRECISION_BF16));
	assert_true(step_of(&tensor, 64, 1000, 0).network_s > 0);
	assert_true(step_of(&ranks, 64, 1000, 0).network_s > 0);
	assert_true(step_of(&ranks, 512, 8000, 0).memory_s < step_of(&tensor, 512, 8000, 0).memory_s);
	accelerator.interconnect_gbs = ABSENT_NUMBER; /* PCIe */
	ranks = prepared(layout_of(8, 8, 1, PRECISION_BF16));
	assert_true(step_of(&ranks, 64, 1000, 4000).network_s > 5 * step_of(&tensor, 64, 1000, 4000).network_s);
}

/* In decoding, a query of latent attention multiplies 512 + 64 values of each cached token as keys and 512 as values,
 * in each of 64 heads. */
static void latent_queries_work_in_the_latent_space(void **state)
{
	struct replica replica;

	(void)state;
	mixture_fill();
	replica = prepared(layout_of(1, 1, 1, PRECISION_BF16));
	assert_close(replica.kinds[0].decode_flops_per_pair, 2 * 64.0 * (512 + 64 + 512), 1e-12);
	/* down to the latents and the shared rotary key; up for queries (1,024); up for
	 * keys and values; out; gate and up; down */
	for (int i = 0; i < replica.kinds[0].gemm_count; i++) {
		static const double products[][2] = {
			{1024 + 512 + 64, 4096}, {64 * (128 + 64), 1024}, {64 * (128 + 128), 512}, {4096, 64 * 128}, {2 * 11008, 4096}, {4096, 11008}};

		assert_close(replica.kinds[0].gemms[i].n, products[i][0], 1e-12);
		assert_close(replica.kinds[0].gemms[i].k, products[i][1], 1e-12);
	}
	assert_int_equal(replica.kinds[0].gemm_count, 6);
	assert_close(replica.kinds[0].prefill_flops_per_pair, 2 * 64.0 * (128 + 64 + 128), 1e-12);
	assert_close(step_of(&replica, 64, 3000, 0).flops - step_of(&replica, 64, 1000, 0).flops, 24 * 64 * 2000.0 * 2 * 64 * 1088, 1e-9);
}

/* Returns the bytes of the expert weights that 24 tokens read. One rank reads those of 64 experts that the k = 4
 * choices of each token hit, as far as tokens choose independently. Of eight ranks with eight experts, the rank with
 * the most hits counts. The other bytes do not depend on the spread. */
static double expert_bytes(int ranks, double spread)
{
	double local = 64.0 / ranks, hit = local * (1 - pow(1 - 4.0 / 64, spread * 24));
	double fullest = ranks > 1 ? fmin(local, hit + sqrt(2 * log(ranks) * hit * (1 - hit / local))) : hit;

	return 23 * fullest * 3 * 4096.0 * 1536 * 2;
}

static void experts_that_are_hit_are_read(void **state)
{
	struct serving_constants all = serving_constants, some = serving_constants;

	(void)state;
	mixture_fill();
	all.expert_spread = 1;
	some.expert_spread = 0.25;
	for (int ranks = 1; ranks <= 8; ranks *= 8) {
		struct replica_layout layout = layout_of(ranks, ranks, 1, PRECISION_BF16);
		struct replica replica;
		double bytes;

		assert_true(replica_prepare(&replica, &model, &accelerator, NULL, &layout, &all));
		bytes = step_of(&replica, 24, 1000, 0).bytes;
		assert_true(replica_prepare(&replica, &model, &accelerator, NULL, &layout, &some));
		assert_close(bytes - step_of(&replica, 24, 1000, 0).bytes, expert_bytes(ranks, 1) - expert_bytes(ranks, 0.25), 1e-9);
	}
}

static void experts_without_a_gate_have_two_products(void **state)
{
	(void)state;
	mixture_fill();
	assert_close(prepared(layout_of(1, 1, 1, PRECISION_BF16)).kinds[1].expert_weights, 3 * 4096.0 * 1536, 1e-12);
	model.kinds[1].gated = false;
	assert_close(prepared(layout_of(1, 1, 1, PRECISION_BF16)).kinds[1].expert_weights, 2 * 4096.0 * 1536, 1e-12);
}

/* Steps with prompts launch each layer's kernels from Python, three times as
 * many for experts. The accelerators' work hides them. */
static void layers_of_experts_launch_three_times_as_much(void **state)
{
	struct replica_layout layout = layout_of(8, 8, 1, PRECISION_BF16);
	struct replica replica;
	double device_s, host_s;

	(void)state;
	mixture_fill();
	layout.engine = ENGINE_SGLANG;
	replica = prepared(layout);
	host_s = (1 + 3 * 23) * replica.host.eager_layer_s;
	replica.host.eager_layer_s = 0;
	device_s = step_of(&replica, 0, 0, 16).time_s - replica.host.step_s;
	replica = prepared(layout);
	assert_close(step_of(&replica, 0, 0, 16).launch_s, pow(pow(device_s, 4) + pow(host_s, 4), 0.25) - device_s, 1e-9);
	assert_true(host_s > device_s);
}

/* Heads are divided evenly. Each rank has some of the cached heads, or several ranks share one. */
static void heads_are_shared_out_evenly(void **state)
{
	static const int64_t widths[] = {1, 2, 4, 8, 16, 32, 64};
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture); /* 64 heads, 8 of them cached */
	for (size_t i = 0; i < COUNT_OF(widths); i++)
		assert_true(layout_divides_heads(&fixture.inference.model, widths[i]));
	assert_false(layout_divides_heads(&fixture.inference.model, 3));
	assert_false(layout_divides_heads(&fixture.inference.model, 128));
	fixture.inference.model.kinds[0].kv_heads = 6;
	assert_false(layout_divides_heads(&fixture.inference.model, 4));
	assert_true(layout_divides_heads(&fixture.inference.model, 2));
}

/* A replica is as wide as its links reach: at least the node's PCIe, at most 64 of a rack's 72 accelerators. */
static void replicas_are_as_wide_as_links_reach(void **state)
{
	static const struct {
		int64_t node, linked, domain;
	} candidates[] = {{8, 8, 8}, {4, 72, 64}, {4, 16, 16}, {8, 1, 8}, {8, 2, 8}, {0, 1, 8}};
	struct serving_fixture fixture;
	struct mig_slice slice = {.per_board = 7};

	(void)state;
	serving_fixture_fill(&fixture);
	for (size_t i = 0; i < COUNT_OF(candidates); i++) {
		fixture.candidate.gpus_per_node = candidates[i].node;
		fixture.candidate.accelerator.max_nvlink_domain = candidates[i].linked;
		assert_int_equal(layout_domain(&fixture.candidate), candidates[i].domain);
	}
	fixture.candidate.slice = &slice;
	assert_int_equal(layout_domain(&fixture.candidate), 1);
}

/* The rows of each of 64 experts are padded to whole tiles, by half a tile on average: tiles of 64 add 16 rows more
 * than tiles of 32. */
static void experts_multiply_whole_tiles(void **state)
{
	static const double tiles[] = {32, 64};
	struct replica_layout layout = layout_of(1, 1, 1, PRECISION_BF16);
	double compute_s[2], padding_s = 0;

	(void)state;
	mixture_fill();
	for (size_t i = 0; i < 2; i++) {
		struct serving_constants constants = serving_constants;
		struct replica replica;

		constants.expert_tile_tokens = tiles[i];
		assert_true(replica_prepare(&replica, &model, &accelerator, NULL, &layout, &constants));
		compute_s[i] = step_of(&replica, 0, 0, 8000).compute_s;
		padding_s = 23 * 64 * 16 * 2 * replica.kinds[1].expert_weights / replica.kinds[1].expert_flops_per_s;
	}
	assert_close(compute_s[1] - compute_s[0], padding_s, 5e-3); /* the corner of the roofline is smooth */
}

/* A token goes to those of eight ranks that hold its four experts, 8 x (1 - (7/8)^4) of them, and comes back. One
 * copy in eight stays on its rank. */
static void tokens_go_where_their_experts_are(void **state)
{
	struct replica ranks;
	double copies = 8 * (1 - pow(7.0 / 8, 4)), token_s;

	(void)state;
	mixture_fill();
	ranks = prepared(layout_of(1, 8, 8, PRECISION_BF16));
	token_s = 23 * 2 * 4096 * 2 * copies * 7 / 8 / ranks.link_bytes_per_s;
	assert_close(step_of(&ranks, 1600, 1000, 0).network_s - step_of(&ranks, 800, 1000, 0).network_s, 100 * token_s, 1e-9);
	assert_close(ranks.link_bytes_per_s, accelerator_link_bytes_per_s(&accelerator), 1e-12);
}

/* E140. The fewer accelerators a link joins, the longer a step's network takes.
 * Across machines their adapters count. */
static void networks_slow_with_their_domains(void **state)
{
	struct replica_layout layouts[] = {
		layout_of(8, 8, 1, PRECISION_BF16), layout_of(1, 8, 8, PRECISION_BF16), layout_of(4, 1, 1, PRECISION_BF16)};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(layouts); i++) {
		double last_s = 0, machines_s;
		struct replica replica;

		for (int64_t domain = 8; domain >= 1; domain /= 2) {
			double network_s;

			mixture_fill();
			accelerator.max_nvlink_domain = domain;
			replica = prepared(layouts[i]);
			network_s = step_of(&replica, 64, 1000, 4000).network_s;
			assert_true(network_s >= last_s);
			if (2 * domain == replica.gpus) /* the first step beyond the link */
				assert_true(network_s > 2 * last_s);
			last_s = network_s;
		}
		mixture_fill();
		accelerator.max_nvlink_domain = 2;
		layouts[i].gpus_per_node = 2;
		layouts[i].internode_bytes_per_s = 3e9;
		replica = prepared(layouts[i]);
		machines_s = step_of(&replica, 64, 1000, 4000).network_s;
		assert_true(machines_s > 1.5 * last_s);
		layouts[i].internode_bytes_per_s = 6e9;
		replica = prepared(layouts[i]);
		assert_true(step_of(&replica, 64, 1000, 4000).network_s < 0.7 * machines_s);
	}
	mixture_fill();
}

/* E5. A replica keeps of a token what the model's cache holds: latents, windows, shared caches and the indexer's key.
 * A step reads the keys that the indexer picks, and the indexer's keys of all the context. */
static void caches_of_replicas_are_the_models(void **state)
{
	struct replica before, after;

	(void)state;
	mixture_fill();
	before = prepared(layout_of(4, 1, 1, PRECISION_BF16));
	for (int i = 0; i < model.kind_count; i++)
		model.kinds[i].index_heads = 32, model.kinds[i].index_head_dim = 128, model.kinds[i].index_tokens = 2048;
	model_finish(&model);
	after = prepared(layout_of(4, 1, 1, PRECISION_BF16));
	assert_close(replica_sequence_bytes(&before, 1600), 1600.0 * 24 * 576 * 2, 1e-12);
	assert_close(replica_sequence_bytes(&after, 1600), 1600.0 * 24 * (576 + 128) * 2, 1e-12);
	assert_close(replica_sequence_bytes(&after, 1600), 1600 * model_kv_bytes_per_token(&model, 2), 1e-12);
	assert_close(step_of(&after, 64, 40000, 0).bytes - step_of(&after, 64, 20000, 0).bytes, 24 * 64 * 20000.0 * 128 * 2, 1e-9);
	assert_true(step_of(&after, 64, 40000, 0).bytes < step_of(&before, 64, 40000, 0).bytes);
	mixture_fill();
}

static void windows_bound_the_cache_and_the_reading(void **state)
{
	struct replica full, windowed;

	(void)state;
	mixture_fill();
	for (int i = 0; i < 2; i++) {
		model.kinds[i].mixer = MIXER_ATTENTION;
		model.kinds[i].kv_heads = 8;
		model.kinds[i].q_lora_rank = model.kinds[i].kv_lora_rank = model.kinds[i].rope_head_dim = 0;
	}
	model.params_total = model.params_active = 0;
	model_finish(&model);
	full = prepared(layout_of(1, 1, 1, PRECISION_BF16));
	model.kinds[1].window = 1024;
	windowed = prepared(layout_of(1, 1, 1, PRECISION_BF16));
	/* one full layer and 23 of 1,024 tokens, 8 x 256 x 2 bytes each */
	assert_close(replica_sequence_bytes(&windowed, 16000), (16000 + 23.0 * 1024) * 8 * 256 * 2, 1e-12);
	assert_close(replica_sequence_bytes(&full, 16000), 24.0 * 16000 * 8 * 256 * 2, 1e-12);
	assert_close(replica_sequence_bytes(&windowed, 512), replica_sequence_bytes(&full, 512), 1e-12);
	assert_true(step_of(&windowed, 64, 16000, 0).time_s < 0.8 * step_of(&full, 64, 16000, 0).time_s);
	assert_true(step_of(&windowed, 0, 0, 8000).time_s < step_of(&full, 0, 0, 8000).time_s);
}

static void states_do_not_grow_with_the_context(void **state)
{
	static const enum mixer mixers[] = {MIXER_MAMBA2, MIXER_GATED_DELTA};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(mixers); i++) {
		struct replica replica;

		mixture_fill();
		model.kinds[1].mixer = mixers[i];
		model.kinds[1].kv_heads = 16;
		model.kinds[1].state_dim = 128;
		model.kinds[1].conv_kernel = 4;
		model.kinds[1].groups = 8;
		model.kinds[1].q_lora_rank = model.kinds[1].kv_lora_rank = model.kinds[1].rope_head_dim = 0;
		model.params_total = model.params_active = 0;
		model_finish(&model);
		replica = prepared(layout_of(1, 1, 1, PRECISION_BF16));
		/* only the one latent layer grows */
		assert_close(replica_sequence_bytes(&replica, 32000) - replica_sequence_bytes(&replica, 16000), 16000.0 * 576 * 2, 1e-9);
		/* 23 layers hold a state of 64 heads x 128 x 128 once, though a step reads and writes it */
		assert_close(replica_sequence_bytes(&replica, 16), 23 * 64.0 * 128 * 128 * 2 + 16.0 * 576 * 2, 1e-9);
		assert_true(step_of(&replica, 64, 1000, 0).bytes > 2 * 64 * 23 * 64.0 * 128 * 128 * 2);
		assert_true(step_of(&replica, 0, 0, 4000).compute_s > 0);
	}
}

static void narrow_weights_without_narrow_arithmetic_are_only_stored_narrow(void **state)
{
	struct replica hopper, blackwell;
	double before;

	(void)state;
	mixture_fill();
	hopper = prepared(layout_of(1, 1, 1, PRECISION_MXFP4));
	before = step_of(&hopper, 0, 0, 8000).compute_s;
	accelerator.tflops_fp4 = 4 * accelerator.tflops_bf16;
	blackwell = prepared(layout_of(1, 1, 1, PRECISION_MXFP4));
	assert_close(hopper.memory.weights_bytes, blackwell.memory.weights_bytes, 1e-12);
	assert_true(step_of(&blackwell, 0, 0, 8000).compute_s < before);
}

static void stages_share_layers_and_lose_a_little(void **state)
{
	struct replica_layout layout;
	struct replica one, two;

	(void)state;
	mixture_fill();
	one = prepared(layout_of(1, 1, 1, PRECISION_BF16));
	layout = layout_of(1, 1, 1, PRECISION_BF16);
	layout.pipeline = 2;
	two = prepared(layout);
	assert_int_equal(two.gpus, 2);
	assert_close(replica_sequence_bytes(&two, 1600), replica_sequence_bytes(&one, 1600) / 2, 1e-12);
	assert_true(two.memory.weights_bytes < 0.55 * one.memory.weights_bytes);
	assert_true(step_of(&two, 1, 1000, 0).time_s > step_of(&one, 1, 1000, 0).time_s); /* one request passes both stages */
	assert_true(step_of(&two, 2000, 1000, 0).time_s < step_of(&one, 2000, 1000, 0).time_s);
}

static void measured_efficiencies_replace_fitted_ones(void **state)
{
	struct calibration calibration = {
		.id = "c", .gemm_efficiency = 0.9, .gemm_precision = PRECISION_BF16, .memory_efficiency = 0.9, .source = "measured"};
	struct replica_layout layout = layout_of(1, 1, 1, PRECISION_BF16);
	struct replica fitted, measured;

	(void)state;
	mixture_fill();
	fitted = prepared(layout);
	assert_true(replica_prepare(&measured, &model, &accelerator, &calibration, &layout, &serving_constants));
	assert_true(step_of(&measured, 8, 100, 0).memory_s < step_of(&fitted, 8, 100, 0).memory_s);
	assert_true(step_of(&measured, 0, 0, 8000).compute_s < step_of(&fitted, 0, 0, 8000).compute_s);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(weights_agree_with_the_model),
	cmocka_unit_test(few_tokens_touch_few_experts),
	cmocka_unit_test(widened_weights_stream_slower),
	cmocka_unit_test(latent_caches_are_whole_on_every_rank),
	cmocka_unit_test(experts_by_rank_exchange_instead_of_reducing),
	cmocka_unit_test(latent_queries_work_in_the_latent_space),
	cmocka_unit_test(experts_that_are_hit_are_read),
	cmocka_unit_test(experts_without_a_gate_have_two_products),
	cmocka_unit_test(layers_of_experts_launch_three_times_as_much),
	cmocka_unit_test(heads_are_shared_out_evenly),
	cmocka_unit_test(replicas_are_as_wide_as_links_reach),
	cmocka_unit_test(experts_multiply_whole_tiles),
	cmocka_unit_test(tokens_go_where_their_experts_are),
	cmocka_unit_test(networks_slow_with_their_domains),
	cmocka_unit_test(caches_of_replicas_are_the_models),
	cmocka_unit_test(windows_bound_the_cache_and_the_reading),
	cmocka_unit_test(states_do_not_grow_with_the_context),
	cmocka_unit_test(narrow_weights_without_narrow_arithmetic_are_only_stored_narrow),
	cmocka_unit_test(stages_share_layers_and_lose_a_little),
	cmocka_unit_test(measured_efficiencies_replace_fitted_ones),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
