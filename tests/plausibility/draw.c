#include "plausibility/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner/step/software.h"

struct dice {
	uint64_t state;
};

/* splitmix64 (Steele et al. 2014): each request number starts its own sequence. */
static uint64_t dice_next(struct dice *dice)
{
	uint64_t z = dice->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int64_t below(struct dice *dice, int64_t count)
{
	return (int64_t)(dice_next(dice) % (uint64_t)count);
}

static bool one_in(struct dice *dice, int64_t count)
{
	return below(dice, count) == 0;
}

static double spread(struct dice *dice, double low, double high)
{
	return low * pow(high / low, (double)(dice_next(dice) >> 11) * 0x1p-53);
}

static int64_t power_of_two(struct dice *dice, int most_exponent)
{
	return (int64_t)1 << below(dice, most_exponent + 1);
}

static int64_t round_to(double value, int64_t unit)
{
	return (int64_t)fmax(1, rint(value / (double)unit)) * unit;
}

struct shape {
	int64_t layers, hidden, heads, kv_heads, experts;
};

/* Draws widths and depths like those of real models: a width of 32 to 256 for each layer (Kaplan et al. 2020, section
 * 3.2), heads of 64 or 128. */
static struct shape random_model(struct dice *dice, struct draw *draw)
{
	static const char *const families[] = {"gpt2", "llama", "llama", "mixtral", "qwen3_moe", "deepseek_v3"};
	const char *family = families[below(dice, COUNT_OF(families))];
	bool experts = strcmp(family, "mixtral") == 0 || strcmp(family, "qwen3_moe") == 0 || strcmp(family, "deepseek_v3") == 0;
	double params = spread(dice, 1e7, 1e13), aspect = spread(dice, 32, 256),
		   share = experts ? spread(dice, 4, 64) : 1; /* all experts over those of a token */
	int64_t unit = one_in(dice, 3) ? 64 : 128, hidden = round_to(cbrt(params / share * aspect / 12), 8 * unit), width;
	struct shape shape = {.hidden = hidden, .heads = hidden / unit, .layers = (int64_t)fmin(500, fmax(1, rint((double)hidden / aspect)))};
	int64_t active = power_of_two(dice, 3), vocabulary = 1000 * (30 + below(dice, 230));

	shape.kv_heads = strcmp(family, "gpt2") == 0 || one_in(dice, 3) ? shape.heads : shape.heads % 8 == 0 ? 8 : shape.heads;
	width = round_to((double)hidden * (double)(strcmp(family, "gpt2") == 0 ? 4 : 3), 128);
	if (!experts) {
		snprintf(draw->model, sizeof draw->model,
			"{\"config\":{\"model_type\":\"%s\",\"num_hidden_layers\":%lld,\"hidden_size\":%lld,\"num_attention_heads\":%lld,\"num_key_value_heads\":%lld,"
			"\"head_dim\":%lld,\"intermediate_size\":%lld,\"vocab_size\":%lld,\"tie_word_embeddings\":%s}}",
			family, (long long)shape.layers, (long long)hidden, (long long)shape.heads, (long long)shape.kv_heads, (long long)unit,
			(long long)width, (long long)vocabulary, one_in(dice, 2) ? "true" : "false");
		return shape;
	}
	shape.experts = (int64_t)fmin(512, fmax(8, exp2(rint(log2(share * (double)active)))));
	snprintf(draw->model, sizeof draw->model,
		"{\"config\":{\"model_type\":\"%s\",\"num_hidden_layers\":%lld,\"hidden_size\":%lld,\"num_attention_heads\":%lld,\"num_key_value_heads\":%lld,"
		"\"head_dim\":%lld,\"intermediate_size\":%lld,\"moe_intermediate_size\":%lld,\"vocab_size\":%lld,\"tie_word_embeddings\":false,"
		"\"num_experts\":%lld,\"n_routed_experts\":%lld,\"num_local_experts\":%lld,\"num_experts_per_tok\":%lld,\"n_shared_experts\":1,\"first_k_dense_replace\":%d,"
		"\"q_lora_rank\":1536,\"kv_lora_rank\":512,\"qk_nope_head_dim\":128,\"qk_rope_head_dim\":64,\"v_head_dim\":128}}",
		family, (long long)shape.layers, (long long)hidden, (long long)shape.heads, (long long)shape.kv_heads, (long long)unit,
		(long long)width, (long long)round_to((double)width / (double)active, 128), (long long)vocabulary, (long long)shape.experts,
		(long long)shape.experts, (long long)shape.experts, (long long)active, shape.layers > 3 ? 3 : 0);
	return shape;
}

static void random_layout(struct dice *dice, const struct shape *shape, struct draw *draw)
{
	struct parallelism *layout = &draw->layout;
	int64_t ranks;

	do
		layout->tensor = power_of_two(dice, 4);
	while (shape->heads % layout->tensor || (shape->kv_heads % layout->tensor && layout->tensor % shape->kv_heads));
	do
		layout->pipeline = one_in(dice, 2) ? 1 : 1 + below(dice, 64);
	while (layout->pipeline > shape->layers);
	layout->context = one_in(dice, 4) && draw->sequence >= 16384 ? power_of_two(dice, 4) : 1;
	layout->data = (int64_t)spread(dice, 1, fmax(1, 1e5 / (double)(layout->tensor * layout->pipeline * layout->context)));
	ranks = layout->tensor * layout->context * layout->data;
	do
		layout->expert = shape->experts > 0 ? power_of_two(dice, 6) : 1;
	while (layout->expert > 1 && (ranks % layout->expert || shape->experts % layout->expert));
	layout->interleave = layout->pipeline > 1 && one_in(dice, 2) ? power_of_two(dice, 3) : 1;
	while (layout->interleave > 1 && layout->pipeline * layout->interleave > shape->layers)
		layout->interleave /= 2;
	layout->micro_batch = power_of_two(dice, 3);
	draw->batch = (double)(layout->data * layout->micro_batch) * rint(spread(dice, 1, 128));
	layout->zero_stage = below(dice, 4);
	layout->zero_group = layout->data * layout->context;
	layout->recompute = (enum recompute)(RECOMPUTE_NONE + below(dice, 3));
	layout->kept_layers = 0;
	layout->sequence_parallel = layout->tensor > 1 && one_in(dice, 2) ? TRUTH_TRUE : TRUTH_FALSE;
	layout->offload = one_in(dice, 16) ? TRUTH_TRUE : TRUTH_FALSE;
	draw->gpu_count = ranks * layout->pipeline;
}

void draw_request(const struct catalogue *catalogue, uint64_t number, struct draw *draw)
{
	static const enum precision precisions[] = {
		PRECISION_BF16, PRECISION_BF16, PRECISION_FP16, PRECISION_FP8, PRECISION_MXFP8, PRECISION_NVFP4, PRECISION_TF32, PRECISION_FP32};
	struct dice dice = {.state = number * 0x2545f4914f6cdd1du};
	struct shape shape;

	*draw = (struct draw){.number = number, .variant = {1, 1, 1, 1, 1, 1}};
	shape = random_model(&dice, draw);
	draw->accelerator = &catalogue->rows.accelerators[below(&dice, (int64_t)catalogue->rows.accelerator_count)].accelerator;
	draw->stack = (enum stack)(STACK_GENERIC + below(&dice, STACK_COUNT - STACK_GENERIC));
	draw->precision = precisions[below(&dice, COUNT_OF(precisions))];
	draw->optimizer = (enum optimizer)(OPTIMIZER_ADAMW + (one_in(&dice, 3) ? below(&dice, OPTIMIZER_COUNT - OPTIMIZER_ADAMW) : 0));
	draw->fine_tuning = one_in(&dice, 8) ? (enum fine_tuning_method)(FINE_TUNING_FULL + below(&dice, 3)) : FINE_TUNING_UNSET;
	snprintf(draw->release, sizeof draw->release, "%04d-%02d", 2019 + (int)below(&dice, 8), 1 + (int)below(&dice, 12));
	draw->internode_gbs = spread(&dice, 1.25, 400);
	draw->sequence = 128 * rint(spread(&dice, 1, 2048));
	draw->pinned = !one_in(&dice, 4);
	if (draw->pinned) {
		random_layout(&dice, &shape, draw);
		return;
	}
	draw->gpu_count = (int64_t)rint(spread(&dice, 1, 1e5));
	if (draw->gpu_count > 16) /* whole machines, and numbers that several layouts divide */
		draw->gpu_count = round_to((double)draw->gpu_count, draw->gpu_count > 512 ? 64 : 8);
	draw->batch = rint(spread(&dice, 1, 16384));
}

static const char *const recomputes[RECOMPUTE_COUNT] = {"", "none", "selective", "full"};
static const char *const optimizers[OPTIMIZER_COUNT] = {"", "adamw", "adamw_8bit", "adafactor", "muon", "sgd", "lion"};
static const char *const methods[] = {"", "full", "lora", "qlora"};

/* Writes a figure of the variant if the catalogue has it. Returns the number of characters. */
static int write_figure(char *at, size_t size, const char *name, double value, double factor)
{
	return is_given(value) && value > 0 ? snprintf(at, size, ",\"%s\":%.17g", name, value * factor) : 0;
}

static int write_accelerator(const struct draw *draw, char *at, size_t size)
{
	const struct accelerator *a = draw->accelerator;
	const struct variant *v = &draw->variant;
	const struct {
		const char *name;
		double value, factor;
	} figures[] = {{"tflops_fp64", a->tflops_fp64, v->flops}, {"tflops_fp32", a->tflops_fp32, v->flops},
		{"tflops_tf32", a->tflops_tf32, v->flops}, {"tflops_bf16", a->tflops_bf16, v->flops}, {"tflops_fp16", a->tflops_fp16, v->flops},
		{"tflops_fp8", a->tflops_fp8, v->flops}, {"tops_int8", a->tops_int8, v->flops}, {"tflops_fp4", a->tflops_fp4, v->flops},
		{"memory_gb", a->memory_gb, v->memory}, {"memory_usable_bytes", a->memory_usable_bytes, v->memory},
		{"memory_bandwidth_gbs", a->memory_bandwidth_gbs, v->bandwidth}, {"interconnect_gbs", a->interconnect_gbs, v->link},
		{"tdp_w", a->tdp_w, v->power}};
	int length;

	if (v->flops == 1 && v->memory == 1 && v->bandwidth == 1 && v->link == 1 && v->power == 1)
		return snprintf(at, size, "\"%s\"", a->id);
	length = snprintf(at, size, "{\"like\":\"%s\"", a->id);
	for (size_t i = 0; i < COUNT_OF(figures); i++)
		if (figures[i].factor != 1)
			length += write_figure(at + length, size - (size_t)length, figures[i].name, figures[i].value, figures[i].factor);
	return length + snprintf(at + length, size - (size_t)length, "}");
}

void draw_json(const struct draw *draw, char json[DRAW_JSON_MAX_BYTES])
{
	const struct parallelism *l = &draw->layout;
	size_t size = DRAW_JSON_MAX_BYTES;
	int at = snprintf(json, size, "{\"model\":%s,\"accelerator\":", draw->model);

	at += write_accelerator(draw, json + at, size - (size_t)at);
	at += snprintf(json + at, size - (size_t)at,
		",\"gpu_count\":%lld,\"internode_gbs\":%.17g,\"precision\":\"%s\",\"stack\":\"%s\",\"stack_release\":\"%s\",\"optimizer\":\"%s\",\"tokens\":1e12,"
		"\"sequence_length\":%.17g,\"global_batch_size\":%.17g,\"enforce_memory\":%s,\"alternatives\":0,\"pricing\":{\"usd_per_gpu_hour\":2}",
		(long long)draw->gpu_count, draw->internode_gbs * draw->variant.nic, precision_name(draw->precision), stack_name(draw->stack),
		draw->release, optimizers[draw->optimizer], draw->sequence, draw->batch, draw->pinned ? "false" : "true");
	if (draw->fine_tuning != FINE_TUNING_UNSET)
		at += snprintf(json + at, size - (size_t)at, ",\"fine_tuning\":{\"method\":\"%s\"}", methods[draw->fine_tuning]);
	if (draw->pinned)
		at += snprintf(json + at, size - (size_t)at,
			",\"parallelism\":{\"tensor\":%lld,\"pipeline\":%lld,\"data\":%lld,\"context\":%lld,\"expert\":%lld,\"interleave\":%lld,\"micro_batch\":%lld,"
			"\"zero_stage\":%lld,\"zero_group\":%lld,\"recompute\":\"%s\",\"kept_layers\":%lld,\"sequence_parallel\":%s,\"offload\":%s}",
			(long long)l->tensor, (long long)l->pipeline, (long long)l->data, (long long)l->context, (long long)l->expert,
			(long long)l->interleave, (long long)l->micro_batch, (long long)l->zero_stage, (long long)l->zero_group, recomputes[l->recompute],
			(long long)l->kept_layers, l->sequence_parallel == TRUTH_TRUE ? "true" : "false", l->offload == TRUTH_TRUE ? "true" : "false");
	snprintf(json + at, size - (size_t)at, "}");
}

void draw_serving_json(const struct draw *draw, char json[DRAW_JSON_MAX_BYTES])
{
	static const char *const engines[] = {"vllm", "tensorrt_llm", "sglang"};
	struct dice dice = {.state = draw->number ^ 0x6a09e667f3bcc909u};
	size_t size = DRAW_JSON_MAX_BYTES;
	int at = snprintf(json, size, "{\"model\":%s,\"accelerator\":", draw->model);

	at += write_accelerator(draw, json + at, size - (size_t)at);
	at += snprintf(json + at, size - (size_t)at,
		",\"gpu_count\":%lld,\"precision\":\"%s\",\"engine\":\"%s\",\"prompt_tokens\":%.0f,\"output_tokens\":%.0f,",
		(long long)power_of_two(&dice, 3), one_in(&dice, 2) ? "bf16" : "fp8", engines[below(&dice, COUNT_OF(engines))],
		spread(&dice, 16, 32768), spread(&dice, 1, 4096));
	snprintf(json + at, size - (size_t)at, "\"concurrency\":%.0f}", spread(&dice, 1, 1024));
}
