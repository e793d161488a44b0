#include "hwdb/models/model_config.h"

#include <stdio.h>
#include <string.h>

#include "hwdb/models/model_layers.h"
#include "hwdb/models/model_quantization.h"
#include "hwdb/models/model_towers.h"
#include "schema/json_tree.h"

static const struct model_family unknown_family = {.model_type = ""};

/* Members of multimodal configurations that contain the language model's part, possibly nested in each other in this
 * order. */
static const char *const nested[] = {"thinker_config", "llm_config", "language_config", "text_config"};

/* Enters nested parts to any depth, and keeps the whole (outer) for members that the part leaves out. */
static void reader_enter(struct config_reader *reader, const json_t *root)
{
	size_t depth = 0;

	reader->config = root;
	for (size_t i = 0; i < COUNT_OF(nested) && depth < 2; i++) {
		const json_t *inner = json_object_get(reader->config, nested[i]);
		size_t used = strlen(reader->inside);

		if (!json_is_object(inner) || json_object_size(inner) == 0)
			continue;
		snprintf(reader->inside + used, sizeof reader->inside - used, "/%s", nested[i]);
		reader->config = inner;
		reader->outer = root;
		depth++;
	}
}

/* Returns the model_type, the outer one where the inner part has none; "" without either. */
static const char *type_read(const struct config_reader *reader)
{
	const char *type = config_text(reader, "model_type", "");

	if (!type[0] && reader->outer && json_is_string(json_object_get(reader->outer, "model_type")))
		type = json_string_value(json_object_get(reader->outer, "model_type"));
	if (!type[0] && config_find(reader, CONFIG_NAMES("ssm_cfg"), NULL)) {
		const char *layer = json_string_value(config_find(reader, CONFIG_NAMES("ssm_cfg.layer"), NULL));

		return layer && strcmp(layer, "Mamba2") == 0 ? "mamba2" : "mamba";
	}
	return type;
}

static bool is_refused(const struct config_reader *reader, const char *type)
{
	const char *reason = model_family_refused(type);

	if (!reason && reader->outer)
		reason = model_family_refused(config_text(
			&(struct config_reader){.config = reader->outer, .pointer = reader->pointer, .failure = reader->failure}, "model_type", ""));
	if (!reason && config_bool(reader, "is_encoder_decoder", false))
		reason = model_family_refused("bart");
	if (reason)
		config_fault(reader, "model_type", "unsupported", "\"%.60s\" is %s", type, reason);
	return reason != NULL;
}

/* Reads traits from members, for facts that the family alone does not determine. */
static unsigned traits_read(const struct config_reader *reader, const struct model_family *family)
{
	const char *activation = config_text(reader, "hidden_act", config_text(reader, "mlp_hidden_act", ""));
	unsigned traits = family->traits;
	bool falcon = strcmp(family->model_type, "falcon") == 0 || strncmp(family->model_type, "RefinedWeb", 10) == 0;

	if (falcon || strcmp(family->model_type, "mpt") == 0) {
		bool bias = falcon ? config_bool(reader, "bias", false) : !config_bool(reader, "no_bias", true);

		if (bias)
			traits |= FAMILY_QKV_BIAS | FAMILY_OUT_BIAS | FAMILY_MLP_BIAS | FAMILY_LAYER_NORM;
	}
	if (falcon && !config_bool(reader, "new_decoder_architecture", strcmp(family->model_type, "RefinedWeb") == 0) &&
		!config_find(reader, CONFIG_NAMES("num_key_value_heads"), NULL) && config_bool(reader, "parallel_attn", true))
		traits |= FAMILY_ONE_NORM;
	if (falcon && config_int(reader, CONFIG_NAMES("num_ln_in_parallel_attn"), 1, 2, 2) == 1)
		traits |= FAMILY_ONE_NORM;
	if (strcmp(family->model_type, "stablelm") == 0 && config_bool(reader, "use_parallel_residual", false))
		traits |= FAMILY_ONE_NORM;
	if (strcmp(family->model_type, "gptj") != 0 && strcmp(activation, "relu2") == 0)
		traits |= FAMILY_UNGATED;
	return traits;
}

static bool tied_read(const struct config_reader *reader, unsigned traits)
{
	const struct config_reader outer = {.config = reader->outer, .pointer = reader->pointer, .failure = reader->failure};
	const char *name = config_find(reader, CONFIG_NAMES("tie_embeddings"), NULL) ? "tie_embeddings" : "tie_word_embeddings";

	if (reader->outer && !config_find(reader, CONFIG_NAMES(name), NULL))
		return config_bool(&outer, name, traits & FAMILY_TIED);
	return config_bool(reader, name, traits & FAMILY_TIED);
}

static void positions_read(const struct config_reader *reader, const struct model_family *family, unsigned traits, struct model *model)
{
	model->max_positions = config_int(reader,
		CONFIG_NAMES("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx", "seq_length", "max_sequence_length"), 1, TOKENS_MAX,
		0);
	if (!(traits & FAMILY_LEARNED))
		return;
	if (model->max_positions == 0) {
		model->max_positions = family->positions;
		model_note(model, "a table of %d positions, its family's default", model->max_positions);
	}
	model->learned_positions = model->max_positions + family->position_extra;
}

/* Reads OPT 350M's narrower embedding between two projections, without a final norm. */
static void opt_read(const struct config_reader *reader, struct model *model)
{
	int width = config_int(reader, CONFIG_NAMES("word_embed_proj_dim"), 1, WIDTH_MAX, model->hidden);

	if (width != model->hidden)
		model->extra_params += 2.0 * width * model->hidden + ((double)width - model->hidden) * model->vocabulary;
	if (!config_bool(reader, "do_layer_norm_before", true))
		model->norms = 0;
}

/* Reads an encoder: every token attends to every other; positions, token types and a norm after the embedding; a pooler
 * after the last layer, where transformers' model has one (models/bert, roberta, distilbert). */
static void encoder_read(const struct config_reader *reader, const struct model_family *family, struct model *model)
{
	bool distilled = strcmp(family->model_type, "distilbert") == 0;
	double types = distilled ? 0
							 : config_int(reader, CONFIG_NAMES("type_vocab_size"), 0, 64, strcmp(family->model_type, "bert") == 0 ? 2 : 1);

	for (int i = 0; i < model->kind_count; i++)
		model->kinds[i].bidirectional = true;
	model->norms = 1;
	model->extra_params += types * model->hidden;
	if (!distilled)
		model->extra_params += (double)model->hidden * model->hidden + model->hidden;
	model_note(model,
		model->label_count > 0
			? "an encoder: every token attends to every other"
			: "an encoder: every token attends to every other; logits are counted for all of them, as a masked-language head computes them");
}

/* Reads Gemma's per-layer embeddings: a table for every layer, and its projection into the layer. */
static void per_layer_embeddings_read(const struct config_reader *reader, struct model *model)
{
	double width = config_int(reader, CONFIG_NAMES("hidden_size_per_layer_input"), 0, WIDTH_MAX, 0);
	double rows = config_int(reader, CONFIG_NAMES("vocab_size_per_layer_input"), 0, TOKENS_MAX, model->vocabulary);

	if (width == 0)
		return;
	model->lookup_params = rows * width * model->layer_count;
	model->extra_params += width * model->layer_count * model->hidden + width;
	for (int i = 0; i < model->kind_count; i++)
		model->kinds[i].extra_params += (2 * width + 1) * model->hidden;
}

static int vocabulary_read(const struct config_reader *reader, const struct model_family *family)
{
	int vocabulary = config_int(reader, CONFIG_NAMES("vocab_size", "padded_vocab_size", "n_vocab"), 1, 1 << 26,
		family->vocabulary > 0 ? family->vocabulary : CONFIG_REQUIRED);
	int multiple = config_int(reader, CONFIG_NAMES("pad_vocab_size_multiple"), 1, 1 << 16, 1);

	return vocabulary > 0 ? (vocabulary + multiple - 1) / multiple * multiple : vocabulary;
}

/* Reads a head of labels in place of the vocabulary's, by the name of the architecture. */
static void head_read(const struct config_reader *reader, struct model *model)
{
	static const char *const labelled[] = {"ForQuestionAnswering", "ForSequenceClassification", "ForTokenClassification"};
	const char *architecture = json_string_value(json_array_get(json_object_get(reader->config, "architectures"), 0));
	size_t named = json_object_size(json_object_get(reader->config, "id2label"));

	for (size_t i = 0; architecture && i < COUNT_OF(labelled); i++) {
		if (!strstr(architecture, labelled[i]))
			continue;
		model->label_count = named > 0 && named <= TOKENS_MAX ? (int)named : 2;
		model_note(model, "%s: a head of %d labels, without logits of the vocabulary", labelled[i], model->label_count);
	}
}

static void model_read(const struct config_reader *reader, const struct model_family *family, struct model *model)
{
	size_t before = reader->failure->fault_total;
	unsigned traits = traits_read(reader, family);

	model->kind = MODEL_TRANSFORMER;
	model->hidden = config_int(reader, CONFIG_NAMES("hidden_size", "n_embd", "d_model", "dim"), 1, WIDTH_MAX, CONFIG_REQUIRED);
	model->vocabulary = vocabulary_read(reader, family);
	head_read(reader, model);
	model->tied_embeddings = model->label_count > 0 || tied_read(reader, traits);
	model->norm_bias = traits & FAMILY_LAYER_NORM;
	model->norms = traits & FAMILY_NO_NORM_WEIGHT ? 0 : traits & FAMILY_EMBEDDING_NORM ? 2 : 1;
	positions_read(reader, family, traits, model);
	model->predict_layers = config_int(
		reader, CONFIG_NAMES("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"), 0, 64, 0);
	if (reader->failure->fault_total > before)
		return;
	model_layers_read(reader, family, traits, model);
	if (traits & FAMILY_LOGIT_BIAS && config_bool(reader, "lm_head_bias", true))
		model->extra_params += model->vocabulary;
	if (strcmp(family->model_type, "opt") == 0)
		opt_read(reader, model);
	per_layer_embeddings_read(reader, model);
	if (traits & FAMILY_ENCODER)
		encoder_read(reader, family, model);
	if (strcmp(family->model_type, "openai-gpt") == 0)
		model->norms = 0; /* each layer ends with its own norm */
}

/* Members outside of the nested language model also apply to it. */
static void quantization_note(const json_t *root, const struct config_reader *reader, struct model *model)
{
	const char *method;

	model->published_precision = quantization_read(root, &method);
	if (model->published_precision == PRECISION_UNSET && !method)
		model->published_precision = quantization_read(reader->config, &method);
	if (method)
		model_note(model, "quantization_config \"%.40s\" is not known, so narrow weights are not assumed; give precision", method);
}

static enum status config_read(const json_t *root, const char *pointer, struct model *model, struct failure *failure)
{
	struct config_reader reader = {.pointer = pointer, .failure = failure};
	size_t before = failure->fault_total;
	const struct model_family *family;
	const char *type;

	if (!json_is_object(root)) {
		failure_add(failure, pointer, "wrong_type", "must be a JSON object with a model's configuration, as in config.json");
		return failure->status;
	}
	reader.config = root;
	if (model_towers_known(&reader)) {
		model_towers_read(&reader, model);
		if (failure->fault_total > before)
			return failure->status;
		model_finish(model);
		return STATUS_OK;
	}
	reader_enter(&reader, root);
	type = type_read(&reader);
	family = model_family_find(type);
	if (is_refused(&reader, type))
		return failure->status;
	model_read(&reader, family ? family : &unknown_family, model);
	if (failure->fault_total > before)
		return failure->status;
	if (!family)
		model_note(model,
			"model_type \"%.40s\" is not known: read as Llama's architecture (RMSNorm, gated feed-forward, no biases, "
			"untied)",
			type);
	if (reader.outer)
		model_note(model, "only the language model is counted, without vision or audio towers");
	quantization_note(root, &reader, model);
	model_finish(model);
	return STATUS_OK;
}

enum status model_config_read(const char *json, size_t length, const char *pointer, struct model *model, struct failure *failure)
{
	json_error_t error;
	bool no_memory;
	json_t *root = json_tree_read(json, length, JSON_REJECT_DUPLICATES, &error, &no_memory);
	enum status status;

	memset(model, 0, sizeof *model);
	if (no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the configuration");
	if (!root) {
		failure_add(failure, pointer, "malformed", "the configuration is not JSON: line %d: %.120s", error.line, error.text);
		return failure->status;
	}
	status = config_read(root, pointer, model, failure);
	json_decref(root);
	return status;
}
