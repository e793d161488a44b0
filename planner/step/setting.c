#include "planner/step/setting.h"

double adapter_width(const struct model *model, const struct layer_kind *kind)
{
	double hidden = model->hidden, value_dim = kind->value_head_dim > 0 ? kind->value_head_dim : kind->head_dim;
	double queries = (double)kind->heads * kind->head_dim, keys = (double)kind->kv_heads * kind->head_dim;
	double width = 0;

	if (kind->mixer != MIXER_NONE)
		width += (hidden + queries) + 2 * (hidden + keys) + (kind->heads * value_dim + hidden);
	if (kind->feed_forward == FEED_FORWARD_DENSE)
		width += (kind->gated ? 3 : 2) * (hidden + kind->width);
	else if (kind->feed_forward == FEED_FORWARD_EXPERTS && kind->shared_width > 0)
		width += (kind->gated ? 3 : 2) * (hidden + kind->shared_width);
	return width;
}

static double adapter_params(const struct model *model, int64_t rank)
{
	double params = 0;

	for (int k = 0; k < model->kind_count; k++)
		params += (double)rank * model_kind_layers(model, k) * adapter_width(model, &model->kinds[k]);
	return params > 0 ? params : 0.01 * model->params_total; /* a generic model: one hundredth, as for rank 16 in a width of 3,200 */
}

static bool frozen(const struct training_request *request)
{
	return request->fine_tuning.method == FINE_TUNING_LORA || request->fine_tuning.method == FINE_TUNING_QLORA;
}

static void setting_fine_tuning(struct setting *setting)
{
	const struct training_request *request = &setting->input->request;

	setting->trained_params = setting->model->params_total;
	setting->frozen = frozen(request);
	setting->quantized = request->fine_tuning.method == FINE_TUNING_QLORA;
	if (!setting->frozen)
		return;
	setting->adapter_params = adapter_params(setting->model, request->fine_tuning.rank >= 1 ? request->fine_tuning.rank : 16);
	setting->trained_params = setting->adapter_params;
}

double training_flops_per_token(const struct training_input *input, double sequence)
{
	double all = model_training_flops_per_token(&input->model, sequence);

	if (!frozen(&input->request))
		return all;
	return all - (model_forward_flops_per_token(&input->model, sequence) - model_attention_flops_per_token(&input->model, sequence));
}

bool setting_of_candidate(const struct training_input *input, const struct candidate *candidate, const struct physics *physics,
	const struct model *teacher, double sequence, struct setting *setting)
{
	const struct training_request *request = &input->request;
	enum precision precision = request->common.precision;

	if (precision == PRECISION_UNSET)
		precision = accelerator_training_precision(&candidate->accelerator);
	*setting = (struct setting){.input = input,
		.model = &input->model,
		.teacher = teacher,
		.candidate = candidate,
		.physics = physics,
		.precision = precision,
		.sequence = sequence};
	if (device_is_compiled(&candidate->accelerator)) {
		setting->compiled = physics_compiled(physics);
		setting->physics = physics = &setting->compiled;
	}
	setting->software = software_of(
		request->stack, request->stack_release, precision, device_architecture_year(&candidate->accelerator), physics);
	if (request->fine_tuning.method != FINE_TUNING_UNSET || (input->model.kind_count > 0 && input->model.kinds[0].bidirectional))
		software_of_published_model(request->stack, &setting->software);
	software_on(request->stack, &candidate->accelerator, &setting->software);
	setting->software.drops_unread = setting->software.offloads_inputs = setting->software.places = physics == &setting->compiled;
	if (!device_of_candidate(candidate, precision, physics, setting->software.speed, &setting->device))
		return false;
	if (setting->device.operand_bytes < setting->device.wide_bytes)
		setting->device.linear_flops_per_s *= setting->software.narrow_speed;
	setting->flops_per_token = training_flops_per_token(input, sequence);
	setting->forward_flops_per_token = model_forward_flops_per_token(&input->model, sequence);
	setting->attention_flops_per_token = model_attention_flops_per_token(&input->model, sequence);
	if (teacher)
		setting->teacher_forward_flops_per_token = model_forward_flops_per_token(teacher, sequence);
	setting_fine_tuning(setting);
	setting->frozen_narrow = setting->frozen && !setting->quantized && request->stack == STACK_MEGATRON_CORE &&
		setting->device.operand_bytes < setting->device.wide_bytes;
	return accelerator_capacity_bytes(&candidate->accelerator) > 0;
}

struct degrees degrees_of(const struct setting *setting, const struct parallelism *layout)
{
	struct degrees degrees = {
		.tensor = (double)layout->tensor,
		.pipeline = (double)layout->pipeline,
		.data = (double)layout->data,
		.context = (double)layout->context,
		.expert = (double)layout->expert,
		.interleave = (double)layout->interleave,
		.micro_batch = (double)layout->micro_batch,
		.zero_group = (double)layout->zero_group,
	};

	degrees.batch = setting->batch;
	degrees.micro_batches = fmax(1, ceil(setting->batch / (degrees.data * degrees.micro_batch) - 1e-9));
	if (setting->batch_free) {
		degrees.micro_batches = fmax(1, rint(setting->batch / (degrees.data * degrees.micro_batch)));
		degrees.batch = degrees.micro_batches * degrees.data * degrees.micro_batch;
	}
	degrees.rows = degrees.micro_batch * setting->sequence / degrees.context;
	degrees.expert_tensor = layout->expert > 1 ? 1 : degrees.tensor;
	degrees.expert_copies = layout->expert > 1 ? fmax(1, degrees.tensor * degrees.context * degrees.data / degrees.expert)
											   : degrees.context * degrees.data;
	return degrees;
}

struct layer_params layer_params_of(const struct model *model, int kind, const struct degrees *degrees)
{
	const struct layer_kind *layer = &model->kinds[kind];
	double experts = 0, all = layer->mixer_params + layer->feed_forward_params + layer->other_params + layer->extra_params;

	if (layer->feed_forward == FEED_FORWARD_EXPERTS)
		experts = (double)layer->experts * model->hidden * layer->expert_width * (layer->gated ? 3 : 2);
	experts = fmin(experts, all);
	return (struct layer_params){.dense = (all - experts) / degrees->tensor, .expert = experts / (degrees->expert * degrees->expert_tensor)};
}
