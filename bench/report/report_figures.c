/* Writes figures as members of JSON objects; api/bench_protocol.c reads them. */
#include <math.h>

#include "bench/report/report_parts.h"

static const char *const confidence_names[CONFIDENCE_COUNT] = {
	[CONFIDENCE_LOW] = "low",
	[CONFIDENCE_MEDIUM] = "medium",
	[CONFIDENCE_HIGH] = "high",
};

void put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (!text)
		return;
	json_key(writer, key);
	json_string(writer, text);
}

void put_number(struct json_writer *writer, const char *key, double number)
{
	if (isnan(number))
		return;
	json_key(writer, key);
	json_double(writer, number);
}

void put_count(struct json_writer *writer, const char *key, size_t count)
{
	json_key(writer, key);
	json_integer(writer, (int64_t)count);
}

void put_truth(struct json_writer *writer, const char *key, bool truth)
{
	json_key(writer, key);
	json_bool(writer, truth);
}

static void put_side(struct json_writer *writer, const char *key, int64_t side)
{
	json_key(writer, key);
	json_integer(writer, side);
}

static void put_shape(struct json_writer *writer, const struct bench_work_request *request)
{
	json_key(writer, "shape");
	json_begin_array(writer);
	json_integer(writer, request->shape.m);
	json_integer(writer, request->shape.n);
	json_integer(writer, request->shape.k);
	json_end_array(writer);
	put_text(writer, "product", bench_product_name(request->product));
}

static void put_attention(struct json_writer *writer, const struct bench_attention *attention)
{
	json_key(writer, "attention");
	json_begin_object(writer);
	put_side(writer, "batch", attention->batch);
	put_side(writer, "heads", attention->heads);
	put_side(writer, "kv_heads", attention->kv_heads);
	put_side(writer, "queries", attention->queries);
	put_side(writer, "keys", attention->keys);
	put_side(writer, "head_dimension", attention->head_dimension);
	put_truth(writer, "causal", attention->causal);
	put_truth(writer, "backward", attention->backward);
	json_end_object(writer);
}

static void put_transfer(struct json_writer *writer, const struct bench_transfer *transfer)
{
	json_key(writer, "transfer");
	json_begin_object(writer);
	put_text(writer, "direction", bench_direction_name(transfer->direction));
	put_truth(writer, "pinned", transfer->pinned);
	put_number(writer, "bytes", transfer->bytes);
	json_end_object(writer);
}

static void put_block(struct json_writer *writer, const struct bench_block *block)
{
	json_key(writer, "block");
	json_begin_object(writer);
	put_side(writer, "layers", block->layers);
	put_side(writer, "hidden", block->hidden);
	put_side(writer, "heads", block->heads);
	put_side(writer, "kv_heads", block->kv_heads);
	put_side(writer, "head_dimension", block->head_dimension);
	put_side(writer, "ffn", block->ffn);
	if (block->vocabulary > 0)
		put_side(writer, "vocabulary", block->vocabulary);
	put_side(writer, "sequence", block->sequence);
	put_side(writer, "micro_batch", block->micro_batch);
	put_truth(writer, "gated", block->gated == TRUTH_TRUE);
	put_text(writer, "precision", precision_name(block->precision));
	put_number(writer, "optimizer_bytes_per_parameter", block->optimizer_bytes_per_parameter);
	json_end_object(writer);
}

/* Writes the work's members, according to its kind. */
static void put_request(struct json_writer *writer, const struct bench_work_request *request)
{
	if (request->kind < WORK_KIND_COUNT)
		put_text(writer, "kind", bench_work_kind_name(request->kind));
	if (request->bytes > 0)
		put_number(writer, "size_bytes", request->bytes);
	switch (request->kind) {
	case WORK_GEMM:
		put_shape(writer, request);
		break;
	case WORK_ATTENTION:
	case WORK_KV_READ:
		put_attention(writer, &request->attention);
		break;
	case WORK_TRANSFER:
		put_transfer(writer, &request->transfer);
		break;
	case WORK_PEER_COPY:
		put_text(writer, "peer", request->peer->id);
		break;
	case WORK_LAUNCH:
	case WORK_LAUNCH_PIPELINED:
	case WORK_LAUNCH_GRAPH:
	case WORK_STREAM_READ:
	case WORK_STREAM_COPY:
	case WORK_STREAM_TRIAD:
	case WORK_ISSUE_RATE:
	case WORK_ELEMENTWISE:
	case WORK_SEQUENCE:
	case WORK_ALL_REDUCE:
	case WORK_KIND_COUNT:
		break;
	}
}

static void put_energy(struct json_writer *writer, const struct bench_energy *energy)
{
	json_key(writer, "energy");
	json_begin_object(writer);
	put_number(writer, "window_s", energy->window_s);
	put_number(writer, "energy_j", energy->energy_joules);
	put_number(writer, "mean_w", energy->mean_w);
	put_number(writer, "idle_w", energy->idle_w);
	put_number(writer, "dynamic_j", energy->dynamic_joules);
	put_number(writer, "j_per_tflop", energy->joules_per_tflop);
	put_number(writer, "limit_fraction", energy->limit_fraction);
	put_count(writer, "samples", energy->samples);
	put_text(writer, "source", energy->source);
	put_text(writer, "by", energy->by);
	put_text(writer, "scope", energy->scope);
	put_text(writer, "confidence", confidence_names[energy->confidence]);
	json_end_object(writer);
}

static void put_statistics(struct json_writer *writer, const struct bench_statistics *statistics)
{
	put_count(writer, "n", statistics->n);
	put_number(writer, "median", statistics->median);
	put_number(writer, "p10", statistics->p10);
	put_number(writer, "p90", statistics->p90);
	put_number(writer, "min", statistics->min);
	put_number(writer, "max", statistics->max);
	put_number(writer, "mean", statistics->mean);
	put_number(writer, "drift", statistics->drift);
	put_truth(writer, "unstable", statistics->unstable);
}

static void put_throttle(struct json_writer *writer, uint64_t reasons)
{
	char text[64];

	if (!reasons)
		return;
	bench_throttle_text(reasons, text, sizeof(text));
	put_truth(writer, "throttled", true);
	put_text(writer, "throttle", text);
}

void measure_encode(const struct bench_measure *measure, struct json_writer *writer)
{
	put_text(writer, "test", measure->test);
	put_text(writer, "bottleneck", measure->bottleneck);
	put_text(writer, "method", bench_method_name(measure->method));
	if (measure->precision != PRECISION_UNSET)
		put_text(writer, "precision", precision_name(measure->precision));
	put_text(writer, "role", measure->role);
	if (measure->request)
		put_request(writer, measure->request);
	if (measure->block)
		put_block(writer, measure->block);
	if (measure->count > 0)
		put_number(writer, "count", measure->count);
	put_text(writer, "unit", bench_unit_name(measure->unit));
	put_statistics(writer, &measure->statistics);
	if (measure->median_p10 > 0) {
		put_number(writer, "median_p10", measure->median_p10);
		put_number(writer, "median_p90", measure->median_p90);
	}
	if (measure->trend)
		put_truth(writer, "trend", true);
	if (measure->rounds)
		put_count(writer, "rounds", measure->rounds);
	if (measure->rounds_left_out)
		put_count(writer, "rounds_left_out", measure->rounds_left_out);
	put_number(writer, "disagreement", measure->disagreement);
	put_number(writer, "steal_fraction", measure->steal_fraction);
	put_number(writer, "others_fraction", measure->others_fraction);
	put_count(writer, "warmup", measure->warmup);
	put_count(writer, "runs_per_sample", measure->runs_per_sample);
	if (measure->bytes > 0)
		put_number(writer, "bytes", measure->bytes);
	if (measure->flops > 0)
		put_number(writer, "flops", measure->flops);
	put_number(writer, "elapsed_s", measure->elapsed_s);
	put_number(writer, "predicted_s", measure->predicted_s);
	put_truth(writer, "verified", measure->check.verified);
	put_count(writer, "verified_samples", (size_t)measure->check.samples);
	if (measure->cache_resident)
		put_truth(writer, "cache_resident", true);
	put_throttle(writer, measure->throttle_reasons);
	if (measure->energy)
		put_energy(writer, measure->energy);
	put_text(writer, "detail", measure->detail);
}

void fit_encode(const struct bench_fit *fit, struct json_writer *writer)
{
	put_text(writer, "test", fit->test);
	put_text(writer, "what", fit->what);
	put_text(writer, "method", bench_method_name(fit->method));
	put_number(writer, "alpha_s", fit->alpha_s);
	put_number(writer, "beta_bytes_per_s", fit->beta_bytes_per_s);
	put_number(writer, "worst_residual", fit->worst_residual);
	put_count(writer, "sizes", fit->sizes);
}

void mean_encode(const struct bench_mean *mean, struct json_writer *writer)
{
	put_text(writer, "test", mean->test);
	put_text(writer, "method", bench_method_name(mean->method));
	if (mean->precision != PRECISION_UNSET)
		put_text(writer, "precision", precision_name(mean->precision));
	put_text(writer, "unit", bench_unit_name(mean->unit));
	put_number(writer, "value", mean->value);
	put_number(writer, "flops", mean->flops);
	put_count(writer, "products", mean->products);
}
