#include "service/alternatives.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Differences below it are not worth a word. */
static const double least_difference = 0.01;

enum { USUAL_ALTERNATIVES = 5, OPTIONS_MAX = TRAINING_OPTIONS_MAX };
_Static_assert((int)INFERENCE_OPTIONS_MAX <= (int)OPTIONS_MAX, "options of a service");

enum difference { DIFFERENT_ACCELERATOR, DIFFERENT_NUMBER, DIFFERENT_PLACE, DIFFERENT_LAYOUT };

/* The recommended option, and the options that may be shown beside it. */
struct choice {
	struct alternative best;
	size_t count;
	struct alternative others[OPTIONS_MAX];
	enum objective objective;
	size_t limit;
	bool different_only;
	size_t *shown_count;
	struct alternative *shown;
};

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_place(const struct alternative *a, const struct alternative *b)
{
	return same_text(a->provider, b->provider) && same_text(a->region, b->region);
}

static enum difference difference_of(const struct alternative *best, const struct alternative *other)
{
	double ratio = (double)other->gpu_count / (double)best->gpu_count;

	if (!same_text(other->accelerator, best->accelerator))
		return DIFFERENT_ACCELERATOR;
	if (ratio >= OTHER_NUMBER || ratio <= 1 / OTHER_NUMBER)
		return DIFFERENT_NUMBER;
	return same_place(other, best) ? DIFFERENT_LAYOUT : DIFFERENT_PLACE;
}

static double usd_of(const struct alternative *alternative)
{
	return given_or(alternative->total_usd, alternative->usd_per_month);
}

/* True if one figure is lower by a difference that is worth a word. */
static bool is_better_in_one(const struct alternative *best, const struct alternative *other)
{
	return usd_of(other) < (1 - least_difference) * usd_of(best) || other->total_kgco2e < (1 - least_difference) * best->total_kgco2e ||
		other->total_kwh < (1 - least_difference) * best->total_kwh ||
		other->wall_clock_hours < (1 - least_difference) * best->wall_clock_hours;
}

/* True if a reader would consider it: another accelerator, or another number or place that is better in one figure. */
static bool is_choice(const struct alternative *best, const struct alternative *other)
{
	enum difference difference = difference_of(best, other);

	return difference == DIFFERENT_ACCELERATOR || (difference != DIFFERENT_LAYOUT && is_better_in_one(best, other));
}

/* The figure that the request minimises; a service without a time is judged by its cost. */
static double score_of(const struct choice *choice, const struct alternative *alternative)
{
	double score = ABSENT_NUMBER;

	switch (choice->objective) {
	case OBJECTIVE_TIME:
		score = alternative->wall_clock_hours;
		break;
	case OBJECTIVE_ENERGY:
		score = alternative->total_kwh;
		break;
	case OBJECTIVE_CARBON:
		score = alternative->total_kgco2e;
		break;
	case OBJECTIVE_GPUS:
		score = (double)alternative->gpu_count;
		break;
	case OBJECTIVE_UNSET:
	case OBJECTIVE_COST:
		break;
	}
	score = given_or(score, usd_of(alternative));
	return given_or(score, 1e12 * (double)alternative->gpu_count);
}

PRINTF_LIKE(2, 3) static void append(char text[ALTERNATIVE_REASON_MAX], const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, ALTERNATIVE_REASON_MAX - length, format, arguments);
	va_end(arguments);
}

/* Appends "costs 12 % more", or from twice on "costs 2.5 times as much". */
static void append_ratio(char text[ALTERNATIVE_REASON_MAX], const char *verb, double value, double reference)
{
	double ratio = value / reference;

	if (!(fabs(ratio - 1) >= least_difference) || !isfinite(ratio))
		return;
	append(text, text[strlen(text) - 1] == ':' ? " %s " : ", %s ", verb);
	if (ratio >= 2)
		append(text, "%.3g times as much", ratio);
	else
		append(text, "%.0f %% %s", fmax(1, 100 * fabs(ratio - 1)), ratio > 1 ? "more" : "less");
}

/* Writes "another accelerator: costs 12 % more, ends 3.2 days sooner, emits 20 % less". */
static void write_reason(const struct alternative *best, enum objective objective, struct alternative *other)
{
	static const char *const names[] = {
		[DIFFERENT_ACCELERATOR] = "another accelerator", [DIFFERENT_NUMBER] = "another number", [DIFFERENT_PLACE] = "another place", [DIFFERENT_LAYOUT] = "nearly the same"};
	enum difference difference = difference_of(best, other);
	char *text = other->reason;
	double sooner_hours = best->wall_clock_hours - other->wall_clock_hours;
	size_t length;

	snprintf(text, ALTERNATIVE_REASON_MAX, "%s%s:", is_choice(best, other) || difference == DIFFERENT_LAYOUT ? "" : "worse, ",
		names[difference]);
	length = strlen(text);
	append_ratio(text, "costs", usd_of(other), usd_of(best));
	if (is_given(usd_of(best)) && !is_given(usd_of(other)))
		append(text, " has no known price");
	if (fabs(sooner_hours) >= least_difference * best->wall_clock_hours)
		append(text, "%s ends %.3g %s %s", text[strlen(text) - 1] == ':' ? "" : ",", fabs(sooner_hours) / (fabs(sooner_hours) >= 48 ? 24 : 1),
			fabs(sooner_hours) >= 48 ? "days" : "hours", sooner_hours > 0 ? "sooner" : "later");
	append_ratio(text, "emits", other->total_kgco2e, best->total_kgco2e);
	if (objective == OBJECTIVE_ENERGY)
		append_ratio(text, "takes energy:", other->total_kwh, best->total_kwh);
	if (strlen(text) == length)
		append(text, " about the same figures");
}

static bool is_same(const struct alternative *a, const struct alternative *b)
{
	return a->gpu_count == b->gpu_count && same_text(a->accelerator, b->accelerator) && same_place(a, b) &&
		!(fabs(usd_of(a) - usd_of(b)) > 1e-6 * usd_of(a));
}

static bool is_shown(const struct choice *choice, const struct alternative *other)
{
	bool shown = is_same(other, &choice->best);

	for (size_t i = 0; i < *choice->shown_count; i++)
		shown |= is_same(other, &choice->shown[i]);
	return shown;
}

static void show(struct choice *choice, const struct alternative *other)
{
	struct alternative *place = &choice->shown[*choice->shown_count];

	*place = *other;
	write_reason(&choice->best, choice->objective, place);
	++*choice->shown_count;
}

/* Shows the best option that differs in this way. A second accelerator must be a third kind. */
static void show_different(struct choice *choice, enum difference difference)
{
	const struct alternative *found = NULL;

	for (size_t i = 0; i < choice->count; i++) {
		const struct alternative *other = &choice->others[i];
		bool again = is_shown(choice, other) || difference_of(&choice->best, other) != difference || !is_choice(&choice->best, other);

		for (size_t k = 0; k < *choice->shown_count; k++)
			again |= difference == DIFFERENT_ACCELERATOR && same_text(choice->shown[k].accelerator, other->accelerator);
		if (!again && (!found || score_of(choice, other) < score_of(choice, found)))
			found = other;
	}
	if (found)
		show(choice, found);
}

/* Shows the options that are not shown yet. `others`: also those that differ little from the recommended one, or are
 * worse. */
static void show_options(struct choice *choice, bool others)
{
	for (size_t i = 0; i < choice->count && *choice->shown_count < choice->limit; i++) {
		const struct alternative *other = &choice->others[i];

		if (!is_shown(choice, other) && (others || is_choice(&choice->best, other)))
			show(choice, other);
	}
}

/* Shows the three that differ, the best first, and then the other options. */
static void choose(struct choice *choice)
{
	static const enum difference order[] = {DIFFERENT_ACCELERATOR, DIFFERENT_NUMBER, DIFFERENT_PLACE, DIFFERENT_ACCELERATOR};

	*choice->shown_count = 0;
	for (size_t i = 0; i < COUNT_OF(order) && *choice->shown_count < LEAN_ALTERNATIVES && *choice->shown_count < choice->limit; i++)
		show_different(choice, order[i]);
	for (size_t i = 1; i < *choice->shown_count; i++)
		for (size_t j = i; j > 0 && score_of(choice, &choice->shown[j]) < score_of(choice, &choice->shown[j - 1]); j--) {
			struct alternative swapped = choice->shown[j];

			choice->shown[j] = choice->shown[j - 1];
			choice->shown[j - 1] = swapped;
		}
	if (choice->different_only && choice->limit > LEAN_ALTERNATIVES)
		choice->limit = LEAN_ALTERNATIVES;
	show_options(choice, false);
	if (!choice->different_only)
		show_options(choice, true);
	for (size_t i = 0; i < *choice->shown_count; i++)
		if (same_place(&choice->shown[i], &choice->best))
			choice->shown[i].provider = choice->shown[i].region = NULL; /* said once, by the recommended option */
}

static size_t limit_of(const struct request_common *common)
{
	return common->alternatives < 0 ? USUAL_ALTERNATIVES : common->alternatives < OPTIONS_MAX ? (size_t)common->alternatives : OPTIONS_MAX;
}

/* Sets what the request says. The list of others is long and not cleared. */
static void choice_init(struct choice *choice, const struct request_common *common, unsigned omitted)
{
	choice->objective = common->objective;
	choice->limit = limit_of(common);
	choice->different_only = parts_are_omitted(PART_ALTERNATIVES, omitted);
	choice->count = 0;
}

static struct alternative of_training(const struct training_option *option)
{
	const struct offer *offer = option->cost.has_offer ? &option->cost.offer : NULL;

	return (struct alternative){.accelerator = option->accelerator.id,
		.provider = offer ? offer->provider : NULL,
		.region = offer ? offer->region : NULL,
		.gpu_count = option->gpu_count,
		.replicas = ABSENT_COUNT,
		.wall_clock_hours = option->wall_clock_hours,
		.gpu_hours = option->gpu_hours,
		.total_usd = option->cost.total_usd,
		.usd_per_month = ABSENT_NUMBER,
		.total_kwh = option->energy.total_kwh,
		.total_kgco2e = option->carbon.total_kgco2e,
		.training = option};
}

void alternatives_of_training(struct training_plan *plan, const struct request_common *common, unsigned omitted)
{
	UNCLEARED struct choice choice;

	choice_init(&choice, common, omitted);
	choice.best = of_training(&plan->recommended);
	choice.shown = plan->shown;
	choice.shown_count = &plan->shown_count;
	for (size_t i = 0; i < plan->alternative_count; i++)
		choice.others[choice.count++] = of_training(&plan->alternatives[i]);
	choose(&choice);
}

static struct alternative of_service(const struct inference_option *option)
{
	const struct offer *offer = option->cost.has_offer ? &option->cost.offer : NULL;

	return (struct alternative){.accelerator = option->accelerator.id,
		.provider = offer ? offer->provider : NULL,
		.region = offer ? offer->region : NULL,
		.gpu_count = option->gpu_count,
		.replicas = option->replicas,
		.wall_clock_hours = ABSENT_NUMBER,
		.gpu_hours = ABSENT_NUMBER,
		.total_usd = ABSENT_NUMBER,
		.usd_per_month = option->cost.usd_per_month,
		.total_kwh = option->energy.kwh_per_month,
		.total_kgco2e = option->carbon.kgco2e_per_month,
		.service = option};
}

void alternatives_of_service(struct inference_plan *plan, const struct request_common *common, unsigned omitted)
{
	UNCLEARED struct choice choice;

	choice_init(&choice, common, omitted);
	choice.best = of_service(&plan->recommended);
	choice.shown = plan->shown;
	choice.shown_count = &plan->shown_count;
	for (size_t i = 0; i < plan->alternative_count; i++)
		choice.others[choice.count++] = of_service(&plan->alternatives[i]);
	choose(&choice);
}
