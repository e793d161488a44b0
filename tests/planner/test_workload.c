/* Parameters, FLOPs, KV bytes and weights of models built by hand (E1-E7). */
#include <math.h>
#include <string.h>

#include "planner/workload/compute.h"
#include "planner/workload/model.h"
#include "support/assert.h"

/* Llama 2: hidden, layers, heads, key-value heads, feed-forward width. */
static void build_llama(struct model *model, int hidden, int layers, int heads, int kv_heads, int width)
{
	memset(model, 0, sizeof *model);
	model->hidden = hidden;
	model->layer_count = layers;
	model->vocabulary = 32000;
	model->kind_count = 1;
	model->norms = 1;
	model->kinds[0] = (struct layer_kind){.mixer = MIXER_ATTENTION, .heads = heads, .kv_heads = kv_heads, .head_dim = hidden / heads,
		.feed_forward = FEED_FORWARD_DENSE, .width = width, .gated = true, .norms = 2};
	model_finish(model);
}

static void llama_2_is_counted_to_the_last_parameter(void **state)
{
	static struct model model;

	(void)state;
	build_llama(&model, 4096, 32, 32, 32, 11008);
	assert_true(model.params_total == 6738415616.0);
	build_llama(&model, 8192, 80, 64, 8, 28672);
	assert_true(model.params_total == 68976648192.0);
	assert_true(model_kv_bytes_per_token(&model, 2) == 327680);
	assert_true(model_kv_bytes(&model, 1000, 2) == 327680e3);
	assert_close(model_forward_flops_per_token(&model, 1), 2 * (68976648192.0 - 32000.0 * 8192), 1e-3);
}

static void a_size_becomes_a_shape_of_that_size(void **state)
{
	static struct model model;

	(void)state;
	for (double size = 1e8; size < 2e15; size *= 3.7)
		for (double share = 1; share > 0.02; share /= 3) {
			struct model counted;

			model_from_size(&model, size, size * share);
			counted = model;
			counted.params_total = counted.params_active = 0;
			model_finish(&counted);
			assert_close(counted.params_total, size, size * share < 1e9 ? 0.05 : 0.01);
			assert_close(counted.params_active, size * share, size * share < 1e9 ? 0.15 : 0.03);
			assert_true(model.params_total == size && model.shape_is_guessed);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(llama_2_is_counted_to_the_last_parameter),
		cmocka_unit_test(a_size_becomes_a_shape_of_that_size),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
