/* Tests the conversion of Hugging Face configurations to models: published counts, every row of the built-in catalogue,
 * faults, mutations. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwdb/models/model_config.h"
#include "support/assert.h"

static struct model model;
static struct failure failure;

static enum status read_text(const char *json)
{
	failure_clear(&failure);
	return model_config_read(json, strlen(json), "/model/config", &model, &failure);
}

/* Calls `check` for every line of a JSON-lines file that has a config. Returns the number of calls. */
static int each_line(const char *path, int (*check)(const json_t *row, const char *config), int *bad)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	int count = 0;

	if (!file)
		fail_msg("cannot open %s: run the tests from the repository's root", path);
	while (getline(&line, &size, file) > 0) {
		json_t *row = json_loads(line, 0, NULL);
		char *config = json_dumps(json_object_get(row, "config"), JSON_COMPACT);

		assert_non_null(config);
		*bad += check(row, config);
		count++;
		free(config);
		json_decref(row);
	}
	free(line);
	fclose(file);
	return count;
}

static double member(const json_t *row, const char *name)
{
	return json_number_value(json_object_get(row, name));
}

/* Half a unit of the last published digit: 8.03B is known to 0.005B, 671B and 400B to 0.5B, 1.04T to 0.005T. */
static double half_unit(double published)
{
	double most = published < 1e12 ? 1e9 : 1e12, unit = 1;

	while (unit < most && fmod(published, unit * 10) == 0)
		unit *= 10;
	return unit / 2;
}

/* --- exact counts ----------------------------------------------------------------------------------------- */

static int check_golden(const json_t *row, const char *config)
{
	const char *id = json_string_value(json_object_get(row, "id"));
	double published = member(row, "params_total"), allowed = fmod(published, 1e8) == 0 ? half_unit(published) : 0;

	if (read_text(config) != STATUS_OK) {
		print_error("%s: %s %s\n", id, failure.faults[0].pointer, failure.faults[0].detail);
		return 1;
	}
	if (fabs(model.params_total - published) <= allowed)
		return 0;
	print_error("%s: %.0f counted, %.0f published\n", id, model.params_total, published);
	return 1;
}

/* The counts must equal the size of the stored weights on Hugging Face, to the last parameter, for about sixty
 * families. */
static void published_checkpoints_are_counted_exactly(void **state)
{
	int bad = 0;

	(void)state;
	assert_true(each_line("tests/hwdb/golden/configs.jsonl", check_golden, &bad) >= 115);
	assert_int_equal(bad, 0);
}

/* --- encoders, encoder-decoders and diffusion transformers --------------------------------------------------- */

static int check_tower(const json_t *row, const char *config)
{
	const char *id = json_string_value(json_object_get(row, "id"));
	double published = member(row, "params_total");

	if (read_text(config) != STATUS_OK) {
		print_error("%s: %s %s\n", id, failure.faults[0].pointer, failure.faults[0].detail);
		return 1;
	}
	if (model.kind == MODEL_GENERIC && strstr(model.notes, "a sample is") && model.generic_sample_bytes > 0 &&
		model.generic_activation_bytes > 0 && fabs(model.params_total / published - 1) < (fmod(published, 1e6) == 0 ? 0.01 : 1e-9))
		return 0;
	print_error("%s: %.0f counted, %.0f published; %s\n", id, model.params_total, published, model.notes);
	return 1;
}

static double flops_of(const char *id)
{
	FILE *file = fopen("tests/hwdb/golden/towers.jsonl", "r");
	char *line = NULL;
	size_t size = 0;

	assert_non_null(file);
	while (getline(&line, &size, file) > 0) {
		json_t *row = json_loads(line, 0, NULL);

		if (strcmp(json_string_value(json_object_get(row, "id")), id) == 0) {
			char *config = json_dumps(json_object_get(row, "config"), JSON_COMPACT);

			assert_int_equal(read_text(config), STATUS_OK);
			free(config);
		}
		json_decref(row);
	}
	free(line);
	fclose(file);
	return model_forward_flops_per_token(&model, 1);
}

/* Parameters must equal the published sizes, to the last one if a checkpoint shows it. FLOPs must be twice the
 * multiply-adds that the makers publish. */
static void towers_are_counted_and_take_the_published_work(void **state)
{
	int bad = 0;

	(void)state;
	assert_true(each_line("tests/hwdb/golden/towers.jsonl", check_tower, &bad) >= 12);
	assert_int_equal(bad, 0);
	assert_close(flops_of("vit-base-patch16-224"), 2 * 17.56e9, 0.01); /* torchvision, vit_b_16: 17.56 G multiply-adds */
	assert_close(flops_of("dit-xl-2-256"), 2 * 118.6e9, 0.01);         /* Peebles and Xie 2022, arXiv 2212.09748: DiT-XL/2 118.6 G */
	/* T5-base by hand, in multiply-adds. Encoder: 12 x (512 x 7.08e6 + 512 x 512 x 1536). Decoder: 12 x (114 x (7.08e6 +
	 * 1.18e6) + 512 x 1.18e6 + 114 x (57.5 + 512) x 1536). The logits come on top. */
	assert_close(flops_of("t5-base"),
		2 * (12 * (512 * 7.0779e6 + 512.0 * 512 * 1536) + 12 * (114 * 8.2575e6 + 512 * 1.1796e6 + 114 * 569.5 * 1536) + 114 * 24.674e6),
		0.01);
	/* The text encoders and the autoencoder of SD3 are not counted. A step at 1,024 x 1,024 attends over 4,096 and 333
	 * tokens. */
	assert_true(flops_of("sd3-medium") > 2 * 4096 * 1e9 && flops_of("flux-dev") > flops_of("sd3-medium"));
}

/* A token of BERT attends to all tokens, a token of a decoder to half of them on average. */
static void an_encoder_attends_to_all(void **state)
{
	double encoder, decoder;

	(void)state;
	assert_int_equal(
		read_text("{\"model_type\":\"bert\",\"hidden_size\":768,\"num_hidden_layers\":12,\"num_attention_heads\":12,\"intermediate_size\":3072,"
				  "\"vocab_size\":30522,\"max_position_embeddings\":512}"),
		STATUS_OK);
	assert_false(model_is_causal(&model));
	encoder = model_attention_flops_per_token(&model, 512);
	assert_close(encoder, 12 * 4.0 * 768 * 512, 1e-12);
	assert_int_equal(
		read_text("{\"model_type\":\"gpt2\",\"n_embd\":768,\"n_layer\":12,\"n_head\":12,\"vocab_size\":30522,\"n_positions\":512}"),
		STATUS_OK);
	assert_true(model_is_causal(&model));
	decoder = model_attention_flops_per_token(&model, 512);
	assert_close(decoder / encoder, 513 / 1024.0, 1e-12);
}

/* --- FLOPs ------------------------------------------------------------------------------------------------ */

/* At one token the model needs two FLOPs for each parameter, except those of experts that are not chosen and of lookup
 * tables. */
static int check_flops(const json_t *row, const char *config)
{
	double lookup, met;

	(void)row;
	assert_int_equal(read_text(config), STATUS_OK);
	lookup = model.params_embedding - (double)model.vocabulary * model.hidden;
	met = model.params_active - lookup;
	assert_close(model_forward_flops_per_token(&model, 1), 2 * met, 0.08);
	assert_close(model_weight_bytes(&model, PRECISION_BF16), 2 * model.params_total, 1e-12);
	assert_true(model_weight_bytes(&model, PRECISION_FP8) < 2 * model.params_total);
	assert_true(model_weight_bytes(&model, PRECISION_NVFP4) < model_weight_bytes(&model, PRECISION_FP8) ||
		model.params_active < model.params_total);
	return 0;
}

static void a_token_takes_two_flops_for_each_parameter_it_meets(void **state)
{
	int bad = 0;

	(void)state;
	each_line("tests/hwdb/golden/configs.jsonl", check_flops, &bad);
	each_line("hwdb/data/models.jsonl", check_flops, &bad);
}

/* --- the catalogue ---------------------------------------------------------------------------------------- */

/* Rows whose published total differs from the configuration, with the right count and the reason. */
static const struct {
	const char *id;
	double right, tolerance;
	const char *reason;
} exceptions[] = {
	{"llama-4-scout", 108641793536.0 - 871932416.0, 0,
		"109B holds the vision tower: 34 layers of 23,807,872, patches 827,904, positions "
		"813,824, norms 5,632, adapter 5632 x 4096 + 4096 x 4096, projector 4096 x 5120 = 871,932,416 of the "
		"108,641,793,536 stored"},
	{"kimi-k2", 1026408232448.0, 0, "the report says 1.04T; the stored weights are 1,026,408,232,448"},
	{"kimi-k2.5", 1026408232448.0, 0, "the report says 1.04T; the language model's stored weights are 1,026,408,232,448"},
	{"gemma-4-26b-a4b", 25.2e9, 0.05e9, "the model card says 25.2B without the vision encoder; 26B is its name"},
	{"nemotron-3-nano-30b-a3b", 31.6e9, 0.05e9, "the technical report says 31.6B; 30B is its name"},
	{"falcon-180b", 179522565120.0 - 65024.0 * 14848.0, 0, "179.5B holds the logits' matrix of 65,024 x 14,848, which the row ties"},
};

static double published_total(const char *id, double published, double *allowed)
{
	*allowed = fmax(0.005 * published, half_unit(published));
	for (size_t i = 0; i < COUNT_OF(exceptions); i++)
		if (strcmp(exceptions[i].id, id) == 0) {
			*allowed = exceptions[i].tolerance;
			return exceptions[i].right;
		}
	return published;
}

/* Publishers count active parameters with both tables, without the lookup table, or without either. */
static double nearest_active(double published)
{
	double table = (double)model.vocabulary * model.hidden;
	double counts[] = {model.params_active, model.params_active - table, model.params_active - model.params_embedding};
	double nearest = counts[0];

	for (size_t i = 1; i < COUNT_OF(counts); i++)
		if (fabs(counts[i] - published) < fabs(nearest - published))
			nearest = counts[i];
	return nearest;
}

static int check_row(const json_t *row, const char *config)
{
	const char *id = json_string_value(json_object_get(row, "id"));
	double published = member(row, "params_total"), active = member(row, "params_active"), allowed, nearest;
	double right = published_total(id, published, &allowed);
	int bad;

	if (read_text(config) != STATUS_OK) {
		print_error("%s: %s %s\n", id, failure.faults[0].pointer, failure.faults[0].detail);
		return 1;
	}
	nearest = nearest_active(active);
	bad = fabs(model.params_total - right) > allowed;
	if (active < published)
		bad += fabs(nearest - active) > fmax(0.02 * active, half_unit(active));
	print_message("%-24s %15.0f counted %9.4gB published %+7.3f %%  active %13.0f %7.4gB %+6.2f %%%s\n", id, model.params_total,
		published / 1e9, 100 * (model.params_total / published - 1), nearest, active / 1e9, 100 * (nearest / active - 1),
		bad                      ? "  OUT"
			: right == published ? ""
								 : "  (exception)");
	return bad;
}

static void every_row_of_the_catalogue_has_its_published_size(void **state)
{
	int bad = 0;

	(void)state;
	assert_true(each_line("hwdb/data/models.jsonl", check_row, &bad) >= 57);
	assert_int_equal(bad, 0);
}

/* --- shape ------------------------------------------------------------------------------------------------ */

#define LLAMA \
	"\"hidden_size\":4096,\"intermediate_size\":14336,\"num_attention_heads\":32,\"num_hidden_layers\":8,\"num_key_" \
	"value_heads\":8," \
	"\"vocab_size\":1000"

/* A classifier and a reward model have one table and a head with few columns. */
static void labels_take_the_place_of_logits(void **state)
{
	double logits;

	(void)state;
	assert_int_equal(read_text("{" LLAMA ",\"model_type\":\"llama\",\"tie_word_embeddings\":false}"), STATUS_OK);
	logits = model_forward_flops_per_token(&model, 1);
	assert_int_equal(read_text("{" LLAMA ",\"model_type\":\"llama\",\"tie_word_embeddings\":false,"
							   "\"architectures\":[\"LlamaForSequenceClassification\"],\"id2label\":{\"0\":\"a\",\"1\":\"b\",\"2\":\"c\"}}"),
		STATUS_OK);
	assert_int_equal(model.label_count, 3);
	assert_close(logits - model_forward_flops_per_token(&model, 1), 2.0 * (model.vocabulary - 3) * model.hidden, 1e-12);
	assert_close(model.params_embedding, (double)model.vocabulary * model.hidden, 1e-12);
	assert_int_equal(read_text("{" LLAMA ",\"model_type\":\"llama\",\"architectures\":[\"LlamaForCausalLM\"]}"), STATUS_OK);
	assert_int_equal(model.label_count, 0);
}

static int layers_with_window(int window)
{
	int count = 0;

	for (int i = 0; i < model.layer_count; i++)
		count += model.kinds[model.layers[i]].window == window;
	return count;
}

static void windows_are_where_the_family_has_them(void **state)
{
	static const struct {
		const char *members;
		int windowed;
	} cases[] = {
		{"\"model_type\":\"mistral\",\"sliding_window\":64", 8},
		{"\"model_type\":\"mistral\",\"sliding_window\":null", 0},
		{"\"model_type\":\"gemma2\",\"sliding_window\":64", 4},
		{"\"model_type\":\"gemma3_text\",\"sliding_window\":64", 7},
		{"\"model_type\":\"gemma3_text\",\"sliding_window\":64,\"sliding_window_pattern\":2", 4},
		{"\"model_type\":\"qwen2\",\"sliding_window\":64,\"use_sliding_window\":false", 0},
		{"\"model_type\":\"qwen2\",\"sliding_window\":64,\"use_sliding_window\":true,\"max_window_layers\":6", 2},
		{"\"model_type\":\"llama4_text\",\"attention_chunk_size\":64,\"head_dim\":128", 6},
		{"\"model_type\":\"cohere2\",\"sliding_window\":64", 6},
		{"\"model_type\":\"other\",\"sliding_window\":64", 0},
		{"\"model_type\":\"other\",\"sliding_window\":64,\"layer_types\":[\"sliding_attention\",\"full_attention\","
		 "\"full_attention\","
		 "\"full_attention\",\"full_attention\",\"full_attention\",\"full_attention\",\"full_attention\"]",
			1},
	};
	char json[1024];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		snprintf(json, sizeof json, "{" LLAMA ",%s}", cases[i].members);
		assert_int_equal(read_text(json), STATUS_OK);
		assert_int_equal(layers_with_window(64), cases[i].windowed);
	}
}

static int layers_with_experts(const char *members)
{
	char json[1024];
	int count = 0;

	snprintf(json, sizeof json, "{" LLAMA ",\"num_experts_per_tok\":2,\"moe_intermediate_size\":64,%s}", members);
	assert_int_equal(read_text(json), STATUS_OK);
	for (int i = 0; i < model.layer_count; i++)
		count += model.kinds[model.layers[i]].feed_forward == FEED_FORWARD_EXPERTS;
	return count;
}

static void experts_are_where_the_family_has_them(void **state)
{
	(void)state;
	assert_int_equal(layers_with_experts("\"num_local_experts\":4"), 8);
	assert_int_equal(layers_with_experts("\"num_local_experts\":1"), 0);
	assert_int_equal(layers_with_experts("\"n_routed_experts\":4,\"first_k_dense_replace\":3"), 5);
	assert_int_equal(layers_with_experts("\"num_experts\":4,\"decoder_sparse_step\":2,\"mlp_only_layers\":[1,3]"), 2);
	assert_int_equal(layers_with_experts("\"num_local_experts\":4,\"interleave_moe_layer_step\":2"), 4);
	assert_int_equal(model.layers[0], 0);
	assert_int_equal(model.kinds[model.layers[1]].feed_forward, FEED_FORWARD_EXPERTS);
	assert_int_equal(layers_with_experts("\"n_routed_experts\":4,\"moe_layer_freq\":[0,1,1,1,1,1,1,0]"), 6);
	assert_int_equal(layers_with_experts("\"model_type\":\"jamba\",\"num_experts\":4"), 4);
}

static void what_is_assumed_is_said(void **state)
{
	(void)state;
	assert_int_equal(read_text("{\"model_type\":\"llama\"," LLAMA "}"), STATUS_OK);
	assert_string_equal(model.notes, "");
	assert_int_equal(read_text("{\"model_type\":\"brandnew\"," LLAMA "}"), STATUS_OK);
	assert_contains(model.notes, "\"brandnew\" is not known");
	assert_int_equal(read_text("{\"model_type\":\"some_vl\",\"text_config\":{\"model_type\":\"qwen2\"," LLAMA "}}"), STATUS_OK);
	assert_contains(model.notes, "only the language model");
	assert_int_equal(
		read_text("{\"model_type\":\"some_omni\",\"thinker_config\":{\"text_config\":{\"model_type\":\"qwen2\"," LLAMA "}}}"), STATUS_OK);
	assert_int_equal(model.hidden, 4096);
	assert_int_equal(read_text("{\"model_type\":\"gpt2\",\"n_layer\":12,\"n_embd\":768,\"n_head\":12,\"vocab_size\":50257}"), STATUS_OK);
	assert_contains(model.notes, "1024 positions");
	assert_true(model.params_total == 124439808);
}

static void a_stated_tie_overrides_the_family(void **state)
{
	(void)state;
	assert_int_equal(read_text("{\"model_type\":\"gemma\"," LLAMA "}"), STATUS_OK);
	assert_true(model.tied_embeddings);
	assert_int_equal(read_text("{\"model_type\":\"gemma\",\"tie_word_embeddings\":false," LLAMA "}"), STATUS_OK);
	assert_false(model.tied_embeddings);
	assert_int_equal(
		read_text("{\"model_type\":\"x\",\"tie_word_embeddings\":true,\"text_config\":{\"model_type\":\"llama\"," LLAMA "}}"), STATUS_OK);
	assert_true(model.tied_embeddings);
}

/* --- faults ----------------------------------------------------------------------------------------------- */

static void what_cannot_be_is_a_fault_at_its_place(void **state)
{
	static const struct {
		const char *json, *pointer, *code;
	} cases[] = {
		{"{", "/model/config", "malformed"},
		{"{\"a\":1,\"a\":2}", "/model/config", "malformed"},
		{"[]", "/model/config", "wrong_type"},
		{"{}", "/model/config/hidden_size", "required"},
		{"{" LLAMA ",\"num_layers\":7,\"n_layer\":8,\"hidden_size\":4}", "/model/config", "malformed"},
		{"{\"hidden_size\":4096,\"vocab_size\":10,\"num_hidden_layers\":2,\"num_attention_heads\":8}", "/model/config/intermediate_size",
			"required"},
		{"{\"hidden_size\":4096,\"vocab_size\":10,\"num_hidden_layers\":2}", "/model/config/num_attention_heads", "required"},
		{"{\"hidden_size\":1099511627776,\"vocab_size\":10}", "/model/config/hidden_size", "out_of_range"},
		{"{\"hidden_size\":4096,\"vocab_size\":10,\"num_hidden_layers\":1000000000}", "/model/config/num_hidden_layers", "out_of_range"},
		{"{\"hidden_size\":4096,\"vocab_size\":10,\"num_hidden_layers\":2.5}", "/model/config/num_hidden_layers", "out_of_range"},
		{"{\"hidden_size\":4096,\"vocab_size\":10,\"n_layer\":-2}", "/model/config/n_layer", "out_of_range"},
		{"{\"hidden_size\":\"4096\",\"vocab_size\":10}", "/model/config/hidden_size", "wrong_type"},
		{"{\"hidden_size\":4096,\"vocab_size\":10,\"num_hidden_layers\":2,\"num_attention_heads\":0,\"intermediate_"
		 "size\":8}",
			"/model/config/num_attention_heads", "out_of_range"},
		{"{\"hidden_size\":4096,\"vocab_size\":10,\"num_hidden_layers\":2,\"num_attention_heads\":33,\"intermediate_"
		 "size\":8}",
			"/model/config/num_attention_heads", "out_of_range"},
		{"{" LLAMA ",\"num_local_experts\":8}", "/model/config/num_experts_per_tok", "required"},
		{"{" LLAMA ",\"num_local_experts\":8,\"num_experts_per_tok\":9}", "/model/config/num_experts_per_tok", "out_of_range"},
		{"{" LLAMA ",\"kv_lora_rank\":512}", "/model/config/qk_nope_head_dim", "required"},
		{"{" LLAMA ",\"layer_types\":[\"full_attention\"]}", "/model/config/layer_types", "out_of_range"},
		{"{" LLAMA ",\"hybrid_override_pattern\":\"M-*E\"}", "/model/config/hybrid_override_pattern", "out_of_range"},
		{"{\"text_config\":{\"hidden_size\":0,\"vocab_size\":10}}", "/model/config/text_config/hidden_size", "out_of_range"},
		{"{\"thinker_config\":{\"text_config\":{\"hidden_size\":0,\"vocab_size\":10}}}",
			"/model/config/thinker_config/text_config/hidden_size", "out_of_range"},
		{"{" LLAMA ",\"num_local_experts\":8,\"num_experts_per_tok\":[2,3]}", "/model/config/num_experts_per_tok", "wrong_type"},
		{"{\"model_type\":\"dbrx\",\"d_model\":64,\"n_heads\":4,\"n_layers\":2,\"vocab_size\":10,\"attn_config\":{\"kv_"
		 "n_heads\":3},"
		 "\"ffn_config\":{\"ffn_hidden_size\":64}}",
			"/model/config/num_key_value_heads", "out_of_range"},
		{"{\"model_type\":\"bart\",\"d_model\":512}", "/model/config/model_type", "unsupported"},
		{"{\"model_type\":\"t5\",\"d_model\":512}", "/model/config/num_heads", "required"},
		{"{\"model_type\":\"clip\"}", "/model/config/text_config", "required"},
		{"{\"model_type\":\"brandnew\",\"is_encoder_decoder\":true," LLAMA "}", "/model/config/model_type", "unsupported"},
		{"{\"model_type\":\"albert\"," LLAMA "}", "/model/config/model_type", "unsupported"},
		{"{\"model_type\":7," LLAMA "}", "/model/config/model_type", "wrong_type"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		enum status status = read_text(cases[i].json);

		if (status != STATUS_INVALID)
			fail_msg("accepted: %s", cases[i].json);
		assert_string_equal(failure.faults[0].pointer, cases[i].pointer);
		assert_string_equal(failure.faults[0].code, cases[i].code);
	}
}

/* Faults that were found earlier, elsewhere in the request, neither stop nor change the reading. */
static void earlier_faults_do_not_count(void **state)
{
	static const char json[] = "{\"model_type\":\"llama\"," LLAMA "}";

	(void)state;
	failure_clear(&failure);
	failure_add(&failure, "/tokens", "out_of_range", "too few");
	assert_int_equal(model_config_read(json, sizeof json - 1, "/model/config", &model, &failure), STATUS_OK);
	assert_int_equal(model.layer_count, 8);
	assert_int_equal(failure.fault_total, 1);
}

static void ten_trillion_parameters_are_counted(void **state)
{
	(void)state;
	assert_int_equal(read_text("{\"model_type\":\"llama\",\"hidden_size\":131072,\"intermediate_size\":524288,\"num_hidden_layers\":40,"
							   "\"num_attention_heads\":1024,\"vocab_size\":200000}"),
		STATUS_OK);
	assert_true(model.params_total == 40.0 * (4.0 * 131072 * 131072 + 3.0 * 131072 * 524288 + 2 * 131072) + 400000.0 * 131072 + 131072);
}

/* --- mutations -------------------------------------------------------------------------------------------- */

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void model_is_sane(void)
{
	assert_true(isfinite(model.params_total) && model.params_active <= model.params_total);
	assert_in_range(model.layer_count, 1, MODEL_LAYERS_MAX);
	for (int i = 0; i < model.layer_count; i++)
		assert_true(model.layers[i] < model.kind_count);
	assert_true(isfinite(model_forward_flops_per_token(&model, 4096)));
	assert_true(model_kv_bytes(&model, 4096, 2) >= 0);
}

/* Changes, cuts and repeats bytes. The reader must always return a status, and an accepted model must be consistent. */
static int check_mutations(const json_t *row, const char *config)
{
	static const char bytes[] = "0123456789-.,:[]{}\"enul";
	uint32_t seed = (uint32_t)strlen(config);
	char text[16384];

	(void)row;
	for (int round = 0; round < 60; round++) {
		size_t length = strlen(config), at;

		assert_true(length < sizeof text);
		memcpy(text, config, length);
		for (int change = 0; change <= round % 4; change++) {
			at = random_next(&seed) % length;
			text[at] = bytes[random_next(&seed) % (sizeof bytes - 1)];
		}
		if (round % 10 == 9)
			length = random_next(&seed) % length;
		failure_clear(&failure);
		if (model_config_read(text, length, "/model/config", &model, &failure) == STATUS_OK)
			model_is_sane();
		else
			assert_true(failure.fault_total > 0);
	}
	return 0;
}

static void mutated_configurations_always_end_in_a_status(void **state)
{
	int bad = 0;

	(void)state;
	each_line("tests/hwdb/golden/configs.jsonl", check_mutations, &bad);
	each_line("hwdb/data/models.jsonl", check_mutations, &bad);
}

/* The quantization configs of published checkpoints. The last three give no known precision. */
static void checkpoints_say_their_precision(void **state)
{
	static const struct {
		const char *quantization;
		enum precision precision;
	} cases[] = {{"{\"activation_scheme\": \"dynamic\", \"fmt\": \"e4m3\", \"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]}",
					 PRECISION_FP8},
		{"{\"modules_to_not_convert\": [\"lm_head\"], \"quant_method\": \"mxfp4\"}", PRECISION_MXFP4},
		{"{\"config_groups\": {\"group_0\": {\"input_activations\": null, \"weights\": {\"group_size\": 32, \"num_bits\": 4, \"type\": \"int\"}}}, "
		 "\"quant_method\": \"compressed-tensors\"}",
			PRECISION_INT4},
		{"{\"config_groups\": {\"group_0\": {\"weights\": {\"group_size\": 16, \"num_bits\": 4, \"type\": \"float\"}}}, \"quant_method\": \"compressed-tensors\"}",
			PRECISION_NVFP4},
		{"{\"config_groups\": {\"group_0\": {\"weights\": {\"num_bits\": 8, \"type\": \"float\"}}}, \"quant_algo\": \"FP8\"}", PRECISION_FP8},
		{"{\"quant_algo\": \"NVFP4\", \"quant_method\": \"modelopt\"}", PRECISION_NVFP4},
		{"{\"quant_method\": \"awq\", \"bits\": 4}", PRECISION_INT4}, {"{\"quant_method\": \"gptq\", \"bits\": 8}", PRECISION_INT8},
		{"{\"quant_method\": \"fbgemm_fp8\"}", PRECISION_FP8},
		{"{\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true}", PRECISION_INT4}, {"null", PRECISION_UNSET},
		{"{\"quant_method\": \"gptq\", \"bits\": 3}", PRECISION_UNSET}, {"{\"quant_method\": \"of tomorrow\"}", PRECISION_UNSET}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int nested = 0; nested < 2; nested++) {
			char text[900];

			snprintf(text, sizeof text,
				"{%s\"model_type\": \"llama\", \"hidden_size\": 4096, \"intermediate_size\": 14336, \"num_attention_heads\": 32, "
				"\"num_hidden_layers\": 2, \"vocab_size\": 32000, \"quantization_config\": %s}%s",
				nested ? "\"text_config\": {" : "", cases[i].quantization, nested ? "}" : "");
			assert_int_equal(read_text(text), STATUS_OK);
			assert_int_equal(model.published_precision, cases[i].precision);
			assert_int_equal(strstr(model.notes, "quantization_config") != NULL, i >= COUNT_OF(cases) - 2);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_checkpoints_are_counted_exactly),
		cmocka_unit_test(towers_are_counted_and_take_the_published_work),
		cmocka_unit_test(an_encoder_attends_to_all),
		cmocka_unit_test(labels_take_the_place_of_logits),
		cmocka_unit_test(a_token_takes_two_flops_for_each_parameter_it_meets),
		cmocka_unit_test(every_row_of_the_catalogue_has_its_published_size),
		cmocka_unit_test(windows_are_where_the_family_has_them),
		cmocka_unit_test(experts_are_where_the_family_has_them),
		cmocka_unit_test(what_is_assumed_is_said),
		cmocka_unit_test(a_stated_tie_overrides_the_family),
		cmocka_unit_test(what_cannot_be_is_a_fault_at_its_place),
		cmocka_unit_test(earlier_faults_do_not_count),
		cmocka_unit_test(ten_trillion_parameters_are_counted),
		cmocka_unit_test(checkpoints_say_their_precision),
		cmocka_unit_test(mutated_configurations_always_end_in_a_status),
	};

	return cmocka_run_group_tests_name("model_config", tests, NULL, NULL);
}
