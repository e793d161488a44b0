/* Which layouts can be at all: what the degrees ask of the model, the batch and the number of accelerators. */
#include "planner/training/layout.h"

static bool pinned(int64_t pin)
{
	return pin >= 0;
}

bool layout_heads_divide(const struct model *model, int64_t tensor)
{
	for (int k = 0; k < model->kind_count; k++)
		if (model->kinds[k].heads > 0 && model->kinds[k].heads % tensor)
			return false;
	return true;
}

int layout_experts(const struct model *model)
{
	int experts = 0;

	for (int k = 0; k < model->kind_count; k++)
		if (model->kinds[k].feed_forward == FEED_FORWARD_EXPERTS && model->kinds[k].experts > experts)
			experts = model->kinds[k].experts;
	return experts;
}

int64_t layout_layers(const struct model *model)
{
	return model->kind == MODEL_GENERIC ? 1 : model->layer_count > 0 ? model->layer_count : 1;
}

int64_t layout_pinned_gpu_count(const struct parallelism *pins)
{
	if (!pinned(pins->tensor) || !pinned(pins->pipeline) || !pinned(pins->data) || !pinned(pins->context))
		return ABSENT_COUNT;
	return pins->tensor * pins->pipeline * pins->data * pins->context;
}

bool layout_pins_possible(const struct setting *setting, int64_t gpu_count, const struct parallelism *pins, struct failure *failure)
{
	const struct model *model = setting->model;
	int64_t t = pinned(pins->tensor) ? pins->tensor : 1, p = pinned(pins->pipeline) ? pins->pipeline : 1;
	int64_t c = pinned(pins->context) ? pins->context : 1, d = pinned(pins->data) ? pins->data : 1;
	int64_t v = pinned(pins->interleave) ? pins->interleave : 1, e = pins->expert, inner = t * p * c * d;
	size_t before = failure->fault_total;
	int64_t slots = v > 1 ? layout_layers(model) + 2 : layout_layers(model); /* interleaved chunks for embedding and loss may hold no layer */
	int experts = layout_experts(model);

	if (gpu_count >= 1 && (gpu_count % inner || (layout_pinned_gpu_count(pins) >= 0 && inner != gpu_count)))
		failure_add(failure, "/parallelism", "impossible", "tensor x pipeline x data x context must be the %lld accelerators; the given degrees make %lld",
			(long long)gpu_count, (long long)inner);
	if (t > LAYOUT_TENSOR_MAX || !layout_heads_divide(model, t))
		failure_add(failure, "/parallelism/tensor", "impossible", "must be at most %d and divide the model's attention heads (%d)", LAYOUT_TENSOR_MAX,
			model->kind_count > 0 ? model->kinds[0].heads : 0);
	if (p > PIPELINE_STAGES_MAX || p * v > slots)
		failure_add(failure, "/parallelism/pipeline", "impossible", "pipeline x interleave is at most the model's %lld layers", (long long)layout_layers(model));
	if (pinned(e) && e != 1 && (experts == 0 || experts % e || (gpu_count >= 1 && gpu_count / p % e)))
		failure_add(failure, "/parallelism/expert", "impossible", "must divide the model's %d experts and tensor x context x data", experts);
	if (setting->batch > 0 && (double)d > setting->batch)
		failure_add(failure, "/parallelism/data", "impossible", "a step of %.0f samples cannot feed %lld data-parallel ranks", setting->batch, (long long)d);
	if (v > LAYOUT_INTERLEAVE_MAX || (v > 1 && pinned(pins->pipeline) && p == 1))
		failure_add(failure, "/parallelism/interleave", "impossible", "must be 1 without a pipeline, and at most %d", LAYOUT_INTERLEAVE_MAX);
	if (c > LAYOUT_CONTEXT_MAX || (double)c > setting->sequence)
		failure_add(failure, "/parallelism/context", "impossible", "must be at most %d and the sequence's tokens", LAYOUT_CONTEXT_MAX);
	return failure->fault_total == before;
}
