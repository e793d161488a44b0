#include "planner/footprint/schedule.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "planner/footprint/reliability.h"

static const int64_t us_per_minute = 60 * 1000000;
static const double minutes_per_hour = 60, grams_per_kg = 1000, kg_per_t = 1000;

/* The part of a series in which the job may run, in minutes from the series' start. */
struct window {
	int64_t first_minute, last_minute;
};

struct scheduler {
	const struct schedule_request *request;
	const struct schedule_memory *memory;
	struct timetable_task task; /* without its slots */
	struct schedule_weights weights;
	double kgco2e_scale, usd_scale; /* carbon and cost of running at once */
	bool priced;                    /* carbon_usd_per_t is given: the objective is money */
};

static int64_t series_steps(const struct schedule_series *series)
{
	return (int64_t)(series->gco2e_per_kwh.count ? series->gco2e_per_kwh.count : series->usd_per_kwh.count);
}

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b > 0);
}

static struct window window_of(const struct schedule_request *request, const struct schedule_series *series)
{
	struct window window = {0, series_steps(series) * series->step_minutes};

	if (request->earliest_us > series->start_us)
		window.first_minute = divide_up(request->earliest_us - series->start_us, us_per_minute);
	if (request->deadline_us > 0 && request->deadline_us < series->start_us + window.last_minute * us_per_minute)
		window.last_minute = (request->deadline_us - series->start_us) / us_per_minute;
	if (window.last_minute < window.first_minute)
		window.last_minute = window.first_minute;
	return window;
}

size_t schedule_slots_max(const struct schedule_request *request)
{
	int64_t most = 0;

	for (size_t i = 0; i < request->series.count; i++) {
		int64_t steps = series_steps(&request->series.items[i]);

		most = steps > most ? steps : most;
	}
	return (size_t)most;
}

static struct timetable_task task_of(const struct schedule_request *request)
{
	double minutes = fmin(fmax(ceil(given_or(request->hours, 0) * minutes_per_hour - 1e-6), 1), TIMETABLE_MINUTES_MAX);

	return (struct timetable_task){.work_minutes = (int64_t)minutes,
		.restart_minutes = (int64_t)ceil(given_or(request->restart_minutes, RELIABILITY_RESTART_MINUTES) - 1e-6),
		.pauses = request->checkpointable == TRUTH_TRUE};
}

/* The search's tables depend on the number of slots only, so one task serves for all regions. */
size_t schedule_workspace_bytes(const struct schedule_request *request)
{
	struct timetable_task task = task_of(request);
	struct timetable_slot slot = {.minutes = 1};
	size_t slots = schedule_slots_max(request), bytes;

	task.slots = &slot;
	task.slot_count = 1;
	bytes = timetable_workspace_bytes(&task);
	return bytes + 3 * slots * sizeof(double);
}

/* Sum of energy x series over the pieces, which are in minutes from the window's start. Absent without the series. */
static double total_of(const struct schedule_series *series, const struct number_list *list, struct window window, double kw,
	const struct timetable_piece *pieces, size_t count)
{
	double total = 0;

	if (list->count == 0)
		return ABSENT_NUMBER;
	for (size_t i = 0; i < count; i++) {
		int64_t from = window.first_minute + pieces[i].start_minute, end = window.first_minute + pieces[i].end_minute;

		while (from < end) {
			int64_t step = from / series->step_minutes, step_end = (step + 1) * series->step_minutes;
			int64_t to = step_end < end ? step_end : end;

			total += kw * (double)(to - from) / minutes_per_hour * list->items[step];
			from = to;
		}
	}
	return total;
}

static double kgco2e_of(const struct scheduler *scheduler, const struct schedule_series *series, struct window window,
	const struct timetable_piece *pieces, size_t count)
{
	return total_of(series, &series->gco2e_per_kwh, window, scheduler->request->mean_kw, pieces, count) / grams_per_kg;
}

static double usd_of(const struct scheduler *scheduler, const struct schedule_series *series, struct window window,
	const struct timetable_piece *pieces, size_t count)
{
	return total_of(series, &series->usd_per_kwh, window, scheduler->request->mean_kw, pieces, count);
}

/* E103. The objective for an amount of carbon and of money. */
static double objective_of(const struct scheduler *scheduler, double kgco2e, double usd)
{
	if (scheduler->priced)
		return usd + kgco2e / kg_per_t * scheduler->request->carbon_usd_per_t;
	return (scheduler->weights.carbon > 0 ? scheduler->weights.carbon * kgco2e / scheduler->kgco2e_scale : 0) +
		(scheduler->weights.cost > 0 ? scheduler->weights.cost * usd / scheduler->usd_scale : 0);
}

static double item_or(const struct number_list *list, int64_t index)
{
	return list->count ? list->items[index] : 0;
}

/* Fills the slots of a window; cuts the steps at its ends. */
static void slots_fill(struct scheduler *scheduler, const struct schedule_series *series, struct window window)
{
	double kw = scheduler->request->mean_kw;
	size_t count = 0;

	for (int64_t from = window.first_minute; from < window.last_minute;) {
		int64_t step = from / series->step_minutes, step_end = (step + 1) * series->step_minutes;
		int64_t to = step_end < window.last_minute ? step_end : window.last_minute;

		scheduler->memory->slots[count++] = (struct timetable_slot){(int32_t)(to - from),
			objective_of(scheduler, kw * item_or(&series->gco2e_per_kwh, step) / grams_per_kg, kw * item_or(&series->usd_per_kwh, step))};
		from = to;
	}
	scheduler->task.slots = scheduler->memory->slots;
	scheduler->task.slot_count = count;
}

static struct schedule_choice choice_of(const struct scheduler *scheduler, const struct schedule_series *series, struct window window,
	const struct timetable_piece *pieces, size_t count)
{
	int64_t origin_us = series->start_us + window.first_minute * us_per_minute, minutes = 0;
	struct schedule_choice choice = {.region = series->region, .pauses = (int64_t)count - 1};

	for (size_t i = 0; i < count; i++)
		minutes += pieces[i].end_minute - pieces[i].start_minute;
	choice.start_us = origin_us + pieces[0].start_minute * us_per_minute;
	choice.end_us = origin_us + pieces[count - 1].end_minute * us_per_minute;
	choice.running_hours = (double)minutes / minutes_per_hour;
	choice.restart_hours = (double)(minutes - scheduler->task.work_minutes) / minutes_per_hour;
	choice.kwh = scheduler->request->mean_kw * choice.running_hours;
	choice.kgco2e = kgco2e_of(scheduler, series, window, pieces, count);
	choice.usd = usd_of(scheduler, series, window, pieces, count);
	choice.objective = objective_of(scheduler, choice.kgco2e, choice.usd);
	choice.usd_per_t_saved = ABSENT_NUMBER;
	choice.proved = TRUTH_TRUE;
	return choice;
}

static void choice_compare(struct schedule_choice *choice, const struct schedule_choice *now)
{
	choice->delay_hours = (double)(choice->end_us - now->end_us) / (double)us_per_minute / minutes_per_hour;
	choice->saved_kgco2e = now->kgco2e - choice->kgco2e;
	choice->saved_usd = now->usd - choice->usd;
	if (choice->saved_kgco2e > 0 && choice->saved_usd < 0)
		choice->usd_per_t_saved = -choice->saved_usd / (choice->saved_kgco2e / kg_per_t);
}

static void choice_doubt(struct schedule_choice *choice, const struct timetable *table)
{
	choice->proved = table->proved ? TRUTH_TRUE : TRUTH_FALSE;
	choice->gap = table->proved ? 0 : (table->cost - table->bound) / fmax(fabs(table->cost), 1e-300);
}

/* Fills `now`: running at once in the first region with enough time. It is the reference of the other choices and the
 * unit of the weights. */
static bool now_find(struct scheduler *scheduler, struct schedule_choice *now)
{
	const struct timetable_piece piece = {0, scheduler->task.work_minutes};
	const struct schedule_request *request = scheduler->request;

	for (size_t i = 0; i < request->series.count; i++) {
		const struct schedule_series *series = &request->series.items[i];
		struct window window = window_of(request, series);
		double kgco2e, usd;

		if (window.last_minute - window.first_minute < scheduler->task.work_minutes)
			continue;
		kgco2e = fabs(given_or(kgco2e_of(scheduler, series, window, &piece, 1), 0));
		usd = fabs(given_or(usd_of(scheduler, series, window, &piece, 1), 0));
		scheduler->kgco2e_scale = kgco2e > 0 ? kgco2e : 1;
		scheduler->usd_scale = usd > 0 ? usd : 1;
		*now = choice_of(scheduler, series, window, &piece, 1);
		choice_compare(now, now);
		return true;
	}
	return false;
}

/* --- checks of the request ------------------------------------------------------------------------------------ */
static void check_series(const struct scheduler *scheduler, size_t index, struct failure *failure)
{
	const struct schedule_series *series = &scheduler->request->series.items[index];
	bool wants_usd = scheduler->weights.cost > 0 || scheduler->priced;
	char pointer[64];

	snprintf(pointer, sizeof pointer, "/series/%zu", index);
	for (size_t i = 0; i < index; i++)
		if (strcmp(scheduler->request->series.items[i].region, series->region) == 0) {
			failure_add(failure, pointer, "duplicate", "/series/%zu has the region %s too; each series needs a region of its own", i,
				series->region);
			break;
		}
	if (series->gco2e_per_kwh.count == 0 && series->usd_per_kwh.count == 0)
		failure_add(failure, pointer, "required", "give gco2e_per_kwh, usd_per_kwh, or both");
	else if (series->gco2e_per_kwh.count && series->usd_per_kwh.count && series->gco2e_per_kwh.count != series->usd_per_kwh.count)
		failure_add(failure, pointer, "conflict", "%zu intensities and %zu prices; both lists must have the same length",
			series->gco2e_per_kwh.count, series->usd_per_kwh.count);
	else if (scheduler->weights.carbon > 0 && series->gco2e_per_kwh.count == 0)
		failure_add(
			failure, pointer, "required", "the objective needs gco2e_per_kwh in every series: give it here, or give weights of cost alone");
	else if (wants_usd && series->usd_per_kwh.count == 0)
		failure_add(
			failure, pointer, "required", "the objective needs usd_per_kwh in every series: give it here, or give weights of carbon alone");
	else if (series_steps(series) * series->step_minutes > TIMETABLE_MINUTES_MAX)
		failure_add(failure, pointer, "too_long", "%lld steps of %lld minutes are longer than a year; give at most %d minutes",
			(long long)series_steps(series), (long long)series->step_minutes, TIMETABLE_MINUTES_MAX);
}

static void check_job(const struct schedule_request *request, struct failure *failure)
{
	if (!(request->hours > 0))
		failure_add(failure, "/hours", "required", "give the hours of work, or the plan_id of a plan that has them");
	else if (request->hours * minutes_per_hour > TIMETABLE_MINUTES_MAX)
		failure_add(failure, "/hours", "out_of_range", "the work is longer than a year; give at most %d hours", TIMETABLE_MINUTES_MAX / 60);
	if (!(request->mean_kw > 0))
		failure_add(failure, "/mean_kw", "required", "give the mean power of the job, or the plan_id of a plan that has it");
	if (request->series.count == 0)
		failure_add(failure, "/series", "required", "give at least one series, with gco2e_per_kwh or usd_per_kwh of a region");
	if (request->earliest_us > 0 && request->deadline_us > 0 && request->deadline_us <= request->earliest_us)
		failure_add(
			failure, "/deadline", "conflict", "the deadline is not after the earliest start; give a later deadline or an earlier start");
	if (is_given(request->carbon_usd_per_t) && (is_given(request->weights.carbon) || is_given(request->weights.cost)))
		failure_add(failure, "/carbon_usd_per_t", "conflict", "weights and carbon_usd_per_t exclude each other; give one of them");
	else if (request->weights.carbon <= 0 && request->weights.cost <= 0)
		failure_add(failure, "/weights", "out_of_range", "both weights are 0; give at least one above 0");
}

/* Sets the weights. Without weights and without a price of carbon: carbon alone, or cost alone if the series have
 * prices only. */
static void weights_set(struct scheduler *scheduler, struct findings *findings)
{
	const struct schedule_request *request = scheduler->request;
	bool carbon = request->series.count > 0 && request->series.items[0].gco2e_per_kwh.count > 0;
	bool given = is_given(request->weights.carbon) || is_given(request->weights.cost);

	scheduler->priced = is_given(request->carbon_usd_per_t);
	if (scheduler->priced || given) {
		scheduler->weights = (struct schedule_weights){given_or(request->weights.carbon, 0), given_or(request->weights.cost, 0)};
		if (scheduler->priced)
			scheduler->weights = (struct schedule_weights){request->carbon_usd_per_t > 0, 1};
		return;
	}
	scheduler->weights = carbon ? (struct schedule_weights){1, 0} : (struct schedule_weights){0, 1};
	findings_assume_text(findings, "weights", carbon ? "carbon alone" : "cost alone",
		"E103: follows from the data in the series; give weights or carbon_usd_per_t to weigh both");
}

static enum status refuse_short(const struct scheduler *scheduler, struct failure *failure)
{
	const struct schedule_request *request = scheduler->request;
	int64_t longest = -1;
	size_t best = 0;

	for (size_t i = 0; i < request->series.count; i++) {
		struct window window = window_of(request, &request->series.items[i]);

		if (window.last_minute - window.first_minute > longest) {
			longest = window.last_minute - window.first_minute;
			best = i;
		}
	}
	return failure_set(failure, STATUS_INFEASIBLE,
		"%.6g hours of work do not fit: the longest window, that of %s, has %.6g hours. Move earliest or deadline, or extend the series, by %.6g hours",
		(double)scheduler->task.work_minutes / minutes_per_hour, request->series.items[best].region, (double)longest / minutes_per_hour,
		(double)(scheduler->task.work_minutes - longest) / minutes_per_hour);
}

/* --- the choice ------------------------------------------------------------------------------------------------ */
struct candidate_region {
	const struct schedule_series *series;
	struct window window;
	double bound; /* lower bound of the objective there */
	struct schedule_choice choice;
};

static void regions_sketch(struct scheduler *scheduler, struct candidate_region *regions, size_t *count, struct schedule *schedule)
{
	const struct schedule_request *request = scheduler->request;
	struct timetable table = {.pieces = scheduler->memory->pieces};

	*count = 0;
	for (size_t i = 0; i < request->series.count; i++) {
		struct candidate_region region = {.series = &request->series.items[i], .window = window_of(request, &request->series.items[i])};
		struct timetable_piece piece;
		double cost;

		slots_fill(scheduler, region.series, region.window);
		if (region.window.last_minute - region.window.first_minute < scheduler->task.work_minutes ||
			!timetable_sketch(&scheduler->task, scheduler->memory->workspace, &table))
			continue;
		region.bound = table.bound;
		region.choice = choice_of(scheduler, region.series, region.window, table.pieces, table.count);
		choice_doubt(&region.choice, &table);
		if (timetable_unbroken(&scheduler->task, &piece, &cost) && (*count == 0 || cost < schedule->unbroken.objective))
			schedule->unbroken = choice_of(scheduler, region.series, region.window, &piece, 1);
		regions[(*count)++] = region;
	}
}

/* Returns the region with the lowest bound among those not searched yet; `count`: none is left. */
static size_t next_region(const struct candidate_region *regions, const bool *searched, size_t count)
{
	size_t next = count;

	for (size_t i = 0; i < count; i++)
		if (!searched[i] && (next == count || regions[i].bound < regions[next].bound))
			next = i;
	return next;
}

static void pieces_answer(const struct scheduler *scheduler, const struct candidate_region *region, const struct timetable_piece *pieces,
	size_t count, struct schedule *schedule)
{
	int64_t origin_us = region->series->start_us + region->window.first_minute * us_per_minute;

	schedule->pieces.items = scheduler->memory->answer;
	schedule->pieces.count = count;
	for (size_t i = 0; i < count; i++)
		schedule->pieces.items[i] = (struct schedule_piece){
			.start_us = origin_us + pieces[i].start_minute * us_per_minute,
			.end_us = origin_us + pieces[i].end_minute * us_per_minute,
			.kwh = scheduler->request->mean_kw * (double)(pieces[i].end_minute - pieces[i].start_minute) / minutes_per_hour,
			.kgco2e = kgco2e_of(scheduler, region->series, region->window, &pieces[i], 1),
			.usd = usd_of(scheduler, region->series, region->window, &pieces[i], 1),
		};
}

/* Searches the regions in the order of their bounds. It ends when a bound is above the best cost found: no further
 * region can be better. */
static void best_find(struct scheduler *scheduler, struct candidate_region *regions, size_t count, struct schedule *schedule)
{
	struct timetable table = {.pieces = scheduler->memory->pieces};
	bool searched[SCHEDULE_SERIES_MAX] = {false};
	double best_cost = HUGE_VAL;
	size_t best = count;

	for (size_t i = next_region(regions, searched, count); i < count && regions[i].bound < best_cost;
		 i = next_region(regions, searched, count)) {
		searched[i] = true;
		slots_fill(scheduler, regions[i].series, regions[i].window);
		if (!timetable_best(&scheduler->task, scheduler->memory->workspace, &table))
			continue;
		regions[i].choice = choice_of(scheduler, regions[i].series, regions[i].window, table.pieces, table.count);
		choice_doubt(&regions[i].choice, &table);
		if (table.cost < best_cost) {
			best_cost = table.cost;
			best = i;
			pieces_answer(scheduler, &regions[i], table.pieces, table.count, schedule);
		}
	}
	schedule->best = regions[best].choice;
}

static void regions_answer(const struct candidate_region *regions, size_t count, struct schedule *schedule)
{
	schedule->region_count = 0;
	for (size_t i = 0; i < count; i++) {
		size_t at = schedule->region_count++;

		for (; at > 0 && schedule->regions[at - 1].objective > regions[i].choice.objective; at--)
			schedule->regions[at] = schedule->regions[at - 1];
		schedule->regions[at] = regions[i].choice;
		choice_compare(&schedule->regions[at], &schedule->now);
	}
}

static void schedule_remark(const struct scheduler *scheduler, struct findings *findings)
{
	const struct schedule_request *request = scheduler->request;

	for (size_t i = 0; i < request->series.count; i++) {
		const struct schedule_series *series = &request->series.items[i];
		int64_t end_us = series->start_us + series_steps(series) * series->step_minutes * us_per_minute;
		bool late = request->earliest_us > 0 && series->start_us > request->earliest_us, soon = request->deadline_us > end_us;

		if (late || soon)
			findings_warn(findings, "the series of %s %s: the job does not run outside of the series", series->region,
				late && soon ? "begins after the earliest start and ends before the deadline"
					: late   ? "begins after the earliest start"
							 : "ends before the deadline");
	}
	if (scheduler->task.pauses && !is_given(request->restart_minutes))
		findings_assume_number(findings, "restart_minutes", RELIABILITY_RESTART_MINUTES,
			"E47: Grattafiori et al. 2024; running time without progress after each pause");
	if (!scheduler->task.pauses && is_given(request->restart_minutes))
		findings_warn(findings, "restart_minutes is not used: the job runs in one piece. Set checkpointable to true to let it pause");
	if (request->checkpointable == TRUTH_UNSET)
		findings_assume_text(findings, "checkpointable", "false", "E100: a job runs in one piece unless the request says that it can pause");
}

enum status planner_schedule(
	const struct schedule_request *request, const struct schedule_memory *memory, struct schedule *schedule, struct failure *failure)
{
	struct scheduler scheduler = {.request = request, .memory = memory, .task = task_of(request)};
	struct candidate_region regions[SCHEDULE_SERIES_MAX];
	size_t count;

	weights_set(&scheduler, &schedule->findings);
	check_job(request, failure);
	for (size_t i = 0; i < request->series.count; i++)
		check_series(&scheduler, i, failure);
	if (failure->fault_total > 0)
		return failure->status;
	if (!now_find(&scheduler, &schedule->now))
		return refuse_short(&scheduler, failure);
	regions_sketch(&scheduler, regions, &count, schedule);
	best_find(&scheduler, regions, count, schedule);
	regions_answer(regions, count, schedule);
	choice_compare(&schedule->unbroken, &schedule->now);
	choice_compare(&schedule->best, &schedule->now);
	schedule_remark(&scheduler, &schedule->findings);
	return STATUS_OK;
}
