#include "planner/training/levers.h"
#include "planner/training/remarks.h"

/* A larger number is advised if it costs at least 0.5 % less or takes at least 10 % less time. */
static const double worth_mentioning = 0.995, soon_enough = 0.9;

static bool is_worth_a_word(const struct candidate_plan *larger, const struct candidate_plan *best)
{
	return larger->total_usd < worth_mentioning * best->total_usd || larger->wall_clock_hours < soon_enough * best->wall_clock_hours;
}

/* Returns the point of the curve with the next confidence above the request's; NULL: no number keeps the deadline with
 * it. */
static const struct confidence_point *next_confidence(const struct stage_schedule *schedule, const struct training_plan *plan)
{
	for (size_t i = 0; i < plan->confidence_count; i++)
		if (plan->confidence_curve[i].confidence > schedule->confidence + 1e-9)
			return &plan->confidence_curve[i];
	return NULL;
}

/* Warns of a deadline that is kept with the request's confidence but missed with a probability of 10 % or more. */
static void advise_deadline(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan)
{
	double deadline_hours = schedule->deadline_hours, late_hours = plan->recommended.interval.wall_clock_hours.p90;
	const struct confidence_point *next = next_confidence(schedule, plan);
	struct advice *advice;

	if (!is_given(deadline_hours) || late_hours <= deadline_hours || schedule->input->request.common.gpu_count > 0)
		return;
	advice = findings_advise(&plan->findings, "deadline_at_risk", "suggestion",
		"10 %% risk of taking longer than %.4g h; the deadline is %.4g h: raise confidence (now %.3g) if the deadline is hard", late_hours,
		deadline_hours, schedule->confidence);
	if (!next)
		snprintf(advice->effect, sizeof advice->effect, "no number of these accelerators keeps the deadline with the next higher confidence");
	else if (next->gpu_count > best->gpu_count)
		snprintf(advice->effect, sizeof advice->effect, "%lld accelerators keep the deadline with a confidence of %.3g",
			(long long)next->gpu_count, next->confidence);
}

void advice_of_larger(const struct candidate_plan *front, size_t count, const struct candidate_plan *best, struct training_plan *plan)
{
	const struct candidate_plan *larger = NULL;
	struct advice *advice;

	for (size_t i = 0; i < count; i++)
		if (front[i].candidate == best->candidate && front[i].gpu_count > best->gpu_count && front[i].priced &&
			front[i].wall_clock_hours < best->wall_clock_hours && front[i].total_usd < (larger ? larger->total_usd : best->total_usd) &&
			is_worth_a_word(&front[i], best))
			larger = &front[i];
	if (!larger)
		return;
	advice = findings_advise(&plan->findings, "more_accelerators", "suggestion",
		"%lld are the fewest that meet the deadline; %lld split the work more evenly, and are faster and cheaper",
		(long long)best->gpu_count, (long long)larger->gpu_count);
	snprintf(advice->effect, sizeof advice->effect, "%.4g hours and %.4g USD less", best->wall_clock_hours - larger->wall_clock_hours,
		best->total_usd - larger->total_usd);
}

void advice_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan)
{
	advise_deadline(schedule, best, plan);
	if (schedule->input->request.common.alternatives != 0 && !parts_are_omitted(PART_ADVICE, schedule->input->omitted)) /* 0: this plan only */
		levers_advise(schedule, best, plan);
}
