#include "planner/step/sharding.h"

#include "planner/operators/collective.h"

/* Matrices and norms of a layer. Software that does not pack them sends each on its own. */
static const double layer_tensors = 9;

bool sharding_scatters(const struct parallelism *layout, const struct degrees *degrees)
{
	return degrees->zero_group > 1 && (layout->zero_stage >= 3 || (layout->zero_stage == 2 && degrees->micro_batches > 1));
}

/* Returns the time of one gather of `bytes` among the shards of a group, in s. Where software sends each parameter on
 * its own (`alone`), ranks of a machine do not share their adapters: each receives all that it lacks through its own. */
static double shards_gather_s(const struct setting *setting, struct group group, double bytes, bool alone)
{
	double time_s = collective_all_gather_s(&setting->device, setting->physics, group, bytes);

	return alone && group.machine < group.ranks ? fmax(time_s, (group.ranks - 1) / group.ranks * bytes / setting->device.nic_bytes_per_s)
												: time_s;
}

/* Returns gather and scatter of one layer's parameters inside its shard group; for the same bytes both take as long. */
static struct shards shards_of(
	const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, const struct layer_params *params)
{
	bool alone = layout->zero_stage >= 3 && setting->software.submodules;
	struct group dense = collective_outer_group(&setting->device, degrees->zero_group, degrees->tensor);
	struct group expert = collective_outer_group(
		&setting->device, fmin(degrees->zero_group, degrees->expert_copies), fmax(1, degrees->expert));
	double bytes[] = {layout->zero_stage < 3 ? 0
			: setting->quantized             ? precision_weight_bytes(PRECISION_INT4)
											 : setting->device.wide_bytes,
		setting->frozen ? 0 : setting->device.wide_bytes},
		   time_s[2] = {0}, linked_s = 0, overlap = setting->physics->overlap;

	if (!sharding_scatters(layout, degrees))
		return (struct shards){0};
	for (int i = 0; i < 2; i++) {
		if (!(bytes[i] > 0))
			continue;
		if (i > 0 && bytes[0] == bytes[1]) {
			time_s[1] = time_s[0];
			break;
		}
		time_s[i] = shards_gather_s(setting, dense, bytes[i] * params->dense, alone);
		linked_s = collective_linked_s(&setting->device, setting->physics, dense, time_s[i]);
		if (params->expert > 0) {
			double expert_s = shards_gather_s(setting, expert, bytes[i] * params->expert, alone);

			time_s[i] += expert_s;
			linked_s += collective_linked_s(&setting->device, setting->physics, expert, expert_s);
		}
		if (setting->software.blocks && time_s[i] > 0)
			overlap = 1 - (1 - setting->physics->overlap) * linked_s / time_s[i]; /* E160, of the last one timed */
	}
	return (struct shards){.gather_s = time_s[0], .scatter_s = time_s[1], .overlap = overlap};
}

static double gradients_s(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, double params,
	double ranks, double inner, double shards)
{
	const struct device *device = &setting->device;
	const struct physics *physics = setting->physics;
	int64_t stage = layout->zero_stage;
	double bytes = setting->software.gradient_bytes * params, back = device->wide_bytes * params, between_s;
	struct group all = collective_outer_group(device, ranks, inner);

	if (stage == 0)
		return collective_all_reduce_s(device, physics, all, bytes);
	between_s = stage == 1 || !sharding_scatters(layout, degrees)
		? collective_all_gather_s(device, physics, all, bytes)
		: collective_all_reduce_s(device, physics, collective_group(device, fmax(1, ranks / shards), inner * shards), bytes / shards);
	return between_s + (stage <= 2 ? collective_all_gather_s(device, physics, collective_outer_group(device, shards, inner), back) : 0);
}

void sharding_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, struct sharding *sharding)
{
	const struct model *model = setting->model;
	bool generic = model->kind == MODEL_GENERIC;
	double ranks = degrees->data * degrees->context, inner = fmax(1, degrees->expert), tables, none_s;
	double most = fmax(1, model->params_total); /* the second point of an affine function; the first, at 0 bytes, is the latency of E27 */
	double shards = fmin(degrees->zero_group, degrees->expert_copies);

	sharding->scatters = sharding_scatters(layout, degrees);
	sharding->once = setting->software.blocks && layout->pipeline > 1;
	sharding->group = layout->zero_stage >= 1 ? degrees->zero_group : 1;
	sharding->copies = layout->zero_stage >= 1 ? shards : 1;
	sharding->table_params = (double)model->vocabulary * model->hidden / degrees->tensor;
	for (int k = 0; k < (generic ? 1 : model->kind_count); k++) {
		sharding->params[k] = generic ? (struct layer_params){.dense = model->params_active / (degrees->tensor * degrees->pipeline)}
									  : layer_params_of(model, k, degrees);
		sharding->layers[k] = shards_of(setting, layout, degrees, &sharding->params[k]);
	}
	tables = degrees->pipeline > 1 || model->tied_embeddings ? 1 : 2;
	sharding->table = shards_of(setting, layout, degrees, &(struct layer_params){.dense = sharding->table_params});
	sharding->tables = tables > 1 ? shards_of(setting, layout, degrees, &(struct layer_params){.dense = tables * sharding->table_params})
								  : sharding->table;
	none_s = gradients_s(setting, layout, degrees, 0, ranks, degrees->tensor, degrees->zero_group);
	sharding->dense.fixed_s = none_s;
	sharding->dense.param_s = (gradients_s(setting, layout, degrees, most, ranks, degrees->tensor, degrees->zero_group) - none_s) / most;
	none_s = gradients_s(setting, layout, degrees, 0, degrees->expert_copies, inner, shards);
	sharding->expert.fixed_s = none_s;
	sharding->expert.param_s = (gradients_s(setting, layout, degrees, most, degrees->expert_copies, inner, shards) - none_s) / most;
	sharding->layer_fixed_s = setting->software.single_tensors && layout->zero_stage == 1 ? 2 * layer_tensors *
			collective_ring_latency_s(
				&setting->device, setting->physics, collective_group(&setting->device, degrees->zero_group, degrees->tensor))
																						  : 0;
}

/* ZeRO-3 prefetches the next layer's weights since its first releases, whatever the software does with ZeRO-1's
 * gradients. DeepSpeed releases submodules behind each pass, so that full recomputation gathers them again. */
void sharding_expose(const struct setting *setting, const struct parallelism *layout, const struct shards *sent, struct layer_time *time)
{
	double overlap = setting->software.hides_data || layout->zero_stage >= 3 ? sent->overlap : 0;
	double forward_s = time->forward_s - time->ring_forward_s, forward_left_s = forward_s - (time->hidden_s - time->hidden_backward_s);
	double backward_s = layer_hiding_backward_s(time), backward_left_s = layer_left_backward_s(time, overlap), behind_s, exposed_s;
	bool again = setting->software.submodules && layout->recompute == RECOMPUTE_FULL && time->recompute_s > 0;

	behind_s = sent->gather_s + (again ? sent->gather_s : 0) + sent->scatter_s;
	exposed_s = layer_exposed_s(behind_s, backward_s, backward_left_s, overlap);
	time->gather_s = layer_exposed_s(sent->gather_s, forward_s, forward_left_s, overlap) + exposed_s;
	time->hidden_backward_s += behind_s - exposed_s;
}

double sharding_step_s(const struct sharding *sharding, const struct layer_params *params, double layers)
{
	double time_s = layers * sharding->layer_fixed_s;

	if (params->dense > 0)
		time_s += sharding->dense.fixed_s + sharding->dense.param_s * params->dense;
	if (params->expert > 0)
		time_s += sharding->expert.fixed_s + sharding->expert.param_s * params->expert;
	return time_s;
}
