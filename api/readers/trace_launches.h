/* Matches launch calls with the kernels that they start, by correlation, in any order (E80).
 *
 * The table has only calls and kernels without a match yet, 16 bytes each. It grows to LAUNCH_SLOTS_MAX slots, of which
 * half may be used. Above that, or if correlations collide on purpose, matching ends: `given_up` is set and nothing
 * more is stored. One owner. */
#ifndef FLEETPLAN_API_READERS_TRACE_LAUNCHES_H
#define FLEETPLAN_API_READERS_TRACE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAUNCH_SLOTS_MAX = 1024 * 1024 };

enum launch_half {
	LAUNCH_STARTED,      /* a kernel or copy began */
	LAUNCH_CALLED,       /* a call that starts one of them returned */
	LAUNCH_GRAPH_CALLED, /* a call that starts many of them returned */
};

struct launch_slot {
	uint64_t key; /* 4 x correlation + half; 0: free */
	double time_us;
};

/* All zero: empty. */
struct launches {
	struct launch_slot *slots;
	size_t capacity, count;
	bool given_up;
};

struct launch_pair {
	double called_us, started_us;
};

void launches_free(struct launches *launches);

/* Adds one half with its correlation, 1 to 2^53 (others are ignored), and its time. True if the other half is there:
 * then *pair has both. If several kernels of one graph come before its call, the last one is used. */
bool launches_meet(struct launches *launches, double correlation, enum launch_half half, double time_us, struct launch_pair *pair);

#endif
