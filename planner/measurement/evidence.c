#include "planner/measurement/evidence.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "planner/measurement/trust.h"

static const char *const quantity_names[QUANTITY_COUNT] = {
	[QUANTITY_UNSET] = "",
	[QUANTITY_GEMM_EFFICIENCY] = "gemm_efficiency",
	[QUANTITY_MEMORY_EFFICIENCY] = "memory_efficiency",
	[QUANTITY_KERNEL_LAUNCH] = "kernel_launch_s",
	[QUANTITY_HOST_LATENCY] = "host_latency_s",
	[QUANTITY_HOST_RATE] = "host_bytes_per_s",
	[QUANTITY_COLLECTIVE_LATENCY] = "collective_latency_s",
	[QUANTITY_COLLECTIVE_RATE] = "collective_bytes_per_s",
	[QUANTITY_IDLE_POWER] = "idle_w",
	[QUANTITY_LOAD_POWER] = "load_w",
	[QUANTITY_STORAGE_RATE] = "storage_bytes_per_s",
	[QUANTITY_STACK_SPEED] = "stack_speed",
	[QUANTITY_RUN_PRACTICE] = "run_practice",
};

static const double us_per_day = 86400e6;

const char *quantity_name(enum quantity quantity)
{
	CHECK(quantity < QUANTITY_COUNT);
	return quantity_names[quantity];
}

enum quantity quantity_of_name(const char *name)
{
	for (int quantity = QUANTITY_UNSET + 1; name && quantity < QUANTITY_COUNT; quantity++)
		if (strcmp(quantity_names[quantity], name) == 0)
			return (enum quantity)quantity;
	return QUANTITY_UNSET;
}

double evidence_median(double *values, size_t count)
{
	if (count == 0)
		return ABSENT_NUMBER;
	/* insertion sort: fleets are small, and qsort() is not pure */
	for (size_t i = 1; i < count; i++) {
		double value = values[i];
		size_t k = i;

		for (; k > 0 && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double evidence_deviation(double *values, size_t count, double median)
{
	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - median);
	return evidence_median(values, count);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* True if both are figures of the same thing, measured for the same plan or for none; devices may differ. */
static bool comparable(const struct evidence *a, const struct evidence *b)
{
	return a->quantity == b->quantity && a->precision == b->precision && same_text(a->class, b->class) &&
		same_text(a->plan_id, b->plan_id) && same_text(a->accelerator, b->accelerator);
}

static double age_days(const struct evidence *item, int64_t now_us)
{
	return fmax(0, (double)(now_us - item->measured_at_us) / us_per_day);
}

static double days_most(const struct evidence *item)
{
	return item->quantity == QUANTITY_RUN_PRACTICE ? EVIDENCE_RUN_DAYS : EVIDENCE_DAYS;
}

/* Halves of a benchmark's repetitions also differ by noise: by two intervals of the whole in one of a hundred.
 * Observed jobs are not repetitions. */
static double disagreement_most(const struct evidence *item)
{
	bool jobs = item->quantity == QUANTITY_STACK_SPEED || item->quantity == QUANTITY_RUN_PRACTICE;
	double interval = !jobs && item->value > 0 ? (item->high - item->low) / item->value : 0;

	return fmax(EVIDENCE_DISAGREEMENT, 2 * given_or(interval, 0));
}

/* Judges a figure by itself. */
static enum standing own_standing(const struct evidence *item, int64_t now_us)
{
	if (item->quantity == QUANTITY_GEMM_EFFICIENCY && !same_text(item->method, "library_gemm"))
		return STANDING_METHOD;
	if (age_days(item, now_us) > days_most(item))
		return STANDING_STALE;
	if (is_given(item->disagreement) && item->disagreement > disagreement_most(item))
		return STANDING_REPETITION;
	return STANDING_USED;
}

/* True if a usable figure of another device agrees that another key delivered. */
static bool is_seconded(const struct evidence *items, size_t count, size_t index, int64_t now_us)
{
	for (size_t i = 0; i < count; i++)
		if (i != index && comparable(&items[i], &items[index]) && !same_text(items[i].device, items[index].device) &&
			!same_text(items[i].bearer, items[index].bearer) && own_standing(&items[i], now_us) == STANDING_USED &&
			trust_agrees(items[i].value, items[index].value))
			return true;
	return false;
}

/* Judges a figure by itself, and whether it waits. */
static enum standing trusted_standing(const struct evidence *items, size_t count, size_t index, int64_t now_us)
{
	enum standing standing = own_standing(&items[index], now_us);

	return standing == STANDING_USED && items[index].held && !is_seconded(items, count, index, now_us) ? STANDING_HELD : standing;
}

/* Takes median and deviation of other devices' figures, those that are usable without the fleet. False: too few. */
static bool fleet_of(const struct evidence *items, size_t count, size_t index, int64_t now_us, double *median, double *deviation)
{
	double values[EVIDENCE_DEVICES_MAX];
	size_t others = 0;

	for (size_t i = 0; i < count && others < EVIDENCE_DEVICES_MAX; i++)
		if (i != index && comparable(&items[i], &items[index]) && !same_text(items[i].device, items[index].device) &&
			trusted_standing(items, count, i, now_us) == STANDING_USED)
			values[others++] = items[i].value;
	if (others < EVIDENCE_FLEET_LEAST)
		return false;
	*median = evidence_median(values, others);
	*deviation = fmax(evidence_deviation(values, others, *median), EVIDENCE_LEAST_MAD * *median);
	return true;
}

enum standing evidence_standing(const struct evidence *items, size_t count, size_t index, int64_t now_us, char *why, size_t size)
{
	const struct evidence *item = &items[index];
	enum standing standing = trusted_standing(items, count, index, now_us);
	double median = 0, deviation = 0;

	if (standing == STANDING_USED && fleet_of(items, count, index, now_us, &median, &deviation) &&
		fabs(item->value - median) > EVIDENCE_MADS * deviation)
		standing = STANDING_FLEET;
	if (!why || size == 0)
		return standing;
	why[0] = '\0';
	switch (standing) {
	case STANDING_METHOD:
		snprintf(why, size, "measured by %.40s: that is a bound, not the rate of a library's products",
			item->method ? item->method : "an unknown method");
		break;
	case STANDING_STALE:
		snprintf(why, size, "%.0f days old; plans use figures of at most %.0f days", age_days(item, now_us), days_most(item));
		break;
	case STANDING_REPETITION:
		snprintf(
			why, size, "its repetition disagrees by %.1f %%, more than %.0f %%", 100 * item->disagreement, 100 * disagreement_most(item));
		break;
	case STANDING_FLEET:
		snprintf(why, size, "other devices disagree: their median is %.4g, and this figure is %.1f deviations from it (at most %.0f)",
			median, fabs(item->value - median) / deviation, EVIDENCE_MADS);
		break;
	case STANDING_HELD:
		snprintf(why, size, "waits for an admin, or for a device of another key that agrees: %s", item->held);
		break;
	case STANDING_USED:
	case STANDING_COUNT:
		break;
	}
	return standing;
}

static bool is_wished(const struct evidence *item, const struct evidence_wish *wish)
{
	return item->quantity == wish->quantity && item->precision == wish->precision && same_text(item->class, wish->class) &&
		same_text(item->plan_id, wish->plan_id) && same_text(item->accelerator, wish->accelerator);
}

/* True if the figure is the newest usable one of its device: a device counts once. */
static bool is_newest(const struct evidence *items, size_t count, size_t index, const struct evidence_wish *wish, int64_t now_us)
{
	for (size_t i = 0; i < count; i++)
		if (i != index && is_wished(&items[i], wish) && same_text(items[i].device, items[index].device) &&
			(items[i].measured_at_us > items[index].measured_at_us || (i < index && items[i].measured_at_us == items[index].measured_at_us)) &&
			evidence_standing(items, count, i, now_us, NULL, 0) == STANDING_USED)
			return false;
	return true;
}

bool evidence_choose(
	const struct evidence *items, size_t count, const struct evidence_wish *wish, int64_t now_us, struct evidence_choice *choice)
{
	double values[EVIDENCE_DEVICES_MAX];
	size_t used = 0;

	*choice = (struct evidence_choice){.of_plan = wish->plan_id != NULL};
	for (size_t i = 0; i < count && used < EVIDENCE_DEVICES_MAX; i++) {
		const struct evidence *item = &items[i];

		if (!is_wished(item, wish) || evidence_standing(items, count, i, now_us, NULL, 0) != STANDING_USED ||
			!is_newest(items, count, i, wish, now_us))
			continue;
		choice->low = used ? fmin(choice->low, given_or(item->low, item->value)) : given_or(item->low, item->value);
		choice->high = used ? fmax(choice->high, given_or(item->high, item->value)) : given_or(item->high, item->value);
		if (!choice->newest || item->measured_at_us > choice->newest->measured_at_us)
			choice->newest = item;
		values[used++] = item->value;
	}
	if (used == 0)
		return false;
	choice->devices = (int)used;
	choice->value = evidence_median(values, used);
	choice->spread = evidence_deviation(values, used, choice->value);
	choice->age_days = age_days(choice->newest, now_us);
	return true;
}
