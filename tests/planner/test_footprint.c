/* Energy, carbon, water and cost: published footprints, sums of parts, and figures that contradict each other. */
#include <math.h>
#include <string.h>

#include "planner/estimates/carbon_estimate.h"
#include "planner/footprint/carbon.h"
#include "planner/footprint/cost.h"
#include "planner/footprint/energy.h"
#include "planner/footprint/footprint_sensitivity.h"
#include "planner/footprint/purchase.h"
#include "planner/footprint/supply.h"
#include "planner/footprint/water.h"
#include "planner/hardware/grid_hours.h"
#include "support/assert.h"
#include "support/golden.h"
#include "support/serving_fixture.h"

static struct site site_of(double grid_gco2e_per_kwh, double pue)
{
	return (struct site){.grid_gco2e_per_kwh = grid_gco2e_per_kwh,
		.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER,
		.grid_market_gco2e_per_kwh = ABSENT_NUMBER,
		.pue = pue,
		.wue_l_per_kwh = 0.2,
		.ewif_l_per_kwh = 3,
		.electricity_usd_per_kwh = ABSENT_NUMBER,
		.grid_low_gco2e_per_kwh = ABSENT_NUMBER,
		.grid_high_gco2e_per_kwh = ABSENT_NUMBER,
		.pue_low = ABSENT_NUMBER,
		.pue_high = ABSENT_NUMBER};
}

static struct accelerator accelerator_of(const struct golden_case *golden)
{
	return (struct accelerator){.id = "golden",
		.vendor = "nvidia",
		.memory_gb = golden_number_or(golden, "memory_gb", 80),
		.memory_usable_bytes = ABSENT_NUMBER,
		.tflops_fp32 = ABSENT_NUMBER,
		.tflops_tf32 = ABSENT_NUMBER,
		.tflops_fp16 = ABSENT_NUMBER,
		.tflops_bf16 = golden_number_or(golden, "tflops_bf16", ABSENT_NUMBER),
		.tdp_w = golden_number_or(golden, "tdp_w", ABSENT_NUMBER),
		.idle_w = golden_number_or(golden, "idle_w", ABSENT_NUMBER),
		.die_area_mm2 = golden_number_or(golden, "die_area_mm2", ABSENT_NUMBER),
		.embodied_kgco2e = golden_number_or(golden, "maker", ABSENT_NUMBER),
		.embodied_boavizta_kgco2e = golden_number_or(golden, "boavizta", ABSENT_NUMBER)};
}

static double golden_energy(const struct golden_case *golden, const char *expected)
{
	double watts = golden_number(golden, "watts"), grid = golden_number(golden, "grid");
	struct accelerator accelerator = {.id = "golden", .tdp_w = watts, .idle_w = watts};
	struct usage usage = {.accelerator = &accelerator,
		.gpu_count = golden_number(golden, "gpu_hours"),
		.hours = 1,
		.busy_fraction = 1,
		.compute_utilization = 0.5,
		.host_power_fraction = golden_number(golden, "host")};
	struct site site = site_of(grid, golden_number(golden, "pue"));
	struct energy energy;

	energy_of_usage(&usage, site.pue, &energy, NULL);
	if (strcmp(expected, "it_kwh") == 0)
		return energy.it_kwh;
	if (strcmp(expected, "total_kwh") == 0)
		return energy.total_kwh;
	if (strcmp(expected, "operational_kgco2e") == 0)
		return carbon_of_energy(energy.total_kwh, &site, 0).operational_kgco2e;
	return NAN;
}

static double golden_water(const struct golden_case *golden, const char *expected)
{
	(void)expected;
	return water_l(
		golden_number(golden, "it_kwh"), golden_number(golden, "wue"), golden_number(golden, "pue"), golden_number(golden, "ewif"));
}

static double golden_idle(const struct golden_case *golden, const char *expected)
{
	struct accelerator accelerator = accelerator_of(golden);
	double low, high, idle = accelerator_idle_w(&accelerator, &low, &high, NULL);

	return strcmp(expected, "idle_w") == 0 ? idle : strcmp(expected, "low_w") == 0 ? low : high;
}

static double golden_load(const struct golden_case *golden, const char *expected)
{
	struct accelerator accelerator = accelerator_of(golden);

	(void)expected;
	return accelerator_load_w(&accelerator, NULL, NULL, NULL);
}

static double golden_fraction(const struct golden_case *golden, const char *expected)
{
	(void)expected;
	return energy_load_fraction(golden_number(golden, "compute"), golden_number(golden, "memory"));
}

static double golden_embodied(const struct golden_case *golden, const char *expected)
{
	struct accelerator accelerator = accelerator_of(golden);
	struct usage usage = {.accelerator = &accelerator,
		.gpu_count = golden_number_or(golden, "gpus", 1),
		.node_count = golden_number_or(golden, "nodes", 0),
		.hours = golden_number_or(golden, "hours", 1)};
	struct embodied embodied;
	const char *source;
	double low, high, value = embodied_accelerator_kgco2e(&accelerator, &low, &high, &source);

	embodied_of_usage(&usage, &embodied, NULL);
	if (strcmp(expected, "charged_kgco2e") == 0)
		return embodied.kgco2e;
	return strcmp(expected, "kgco2e") == 0 ? value : strcmp(expected, "low") == 0 ? low : high;
}

static double golden_owning(const struct golden_case *golden, const char *expected)
{
	struct on_premises own = {.capex_usd_per_gpu = golden_number(golden, "capex"),
		.life_years = golden_number(golden, "years"),
		.electricity_usd_per_kwh = golden_number(golden, "tariff"),
		.staff_usd_per_gpu_month = golden_number(golden, "staff"),
		.space_usd_per_kw_month = golden_number(golden, "space")};

	(void)expected;
	return cost_on_premises_usd_per_gpu_hour(&own, golden_number(golden, "facility_w"), NULL);
}

static bool golden_bought(const struct golden_case *golden, struct purchase *purchase)
{
	bool alone = golden_number(golden, "alone") > 0;
	double capex = golden_number(golden, "capex");
	struct pricing pricing = {.usd_per_gpu_hour = ABSENT_NUMBER,
		.on_premises = {.capex_usd_per_gpu = alone ? ABSENT_NUMBER : capex,
			.life_years = golden_number(golden, "years"),
			.electricity_usd_per_kwh = golden_number(golden, "tariff"),
			.staff_usd_per_gpu_month = 0,
			.space_usd_per_kw_month = 0,
			.list_prices = alone ? TRUTH_TRUE : TRUTH_UNSET}};
	struct candidate candidate = {.gpus_per_node = (int64_t)golden_number(golden, "node"), .own_price = {capex, capex, capex, true, "test"}};

	return purchase_of(&pricing, &candidate, (int64_t)golden_number(golden, "count"), golden_number(golden, "facility_w"),
		golden_number(golden, "run_hours"), purchase);
}

static double golden_purchase(const struct golden_case *golden, const char *expected)
{
	struct purchase purchase;

	assert_true(golden_bought(golden, &purchase));
	return strcmp(expected, "capital_usd") == 0     ? purchase.capital_usd
		: strcmp(expected, "accelerators_usd") == 0 ? purchase.accelerators_usd
		: strcmp(expected, "hosts_usd") == 0        ? purchase.hosts_usd
		: strcmp(expected, "network_usd") == 0      ? purchase.network_usd
		: strcmp(expected, "power_kw") == 0         ? purchase.power_kw
		: strcmp(expected, "hours_left") == 0       ? purchase.hours_left
													: purchase.running_usd_per_year;
}

static double golden_break_even(const struct golden_case *golden, const char *expected)
{
	int64_t count = (int64_t)golden_number(golden, "count");
	struct purchase purchase;
	struct rent rent = {.known = false};

	assert_true(golden_bought(golden, &purchase));
	purchase_against(&purchase, count, (double)count * golden_number(golden, "rent"), &rent);
	assert_true(rent.known);
	return strcmp(expected, "break_even_hours") == 0 ? rent.break_even_hours : rent.break_even_utilization;
}

static double golden_hours(const struct golden_case *golden, const char *expected)
{
	const double steps[4] = {golden_number(golden, "a"), golden_number(golden, "b"), golden_number(golden, "c"), golden_number(golden, "d")};
	struct grid_hours series = {.start_us = 1763748000000000, .step_minutes = (int64_t)golden_number(golden, "step_minutes"), .count = 4};
	double integral[5];
	struct grid_span span;

	grid_hours_integrate(steps, 4, series.step_minutes, integral);
	series.integral = integral;
	span = grid_hours_mean(&series, series.start_us + (int64_t)(golden_number(golden, "offset_hours") * 3600e6),
		golden_number(golden, "hours"), golden_number(golden, "mean"));
	return strcmp(expected, "covered_fraction") == 0 ? span.covered_fraction : span.gco2e_per_kwh;
}

static double golden_paid(const struct golden_case *golden, const char *expected)
{
	double hours = golden_number(golden, "hours"), cadence = golden_number(golden, "cadence");

	if (strcmp(expected, "one_year") == 0)
		return cost_paid_hours(TERM_RESERVED_1Y, hours, cadence, false);
	if (strcmp(expected, "on_demand") == 0)
		return cost_paid_hours(TERM_ON_DEMAND, hours, cadence, false);
	return cost_paid_hours(TERM_RESERVED_1Y, hours, ABSENT_NUMBER, strcmp(expected, "committed") == 0);
}

static void golden_cases_hold(void **state)
{
	static const struct golden_row table[] = {{"E60", golden_fraction}, {"E61", golden_load}, {"E62", golden_idle}, {"E63", golden_energy},
		{"E65", golden_embodied}, {"E66", golden_water}, {"E67", golden_owning}, {"E109", golden_hours}, {"E110", golden_paid},
		{"E154", golden_purchase}, {"E155", golden_break_even}};

	(void)state;
	golden_run("tests/planner/golden/footprint.txt", table, COUNT_OF(table), 30);
}

/* Buying never pays if the rent is at most the cost of power, staff and space.
 * If the request gives a price, there is nothing to buy. */
static void buying_does_not_always_pay(void **state)
{
	struct pricing pricing = {.usd_per_gpu_hour = ABSENT_NUMBER,
		.on_premises = {.capex_usd_per_gpu = 30000,
			.life_years = 4,
			.electricity_usd_per_kwh = 0.1,
			.staff_usd_per_gpu_month = ABSENT_NUMBER,
			.space_usd_per_kw_month = ABSENT_NUMBER}};
	struct candidate candidate = {.gpus_per_node = 8};
	struct purchase purchase;
	struct rent rent;

	(void)state;
	assert_true(purchase_of(&pricing, &candidate, 16, 1000, ABSENT_NUMBER, &purchase));
	assert_false(is_given(purchase.hours_left));
	assert_close(purchase.accelerators_usd + purchase.hosts_usd + purchase.network_usd, purchase.capital_usd, 1e-12);
	purchase_against(&purchase, 16, 16 * 0.09, &rent);
	assert_false(is_given(rent.break_even_hours) || is_given(rent.break_even_utilization));
	purchase_against(&purchase, 16, 16 * 0.1001, &rent);
	assert_true(rent.break_even_utilization > 1);
	pricing.usd_per_gpu_hour = 2;
	assert_false(purchase_of(&pricing, &candidate, 16, 1000, ABSENT_NUMBER, &purchase));
	pricing = (struct pricing){
		.usd_per_gpu_hour = ABSENT_NUMBER, .on_premises = {.capex_usd_per_gpu = ABSENT_NUMBER, .list_prices = TRUTH_TRUE}};
	assert_false(purchase_of(&pricing, &candidate, 16, 1000, ABSENT_NUMBER, &purchase)); /* no list price is known */
}

/* --- the whole footprint ------------------------------------------------------------------------------------ */

static void parts_sum_to_the_whole(void **state)
{
	struct serving_fixture fixture;
	struct findings findings;
	struct footprint one, two;
	struct usage usage;

	(void)state;
	serving_fixture_fill(&fixture);
	findings_clear(&findings);
	usage = (struct usage){.accelerator = &fixture.candidate.accelerator,
		.gpu_count = 8,
		.node_count = 1,
		.hours = 100,
		.busy_fraction = 0.9,
		.compute_utilization = 0.4,
		.memory_utilization = 0.3,
		.host_power_fraction = ABSENT_NUMBER};
	fixture.candidate.site.grid_market_gco2e_per_kwh = 0;
	fixture.candidate.site.grid_marginal_gco2e_per_kwh = 700;
	footprint_of_usage(&usage, &fixture.candidate.site, &one, &findings);
	assert_close(one.energy.total_kwh, one.energy.it_kwh * 1.2, 1e-12);
	assert_close(one.energy.it_kwh, 8 * one.energy.mean_gpu_w * 1.3 * 100 / 1000, 1e-12);
	assert_close(one.carbon.total_kgco2e, one.carbon.operational_kgco2e + one.carbon.embodied_kgco2e, 1e-12);
	assert_close(one.carbon.marginal_kgco2e, one.energy.total_kwh * 0.7, 1e-12);
	assert_close(one.carbon.market_kgco2e, 0, 1e-12);
	assert_true(one.embodied_low_kgco2e < one.carbon.embodied_kgco2e && one.carbon.embodied_kgco2e < one.embodied_high_kgco2e);
	assert_close(one.carbon.gco2e_per_gpu_hour, one.carbon.total_kgco2e * 1000 / 800, 1e-12);
	assert_close(one.carbon.embodied_low_kgco2e, one.embodied_low_kgco2e, 1e-12);
	assert_close(one.carbon.embodied_high_kgco2e, one.embodied_high_kgco2e, 1e-12);
	assert_true(one.total_kwh.p10 < one.total_kwh.p50 && one.total_kwh.p50 < one.total_kwh.p90);
	assert_true(findings.assumption_count >= 5 && findings.dropped == 0);
	usage.gpu_count = 16;
	usage.node_count = 2;
	footprint_of_usage(&usage, &fixture.candidate.site, &two, NULL);
	assert_close(two.carbon.total_kgco2e, 2 * one.carbon.total_kgco2e, 1e-12);
	assert_close(two.water_l, 2 * one.water_l, 1e-12);
	assert_close(two.carbon.gco2e_per_gpu_hour, one.carbon.gco2e_per_gpu_hour, 1e-12);
}

static void intervals_widen_with_what_is_not_known(void **state)
{
	struct serving_fixture fixture;
	struct footprint narrow, wide;
	struct usage usage;

	(void)state;
	serving_fixture_fill(&fixture);
	usage = (struct usage){.accelerator = &fixture.candidate.accelerator,
		.gpu_count = 8,
		.node_count = 1,
		.hours = 100,
		.busy_fraction = 1,
		.compute_utilization = 0.4,
		.memory_utilization = 0.3,
		.host_power_fraction = 0.3};
	footprint_of_usage(&usage, &fixture.candidate.site, &narrow, NULL);
	usage.host_power_fraction = ABSENT_NUMBER;
	footprint_of_usage(&usage, &fixture.candidate.site, &wide, NULL);
	assert_close(wide.total_kwh.p50, narrow.total_kwh.p50, 1e-12);
	assert_true(wide.total_kwh.p90 > narrow.total_kwh.p90);
	narrow = wide;
	fixture.candidate.site.pue_high = 2;
	footprint_of_usage(&usage, &fixture.candidate.site, &wide, NULL);
	assert_true(wide.total_kwh.p90 > narrow.total_kwh.p90);
	narrow = wide;
	fixture.candidate.site.grid_high_gco2e_per_kwh = 800;
	footprint_of_usage(&usage, &fixture.candidate.site, &wide, NULL);
	assert_true(wide.total_kgco2e.p90 > narrow.total_kgco2e.p90);
}

static void measured_power_replaces_the_catalogue(void **state)
{
	struct serving_fixture fixture;
	struct usage usage;
	double catalogue_w;

	(void)state;
	serving_fixture_fill(&fixture);
	usage = (struct usage){.accelerator = &fixture.candidate.accelerator,
		.calibration = &fixture.candidate.calibration,
		.gpu_count = 1,
		.hours = 1,
		.busy_fraction = 0.5,
		.compute_utilization = 0.4,
		.memory_utilization = 0.3,
		.host_power_fraction = 0};
	catalogue_w = energy_mean_gpu_w(&usage);
	assert_close(catalogue_w, 82.6 + 0.5 * 0.885 * (700 - 82.6), 1e-9);
	fixture.candidate.calibration.idle_w = 70;
	fixture.candidate.calibration.load_w = 650;
	assert_close(energy_mean_gpu_w(&usage), 70 + 0.5 * 0.885 * 580, 1e-9);
	usage.busy_fraction = 0;
	assert_close(energy_mean_gpu_w(&usage), 70, 1e-12);
}

static void unknown_sites_are_world_averages_and_say_so(void **state)
{
	struct site site = {
		.grid_gco2e_per_kwh = ABSENT_NUMBER, .pue = ABSENT_NUMBER, .wue_l_per_kwh = ABSENT_NUMBER, .ewif_l_per_kwh = ABSENT_NUMBER};
	struct findings findings;

	(void)state;
	findings_clear(&findings);
	site_complete(&site, &findings);
	assert_close(site.grid_gco2e_per_kwh, 473, 1e-12);
	assert_int_equal(findings.assumption_count, 4);
	for (size_t i = 0; i < findings.assumption_count; i++)
		assert_true(strncmp(findings.assumptions[i].source, "E6", 2) == 0);
}

/* E65 by hand: 8 x 164 to 8 x 575 kg for the accelerators, 2,500 to 5,700 kg
 * for a server; a life of 3 to 6 years, 4 in the middle. */
static void embodied_carbon_carries_its_published_range(void **state)
{
	struct accelerator h100 = {.id = "h100", .embodied_kgco2e = 164, .embodied_boavizta_kgco2e = 575};
	struct usage usage = {.accelerator = &h100, .gpu_count = 8, .node_count = 1, .hours = 8760};
	double low = 8 * 164 + 2500, high = 8 * 575 + 5700, middle = (8 * sqrt(164.0 * 575) + sqrt(2500.0 * 5700)) / 4 / 0.85;
	double spread = exp(1.28155 * hypot(log(high / low) / 2.5631, log(6.0 / 3) / 2.5631));
	struct embodied embodied;

	(void)state;
	embodied_of_usage(&usage, &embodied, NULL);
	assert_close(embodied.kgco2e, middle, 1e-9);
	assert_close(embodied.low_kgco2e, middle / spread, 1e-4);
	assert_close(embodied.high_kgco2e, middle * spread, 1e-4);
}

/* If one of the two books lacks an accelerator, its figure is assumed to differ from the other's as on an H100.
 * Either book may have the larger figure. */
static void one_book_stands_for_both(void **state)
{
	static const double apart = 575.2 / 164;
	struct accelerator accelerator = {.embodied_kgco2e = ABSENT_NUMBER, .embodied_boavizta_kgco2e = 300};
	const char *source;
	double low, high;

	(void)state;
	assert_close(embodied_accelerator_kgco2e(&accelerator, &low, &high, &source), 300 / sqrt(apart), 1e-12);
	assert_true(fabs(low - 300 / apart) < 1e-9 && high >= 300 && high <= 300);
	accelerator = (struct accelerator){.embodied_kgco2e = 400, .embodied_boavizta_kgco2e = 300};
	assert_close(embodied_accelerator_kgco2e(&accelerator, &low, &high, &source), sqrt(400 * 300.0), 1e-12);
	assert_true(low <= 300 && high >= 400);
}

static void a_given_grid_is_not_in_doubt(void **state)
{
	struct site site = site_of(400, 1.2);

	(void)state;
	site.grid_status = PROVENANCE_GIVEN;
	assert_true(carbon_grid_log_sigma(&site) <= 0);
	site.grid_status = PROVENANCE_DEFAULT;
	assert_true(carbon_grid_log_sigma(&site) > 0.05);
}

/* --- sensitivity --------------------------------------------------------------------------------------------- */

static void inputs_move_as_far_as_such_a_value_can_be(void **state)
{
	static const struct {
		struct figure input;
		double low, high;
	} cases[] = {
		{{.field = "tokens", .value = 100, .low = 100, .high = 100}, 90, 110},
		{{.field = "site.pue", .value = 1.05, .low = 1.05, .high = 1.05}, 1, 1.155},
		{{.field = "hardware.used_fraction", .value = 0.95, .low = 0.95, .high = 0.95}, 0.855, 1},
		{{.field = "utilization", .value = 1, .low = 1, .high = 1}, 0.9, 1},
		{{.field = "mfu", .value = 0.5, .low = 0.4, .high = 1.2}, 0.4, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct figure range = sensitivity_range(&cases[i].input);

		assert_close(range.low, cases[i].low, 1e-12);
		assert_close(range.high, cases[i].high, 1e-12);
	}
}

/* Money moves by 8 %, carbon by 10 or 20 %. The objective's figure is reported if it moves about as far. */
static void the_objective_is_told_first(void **state)
{
	static struct findings findings;
	const struct figure input = {.field = "x", .value = 1, .low = 0.9, .high = 1.1, .source = "s", .status = PROVENANCE_DEFAULT};
	const struct moved before = {.usd = 100, .hours = 10, .kwh = 10, .kgco2e = 10, .water_l = 10}, same = before;
	struct moved high = {.usd = 108, .hours = 10, .kwh = 10, .kgco2e = 11, .water_l = 10};

	(void)state;
	sensitivity_note(&findings, &input, &before, &same, &high, OBJECTIVE_COST, "exact");
	assert_string_equal(findings.sensitivities[0].figure, "/cost/total_usd");
	high.kgco2e = 12;
	sensitivity_note(&findings, &input, &before, &same, &high, OBJECTIVE_COST, "exact");
	sensitivity_note(&findings, &input, &before, &same, &before, OBJECTIVE_COST, "exact"); /* changes no figure */
	assert_int_equal(findings.sensitivity_count, 2);
	assert_string_equal(findings.sensitivities[0].figure, "/carbon/total_kgco2e"); /* sorted by the relative change */
	assert_close(findings.sensitivities[0].relative, 0.2, 1e-12);
}

/* --- prices -------------------------------------------------------------------------------------------------- */

static void prices_are_taken_in_order(void **state)
{
	struct request_common common = serving_fixture_common();
	struct serving_fixture fixture;
	struct findings findings;
	struct gpu_price price;

	(void)state;
	serving_fixture_fill(&fixture);
	findings_clear(&findings);
	assert_true(cost_gpu_price(&common.pricing, &fixture.candidate, 8, 1000, &price, &findings));
	assert_true(price.has_offer && price.usd_per_gpu_hour == 3 && price.low_usd_per_gpu_hour == 2.2 && price.status == PROVENANCE_DEFAULT);
	assert_true(cost_gpu_price(
		&common.pricing, &fixture.candidate, 7, 1000, &price, &findings)); /* the instance of eight is paid whole, at both prices */
	assert_close(price.usd_per_gpu_hour, 3 * 8 / 7.0, 1e-12);
	assert_close(price.low_usd_per_gpu_hour, 2.2 * 8 / 7.0, 1e-12);
	common.pricing.on_premises.capex_usd_per_gpu = 35040;
	assert_true(cost_gpu_price(&common.pricing, &fixture.candidate, 8, 1000, &price, &findings));
	assert_true(!price.has_offer && price.status == PROVENANCE_DERIVED);
	assert_close(price.usd_per_gpu_hour, 1 + 0.0815, 1e-9);
	assert_int_equal(findings.assumption_count, 4); /* life, tariff, staff, space */
	common.pricing.usd_per_gpu_hour = 2;
	assert_true(cost_gpu_price(&common.pricing, &fixture.candidate, 8, 1000, &price, &findings));
	assert_true(price.usd_per_gpu_hour == 2 && price.high_usd_per_gpu_hour == 2 && price.status == PROVENANCE_GIVEN);
	common = serving_fixture_common();
	fixture.candidate.has_offer = false;
	assert_false(cost_gpu_price(&common.pricing, &fixture.candidate, 8, 1000, &price, &findings));
	assert_true(price.usd_per_gpu_hour == 0);
}

static struct supply supply_of(int64_t gpus, double usd_per_gpu_hour, double grid_gco2e_per_kwh)
{
	return (struct supply){
		.offer = {.provider = "p", .gpus = gpus, .usd_per_gpu_hour = usd_per_gpu_hour}, .site = site_of(grid_gco2e_per_kwh, 1.2)};
}

static void instances_are_rented_whole_and_hold_what_works_together(void **state)
{
	const struct supply supplies[] = {supply_of(1, 2, 100), supply_of(2, 2.4, 200), supply_of(8, 3, 300)};
	static const struct {
		int64_t node, group, count, gpus, paid;
	} cases[] = {
		{8, 1, 1, 1, 1}, {8, 1, 5, 1, 5},                         /* instances of one, as many as needed */
		{8, 2, 2, 2, 2}, {8, 2, 6, 2, 6}, {8, 2, 3, 2, 4},        /* pairs; for an odd count both of the last pair are paid */
		{8, 3, 3, 8, 8}, {8, 8, 9, 8, 16}, {8, 632, 632, 8, 632}, /* instances of 3 do not exist; a job beyond a node takes whole nodes */
		{4, 4, 4, 8, 8}, {2, 16, 16, 2, 16},                      /* an instance need not be larger than the node */
		{16, 16, 16, 8, 16},                                      /* no instance is large enough: the largest is used */
	};
	struct request_common common = serving_fixture_common();
	struct serving_fixture fixture;
	struct gpu_price price;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.candidate.supplies = supplies;
	fixture.candidate.supply_count = COUNT_OF(supplies);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct findings findings;
		struct candidate had;

		findings_clear(&findings);
		fixture.candidate.gpus_per_node = cases[i].node;
		had = supply_of_count(&fixture.candidate, cases[i].group, cases[i].count);
		assert_int_equal(had.offer.gpus, cases[i].gpus);
		assert_close(had.site.grid_gco2e_per_kwh, cases[i].gpus == 8 ? 300 : 100.0 * (double)cases[i].gpus, 1e-12);
		assert_int_equal(supply_paid_count(&had, cases[i].count), cases[i].paid);
		assert_true(cost_gpu_price(&common.pricing, &had, cases[i].count, 1000, &price, NULL));
		assert_close(price.usd_per_gpu_hour * (double)cases[i].count, had.offer.usd_per_gpu_hour * (double)cases[i].paid, 1e-9);
		supply_remark(&had, cases[i].group, cases[i].count, &findings);
		assert_int_equal(findings.warning_count, (cases[i].paid > cases[i].count) + (cases[i].node == 16));
	}
	/* TPUs are priced by the chip and rented by the slice. */
	fixture.candidate.accelerator.vendor = "google";
	fixture.candidate.gpus_per_node = 4;
	assert_int_equal(supply_of_count(&fixture.candidate, 3, 3).offer.gpus, 1);
	fixture.candidate.supply_count = 0; /* no supplies to choose from: the candidate's own offer, of 8 */
	assert_int_equal(supply_of_count(&fixture.candidate, 1, 1).offer.gpus, 8);
	assert_int_equal(supply_paid_count(&fixture.candidate, 1), 1);
}

/* E142. A count is raised to the next slice size; beyond the largest, to several slices of one size. Without sizes
 * any count can be rented. */
static void slices_have_sizes(void **state)
{
	static const int64_t chips[] = {4, 8, 32, 64},
						 cases[][2] = {{1, 4}, {4, 4}, {5, 8}, {9, 32}, {64, 64}, {65, 96}, {97, 128}, {1000, 1024}};
	static const int64_t whole_cubes[][2] = {{1, 4}, {9, 32}, {33, 64}, {65, 96}, {96, 96}, {150, 160}, {161, 192}};
	struct candidate candidate = {.slice_sizes = {chips, COUNT_OF(chips), 32, 0, "a test"}}, open = {.gpus_per_node = 8};
	static const int64_t with_cubes[] = {4, 8, 32, 64, 160};
	struct candidate cubes = {.slice_sizes = {with_cubes, COUNT_OF(with_cubes), 64, 32, "a test"}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(supply_rentable_count(&candidate, cases[i][0]), cases[i][1]);
		assert_int_equal(supply_rentable_count(&candidate, cases[i][1]), cases[i][1]);
		assert_int_equal(supply_rentable_count(&open, cases[i][0]), cases[i][0]);
	}
	for (size_t i = 0; i < COUNT_OF(whole_cubes); i++)
		assert_int_equal(supply_rentable_count(&cubes, whole_cubes[i][0]), whole_cubes[i][1]);
}

/* A window's mean over its hours is that of its two parts together, wherever it is cut. The mean over the whole
 * series is the series' own. */
static void hours_add_up(void **state)
{
	double steps[48], integral[49];
	struct grid_hours series = {.start_us = 1763748000000000, .step_minutes = 60, .count = 48, .integral = integral};

	(void)state;
	for (int i = 0; i < 48; i++)
		steps[i] = 200 + 150 * sin(i * 0.37) + (i % 5) * 20;
	grid_hours_integrate(steps, 48, 60, integral);
	for (int i = 0; i < 17; i++) {
		double cut = 0.25 + 3.7 * i; /* hours */
		int64_t start_us = series.start_us - 7200000000;
		struct grid_span whole = grid_hours_mean(&series, start_us, 60, 250), first = grid_hours_mean(&series, start_us, cut, 250);
		struct grid_span second = grid_hours_mean(&series, start_us + (int64_t)(cut * 3600e6), 60 - cut, 250);

		assert_close(whole.gco2e_per_kwh * 60, first.gco2e_per_kwh * cut + second.gco2e_per_kwh * (60 - cut), 1e-9);
		assert_close(whole.covered_fraction * 60, first.covered_fraction * cut + second.covered_fraction * (60 - cut), 1e-9);
	}
	assert_close(grid_hours_mean(&series, series.start_us, 48, 0).gco2e_per_kwh * 48, integral[48], 1e-12);
}

/* --- published figures compared with each other ------------------------------------------------------------- */

static struct carbon_estimate estimate;
static struct failure failure;

static struct carbon_request carbon_request_of(int64_t gpus, double hours)
{
	struct carbon_request request = {.gpu_count = gpus,
		.gpus_per_node = ABSENT_COUNT,
		.hours = hours,
		.utilization = ABSENT_NUMBER,
		.host_power_fraction = ABSENT_NUMBER,
		.hardware = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.published = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER}};

	return request;
}

static enum status check(const struct carbon_request *request, double grid, double pue)
{
	struct site site = site_of(grid, pue);
	struct serving_fixture fixture;

	serving_fixture_fill(&fixture);
	memset(&estimate, 0, sizeof estimate);
	failure_clear(&failure);
	return planner_carbon(request, &fixture.candidate.accelerator, &fixture.candidate.calibration, &site, &estimate, &failure);
}

static void a_card_that_contradicts_itself_is_flagged(void **state)
{
	struct carbon_request request = carbon_request_of(1000, 7000); /* Llama 3.3: 7.0 M hours at 700 W, and 12.9 t */

	(void)state;
	request.published.mean_gpu_w = 700;
	request.published.carbon_tco2e = 12.9;
	assert_int_equal(check(&request, 390, 1.08), STATUS_OK);
	assert_close(estimate.implied.energy_mwh, 4900, 1e-12);
	assert_close(estimate.implied.carbon_tco2e, 4900 * 1.08 * 0.39, 1e-12);
	assert_close(estimate.implied.grid_gco2e_per_kwh, 12.9e6 / 4.9e6, 1e-12);
	assert_true(estimate.inconsistency_count >= 1);
	assert_contains(estimate.inconsistencies[0].detail, "12.9 tCO2e");
	request.published.carbon_tco2e = 2040; /* Llama 3.1 70B's figure for the same hours */
	assert_int_equal(check(&request, 390, 1.08), STATUS_OK);
	assert_int_equal(estimate.inconsistency_count, 0);
}

static void published_energy_and_power_must_agree(void **state)
{
	struct carbon_request request = carbon_request_of(384, 2820.3);

	(void)state;
	request.published.mean_gpu_w = 400;
	request.published.energy_mwh = 433.196;
	assert_int_equal(check(&request, 57, 1), STATUS_OK);
	assert_int_equal(estimate.inconsistency_count, 0);
	assert_close(estimate.implied.pue, 1, 0.001);
	assert_true(estimate.implied.utilization > 0.4 && estimate.implied.utilization < 0.6); /* 400 in 82.6 to 700 W */
	request.published.mean_gpu_w = 760;                                                    /* above 700 W: hosts are included */
	request.published.energy_mwh = ABSENT_NUMBER;
	assert_int_equal(check(&request, 57, 1), STATUS_OK);
	assert_true(isnan(estimate.implied.utilization));
	assert_int_equal(estimate.inconsistency_count, 0);
	request.published.mean_gpu_w = 400;
	request.published.energy_mwh = 4331.96;
	assert_int_equal(check(&request, 57, 1), STATUS_OK);
	assert_int_equal(estimate.inconsistency_count, 1);
	assert_contains(estimate.inconsistencies[0].detail, "10.0 times apart");
	request.published.mean_gpu_w = ABSENT_NUMBER; /* 4,000 W for an accelerator of 700 W */
	assert_int_equal(check(&request, 57, 1), STATUS_OK);
	assert_contains(estimate.inconsistencies[0].detail, "full load");
	request.published.energy_mwh = 20;
	assert_int_equal(check(&request, 57, 1), STATUS_OK);
	assert_contains(estimate.inconsistencies[0].detail, "idle power");
}

/* T5 (Patterson et al. 2021, table 4): 245,760 TPU v3 hours at 310 W are 76.2 MWh; times the PUE of 1.12 they are the
 * published 85.7 MWh. The published 46.7 t are the carbon of 85.7 MWh, so the PUE counts once. StarCoder's 89.67 MWh
 * are the accelerators' energy, its 16.68 t the building's carbon. */
static void the_building_counts_once(void **state)
{
	struct carbon_request request = carbon_request_of(512, 480);

	(void)state;
	request.published.mean_gpu_w = 310;
	request.published.energy_mwh = 85.7;
	request.published.carbon_tco2e = 46.7;
	assert_int_equal(check(&request, 545, 1.12), STATUS_OK);
	assert_int_equal(estimate.implied.energy_is_facility, TRUTH_TRUE);
	assert_close(estimate.implied.energy_mwh, 85.7, 0.005);
	assert_close(estimate.implied.carbon_tco2e, 46.7, 0.001);
	request = carbon_request_of(1, 320256);
	request.published.mean_gpu_w = 280;
	request.published.energy_mwh = 89.67;
	assert_int_equal(check(&request, 154.95, 1.2), STATUS_OK);
	assert_int_equal(estimate.implied.energy_is_facility, TRUTH_FALSE);
	assert_close(estimate.implied.carbon_tco2e, 16.68, 0.001);
	request.published.mean_gpu_w = ABSENT_NUMBER;
	assert_int_equal(check(&request, 154.95, 1.2), STATUS_OK);
	assert_int_equal(estimate.implied.energy_is_facility, TRUTH_UNSET);
}

/* E61: a measured full load of 262 W replaces the TDP of 450 W. */
static void a_measured_full_load_stands_for_the_tdp(void **state)
{
	struct accelerator tpu = {.tdp_w = 450, .idle_w = 123, .load_w = 262};

	(void)state;
	assert_close(accelerator_load_w(&tpu, NULL, NULL, NULL), 262, 1e-12);
	tpu.load_w = ABSENT_NUMBER;
	assert_close(accelerator_load_w(&tpu, NULL, NULL, NULL), 450, 1e-12);
}

static void carbon_alone_is_held_against_our_own(void **state)
{
	struct carbon_request request = carbon_request_of(8, 1000);

	(void)state;
	assert_int_equal(check(&request, 400, 1.2), STATUS_OK);
	assert_int_equal(estimate.inconsistency_count, 0);
	assert_true(isnan(estimate.implied.pue) && isnan(estimate.implied.carbon_tco2e) && isnan(estimate.implied.utilization));
	request.published.carbon_tco2e = estimate.carbon.operational_kgco2e / 1000;
	assert_int_equal(check(&request, 400, 1.2), STATUS_OK);
	assert_int_equal(estimate.inconsistency_count, 0);
	request.published.carbon_tco2e *= 3;
	assert_int_equal(check(&request, 400, 1.2), STATUS_OK);
	assert_int_equal(estimate.inconsistency_count, 1);
}

static void bad_figures_are_refused_and_nothing_takes_no_time(void **state)
{
	struct carbon_request request = carbon_request_of(8, ABSENT_NUMBER);

	(void)state;
	request.published.energy_mwh = 0;
	request.published.mean_gpu_w = -1;
	assert_int_equal(check(&request, 400, 1.2), STATUS_INVALID);
	assert_int_equal(failure.fault_total, 3);
	request = carbon_request_of(ABSENT_COUNT, 0);
	request.published.energy_mwh = 5;
	request.published.carbon_tco2e = 1;
	assert_int_equal(check(&request, 400, 1.2), STATUS_OK);
	assert_close(estimate.energy.total_kwh, 0, 1e-12);
	assert_true(isnan(estimate.implied.mean_gpu_w) && isnan(estimate.implied.pue));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(golden_cases_hold),
	cmocka_unit_test(buying_does_not_always_pay),
	cmocka_unit_test(parts_sum_to_the_whole),
	cmocka_unit_test(intervals_widen_with_what_is_not_known),
	cmocka_unit_test(measured_power_replaces_the_catalogue),
	cmocka_unit_test(unknown_sites_are_world_averages_and_say_so),
	cmocka_unit_test(one_book_stands_for_both),
	cmocka_unit_test(a_given_grid_is_not_in_doubt),
	cmocka_unit_test(inputs_move_as_far_as_such_a_value_can_be),
	cmocka_unit_test(the_objective_is_told_first),
	cmocka_unit_test(prices_are_taken_in_order),
	cmocka_unit_test(slices_have_sizes),
	cmocka_unit_test(hours_add_up),
	cmocka_unit_test(embodied_carbon_carries_its_published_range),
	cmocka_unit_test(instances_are_rented_whole_and_hold_what_works_together),
	cmocka_unit_test(a_card_that_contradicts_itself_is_flagged),
	cmocka_unit_test(published_energy_and_power_must_agree),
	cmocka_unit_test(the_building_counts_once),
	cmocka_unit_test(a_measured_full_load_stands_for_the_tdp),
	cmocka_unit_test(carbon_alone_is_held_against_our_own),
	cmocka_unit_test(bad_figures_are_refused_and_nothing_takes_no_time),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
