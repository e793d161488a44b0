#include "planner/training/option.h"

#include "base/units.h"
#include "planner/footprint/purchase.h"
#include "planner/interval.h"
#include "planner/training/inputs.h"
#include "planner/training/range.h"

static void option_intervals(const struct candidate_plan *candidate_plan, struct training_option *option)
{
	const struct candidate_plan_range *range = &candidate_plan->range;

	option->interval.step_time_s = range->step_time_s;
	option->interval.wall_clock_hours = range->wall_clock_hours;
	option->interval.gpu_hours = range->gpu_hours;
	option->interval.total_usd = range->total_usd;
	option->interval.total_kwh = range->total_kwh;
	option->interval.total_kgco2e = range->total_kgco2e;
}

static void provenance_note(
	struct training_option *option, const char *pointer, struct interval range, enum provenance_status status, const char *source)
{
	provenance_add(option->provenance, &option->provenance_count, pointer, range, status, source);
}

static struct interval around(double value, struct spread spread)
{
	return interval_of_spread(value, spread);
}

/* Returns the interval of a rate from that of its time: a long time is a low rate. */
static struct interval rate_around(double value, const struct candidate_plan *candidate_plan)
{
	const struct interval *time = &candidate_plan->range.step_time_s;

	return (struct interval){.p10 = value * time->p50 / time->p90, .p50 = value, .p90 = value * time->p50 / time->p10};
}

static void step_provenance(const struct candidate_plan *candidate_plan, struct training_option *option)
{
	const struct figure *mfu = figures_find(&option->inputs, "mfu");
	const struct {
		const char *pointer;
		double value;
	} rates[] = {{"/mfu", option->mfu}, {"/hfu", option->hfu}, {"/tflops_per_gpu", option->tflops_per_gpu},
		{"/tokens_per_s", option->tokens_per_s}, {"/tokens_per_s_per_gpu", option->tokens_per_s_per_gpu}};

	provenance_note(option, "/step/time_s", option->interval.step_time_s, mfu->status, mfu->source);
	for (size_t i = 0; i < COUNT_OF(rates); i++)
		provenance_note(option, rates[i].pointer, rate_around(rates[i].value, candidate_plan), mfu->status, mfu->source);
}

static void hours_provenance(
	const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct training_option *option)
{
	const struct training_request *request = &schedule->input->request;
	const struct reliability *job = &candidate_plan->reliability;
	const struct figure *mtbf = figures_find(&option->inputs, "reliability.mtbf_gpu_hours");
	double low = reliability_mtbf_hours(request, job, (double)candidate_plan->gpu_count, mtbf->low),
		   high = reliability_mtbf_hours(request, job, (double)candidate_plan->gpu_count, mtbf->high);
	struct interval fraction = {reliability_fraction(job, low), job->fraction, reliability_fraction(job, high)};
	struct interval hours = option->interval.wall_clock_hours;

	provenance_note(option, "/wall_clock_hours", hours, PROVENANCE_DERIVED, "E45: steps x step x practice over goodput");
	provenance_note(option, "/run_mfu",
		(struct interval){option->run_mfu * hours.p50 / hours.p90, 0, option->run_mfu * hours.p50 / hours.p10}, PROVENANCE_DERIVED,
		"E131: FLOPs of the training over accelerator-hours x peak");
	provenance_note(option, "/practice/value", (struct interval){option->practice.low, 0, option->practice.high}, PROVENANCE_DERIVED,
		"E131: product of practice.parts, each with its source");
	provenance_note(option, "/gpu_hours", option->interval.gpu_hours, PROVENANCE_DERIVED, "E45: wall clock x accelerators");
	provenance_note(
		option, "/goodput/fraction", fraction, PROVENANCE_DERIVED, "E49: Daly 2006; failure rates of Llama 3, OPT-175B and Meta RSC");
	provenance_note(option, "/goodput/mtbf_hours", (struct interval){low, 0, high}, mtbf->status, mtbf->source);
	provenance_note(option, "/goodput/expected_failures", (struct interval){hours.p10 / high, 0, hours.p90 / low}, PROVENANCE_DERIVED,
		"E46: hours over hours between failures");
	provenance_note(option, "/goodput/lost_hours", (struct interval){hours.p10 * (1 - fraction.p90), 0, hours.p90 * (1 - fraction.p10)},
		PROVENANCE_DERIVED, "E49: wall clock less useful hours");
	provenance_note(option, "/memory/total_bytes", (struct interval){option->memory.model_bytes, 0, option->memory.total_bytes * 1.08},
		PROVENANCE_DERIVED, "E35-E38");
}

static void cost_provenance(const struct candidate_plan *candidate_plan, struct training_option *option)
{
	const struct gpu_price *price = &candidate_plan->price;
	struct interval range = {price->low_usd_per_gpu_hour, price->usd_per_gpu_hour, price->high_usd_per_gpu_hour};
	const struct offer *offer = &option->cost.offer;

	if (!candidate_plan->priced)
		return;
	provenance_note(option, "/cost/usd_per_gpu_hour", range, price->status, price->source);
	provenance_note(option, "/cost/total_usd", option->interval.total_usd, PROVENANCE_DERIVED,
		candidate_plan->paid_hours > candidate_plan->wall_clock_hours
			? "E68, E110: accelerators x price x the hours that the commitment is paid for"
			: "E68: GPU-hours x price");
	provenance_note(option, "/cost/storage_usd", around(option->cost.storage_usd, candidate_plan->range.hours), PROVENANCE_DERIVED,
		"E104: GB x price x hours");
	provenance_note(option, "/cost/egress_usd", around(option->cost.egress_usd, spread_even(0)), PROVENANCE_DERIVED, "E104: GB x price");
	if (option->cost.has_currency) {
		double rate = option->cost.currency.rate.per_usd;
		struct interval total = option->interval.total_usd;

		provenance_note(option, "/cost/currency/total", (struct interval){total.p10 * rate, 0, total.p90 * rate}, PROVENANCE_DERIVED,
			"USD x per_usd of the request");
		provenance_note(option, "/cost/currency/per_gpu_hour", (struct interval){range.p10 * rate, 0, range.p90 * rate}, PROVENANCE_DERIVED,
			"USD x per_usd of the request");
	}
	if (price->has_offer)
		provenance_note(option, "/cost/offer/usd_per_gpu_hour",
			(struct interval){fmin(given_or(offer->low_usd_per_gpu_hour, offer->usd_per_gpu_hour), offer->usd_per_gpu_hour), 0,
				fmax(given_or(offer->high_usd_per_gpu_hour, offer->usd_per_gpu_hour), offer->usd_per_gpu_hour)},
			price->status, price->source);
}

static void monthly_provenance(const struct candidate_plan *candidate_plan, struct training_option *option)
{
	const struct footprint_spread *footprint = &candidate_plan->footprint.spread;
	static const char source[] = "E45: figure of a run x 730 hours / cadence";

	provenance_note(option, "/monthly/total_usd", around(option->monthly.total_usd, candidate_plan->range.usd), PROVENANCE_DERIVED, source);
	provenance_note(option, "/monthly/total_kwh",
		around(option->monthly.total_kwh, spread_joint(candidate_plan->range.hours, spread_even(footprint->total_kwh))), PROVENANCE_DERIVED,
		source);
	provenance_note(option, "/monthly/total_kgco2e",
		around(option->monthly.total_kgco2e, spread_joint(candidate_plan->range.hours, spread_even(footprint->total_kgco2e))),
		PROVENANCE_DERIVED, source);
}

/* Returns the MFU with its range and source. */
static struct figure mfu_figure(
	const struct stage_schedule *schedule, const struct candidate *candidate, const struct candidate_plan *candidate_plan, double mfu)
{
	bool pinned = is_given(schedule->input->request.mfu), calibrated = range_is_calibrated(candidate);
	struct interval range = rate_around(mfu, candidate_plan);

	return (struct figure){"mfu", mfu, range.p10, range.p90,
		pinned           ? "request: mfu; the range is the variation of a week's mean"
			: calibrated ? candidate->calibration.source
						 : "E32: step model, constants fitted to published runs",
		pinned           ? PROVENANCE_GIVEN
			: calibrated ? PROVENANCE_MEASURED
						 : PROVENANCE_DERIVED};
}

static void option_provenance(
	const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct training_option *option)
{
	const struct candidate had = candidate_plan_as_priced(schedule, candidate_plan);
	struct figure mfu = mfu_figure(schedule, &had, candidate_plan, option->mfu);
	struct footprint footprint = candidate_plan->footprint;

	option_intervals(candidate_plan, option);
	inputs_of_candidate_plan(schedule, candidate_plan, &mfu, &option->inputs);
	option->provenance_count = 0;
	step_provenance(candidate_plan, option);
	hours_provenance(schedule, candidate_plan, option);
	cost_provenance(candidate_plan, option);
	footprint.carbon = option->carbon;
	footprint_provenance(&footprint, &had.site, candidate_plan->range.hours, option->provenance, &option->provenance_count);
	monthly_provenance(candidate_plan, option);
}

static void option_rates(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct training_option *option)
{
	const struct candidate had = candidate_plan_as_priced(schedule, candidate_plan), *candidate = &had;
	enum precision precision = schedule->input->request.common.precision;
	double peak, available, n = (double)candidate_plan->gpu_count;
	double tokens = candidate_plan->found.step.samples * schedule->stages[candidate_plan->main_stage].sequence, flops = 0;

	if (precision == PRECISION_UNSET)
		precision = accelerator_training_precision(&candidate->accelerator);
	peak = accelerator_peak_flops_per_s(&candidate->accelerator, precision, NULL);
	available = option->step.time_s * n * peak;
	option->mfu = candidate_plan->found.step.model_flops / available;
	for (size_t i = 0; i < schedule->stage_count; i++)
		flops += schedule->stages[i].tokens * training_flops_per_token(schedule->input, schedule->stages[i].sequence);
	option->run_mfu = flops / (option->gpu_hours * SECONDS_PER_HOUR * peak);
	option->hfu = candidate_plan->found.step.hardware_flops / available;
	option->tflops_per_gpu = option->mfu * peak / FLOPS_PER_TFLOP;
	option->tokens_per_s = tokens / option->step.time_s;
	option->tokens_per_s_per_gpu = option->tokens_per_s / n;
}

static void option_monthly(const struct stage_schedule *schedule, struct training_option *option)
{
	double cadence = schedule->input->request.cadence_hours, runs = HOURS_PER_MONTH / cadence;

	option->monthly.total_usd = is_given(cadence) ? option->cost.total_usd * runs : ABSENT_NUMBER;
	option->monthly.total_kwh = is_given(cadence) ? option->energy.total_kwh * runs : ABSENT_NUMBER;
	option->monthly.total_kgco2e = is_given(cadence) ? option->carbon.total_kgco2e * runs : ABSENT_NUMBER;
}

static void option_currency(const struct currency *currency, struct cost *cost)
{
	cost->has_currency = currency->per_usd > 0 && is_given(cost->total_usd);
	if (!cost->has_currency)
		return;
	cost->currency.rate = *currency;
	cost->currency.total = cost->total_usd * currency->per_usd;
	cost->currency.per_gpu_hour = cost->usd_per_gpu_hour * currency->per_usd;
}

void training_option_fill(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct training_option *option)
{
	const struct candidate had = candidate_plan_as_priced(schedule, candidate_plan), *candidate = &had;

	option->accelerator = candidate->accelerator;
	option->gpu_count = candidate_plan->gpu_count;
	option->node_count = candidate_plan->node_count;
	option->parallelism = candidate_plan->found.layout;
	option->memory = candidate_plan->found.memory;
	option->step = candidate_plan->found.step.time;
	option->wall_clock_hours = candidate_plan->wall_clock_hours;
	option->gpu_hours = candidate_plan->gpu_hours;
	option->goodput.fraction = candidate_plan->reliability.fraction;
	option->goodput.checkpoint_interval_minutes = candidate_plan->reliability.interval_hours * 60;
	option->goodput.checkpoint_s = candidate_plan->reliability.checkpoint_hours * SECONDS_PER_HOUR;
	option->goodput.mtbf_hours = candidate_plan->reliability.mtbf_hours;
	option->goodput.spare_nodes = candidate_plan->reliability.spare_nodes;
	option->goodput.expected_failures = candidate_plan->wall_clock_hours / candidate_plan->reliability.mtbf_hours;
	option->goodput.lost_hours = candidate_plan->wall_clock_hours * (1 - candidate_plan->reliability.fraction);
	option->practice = candidate_plan->practice;
	option->promise_count = range_promises(schedule, candidate_plan, option->promises);
	option->cost = (struct cost){.total_usd = candidate_plan->priced ? candidate_plan->total_usd : ABSENT_NUMBER,
		.usd_per_gpu_hour = candidate_plan->priced ? candidate_plan->price.usd_per_gpu_hour : ABSENT_NUMBER,
		.storage_usd = is_given(schedule->input->request.common.pricing.storage_usd_per_gb_month) ? candidate_plan->data_cost.storage_usd
																								  : ABSENT_NUMBER,
		.egress_usd = is_given(schedule->input->request.common.pricing.egress_usd_per_gb) ? candidate_plan->data_cost.egress_usd
																						  : ABSENT_NUMBER,
		.has_offer = candidate_plan->price.has_offer,
		.offer = candidate->offer};
	option_currency(&schedule->input->request.common.pricing.currency, &option->cost);
	option->has_purchase = purchase_of(&schedule->input->request.common.pricing, candidate, candidate_plan->gpu_count,
		candidate_plan->footprint.energy.total_kwh * WATTS_PER_KW / fmax(1e-12, candidate_plan->gpu_hours),
		candidate_plan->wall_clock_hours, &option->purchase);
	option->energy = candidate_plan->footprint.energy;
	option->carbon = candidate_plan->footprint.carbon;
	option->carbon.gco2e_per_thousand_tokens = option->carbon.total_kgco2e * 1e6 / schedule->tokens_total;
	option->water_l = candidate_plan->footprint.water_l;
	option->bottleneck = step_bottleneck(&candidate_plan->found.step);
	option_rates(schedule, candidate_plan, option);
	option_monthly(schedule, option);
	option_provenance(schedule, candidate_plan, option);
	CHECK(isfinite(option->mfu) && isfinite(option->hfu) && isfinite(option->step.time_s) && isfinite(option->wall_clock_hours));
	CHECK(isfinite(option->gpu_hours) && isfinite(option->energy.total_kwh) && isfinite(option->carbon.total_kgco2e));
	CHECK(isfinite(option->memory.total_bytes) && isfinite(option->goodput.lost_hours) && isfinite(option->tokens_per_s));
}
