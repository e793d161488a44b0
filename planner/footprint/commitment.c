#include "planner/footprint/commitment.h"

#include <math.h>

#include "base/given.h"

/* Least cost of holding a number of units with offers of one kind, and the last offer bought for it. */
struct cover {
	double *usd_per_hour; /* by units, 0..peak; HUGE_VAL: the offers cannot hold them */
	int8_t *last;         /* index of the offer; -1: no offer is needed, or none holds the units */
};

static int64_t peak_of(const struct commitment_task *task)
{
	int64_t peak = 0;

	for (size_t i = 0; i < task->hour_count; i++)
		peak = task->demand[i] > peak ? task->demand[i] : peak;
	return peak;
}

size_t commitment_workspace_bytes(const struct commitment_task *task)
{
	return 2 * ((size_t)peak_of(task) + 1) * (sizeof(double) + sizeof(int8_t));
}

static int64_t units_left(int64_t units, int64_t held)
{
	return units > held ? units - held : 0;
}

static void cover_fill(const struct commitment_task *task, bool committed, int64_t peak, struct cover *cover)
{
	cover->usd_per_hour[0] = 0;
	cover->last[0] = -1;
	for (int64_t units = 1; units <= peak; units++) {
		cover->usd_per_hour[units] = HUGE_VAL;
		cover->last[units] = -1;
		for (size_t i = 0; i < task->offer_count; i++) {
			const struct commitment_offer *offer = &task->offers[i];
			double usd = offer->usd_per_hour + cover->usd_per_hour[units_left(units, offer->units)];

			if (offer->committed == committed && usd < cover->usd_per_hour[units]) {
				cover->usd_per_hour[units] = usd;
				cover->last[units] = (int8_t)i;
			}
		}
	}
}

/* Adds the instances of a cover to `instances`. Returns the units that they hold. */
static int64_t cover_count(const struct commitment_task *task, const struct cover *cover, int64_t units, int64_t *instances)
{
	int64_t held = 0;

	while (units > 0 && cover->last[units] >= 0) {
		int8_t last = cover->last[units];

		instances[last]++;
		held += task->offers[last].units;
		units = units_left(units, task->offers[last].units);
	}
	return held;
}

static double used_usd_per_hour(const struct commitment_task *task, const struct cover *used, int64_t committed)
{
	double usd = 0;

	for (size_t i = 0; i < task->hour_count; i++)
		usd += used->usd_per_hour[units_left(task->demand[i], committed)];
	return usd / (double)task->hour_count;
}

static double utilization_of(const struct commitment_task *task, int64_t committed)
{
	double used = 0;

	for (size_t i = 0; i < task->hour_count; i++)
		used += (double)(task->demand[i] < committed ? task->demand[i] : committed);
	return committed > 0 ? used / (double)committed / (double)task->hour_count : ABSENT_NUMBER;
}

bool commitment_best(const struct commitment_task *task, void *workspace, struct commitment_mix *mix)
{
	int64_t peak = peak_of(task), best = -1;
	size_t places = (size_t)peak + 1;
	double *rates = workspace;
	int8_t *lasts = (int8_t *)(rates + 2 * places);
	struct cover committed = {rates, lasts}, used = {rates + places, lasts + places};

	*mix = (struct commitment_mix){.usd_per_hour = HUGE_VAL};
	cover_fill(task, true, peak, &committed);
	cover_fill(task, false, peak, &used);
	for (int64_t units = 0; units <= peak; units++) {
		double by_use = used_usd_per_hour(task, &used, units), usd = committed.usd_per_hour[units] + by_use;

		if (usd < mix->usd_per_hour * (1 - 1e-12)) {
			mix->usd_per_hour = usd;
			mix->used_usd_per_hour = by_use;
			best = units;
		}
		if (!(committed.usd_per_hour[units] < HUGE_VAL))
			break; /* no committed offer exists */
	}
	if (best < 0)
		return false;
	mix->committed_usd_per_hour = committed.usd_per_hour[best];
	mix->committed_units = cover_count(task, &committed, best, mix->instances);
	(void)cover_count(task, &used, units_left(peak, best), mix->peak_instances);
	mix->uncommitted_usd_per_hour = used_usd_per_hour(task, &used, 0);
	if (!isfinite(mix->uncommitted_usd_per_hour))
		mix->uncommitted_usd_per_hour = ABSENT_NUMBER;
	mix->committed_utilization = utilization_of(task, mix->committed_units);
	return true;
}

double commitment_break_even_utilization(double committed_usd_per_hour, double used_usd_per_hour)
{
	return committed_usd_per_hour / used_usd_per_hour;
}
