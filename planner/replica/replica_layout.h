/* How a replica may be laid out over accelerators: the layouts worth trying, what a request pins, and why one cannot be. */
#ifndef FLEETPLAN_PLANNER_REPLICA_REPLICA_LAYOUT_H
#define FLEETPLAN_PLANNER_REPLICA_REPLICA_LAYOUT_H

#include "planner/replica/replica.h"

enum { LAYOUTS_MAX = 64 };

struct layout_list {
	size_t count;
	struct replica_layout items[LAYOUTS_MAX];
};

/* What request and resolver settled: precisions, engine, limits. Parallel degrees are filled by the functions below. */
struct replica_layout layout_base(const struct request_common *common, enum precision kv_precision, enum engine engine,
	const char *release, const struct serving_parallelism *pinned, const struct candidate *candidate);

/* Layouts of a candidate: tensor parallel over 1, 2, 4, ... accelerators of a domain; for models with experts also attention by
 * data with experts spread; pipelines over domains where one domain is too small. Pinned degrees are kept. */
void layout_enumerate(const struct model *model, const struct candidate *candidate,
	const struct serving_parallelism *pinned, const struct replica_layout *base, struct layout_list *list);

/* The one layout of gpu_count accelerators (absent: whatever the pins multiply to, at least 1) with what is pinned: tensor
 * parallelism takes what is left. False when the degrees do not multiply to gpu_count. */
bool layout_of_count(const struct serving_parallelism *pinned, int64_t gpu_count, const struct replica_layout *base,
	struct replica_layout *layout);

/* Whether attention heads, and the key and value heads that are divided or repeated, spread evenly over tensor ranks. Of a model whose
 * shape is guessed nothing is known. */
bool layout_divides_heads(const struct model *model, int64_t tensor);

/* Whether the stack of the accelerator fills the last rank up with empty heads, so that a tensor degree need not divide them. Source: AWS
 * Neuron documentation, Transformers NeuronX developer guide: 40 heads of Llama 2 13B on 24 cores, measured and published there. */
bool layout_pads_heads(const struct accelerator *accelerator);

/* Accelerators that are near each other: the NVLink domain, or the node. */
int64_t layout_domain(const struct candidate *candidate);

/* Warns of a pinned layout whose collectives leave that domain: they are timed as if they did not. */
/* Where a replica lies, the better first (E141). */
enum layout_span {
	SPAN_MACHINE, /* in one machine, or in one link's domain */
	SPAN_FABRIC,  /* over machines that a fast network joins */
	SPAN_NETWORK  /* over machines without one: the last resort */
};

/* E141. Given: candidate with gpus_per_node, max_nvlink_domain and internode_gbs (absent: 100 Gb/s for a machine); layout. A network is fast from 50 Gb/s
 * for each accelerator on. Source: the slowest of the systems in hwdb/resolve/topology.c that are built for work across machines (DGX-1: 400 Gb/s
 * InfiniBand for eight; AWS p4d: 400 Gb/s EFA for eight). */
enum layout_span layout_span_of(const struct candidate *candidate, const struct replica_layout *layout);

/* What is done where the accelerator lacks the arithmetic of the weights' format. */
void layout_precision_remark(const struct candidate *candidate, const struct replica_layout *layout, struct findings *findings);

void layout_remark(const struct candidate *candidate, const struct replica_layout *layout, struct findings *findings);

#endif
