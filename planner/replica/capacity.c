#include "planner/replica/capacity.h"

static const double gpus_most = 1e6;

/* Returns the number of sequences that fit into the memory of one replica. The engine's limit does not count: sequences
 * beyond it wait. */
static double sequences_held(const struct capacity *capacity, const struct replica *replica)
{
	double bytes = replica_sequence_bytes(replica, capacity->context_tokens);

	if (!replica_fits(replica, capacity->context_tokens))
		return 0;
	return (bytes > 0 ? floor(replica->kv_budget_bytes / bytes) : gpus_most) * replica->attention_data;
}

/* Returns the bytes that one accelerator needs for weights and its share of the sequences. It ranks layouts that do not
 * fit. */
static double lacking_bytes(const struct capacity *capacity, const struct replica *replica, double replicas)
{
	double each = ceil(given_or(capacity->sequences, 1) / replicas / replica->attention_data);

	return replica->memory.weights_bytes + each * replica_sequence_bytes(replica, capacity->context_tokens);
}

bool capacity_find(struct capacity *capacity, int64_t gpu_count)
{
	double wanted = fmax(1, given_or(capacity->sequences, 1)), least = INFINITY, lacking = INFINITY;
	struct layout_list list;
	bool any = false;

	layout_enumerate(capacity->model, &capacity->candidate, &capacity->pins, &capacity->base, &list);
	capacity->fits = false;
	for (size_t i = 0; i < list.count; i++) {
		struct replica replica;
		double each, replicas;

		if (!replica_prepare(&replica, capacity->model, &capacity->candidate.accelerator, NULL, &list.items[i], &serving_constants))
			continue;
		each = sequences_held(capacity, &replica);
		replicas = floor((double)gpu_count / replica.gpus);
		if (each > 0)
			least = fmin(least, ceil(wanted / each) * replica.gpus);
		if (replicas < 1)
			continue;
		if (each * replicas >= wanted ? !capacity->fits || replica.gpus < capacity->replica.gpus
									  : !capacity->fits && lacking_bytes(capacity, &replica, replicas) < lacking) {
			capacity->fits = each * replicas >= wanted;
			capacity->replica = replica;
			capacity->replicas = (int64_t)replicas;
			lacking = lacking_bytes(capacity, &replica, replicas);
			any = true;
		}
	}
	capacity->gpu_count_min = least <= gpus_most ? (int64_t)least : ABSENT_COUNT;
	return any;
}
