/* How many accelerators hold so many sequences at once, and how those of a given number are laid out (E147). */
#ifndef FLEETPLAN_PLANNER_REPLICA_CAPACITY_H
#define FLEETPLAN_PLANNER_REPLICA_CAPACITY_H

#include "planner/replica/replica_layout.h"

struct capacity {
	/* given */
	const struct model *model;
	struct candidate candidate; /* its accelerator and node */
	struct serving_parallelism pins;
	struct replica_layout base;
	double context_tokens, sequences; /* absent sequences: one is enough */
	/* found */
	struct replica replica; /* of the number given: the smallest replica of which as many as there is room for hold them; else the one that lacks least */
	int64_t replicas, gpu_count_min; /* gpu_count_min: the least number that holds them; absent: none of a million does */
	bool fits;
};

/* E147. Over the layouts that a plan enumerates: replicas = ceil(sequences / those that one holds in its KV memory), whole replicas.
 * Returned: false where no layout of the pins has so few accelerators. Then only gpu_count_min is found. fits exactly when
 * gpu_count >= gpu_count_min: what is left over beside whole replicas stays idle. */
bool capacity_find(struct capacity *capacity, int64_t gpu_count);

#endif
