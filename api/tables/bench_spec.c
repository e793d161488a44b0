#include "api/tables/shared.h"

static const char *const product_words[PRODUCT_COUNT] = {
	[PRODUCT_FORWARD] = "forward", [PRODUCT_INPUT_GRADIENT] = "input_gradient", [PRODUCT_WEIGHT_GRADIENT] = "weight_gradient"};

enum { SIDE_MAX = 1 << 24 };

#define SIDE(member, ...) INTEGER(member, 1, SIDE_MAX, __VA_ARGS__, .flags = REQUIRED)
#define PRECISION         CHOICE(precision, precision_words, "Number format of the operands")
#define TIMES             POSITIVE(count, 1e9, "Number of occurrences in a step", .fallback = "1")

#define OF struct bench_spec_product
static const struct field product_rows[] = {
	TEXT(role, 24, "Role in the model", .example = "\"qkv\""),
	SIDE(m, "Rows of the result"),
	SIDE(n, "Columns of the result"),
	SIDE(k, "Inner dimension, over which is summed"),
	CHOICE(product, product_words, "Which of the three products with a layer's weight", .fallback = "forward"),
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
	BOOL(causal, "Whether a query ignores later keys"),
	BOOL(backward, "Whether the gradients are computed instead of the values"),
};
TABLE(bench_attention, attention_rows, "The shape of an attention.");
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
	INTEGER(vocabulary, 1, SIDE_MAX, "Rows of the output head; absent: no head"),
	SIDE(sequence, "Tokens a sequence"),
	SIDE(micro_batch, "Sequences"),
	TRUTH(gated, "Whether the MLP has a gate"),
	PRECISION,
	POSITIVE(optimizer_bytes_per_parameter, 256, "Bytes read and written to update one weight; absent: no update"),
	POSITIVE(predicted_s, 1e6, "Time of one step of exactly this block, as predicted by the planner"),
};
TABLE(bench_block, block_rows, "A transformer block to measure, forward and backward.");
#undef OF

#define OF struct bench_spec
static const struct field spec_rows[] = {
	LIST(products, BENCH_PRODUCTS_MAX, bench_spec_product, "Matrix products"),
	LIST(attention, BENCH_ATTENTIONS_MAX, bench_spec_attention, "Attentions"),
	LIST(kv_read, BENCH_ATTENTIONS_MAX, bench_spec_attention, "Reads of the KV cache, one query for each sequence"),
	NUMBERS(transfer_bytes, BENCH_SIZES_MAX, 1, 1e12, "Sizes of transfers between host and device"),
	NUMBERS(collective_bytes, BENCH_SIZES_MAX, 4, 1e12, "Sizes of all-reduces over all devices"),
	POSITIVE(sample_bytes, 1e12, "Size of one training sample in storage"),
	OBJECT(block, bench_block, "A transformer block"),
};
TABLE(bench_spec, spec_rows, "The measurements to make for a plan.");
#undef OF
