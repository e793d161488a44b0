/* E100: the Lagrangian relaxation of a timetable.
 *
 * The relaxation does not require the work. It subtracts the multiplier from the cost for each minute of work done
 * (minutes of running less restarts). What remains is a shortest path through the slots in three states. Its least
 * cost plus multiplier x work is concave in the multiplier and never above the cost of a timetable. The secant of a
 * multiplier with too little work and one with too much work finds its maximum. */
#include "planner/footprint/timetable_private.h"

#include <math.h>

enum { SECANTS_MAX = 60 };

/* Result of the relaxed shortest path at one multiplier. */
struct answer {
	double cost;  /* of running, without the multiplier */
	int64_t done; /* minutes of running less those of restarts */
};

static void states_fill(const struct timetable_task *task, struct timetable_relaxation *relaxation)
{
	size_t n = task->slot_count;
	double restart = relaxation->multiplier * (double)task->restart_minutes;

	relaxation->fresh[n] = relaxation->running[n] = relaxation->paused[n] = 0;
	for (size_t i = n; i-- > 0;) {
		int64_t minutes = task->slots[i].minutes;
		double run = timetable_slot_cost(task, i, minutes) - relaxation->multiplier * (double)minutes + relaxation->running[i + 1];

		relaxation->fresh[i] = fmin(relaxation->fresh[i + 1], run);
		relaxation->paused[i] = fmin(relaxation->paused[i + 1], restart + run);
		relaxation->running[i] = fmin(relaxation->paused[i + 1], run);
	}
	relaxation->bound = relaxation->fresh[0] + relaxation->multiplier * (double)task->work_minutes;
}

enum state { FRESH, RUNNING, PAUSED };

/* True if the relaxed path runs in slot i when it is in `state`. At equal cost a running piece continues, and no new
 * piece begins. */
static bool path_runs(const struct timetable_task *task, const struct timetable_relaxation *relaxation, enum state state, size_t i)
{
	switch (state) {
	case FRESH:
		return relaxation->fresh[i] < relaxation->fresh[i + 1];
	case PAUSED:
		return relaxation->paused[i] < relaxation->paused[i + 1];
	case RUNNING:
		break;
	}
	return relaxation->running[i] < relaxation->paused[i + 1] ||
		timetable_slot_cost(task, i, task->slots[i].minutes) - relaxation->multiplier * (double)task->slots[i].minutes +
			relaxation->running[i + 1] <=
		relaxation->paused[i + 1];
}

/* Follows the relaxed path and writes its pieces into `table`, which may be NULL. */
static struct answer follow_path(const struct timetable_task *task, const struct timetable_relaxation *relaxation, struct timetable *table)
{
	struct answer answer = {0, 0};
	enum state state = FRESH;
	int64_t minute = 0;

	if (table)
		table->count = 0;
	for (size_t i = 0; i < task->slot_count; minute += task->slots[i++].minutes) {
		bool run = path_runs(task, relaxation, state, i);

		if (run) {
			answer.cost += timetable_slot_cost(task, i, task->slots[i].minutes);
			answer.done += task->slots[i].minutes - (state == PAUSED ? task->restart_minutes : 0);
			if (table && state != RUNNING)
				table->pieces[table->count++].start_minute = minute;
			if (table)
				table->pieces[table->count - 1].end_minute = minute + task->slots[i].minutes;
		}
		state = run ? RUNNING : state == RUNNING ? PAUSED : state;
	}
	return answer;
}

static struct answer relaxed_at(const struct timetable_task *task, struct timetable_relaxation *relaxation, double multiplier)
{
	relaxation->multiplier = multiplier;
	states_fill(task, relaxation);
	return follow_path(task, relaxation, NULL);
}

/* Returns a multiplier above every rate, at which all slots run. */
static double highest_multiplier(const struct timetable_task *task)
{
	double highest = 0;

	for (size_t i = 0; i < task->slot_count; i++)
		highest = fmax(highest, task->slots[i].rate_per_hour / 60);
	return highest * 1.001 + 1e-9;
}

/* A place where work can be removed: one end of a piece, in one slot. */
struct end {
	size_t piece;
	bool last;
	double rate_per_hour;
	int64_t minutes; /* that can be removed */
};

/* Replaces `dearest` if `end` is dearer and work can be removed there. A piece after another one must keep more
 * minutes than its restart. */
static void end_offer(const struct timetable_task *task, const struct timetable *table, struct end end, struct end *dearest)
{
	struct timetable_piece piece = table->pieces[end.piece];
	int64_t spare = piece.end_minute - piece.start_minute - (table->count > 1 ? task->restart_minutes : 0) - 1;

	if (end.minutes > spare)
		end.minutes = spare;
	if (end.minutes > 0 && end.rate_per_hour > dearest->rate_per_hour)
		*dearest = end;
}

static struct end dearest_end(const struct timetable_task *task, const struct timetable *table)
{
	struct end dearest = {.rate_per_hour = -HUGE_VAL};
	int64_t begin = 0, end;
	size_t piece = 0;

	for (size_t i = 0; i < task->slot_count; i++, begin = end) {
		double rate = task->slots[i].rate_per_hour;

		end = begin + task->slots[i].minutes;
		for (; piece < table->count && table->pieces[piece].start_minute < end; piece++) {
			struct timetable_piece at = table->pieces[piece];

			if (at.start_minute >= begin)
				end_offer(task, table, (struct end){piece, false, rate, end - at.start_minute}, &dearest);
			if (at.end_minute > end)
				break;
			end_offer(task, table, (struct end){piece, true, rate, at.end_minute - begin}, &dearest);
		}
	}
	return dearest;
}

enum { TRIMS_MAX = 64 };

/* Removes `excess` minutes from the dearest ends. False if the pieces are too short for it, or after TRIMS_MAX steps. */
static bool trim_pieces(const struct timetable_task *task, struct timetable *table, int64_t excess)
{
	for (int trims = 0; excess > 0; trims++) {
		struct end dearest = dearest_end(task, table);
		struct timetable_piece *piece;

		if (trims == TRIMS_MAX || dearest.minutes <= 0)
			return false;
		piece = &table->pieces[dearest.piece];
		if (dearest.minutes > excess)
			dearest.minutes = excess;
		piece->start_minute += dearest.last ? 0 : dearest.minutes;
		piece->end_minute -= dearest.last ? dearest.minutes : 0;
		excess -= dearest.minutes;
	}
	return true;
}

void timetable_relax(const struct timetable_task *task, struct timetable_relaxation *relaxation, struct timetable *table)
{
	double few_multiplier = 0, many_multiplier = highest_multiplier(task), top = -HUGE_VAL, top_multiplier = 0;
	struct answer few = relaxed_at(task, relaxation, few_multiplier), many;

	top = relaxation->bound;
	if (few.done >= task->work_minutes)
		many_multiplier = 0; /* rates below 0: the path does more than the work without a multiplier */
	many = relaxed_at(task, relaxation, many_multiplier);
	for (int i = 0; i < SECANTS_MAX && few.done < task->work_minutes && many.done > few.done; i++) {
		double multiplier = (many.cost - few.cost) / (double)(many.done - few.done);
		double chord = few.cost + multiplier * (double)(task->work_minutes - few.done);
		struct answer answer = relaxed_at(task, relaxation, fmax(multiplier, 0));

		if (relaxation->bound > top) {
			top = relaxation->bound;
			top_multiplier = relaxation->multiplier;
		}
		if (relaxation->bound >= chord - fabs(chord) * 1e-12)
			break;
		if (answer.done < task->work_minutes) {
			few = answer;
		} else {
			many = answer;
			many_multiplier = relaxation->multiplier;
		}
	}
	if (table) {
		(void)relaxed_at(task, relaxation, many_multiplier);
		(void)follow_path(task, relaxation, table);
		if (many.done < task->work_minutes || !trim_pieces(task, table, many.done - task->work_minutes))
			table->count = 0;
		else
			table->cost = timetable_cost(task, table->pieces, table->count);
	}
	(void)relaxed_at(task, relaxation, top_multiplier);
}
