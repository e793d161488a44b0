/* E100: the best single piece, and the sequence of bounding and searching. */
#include "planner/footprint/timetable_private.h"

#include <math.h>

/* A pause or a search must save more than this fraction of the cost. Rounding errors are smaller. */
static const double worth_while = 1e-9;

int64_t timetable_minutes(const struct timetable_task *task)
{
	int64_t minutes = 0;

	for (size_t i = 0; i < task->slot_count; i++)
		minutes += task->slots[i].minutes;
	return minutes;
}

double timetable_cost(const struct timetable_task *task, const struct timetable_piece *pieces, size_t count)
{
	int64_t begin = 0;
	double cost = 0;
	size_t at = 0;

	for (size_t i = 0; i < task->slot_count && at < count; i++) {
		int64_t end = begin + task->slots[i].minutes;

		while (at < count && pieces[at].start_minute < end) {
			int64_t from = pieces[at].start_minute > begin ? pieces[at].start_minute : begin;
			int64_t to = pieces[at].end_minute < end ? pieces[at].end_minute : end;

			cost += timetable_slot_cost(task, i, to - from);
			if (pieces[at].end_minute > end)
				break;
			at++;
		}
		begin = end;
	}
	return cost;
}

/* The cost is linear until an end of the piece crosses a border, so a best piece starts or ends on a border. The
 * window moves from border to border. */
bool timetable_unbroken(const struct timetable_task *task, struct timetable_piece *piece, double *cost)
{
	int64_t total = timetable_minutes(task), start = 0, first_border = 0, last_border = 0, move;
	size_t first = 0, last = 0; /* slots of the window's start and of its end */
	double now;

	if (task->work_minutes > total)
		return false;
	*piece = (struct timetable_piece){0, task->work_minutes};
	*cost = now = timetable_cost(task, piece, 1);
	first_border = task->slots[0].minutes;
	for (last_border = task->slots[0].minutes; last_border <= task->work_minutes && last + 1 < task->slot_count;)
		last_border += task->slots[++last].minutes;
	for (; start + task->work_minutes < total; start += move) {
		int64_t to_first = first_border - start, to_last = last_border - start - task->work_minutes;

		move = to_first < to_last ? to_first : to_last;
		now += timetable_slot_cost(task, last, move) - timetable_slot_cost(task, first, move);
		if (now < *cost - fabs(*cost) * worth_while) {
			*cost = now;
			*piece = (struct timetable_piece){start + move, start + move + task->work_minutes};
		}
		if (move == to_first && first + 1 < task->slot_count)
			first_border += task->slots[++first].minutes;
		if (move == to_last && last + 1 < task->slot_count)
			last_border += task->slots[++last].minutes;
	}
	*cost = timetable_cost(task, piece, 1);
	return true;
}

static size_t relaxation_bytes(const struct timetable_task *task)
{
	return 3 * (task->slot_count + 1) * sizeof(double);
}

size_t timetable_workspace_bytes(const struct timetable_task *task)
{
	return relaxation_bytes(task) + (task->pauses ? timetable_search_bytes(task) : 0);
}

static void relaxation_place(const struct timetable_task *task, void *workspace, struct timetable_relaxation *relaxation)
{
	double *memory = workspace;

	relaxation->fresh = memory;
	relaxation->running = memory + task->slot_count + 1;
	relaxation->paused = memory + 2 * (task->slot_count + 1);
}

/* Searches the range between bound and cost, its lowest part first: the best is mostly there, and the search then
 * follows few beginnings. */
static void search_below_cost(
	const struct timetable_task *task, const struct timetable_relaxation *relaxation, void *memory, struct timetable *table)
{
	static const double shares[] = {1.0 / 64, 1.0 / 8, 1};
	double ceiling = table->cost - fabs(table->cost) * worth_while, floor = relaxation->bound;

	for (size_t i = 0; i < sizeof shares / sizeof *shares && !table->proved; i++) {
		double limit = relaxation->bound + (ceiling - relaxation->bound) * shares[i];

		switch (timetable_search(task, relaxation, limit, memory, table)) {
		case TIMETABLE_NOTHING:
			floor = limit;
			table->proved = i + 1 == sizeof shares / sizeof *shares;
			break;
		case TIMETABLE_FOUND:
			table->proved = true;
			break;
		case TIMETABLE_GAVE_UP:
			i = sizeof shares / sizeof *shares;
			break;
		}
	}
	table->bound = table->proved ? table->cost : floor;
}

static bool sketch_table(const struct timetable_task *task, struct timetable_relaxation *relaxation, void *workspace, struct timetable *table)
{
	struct timetable_piece unbroken;
	double unbroken_cost;

	if (!timetable_unbroken(task, &unbroken, &unbroken_cost))
		return false;
	table->count = 0;
	relaxation->bound = unbroken_cost;
	if (task->pauses) {
		relaxation_place(task, workspace, relaxation);
		timetable_relax(task, relaxation, table);
	}
	if (table->count == 0 ||
		table->cost >= unbroken_cost - fabs(unbroken_cost) * worth_while) { /* of equal costs, also of 0, the piece without pauses */
		table->pieces[0] = unbroken;
		table->count = 1;
		table->cost = unbroken_cost;
	}
	table->bound = relaxation->bound;
	table->proved = table->cost - fabs(table->cost) * worth_while <= table->bound;
	return true;
}

bool timetable_sketch(const struct timetable_task *task, void *workspace, struct timetable *table)
{
	struct timetable_relaxation relaxation;

	return sketch_table(task, &relaxation, workspace, table);
}

bool timetable_best(const struct timetable_task *task, void *workspace, struct timetable *table)
{
	struct timetable_relaxation relaxation;

	if (!sketch_table(task, &relaxation, workspace, table))
		return false;
	if (!table->proved)
		search_below_cost(task, &relaxation, (char *)workspace + relaxation_bytes(task), table);
	return true;
}
