#include "planner/estimates/carbon_estimate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "planner/footprint/carbon.h"
#include "planner/footprint/footprint_sensitivity.h"

static const double kwh_per_mwh = 1000, kg_per_t = 1000, grams_per_kg = 1000;

/* E69: figures of one thing that differ by more are not two roundings of it. */
static const double consistent_within = 2;

/* Share of the dense peak that accelerators reach in training, where the request gives none: Llama 3 on H100s reached
 * 38 to 43 % (Grattafiori et al. 2024, table 4). */
static const double default_utilization = 0.40, utilization_low = 0.38, utilization_high = 0.43;
static const char utilization_source[] = "E60: of the dense peak, as Llama 3 on H100s: 0.38 to 0.43 (Grattafiori et al. 2024)";

/* Memory utilization over compute utilization: weights, activations and optimizer of a step take about the same share
 * of the memory's time. */
static const double memory_over_compute = 0.75;

enum { NODE_DEFAULT = 8 };

static void inconsistency_add(struct carbon_estimate *estimate, const char *format, ...) PRINTF_LIKE(2, 3);

static void inconsistency_add(struct carbon_estimate *estimate, const char *format, ...)
{
	char *detail;
	va_list arguments;

	if (estimate->inconsistency_count == INCONSISTENCIES_MAX)
		return;
	detail = estimate->inconsistencies[estimate->inconsistency_count++].detail;
	va_start(arguments, format);
	vsnprintf(detail, sizeof estimate->inconsistencies[0].detail, format, arguments);
	va_end(arguments);
}

static bool differs(double a, double b)
{
	return is_given(a) && is_given(b) && (a > b * consistent_within || b > a * consistent_within);
}

static void check_positive(double value, const char *pointer, struct failure *failure)
{
	if (is_given(value) && !(value > 0))
		failure_add(failure, pointer, "out_of_range", "a published figure must be more than 0; leave out figures that were not published");
}

/* E69. Published energy is of the accelerators alone, or of the building: true if hours x accelerators x watts are
 * closer to it with the PUE. Without watts it counts as the accelerators'. */
static bool is_facility_energy(double energy_mwh, double from_power_mwh, double pue)
{
	return from_power_mwh > 0 && fabs(log(energy_mwh / (from_power_mwh * pue))) < fabs(log(energy_mwh / from_power_mwh));
}

/* E69. Fills what the published figures imply together with the hours, the grid and the building. */
static void implied_fill(
	const struct carbon_request *request, double gpu_hours, double pue, double grid_gco2e_per_kwh, struct carbon_estimate *estimate)
{
	double energy_mwh = request->published.energy_mwh, power_w = request->published.mean_gpu_w, carbon_t = request->published.carbon_tco2e;
	double from_power_mwh = gpu_hours * power_w / WATTS_PER_KW / kwh_per_mwh, known_mwh = given_or(energy_mwh, from_power_mwh);
	bool facility = is_given(energy_mwh) && is_facility_energy(energy_mwh, from_power_mwh, pue);
	double facility_mwh = known_mwh * (facility ? 1 : pue);

	estimate->implied.utilization = ABSENT_NUMBER;
	estimate->implied.energy_is_facility = is_given(energy_mwh) && is_given(from_power_mwh) ? (facility ? TRUTH_TRUE : TRUTH_FALSE)
																							: TRUTH_UNSET;
	estimate->implied.mean_gpu_w = gpu_hours > 0 ? energy_mwh * kwh_per_mwh * WATTS_PER_KW / gpu_hours : ABSENT_NUMBER;
	estimate->implied.energy_mwh = from_power_mwh * (facility ? pue : 1);
	estimate->implied.pue = from_power_mwh > 0 ? energy_mwh / from_power_mwh : ABSENT_NUMBER;
	estimate->implied.carbon_tco2e = facility_mwh * kwh_per_mwh * grid_gco2e_per_kwh / grams_per_kg / kg_per_t;
	estimate->implied.grid_gco2e_per_kwh = known_mwh > 0 ? carbon_t * kg_per_t * grams_per_kg / (known_mwh * kwh_per_mwh) : ABSENT_NUMBER;
}

static void check_power(const struct carbon_request *request, const struct accelerator *accelerator, struct carbon_estimate *estimate)
{
	double idle_w = accelerator_idle_w(accelerator, NULL, NULL, NULL), load_w = accelerator_load_w(accelerator, NULL, NULL, NULL);
	double power_w = given_or(request->published.mean_gpu_w, estimate->implied.mean_gpu_w);

	if (is_given(power_w) && load_w > idle_w) {
		double utilization = (power_w - idle_w) / (load_w - idle_w);

		/* Share of the power range: E60 cannot be inverted, because all higher utilizations draw full load. Outside of
		 * 0 to 1 the energy includes hosts or the building; the other checks judge that. */
		if (utilization >= 0 && utilization <= 1)
			estimate->implied.utilization = utilization;
		if (power_w > load_w * consistent_within)
			inconsistency_add(estimate,
				"%.0f W a %s is %.1f times its full load of %.0f W: more accelerators or hours were used than given, "
				"or the "
				"energy includes other equipment",
				power_w, accelerator->id, power_w / load_w, load_w);
		else if (power_w * consistent_within < idle_w)
			inconsistency_add(estimate,
				"%.0f W a %s is below half of its idle power of %.0f W: fewer accelerators or hours were used than "
				"given",
				power_w, accelerator->id, idle_w);
	}
	if (differs(request->published.energy_mwh, estimate->implied.energy_mwh))
		inconsistency_add(estimate, "published %.6g MWh, but hours x accelerators x %.0f W are %.6g MWh: %.1f times apart",
			request->published.energy_mwh, request->published.mean_gpu_w, estimate->implied.energy_mwh,
			fmax(estimate->implied.energy_mwh / request->published.energy_mwh, request->published.energy_mwh / estimate->implied.energy_mwh));
}

static void check_carbon(const struct carbon_request *request, const struct site *site, struct carbon_estimate *estimate)
{
	double carbon_t = request->published.carbon_tco2e, grid = estimate->implied.grid_gco2e_per_kwh, own_t;

	if (!is_given(carbon_t))
		return;
	if (differs(carbon_t, estimate->implied.carbon_tco2e)) {
		double apart = carbon_t / estimate->implied.carbon_tco2e;

		inconsistency_add(estimate, "published %.6g tCO2e, but that energy on %.3g g/kWh%s is %.6g t: %.4g times apart%s", carbon_t,
			site->grid_gco2e_per_kwh, site->pue > 1 && estimate->implied.energy_is_facility != TRUTH_TRUE ? " with the PUE" : "",
			estimate->implied.carbon_tco2e, fmax(apart, 1 / apart),
			(apart > 800 && apart < 1250) || (apart > 1 / 1250.0 && apart < 1 / 800.0)
				? "; a factor of a thousand: compare the units of the carbon and of the grid factor with their sources"
				: "");
	}
	if (is_given(grid) && (grid > 1500 || grid < 2))
		inconsistency_add(estimate, "the published figures imply %.3g gCO2e a kWh; grids emit between 2 and 1500", grid);
	own_t = estimate->carbon.operational_kgco2e / kg_per_t;
	if (!is_given(grid) && differs(carbon_t, own_t))
		inconsistency_add(estimate, "published %.6g tCO2e, but these hours emit about %.6g t at this site: %.1f times apart", carbon_t,
			own_t, fmax(carbon_t / own_t, own_t / carbon_t));
}

static struct usage usage_of(const struct carbon_request *request, const struct accelerator *accelerator,
	const struct calibration *calibration, struct findings *findings)
{
	double count = request->gpu_count > 0 ? (double)request->gpu_count : 1, utilization = request->utilization;
	int64_t node = request->gpus_per_node > 0 ? request->gpus_per_node : NODE_DEFAULT;

	if (request->gpu_count < 1)
		findings_assume_number(findings, "gpu_count", 1, "E63: one accelerator unless the request gives more");
	if (request->gpus_per_node < 1)
		findings_assume_number(findings, "gpus_per_node", NODE_DEFAULT, "E65: HGX and OAM servers hold eight");
	if (!is_given(utilization)) {
		utilization = default_utilization;
		findings_assume_figure(findings,
			&(struct figure){"utilization", utilization, utilization_low, utilization_high, utilization_source, PROVENANCE_DEFAULT});
	}
	return (struct usage){.accelerator = accelerator,
		.calibration = calibration,
		.gpu_count = count,
		.node_count = ceil(count / (double)node),
		.hours = request->hours,
		.busy_fraction = 1,
		.compute_utilization = utilization,
		.memory_utilization = utilization * memory_over_compute,
		.host_power_fraction = request->host_power_fraction,
		.hardware = &request->hardware};
}

struct held {
	struct usage usage;
	struct accelerator accelerator;
	struct site site;
	struct hardware_request hardware;
};

static struct moved moved_of(const struct held *held)
{
	struct usage usage = held->usage;
	struct footprint footprint;

	usage.accelerator = &held->accelerator;
	usage.hardware = &held->hardware;
	footprint_of_usage(&usage, &held->site, &footprint, NULL);
	return (struct moved){.usd = ABSENT_NUMBER,
		.hours = ABSENT_NUMBER,
		.kwh = footprint.energy.total_kwh,
		.kgco2e = footprint.carbon.total_kgco2e,
		.water_l = footprint.water_l};
}

/* Sets one input to another value. False: the field is not known. */
static bool set_input(struct held *held, const char *field, double value)
{
	const struct {
		const char *field;
		double *place;
	} places[] = {
		{"hours", &held->usage.hours},
		{"utilization", &held->usage.compute_utilization},
		{"site.grid_gco2e_per_kwh", &held->site.grid_gco2e_per_kwh},
		{"site.pue", &held->site.pue},
		{"site.wue_l_per_kwh", &held->site.wue_l_per_kwh},
		{"site.ewif_l_per_kwh", &held->site.ewif_l_per_kwh},
		{"accelerator.idle_w", &held->accelerator.idle_w},
		{"accelerator.load_w", &held->accelerator.load_w},
		{"hardware.host_power_fraction", &held->usage.host_power_fraction},
		{"hardware.embodied_kgco2e_per_gpu", &held->hardware.embodied_kgco2e_per_gpu},
		{"hardware.embodied_kgco2e_per_node", &held->hardware.embodied_kgco2e_per_node},
		{"hardware.life_years", &held->hardware.life_years},
		{"hardware.used_fraction", &held->hardware.used_fraction},
	};
	size_t at = 0;

	if (strcmp(field, "power_model") == 0) { /* both ends of the line between idle and load */
		held->accelerator.idle_w = value * accelerator_idle_w(held->usage.accelerator, NULL, NULL, NULL);
		held->accelerator.load_w = value * accelerator_load_w(held->usage.accelerator, NULL, NULL, NULL);
		return true;
	}
	while (at < COUNT_OF(places) && strcmp(places[at].field, field) != 0)
		at++;
	if (at == COUNT_OF(places))
		return false;
	*places[at].place = value;
	held->usage.memory_utilization = held->usage.compute_utilization * memory_over_compute;
	return true;
}

static void sensitivities_fill(
	const struct carbon_request *request, const struct usage *usage, const struct site *site, struct carbon_estimate *estimate)
{
	const struct held held = {.usage = *usage, .accelerator = *usage->accelerator, .site = *site, .hardware = request->hardware};
	struct moved before = moved_of(&held), ends[2];

	for (size_t i = 0; i < estimate->inputs.count; i++) {
		struct figure range = sensitivity_range(&estimate->inputs.items[i]);
		bool known = true;

		for (int end = 0; end < 2; end++) {
			struct held other = held;

			known = known && set_input(&other, range.field, end ? range.high : range.low);
			ends[end] = moved_of(&other);
		}
		if (known)
			sensitivity_note(&estimate->findings, &range, &before, &ends[0], &ends[1], OBJECTIVE_CARBON, SENSITIVITY_EXACT);
	}
}

static void inputs_fill(
	const struct carbon_request *request, const struct usage *usage, const struct site *site, struct carbon_estimate *estimate)
{
	bool given = is_given(request->utilization);

	estimate->inputs.count = 0;
	figures_add(&estimate->inputs, (struct figure){"hours", usage->hours, usage->hours, usage->hours, "request", PROVENANCE_GIVEN});
	figures_add(&estimate->inputs,
		(struct figure){"utilization", usage->compute_utilization, given ? usage->compute_utilization : utilization_low,
			given ? usage->compute_utilization : utilization_high, given ? "request" : utilization_source,
			given ? PROVENANCE_GIVEN : PROVENANCE_DEFAULT});
	footprint_inputs(usage, site, &estimate->inputs);
}

enum status planner_carbon(const struct carbon_request *request, const struct accelerator *accelerator,
	const struct calibration *calibration, const struct site *site, struct carbon_estimate *estimate, struct failure *failure)
{
	struct site known = *site;
	struct footprint footprint;
	struct usage usage;

	if (!is_given(request->hours) || request->hours < 0)
		failure_add(failure, "/hours", "required", "give the hours for which the accelerators are held, 0 or more");
	check_positive(request->published.energy_mwh, "/published/energy_mwh", failure);
	check_positive(request->published.mean_gpu_w, "/published/mean_gpu_w", failure);
	check_positive(request->published.carbon_tco2e, "/published/carbon_tco2e", failure);
	if (failure->fault_total > 0)
		return failure->status;
	usage = usage_of(request, accelerator, calibration, &estimate->findings);
	footprint_of_usage(&usage, site, &footprint, &estimate->findings);
	site_complete(&known, NULL);
	estimate->energy = footprint.energy;
	estimate->carbon = footprint.carbon;
	estimate->water_l = footprint.water_l;
	estimate->interval.total_kwh = footprint.total_kwh;
	estimate->interval.total_kgco2e = footprint.total_kgco2e;
	inputs_fill(request, &usage, site, estimate);
	estimate->provenance_count = 0;
	footprint_provenance(&footprint, site, spread_even(0), estimate->provenance, &estimate->provenance_count);
	footprint_warn_of_hours(site, &footprint.carbon, &estimate->findings);
	sensitivities_fill(request, &usage, site, estimate);
	estimate->inconsistency_count = 0;
	implied_fill(request, usage.gpu_count * usage.hours, known.pue, known.grid_gco2e_per_kwh, estimate);
	if (usage.gpu_count * usage.hours > 0) {
		check_power(request, accelerator, estimate);
		check_carbon(request, &known, estimate);
	}
	return STATUS_OK;
}
