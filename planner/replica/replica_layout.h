/* Layouts of a replica over accelerators: which ones a search tries, what a request pins, and warnings about a
 * layout. */
#ifndef FLEETPLAN_PLANNER_REPLICA_REPLICA_LAYOUT_H
#define FLEETPLAN_PLANNER_REPLICA_REPLICA_LAYOUT_H

#include "planner/replica/replica.h"

enum { LAYOUTS_MAX = 64 };

struct layout_list {
	size_t count;
	struct replica_layout items[LAYOUTS_MAX];
};

/* Returns a layout with the precisions, engine and limits of the request. The functions below fill its parallel
 * degrees. */
struct replica_layout layout_base(const struct request_common *common, enum precision kv_precision, enum engine engine, const char *release,
	const struct serving_parallelism *pinned, const struct candidate *candidate);

/* Lists the layouts of a candidate: tensor parallel over 1, 2, 4, ... accelerators of a domain; for models with experts
 * also spread experts, with or without data-parallel attention; pipelines over domains. Pinned degrees are kept. */
void layout_enumerate(const struct model *model, const struct candidate *candidate, const struct serving_parallelism *pinned,
	const struct replica_layout *base, struct layout_list *list);

/* Fills the layout of gpu_count accelerators with the pinned degrees. The tensor degree takes the remaining factor.
 * Without gpu_count it is 1. False if the degrees do not multiply to gpu_count. */
bool layout_of_count(
	const struct serving_parallelism *pinned, int64_t gpu_count, const struct replica_layout *base, struct replica_layout *layout);

/* True if attention heads spread evenly over tensor ranks, and key and value heads are divided or repeated evenly. True
 * for a model whose shape is guessed, because its heads are not known. */
bool layout_divides_heads(const struct model *model, int64_t tensor);

/* True if the accelerator's software pads the heads of the last rank, so that a tensor degree need not divide them.
 * Source: AWS Neuron documentation, Transformers NeuronX developer guide: 40 heads of Llama 2 13B on 24 cores, measured
 *         and published there. */
bool layout_pads_heads(const struct accelerator *accelerator);

/* Returns the number of accelerators of one NVLink domain (at most 64) or one node, whichever is larger; 1 for a
 * slice. */
int64_t layout_domain(const struct candidate *candidate);

/* The extent of a replica, the best first (E141). */
enum layout_span {
	SPAN_MACHINE, /* in one machine, or in one link's domain */
	SPAN_FABRIC,  /* over machines with a fast network */
	SPAN_NETWORK  /* over machines without a fast network: the last resort */
};

/* E141. Returns the extent of a replica.
 * Given:    candidate: gpus_per_node (absent: 8), max_nvlink_domain, internode_gbs (absent: not fast); layout: its
 *           degrees.
 * Returned: SPAN_MACHINE up to the larger of machine and link domain; beyond, SPAN_FABRIC with at least 50 Gb/s for
 *           each accelerator, else SPAN_NETWORK.
 * Source:   the slowest systems in hwdb/resolve/topology.c that are built for work across machines (DGX-1: 400 Gb/s
 *           InfiniBand for eight; AWS p4d: 400 Gb/s EFA for eight).
 * Case:     tests/server/test_real_fleets.py, test_across_machines_is_the_last_resort_and_says_so. */
enum layout_span layout_span_of(const struct candidate *candidate, const struct replica_layout *layout);

/* Notes what happens where the accelerator lacks the arithmetic of the weights' format. */
void layout_precision_remark(const struct candidate *candidate, const struct replica_layout *layout, struct findings *findings);

/* Warns of a layout whose collectives leave the domain (layout_domain()), and of a replica that spans machines without
 * a fast network. */
void layout_remark(const struct candidate *candidate, const struct replica_layout *layout, struct findings *findings);

#endif
