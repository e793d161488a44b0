/* E100: the dynamic programme over slots and work done, restricted to beginnings that the relaxation does not rule
 * out.
 *
 * The unit of work is a grain, the greatest common divisor of all durations. One slot of the timetable may run in part
 * (its first or its last grains), which is enough (timetable.h). For every border there are four sets of beginnings:
 * the work runs or pauses, and the slot that runs in part was used or not. Each set has at most one beginning for each
 * amount of work done: the cheapest. */
#include "planner/footprint/timetable_private.h"

#include <math.h>

enum { NODES_MAX = 1 << 20, BEGINNINGS_MAX = 1 << 15, STEPS_MAX = 40000000 };

enum set { RUNNING_WHOLE, PAUSED_WHOLE, RUNNING_PART, PAUSED_PART, SET_COUNT };

/* A slot that runs, and the running slot before it. The grains run from the slot's start, or up to its end. */
struct node {
	uint32_t before; /* index; NODE_NONE: this is the first */
	int32_t slot;
	int32_t grains;
	bool to_end;
};
#define NODE_NONE UINT32_MAX

struct beginning {
	double cost;
	int32_t done; /* grains */
	uint32_t node;
};

struct beginnings {
	struct beginning *items; /* BEGINNINGS_MAX */
	int32_t *place;          /* by grains done: index in items, -1: none */
	size_t count;
};

struct search {
	const struct timetable_task *task;
	const struct timetable_relaxation *relaxation;
	struct node *nodes;
	uint32_t node_count;
	struct beginnings sets[2][SET_COUNT]; /* sets before the slot, and after it */
	struct beginnings *next;
	int64_t grain, steps;
	int32_t work, restart; /* grains */
	double limit;
	uint32_t found; /* last node of the best timetable so far */
	bool gave_up;
};

static int64_t divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int64_t grain_of(const struct timetable_task *task)
{
	int64_t grain = divisor(task->work_minutes, task->restart_minutes);

	for (size_t i = 0; i < task->slot_count && grain > 1; i++)
		grain = divisor(grain, task->slots[i].minutes);
	return grain;
}

static size_t places_of(const struct timetable_task *task)
{
	return (size_t)(task->work_minutes / grain_of(task)) + 1;
}

size_t timetable_search_bytes(const struct timetable_task *task)
{
	return NODES_MAX * sizeof(struct node) + 2 * SET_COUNT * (BEGINNINGS_MAX * sizeof(struct beginning) + places_of(task) * sizeof(int32_t));
}

/* Adds a node and returns its index. The search gives up if there is no room. */
static uint32_t node_add(struct search *search, struct node node)
{
	if (search->node_count == NODES_MAX) {
		search->gave_up = true;
		return NODE_NONE;
	}
	search->nodes[search->node_count] = node;
	return search->node_count++;
}

/* Keeps a beginning if it may lead below the limit. `run` is the slot just run, NULL if the work pauses;
 * beginning.node is the node before it. */
static void keep_beginning(struct search *search, enum set set, struct beginning beginning, const struct node *run, double rest)
{
	double multiplier = search->relaxation->multiplier;
	double bound = beginning.cost + multiplier * (double)(search->work - beginning.done) * (double)search->grain + rest;
	struct beginnings *into = &search->next[set];
	int32_t *place;

	search->steps++;
	if (beginning.done < 0 || beginning.done >= search->work || !(bound < search->limit) || search->gave_up)
		return;
	place = &into->place[beginning.done];
	if (*place >= 0 && into->items[*place].cost <= beginning.cost)
		return;
	if (run)
		beginning.node = node_add(search, *run);
	if (*place < 0) {
		if (into->count == BEGINNINGS_MAX) {
			search->gave_up = true;
			return;
		}
		*place = (int32_t)into->count++;
	}
	into->items[*place] = beginning;
}

/* The work is done: keeps the timetable if it is the best so far. */
static void keep_if_best(struct search *search, double cost, struct node run)
{
	if (cost < search->limit && !search->gave_up) {
		uint32_t node = node_add(search, run);

		if (node != NODE_NONE) {
			search->limit = cost;
			search->found = node;
		}
	}
}

/* Runs `grains` of slot i after a beginning, up to the slot's end or from its start. */
static void run_grains(struct search *search, const struct beginning *from, bool resumes, size_t i, int32_t grains, bool to_end, bool part)
{
	struct beginning to = {.cost = from->cost + timetable_slot_cost(search->task, i, grains * search->grain),
		.done = from->done + grains - (resumes ? search->restart : 0)};
	struct node node = {from->node, (int32_t)i, grains, to_end};

	if (to.done == search->work)
		keep_if_best(search, to.cost, node);
	else if (to_end)
		keep_beginning(search, part ? RUNNING_PART : RUNNING_WHOLE, to, &node, search->relaxation->running[i + 1]);
	else
		keep_beginning(search, PAUSED_PART, to, &node, search->relaxation->paused[i + 1]);
}

/* Continues one beginning in slot i: pauses, runs the whole slot, or runs a part of it if no slot ran in part before. */
static void continue_beginning(struct search *search, const struct beginning *from, enum set set, size_t i)
{
	int32_t whole = (int32_t)(search->task->slots[i].minutes / search->grain);
	bool running = set == RUNNING_WHOLE || set == RUNNING_PART, part = set == RUNNING_PART || set == PAUSED_PART;

	keep_beginning(search, part ? PAUSED_PART : PAUSED_WHOLE, *from, NULL, search->relaxation->paused[i + 1]);
	run_grains(search, from, !running, i, whole, true, part);
	for (int32_t grains = 1; grains < whole && !part; grains++) {
		run_grains(search, from, !running, i, grains, false, true);
		run_grains(search, from, true, i, grains, true, true);
	}
}

/* Starts the work in slot i. */
static void start_work(struct search *search, size_t i)
{
	static const struct beginning none = {.node = NODE_NONE};
	int32_t whole = (int32_t)(search->task->slots[i].minutes / search->grain);

	run_grains(search, &none, false, i, whole, true, false);
	for (int32_t grains = 1; grains < whole; grains++) {
		run_grains(search, &none, false, i, grains, false, true);
		run_grains(search, &none, false, i, grains, true, true);
	}
}

static void sets_clear(struct beginnings sets[SET_COUNT])
{
	for (size_t i = 0; i < SET_COUNT; i++) {
		while (sets[i].count > 0)
			sets[i].place[sets[i].items[--sets[i].count].done] = -1;
	}
}

static void place_memory(struct search *search, void *memory)
{
	size_t places = places_of(search->task);
	char *at = memory;

	search->nodes = (struct node *)(void *)at;
	at += NODES_MAX * sizeof(struct node);
	for (size_t i = 0; i < 2 * SET_COUNT; i++, at += BEGINNINGS_MAX * sizeof(struct beginning))
		search->sets[i / SET_COUNT][i % SET_COUNT].items = (struct beginning *)(void *)at;
	for (size_t i = 0; i < 2 * SET_COUNT; i++, at += places * sizeof(int32_t)) {
		search->sets[i / SET_COUNT][i % SET_COUNT].place = (int32_t *)(void *)at;
		for (size_t k = 0; k < places; k++)
			search->sets[i / SET_COUNT][i % SET_COUNT].place[k] = -1;
	}
}

/* Makes the pieces from the nodes, which are last first, and reverses them. Slots that touch become one piece. */
static void pieces_fill(const struct search *search, struct timetable *table)
{
	int64_t begin = timetable_minutes(search->task);
	size_t slot = search->task->slot_count;

	table->count = 0;
	for (uint32_t at = search->found; at != NODE_NONE; at = search->nodes[at].before) {
		const struct node *node = &search->nodes[at];
		int64_t minutes = node->grains * search->grain, start;

		while (slot > (size_t)node->slot)
			begin -= search->task->slots[--slot].minutes;
		start = node->to_end ? begin + search->task->slots[slot].minutes - minutes : begin;
		if (table->count > 0 && table->pieces[table->count - 1].start_minute == start + minutes)
			table->pieces[table->count - 1].start_minute = start;
		else
			table->pieces[table->count++] = (struct timetable_piece){start, start + minutes};
	}
	for (size_t i = 0; i < table->count / 2; i++) {
		struct timetable_piece swap = table->pieces[i];

		table->pieces[i] = table->pieces[table->count - 1 - i];
		table->pieces[table->count - 1 - i] = swap;
	}
	table->cost = timetable_cost(search->task, table->pieces, table->count);
}

enum timetable_search_end timetable_search(
	const struct timetable_task *task, const struct timetable_relaxation *relaxation, double limit, void *memory, struct timetable *table)
{
	struct search search = {.task = task, .relaxation = relaxation, .grain = grain_of(task), .limit = limit, .found = NODE_NONE};

	search.work = (int32_t)(task->work_minutes / search.grain);
	search.restart = (int32_t)(task->restart_minutes / search.grain);
	place_memory(&search, memory);
	for (size_t i = 0; i < task->slot_count && !search.gave_up; i++) {
		struct beginnings *now = search.sets[i % 2];

		search.next = search.sets[(i + 1) % 2];
		if (relaxation->multiplier * (double)task->work_minutes + relaxation->fresh[i] < search.limit)
			start_work(&search, i);
		for (enum set set = 0; set < SET_COUNT; set++)
			for (size_t k = 0; k < now[set].count; k++)
				continue_beginning(&search, &now[set].items[k], set, i);
		sets_clear(now);
		search.gave_up = search.gave_up || search.steps > STEPS_MAX;
	}
	if (search.found != NODE_NONE)
		pieces_fill(&search, table);
	return search.gave_up ? TIMETABLE_GAVE_UP : search.found != NODE_NONE ? TIMETABLE_FOUND : TIMETABLE_NOTHING;
}
