#include "planner/footprint/energy.h"

#include "base/units.h"
#include "planner/interval.h"

/* Fitted, with this planner's own utilisations, to serving runs on H100 and B200 (ML.ENERGY leaderboard 2026-02). */
const struct power_constants power_constants = {.busy_share = 0.50, .compute_share = 0.70, .memory_share = 0.35};

/* Measured over modelled power in those runs, p10 and p90. */
static const double power_model_low = 0.79, power_model_high = 1.17;

double energy_load_fraction(double compute_utilization, double memory_utilization)
{
	double compute = fmin(fmax(compute_utilization, 0), 1), memory = fmin(fmax(memory_utilization, 0), 1);

	return compute + memory > 0 ? fmin(1, power_constants.busy_share + power_constants.compute_share * compute +
											 power_constants.memory_share * memory)
								: 0;
}

static double idle_w(const struct usage *usage)
{
	double catalogue_w = accelerator_idle_w(usage->accelerator, NULL, NULL, NULL);

	return usage->calibration && usage->calibration->idle_w > 0 ? usage->calibration->idle_w : catalogue_w;
}

static double load_w(const struct usage *usage)
{
	double catalogue_w = accelerator_load_w(usage->accelerator, NULL, NULL, NULL);

	return usage->calibration && usage->calibration->load_w > 0 ? usage->calibration->load_w : catalogue_w;
}

double energy_mean_gpu_w(const struct usage *usage)
{
	double fraction = energy_load_fraction(usage->compute_utilization, usage->memory_utilization);
	double busy = fmin(fmax(usage->busy_fraction, 0), 1), idle = idle_w(usage);

	return idle + fmax(load_w(usage) - idle, 0) * busy * fraction;
}

static void energy_note(const struct usage *usage, struct findings *findings)
{
	const char *source;
	double watts = accelerator_idle_w(usage->accelerator, NULL, NULL, &source);

	if (usage->calibration && usage->calibration->idle_w > 0) {
		watts = usage->calibration->idle_w;
		source = usage->calibration->source ? usage->calibration->source : "measured by a benchmark here";
	}
	findings_assume_number(findings, "accelerator.idle_w", watts, source);
	if (!is_given(usage->accelerator->tdp_w)) {
		watts = accelerator_load_w(usage->accelerator, NULL, NULL, &source);
		findings_assume_number(findings, "accelerator.tdp_w", watts, source);
	}
	findings_assume_text(findings, "power_model",
		"idle + (load - idle) x (0.50 + 0.70 x compute + 0.35 x memory utilization), at most load",
		"E60: fitted to 296 serving runs on H100 and B200, ML.ENERGY leaderboard 2026-02");
	if (!is_given(usage->host_power_fraction))
		findings_assume_number(findings, "host_power_fraction", HOST_POWER_FRACTION,
			"E63: host over accelerator power, 0.2 to 0.6: BoaviztAPI 0.33, Google 2025 (Gemini) 0.43");
}

void energy_of_usage(const struct usage *usage, double pue, struct energy *energy, struct findings *findings)
{
	double host = given_or(usage->host_power_fraction, HOST_POWER_FRACTION);

	if (findings)
		energy_note(usage, findings);
	energy->mean_gpu_w = energy_mean_gpu_w(usage);
	energy->it_kwh = usage->gpu_count * energy->mean_gpu_w * (1 + host) * usage->hours / WATTS_PER_KW;
	energy->total_kwh = energy->it_kwh * pue;
}

double energy_power_log_sigma(const struct usage *usage)
{
	double low_w, high_w, load_sigma, host_sigma = 0;
	double model_sigma = interval_log_sigma(power_model_low, power_model_high);

	accelerator_load_w(usage->accelerator, &low_w, &high_w, NULL);
	load_sigma = interval_log_sigma(low_w, high_w);
	if (!is_given(usage->host_power_fraction))
		host_sigma = interval_log_sigma(1 + HOST_POWER_FRACTION_LOW, 1 + HOST_POWER_FRACTION_HIGH);
	return sqrt(model_sigma * model_sigma + load_sigma * load_sigma + host_sigma * host_sigma);
}
