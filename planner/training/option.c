#include "planner/training/option.h"

#include "base/units.h"
#include "planner/interval.h"

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
static double failure_log_sigma(const struct outline *outline)
{
	const struct reliability *job = &outline->reliability;
	double mtbf_gpu_hours = job->mtbf_hours * (double)outline->gpu_count, low, high;

	if (fabs(mtbf_gpu_hours / RELIABILITY_MTBF_GPU_HOURS - 1) > 1e-9)
		return 0;
	low = job->mtbf_hours * (RELIABILITY_MTBF_LOW_GPU_HOURS / RELIABILITY_MTBF_GPU_HOURS);
	high = job->mtbf_hours * (RELIABILITY_MTBF_HIGH_GPU_HOURS / RELIABILITY_MTBF_GPU_HOURS);
	return interval_log_sigma(reliability_fraction(job, low), reliability_fraction(job, high));
}

static void option_intervals(const struct programme *programme, const struct outline *outline, struct training_option *option)
{
	const struct candidate *candidate = &programme->input->candidates[outline->candidate];
	const struct interval *kwh = &outline->footprint.total_kwh, *kg = &outline->footprint.total_kgco2e;
	bool pretraining = programme->input->request.fine_tuning.method == FINE_TUNING_UNSET && !is_given(programme->input->request.mfu);
	double sigmas[4] = {step_log_sigma(programme, candidate), failure_log_sigma(outline), pretraining ? RUN_LOG_SIGMA : 0, 0};

	option->interval.step_time_s = interval_of_product(option->step.time_s, sigmas, 1);
	option->interval.wall_clock_hours = interval_of_product(option->wall_clock_hours, sigmas, 3);
	option->interval.gpu_hours = interval_of_product(option->gpu_hours, sigmas, 3);
	sigmas[3] = interval_log_sigma(outline->price.low_usd_per_gpu_hour, outline->price.high_usd_per_gpu_hour);
	option->interval.total_usd = interval_of_product(option->cost.total_usd, sigmas, 4);
	sigmas[3] = interval_log_sigma(kwh->p10, kwh->p90);
	option->interval.total_kwh = interval_of_product(option->energy.total_kwh, sigmas, 4);
	sigmas[3] = interval_log_sigma(kg->p10, kg->p90);
	option->interval.total_kgco2e = interval_of_product(option->carbon.total_kgco2e, sigmas, 4);
}

static void provenance_note(struct training_option *option, const char *pointer, struct interval range, enum provenance_status status, const char *source)
{
	provenance_add(option->provenance, &option->provenance_count, pointer, range, status, source);
}

static void option_provenance(const struct programme *programme, const struct outline *outline, struct training_option *option)
{
	const struct candidate had = outline_candidate(programme, outline), *candidate = &had;
	bool calibrated = is_calibrated(candidate);
	bool pinned = is_given(programme->input->request.mfu);
	const char *step_source = pinned ? "request: mfu" : calibrated ? candidate->calibration.source : "E32: step model, constants fitted to published runs";
	enum provenance_status status = pinned ? PROVENANCE_GIVEN : calibrated ? PROVENANCE_MEASURED : PROVENANCE_DERIVED;
	double spread = option->interval.step_time_s.p90 / option->interval.step_time_s.p50;
	double mtbf = outline->reliability.mtbf_hours * (double)outline->gpu_count;

	provenance_note(option, "/step/time_s", option->interval.step_time_s, status, step_source);
	provenance_note(option, "/mfu", (struct interval){option->mfu / spread, option->mfu, option->mfu * spread}, status, step_source);
	provenance_note(option, "/wall_clock_hours", option->interval.wall_clock_hours, PROVENANCE_DERIVED, "E45: steps x step over goodput");
	provenance_note(option, "/gpu_hours", option->interval.gpu_hours, PROVENANCE_DERIVED, "E45: wall clock x accelerators");
	provenance_note(option, "/memory/total_bytes", (struct interval){option->memory.model_bytes, 0, option->memory.total_bytes * 1.08},
		PROVENANCE_DERIVED, "E35-E38");
	provenance_note(option, "/goodput/fraction", (struct interval){
		reliability_fraction(&outline->reliability, outline->reliability.mtbf_hours * fmin(1, RELIABILITY_MTBF_LOW_GPU_HOURS / mtbf)), 0,
		reliability_fraction(&outline->reliability, outline->reliability.mtbf_hours * fmax(1, RELIABILITY_MTBF_HIGH_GPU_HOURS / mtbf))},
		PROVENANCE_DERIVED, "E49: Daly 2006; failure rates of Llama 3, OPT-175B and Meta RSC");
	provenance_note(option, "/energy/total_kwh", option->interval.total_kwh, PROVENANCE_DERIVED, "E60, E63");
	provenance_note(option, "/carbon/total_kgco2e", option->interval.total_kgco2e, PROVENANCE_DERIVED,
		candidate->site.grid_source ? candidate->site.grid_source : "E64: world average grid");
	if (!outline->priced)
		return;
	provenance_note(option, "/cost/usd_per_gpu_hour", (struct interval){outline->price.low_usd_per_gpu_hour, 0, outline->price.high_usd_per_gpu_hour},
		outline->price.status, outline->price.source);
	provenance_note(option, "/cost/total_usd", option->interval.total_usd, PROVENANCE_DERIVED, "E68: GPU-hours x price");
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
	option->energy = outline->footprint.energy;
	option->carbon = outline->footprint.carbon;
	option->carbon.gco2e_per_thousand_tokens = option->carbon.total_kgco2e * 1e6 / programme->tokens_total;
	option->water_l = outline->footprint.water_l;
	option->bottleneck = step_bottleneck(&outline->found.step);
	option->provenance_count = option->inputs.count = 0;
	option_rates(programme, outline, option);
	option_intervals(programme, outline, option);
	option_provenance(programme, outline, option);
	option_monthly(programme, option);
	CHECK(isfinite(option->mfu) && isfinite(option->hfu) && isfinite(option->step.time_s) && isfinite(option->wall_clock_hours));
	CHECK(isfinite(option->gpu_hours) && isfinite(option->energy.total_kwh) && isfinite(option->carbon.total_kgco2e));
	CHECK(isfinite(option->memory.total_bytes) && isfinite(option->goodput.lost_hours) && isfinite(option->tokens_per_s));
}
