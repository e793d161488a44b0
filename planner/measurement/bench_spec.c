#include "planner/measurement/bench_spec.h"

enum { FORWARD_PRODUCTS_MAX = 5 };

_Static_assert(3 * FORWARD_PRODUCTS_MAX <= BENCH_BLOCK_PRODUCTS_MAX, "a block has three products for each of its matrices");

const char *const bench_product_words[PRODUCT_COUNT] = {
	[PRODUCT_FORWARD] = "forward",
	[PRODUCT_INPUT_GRADIENT] = "input_gradient",
	[PRODUCT_WEIGHT_GRADIENT] = "weight_gradient",
};

void bench_spec_init(struct bench_spec *spec)
{
	*spec = (struct bench_spec){.sample_bytes = ABSENT_NUMBER,
		.block = {.layers = ABSENT_COUNT,
			.hidden = ABSENT_COUNT,
			.heads = ABSENT_COUNT,
			.kv_heads = ABSENT_COUNT,
			.head_dimension = ABSENT_COUNT,
			.ffn = ABSENT_COUNT,
			.vocabulary = ABSENT_COUNT,
			.sequence = ABSENT_COUNT,
			.micro_batch = ABSENT_COUNT,
			.optimizer_bytes_per_parameter = ABSENT_NUMBER,
			.predicted_s = ABSENT_NUMBER}};
}

const char *bench_product_name(enum bench_product product)
{
	return bench_product_words[product];
}

double bench_shape_flops(const struct bench_shape *shape)
{
	return 2.0 * (double)shape->m * (double)shape->n * (double)shape->k;
}

struct bench_shape bench_product_shape(const struct bench_spec_product *product)
{
	return (struct bench_shape){product->m, product->n, product->k};
}

double bench_attention_flops(const struct bench_attention *attention)
{
	double scores = (double)attention->batch * (double)attention->heads * (double)attention->queries * (double)attention->keys;
	double products = attention->backward ? 5 : 2;

	return products * 2 * scores * (double)attention->head_dimension * (attention->causal ? 0.5 : 1);
}

double bench_kv_bytes(const struct bench_attention *attention, double element_bytes)
{
	return 2.0 * (double)attention->batch * (double)attention->kv_heads * (double)attention->keys * (double)attention->head_dimension *
		element_bytes;
}

static struct bench_spec_product forward_product(
	const struct bench_block *block, const char *role, int64_t outputs, int64_t inputs, double count)
{
	return (struct bench_spec_product){
		.role = role, .m = block->sequence * block->micro_batch, .n = outputs, .k = inputs, .precision = block->precision, .count = count};
}

static size_t forward_products(const struct bench_block *block, struct bench_spec_product *out)
{
	int64_t queries = block->heads * block->head_dimension, keys = block->kv_heads * block->head_dimension;
	double layers = (double)block->layers;
	size_t count = 0;

	out[count++] = forward_product(block, "qkv", queries + 2 * keys, block->hidden, layers);
	out[count++] = forward_product(block, "attention_output", block->hidden, queries, layers);
	out[count++] = forward_product(block, "mlp_up", block->gated == TRUTH_TRUE ? 2 * block->ffn : block->ffn, block->hidden, layers);
	out[count++] = forward_product(block, "mlp_down", block->hidden, block->ffn, layers);
	if (block->vocabulary > 0)
		out[count++] = forward_product(block, "head", block->vocabulary, block->hidden, 1);
	return count;
}

/* Y = X W has tokens x outputs over inputs. dX = dY W^T is tokens x inputs over outputs, and dW = X^T dY is inputs x outputs
 * over tokens. */
static struct bench_spec_product backward_product(const struct bench_spec_product *forward, enum bench_product product)
{
	struct bench_spec_product backward = *forward;
	bool to_input = product == PRODUCT_INPUT_GRADIENT;

	backward.product = product;
	backward.m = to_input ? forward->m : forward->k;
	backward.n = to_input ? forward->k : forward->n;
	backward.k = to_input ? forward->n : forward->m;
	return backward;
}

size_t bench_block_products(const struct bench_block *block, struct bench_spec_product *products)
{
	struct bench_spec_product forward[FORWARD_PRODUCTS_MAX];
	size_t count = block->layers > 0 ? forward_products(block, forward) : 0, total = 0;

	for (size_t i = 0; i < count; i++)
		products[total++] = forward[i];
	for (size_t i = count; i-- > 0;) {
		products[total++] = backward_product(&forward[i], PRODUCT_INPUT_GRADIENT);
		products[total++] = backward_product(&forward[i], PRODUCT_WEIGHT_GRADIENT);
	}
	return total;
}

/* Per layer: two norms (a read and a write each) and two residual sums (two reads, one write) of the width; rotations
 * and transposes of queries, keys and values; the activation reads the first matrix's output and writes the last one's
 * input. */
double bench_block_element_bytes(const struct bench_block *block, double element_bytes)
{
	double rows = (double)block->sequence * (double)block->micro_batch, up = block->gated == TRUTH_TRUE ? 2 : 1;
	double queries = (double)block->heads * (double)block->head_dimension;
	double keys = 2 * (double)block->kv_heads * (double)block->head_dimension;

	return rows * element_bytes * (10 * (double)block->hidden + 2 * (queries + keys) + queries + (up + 1) * (double)block->ffn);
}

double bench_block_parameters(const struct bench_block *block)
{
	struct bench_spec_product forward[FORWARD_PRODUCTS_MAX];
	size_t count = block->layers > 0 ? forward_products(block, forward) : 0;
	double parameters = 0;

	for (size_t i = 0; i < count; i++)
		parameters += forward[i].count * (double)forward[i].n * (double)forward[i].k;
	return parameters;
}

double bench_block_flops(const struct bench_block *block)
{
	struct bench_spec_product products[BENCH_BLOCK_PRODUCTS_MAX];
	struct bench_attention attention = {
		block->micro_batch, block->heads, block->kv_heads, block->sequence, block->sequence, block->head_dimension, .causal = true};
	size_t count = bench_block_products(block, products);
	double flops = (double)block->layers * bench_attention_flops(&attention);

	attention.backward = true;
	flops += (double)block->layers * bench_attention_flops(&attention);
	for (size_t i = 0; i < count; i++) {
		struct bench_shape shape = bench_product_shape(&products[i]);

		flops += products[i].count * bench_shape_flops(&shape);
	}
	return flops;
}
