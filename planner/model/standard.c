#include "planner/model/model.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

/* E2. The shape of large language models since GPT-3: width 128 x depth (Kaplan et al. 2020, figure 5: the loss is
 * nearly flat in that ratio; GPT-3 175B, Llama 7B and Llama 405B have it), heads of 128, a gated feed-forward, eight
 * key-value heads (Ainslie et al. 2023), and the vocabulary of GPT-2. */
#define STANDARD_ASPECT          128.0
#define STANDARD_HEAD_DIM        128
#define STANDARD_KV_HEADS        8
#define STANDARD_VOCABULARY      50257
#define STANDARD_EMBEDDING_SHARE 0.25  /* the tables take at most this share; small models have small vocabularies */
#define TIED_BELOW_PARAMS        3.5e9 /* Llama 3.2, Qwen3, Gemma: tied up to 3-4 billion, untied above */
#define STANDARD_EXPERTS_ACTIVE  8     /* DeepSeek-V3, Qwen3, Kimi K2 */
#define STANDARD_EXPERTS_MAX     4096

static int bounded(double value, double low, double high)
{
	return (int)fmin(fmax(round(value), low), high);
}

/* Returns a width as published models have it: large widths are multiples of eight heads, so that tensor parallelism
 * divides them. */
static int standard_hidden(double active)
{
	double hidden = cbrt(active * STANDARD_ASPECT / 12);
	int step = hidden >= 3072 ? 8 * STANDARD_HEAD_DIM : hidden >= 1024 ? 2 * STANDARD_HEAD_DIM : STANDARD_HEAD_DIM;

	return step * bounded(hidden / step, 1, 512);
}

static void standard_embedding(struct model *model, double total, double active)
{
	double tables;

	model->tied_embeddings = total < TIED_BELOW_PARAMS;
	tables = model->tied_embeddings ? 1 : 2;
	model->vocabulary = bounded(STANDARD_EMBEDDING_SHARE * active / (tables * model->hidden), 1, STANDARD_VOCABULARY);
	model->norms = 1;
}

/* Returns the parameters that are left for the feed-forward of one layer after everything else. */
static double feed_forward_budget(const struct model *model, double params)
{
	struct model empty = *model;

	empty.kinds[0].feed_forward = FEED_FORWARD_NONE;
	empty.params_total = empty.params_active = 0;
	model_finish(&empty);
	return fmax((params - empty.params_total) / model->layer_count, 0);
}

/* Sets the experts: eight of them and the rest make the active size, all of them the total size. */
static void standard_experts(struct model *model, struct layer_kind *kind, double total, double active)
{
	double matrices = 3.0 * model->hidden, active_budget = feed_forward_budget(model, active);
	double total_budget = feed_forward_budget(model, total);
	double expert_params = active_budget / STANDARD_EXPERTS_ACTIVE;
	double experts = expert_params > 0 ? total_budget / expert_params : STANDARD_EXPERTS_MAX;

	kind->feed_forward = FEED_FORWARD_EXPERTS;
	kind->experts_active = STANDARD_EXPERTS_ACTIVE;
	kind->experts = bounded(experts, STANDARD_EXPERTS_ACTIVE, STANDARD_EXPERTS_MAX);
	kind->expert_width = bounded((total_budget - (double)model->hidden * kind->experts) / (kind->experts * matrices), 1, INT_MAX);
}

void model_from_size(struct model *model, double params_total, double params_active)
{
	double active = params_active > 0 && params_active < params_total ? params_active : params_total;
	const int most_pairs = MODEL_LAYERS_MAX / 2;
	struct layer_kind *kind = &model->kinds[0];

	CHECK(params_total >= 1 && params_total <= 1e18);
	memset(model, 0, sizeof *model);
	model->kind = MODEL_TRANSFORMER;
	model->shape_is_guessed = true;
	model->hidden = standard_hidden(active);
	model->layer_count = 2 * bounded(active / (24.0 * model->hidden * model->hidden), 1, most_pairs);
	model->kind_count = 1;
	standard_embedding(model, params_total, active);
	*kind = (struct layer_kind){
		.mixer = MIXER_ATTENTION, .heads = model->hidden / STANDARD_HEAD_DIM, .head_dim = STANDARD_HEAD_DIM, .gated = true, .norms = 2};
	kind->kv_heads = kind->heads % STANDARD_KV_HEADS == 0 && kind->heads > STANDARD_KV_HEADS ? STANDARD_KV_HEADS : kind->heads;
	if (active < params_total) {
		standard_experts(model, kind, params_total, active);
	} else {
		kind->feed_forward = FEED_FORWARD_DENSE;
		kind->width = bounded(feed_forward_budget(model, params_total) / (3.0 * model->hidden), 1, INT_MAX);
	}
	model->params_total = params_total;
	model->params_active = active;
	model_finish(model);
	snprintf(model->notes, sizeof model->notes, "standard shape of this size: %d layers of width %d, heads of 128, aspect ratio 128 (E2)",
		model->layer_count, model->hidden);
}
