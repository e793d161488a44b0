#include "planner/footprint/energy.h"

#include "base/units.h"
#include "planner/interval.h"

/* Fitted to serving runs on H100 and B200 (ML.ENERGY leaderboard 2026-02), with the utilizations that this planner
 * predicts. */
const struct power_constants power_constants = {.busy_share = 0.50, .compute_share = 0.70, .memory_share = 0.35};

/* Measured over modelled power in those runs, p10 and p90. */
static const double power_model_low = 0.79, power_model_high = 1.17;

double energy_load_fraction(double compute_utilization, double memory_utilization)
{
	double compute = fmin(fmax(compute_utilization, 0), 1), memory = fmin(fmax(memory_utilization, 0), 1);

	return compute + memory > 0
		? fmin(1, power_constants.busy_share + power_constants.compute_share * compute + power_constants.memory_share * memory)
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

void energy_inputs(const struct usage *usage, struct energy_inputs *inputs)
{
	bool idle_measured = CALIBRATED(usage->calibration, idle_w, 0) > 0, load_measured = CALIBRATED(usage->calibration, load_w, 0) > 0;
	const char *measured = usage->calibration && usage->calibration->source ? usage->calibration->source : "measured by a benchmark here";
	struct figure *idle = &inputs->idle_w, *load = &inputs->load_w;
	double host = usage->host_power_fraction;

	*idle = (struct figure){.field = "accelerator.idle_w", .status = PROVENANCE_DEFAULT};
	idle->value = accelerator_idle_w(usage->accelerator, &idle->low, &idle->high, &idle->source);
	if (idle_measured)
		*idle = (struct figure){
			idle->field, usage->calibration->idle_w, usage->calibration->idle_w, usage->calibration->idle_w, measured, PROVENANCE_MEASURED};
	*load = (struct figure){.field = "accelerator.load_w", .status = PROVENANCE_DEFAULT};
	load->value = accelerator_load_w(usage->accelerator, &load->low, &load->high, &load->source);
	if (load_measured)
		*load = (struct figure){
			load->field, usage->calibration->load_w, usage->calibration->load_w, usage->calibration->load_w, measured, PROVENANCE_MEASURED};
	inputs->model = (struct figure){"power_model", 1, power_model_low, power_model_high,
		"E60: measured over modelled power in 296 serving runs on H100 and B200, ML.ENERGY leaderboard 2026-02", PROVENANCE_DERIVED};
	if (!is_given(host) && usage->hardware)
		host = usage->hardware->host_power_fraction;
	inputs->host = (struct figure){"hardware.host_power_fraction", HOST_POWER_FRACTION, HOST_POWER_FRACTION_LOW, HOST_POWER_FRACTION_HIGH,
		"E63: host over accelerator power, 0.2 to 0.6: BoaviztAPI 0.33, Google 2025 (Gemini) 0.43", PROVENANCE_DEFAULT};
	if (is_given(host))
		inputs->host = (struct figure){inputs->host.field, host, host, host, "request", PROVENANCE_GIVEN};
}

static void energy_note(const struct energy_inputs *inputs, struct findings *findings)
{
	findings_assume_figure(findings, &inputs->idle_w);
	findings_assume_figure(findings, &inputs->load_w);
	findings_assume_text(findings, "power_model", "idle + (load - idle) x (0.50 + 0.70 x compute + 0.35 x memory utilization), at most load",
		"E60: fitted to 296 serving runs on H100 and B200, ML.ENERGY leaderboard 2026-02");
	findings_assume_figure(findings, &inputs->host);
}

void energy_of_usage(const struct usage *usage, double pue, struct energy *energy, struct findings *findings)
{
	struct energy_inputs inputs;

	energy_inputs(usage, &inputs);
	if (findings)
		energy_note(&inputs, findings);
	energy->mean_gpu_w = energy_mean_gpu_w(usage);
	energy->it_kwh = usage->gpu_count * energy->mean_gpu_w * (1 + inputs.host.value) * usage->hours / WATTS_PER_KW;
	energy->total_kwh = energy->it_kwh * pue;
	energy->powered_gpu_hours = usage->gpu_count * usage->hours;
}

double energy_gpu_log_sigma(const struct energy_inputs *inputs)
{
	return interval_joint_sigma(
		interval_log_sigma(inputs->model.low, inputs->model.high), interval_log_sigma(inputs->load_w.low, inputs->load_w.high));
}

double energy_host_log_sigma(const struct energy_inputs *inputs)
{
	return interval_log_sigma(1 + inputs->host.low, 1 + inputs->host.high);
}
