#include "planner/training/range.h"

#include <string.h>

#include "planner/interval.h"
#include "planner/measurement/observation.h"
#include "planner/training/ground.h"
#include "planner/training/scope.h"

bool range_is_calibrated(const struct candidate *candidate)
{
	return CALIBRATED(&candidate->calibration, gemm_efficiency, 0) > 0 || CALIBRATED(&candidate->calibration, stack_speed, 0) > 0;
}

double range_measured_log_sigma(const struct calibration *calibration, const struct bottleneck_use *use)
{
	const double parts[] = {
		use->shares[BOTTLENECK_MEMORY_BANDWIDTH] * calibration_log_sigma(calibration->memory_low, calibration->memory_high),
		use->shares[BOTTLENECK_LAUNCH_OVERHEAD] * calibration_log_sigma(calibration->kernel_launch_low_s, calibration->kernel_launch_high_s),
		use->shares[BOTTLENECK_HOST_TRANSFER] * calibration_log_sigma(calibration->host_low_bytes_per_s, calibration->host_high_bytes_per_s),
		use->shares[BOTTLENECK_INTERCONNECT] *
			calibration_log_sigma(calibration->collective_low_bytes_per_s, calibration->collective_high_bytes_per_s),
	};
	double sigma = 0;

	for (size_t i = 0; calibration->id && i < COUNT_OF(parts); i++)
		sigma = interval_joint_sigma(sigma, parts[i]);
	return sigma;
}

/* E126. Returns the spread that remains after a measurement. A measured ceiling of products leaves the spread of that
 * measurement. Observed steps leave their disagreement and the variation of a week's mean. Observed jobs unlike the
 * planned one also leave what their likeness l leaves open (E148): sigma^2 (1 - l^2); stack_low and stack_high already
 * are at that distance. The result is never more than without the measurement. */
static double calibrated_log_sigma(const struct calibration *calibration, const struct candidate_plan *candidate_plan, double sigma)
{
	struct bottleneck_use use = step_bottleneck(&candidate_plan->found.step);
	struct observed_stack stack = observation_stack_at(calibration, (double)candidate_plan->gpu_count);
	double own, likeness = stack.likeness;

	if (likeness > 0) {
		own = interval_log_sigma(stack.low, stack.high);
		return fmin(sigma,
			sqrt(sigma * sigma * (1 - likeness * likeness) + likeness * likeness * STEP_LOG_SIGMA_GIVEN * STEP_LOG_SIGMA_GIVEN + own * own));
	}
	if (CALIBRATED(calibration, gemm_efficiency, 0) > 0) {
		own = calibration_log_sigma(calibration->gemm_low, calibration->gemm_high);
		sigma = fmin(sigma, sqrt(sigma * sigma - STEP_LOG_SIGMA_CEILING * STEP_LOG_SIGMA_CEILING + own * own));
	}
	return interval_joint_sigma(sigma, range_measured_log_sigma(calibration, &use));
}

static double published_log_sigma(const struct stage_schedule *schedule, const struct candidate *candidate)
{
	enum precision precision = schedule->input->request.common.precision;
	double ground = ground_log_sigma(&schedule->input->request, &schedule->input->model, candidate);
	bool compiled = device_is_compiled(&candidate->accelerator);

	if (precision == PRECISION_UNSET)
		precision = accelerator_training_precision(&candidate->accelerator);
	if (schedule->input->model.params_active < schedule->input->model.params_total)
		return interval_joint_sigma(STEP_LOG_SIGMA_EXPERTS, ground);
	return interval_joint_sigma(
		precision_weight_bytes(precision) >= 2 && device_architecture_year(&candidate->accelerator) >= STEP_LOG_SIGMA_NEW_YEAR && !compiled
			? STEP_LOG_SIGMA_NEW
			: STEP_LOG_SIGMA,
		ground);
}

double range_step_log_sigma(
	const struct stage_schedule *schedule, const struct candidate *candidate, const struct candidate_plan *candidate_plan)
{
	if (is_given(schedule->input->request.mfu))
		return STEP_LOG_SIGMA_GIVEN;
	return calibrated_log_sigma(&candidate->calibration, candidate_plan,
		interval_joint_sigma(published_log_sigma(schedule, candidate), scope_log_sigma(schedule, candidate_plan)));
}

/* Returns the spread of wall clock over useful hours from the published failure rates; 0 for a rate that the request
 * gives. */
static double failure_log_sigma(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	const struct training_request *request = &schedule->input->request;
	const struct reliability *job = &candidate_plan->reliability;
	double n = (double)candidate_plan->gpu_count;

	if (is_given(request->reliability.mtbf_gpu_hours))
		return 0;
	return interval_log_sigma(reliability_fraction(job, reliability_mtbf_hours(request, job, n, RELIABILITY_MTBF_LOW_GPU_HOURS)),
		reliability_fraction(job, reliability_mtbf_hours(request, job, n, RELIABILITY_MTBF_HIGH_GPU_HOURS)));
}

/* Returns the spread of the price, from the range of offers: no price is below the cheapest, and the upward spread is
 * at most that of the offers. */
static struct spread price_spread(const struct candidate_plan *candidate_plan)
{
	double low = candidate_plan->price.low_usd_per_gpu_hour, usd = candidate_plan->price.usd_per_gpu_hour,
		   high = candidate_plan->price.high_usd_per_gpu_hour;

	return low > 0 && high > low
		? (struct spread){spread_of_range(low, usd, high).low, fmin(spread_of_range(low, usd, high).high, interval_log_sigma(low, high))}
		: spread_even(0);
}

/* Shares of the cost in proportion to the price of accelerators, and in proportion to hours (without the accelerators
 * where a commitment is paid for longer than the run). */
static double price_share(const struct candidate_plan *candidate_plan)
{
	return candidate_plan->total_usd > 0 ? candidate_plan->price.usd_per_gpu_hour * candidate_plan->gpu_hours / candidate_plan->total_usd : 0;
}

static double hours_share(const struct candidate_plan *candidate_plan)
{
	double by_hours = candidate_plan->paid_hours > candidate_plan->wall_clock_hours ? 0 : price_share(candidate_plan);

	return candidate_plan->total_usd > 0 ? by_hours + candidate_plan->data_cost.storage_usd / candidate_plan->total_usd : 0;
}

/* E108. Cost is a sum: accelerators by price and hours, storage by hours, egress by neither. */
static struct spread usd_spread(const struct candidate_plan *candidate_plan, struct spread hours, struct spread price)
{
	double by_hours = hours_share(candidate_plan), by_price = price_share(candidate_plan);

	return spread_joint(
		(struct spread){by_price * price.low, by_price * price.high}, (struct spread){by_hours * hours.low, by_hours * hours.high});
}

static struct interval not_below(struct interval range, double least)
{
	range.p10 = fmin(range.p50, fmax(range.p10, least));
	return range;
}

void range_fill(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan)
{
	struct candidate_plan_range *range = &candidate_plan->range;
	const struct footprint_spread *footprint = &candidate_plan->footprint.spread;
	double bound = candidate_plan->least_step_s / candidate_plan->found.step.time.time_s; /* factor on the step time */
	double least_hours = candidate_plan->wall_clock_hours / candidate_plan->practice.value * bound;

	range->step = spread_even(candidate_plan->step_log_sigma);
	range->failures = spread_even(failure_log_sigma(schedule, candidate_plan));
	range->practice = practice_spread(&candidate_plan->practice);
	range->hours = spread_joint(range->step, spread_joint(range->failures, range->practice));
	range->step_time_s = not_below(interval_of_spread(candidate_plan->found.step.time.time_s, range->step), candidate_plan->least_step_s);
	range->wall_clock_hours = not_below(interval_of_spread(candidate_plan->wall_clock_hours, range->hours), least_hours);
	range->hours.low = spread_of_range(range->wall_clock_hours.p10, candidate_plan->wall_clock_hours, candidate_plan->wall_clock_hours)
						   .low; /* cost and energy have the same bound */
	range->usd = usd_spread(candidate_plan, range->hours, price_spread(candidate_plan));
	range->gpu_hours = interval_of_spread(candidate_plan->gpu_hours, range->hours);
	range->total_usd = interval_of_spread(candidate_plan->priced ? candidate_plan->total_usd : ABSENT_NUMBER, range->usd);
	range->total_kwh = interval_of_spread(
		candidate_plan->footprint.energy.total_kwh, spread_joint(range->hours, spread_even(footprint->total_kwh)));
	range->total_kgco2e = interval_of_spread(
		candidate_plan->footprint.carbon.total_kgco2e, spread_joint(range->hours, spread_even(footprint->total_kgco2e)));
}

size_t range_promises(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct promised *promises)
{
	const struct training_request *request = &schedule->input->request;
	const struct candidate_plan_range *range = &candidate_plan->range;
	const struct {
		const char *what;
		double limit;
		const struct interval *range;
	} limits[PROMISES_MAX] = {
		{"deadline", schedule->deadline_hours, &range->wall_clock_hours},
		{"budget", request->budget_usd, &range->total_usd},
		{"energy_cap", request->common.energy_cap_kwh, &range->total_kwh},
		{"carbon_cap", request->common.carbon_cap_kgco2e, &range->total_kgco2e},
	};
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		if (!is_given(limits[i].limit))
			continue;
		promises[count++] = (struct promised){
			limits[i].what, limits[i].limit, is_given(limits[i].range->p50) ? interval_probability(limits[i].range, limits[i].limit) : 0};
	}
	return count;
}

bool range_keeps(const struct stage_schedule *schedule, const struct interval *figure, double limit)
{
	return interval_probability(figure, limit) >= schedule->confidence;
}

bool range_keeps_promises(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	struct promised promises[PROMISES_MAX];
	size_t count = range_promises(schedule, candidate_plan, promises);

	for (size_t i = 0; i < count; i++)
		if (promises[i].probability < schedule->confidence)
			return false;
	return true;
}

/* A source of uncertainty: its spreads of the hours and of the price, and what would reduce them. */
struct source {
	const char *field, *cure;
	struct spread hours, price;
};

static size_t sources_of(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct source *sources)
{
	const struct candidate *candidate = &schedule->input->candidates[candidate_plan->candidate];
	size_t count = 0;

	if (!is_given(schedule->input->request.mfu))
		sources[count++] = (struct source){"step",
			range_is_calibrated(candidate) ? "time a few steps of this plan's layout and give their mfu"
										   : "run a benchmark of the plan on this accelerator (POST /v1/benchmarks with plan_id)",
			candidate_plan->range.step, {0, 0}};
	for (size_t i = 0; i < candidate_plan->practice.part_count; i++) {
		const struct practice_part *part = &candidate_plan->practice.parts[i];
		const char *cure = strcmp(part->name, "software") == 0 ? "name the software and its release (stack, stack_release)"
			: strcmp(part->name, "layout") == 0
			? "pin the layout that will run (parallelism), or report steps of jobs of your own (POST /v1/observations)"
			: "report the hours of runs of your own (POST /v1/observations)";

		sources[count++] = (struct source){part->name, cure, spread_of_range(part->low, part->factor, part->high), {0, 0}};
	}
	sources[count++] = (struct source){
		"failures", "give reliability.mtbf_gpu_hours of your own machines", candidate_plan->range.failures, {0, 0}};
	if (candidate_plan->priced)
		sources[count++] = (struct source){
			"price", "get a quote and give it as pricing.usd_per_gpu_hour", {0, 0}, price_spread(candidate_plan)};
	return count;
}

/* Returns a spread without one of its independent parts. */
static struct spread spread_without(struct spread all, struct spread part)
{
	return (struct spread){
		sqrt(fmax(0, all.low * all.low - part.low * part.low)), sqrt(fmax(0, all.high * all.high - part.high * part.high))};
}

/* Compares by cost, or by hours where there is no price. At a confidence of one half no uncertainty costs anything:
 * then by spread. */
static bool costs_more(
	const struct candidate_plan *candidate_plan, const struct uncertainty *a, double spread_a, const struct uncertainty *b, double spread_b)
{
	double of_all = candidate_plan->priced ? candidate_plan->total_usd : candidate_plan->wall_clock_hours;
	double more = (candidate_plan->priced ? a->total_usd - b->total_usd : a->wall_clock_hours - b->wall_clock_hours) / of_all;

	return fabs(more) > 1e-9 ? more > 0 : spread_a > spread_b;
}

size_t range_uncertainties(
	const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct uncertainty *uncertainties)
{
	struct source sources[UNCERTAINTIES_MAX];
	double spreads[UNCERTAINTIES_MAX];
	size_t count = sources_of(schedule, candidate_plan, sources), kept = 0;
	const struct candidate_plan_range *range = &candidate_plan->range;
	double hours = interval_quantile(&range->wall_clock_hours, schedule->confidence);
	double usd = candidate_plan->priced ? interval_quantile(&range->total_usd, schedule->confidence) : ABSENT_NUMBER;

	for (size_t i = 0; i < count; i++) {
		struct spread left = spread_without(range->hours, sources[i].hours);
		struct interval known = interval_of_spread(candidate_plan->wall_clock_hours, left),
						known_usd = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
		struct uncertainty entry = {
			.field = sources[i].field, .cure = sources[i].cure, .wall_clock_hours = hours - interval_quantile(&known, schedule->confidence)};
		double spread = fmax(sources[i].hours.high, sources[i].price.high);
		size_t at = kept;

		if (candidate_plan->priced)
			known_usd = interval_of_spread(candidate_plan->total_usd,
				usd_spread(candidate_plan, left, spread_without(price_spread(candidate_plan), sources[i].price)));
		entry.total_usd = candidate_plan->priced ? usd - interval_quantile(&known_usd, schedule->confidence) : ABSENT_NUMBER;
		if (!(sources[i].hours.low > 0 || sources[i].hours.high > 0 || sources[i].price.high > 0))
			continue;
		for (; at > 0 && costs_more(candidate_plan, &entry, spread, &uncertainties[at - 1], spreads[at - 1]); at--) {
			uncertainties[at] = uncertainties[at - 1];
			spreads[at] = spreads[at - 1];
		}
		uncertainties[at] = entry;
		spreads[at] = spread;
		kept++;
	}
	return kept;
}
