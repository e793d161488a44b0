/* Launch calls and the kernels that they start, matched by their correlation as both go by in any order (E80).
 *
 * Kept is what has not met its other half: 16 bytes each, in a table that grows to LAUNCH_SLOTS_MAX slots of which half may be
 * used. Past that, or where numbers crowd on purpose, matching ends: `given_up`, and nothing is kept any more. One owner. */
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

/* Takes one half. Given: its correlation, 1 to 2^53 (others are passed over), its time. Returned: whether the other half was there:
 * then *pair holds both. Of several kernels of one graph that come before its call the last one is kept. */
bool launches_meet(struct launches *launches, double correlation, enum launch_half half, double time_us, struct launch_pair *pair);

#endif
