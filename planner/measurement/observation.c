#include "planner/measurement/observation.h"

#include <stdio.h>
#include <string.h>

#include "planner/measurement/evidence.h"
#include "planner/measurement/own_runs.h"

/* steps_agree: a run's hours and steps are measured apart. best_product: the largest measured matrix product over its
 * peak: Gaudi2, MAMF tables, stas00/ml-engineering. */
static const double steps_agree = 0.97, best_product = 0.97;

/* Step time and tokens/s of one job that differ by more than this describe different steps. */
static const double figures_agree = 0.05;

double observation_step_time_s(const struct observed_job *job)
{
	if (job->step_time_s > 0)
		return job->step_time_s;
	return job->tokens_per_s > 0 && job->step_tokens > 0 ? job->step_tokens / job->tokens_per_s : ABSENT_NUMBER;
}

const char *observation_refusal(const struct observed_job *job)
{
	double step_s = observation_step_time_s(job), speed = job->predicted_step_time_s / step_s;

	if (!(step_s > 0))
		return "neither step_time_s nor tokens_per_s was reported";
	if (job->pinned)
		return "the plan's mfu was given, so that the plan predicts no speed";
	if (!(job->predicted_step_time_s > 0))
		return "the plan predicts no time of a step";
	if (job->gpu_count >= 1 && job->gpu_count != job->planned_gpu_count)
		return "the job ran on another number of accelerators than planned";
	if (job->stack && job->planned_stack && strcmp(job->stack, job->planned_stack) != 0)
		return "the job ran another stack than planned";
	if (job->step_time_s > 0 && job->tokens_per_s > 0 && job->step_tokens > 0 &&
		fabs(job->step_tokens / job->tokens_per_s / job->step_time_s - 1) > figures_agree)
		return "step_time_s and tokens_per_s contradict each other for the plan's batch: they describe another batch";
	if (speed < OBSERVATION_SPEED_LEAST || speed > OBSERVATION_SPEED_MOST)
		return "more than 3 times faster or slower than its plan: this is not the planned job";
	return NULL;
}

const char *observation_run_refusal(const struct observed_run *run)
{
	double practice = run->hours / run->recipe_hours;

	if (!(run->hours > 0))
		return "no hours of a whole run were reported";
	if (!(run->recipe_hours > 0))
		return "the plan predicts no hours";
	if (run->gpu_count >= 1 && run->gpu_count != run->planned_gpu_count)
		return "the run used another number of accelerators than planned: plan that number, and report against that plan";
	if (run->stack && run->planned_stack && strcmp(run->stack, run->planned_stack) != 0)
		return "the run used another stack than planned: plan that stack, and report against that plan";
	if (practice < OWN_RUN_LEAST || practice > OWN_RUN_MOST)
		return "less than a third or more than 6 times the hours of its plan's steps: this is not the planned whole run";
	if (practice < steps_agree * run->step_ratio)
		return "its hours and its reported steps contradict each other: the steps take longer";
	if (run->hfu / practice > best_product)
		return "its hours are fewer than the best matrix products of any accelerator take";
	return NULL;
}

static size_t count_plans(const struct observed_speed *items, const bool *counts, size_t count)
{
	size_t plans = 0;

	for (size_t i = 0; i < count; i++) {
		bool seen = !counts[i];

		for (size_t k = 0; k < i && !seen; k++)
			seen = counts[k] && strcmp(items[k].plan_id, items[i].plan_id) == 0;
		plans += !seen;
	}
	return plans;
}

/* Returns a quantile of sorted values, interpolated between neighbours. */
static double quantile(const double *sorted, size_t count, double part)
{
	double place = part * (double)(count - 1), below = floor(place);
	size_t i = (size_t)below;

	return i + 1 < count ? sorted[i] + (place - below) * (sorted[i + 1] - sorted[i]) : sorted[count - 1];
}

/* Logarithms of geometric means that differ by less than this are equal. */
static const double rounding = 1e-6;

double observation_likeness(const struct observed_kind *kind)
{
	double params = kind->params_ratio > 0 ? fabs(log10(kind->params_ratio)) : 1,
		   gpus = kind->gpus_ratio > 0 ? fabs(log10(kind->gpus_ratio)) : 0;

	double unlike = params + gpus + !kind->same_precision;

	return unlike < rounding ? 1 : pow(OWN_RUNS_UNLIKE, unlike);
}

double observation_speed_at(double speed, double likeness)
{
	return pow(speed, likeness);
}

struct observed_stack observation_stack_at(const struct calibration *calibration, double gpu_count)
{
	double speed = CALIBRATED(calibration, stack_speed, 0), observed = CALIBRATED(calibration, stack_gpu_count, 0), likeness = 1;

	if (!(speed > 0))
		return (struct observed_stack){1, 1, 1, 0};
	if (observed > 0)
		likeness = observation_likeness(
			&(struct observed_kind){.params_ratio = 1, .gpus_ratio = observed / gpu_count, .same_precision = true});
	return (struct observed_stack){.speed = observation_speed_at(speed, likeness),
		.low = observation_speed_at(CALIBRATED(calibration, stack_low, speed), likeness),
		.high = observation_speed_at(CALIBRATED(calibration, stack_high, speed), likeness),
		.likeness = likeness * CALIBRATED(calibration, stack_likeness, 1)};
}

bool observation_consensus(const struct observed_speed *items, size_t count, struct observed_consensus *consensus)
{
	double values[OBSERVATIONS_MAX], deviations[OBSERVATIONS_MAX], median, allowed;
	bool *counts = consensus->counts;
	size_t kept = 0;

	*consensus = (struct observed_consensus){.value = ABSENT_NUMBER};
	count = count < OBSERVATIONS_MAX ? count : OBSERVATIONS_MAX;
	for (size_t i = 0; i < count; i++)
		values[i] = deviations[i] = items[i].speed;
	median = evidence_median(values, count);
	allowed = OBSERVATION_MADS * fmax(evidence_deviation(deviations, count, median), EVIDENCE_LEAST_MAD * median);
	for (size_t i = 0; i < count; i++) {
		counts[i] = fabs(items[i].speed - median) <= allowed;
		if (counts[i])
			values[kept++] = items[i].speed;
	}
	consensus->count = kept;
	consensus->plans = count_plans(items, counts, count);
	if (kept < OBSERVATIONS_LEAST || consensus->plans < OBSERVATION_PLANS_LEAST) {
		snprintf(consensus->why, sizeof consensus->why, "%zu of %zu observations from %zu plan%s agree: %d from %d plans are needed", kept,
			count, consensus->plans, consensus->plans == 1 ? "" : "s", OBSERVATIONS_LEAST, OBSERVATION_PLANS_LEAST);
		return false;
	}
	consensus->value = evidence_median(values, kept);
	consensus->low = quantile(values, kept, 0.1);
	consensus->high = quantile(values, kept, 0.9);
	memcpy(deviations, values, kept * sizeof *values);
	consensus->spread = evidence_deviation(deviations, kept, consensus->value);
	if (consensus->spread <= OBSERVATION_SPREAD_MOST * consensus->value)
		return true;
	snprintf(consensus->why, sizeof consensus->why, "%zu observations deviate by %.0f %% from their median; at most %.0f %% is allowed",
		kept, 100 * consensus->spread / consensus->value, 100 * OBSERVATION_SPREAD_MOST);
	return false;
}
