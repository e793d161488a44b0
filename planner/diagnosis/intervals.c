#include "planner/diagnosis/intervals.h"

#include <math.h>

bool intervals_add(struct intervals *set, double start, double end)
{
	struct span *last = set->items && set->count ? &set->items[set->count - 1] : NULL;

	if (last && start >= last->start && start <= last->end) {
		last->end = fmax(last->end, end);
		return true;
	}
	if (!set->items || set->count == set->capacity)
		return false;
	set->unsettled = set->unsettled || (last && start < last->start);
	set->items[set->count++] = (struct span){start, end};
	return true;
}

/* --- sorting: in place, n log n for every order, because the client chooses the order ----------------------------- */

static void span_swap(struct span *a, struct span *b)
{
	struct span other = *a;

	*a = *b;
	*b = other;
}

static void heap_sink(struct span *items, size_t root, size_t count)
{
	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= count)
			return;
		if (child + 1 < count && items[child + 1].start > items[child].start)
			child++;
		if (items[root].start >= items[child].start)
			return;
		span_swap(&items[root], &items[child]);
		root = child;
	}
}

static void span_sort(struct span *items, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		heap_sink(items, i, count);
	for (size_t left = count; left-- > 1;) {
		span_swap(&items[0], &items[left]);
		heap_sink(items, 0, left);
	}
}

void intervals_settle(struct intervals *set, double bridge)
{
	size_t kept = 0;

	if (set->unsettled)
		span_sort(set->items, set->count);
	for (size_t i = 0; i < set->count; i++) {
		struct span next = set->items[i];

		if (kept > 0 && next.start <= set->items[kept - 1].end + bridge)
			set->items[kept - 1].end = fmax(set->items[kept - 1].end, next.end);
		else
			set->items[kept++] = next;
	}
	set->count = kept;
	set->unsettled = false;
}
