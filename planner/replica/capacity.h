/* The number of accelerators that holds a number of sequences at once, and the layout of a given number of accelerators
 * (E147). */
#ifndef FLEETPLAN_PLANNER_REPLICA_CAPACITY_H
#define FLEETPLAN_PLANNER_REPLICA_CAPACITY_H

#include "planner/replica/replica_layout.h"

struct capacity {
	/* given */
	const struct model *model;
	struct candidate candidate; /* accelerator and node */
	struct serving_parallelism pins;
	struct replica_layout base;
	double context_tokens, sequences; /* tokens of each sequence; sequences at once, absent: one */
	/* found */
	struct replica replica; /* smallest replica whose copies hold the sequences; if none fits, the one that lacks the least memory */
	int64_t replicas, gpu_count_min; /* gpu_count_min: least number that holds the sequences; absent: a million is not enough */
	bool fits;
};

/* E147. Finds the layout of gpu_count accelerators that holds the sequences, and the least number of accelerators that
 * does.
 * Given:    capacity: its members under "given"; gpu_count: accelerators (>= 1).
 * Returned: the members under "found". gpu_count_min is the minimum, over the layouts that a plan enumerates, of
 *           ceil(sequences / sequences that one replica holds in its KV memory) x accelerators of a replica. `fits` is
 *           true exactly when gpu_count >= gpu_count_min; accelerators beyond whole replicas stay idle. False if every
 *           layout that the pins allow needs more than gpu_count accelerators; then only gpu_count_min is found.
 * Case:     tests/planner/test_training_estimates.c, serving_fits_from_its_least_number_on. */
bool capacity_find(struct capacity *capacity, int64_t gpu_count);

#endif
