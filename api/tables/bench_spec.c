#include "api/tables/shared.h"

static const char *const product_words[PRODUCT_COUNT] = {[PRODUCT_FORWARD] = "forward",
	[PRODUCT_INPUT_GRADIENT] = "input_gradient",
	[PRODUCT_WEIGHT_GRADIENT] = "weight_gradient"};

enum { SIDE_MAX = 1 << 24 };

#define SIDE(member, ...) INTEGER(member, 1, SIDE_MAX, __VA_ARGS__, .flags = REQUIRED)
#define PRECISION         CHOICE(precision, precision_words, "Number format of the operands")
#define TIMES             POSITIVE(count, 1e9, "How often it occurs in a step", .fallback = "1")

#define OF struct bench_spec_product
static const struct field product_rows[] = {
	TEXT(role, 24, "What it is in the model", .example = "\"qkv\""),
	SIDE(m, "Rows of the result"),
	SIDE(n, "Columns of the result"),
	SIDE(k, "Length of the sums"),
	CHOICE(product, product_words, "Which of the three products of a layer's weight", .fallback = "forward"),
	PRECISION,
	TIMES,
};
TABLE(bench_spec_product, product_rows, "A matrix product to measure.");
#undef OF

#define OF struct bench_attention
static const struct field attention_rows[] = {
	SIDE(batch, "Sequences"),
	SIDE(heads, "Heads of queries"),
	SIDE(kv_heads, "Heads of keys and values"),
	SIDE(queries, "Queries a sequence"),
	SIDE(keys, "Keys a sequence"),
	SIDE(head_dimension, "Length of a head's vectors"),
	BOOL(causal, "Whether a query sees no later key"),
	BOOL(backward, "Whether the gradients are computed, and not the values"),
};
TABLE(bench_attention, attention_rows, "Shape of an attention.");
#undef OF

#define OF struct bench_spec_attention
static const struct field spec_attention_rows[] = {MERGE(shape, bench_attention), PRECISION, TIMES};
TABLE(bench_spec_attention, spec_attention_rows, "An attention to measure.");
#undef OF

#define OF struct bench_block
static const struct field block_rows[] = {
	SIDE(layers, "Layers"),
	SIDE(hidden, "Width"),
	SIDE(heads, "Heads of queries"),
	SIDE(kv_heads, "Heads of keys and values"),
	SIDE(head_dimension, "Length of a head's vectors"),
	SIDE(ffn, "Inner width of the MLP"),
	INTEGER(vocabulary, 1, SIDE_MAX, "Rows of the head; absent: no head"),
	SIDE(sequence, "Tokens a sequence"),
	SIDE(micro_batch, "Sequences"),
	TRUTH(gated, "Whether the MLP has a gate"),
	PRECISION,
	POSITIVE(optimizer_bytes_per_parameter, 256, "Bytes that the update of a weight reads and writes; absent: no update"),
	POSITIVE(predicted_s, 1e6, "Seconds that the planner predicts for a step of exactly this block"),
};
TABLE(bench_block, block_rows, "A transformer block to measure, forward and backward.");
#undef OF

#define OF struct bench_spec
static const struct field spec_rows[] = {
	LIST(products, BENCH_PRODUCTS_MAX, bench_spec_product, "Matrix products"),
	LIST(attention, BENCH_ATTENTIONS_MAX, bench_spec_attention, "Attentions"),
	LIST(kv_read, BENCH_ATTENTIONS_MAX, bench_spec_attention, "Reads of the cache of keys and values, one query a sequence"),
	NUMBERS(transfer_bytes, BENCH_SIZES_MAX, 1, 1e12, "Sizes moved between host and device"),
	NUMBERS(collective_bytes, BENCH_SIZES_MAX, 4, 1e12, "Sizes reduced over all devices"),
	POSITIVE(sample_bytes, 1e12, "Size of a training sample in storage"),
	OBJECT(block, bench_block, "A transformer block"),
};
TABLE(bench_spec, spec_rows, "What of a plan is to be measured.");
#undef OF
