#include "planner/replica/replica_layout.h"

#include "base/units.h"
#include "planner/footprint/supply.h"

enum { STAGES_MAX = 64, NODE_DEFAULT = 8 };

struct replica_layout layout_base(const struct request_common *common, enum precision kv_precision, enum engine engine, const char *release,
	const struct serving_parallelism *pinned, const struct candidate *candidate)
{
	const struct accelerator *accelerator = &candidate->accelerator;
	struct replica_layout layout = {.tensor = 1, .pipeline = 1, .expert = 1, .attention_data = 1};

	layout.engine = engine == ENGINE_UNSET ? ENGINE_GENERIC : engine;
	layout.precision = common->precision == PRECISION_UNSET ? accelerator_training_precision(accelerator) : common->precision;
	layout.kv_precision = kv_precision == PRECISION_UNSET ? engine_kv_precision(layout.engine, layout.precision, accelerator) : kv_precision;
	layout.release_years = engine_release_years(release);
	layout.max_batch = pinned->max_batch > 0 ? (double)pinned->max_batch : ABSENT_NUMBER;
	layout.gpus_per_node = candidate->slice ? 1 : candidate->gpus_per_node;
	layout.internode_bytes_per_s = given_or(candidate->internode_gbs, 0) * BYTES_PER_GB;
	layout.chunk_tokens = pinned->chunk_tokens > 0 ? (double)pinned->chunk_tokens : ABSENT_NUMBER;
	return layout;
}

int64_t layout_domain(const struct candidate *candidate)
{
	int64_t node = candidate->gpus_per_node > 0 ? candidate->gpus_per_node : NODE_DEFAULT;
	int64_t domain = candidate->accelerator.max_nvlink_domain;

	if (candidate->slice)
		return 1;
	/* Accelerators of a node without a link reach each other over PCIe. */
	return domain > node ? (domain < 64 ? domain : 64) : node;
}

/* GB/s for each accelerator: 50 Gb/s. */
static const double fabric_gbs = 6.25;

enum layout_span layout_span_of(const struct candidate *candidate, const struct replica_layout *layout)
{
	int64_t gpus = (int64_t)layout->tensor * layout->attention_data * layout->pipeline,
			node = candidate->gpus_per_node > 0 ? candidate->gpus_per_node : NODE_DEFAULT;
	int64_t domain = candidate->accelerator.max_nvlink_domain;

	if (gpus <= (domain > node ? domain : node))
		return SPAN_MACHINE;
	return given_or(candidate->internode_gbs, 0) >= fabric_gbs ? SPAN_FABRIC : SPAN_NETWORK;
}

void layout_remark(const struct candidate *candidate, const struct replica_layout *layout, struct findings *findings)
{
	int64_t width = (int64_t)layout->tensor * layout->attention_data, domain = layout_domain(candidate);

	if (width > domain)
		findings_warn(findings,
			"tensor x attention_data = %lld spans machines of %lld accelerators, so its collectives run at the network's rate "
			"(internode_gbs). parallelism.pipeline spans machines with less traffic",
			(long long)width, (long long)domain);
	if (layout_span_of(candidate, layout) == SPAN_NETWORK)
		findings_warn(findings,
			"one replica of %lld x %s spans machines of %lld accelerators over a network of %.3g GB/s for each accelerator (internode_gbs). This is a last resort: "
			"no allowed layout fits the model into one machine. Allow larger machines, accelerators with more memory or narrower weights",
			(long long)width * layout->pipeline, candidate->accelerator.id, (long long)domain, given_or(candidate->internode_gbs, 0));
}

void layout_precision_remark(const struct candidate *candidate, const struct replica_layout *layout, struct findings *findings)
{
	enum precision used = PRECISION_UNSET;

	accelerator_peak_flops_per_s(&candidate->accelerator, layout->precision, &used);
	if (used == PRECISION_UNSET || used == layout->precision || precision_weight_bytes(layout->precision) >= 2 ||
		precision_weight_bytes(used) <= precision_weight_bytes(layout->precision))
		return;
	findings_assume_text(findings, "precision.computed", precision_name(used),
		"E50: the accelerator has no arithmetic in the weights' format, or it is slower than 16-bit arithmetic: the weights stay packed in memory and kernels widen them (Marlin: Frantar et al. 2024, arXiv 2408.11743)");
}

static bool has_experts(const struct model *model)
{
	for (int i = 0; i < model->kind_count; i++)
		if (model->kinds[i].feed_forward == FEED_FORWARD_EXPERTS)
			return true;
	return false;
}

bool layout_divides_heads(const struct model *model, int64_t tensor)
{
	for (int i = 0; i < model->kind_count && !model->shape_is_guessed; i++) {
		const struct layer_kind *layer = &model->kinds[i];
		bool grouped = layer->mixer == MIXER_ATTENTION && layer->kv_heads > 0;

		if ((layer->mixer == MIXER_ATTENTION || layer->mixer == MIXER_MLA) && layer->heads % tensor != 0)
			return false;
		if (grouped && layer->kv_heads % tensor != 0 && tensor % layer->kv_heads != 0)
			return false;
	}
	return true;
}

bool layout_pads_heads(const struct accelerator *accelerator)
{
	return accelerator_is_neuron(accelerator);
}

/* Returns the pinned degree; without a pin the wanted one. */
static int degree(int64_t pinned, int64_t wanted)
{
	return (int)(pinned > 0 ? pinned : wanted);
}

static bool same_degrees(const struct replica_layout *a, const struct replica_layout *b)
{
	return a->tensor == b->tensor && a->pipeline == b->pipeline && a->expert == b->expert && a->attention_data == b->attention_data;
}

static void list_add(struct layout_list *list, const struct candidate *candidate, const struct replica_layout *base,
	const struct serving_parallelism *pinned, int64_t tensor, int64_t pipeline, int64_t expert, int64_t attention_data)
{
	struct replica_layout layout = *base;
	int64_t gpus;

	layout.tensor = degree(pinned->tensor, tensor);
	layout.pipeline = degree(pinned->pipeline, pipeline);
	layout.expert = degree(pinned->expert, expert);
	layout.attention_data = degree(pinned->attention_data, attention_data);
	gpus = (int64_t)layout.tensor * layout.pipeline * layout.attention_data;
	if (gpus != pinned->tensor * pinned->pipeline * pinned->attention_data && supply_rentable_count(candidate, gpus) != gpus)
		return; /* a replica has a slice of its own */
	for (size_t i = 0; i < list->count; i++)
		if (same_degrees(&list->items[i], &layout))
			return;
	if (list->count < LAYOUTS_MAX)
		list->items[list->count++] = layout;
}

void layout_enumerate(const struct model *model, const struct candidate *candidate, const struct serving_parallelism *pinned,
	const struct replica_layout *base, struct layout_list *list)
{
	int64_t domain = layout_domain(candidate), width;

	list->count = 0;
	for (width = 1; width <= domain; width *= 2) {
		bool divides = pinned->tensor > 0 || layout_divides_heads(model, width);

		if (divides)
			list_add(list, candidate, base, pinned, width, 1, 1, 1);
		if (has_experts(model) && width > 1) {
			if (divides)
				list_add(list, candidate, base, pinned, width, 1, width, 1);
			list_add(list, candidate, base, pinned, 1, 1, width, width);
		}
	}
	for (int64_t stages = 2; stages <= STAGES_MAX && !candidate->slice; stages *= 2)
		list_add(list, candidate, base, pinned, width / 2, stages, 1, 1);
}

bool layout_of_count(
	const struct serving_parallelism *pinned, int64_t gpu_count, const struct replica_layout *base, struct replica_layout *layout)
{
	int64_t others = degree(pinned->pipeline, 1) * degree(pinned->attention_data, 1);

	*layout = *base;
	layout->pipeline = degree(pinned->pipeline, 1);
	layout->attention_data = degree(pinned->attention_data, 1);
	layout->expert = degree(pinned->expert, 1);
	layout->tensor = degree(pinned->tensor, gpu_count > 0 ? gpu_count / others : 1);
	return layout->tensor >= 1 && (gpu_count < 1 || layout->tensor * others == gpu_count);
}
