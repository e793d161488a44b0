#include "planner/footprint/energy.h"

#include "base/units.h"
#include "planner/interval.h"

/* E60: what computing at all costs (clocks, schedulers, caches), and what matrix units and memory add at full rate. A
 * training step at 0.45 of the peak draws 0.9 of the load power (StarCoder's A100s: 280 W of 400 at about 0.3; Li et al. 2023),
 * decoding at 0.65 of the bandwidth 0.65 (Llama 3.1 8B on an H100: 486 W of 700; ML.ENERGY leaderboard 2026-02). */
static const double busy_share = 0.20, compute_share = 1.20, memory_share = 0.60;

/* Residual of E60 over ML.ENERGY's measured serving runs, p10..p90 of measured over modelled. */
static const double power_model_low = 0.85, power_model_high = 1.18;

double energy_load_fraction(double compute_utilization, double memory_utilization)
{
	double compute = fmin(fmax(compute_utilization, 0), 1), memory = fmin(fmax(memory_utilization, 0), 1);

	return compute + memory > 0 ? fmin(1, busy_share + compute_share * compute + memory_share * memory) : 0;
}

static double idle_w(const struct usage *usage)
{
	double catalogue_w = accelerator_idle_w(usage->accelerator, NULL, NULL, NULL);

	return usage->calibration ? given_or(usage->calibration->idle_w, catalogue_w) : catalogue_w;
}

static double load_w(const struct usage *usage)
{
	double catalogue_w = accelerator_load_w(usage->accelerator, NULL, NULL, NULL);

	return usage->calibration ? given_or(usage->calibration->load_w, catalogue_w) : catalogue_w;
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

	if (usage->calibration && is_given(usage->calibration->idle_w)) {
		watts = usage->calibration->idle_w;
		source = usage->calibration->source ? usage->calibration->source : "measured by a benchmark here";
	}
	findings_assume_number(findings, "accelerator.idle_w", watts, source);
	if (!is_given(usage->accelerator->tdp_w)) {
		watts = accelerator_load_w(usage->accelerator, NULL, NULL, &source);
		findings_assume_number(findings, "accelerator.tdp_w", watts, source);
	}
	findings_assume_text(findings, "power_model", "idle + (load - idle) x (0.20 + 1.20 x compute + 0.60 x memory utilization)",
		"E60: fitted to ML.ENERGY 2026-02 (H100, B200) and Li et al. 2023 (A100)");
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
