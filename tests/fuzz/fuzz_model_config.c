/* Any bytes as a model's configuration: the reader always returns a status, and every accepted model has finite
 * figures. */
#include "fuzz/input.h"
#include "hwdb/models/model_config.h"

static void figures_check(const struct model *model)
{
	if (model->kind == MODEL_GENERIC) { /* towers have figures per sample and no layers of tokens */
		CHECK(model->params_total >= 1 && isfinite(model->params_total) && isfinite(model->generic_flops_per_sample) &&
			model->generic_flops_per_sample >= 0);
		CHECK(isfinite(model->generic_sample_bytes) && isfinite(model->generic_activation_bytes));
		return;
	}
	CHECK(model->layer_count >= 1 && model->layer_count <= MODEL_LAYERS_MAX);
	CHECK(isfinite(model->params_total) && model->params_active <= model->params_total);
	for (double length = 1; length < 1e8; length *= 100) {
		CHECK(isfinite(model_training_flops_per_token(model, length)));
		CHECK(isfinite(model_kv_bytes(model, length, 2)) && model_kv_bytes(model, length, 2) >= 0);
	}
	for (int precision = PRECISION_FP32; precision < PRECISION_COUNT; precision++)
		CHECK(isfinite(model_weight_bytes(model, (enum precision)precision)));
}

void fuzz_one(struct input *input)
{
	static struct model model;
	static struct failure failure;
	size_t length;
	const char *text = input_rest(input, &length);

	failure_clear(&failure);
	if (model_config_read(text, length, "/model/config", &model, &failure) == STATUS_OK)
		figures_check(&model);
	else
		CHECK(failure.fault_total > 0 && failure.status == STATUS_INVALID);
}
