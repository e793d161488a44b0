/* Faults of a pinned layout: each degree that does not divide gets its own fault. */
#include <stdio.h>

#include "hwdb/resolve/resolve_parts.h"
#include "planner/replica/replica_layout.h"

enum { DEGREES_NAMED = 12 };

/* Writes the degrees, up to the most heads, that divide the heads: "1, 2, 4, 8". */
static void degrees_list(const struct model *model, char text[], size_t size)
{
	size_t length = 0;
	int named = 0;

	text[0] = '\0';
	for (int64_t degree = 1; degree <= 1024 && named < DEGREES_NAMED && length + 8 < size; degree++)
		if (layout_divides_heads(model, degree)) {
			length += (size_t)snprintf(text + length, size - length, "%s%lld", named++ ? ", " : "", (long long)degree);
		}
}

static void tensor_faults(const struct resolver *resolver, const struct model *model, int64_t tensor, const char *pointer)
{
	char degrees[120];

	if (tensor < 1 || layout_divides_heads(model, tensor))
		return;
	degrees_list(model, degrees, sizeof degrees);
	failure_add(resolver->failure, pointer, "impossible_layout",
		"the attention heads of %s are not divided evenly by tensor %lld; use one of %s", model->id ? model->id : "the model",
		(long long)tensor, degrees);
}

static void expert_faults(const struct resolver *resolver, const struct model *model, const struct serving_parallelism *pinned)
{
	int64_t group = (pinned->tensor > 0 ? pinned->tensor : 1) * (pinned->attention_data > 0 ? pinned->attention_data : 1);
	bool open = pinned->tensor < 1 || pinned->attention_data < 1, any = false;

	if (pinned->expert <= 1)
		return;
	for (int i = 0; i < model->kind_count; i++) {
		const struct layer_kind *layer = &model->kinds[i];

		if (layer->feed_forward != FEED_FORWARD_EXPERTS)
			continue;
		any = true;
		if (layer->experts % pinned->expert != 0)
			failure_add(resolver->failure, "/parallelism/expert", "impossible_layout", "%d experts are not divided evenly by expert %lld",
				layer->experts, (long long)pinned->expert);
	}
	if (!any)
		failure_add(resolver->failure, "/parallelism/expert", "impossible_layout", "the model has no experts: leave expert out, or give 1");
	else if (!open && group % pinned->expert != 0)
		failure_add(resolver->failure, "/parallelism/expert", "impossible_layout",
			"expert %lld does not divide tensor x attention_data = %lld", (long long)pinned->expert, (long long)group);
}

void resolve_layout(const struct resolver *resolver, const struct model *model, const struct candidate *candidates, size_t candidate_count,
	const struct serving_parallelism *pinned, int64_t gpu_count)
{
	bool pads = candidate_count > 0;

	int64_t others = (pinned->pipeline > 0 ? pinned->pipeline : 1) * (pinned->attention_data > 0 ? pinned->attention_data : 1);

	if (model->kind != MODEL_TRANSFORMER)
		return;
	if (pinned->pipeline > model->layer_count)
		failure_add(resolver->failure, "/parallelism/pipeline", "impossible_layout", "%d layers cannot be split into %lld stages",
			model->layer_count, (long long)pinned->pipeline);
	expert_faults(resolver, model, pinned);
	for (size_t i = 0; i < candidate_count; i++)
		pads &= layout_pads_heads(&candidates[i].accelerator);
	if (pads)
		return;
	if (pinned->tensor > 0)
		tensor_faults(resolver, model, pinned->tensor, "/parallelism/tensor");
	else if (gpu_count > 0 && gpu_count % others == 0)
		tensor_faults(resolver, model, gpu_count / others, "/gpu_count");
}
