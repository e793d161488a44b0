#include "api/readers/trace_launches.h"

#include <math.h>
#include <stdlib.h>

/* The sender chooses the correlations. In a half-empty table, a run of slots longer than PROBES_MAX does not occur by
 * chance. */
enum { SLOTS_FIRST = 1024, PROBES_MAX = 512 };

void launches_free(struct launches *launches)
{
	free(launches->slots);
	*launches = (struct launches){.slots = NULL};
}

static void give_up(struct launches *launches)
{
	launches_free(launches);
	launches->given_up = true;
}

/* Hash: the finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
static size_t home_of(const struct launches *launches, uint64_t key)
{
	uint64_t mixed = key >> 2;

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
	return (size_t)(mixed ^ (mixed >> 31)) & (launches->capacity - 1);
}

/* Returns the slot of a correlation, or the free slot for it; NULL if neither is within PROBES_MAX. */
static struct launch_slot *slot_of(const struct launches *launches, uint64_t key)
{
	size_t at = home_of(launches, key);

	for (size_t i = 0; i < PROBES_MAX; i++, at = (at + 1) & (launches->capacity - 1))
		if (launches->slots[at].key == 0 || launches->slots[at].key >> 2 == key >> 2)
			return &launches->slots[at];
	return NULL;
}

/* Doubles the slots; false without memory, above the maximum, or if keys still collide. */
static bool grow_table(struct launches *launches)
{
	struct launches larger = {.capacity = launches->capacity ? 2 * launches->capacity : SLOTS_FIRST, .count = launches->count};
	bool crowded = false;

	larger.slots = larger.capacity <= LAUNCH_SLOTS_MAX ? calloc(larger.capacity, sizeof *larger.slots) : NULL;
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < launches->capacity && !crowded; i++) {
		struct launch_slot *slot = launches->slots[i].key ? slot_of(&larger, launches->slots[i].key) : NULL;

		if (slot)
			*slot = launches->slots[i];
		else
			crowded = launches->slots[i].key != 0;
	}
	free(crowded ? larger.slots : launches->slots);
	if (!crowded)
		*launches = larger;
	return !crowded;
}

/* Frees a slot and moves up the following slots that are past their home, so that a search can end at a free slot. */
static void slot_free(struct launches *launches, struct launch_slot *freed)
{
	size_t mask = launches->capacity - 1, hole = (size_t)(freed - launches->slots);

	for (size_t at = (hole + 1) & mask; launches->slots[at].key; at = (at + 1) & mask) {
		size_t home = home_of(launches, launches->slots[at].key);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		launches->slots[hole] = launches->slots[at];
		hole = at;
	}
	launches->slots[hole].key = 0;
	launches->count--;
}

/* Completes the pair: the slot has the other half. */
static bool complete_pair(struct launches *launches, struct launch_slot *slot, enum launch_half half, double time_us, struct launch_pair *pair)
{
	bool kernel_came = half == LAUNCH_STARTED;

	*pair = kernel_came ? (struct launch_pair){.called_us = slot->time_us, .started_us = time_us}
						: (struct launch_pair){.called_us = time_us, .started_us = slot->time_us};
	if (half == LAUNCH_GRAPH_CALLED)
		*slot = (struct launch_slot){(slot->key & ~(uint64_t)3) + LAUNCH_GRAPH_CALLED, time_us};
	else if ((slot->key & 3) != LAUNCH_GRAPH_CALLED)
		slot_free(launches, slot);
	return true;
}

bool launches_meet(struct launches *launches, double correlation, enum launch_half half, double time_us, struct launch_pair *pair)
{
	struct launch_slot *slot;
	uint64_t key;

	if (launches->given_up || !(correlation >= 1 && correlation <= 0x1p53))
		return false;
	if (2 * (launches->count + 1) > launches->capacity && !grow_table(launches)) {
		give_up(launches);
		return false;
	}
	key = 4 * (uint64_t)correlation + half;
	slot = slot_of(launches, key);
	if (!slot) {
		give_up(launches);
		return false;
	}
	if (slot->key && (half == LAUNCH_STARTED) != ((slot->key & 3) == LAUNCH_STARTED))
		return complete_pair(launches, slot, half, time_us, pair);
	launches->count += slot->key == 0;
	time_us = slot->key && half == LAUNCH_STARTED ? fmax(time_us, slot->time_us) : time_us;
	*slot = (struct launch_slot){key, time_us};
	return false;
}
