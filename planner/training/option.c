#include "planner/training/option.h"

#include "base/units.h"
#include "planner/interval.h"
#include "planner/training/inputs.h"

static bool is_calibrated(const struct candidate *candidate)
{
	return CALIBRATED(&candidate->calibration, gemm_efficiency, 0) > 0 || CALIBRATED(&candidate->calibration, stack_speed, 0) > 0;
}

/* E126. What is left of the spread once something was measured: the ceiling of products is known as well as it was measured; observed steps
 * leave what they disagree by, and what a week's mean varies. Never more than without. */
static double calibrated_log_sigma(const struct calibration *calibration, double sigma)
{
	double own;

	if (CALIBRATED(calibration, stack_speed, 0) > 0) {
		own = interval_log_sigma(calibration->stack_low, calibration->stack_high);
		return fmin(sigma, sqrt(STEP_LOG_SIGMA_GIVEN * STEP_LOG_SIGMA_GIVEN + own * own));
	}
	if (!(CALIBRATED(calibration, gemm_efficiency, 0) > 0))
		return sigma;
	own = calibration->gemm_low > 0 ? interval_log_sigma(calibration->gemm_low, calibration->gemm_high) : 0;
	return fmin(sigma, sqrt(sigma * sigma - STEP_LOG_SIGMA_CEILING * STEP_LOG_SIGMA_CEILING + own * own));
}

static double published_log_sigma(const struct programme *programme, const struct candidate *candidate)
{
	struct device device;
	enum precision precision = programme->input->request.common.precision;

	if (precision == PRECISION_UNSET)
		precision = accelerator_training_precision(&candidate->accelerator);
	if (!device_of_candidate(candidate, precision, programme->physics, 1, &device) || !device.ceiling_measured)
		return STEP_LOG_SIGMA_UNMEASURED;
	if (programme->input->model.params_active < programme->input->model.params_total)
		return STEP_LOG_SIGMA_EXPERTS;
	return precision_weight_bytes(precision) >= 2 && device_architecture_year(&candidate->accelerator) >= STEP_LOG_SIGMA_NEW_YEAR
		? STEP_LOG_SIGMA_NEW : STEP_LOG_SIGMA;
}

static double step_log_sigma(const struct programme *programme, const struct candidate *candidate)
{
	if (is_given(programme->input->request.mfu))
		return STEP_LOG_SIGMA_GIVEN;
	return calibrated_log_sigma(&candidate->calibration, published_log_sigma(programme, candidate));
}

/* Spread of wall clock over useful hours that the published failure rates leave. A rate that the caller gave has none. */
static double failure_log_sigma(const struct programme *programme, const struct outline *outline)
{
	const struct training_request *request = &programme->input->request;
	const struct reliability *job = &outline->reliability;
	double n = (double)outline->gpu_count, spot = job->spot ? given_or(request->common.pricing.spot_interruptions_per_gpu_hour, 0) : 0;

	if (is_given(request->reliability.mtbf_gpu_hours))
		return 0;
	return interval_log_sigma(reliability_fraction(job, 1 / (n * (1 / RELIABILITY_MTBF_LOW_GPU_HOURS + spot))),
		reliability_fraction(job, 1 / (n * (1 / RELIABILITY_MTBF_HIGH_GPU_HOURS + spot))));
}

/* Of a pre-training's hours over those that its steps and failures account for. */
static double run_log_sigma(const struct training_request *request)
{
	return request->fine_tuning.method == FINE_TUNING_UNSET && !is_given(request->mfu) ? RUN_LOG_SIGMA : 0;
}

/* Standard deviations of logarithms that an option's figures share. */
struct spreads {
	double step, hours, usd;
};

/* E108. Money is a sum: accelerators by price and hours (not by hours where a commitment is paid on), storage by hours, egress by neither. */
static double usd_log_sigma(const struct outline *outline, double hours_sigma)
{
	double accelerators = outline->price.usd_per_gpu_hour * outline->gpu_hours, whole = outline->total_usd;
	double by_hours = (outline->paid_hours > outline->wall_clock_hours ? 0 : accelerators) + outline->data_cost.storage_usd;
	double price_sigma = interval_log_sigma(outline->price.low_usd_per_gpu_hour, outline->price.high_usd_per_gpu_hour);

	return whole > 0 ? interval_joint_sigma(accelerators / whole * price_sigma, by_hours / whole * hours_sigma) : 0;
}

static struct spreads spreads_of(const struct programme *programme, const struct outline *outline)
{
	const struct candidate *candidate = &programme->input->candidates[outline->candidate];
	struct spreads spreads = {.step = step_log_sigma(programme, candidate)};

	spreads.hours = interval_joint_sigma(interval_joint_sigma(spreads.step, failure_log_sigma(programme, outline)), run_log_sigma(&programme->input->request));
	spreads.usd = usd_log_sigma(outline, spreads.hours);
	return spreads;
}

static void option_intervals(const struct outline *outline, const struct spreads *spreads, struct training_option *option)
{
	const struct footprint_spread *footprint = &outline->footprint.spread;
	double kwh_sigma = interval_joint_sigma(spreads->hours, footprint->total_kwh), kg_sigma = interval_joint_sigma(spreads->hours, footprint->total_kgco2e);

	option->interval.step_time_s = interval_of_product(option->step.time_s, &spreads->step, 1);
	option->interval.wall_clock_hours = interval_of_product(option->wall_clock_hours, &spreads->hours, 1);
	option->interval.gpu_hours = interval_of_product(option->gpu_hours, &spreads->hours, 1);
	option->interval.total_usd = interval_of_product(option->cost.total_usd, &spreads->usd, 1);
	option->interval.total_kwh = interval_of_product(option->energy.total_kwh, &kwh_sigma, 1);
	option->interval.total_kgco2e = interval_of_product(option->carbon.total_kgco2e, &kg_sigma, 1);
}

static void provenance_note(struct training_option *option, const char *pointer, struct interval range, enum provenance_status status, const char *source)
{
	provenance_add(option->provenance, &option->provenance_count, pointer, range, status, source);
}

static struct interval around(double value, double sigma)
{
	return interval_of_product(value, &sigma, 1);
}

static void step_provenance(const struct spreads *spreads, struct training_option *option)
{
	const struct figure *mfu = figures_find(&option->inputs, "mfu");

	provenance_note(option, "/step/time_s", option->interval.step_time_s, mfu->status, mfu->source);
	provenance_note(option, "/mfu", (struct interval){mfu->low, mfu->value, mfu->high}, mfu->status, mfu->source);
	provenance_note(option, "/hfu", around(option->hfu, spreads->step), mfu->status, mfu->source);
	provenance_note(option, "/tflops_per_gpu", around(option->tflops_per_gpu, spreads->step), mfu->status, mfu->source);
	provenance_note(option, "/tokens_per_s", around(option->tokens_per_s, spreads->step), mfu->status, mfu->source);
	provenance_note(option, "/tokens_per_s_per_gpu", around(option->tokens_per_s_per_gpu, spreads->step), mfu->status, mfu->source);
}

static void hours_provenance(const struct outline *outline, struct training_option *option)
{
	const struct reliability *job = &outline->reliability;
	const struct figure *mtbf = figures_find(&option->inputs, "reliability.mtbf_gpu_hours");
	double low = job->mtbf_hours * mtbf->low / mtbf->value, high = job->mtbf_hours * mtbf->high / mtbf->value;
	struct interval fraction = {reliability_fraction(job, low), job->fraction, reliability_fraction(job, high)};
	struct interval hours = option->interval.wall_clock_hours;

	provenance_note(option, "/wall_clock_hours", hours, PROVENANCE_DERIVED, "E45: steps x step over goodput");
	provenance_note(option, "/gpu_hours", option->interval.gpu_hours, PROVENANCE_DERIVED, "E45: wall clock x accelerators");
	provenance_note(option, "/goodput/fraction", fraction, PROVENANCE_DERIVED, "E49: Daly 2006; failure rates of Llama 3, OPT-175B and Meta RSC");
	provenance_note(option, "/goodput/mtbf_hours", (struct interval){low, 0, high}, mtbf->status, mtbf->source);
	provenance_note(option, "/goodput/expected_failures", (struct interval){hours.p10 / high, 0, hours.p90 / low}, PROVENANCE_DERIVED, "E46: hours over hours between failures");
	provenance_note(option, "/goodput/lost_hours", (struct interval){hours.p10 * (1 - fraction.p90), 0, hours.p90 * (1 - fraction.p10)}, PROVENANCE_DERIVED,
		"E49: wall clock less useful hours");
	provenance_note(option, "/memory/total_bytes", (struct interval){option->memory.model_bytes, 0, option->memory.total_bytes * 1.08},
		PROVENANCE_DERIVED, "E35-E38");
}

static void cost_provenance(const struct outline *outline, const struct spreads *spreads, struct training_option *option)
{
	const struct gpu_price *price = &outline->price;
	struct interval range = {price->low_usd_per_gpu_hour, price->usd_per_gpu_hour, price->high_usd_per_gpu_hour};
	const struct offer *offer = &option->cost.offer;

	if (!outline->priced)
		return;
	provenance_note(option, "/cost/usd_per_gpu_hour", range, price->status, price->source);
	provenance_note(option, "/cost/total_usd", option->interval.total_usd, PROVENANCE_DERIVED,
		outline->paid_hours > outline->wall_clock_hours ? "E68, E110: accelerators x price x the hours that the commitment is paid for" : "E68: GPU-hours x price");
	provenance_note(option, "/cost/storage_usd", around(option->cost.storage_usd, spreads->hours), PROVENANCE_DERIVED, "E104: GB x price x hours");
	provenance_note(option, "/cost/egress_usd", around(option->cost.egress_usd, 0), PROVENANCE_DERIVED, "E104: GB x price");
	if (option->cost.has_currency) {
		double rate = option->cost.currency.rate.per_usd;
		struct interval total = option->interval.total_usd;

		provenance_note(option, "/cost/currency/total", (struct interval){total.p10 * rate, 0, total.p90 * rate}, PROVENANCE_DERIVED, "USD x per_usd of the request");
		provenance_note(option, "/cost/currency/per_gpu_hour", (struct interval){range.p10 * rate, 0, range.p90 * rate}, PROVENANCE_DERIVED, "USD x per_usd of the request");
	}
	if (price->has_offer)
		provenance_note(option, "/cost/offer/usd_per_gpu_hour", (struct interval){fmin(given_or(offer->low_usd_per_gpu_hour, offer->usd_per_gpu_hour), offer->usd_per_gpu_hour),
			0, fmax(given_or(offer->high_usd_per_gpu_hour, offer->usd_per_gpu_hour), offer->usd_per_gpu_hour)}, price->status, price->source);
}

static void monthly_provenance(const struct spreads *spreads, const struct outline *outline, struct training_option *option)
{
	const struct footprint_spread *footprint = &outline->footprint.spread;
	static const char source[] = "E45: of a run x 730 hours over the cadence";

	provenance_note(option, "/monthly/total_usd", around(option->monthly.total_usd, spreads->usd), PROVENANCE_DERIVED, source);
	provenance_note(option, "/monthly/total_kwh", around(option->monthly.total_kwh, interval_joint_sigma(spreads->hours, footprint->total_kwh)), PROVENANCE_DERIVED, source);
	provenance_note(option, "/monthly/total_kgco2e", around(option->monthly.total_kgco2e, interval_joint_sigma(spreads->hours, footprint->total_kgco2e)), PROVENANCE_DERIVED,
		source);
}

/* What the speed is taken to be, and how far off that may be. */
static struct figure mfu_figure(const struct programme *programme, const struct candidate *candidate, const struct spreads *spreads, double mfu)
{
	bool pinned = is_given(programme->input->request.mfu), calibrated = is_calibrated(candidate);
	struct interval range = around(mfu, spreads->step);

	return (struct figure){"mfu", mfu, range.p10, range.p90,
		pinned ? "request: mfu; a week's mean varies so" : calibrated ? candidate->calibration.source : "E32: step model, constants fitted to published runs",
		pinned ? PROVENANCE_GIVEN : calibrated ? PROVENANCE_MEASURED : PROVENANCE_DERIVED};
}

static void option_provenance(const struct programme *programme, const struct outline *outline, struct training_option *option)
{
	const struct candidate had = outline_candidate(programme, outline);
	struct spreads spreads = spreads_of(programme, outline);
	struct figure mfu = mfu_figure(programme, &had, &spreads, option->mfu);
	struct footprint footprint = outline->footprint;

	option_intervals(outline, &spreads, option);
	inputs_of_outline(programme, outline, &mfu, run_log_sigma(&programme->input->request), &option->inputs);
	option->provenance_count = 0;
	step_provenance(&spreads, option);
	hours_provenance(outline, option);
	cost_provenance(outline, &spreads, option);
	footprint.carbon = option->carbon;
	footprint_provenance(&footprint, &had.site, spreads.hours, option->provenance, &option->provenance_count);
	monthly_provenance(&spreads, outline, option);
}

static void option_rates(const struct programme *programme, const struct outline *outline, struct training_option *option)
{
	const struct candidate had = outline_candidate(programme, outline), *candidate = &had;
	enum precision precision = programme->input->request.common.precision;
	double peak, available, n = (double)outline->gpu_count;
	double tokens = outline->found.step.samples * programme->stages[outline->main_stage].sequence;

	if (precision == PRECISION_UNSET)
		precision = accelerator_training_precision(&candidate->accelerator);
	peak = accelerator_peak_flops_per_s(&candidate->accelerator, precision, NULL);
	available = option->step.time_s * n * peak;
	option->mfu = outline->found.step.model_flops / available;
	option->hfu = outline->found.step.hardware_flops / available;
	option->tflops_per_gpu = option->mfu * peak / FLOPS_PER_TFLOP;
	option->tokens_per_s = tokens / option->step.time_s;
	option->tokens_per_s_per_gpu = option->tokens_per_s / n;
}

static void option_monthly(const struct programme *programme, struct training_option *option)
{
	double cadence = programme->input->request.cadence_hours, runs = HOURS_PER_MONTH / cadence;

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

void training_option_fill(const struct programme *programme, const struct outline *outline, struct training_option *option)
{
	const struct candidate had = outline_candidate(programme, outline), *candidate = &had;

	option->accelerator = candidate->accelerator;
	option->gpu_count = outline->gpu_count;
	option->node_count = outline->node_count;
	option->parallelism = outline->found.layout;
	option->memory = outline->found.memory;
	option->step = outline->found.step.time;
	option->wall_clock_hours = outline->wall_clock_hours;
	option->gpu_hours = outline->gpu_hours;
	option->goodput.fraction = outline->reliability.fraction;
	option->goodput.checkpoint_interval_minutes = outline->reliability.interval_hours * 60;
	option->goodput.checkpoint_s = outline->reliability.checkpoint_hours * SECONDS_PER_HOUR;
	option->goodput.mtbf_hours = outline->reliability.mtbf_hours;
	option->goodput.spare_nodes = outline->reliability.spare_nodes;
	option->goodput.expected_failures = outline->wall_clock_hours / outline->reliability.mtbf_hours;
	option->goodput.lost_hours = outline->wall_clock_hours - outline->useful_hours;
	option->cost = (struct cost){.total_usd = outline->priced ? outline->total_usd : ABSENT_NUMBER,
		.usd_per_gpu_hour = outline->priced ? outline->price.usd_per_gpu_hour : ABSENT_NUMBER,
		.storage_usd = is_given(programme->input->request.common.pricing.storage_usd_per_gb_month) ? outline->data_cost.storage_usd : ABSENT_NUMBER,
		.egress_usd = is_given(programme->input->request.common.pricing.egress_usd_per_gb) ? outline->data_cost.egress_usd : ABSENT_NUMBER,
		.has_offer = outline->price.has_offer, .offer = candidate->offer};
	option_currency(&programme->input->request.common.pricing.currency, &option->cost);
	option->energy = outline->footprint.energy;
	option->carbon = outline->footprint.carbon;
	option->carbon.gco2e_per_thousand_tokens = option->carbon.total_kgco2e * 1e6 / programme->tokens_total;
	option->water_l = outline->footprint.water_l;
	option->bottleneck = step_bottleneck(&outline->found.step);
	option_rates(programme, outline, option);
	option_monthly(programme, option);
	option_provenance(programme, outline, option);
	CHECK(isfinite(option->mfu) && isfinite(option->hfu) && isfinite(option->step.time_s) && isfinite(option->wall_clock_hours));
	CHECK(isfinite(option->gpu_hours) && isfinite(option->energy.total_kwh) && isfinite(option->carbon.total_kgco2e));
	CHECK(isfinite(option->memory.total_bytes) && isfinite(option->goodput.lost_hours) && isfinite(option->tokens_per_s));
}
