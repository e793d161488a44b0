#include "planner/measurement/shapes.h"

#include "planner/step/setting.h"

static const double input_bytes_per_token = 8; /* an index of 64 bits, as frameworks move them */

/* The state while an option's products are added to a spec. */
struct gathering {
	struct shapes_room *room;
	struct bench_spec *spec;
	enum precision precision, wide; /* wide: of the parts that stay in 16 bits or more */
	bool backward, frozen;          /* backward: training; frozen: its weights have no gradient */
};

static double product_weight(const struct bench_spec_product *product)
{
	struct bench_shape shape = bench_product_shape(product);

	return product->count * bench_shape_flops(&shape);
}

static bool same_product(const struct bench_spec_product *a, const struct bench_spec_product *b)
{
	return a->m == b->m && a->n == b->n && a->k == b->k && a->product == b->product && a->precision == b->precision;
}

/* Adds the product's count to one of the same shape, or takes a free place, or replaces the lightest if that is
 * lighter. */
static void gather_one(struct gathering *gathering, const struct bench_spec_product *product)
{
	struct bench_products *list = &gathering->spec->products;
	size_t place = list->count;

	for (size_t i = 0; i < list->count; i++)
		if (same_product(&list->items[i], product)) {
			list->items[i].count += product->count;
			return;
		}
	if (place == BENCH_PRODUCTS_MAX) {
		place = 0;
		for (size_t i = 1; i < list->count; i++)
			if (product_weight(&list->items[i]) < product_weight(&list->items[place]))
				place = i;
		if (product_weight(product) <= product_weight(&list->items[place]))
			return;
	} else {
		list->count++;
	}
	list->items[place] = *product;
}

/* Y = X W: rows x columns over inner; dX = dY W^T, rows x inner over columns; dW = X^T dY, inner x columns over rows. */
static void gather_products(struct gathering *gathering, const char *role, double rows, double inner, double columns, double count)
{
	int64_t r = (int64_t)rint(rows), i = (int64_t)rint(inner), c = (int64_t)rint(columns);
	struct bench_spec_product product = {
		.role = role, .m = r, .n = c, .k = i, .product = PRODUCT_FORWARD, .precision = gathering->precision, .count = count};

	if (r < 1 || i < 1 || c < 1 || !(count > 0))
		return;
	gather_one(gathering, &product);
	if (!gathering->backward)
		return;
	product.product = PRODUCT_INPUT_GRADIENT;
	product.n = i;
	product.k = c;
	gather_one(gathering, &product);
	if (gathering->frozen)
		return;
	product.product = PRODUCT_WEIGHT_GRADIENT;
	product.m = i;
	product.n = c;
	product.k = r;
	gather_one(gathering, &product);
}

/* How ranks divide one kind of layer, and the tokens that pass through it. */
struct rank_work {
	const struct model *model;
	const struct layer_kind *kind;
	double rows, tensor, expert, expert_tensor, count;
};

static void gather_mixer(struct gathering *gathering, const struct rank_work *work)
{
	const struct layer_kind *kind = work->kind;
	double hidden = work->model->hidden, value = kind->value_head_dim > 0 ? kind->value_head_dim : kind->head_dim,
		   heads = kind->heads / work->tensor;
	double keys = fmax(1, kind->kv_heads / work->tensor) * (kind->head_dim + (kind->key_is_value ? 0 : value)),
		   key_dim = kind->head_dim + kind->rope_head_dim;

	switch (kind->mixer) {
	case MIXER_ATTENTION:
		gather_products(gathering, "qkv", work->rows, hidden, heads * kind->head_dim * (kind->output_gate ? 2 : 1) + keys, work->count);
		gather_products(gathering, "attention_output", work->rows, heads * value, hidden, work->count);
		break;
	case MIXER_MLA:
		if (kind->q_lora_rank > 0)
			gather_products(gathering, "query_latent", work->rows, hidden, kind->q_lora_rank, work->count);
		gather_products(gathering, "kv_latent", work->rows, hidden, kind->kv_lora_rank + kind->rope_head_dim, work->count);
		gather_products(
			gathering, "query_heads", work->rows, kind->q_lora_rank > 0 ? kind->q_lora_rank : hidden, heads * key_dim, work->count);
		gather_products(gathering, "kv_heads", work->rows, kind->kv_lora_rank, heads * (kind->head_dim + value), work->count);
		gather_products(gathering, "attention_output", work->rows, heads * value, hidden, work->count);
		break;
	case MIXER_MAMBA2:
	case MIXER_GATED_DELTA:
		gather_products(gathering, "mixer_in", work->rows, hidden,
			fmax(kind->heads * value, kind->mixer_params / hidden - kind->heads * value) / work->tensor, work->count);
		gather_products(gathering, "mixer_out", work->rows, heads * value, hidden, work->count);
		break;
	case MIXER_NONE:
	case MIXER_COUNT:
		break;
	}
}

static void gather_dense(struct gathering *gathering, const struct rank_work *work, double width)
{
	if (!(width > 0))
		return;
	gather_products(gathering, "mlp_up", work->rows, work->model->hidden, (work->kind->gated ? 2 : 1) * width / work->tensor, work->count);
	gather_products(gathering, "mlp_down", work->rows, width / work->tensor, work->model->hidden, work->count);
}

static void gather_feed_forward(struct gathering *gathering, const struct rank_work *work)
{
	const struct layer_kind *kind = work->kind;
	double held, rows, hidden = work->model->hidden;

	if (kind->feed_forward == FEED_FORWARD_DENSE)
		gather_dense(gathering, work, kind->width);
	if (kind->feed_forward != FEED_FORWARD_EXPERTS)
		return;
	held = fmax(1, kind->experts / work->expert);
	rows = fmax(1, work->rows / (work->tensor / work->expert_tensor) * kind->experts_active / held);
	gather_products(
		gathering, "expert_up", rows, hidden, (kind->gated ? 2 : 1) * kind->expert_width / work->expert_tensor, held * work->count);
	gather_products(gathering, "expert_down", rows, kind->expert_width / work->expert_tensor, hidden, held * work->count);
	gather_products(gathering, "router", work->rows / work->tensor, hidden, kind->experts, work->count);
	gather_dense(gathering, work, kind->shared_width);
}

static bool same_attention(const struct bench_attention *a, const struct bench_attention *b)
{
	return a->batch == b->batch && a->heads == b->heads && a->kv_heads == b->kv_heads && a->queries == b->queries && a->keys == b->keys &&
		a->head_dimension == b->head_dimension && a->causal == b->causal && a->backward == b->backward;
}

static void attention_add(struct bench_attentions *list, const struct bench_attention *shape, enum precision precision, double count)
{
	for (size_t i = 0; i < list->count; i++)
		if (same_attention(&list->items[i].shape, shape)) {
			list->items[i].count += count;
			return;
		}
	if (list->count < BENCH_ATTENTIONS_MAX)
		list->items[list->count++] = (struct bench_spec_attention){.shape = *shape, .precision = precision, .count = count};
}

/* True if the layer attends to the whole sequence: a worker's attention has no window. */
static bool attends_to_all(const struct layer_kind *kind, double sequence)
{
	return (kind->mixer == MIXER_ATTENTION || kind->mixer == MIXER_MLA) && !(kind->window > 0 && kind->window < sequence);
}

static struct bench_attention attention_of(const struct layer_kind *kind, double tensor)
{
	struct bench_attention shape = {.batch = 0};

	shape.heads = (int64_t)fmax(1, kind->heads / tensor);
	shape.kv_heads = kind->mixer == MIXER_MLA ? shape.heads : (int64_t)fmax(1, kind->kv_heads / tensor);
	shape.head_dimension = kind->head_dim + kind->rope_head_dim;
	return shape;
}

static void sizes_add(struct number_list *list, double bytes)
{
	for (size_t i = 0; i < list->count; i++)
		if (fabs(list->items[i] - bytes) < 1)
			return;
	if (bytes >= 4 && list->count < BENCH_SIZES_MAX)
		list->items[list->count++] = rint(bytes);
}

static void spec_begin(struct gathering *gathering)
{
	struct shapes_room *room = gathering->room;
	struct bench_spec *spec = gathering->spec;

	bench_spec_init(spec);
	spec->products.items = room->products;
	spec->attention.items = room->attention;
	spec->kv_read.items = room->kv_read;
	spec->transfer_bytes.items = room->transfer_bytes;
	spec->collective_bytes.items = room->collective_bytes;
}

static enum precision option_precision(enum precision asked, const struct candidate *candidate, enum precision *wide)
{
	enum precision precision = asked == PRECISION_UNSET ? accelerator_training_precision(&candidate->accelerator) : asked;

	*wide = precision_weight_bytes(precision) >= 2 ? precision : accelerator_training_precision(&candidate->accelerator);
	return precision;
}

static void training_sizes(
	const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, struct bench_spec *spec)
{
	const struct model *model = setting->model;
	double wide = precision_weight_bytes(setting->precision) >= 4 ? 4 : 2;

	sizes_add(&spec->transfer_bytes, degrees->micro_batch * setting->sequence * input_bytes_per_token);
	for (int k = 0; k < model->kind_count; k++) {
		struct layer_params params = layer_params_of(model, k, degrees);

		if (degrees->data * degrees->context > 1)
			sizes_add(&spec->collective_bytes, setting->software.gradient_bytes * (params.dense + params.expert));
		if (layout->offload == TRUTH_TRUE)
			sizes_add(&spec->transfer_bytes, wide * (params.dense + params.expert) / degrees->zero_group);
	}
	if (degrees->tensor > 1)
		sizes_add(&spec->collective_bytes, degrees->rows * model->hidden * wide);
}

/* Tokens in storage are indices of 16 bits where the vocabulary allows it, else of 32 bits (Megatron-LM's datasets). */
static double sample_bytes(const struct training_input *input)
{
	return given_or(input->request.input_pipeline.sample_bytes, input->request.sequence_length * (input->model.vocabulary < 65500 ? 2 : 4));
}

bool shapes_of_training(const struct training_input *input, const struct candidate *candidate, const struct parallelism *layout,
	struct shapes_room *room, struct bench_spec *spec)
{
	const struct model *model = &input->model;
	double sequence = input->request.sequence_length;
	struct gathering gathering = {.room = room, .spec = spec, .backward = true};
	struct setting setting;
	struct degrees degrees;

	spec_begin(&gathering);
	if (model->kind == MODEL_GENERIC || !setting_of_candidate(input, candidate, &physics_fitted, NULL, sequence, &setting))
		return false;
	gathering.precision = option_precision(input->request.common.precision, candidate, &gathering.wide);
	gathering.frozen = setting.frozen;
	setting.batch = given_or(input->request.global_batch_size, given_or(input->request.global_batch_tokens, sequence) / sequence);
	degrees = degrees_of(&setting, layout);
	for (int k = 0; k < model->kind_count; k++) {
		struct rank_work work = {.model = model,
			.kind = &model->kinds[k],
			.rows = degrees.rows,
			.tensor = degrees.tensor,
			.expert = degrees.expert,
			.expert_tensor = degrees.expert_tensor,
			.count = degrees.micro_batches * model_kind_layers(model, k) / degrees.pipeline};
		struct bench_attention shape = attention_of(work.kind, degrees.tensor);

		gather_mixer(&gathering, &work);
		gather_feed_forward(&gathering, &work);
		if (!attends_to_all(work.kind, sequence))
			continue;
		shape.batch = layout->micro_batch;
		shape.queries = (int64_t)fmax(1, sequence / degrees.context);
		shape.keys = (int64_t)sequence;
		shape.causal = true;
		attention_add(&spec->attention, &shape, gathering.wide, work.count);
		shape.backward = true;
		attention_add(&spec->attention, &shape, gathering.wide, work.count);
	}
	gathering.precision = gathering.wide;
	gather_products(&gathering, "head", degrees.rows, model->hidden, model_head_columns(model) / degrees.tensor,
		degrees.micro_batches / degrees.pipeline);
	training_sizes(&setting, layout, &degrees, spec);
	spec->sample_bytes = sample_bytes(input);
	spec->block = shapes_block(model, candidate, layout, sequence, gathering.wide);
	return true;
}

/* Adds the products of one rank for `rows` tokens that pass the model at once. */
static void gather_tokens(struct gathering *gathering, const struct model *model, const struct shapes_serving *serving, double rows)
{
	double tensor = (double)serving->layout.tensor, pipeline = (double)serving->layout.pipeline, expert = (double)serving->layout.expert;

	for (int k = 0; k < model->kind_count; k++) {
		struct rank_work work = {.model = model,
			.kind = &model->kinds[k],
			.rows = rows,
			.tensor = tensor,
			.expert = expert,
			.expert_tensor = expert > 1 ? 1 : tensor,
			.count = model_kind_layers(model, k) / pipeline};

		gather_mixer(gathering, &work);
		gather_feed_forward(gathering, &work);
	}
}

bool shapes_of_inference(const struct model *model, const struct shapes_serving *serving, struct shapes_room *room, struct bench_spec *spec)
{
	struct gathering gathering = {.room = room, .spec = spec};
	double rows = fmax(1, rint(serving->batch / (double)serving->layout.attention_data)), prompt = fmax(1, rint(serving->prompt_tokens));
	double context = fmax(1, rint(serving->prompt_tokens + serving->output_tokens / 2)), tensor = (double)serving->layout.tensor;
	enum precision kv = serving->kv_precision;

	spec_begin(&gathering);
	if (model->kind == MODEL_GENERIC)
		return false;
	gathering.precision = option_precision(serving->precision, serving->candidate, &gathering.wide);
	gather_tokens(&gathering, model, serving, rows);
	gather_tokens(&gathering, model, serving, prompt);
	gathering.precision = gathering.wide;
	gather_products(&gathering, "head", rows, model->hidden, model_head_columns(model) / tensor, 1);
	for (int k = 0; k < model->kind_count; k++) {
		const struct layer_kind *kind = &model->kinds[k];
		struct bench_attention shape = attention_of(kind, tensor);
		double count = model_kind_layers(model, k) / (double)serving->layout.pipeline;

		if (!attends_to_all(kind, context))
			continue;
		shape.batch = (int64_t)rows;
		shape.queries = 1;
		shape.keys = (int64_t)context;
		attention_add(&spec->kv_read, &shape, kv == PRECISION_UNSET ? gathering.wide : kv, count);
		shape.batch = 1;
		shape.queries = shape.keys = (int64_t)prompt;
		shape.causal = true;
		attention_add(&spec->attention, &shape, gathering.wide, count);
	}
	if (tensor > 1)
		sizes_add(&spec->collective_bytes, rows * model->hidden * 2);
	sizes_add(&spec->transfer_bytes, prompt * input_bytes_per_token);
	return true;
}
