#include "planner/step/layer_time.h"

#include "planner/operators/attention.h"
#include "planner/operators/collective.h"
#include "planner/operators/memory_traffic.h"
#include "planner/step/adapters.h"
#include "planner/step/generic.h"

/* One layer while its parts are summed. */
struct layer_work {
	const struct setting *setting;
	const struct parallelism *layout;
	const struct degrees *degrees;
	const struct layer_kind *kind;
	struct layer_time time;
	struct product_time attention; /* forward pass of the scores, for selective recomputation */
	double element_forward_s;
	enum recompute recompute;
	double last_s;   /* forward pass of the product that ends the layer: its output is the next layer's input, which is kept */
	double expand_s; /* MLA: queries, keys and values from their latents, which selective recomputation repeats */
};

double layer_exposed_s(double communication_s, double hiding_s, double left_s, double overlap)
{
	return fmax(communication_s - left_s, exposed_s(communication_s, hiding_s, overlap));
}

static void work_product(struct layer_work *work, double rows, double inner, double columns, double count, double rate)
{
	const struct setting *setting = work->setting;
	struct product product = {.rows = rows, .inner = inner, .columns = columns, .count = count, .narrow = true};
	struct product_time forward, backward;

	if (!(rows > 0) || !(inner > 0) || !(columns > 0) || !(count > 0))
		return;
	forward = gemm_forward(&setting->device, setting->physics, &product);
	backward = gemm_backward(&setting->device, setting->physics, &product, setting->frozen);
	work->time.forward_s += forward.time_s + (forward.time_s - forward.traffic_s) * (1 / rate - 1);
	work->time.backward_s += backward.time_s + (backward.time_s - backward.traffic_s) * (1 / rate - 1);
	work->time.traffic_s += forward.traffic_s + backward.traffic_s;
}

static void work_elements(struct layer_work *work, double bytes)
{
	double forward_s = memory_traffic_s(&work->setting->device, work->setting->physics, bytes);

	work->element_forward_s += forward_s;
	work->time.forward_s += forward_s;
	work->time.backward_s += 2 * forward_s; /* read outputs' gradients and saved inputs, write inputs' gradients */
	work->time.traffic_s += 3 * forward_s;
}

/* As work_elements(), for data that software moves without the factor of E25's element-wise kernels. */
static void work_stream(struct layer_work *work, double bytes)
{
	double forward_s = memory_stream_s(&work->setting->device, bytes);

	work->element_forward_s += forward_s;
	work->time.forward_s += forward_s;
	work->time.backward_s += forward_s;
	work->time.traffic_s += 2 * forward_s;
}

/* Returns the mean number of tokens that a causal query attends to: (s + 1)/2; with a window w < s
 * w - w (w - 1)/(2 s). */
static double causal_span(double sequence, int window)
{
	double w = window;

	return window > 0 && w < sequence ? w - w * (w - 1) / (2 * sequence) : (sequence + 1) / 2;
}

static void work_scores(struct layer_work *work, double key_dim, double value_dim)
{
	const struct setting *setting = work->setting;
	struct attention attention = {.tokens = work->degrees->rows,
		.span_tokens = work->kind->bidirectional ? setting->sequence : causal_span(setting->sequence, work->kind->window),
		.sequence = setting->sequence,
		.heads = fmax(1, work->kind->heads / work->degrees->tensor),
		.key_dim = key_dim,
		.value_dim = value_dim,
		.fused = setting->software.fused_attention,
		.score_traffic = setting->software.score_traffic};
	struct product_time backward;

	work->attention = attention_forward(&setting->device, setting->physics, &attention);
	backward = attention_backward(&setting->device, setting->physics, &attention);
	if (attention.fused) {
		work->attention.time_s /= setting->software.attention_speed;
		backward.time_s /= setting->software.attention_speed;
	}
	work->time.forward_s += work->attention.time_s;
	work->time.backward_s += backward.time_s;
	work->time.traffic_s += work->attention.traffic_s + backward.traffic_s;
}

static void work_attention(struct layer_work *work)
{
	const struct layer_kind *kind = work->kind;
	double rows = work->degrees->rows, t = work->degrees->tensor, hidden = work->setting->model->hidden;
	double value_dim = kind->value_head_dim > 0 ? kind->value_head_dim : kind->head_dim;
	double queries = (double)kind->heads * kind->head_dim / t, values = kind->heads * value_dim / t;
	double keys = fmax(1, kind->kv_heads / t) * (kind->head_dim + (kind->key_is_value ? 0 : value_dim));

	work_product(work, rows, hidden, queries * (kind->output_gate ? 2 : 1) + keys, 1, 1);
	work_product(work, rows, values, hidden, 1, 1);
	work_elements(work, rows * work->setting->device.wide_bytes * (2 * (queries + keys) + values)); /* rotary, transposes */
	work_scores(work, kind->head_dim, value_dim);
}

static void work_mla(struct layer_work *work)
{
	const struct layer_kind *kind = work->kind;
	double rows = work->degrees->rows, t = work->degrees->tensor, hidden = work->setting->model->hidden;
	double heads = kind->heads / t, key_dim = kind->head_dim + kind->rope_head_dim, before_s;
	double value_dim = kind->value_head_dim > 0 ? kind->value_head_dim : kind->head_dim;

	if (kind->q_lora_rank > 0)
		work_product(work, rows, hidden, kind->q_lora_rank, 1, 1);
	work_product(work, rows, hidden, kind->kv_lora_rank + kind->rope_head_dim, 1, 1);
	before_s = work->time.forward_s;
	work_product(work, rows, kind->q_lora_rank > 0 ? kind->q_lora_rank : hidden, heads * key_dim, 1, 1);
	work_product(work, rows, kind->kv_lora_rank, heads * (kind->head_dim + value_dim), 1, 1);
	work->expand_s = work->time.forward_s - before_s;
	work_product(work, rows, heads * value_dim, hidden, 1, 1);
	work_elements(work, rows * work->setting->device.wide_bytes * (heads * (2 * key_dim + value_dim)));
	work_scores(work, key_dim, value_dim);
}

/* State-space and linear attention: two projections of the mixer's parameters, and the scan's states through memory. */
static void work_scan(struct layer_work *work)
{
	const struct layer_kind *kind = work->kind;
	double rows = work->degrees->rows, t = work->degrees->tensor, hidden = work->setting->model->hidden;
	double value_dim = kind->value_head_dim > 0 ? kind->value_head_dim : kind->head_dim;
	double inner = kind->heads * value_dim, into = fmax(inner, kind->mixer_params / hidden - inner);
	double chunk = 128; /* tokens of a scan's chunk in the published kernels */
	double state = fmax(1, kind->state_dim);

	work_product(work, rows, hidden, into / t, 1, 1);
	work_product(work, rows, inner / t, hidden, 1, 1);
	work_product(work, rows, chunk + 2 * state, inner / t, 1, 1);
	work_elements(work, rows * work->setting->device.wide_bytes * 4 * into / t);
}

static void work_feed_forward(struct layer_work *work, double width)
{
	double rows = work->degrees->rows, t = work->degrees->tensor, hidden = work->setting->model->hidden;
	double up = (work->kind->gated ? 2 : 1) * width / t;

	if (!(width > 0))
		return;
	work_product(work, rows, hidden, up, 1, 1);
	work->last_s = -work->time.forward_s;
	work_product(work, rows, width / t, hidden, 1, 1);
	work->last_s += work->time.forward_s;
	work_elements(work, rows * work->setting->device.wide_bytes * (up + width / t));
}

/* Auxiliary losses spread tokens evenly over the expert group. The host issues grouped products once it knows the
 * number of tokens of each expert. */
static void work_experts(struct layer_work *work)
{
	const struct setting *setting = work->setting;
	const struct layer_kind *kind = work->kind;
	const struct degrees *degrees = work->degrees;
	double hidden = setting->model->hidden, split = degrees->expert_tensor;
	double tokens = degrees->rows / (degrees->tensor / split) * kind->experts_active;
	double held = fmax(1, kind->experts / degrees->expert), up = (kind->gated ? 2.0 : 1.0) * kind->expert_width / split;
	double rows = tokens / held;
	double rate = setting->software.expert_speed * (setting->software.fused_experts ? 1 : setting->physics->expert_fraction) * rows /
		(rows + setting->physics->expert_half_rows);

	if (setting->software.waits_for_counts && setting->device.domain <= setting->device.node)
		work->time.waits_s = 2 * setting->physics->expert_wait_s;
	work_product(work, rows, hidden, up, held, rate);
	work_product(work, rows, kind->expert_width / split, hidden, held, rate);
	work_product(work, degrees->rows / degrees->tensor, hidden, kind->experts, 1, 1);
	work_elements(work, tokens * setting->device.wide_bytes * (up + kind->expert_width / split));
	work_stream(work, tokens * setting->device.wide_bytes * 4 * hidden * setting->physics->expert_traffic);
	work_feed_forward(work, kind->shared_width);
}

static void work_recompute(struct layer_work *work)
{
	switch (work->recompute) {
	case RECOMPUTE_FULL:
		work->time.recompute_s = work->time.forward_s - (work->setting->software.drops_unread ? work->last_s : 0);
		break;
	case RECOMPUTE_SELECTIVE:
		work->time.recompute_s = (work->kind->mixer == MIXER_MLA ? work->expand_s : work->attention.time_s) +
			(work->setting->software.fused_attention ? work->element_forward_s : 0);
		break;
	case RECOMPUTE_UNSET:
	case RECOMPUTE_NONE:
	case RECOMPUTE_COUNT:
		break;
	}
}

/* Returns a layer's pairs of all-reduces: one behind the mixer, one behind the feed-forward part unless experts are
 * spread over ranks instead of split. */
static int tensor_pairs(const struct layer_kind *kind, bool experts_split)
{
	return (kind->mixer != MIXER_NONE) +
		(kind->feed_forward == FEED_FORWARD_DENSE ||
			(kind->feed_forward == FEED_FORWARD_EXPERTS && (experts_split || kind->shared_width > 0)));
}

/* E29. Returns what the layer's work leaves exposed of a communication, and counts what it hides. Work that hides other
 * communication already hides no more than its own length in all. */
static double work_hide(struct layer_work *work, double communication_s, double overlap)
{
	double hiding_s = work->time.forward_s + work->time.backward_s - work->time.ring_forward_s - work->time.ring_backward_s;
	double exposed = layer_exposed_s(communication_s, hiding_s, hiding_s - work->time.hidden_s, overlap);

	work->time.hidden_s += communication_s - exposed;
	return exposed;
}

/* Tensor parallelism: two all-reduces (or gather and scatter) of the activations forward and two backward, two more
 * where the forward pass is repeated (Shoeybi et al. 2019, arXiv 1909.08053; Korthikanti et al. 2022). Software hides
 * them only inside a link's domain (Transformer Engine's userbuffers need NVLink); there the fitted link_fraction
 * includes what sequence parallelism gathers once more backward. Outside a domain that is counted: half an all-reduce
 * for each pair (SimuMax, eight A100 PCIe: 1.1 to 1.2 times the bare all-reduces at tensor 2, 4 and 8). */
static void work_tensor_comm(struct layer_work *work)
{
	const struct setting *setting = work->setting;
	struct group group = collective_group(&setting->device, work->degrees->tensor, 1);
	double bytes = work->degrees->rows * setting->model->hidden * setting->device.wide_bytes, once_s, count;
	bool linked = group.local >= group.ranks, again = !linked && work->layout->sequence_parallel == TRUTH_TRUE;

	if (work->degrees->tensor <= 1)
		return;
	once_s = collective_all_reduce_s(&setting->device, setting->physics, group, bytes);
	count = tensor_pairs(work->kind, work->layout->expert <= 1) * ((work->recompute == RECOMPUTE_FULL ? 3.0 : 2.0) + (again ? 0.5 : 0));
	work->time.tensor_s = work_hide(work, count * once_s, setting->software.hides_tensor && linked ? setting->physics->overlap : 0);
}

/* Context parallelism as a ring: keys and values pass every rank forward, and with their gradients backward, beside the
 * attention to the part that a rank received (Liu et al. 2023, arXiv 2310.01889). */
static void work_context_comm(struct layer_work *work)
{
	const struct setting *setting = work->setting;
	const struct layer_kind *kind = work->kind;
	struct group group = collective_group(&setting->device, work->degrees->context, work->degrees->tensor);
	double width = kind->mixer == MIXER_MLA ? (double)kind->heads * (2 * kind->head_dim + kind->rope_head_dim)
											: (double)kind->kv_heads * 2 * kind->head_dim;
	double bytes = work->degrees->context * work->degrees->rows * width / work->degrees->tensor * setting->device.wide_bytes;
	double passes_s = work->time.forward_s + work->time.backward_s, once_s, ring_s;

	if (work->degrees->context <= 1 || kind->mixer == MIXER_NONE)
		return;
	once_s = collective_all_gather_s(&setting->device, setting->physics, group, bytes);
	/* fused attention computes five products backward for two forward */
	ring_s = fmin(3 * once_s, fmin(work->attention.time_s * (1 + 2.5), passes_s));
	work->time.ring_forward_s = ring_s * work->time.forward_s / passes_s;
	work->time.ring_backward_s = ring_s * work->time.backward_s / passes_s;
	work->time.context_s = exposed_s(3 * once_s, ring_s, setting->physics->overlap);
}

/* Expert parallelism: returns the time of one dispatch or combine, in s. Each pass, and full recomputation, has both.
 * Given: bytes of one exchange on each rank. `shown`: the part that stays exposed however much work is beside it. */
static double experts_exchange_s(const struct setting *setting, const struct layer_kind *kind, double experts, double bytes, double *shown)
{
	struct group group = collective_group(&setting->device, experts, 1);
	bool hidden = group.machine >= group.ranks ? setting->software.hides_expert_inside : setting->software.hides_expert_across;

	*shown = hidden ? 1 - setting->physics->overlap : 1;
	return collective_all_to_all_s(
		&setting->device, setting->physics, group, bytes, setting->software.merges_copies ? kind->experts_active : 0);
}

/* Returns the bytes of one token that a rank sends to its experts. */
static double expert_token_bytes(const struct setting *setting, const struct layer_kind *kind, double tensor)
{
	return kind->experts_active * (double)setting->model->hidden * setting->device.wide_bytes / tensor;
}

static void work_expert_comm(struct layer_work *work)
{
	const struct setting *setting = work->setting;
	double bytes = work->degrees->rows * expert_token_bytes(setting, work->kind, work->degrees->tensor), shown, all_s;

	if (work->kind->feed_forward != FEED_FORWARD_EXPERTS || work->layout->expert <= 1)
		return;
	all_s = (work->recompute == RECOMPUTE_FULL ? 6 : 4) * experts_exchange_s(setting, work->kind, work->degrees->expert, bytes, &shown);
	work->time.expert_s = work_hide(work, all_s, 1 - shown);
}

double layer_unread_flops_per_token(const struct model *model)
{
	double flops = 0;

	for (int k = 0; k < model->kind_count; k++) {
		const struct layer_kind *kind = &model->kinds[k];

		if (kind->feed_forward == FEED_FORWARD_DENSE || kind->shared_width > 0)
			flops += model_kind_layers(model, k) * 2.0 * model->hidden *
				(kind->feed_forward == FEED_FORWARD_DENSE ? kind->width : kind->shared_width);
	}
	return flops;
}

double layers_exchange_token_s(const struct setting *setting, double tensor, double experts)
{
	static const double tokens = 1e12; /* so many that no latency counts, not even that of a torus's hops */
	const struct model *model = setting->model;
	struct group group = collective_group(&setting->device, tensor, 1);
	double once_s, shown = 1 - (setting->software.hides_tensor && group.local >= group.ranks ? setting->physics->overlap : 0),
				   expert_shown = 0, sum_s = 0;

	if (model->kind == MODEL_GENERIC)
		return 0;
	once_s = collective_all_reduce_s(&setting->device, setting->physics, group, tokens * model->hidden * setting->device.wide_bytes);
	for (int k = 0; k < model->kind_count; k++) {
		const struct layer_kind *kind = &model->kinds[k];
		double all_s = kind->feed_forward == FEED_FORWARD_EXPERTS && experts > 1
			? 4 * experts_exchange_s(setting, kind, experts, tokens * expert_token_bytes(setting, kind, tensor), &expert_shown)
			: 0;

		sum_s += model_kind_layers(model, k) * (2 * shown * tensor_pairs(kind, false) * once_s + (all_s > 0 ? expert_shown * all_s : 0));
	}
	return sum_s / tokens * (1 - 1e-9);
}

double layer_hiding_backward_s(const struct layer_time *time)
{
	return time->backward_s - time->ring_backward_s + time->recompute_s;
}

double layer_left_backward_s(const struct layer_time *time, double overlap)
{
	return fmax(0, time->backward_s - time->ring_backward_s + overlap * time->recompute_s - time->hidden_backward_s);
}

/* E157. Adds what adapters with kernels of their own move through memory. */
static void work_adapters(struct layer_work *work)
{
	const struct setting *setting = work->setting;

	if (setting->frozen && setting->software.separate_adapters)
		work_elements(work,
			(setting->software.fuses_adapters ? adapter_moves_fused : adapter_moves) * setting->device.wide_bytes * work->degrees->rows *
				adapter_width(setting->model, work->kind) / work->degrees->tensor);
}

/* E157. QLoRA widens weights of half a byte before each pass that multiplies by them
 * (Dettmers et al. 2023, section 3). */
static void work_widen(struct layer_work *work)
{
	const struct setting *setting = work->setting;
	struct layer_params params = layer_params_of(setting->model, (int)(work->kind - setting->model->kinds), work->degrees);

	if (setting->quantized)
		work_stream(work, (params.dense + params.expert) * widening_bytes);
}

/* Rows of tables that a sample reads: its bytes are 64-bit indices, each of a row of 64 values in 32 bits (Naumov et
 * al. 2019, arXiv 1906.00091: DLRM's own defaults). The rows are read and sent to the sample's rank; their gradients
 * come back and are applied. */
static const double index_bytes = 8, row_bytes = 64 * 4;

static void generic_tables(const struct setting *setting, const struct degrees *degrees, struct layer_time *time)
{
	const struct model *model = setting->model;
	double bytes = degrees->rows * model->generic_sample_bytes / index_bytes * row_bytes, moved_s;
	struct group group = collective_group(&setting->device, degrees->data, degrees->tensor);

	if (!(model->params_embedding > 0))
		return;
	moved_s = memory_stream_s(&setting->device, bytes);
	time->forward_s += moved_s;
	time->backward_s += 3 * moved_s; /* gradients are written; rows are read and written */
	time->traffic_s += 4 * moved_s;
	time->expert_s += 2 * collective_all_to_all_s(&setting->device, setting->physics, group, bytes, 0);
}

double generic_sample_activation_bytes(const struct setting *setting, double value_bytes)
{
	static const double values_per_flop = 25e6 / 8.2e9;

	return setting->model->generic_activation_bytes > 0 ? setting->model->generic_activation_bytes
														: setting->forward_flops_per_token * values_per_flop * value_bytes;
}

/* E158. Returns the time of a generic model for one micro-batch. */
static struct layer_time generic_time(const struct setting *setting, const struct degrees *degrees)
{
	double forward_s = setting->forward_flops_per_token * degrees->rows / (setting->device.linear_flops_per_s * generic_fraction);
	double moved_s = memory_stream_s(
		&setting->device, generic_moves * degrees->rows * generic_sample_activation_bytes(setting, setting->device.wide_bytes));
	struct layer_time time = {.forward_s = forward_s + moved_s, .backward_s = 2 * (forward_s + moved_s), .traffic_s = 3 * moved_s};

	generic_tables(setting, degrees, &time);
	return time;
}

/* Adds everything but recomputation and communication. */
static void work_compute(struct layer_work *work)
{
	const struct setting *setting = work->setting;
	double sharded = work->layout->sequence_parallel == TRUTH_TRUE ? work->degrees->tensor : 1;

	switch (work->kind->mixer) {
	case MIXER_ATTENTION:
		work_attention(work);
		break;
	case MIXER_MLA:
		work_mla(work);
		break;
	case MIXER_MAMBA2:
	case MIXER_GATED_DELTA:
		work_scan(work);
		break;
	case MIXER_NONE:
	case MIXER_COUNT:
		break;
	}
	if (work->kind->feed_forward == FEED_FORWARD_DENSE)
		work_feed_forward(work, work->kind->width);
	else if (work->kind->feed_forward == FEED_FORWARD_EXPERTS)
		work_experts(work);
	/* two norms (read, write) and two residual sums (two reads, one write) */
	work_elements(work, work->degrees->rows / sharded * setting->model->hidden * setting->device.wide_bytes * 10);
	work_widen(work);
	work_adapters(work);
	work->time.forward_s += setting->physics->kernel_gap_s;
	work->time.backward_s += 2 * setting->physics->kernel_gap_s;
}

/* Adds recomputation, and communication beside the computed work. */
static struct layer_time work_finish(struct layer_work work, enum recompute recompute)
{
	work.recompute = recompute;
	work_recompute(&work);
	work_context_comm(&work);
	work_tensor_comm(&work);
	work_expert_comm(&work);
	work.time.hidden_backward_s = work.time.hidden_s * work.time.backward_s / (work.time.forward_s + work.time.backward_s);
	return work.time;
}

void layer_times_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind,
	struct layer_time times[RECOMPUTE_COUNT])
{
	struct layer_work work = {.setting = setting, .layout = layout, .degrees = degrees, .kind = &setting->model->kinds[kind]};

	if (setting->model->kind != MODEL_GENERIC)
		work_compute(&work);
	for (int recompute = RECOMPUTE_NONE; recompute < RECOMPUTE_COUNT; recompute++)
		times[recompute] = setting->model->kind == MODEL_GENERIC ? generic_time(setting, degrees)
																 : work_finish(work, (enum recompute)recompute);
}

struct layer_time layer_time_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind)
{
	struct layer_work work = {.setting = setting, .layout = layout, .degrees = degrees, .kind = &setting->model->kinds[kind]};

	if (setting->model->kind == MODEL_GENERIC)
		return generic_time(setting, degrees);
	work_compute(&work);
	return work_finish(work, layout->recompute);
}

struct layer_time ends_time_of(const struct setting *setting, const struct degrees *degrees)
{
	const struct device *device = &setting->device;
	double columns = model_head_columns(setting->model) / degrees->tensor, rows = degrees->rows;
	struct product logits = {.rows = rows, .inner = setting->model->hidden, .columns = columns, .count = 1};
	struct product_time forward, backward;
	double loss_s;

	if (setting->model->kind == MODEL_GENERIC || columns <= 0)
		return (struct layer_time){0};
	forward = gemm_forward(device, setting->physics, &logits);
	backward = gemm_backward(device, setting->physics, &logits, setting->frozen);
	loss_s = memory_traffic_s(device, setting->physics,
		rows * columns * 32); /* bytes of a logit: to 32 bits 6, logarithm of the softmax 12, its gradient 12, part of the way back to 16 bits */
	return (struct layer_time){.forward_s = forward.time_s + loss_s / 2,
		.backward_s = backward.time_s + loss_s / 2,
		.traffic_s = forward.traffic_s + backward.traffic_s + loss_s};
}

double layer_time_total_s(const struct layer_time *time)
{
	return time->forward_s + time->backward_s + time->recompute_s + time->tensor_s + time->context_s + time->expert_s + time->waits_s +
		time->gather_s;
}

void least_token_times(struct setting *setting)
{
	const struct parallelism whole = {.tensor = 1,
		.pipeline = 1,
		.data = 1,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1024,
		.zero_group = 1,
		.recompute = RECOMPUTE_FULL};
	struct degrees degrees = degrees_of(setting, &whole);

	setting->least_token_s = setting->least_again_token_s = 0;
	for (int k = 0; k < (setting->model->kind_count > 0 ? setting->model->kind_count : 1); k++) {
		struct layer_time time = layer_time_of(setting, &whole, &degrees, k);
		double layers = setting->model->kind == MODEL_GENERIC ? 1 : model_kind_layers(setting->model, k);

		setting->least_token_s += layers * (time.forward_s + time.backward_s) / degrees.rows;
		setting->least_again_token_s += layers * time.recompute_s / degrees.rows;
	}
}

double teacher_time_s(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees)
{
	enum precision precision = setting->input->request.distillation.teacher_precision;
	double share = precision == PRECISION_UNSET
		? 1
		: accelerator_peak_flops_per_s(&setting->candidate->accelerator, precision, NULL) / setting->device.peak_flops_per_s;
	double forward_s, gather_s, spread = degrees->tensor * degrees->pipeline;

	if (!setting->teacher || !(share > 0))
		return 0;
	forward_s = setting->teacher_forward_flops_per_token * degrees->rows / (setting->device.linear_flops_per_s * share * spread);
	if (layout->zero_stage < 3)
		return forward_s;
	gather_s = collective_all_gather_s(&setting->device, setting->physics,
		collective_group(&setting->device, degrees->zero_group, degrees->tensor),
		model_weight_bytes(setting->teacher, precision == PRECISION_UNSET ? PRECISION_BF16 : precision) / spread);
	return forward_s + exposed_s(gather_s, forward_s, setting->software.hides_data ? setting->physics->overlap : 0);
}
