/* The work of a plan that the benchmark measures: products, operations and
 * bytes of a block, by independent arithmetic. */
#include "planner/measurement/bench_spec.h"
#include "support/assert.h"

/* A layer of Llama 3.1 8B: width 4096, 32 heads of dimension 128, 8 key-value heads, inner width 14336, gated. */
static struct bench_block llama_layer(void)
{
	return (struct bench_block){.layers = 1,
		.hidden = 4096,
		.heads = 32,
		.kv_heads = 8,
		.head_dimension = 128,
		.ffn = 14336,
		.vocabulary = ABSENT_COUNT,
		.sequence = 2048,
		.micro_batch = 2,
		.gated = TRUTH_TRUE,
		.precision = PRECISION_BF16,
		.optimizer_bytes_per_parameter = ABSENT_NUMBER,
		.predicted_s = ABSENT_NUMBER};
}

/* A layer has 218,112,000 weights: the model card's 8.03e9 less the tables, over 32 layers. Each weight takes six
 * operations a token, forward and backward. */
static void a_layer_has_the_models_weights_and_operations(void **state)
{
	struct bench_block block = llama_layer();
	double weights = 4096.0 * 4096 * 2 + 4096.0 * 1024 * 2 + 3 * 4096.0 * 14336, tokens = 4096;
	double scores = 2.0 * 32 * 2048 * 2048 * 128 / 2; /* batch, heads, half of queries x keys, dimension */

	(void)state;
	assert_close(bench_block_parameters(&block), weights, 1e-15);
	assert_close(bench_block_parameters(&block), (8030261248.0 - 2 * 128256.0 * 4096 - 4096) / 32 - 2 * 4096, 1e-12); /* less the two norms */
	assert_close(bench_block_flops(&block), 6 * weights * tokens + (4 + 10) * scores, 1e-12);
	block.layers = 2;
	block.vocabulary = 128256;
	assert_close(bench_block_parameters(&block), 2 * weights + 128256.0 * 4096, 1e-15);
}

/* Each weight takes part in three products of equal operations. The inputs are m x k, the weights k x n. The gradient
 * of the inputs is m x k, summed over n; the gradient of the weights is k x n, summed over m. */
static void a_weight_has_three_products(void **state)
{
	struct bench_spec_product products[BENCH_BLOCK_PRODUCTS_MAX];
	struct bench_block block = llama_layer();
	size_t count = bench_block_products(&block, products);

	(void)state;
	assert_int_equal(count, 12);
	assert_string_equal(products[0].role, "qkv");
	assert_int_equal(products[0].m, 4096);
	assert_int_equal(products[0].n, 6144);
	assert_int_equal(products[0].k, 4096);
	assert_string_equal(products[3].role, "mlp_down");
	assert_string_equal(products[4].role, "mlp_down"); /* the backward pass, in reverse order */
	assert_int_equal(products[4].product, PRODUCT_INPUT_GRADIENT);
	assert_int_equal(products[4].m, 4096);
	assert_int_equal(products[4].n, 14336);
	assert_int_equal(products[4].k, 4096);
	assert_int_equal(products[5].product, PRODUCT_WEIGHT_GRADIENT);
	assert_int_equal(products[5].m, 14336);
	assert_int_equal(products[5].n, 4096);
	assert_int_equal(products[5].k, 4096);
	for (size_t i = 4; i < count; i++) {
		struct bench_shape backward = bench_product_shape(&products[i]), forward = bench_product_shape(&products[3 - (i - 4) / 2]);

		assert_close(bench_shape_flops(&backward), bench_shape_flops(&forward), 0);
	}
	block.layers = 0;
	assert_int_equal(bench_block_products(&block, products), 0);
}

static void elements_and_caches_are_counted_in_bytes(void **state)
{
	struct bench_block block = llama_layer();
	struct bench_attention decode = {16, 32, 8, 1, 4096, 128, .causal = false};

	(void)state;
	/* 2 bytes and 4096 tokens: 10 x the width, 2 x 6144 + 4096 rotated and transposed, 3 x 14336 activated */
	assert_close(bench_block_element_bytes(&block, 2), 4096.0 * 2 * (40960 + 16384 + 43008), 1e-15);
	assert_close(bench_kv_bytes(&decode, 2), 2.0 * 16 * 8 * 4096 * 128 * 2, 1e-15);
	assert_close(bench_attention_flops(&decode), 4.0 * 16 * 32 * 4096 * 128, 1e-15);
	decode.causal = true;
	assert_close(bench_attention_flops(&decode), 2.0 * 16 * 32 * 4096 * 128, 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_layer_has_the_models_weights_and_operations),
		cmocka_unit_test(a_weight_has_three_products),
		cmocka_unit_test(elements_and_caches_are_counted_in_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
