/* A model's work besides its products: attention, reads of its cache, element-wise work, and the step of a whole
 * block. */
#include <math.h>

#include "bench/suite/suite_tests.h"

enum { PARTS_MAX = 256, LAYERS_MAX = 8 }; /* a layer has at most 16 parts, forward and backward */

bool suite_choose_precision(struct bench_run *run, const struct bench_test *test, enum precision wanted, struct bench_work_request *request,
	struct bench_reason *reason)
{
	const enum precision tried[] = {wanted, PRECISION_BF16, PRECISION_FP16, PRECISION_FP32};

	for (size_t i = 0; i < COUNT_OF(tried); i++) {
		struct bench_work work;

		if (tried[i] == PRECISION_UNSET)
			continue;
		request->precision = tried[i];
		if (bench_run_try(run, test, request, &work, reason) == BENCH_OK) {
			work.release(&work);
			return true;
		}
		if (i == 0)
			return false; /* the plan's precision only: another precision would measure another plan */
	}
	return false;
}

void test_work(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct bench_work_request request = bench_request(run, test);
	struct bench_figure figure = {.test = test, .predicted_s = ABSENT_NUMBER, .slice_s = slice_s};

	(void)bench_run_figure(run, &figure, &request, NULL);
}

void test_elements(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct bench_work_request request = bench_request(run, test);
	struct bench_figure figure = {.test = test, .predicted_s = ABSENT_NUMBER, .slice_s = slice_s};
	struct bench_reason reason;

	request.bytes = 0x1p29;
	if (suite_choose_precision(run, test, PRECISION_UNSET, &request, &reason))
		(void)bench_run_figure(run, &figure, &request, NULL);
	else
		bench_run_skip(run, test, BENCH_UNSUPPORTED, reason.text);
}

static void measure_attentions(struct bench_run *run, const struct bench_test *test, const struct bench_attentions *attentions, double slice_s)
{
	for (size_t i = 0; i < attentions->count; i++) {
		const struct bench_spec_attention *planned = &attentions->items[i];
		struct bench_work_request request = bench_request(run, test);
		struct bench_figure figure = {
			.test = test, .count = given_or(planned->count, 0), .predicted_s = ABSENT_NUMBER, .slice_s = slice_s / (double)attentions->count};
		struct bench_reason reason = {""};

		request.attention = planned->shape;
		if (suite_choose_precision(run, test, planned->precision, &request, &reason))
			(void)bench_run_figure(run, &figure, &request, NULL);
		else
			bench_run_skip(run, test, BENCH_UNSUPPORTED, reason.text);
	}
}

/* Without a plan: one sequence, 16 heads of 128, a usual shape in published measurements of attention. */
void test_attention(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	int64_t tokens = run->full ? 2048 : 1024;
	struct bench_spec_attention usual[] = {{.shape = {1, 16, 16, tokens, tokens, 128, .causal = true}, .count = ABSENT_NUMBER},
		{.shape = {1, 16, 16, tokens, tokens, 128, .causal = true, .backward = true}, .count = ABSENT_NUMBER}};
	struct bench_attentions attentions = {usual, COUNT_OF(usual)};

	measure_attentions(run, test, run->spec && run->spec->attention.count ? &run->spec->attention : &attentions, slice_s);
}

void test_kv_read(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	struct bench_spec_attention usual[] = {{.shape = {8, 32, 8, 1, 4096, 128, .causal = false}, .count = ABSENT_NUMBER}};
	struct bench_attentions attentions = {usual, COUNT_OF(usual)};

	measure_attentions(run, test, run->spec && run->spec->kv_read.count ? &run->spec->kv_read : &attentions, slice_s);
}

struct block_parts {
	struct bench_work_request parts[PARTS_MAX];
	size_t count;
	struct bench_work_request common; /* precision and alive */
};

static void parts_add(struct block_parts *parts, struct bench_work_request request, enum bench_work_kind kind, enum bench_method method)
{
	request.kind = kind;
	request.method = method;
	if (parts->count < PARTS_MAX)
		parts->parts[parts->count++] = request;
}

static void parts_add_elements(struct block_parts *parts, double bytes)
{
	struct bench_work_request request = parts->common;

	request.bytes = bytes;
	if (bytes > 0)
		parts_add(parts, request, WORK_ELEMENTWISE, METHOD_STREAM);
}

static void parts_add_attention(struct block_parts *parts, const struct bench_block *block, bool backward)
{
	struct bench_work_request request = parts->common;

	request.attention = (struct bench_attention){block->micro_batch, block->heads, block->kv_heads, block->sequence, block->sequence,
		block->head_dimension, .causal = true, .backward = backward};
	parts_add(parts, request, WORK_ATTENTION, parts->common.method);
}

static void parts_add_product(struct block_parts *parts, const struct bench_spec_product *product, enum bench_method gemm)
{
	struct bench_work_request request = parts->common;

	request.shape = bench_product_shape(product);
	request.product = product->product;
	parts_add(parts, request, WORK_GEMM, gemm);
}

/* Builds a step in the order in which it runs: the products of each layer, with its attention after the first
 * product; then the backward pass; then the update. `common` has the method of attention. */
static void parts_make(struct block_parts *parts, const struct bench_block *block, enum bench_method gemm, double element_bytes)
{
	struct bench_spec_product products[BENCH_BLOCK_PRODUCTS_MAX];
	size_t count = bench_block_products(block, products), forward = count / 3, layer = forward - (block->vocabulary > 0);
	double elements = bench_block_element_bytes(block, element_bytes);

	for (int64_t l = 0; l < block->layers; l++) {
		for (size_t i = 0; i < layer; i++) {
			parts_add_product(parts, &products[i], gemm);
			if (i == 0)
				parts_add_attention(parts, block, false);
		}
		parts_add_elements(parts, elements);
	}
	if (forward > layer)
		parts_add_product(parts, &products[layer], gemm);
	if (forward > layer)
		for (size_t i = forward; i < forward + 2; i++)
			parts_add_product(parts, &products[i], gemm);
	for (int64_t l = 0; l < block->layers; l++) {
		for (size_t i = count - 2 * layer; i < count; i++) {
			if (i == count - 2)
				parts_add_attention(parts, block, true);
			parts_add_product(parts, &products[i], gemm);
		}
		parts_add_elements(parts, 2 * elements);
	}
	parts_add_elements(parts, bench_block_parameters(block) * given_or(block->optimizer_bytes_per_parameter, 0));
}

/* Measures the block's step: with a library's products and attention if the device has them, else with own kernels. */
void test_block(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	static const struct {
		enum bench_method gemm, attention;
	} ways[] = {{METHOD_LIBRARY_GEMM, METHOD_LIBRARY_ATTENTION}, {METHOD_LIBRARY_GEMM, METHOD_KERNEL_ATTENTION},
		{METHOD_KERNEL_GEMM, METHOD_KERNEL_ATTENTION}};
	struct bench_work_request request = bench_request(run, test);
	const struct bench_block *block = run->spec ? &run->spec->block : NULL;
	struct bench_reason reason = {"no block is given: the specification has no `block`"};
	enum bench_outcome outcome = BENCH_UNSUPPORTED;
	struct block_parts *parts;
	struct bench_work work;

	if (!block || block->layers < 1) {
		bench_run_skip(run, test, BENCH_UNSUPPORTED, reason.text);
		return;
	}
	if (block->layers > LAYERS_MAX) {
		bench_run_skip(run, test, BENCH_UNSUPPORTED, "a block may have at most 8 layers");
		return;
	}
	parts = malloc(sizeof(*parts));
	request.precision = block->precision == PRECISION_UNSET ? PRECISION_BF16 : block->precision;
	for (size_t i = 0; parts && outcome == BENCH_UNSUPPORTED && i < COUNT_OF(ways); i++) {
		parts->count = 0;
		parts->common = request;
		parts->common.method = ways[i].attention;
		parts_make(parts, block, ways[i].gemm, precision_weight_bytes(request.precision));
		request.parts = parts->parts;
		request.part_count = parts->count;
		outcome = bench_run_try(run, test, &request, &work, &reason);
	}
	if (outcome == BENCH_OK) {
		struct bench_figure figure = {
			.test = test, .request = &request, .block = block, .predicted_s = block->predicted_s, .slice_s = slice_s};

		(void)bench_work_measure(run, &figure, &work, NULL);
		work.release(&work);
	} else {
		bench_run_skip(run, test, outcome, reason.text);
	}
	free(parts);
}
