#include "plausibility/checks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "planner/operators/collective.h"
#include "planner/step/layer_time.h"

/* Covers rounding of sums in another order, not physics. */
static const double rounding = 1e-9;

static bool violated(struct violation *violation, const struct draw *draw, const char *format, ...) PRINTF_LIKE(3, 4);
static bool violated(struct violation *violation, const struct draw *draw, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(violation->detail, sizeof violation->detail, format, arguments);
	va_end(arguments);
	violation->draw = *draw;
	return false;
}

/* --- utilisation ------------------------------------------------------------------------------------------- */

/* No training runs faster than the best product measured alone on the accelerator (docs/equations.md, E20:
 * stas00/ml-engineering, MAMF). */
static bool utilisation_holds(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct device *device = &setting->device;
	double most = fmin(1, fmax(device->linear_most_flops_per_s, device->wide_most_flops_per_s) / device->peak_flops_per_s);

	if (answer->mfu > most * (1 + rounding) || answer->hfu > most * (1 + rounding) || !(answer->mfu > 0) ||
		answer->hfu < answer->mfu * (1 - rounding))
		return violated(violation, draw, "mfu %.4f, hfu %.4f, best product %.4f", answer->mfu, answer->hfu, most);
	return true;
}

static bool parts_sum(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct step_time *t = &answer->found.step.time;
	const double parts[] = {t->compute_s, t->recompute_s, t->tensor_comm_s, t->context_comm_s, t->pipeline_comm_s, t->pipeline_bubble_s,
		t->data_comm_exposed_s, t->expert_comm_s, t->optimizer_s, t->input_wait_s, t->host_transfer_s, t->launch_overhead_s};
	double sum = 0;

	(void)setting;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (!(parts[i] >= 0) || !isfinite(parts[i]))
			return violated(violation, draw, "part %zu of the step is %g s: not finite or negative", i, parts[i]);
		sum += parts[i];
	}
	return fabs(sum - t->time_s) <= rounding * sum ||
		violated(violation, draw, "the parts sum to %.12g s, the step takes %.12g s", sum, t->time_s);
}

/* --- communication ------------------------------------------------------------------------------------------ */

/* The worst published share of each rate. Between machines: ZeRO-3 of 2021 received 16 GB/s a GPU on machines with
 * eight adapters of 25 GB/s (Narayanan et al. 2021, table 2). Links: NCCL over PCIe on eight L40S reaches 1.4 of 32
 * GB/s (ai-dynamo/aiconfigurator, all_reduce); over NVLink 0.64 of the rate. Latency: 22 us for a ring of L40S; for
 * networks the bounds of nic_latency_s in physics.h. */
static const double worst_network = 0.08, worst_link = 0.04, worst_link_latency_s = 8e-5, worst_network_latency_s = 2e-4;
/* On a torus a group may use only one of three axes. */
static const double torus_axes_most = 3;
/* The largest hidden part of a communication: compiled steps hide 0.8
 * (planner/operators/compiled.c), physics.h allows 1. */
static const double most_hidden = 0.8;

struct bounds {
	double least_s, most_s;
};

/* Rates of the data sheet, one direction. */
static double link_rate(const struct setting *setting)
{
	double link = accelerator_link_bytes_per_s(&setting->candidate->accelerator);

	return link > 0 ? link : setting->device.host_bytes_per_s;
}

static double nic_rate(const struct setting *setting)
{
	double nic = given_or(setting->candidate->internode_gbs, 0) * 1e9;

	return nic > 0 ? nic : 12.5e9 / (double)setting->device.node;
}

/* Returns PCIe's share of the link's rate: between domains of one machine PCIe is the only way. */
static double pcie_share(const struct setting *setting)
{
	return fmin(1, accelerator_pcie_bytes_per_s(&setting->candidate->accelerator) / link_rate(setting));
}

/* Returns the bounds of `calls` collectives of `bytes` each that every rank of a group sends and receives. All but a
 * part may be hidden. */
static struct bounds collective_bounds(const struct setting *setting, double ranks, double stride, double calls, double bytes)
{
	double domain = (double)setting->device.reach, local = fmin(ranks, fmax(1, floor(domain / stride))), domains = ranks / local;
	double fastest = domains > 1 ? fmin(link_rate(setting), local * nic_rate(setting)) : link_rate(setting);
	bool joined = fmin(local, fmax(1, floor((double)setting->device.domain / stride))) >= local;
	double slowest = fmin(worst_link * link_rate(setting) * (joined ? 1 : pcie_share(setting)) / torus_axes_most,
		domains > 1 ? worst_network * fmin(local, (double)setting->device.node) * nic_rate(setting) : INFINITY);
	double hops = setting->device.torus_dimensions > 0 ? 1e-6 * fmin(ranks, domain) : 0;

	if (ranks <= 1)
		return (struct bounds){0, 0};
	return (struct bounds){(1 - most_hidden) * calls * bytes / fastest,
		calls * (bytes / slowest + worst_link_latency_s + hops + worst_network_latency_s * domains)};
}

static bool within(const struct draw *draw, const char *what, double time_s, struct bounds bounds, struct violation *violation)
{
	if (time_s >= bounds.least_s * (1 - rounding) && time_s <= bounds.most_s * (1 + rounding))
		return true;
	return violated(violation, draw, "%s takes %.6g s, but bytes over bandwidth bound it to %.6g to %.6g s", what, time_s, bounds.least_s,
		bounds.most_s);
}

static struct bounds sum_of(struct bounds a, struct bounds b)
{
	return (struct bounds){a.least_s + b.least_s, a.most_s + b.most_s};
}

/* The least and the most layers that the busiest stage can have. */
struct stage_layers {
	double least, most;
};

static struct stage_layers layers_of_stage(const struct model *model, const struct degrees *degrees)
{
	double layers = (double)model->layer_count;

	return (struct stage_layers){degrees->interleave * floor(layers / (degrees->pipeline * degrees->interleave)),
		fmin(layers, degrees->interleave * ceil(layers / (degrees->pipeline * degrees->interleave)))};
}

static bool tensor_holds(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct parallelism *layout = &answer->found.layout;
	struct degrees degrees = degrees_of(setting, layout);
	struct stage_layers layers = layers_of_stage(setting->model, &degrees);
	double t = degrees.tensor, m = degrees.micro_batches,
		   bytes = 2 * (t - 1) / t * degrees.rows * setting->model->hidden * setting->device.wide_bytes;
	struct bounds once = collective_bounds(setting, t, 1, 1, bytes);

	/* one or two pairs of all-reduces, forward and backward, and one more pair if recomputed */
	return within(draw, "tensor_comm_s", answer->found.step.time.tensor_comm_s,
		(struct bounds){2 * m * layers.least * once.least_s, 6 * m * layers.most * once.most_s}, violation);
}

static bool context_holds(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	struct degrees degrees = degrees_of(setting, &answer->found.layout);
	struct stage_layers layers = layers_of_stage(setting->model, &degrees);
	double c = degrees.context, m = degrees.micro_batches, narrowest = INFINITY, widest = 0;
	struct bounds least, most;

	for (int k = 0; k < setting->model->kind_count; k++) {
		const struct layer_kind *kind = &setting->model->kinds[k];
		double width = 2.0 * (double)kind->head_dim * (double)(kind->mixer == MIXER_MLA ? kind->heads : kind->kv_heads) +
			(kind->mixer == MIXER_MLA ? (double)(kind->heads * kind->rope_head_dim) : 0);

		narrowest = fmin(narrowest, width);
		widest = fmax(widest, width);
	}
	least = collective_bounds(
		setting, c, degrees.tensor, 3, (c - 1) * degrees.rows * narrowest / degrees.tensor * setting->device.wide_bytes);
	most = collective_bounds(setting, c, degrees.tensor, 3, (c - 1) * degrees.rows * widest / degrees.tensor * setting->device.wide_bytes);
	return within(draw, "context_comm_s", answer->found.step.time.context_comm_s,
		(struct bounds){m * layers.least * least.least_s, m * layers.most * most.most_s}, violation);
}

static bool pipeline_holds(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	struct degrees degrees = degrees_of(setting, &answer->found.layout);
	double bytes = degrees.rows * setting->model->hidden * setting->device.wide_bytes / degrees.tensor;
	double calls = degrees.pipeline > 1 ? 2 * degrees.interleave * degrees.micro_batches : 0;
	double stride = degrees.tensor * degrees.context * degrees.data;
	bool inside = stride < (double)setting->device.reach;
	double rate = inside ? link_rate(setting) : nic_rate(setting),
		   worst = inside && stride >= (double)setting->device.domain ? worst_link * pcie_share(setting) / stride
		: inside                                                      ? worst_link / (2 * torus_axes_most)
																	  : worst_network;

	return within(draw, "pipeline_comm_s", answer->found.step.time.pipeline_comm_s,
		(struct bounds){(1 - most_hidden) * calls * bytes / rate, calls * (bytes / (worst * rate) + worst_network_latency_s)}, violation);
}

static bool expert_holds(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	struct degrees degrees = degrees_of(setting, &answer->found.layout);
	struct stage_layers layers = layers_of_stage(setting->model, &degrees);
	double e = degrees.expert, m = degrees.micro_batches, active = 0, copies = 1.15; /* the fullest rank may hold 1.15 times as much */
	struct bounds bounds;

	for (int k = 0; k < setting->model->kind_count; k++)
		active = fmax(active, setting->model->kinds[k].experts_active);
	bounds = collective_bounds(
		setting, e, 1, 6, copies * degrees.rows * active * setting->model->hidden * setting->device.wide_bytes / degrees.tensor);
	if (setting->device.reach < (int64_t)e) /* one adapter a rank; a torus: a quarter of its ring */
		bounds.most_s = bounds.most_s * fmin((double)setting->device.reach, (double)setting->device.node);
	else if (setting->device.torus_dimensions > 0)
		bounds.most_s *= e;
	return within(
		draw, "expert_comm_s", answer->found.step.time.expert_comm_s, (struct bounds){0, m * layers.most * bounds.most_s}, violation);
}

/* Returns the parameters of the fullest rank: at most `layers` layers of the largest kind, and both tables. */
static double params_of_rank(const struct setting *setting, const struct degrees *degrees, double layers)
{
	double most = 0;

	for (int k = 0; k < setting->model->kind_count; k++) {
		struct layer_params params = layer_params_of(setting->model, k, degrees);

		most = fmax(most, params.dense + params.expert);
	}
	return layers * most + 2 * (double)setting->model->vocabulary * setting->model->hidden / degrees->tensor;
}

static bool sharded_holds(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct parallelism *layout = &answer->found.layout;
	struct degrees degrees = degrees_of(setting, layout);
	struct stage_layers layers = layers_of_stage(setting->model, &degrees);
	double ranks = degrees.data * degrees.context, params = params_of_rank(setting, &degrees, layers.most), w = setting->device.wide_bytes;
	double often = sharding_scatters(layout, &degrees) ? degrees.micro_batches : 0,
		   calls = 1 + (setting->software.single_tensors ? 9 * layers.most : 0);
	/* once a step: gradients of 4 bytes both ways or scattered, and weights; per
	 * micro-batch: three gathers and a scatter */
	struct bounds once = collective_bounds(setting, ranks, degrees.tensor, 3, 4 * params),
				  each = collective_bounds(setting, ranks, degrees.tensor, 4, w * params), tied;
	struct bounds expert_once = collective_bounds(setting, degrees.expert_copies, fmax(1, degrees.expert), 3, 4 * params);
	struct bounds expert_each = collective_bounds(setting, degrees.expert_copies, fmax(1, degrees.expert), 4, w * params);
	double most_ranks = fmax(ranks, degrees.expert_copies);
	double least_s = 0,
		   latency_s = worst_link_latency_s * 2 + worst_network_latency_s * most_ranks +
		(setting->device.torus_dimensions > 0 ? 1e-6 * most_ranks : 0);

	tied = collective_bounds(setting, degrees.pipeline > 1 ? 2 : 1, ranks * degrees.tensor, 2,
		4 * (double)setting->model->vocabulary * setting->model->hidden / degrees.tensor);
	once = sum_of(sum_of(once, expert_once), tied);
	each = sum_of(each, expert_each);
	/* ZeRO-3's three exchanges of each micro-batch use at best the fastest wire,
	 * and at most the computing hides them */
	if (layout->zero_stage >= 3 && !setting->frozen && setting->model->kind_count == 1 &&
		!(setting->software.blocks && degrees.pipeline > 1)) {
		struct layer_params layer = layer_params_of(setting->model, 0, &degrees);

		least_s = degrees.micro_batches * layers.least *
				collective_bounds(
					setting, degrees.zero_group, degrees.tensor, 3, (degrees.zero_group - 1) / degrees.zero_group * w * layer.dense)
					.least_s /
				(1 - most_hidden) -
			answer->found.step.time.compute_s - answer->found.step.time.recompute_s;
	}
	return within(draw, "data_comm_exposed_s", answer->found.step.time.data_comm_exposed_s,
		(struct bounds){
			fmax(0, least_s), once.most_s + often * each.most_s + (most_ranks > 1 ? 4 * latency_s * (calls + often * 2 * layers.most) : 0)},
		violation);
}

/* Lower bound: the update's bytes over the data sheet's bandwidth. Upper bound:
 * the update at an eighth of that bandwidth, and BLOOM's host cost of ZeRO-1, at
 * most 6 ns for each parameter that a rank holds between steps (physics.h). */
static const double update_bytes = 34, worst_held_s = 6e-9, worst_bandwidth = 0.125;

static bool update_holds(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct parallelism *layout = &answer->found.layout;
	struct degrees degrees = degrees_of(setting, layout);
	struct stage_layers layers = layers_of_stage(setting->model, &degrees);
	double params = params_of_rank(setting, &degrees, layers.most), shards = fmin(degrees.zero_group, fmax(1, degrees.expert_copies));
	double bandwidth = accelerator_bandwidth_bytes_per_s(&setting->candidate->accelerator);
	double updated = layout->zero_stage >= 1 ? params / shards : params, held = layout->zero_stage >= 3 ? params / shards : params;
	struct bounds bounds = {0, update_bytes * updated / (worst_bandwidth * bandwidth) + worst_held_s * held};

	if (layout->offload != TRUTH_TRUE && layout->zero_stage == 0 && degrees.pipeline <= 1 && setting->model->kind_count == 1 &&
		!setting->frozen)
		bounds.least_s = update_bytes * (setting->model->params_total - 2 * (double)setting->model->vocabulary * setting->model->hidden) /
			degrees.tensor / degrees.expert / bandwidth;
	return within(
		draw, "optimizer_s", answer->found.step.time.optimizer_s, (struct bounds){fmax(0, bounds.least_s), bounds.most_s}, violation);
}

/* --- monotone ------------------------------------------------------------------------------------------------ */

static bool never_slower(
	const struct draw *draw, const struct answer *answer, const struct variant *variant, const char *what, struct violation *violation)
{
	struct draw more = *draw;
	struct setting setting;
	struct answer with;

	more.variant = *variant;
	answer_draw(&more, NULL, &with, &setting);
	if (!with.any)
		return violated(violation, &more, "with more %s it is refused: %s", what, with.refusal);
	return with.time_s <= answer->time_s * (1 + rounding) ||
		violated(violation, &more, "%.9g s with more %s, %.9g s without", with.time_s, what, answer->time_s);
}

static double growth(const struct draw *draw)
{
	return 1 + (double)(draw->number % 7 + 1) / 4;
}

static bool more_flops(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct variant more = {.flops = growth(draw), .memory = 1, .bandwidth = 1, .link = 1, .nic = 1, .power = 1};

	(void)setting;
	return never_slower(draw, answer, &more, "FLOP/s", violation);
}

static bool more_memory(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct variant more = {.flops = 1, .memory = growth(draw), .bandwidth = 1, .link = 1, .nic = 1, .power = 1};

	(void)setting;
	return never_slower(draw, answer, &more, "memory", violation);
}

static bool more_bandwidth(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct variant more = {.flops = 1, .memory = 1, .bandwidth = growth(draw), .link = 1, .nic = 1, .power = 1};

	(void)setting;
	return never_slower(draw, answer, &more, "memory bandwidth", violation);
}

static bool more_link(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct variant more = {.flops = 1, .memory = 1, .bandwidth = 1, .link = growth(draw), .nic = growth(draw), .power = 1};

	(void)setting;
	return never_slower(draw, answer, &more, "link and network", violation);
}

static bool more_power(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct variant more = {.flops = 1, .memory = 1, .bandwidth = 1, .link = 1, .nic = 1, .power = growth(draw)};

	(void)setting;
	return never_slower(draw, answer, &more, "power", violation);
}

/* --- twice as many ------------------------------------------------------------------------------------------- */

/* Returns the fewest ranks that exchange gradients; 0 if some do not exchange yet, or are inside one domain. */
static double exchanging_ranks(const struct answer *answer, const struct setting *setting)
{
	const struct parallelism *layout = &answer->found.layout;
	double ranks = (double)(layout->data * layout->context),
		   copies = layout_experts(setting->model) > 0 ? degrees_of(setting, layout).expert_copies : ranks;

	return (double)layout->tensor * ranks > (double)setting->device.reach && copies > 1 ? fmin(ranks, copies) : 0;
}

/* Twice the accelerators with twice the batch, where ranks beyond one link domain already exchange gradients: each
 * rank computes as much, and no byte passes a slower link than before. A ring of 2d ranks has 2d - 1 steps instead of
 * d - 1. A first exchange, or the first over a network, may cost more than the accelerators gain. */
static bool twice_as_many(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	double ranks = exchanging_ranks(answer, setting), longer = (2 * ranks - 1) / (ranks - 1);
	struct draw twice = *draw;
	struct setting again;
	struct answer with;

	if (draw->pinned || draw->gpu_count > 50000 || ranks < 2)
		return true;
	twice.gpu_count *= 2;
	twice.batch *= 2;
	answer_draw(&twice, NULL, &with, &again);
	if (!with.any)
		return violated(violation, &twice, "twice as many accelerators are refused: %s", with.refusal);
	return with.time_s <= longer * answer->time_s * (1 + rounding) ||
		violated(violation, &twice, "%.9g s with twice as many and twice the batch, %.9g s before", with.time_s, answer->time_s);
}

/* The same batch on twice the accelerators, without latency, while every data rank still has samples. Computing
 * halves. Each of d ranks exchanges at most (2d - 1)/(2d - 2) of its bytes. */
static bool twice_for_one_batch(
	const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	struct physics prompt = physics_fitted;
	struct draw twice = *draw;
	struct setting again;
	struct answer once, with;
	double n = (double)draw->gpu_count, ranks;

	(void)answer;
	if (draw->pinned || draw->gpu_count > 50000 || draw->gpu_count < 2 * setting->device.reach || draw->batch < 2 * n ||
		setting->device.torus_dimensions > 0)
		return true;
	prompt.link_latency_s = prompt.nic_latency_s = 0;
	answer_draw(draw, &prompt, &once, &again);
	twice.gpu_count *= 2;
	answer_draw(&twice, &prompt, &with, &again);
	ranks = once.any ? exchanging_ranks(&once, setting) : 0;
	if (ranks < 2)
		return true;
	if (!with.any)
		return violated(violation, &twice, "twice as many accelerators are refused: %s", with.refusal);
	return with.time_s <= once.time_s * (2 * ranks - 1) / (2 * ranks - 2) ||
		violated(violation, &twice, "without latency %.9g s with twice as many, %.9g s before", with.time_s, once.time_s);
}

/* --- the search ---------------------------------------------------------------------------------------------- */

/* True if the search offers this interleave: above two chunks a stage, layers,
 * or layers and ends, must fill the chunks evenly. */
static bool interleaves_evenly(const struct model *model, const struct parallelism *layout)
{
	int64_t chunks = layout->pipeline * layout->interleave, layers = layout_layers(model);

	return layout->interleave <= 2 || layers % chunks == 0 || (layers + 2) % chunks == 0;
}

/* A layout that the search may choose is not faster when it is pinned than the chosen one. The search's layouts fill
 * memory to LAYOUT_COMFORTABLE_FILL. */
static bool pinned_is_no_faster(
	const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	struct draw pinned = *draw;
	struct parallelism *layout = &pinned.layout;
	struct setting again;
	struct answer with;
	uint64_t dice = draw->number * 0x9e3779b97f4a7c15u >> 7;

	if (draw->pinned || !answer->fits)
		return true;
	*layout = answer->found.layout;
	pinned.pinned = true;
	for (int changed = 0; changed < 4; changed++, dice /= 3) {
		switch ((dice + (uint64_t)changed) % 8) {
		case 0:
			layout->recompute = RECOMPUTE_NONE;
			layout->kept_layers = 0;
			break;
		case 1:
			layout->micro_batch = layout->micro_batch > 1 ? layout->micro_batch / 2 : 2;
			break;
		case 2:
			if (layout->tensor > 1 && (layout->tensor & (layout->tensor - 1)) == 0) {
				layout->tensor /= 2;
				layout->data *= 2;
			}
			break;
		case 3:
			if (layout->pipeline % 2 == 0) {
				layout->pipeline /= 2;
				layout->data *= 2;
			}
			break;
		case 4:
			if (layout->data % 2 == 0 && setting->model->layer_count >= 2 * layout->pipeline) {
				layout->data /= 2;
				layout->pipeline *= 2;
			}
			break;
		case 5:
			layout->zero_stage = layout->pipeline > 1 ? 1 : setting->software.zero_most;
			break;
		case 6:
			layout->interleave = 1;
			break;
		default:
			break;
		}
		layout->zero_group = layout->data * layout->context;
		if (layout->tensor == 1)
			layout->sequence_parallel = TRUTH_FALSE;
		if (layout->pipeline == 1 || !interleaves_evenly(setting->model, layout))
			layout->interleave = 1;
		if (setting->software.blocks && layout->zero_stage < 3)
			layout->zero_stage = 3;
		if (layout->pipeline > 1 && layout->zero_stage > setting->software.zero_most_piped)
			layout->zero_stage = setting->software.zero_most_piped;
		answer_draw(&pinned, NULL, &with, &again);
		if (with.any && with.fits && (double)layout->data * (double)layout->micro_batch <= draw->batch &&
			with.found.memory.total_bytes <= LAYOUT_COMFORTABLE_FILL * with.found.memory.capacity_bytes &&
			with.time_s < answer->time_s * (1 - rounding))
			return violated(violation, &pinned, "%.9g s with a pinned layout, %.9g s by the search", with.time_s, answer->time_s);
	}
	return true;
}

/* --- continuity ---------------------------------------------------------------------------------------------- */

static const double nudge = 1e-9, jump = 1e-6;
enum { NUDGED = 6 };
static const char *const nudged[NUDGED] = {"FLOP/s", "memory", "bandwidth", "link", "network", "power"};

/* Returns the draw with one figure of its accelerator or network changed a little: i down, i + NUDGED up. */
static struct draw beside(const struct draw *draw, int i)
{
	struct draw near = *draw;
	double *factors[NUDGED] = {
		&near.variant.flops, &near.variant.memory, &near.variant.bandwidth, &near.variant.link, &near.variant.nic, &near.variant.power};

	*factors[i % NUDGED] *= i < NUDGED ? 1 - nudge : 1 + nudge;
	return near;
}

static bool step_is_continuous(
	const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	struct setting again;
	struct answer with;

	(void)setting;
	for (int i = 0; draw->pinned && i < 2 * NUDGED; i++) {
		struct draw near = beside(draw, i);

		answer_draw(&near, NULL, &with, &again);
		if (!with.any || fabs(with.time_s / answer->time_s - 1) > jump)
			return violated(violation, &near, "%.9g s with a slightly different %s, %.9g s as requested",
				with.any ? with.time_s : ABSENT_NUMBER, nudged[i % NUDGED], answer->time_s);
	}
	return true;
}

/* The same for a replica of the model. Memory is left out: it decides how many
 * requests fit, a whole number that may jump. */
static bool serving_is_continuous(
	const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	double ttft_ms, tpot_ms, near_ttft_ms, near_tpot_ms;

	(void)answer;
	(void)setting;
	if (draw->number % 16 || !answer_serving(draw, &ttft_ms, &tpot_ms))
		return true;
	for (int i = 0; i < 2 * NUDGED; i++) {
		struct draw near = beside(draw, i);

		if (i % NUDGED == 1)
			continue;
		if (!answer_serving(&near, &near_ttft_ms, &near_tpot_ms) || fabs(near_ttft_ms / ttft_ms - 1) > jump ||
			fabs(near_tpot_ms / tpot_ms - 1) > jump)
			return violated(violation, &near, "serving: %.9g ms and %.9g ms with a slightly different %s, %.9g and %.9g as requested",
				near_ttft_ms, near_tpot_ms, nudged[i % NUDGED], ttft_ms, tpot_ms);
	}
	return true;
}

static bool is_ordered(const struct interval *range)
{
	return range->p10 > 0 && range->p10 <= range->p50 && range->p50 <= range->p90 && isfinite(range->p90);
}

/* Checks the ranges, the whole run's too: at its p10 the accelerators compute at most as fast as the best measured
 * product, recomputation included. */
static bool ranges_hold(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation)
{
	const struct candidate_plan_range *range = &answer->range;
	double most = fmax(setting->device.linear_most_flops_per_s, setting->device.wide_most_flops_per_s) / setting->device.peak_flops_per_s;
	double step_hfu = answer->hfu * range->step_time_s.p50 / range->step_time_s.p10;
	double run_hfu = answer->run_mfu * answer->hfu / answer->mfu * range->gpu_hours.p50 / range->gpu_hours.p10;

	if (!is_ordered(&range->step_time_s) || !is_ordered(&range->wall_clock_hours) || !is_ordered(&range->gpu_hours) ||
		!is_ordered(&range->total_kwh) || !is_ordered(&range->total_kgco2e))
		return violated(
			violation, draw, "a range is not ordered: hours %g, %g, %g", range->gpu_hours.p10, range->gpu_hours.p50, range->gpu_hours.p90);
	if (range->step_time_s.p90 > 100 * range->step_time_s.p10)
		return violated(violation, draw, "p90 of the step is %.3g times its p10", range->step_time_s.p90 / range->step_time_s.p10);
	if (answer->hfu <= most && step_hfu > most * (1 + 1e-9))
		return violated(violation, draw, "p10 of the step computes at %.3f of the peak, the best product at %.3f", step_hfu, most);
	if (answer->run_mfu * answer->hfu / answer->mfu <= most && run_hfu > most * (1 + 1e-9))
		return violated(violation, draw, "p10 of the hours computes at %.3f of the peak, the best product at %.3f", run_hfu, most);
	return true;
}

const struct check checks[] = {
	{"parts", "every part of a step is finite, none is negative, and they sum to the step", parts_sum},
	{"utilisation", "mfu and hfu are at most those of the best measured product", utilisation_holds},
	{"ranges", "no p10 is faster than the best measured product", ranges_hold},
	{"tensor", "tensor ranks exchange no faster than the links and no slower than the worst published", tensor_holds},
	{"context", "the same for context ranks", context_holds},
	{"pipeline", "the same for stages", pipeline_holds},
	{"expert", "the same for experts", expert_holds},
	{"sharded", "the same for gradients, weights and shards", sharded_holds},
	{"update", "an update takes at most the time for the parameters that a rank holds between steps", update_holds},
	{"flops", "more FLOP/s are never slower", more_flops},
	{"memory", "more memory is never slower", more_memory},
	{"bandwidth", "more memory bandwidth is never slower", more_bandwidth},
	{"links", "faster links and networks are never slower", more_link},
	{"power", "more power is never slower", more_power},
	{"twice", "twice the accelerators with twice the batch train at least as many tokens a second, except for the steps of rings",
		twice_as_many},
	{"twice-batch", "twice the accelerators are not slower for the same batch, without latency", twice_for_one_batch},
	{"search", "a pinned layout is never faster than the search's", pinned_is_no_faster},
	{"continuity", "a step does not jump between nearly equal inputs", step_is_continuous},
	{"serving", "a replica's latencies do not jump between nearly equal inputs", serving_is_continuous},
};
const size_t check_count = COUNT_OF(checks);
