/* Money, energy and carbon of trainings: ranges, sensitivities, sums of parts,
 * and the choice among offers against a trial of all. */
#include <math.h>
#include <string.h>

#include "planner/footprint/cost.h"
#include "planner/queueing/random.h"
#include "support/assert.h"
#include "support/training_fixture.h"

enum { ACCELERATORS = 2, OFFERS = 5, POINTS_MAX = 512 };

static struct training_fixture fixture;
static struct supply supplies[ACCELERATORS][OFFERS];
#define REQUEST (fixture.input.request)
#define BEST    (fixture.plan.recommended)

static void begin(void)
{
	fixture_init(&fixture);
	REQUEST.common.gpu_count = 64;
	REQUEST.common.pricing.on_premises = (struct on_premises){.capex_usd_per_gpu = ABSENT_NUMBER,
		.life_years = ABSENT_NUMBER,
		.electricity_usd_per_kwh = ABSENT_NUMBER,
		.staff_usd_per_gpu_month = ABSENT_NUMBER,
		.space_usd_per_kw_month = ABSENT_NUMBER};
	REQUEST.common.pricing.storage_gb = REQUEST.common.pricing.egress_gb = ABSENT_NUMBER;
}

/* --- ranges -------------------------------------------------------------------------------------------------------- */

static double figure_at(const char *pointer)
{
	const struct {
		const char *pointer;
		double value;
	} figures[] = {{"/cost/total_usd", BEST.cost.total_usd}, {"/wall_clock_hours", BEST.wall_clock_hours},
		{"/energy/total_kwh", BEST.energy.total_kwh}, {"/carbon/total_kgco2e", BEST.carbon.total_kgco2e}, {"/water_l", BEST.water_l},
		{"/energy/mean_gpu_w", BEST.energy.mean_gpu_w}, {"/energy/it_kwh", BEST.energy.it_kwh},
		{"/carbon/operational_kgco2e", BEST.carbon.operational_kgco2e}, {"/carbon/embodied_kgco2e", BEST.carbon.embodied_kgco2e},
		{"/goodput/fraction", BEST.goodput.fraction}};

	for (size_t i = 0; i < COUNT_OF(figures); i++)
		if (strcmp(figures[i].pointer, pointer) == 0)
			return figures[i].value;
	return ABSENT_NUMBER;
}

static const struct provenance *provenance_at(const char *pointer)
{
	for (size_t i = 0; i < BEST.provenance_count; i++)
		if (strcmp(BEST.provenance[i].pointer, pointer) == 0)
			return &BEST.provenance[i];
	fail_msg("no provenance of %s", pointer);
	return NULL;
}

static void figures_lie_in_their_ranges(void **state)
{
	(void)state;
	begin();
	fixture_planned(&fixture);
	for (size_t i = 0; i < BEST.provenance_count; i++) {
		const struct provenance *entry = &BEST.provenance[i];
		double value = figure_at(entry->pointer);

		assert_true(entry->low <= entry->high && entry->source && entry->status != PROVENANCE_UNSET);
		if (is_given(value))
			assert_true(entry->low <= value * (1 + 1e-12) && value <= entry->high * (1 + 1e-12));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(BEST.provenance[k].pointer, entry->pointer);
	}
	assert_close(provenance_at("/cost/total_usd")->high, BEST.interval.total_usd.p90, 1e-12);
	assert_close(provenance_at("/energy/total_kwh")->low, BEST.interval.total_kwh.p10, 1e-12);
	assert_close(provenance_at("/carbon/total_kgco2e")->high, BEST.interval.total_kgco2e.p90, 1e-12);
	for (size_t i = 0; i < BEST.inputs.count; i++)
		assert_true(BEST.inputs.items[i].low <= BEST.inputs.items[i].value && BEST.inputs.items[i].value <= BEST.inputs.items[i].high);
}

/* E108 by hand: sigma of the facility's kWh is the root of the sum of the squares of hours, model, host and PUE. */
static void ranges_join_as_the_equation_says(void **state)
{
	double hours, model = log(1.17 / 0.79) / 2.5631031, host = log(1.6 / 1.2) / 2.5631031, pue = log(1.3 / 1.1) / 2.5631031, sigma;
	const struct provenance *kwh;

	(void)state;
	begin();
	fixture_planned(&fixture);
	hours = log(BEST.interval.gpu_hours.p90 / BEST.gpu_hours) / 1.28155157;
	sigma = sqrt(hours * hours + model * model + host * host + pue * pue);
	kwh = provenance_at("/energy/total_kwh");
	assert_close(kwh->high / BEST.energy.total_kwh, exp(1.28155157 * sigma), 1e-6);
	assert_close(provenance_at("/energy/mean_gpu_w")->high / BEST.energy.mean_gpu_w, exp(1.28155157 * model), 1e-6);
	REQUEST.common.hardware.host_power_fraction = 0.3; /* a given value has no range */
	fixture_planned(&fixture);
	assert_close(provenance_at("/energy/it_kwh")->high / BEST.energy.it_kwh, exp(1.28155157 * sqrt(hours * hours + model * model)), 1e-6);
}

/* --- sensitivities ------------------------------------------------------------------------------------------------ */

/* Puts the input into the request or the candidate, as a caller would. Returns false if there is no such place. */
static bool put(const char *field, double value)
{
	struct candidate *candidate = &fixture.candidates[0];
	const struct {
		const char *field;
		double *place;
	} places[] = {{"tokens", &REQUEST.tokens}, {"mfu", &REQUEST.mfu}, {"site.pue", &candidate->site.pue},
		{"site.grid_gco2e_per_kwh", &candidate->site.grid_gco2e_per_kwh}, {"site.wue_l_per_kwh", &candidate->site.wue_l_per_kwh},
		{"site.ewif_l_per_kwh", &candidate->site.ewif_l_per_kwh}, {"accelerator.idle_w", &candidate->accelerator.idle_w},
		{"accelerator.load_w", &candidate->accelerator.load_w},
		{"hardware.host_power_fraction", &REQUEST.common.hardware.host_power_fraction},
		{"hardware.embodied_kgco2e_per_gpu", &REQUEST.common.hardware.embodied_kgco2e_per_gpu},
		{"hardware.embodied_kgco2e_per_node", &REQUEST.common.hardware.embodied_kgco2e_per_node},
		{"hardware.life_years", &REQUEST.common.hardware.life_years}, {"hardware.used_fraction", &REQUEST.common.hardware.used_fraction},
		{"reliability.mtbf_gpu_hours", &REQUEST.reliability.mtbf_gpu_hours},
		{"reliability.restart_minutes", &REQUEST.reliability.restart_minutes},
		{"reliability.checkpoint_gbs", &REQUEST.reliability.checkpoint_gbs},
		{"reliability.checkpoint_interval_minutes", &REQUEST.reliability.checkpoint_interval_minutes},
		{"pricing.spot_interruptions_per_gpu_hour", &REQUEST.common.pricing.spot_interruptions_per_gpu_hour},
		{"pricing.usd_per_gpu_hour", &REQUEST.common.pricing.usd_per_gpu_hour},
		{"pricing.on_premises.capex_usd_per_gpu", &REQUEST.common.pricing.on_premises.capex_usd_per_gpu},
		{"pricing.on_premises.life_years", &REQUEST.common.pricing.on_premises.life_years},
		{"pricing.on_premises.electricity_usd_per_kwh", &REQUEST.common.pricing.on_premises.electricity_usd_per_kwh},
		{"pricing.on_premises.staff_usd_per_gpu_month", &REQUEST.common.pricing.on_premises.staff_usd_per_gpu_month},
		{"pricing.storage_usd_per_gb_month", &REQUEST.common.pricing.storage_usd_per_gb_month}};

	for (size_t i = 0; i < COUNT_OF(places); i++)
		if (strcmp(places[i].field, field) == 0) {
			*places[i].place = value;
			return true;
		}
	return false;
}

static struct sensitivity reported[SENSITIVITIES_MAX];

/* Plans again with each input at both ends of its range. Returns the number of plans tried. */
static size_t check_sensitivities(void)
{
	const struct training_request request = REQUEST;
	const struct candidate candidate = fixture.candidates[0];
	size_t count, tried = 0;

	fixture_planned(&fixture);
	count = fixture.plan.findings.sensitivity_count;
	memcpy(reported, fixture.plan.findings.sensitivities, sizeof reported);
	assert_int_equal(fixture.plan.findings.dropped, 0);
	for (size_t i = 0; i < count; i++) {
		double before = figure_at(reported[i].figure);

		assert_true(i == 0 || fabs(reported[i].relative) <= fabs(reported[i - 1].relative));
		for (int end = 0; end < 2; end++) {
			if (!put(reported[i].field, end ? reported[i].high : reported[i].low))
				continue;
			fixture_planned(&fixture);
			/* whole steps, and batches that follow the tokens, change the last digits */
			assert_close(figure_at(reported[i].figure) / before, 1 + (end ? reported[i].change_high : reported[i].change_low), 1e-5);
			REQUEST = request;
			fixture.candidates[0] = candidate;
			fixture_planned(&fixture);
			tried++;
		}
	}
	return tried;
}

static void sensitivities_are_what_happens(void **state)
{
	(void)state;
	begin();
	assert_true(check_sensitivities() >= 28);
	begin();
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.common.pricing.on_premises.capex_usd_per_gpu = 30000;
	REQUEST.common.pricing.on_premises.staff_usd_per_gpu_month = 40;
	REQUEST.common.pricing.storage_usd_per_gb_month = 20;
	assert_true(check_sensitivities() >= 30);
	begin();
	REQUEST.common.pricing.spot_interruptions_per_gpu_hour = 0.002; /* without an offer the interruptions are those of the request */
	REQUEST.common.objective = OBJECTIVE_CARBON;
	assert_true(check_sensitivities() >= 28);
	assert_string_equal(reported[0].figure, "/carbon/total_kgco2e");
}

/* Measured power replaces the catalogue's, with its source and its uncertainty. The sum still holds. */
static void measured_power_is_used_and_said(void **state)
{
	struct calibration *calibration = &fixture.candidates[0].calibration;
	double before_w, share;

	(void)state;
	begin();
	fixture_planned(&fixture);
	assert_int_equal(provenance_at("/energy/mean_gpu_w")->status, PROVENANCE_DERIVED);
	before_w = BEST.energy.mean_gpu_w;
	share = (before_w - 50) / (700 - 50);
	calibration->id = "c";
	calibration->source = "benchmark 7 on node a";
	calibration->idle_w = 70;
	calibration->load_w = 620;
	fixture_planned(&fixture);
	assert_close(BEST.energy.mean_gpu_w, 70 + share * (620 - 70), 1e-9);
	assert_int_equal(provenance_at("/energy/mean_gpu_w")->status, PROVENANCE_MEASURED);
	assert_string_equal(provenance_at("/energy/mean_gpu_w")->source, "benchmark 7 on node a");
	for (size_t i = 0; i < BEST.inputs.count; i++)
		if (strncmp(BEST.inputs.items[i].field, "accelerator.", 12) == 0)
			assert_int_equal(BEST.inputs.items[i].status, PROVENANCE_MEASURED);
	assert_close(BEST.energy.it_kwh, BEST.energy.powered_gpu_hours * BEST.energy.mean_gpu_w * 1.3 / 1000, 1e-12);
}

/* --- sums of parts -------------------------------------------------------------------------------------------------- */

static void check_sums(const struct training_option *option, double powered, double host, double pue)
{
	double hours = option->wall_clock_hours;

	assert_close(option->energy.powered_gpu_hours, powered * hours, 1e-12);
	assert_close(option->energy.it_kwh, powered * hours * option->energy.mean_gpu_w * (1 + host) / 1000, 1e-12);
	assert_close(option->energy.total_kwh, option->energy.it_kwh * pue, 1e-12);
	assert_close(option->carbon.operational_kgco2e, option->energy.total_kwh * option->carbon.grid_gco2e_per_kwh / 1000, 1e-12);
	assert_close(option->carbon.total_kgco2e, option->carbon.operational_kgco2e + option->carbon.embodied_kgco2e, 1e-12);
	assert_close(option->carbon.gco2e_per_gpu_hour * option->energy.powered_gpu_hours, option->carbon.total_kgco2e * 1000, 1e-12);
	assert_close(option->water_l, option->energy.it_kwh * (0.3 + pue * 3), 1e-12);
	assert_close(option->cost.total_usd,
		option->cost.usd_per_gpu_hour * option->gpu_hours + given_or(option->cost.storage_usd, 0) + given_or(option->cost.egress_usd, 0),
		1e-12);
}

static void one_set_of_hours_is_behind_everything(void **state)
{
	(void)state;
	begin();
	fixture_planned(&fixture);
	check_sums(&BEST, 64, 0.3, 1.2);
	REQUEST.reliability.spare_nodes = 2; /* spares are paid for, and idle */
	REQUEST.common.hardware.host_power_fraction = 0.4;
	REQUEST.common.pricing.storage_usd_per_gb_month = 0.1;
	REQUEST.common.pricing.egress_usd_per_gb = 0.09;
	fixture_planned(&fixture);
	check_sums(&BEST, 80, 0.4, 1.2);
	assert_close(BEST.gpu_hours, 80 * BEST.wall_clock_hours, 1e-12);
	begin();
	supplies[0][0] = (struct supply){
		{.provider = "p", .term = TERM_ON_DEMAND, .gpus = 8, .usd_per_gpu_hour = 3, .low_usd_per_gpu_hour = 3, .high_usd_per_gpu_hour = 3},
		fixture.candidates[0].site};
	fixture.candidates[0].supplies = supplies[0];
	fixture.candidates[0].supply_count = 1;
	fixture.candidates[0].has_offer = true;
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.common.gpu_count = 12; /* two instances of eight: four accelerators idle and are paid for */
	fixture_planned(&fixture);
	check_sums(&BEST, 16, 0.3, 1.2);
	assert_close(BEST.cost.total_usd, 3 * 16 * BEST.wall_clock_hours, 1e-12);
}

/* E67 by hand: 30,000 USD over 4 years of 8,760 hours; the power of 64 accelerators with hosts and building at 0.10
 * USD a kWh; 50 USD a month of staff, 20 USD a kW and month of space, 730 hours a month. */
static void owning_costs_what_it_costs_by_hand(void **state)
{
	double kw, usd;

	(void)state;
	begin();
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.common.pricing.on_premises = (struct on_premises){.capex_usd_per_gpu = 30000,
		.life_years = 4,
		.electricity_usd_per_kwh = 0.10,
		.staff_usd_per_gpu_month = 50,
		.space_usd_per_kw_month = 20};
	fixture_planned(&fixture);
	kw = BEST.energy.mean_gpu_w * 1.3 * 1.2 / 1000;
	usd = 30000.0 / 35040 + kw * 0.10 + (50 + kw * 20) / 730;
	assert_close(BEST.cost.usd_per_gpu_hour, usd, 1e-9);
	assert_close(BEST.cost.total_usd, 64 * BEST.wall_clock_hours * usd, 1e-9);
	assert_close(BEST.energy.total_kwh, 64 * BEST.wall_clock_hours * kw, 1e-9);
	REQUEST.common.pricing.on_premises.life_years = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_close(provenance_at("/cost/usd_per_gpu_hour")->high - provenance_at("/cost/usd_per_gpu_hour")->low,
		30000.0 / 8760 * (1.0 / 3 - 1.0 / 6), 1e-9);
}

/* --- budgets, commitments, spot ------------------------------------------------------------------------------------ */

static void a_budget_binds_where_it_says(void **state)
{
	double usd;

	(void)state;
	begin();
	fixture_planned(&fixture);
	usd = BEST.cost.total_usd;
	REQUEST.budget_usd = usd * (1 + 1e-9);
	fixture_planned(&fixture);
	assert_close(BEST.cost.total_usd, usd, 1e-12);
	REQUEST.budget_usd = usd * (1 - 1e-9);
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
}

/* Storage is two checkpoints of 14 bytes a parameter, or the given size. The weights in 16 bits leave once. A warning
 * says that bytes without a price are not charged. */
static void data_are_priced_or_said_to_be_free(void **state)
{
	static struct findings findings;
	struct pricing pricing = {
		.storage_usd_per_gb_month = 0.02, .egress_usd_per_gb = 0.09, .storage_gb = ABSENT_NUMBER, .egress_gb = ABSENT_NUMBER};
	struct data_cost cost = cost_of_data(&pricing, 8e9, 365, &findings);

	(void)state;
	assert_close(cost.storage_usd, 0.02 * 2 * 14 * 8 * 0.5, 1e-12);
	assert_close(cost.egress_usd, 0.09 * 16, 1e-12);
	pricing.storage_gb = 1000;
	assert_close(cost_of_data(&pricing, 8e9, 365, &findings).storage_usd, 10, 1e-12);
	assert_int_equal(findings.warning_count, 0);
	pricing = (struct pricing){
		.storage_usd_per_gb_month = ABSENT_NUMBER, .egress_usd_per_gb = ABSENT_NUMBER, .storage_gb = 1000, .egress_gb = 10};
	assert_close(cost_of_data(&pricing, 8e9, 365, &findings).storage_usd, 0, 0);
	assert_int_equal(findings.warning_count, 2);
	assert_non_null(strstr(findings.warnings[0].detail, "pricing.storage_gb is not used"));
	assert_non_null(strstr(findings.warnings[1].detail, "pricing.egress_gb is not used"));
	findings_clear(&findings);
	assert_false(is_given(cost_of_serving_data(&pricing, 16e9, 1e9, &findings).storage_usd));
	assert_int_equal(findings.warning_count, 2);
	pricing.egress_usd_per_gb = 0.1;
	pricing.egress_gb = ABSENT_NUMBER;
	assert_close(cost_of_serving_data(&pricing, 16e9, 1e9, &findings).egress_usd, 0.4, 1e-12); /* 4 bytes a token */
}

static void reservations_are_paid_to_their_end(void **state)
{
	(void)state;
	assert_close(cost_paid_hours(TERM_ON_DEMAND, 100, ABSENT_NUMBER, false), 100, 1e-12);
	assert_close(cost_paid_hours(TERM_SPOT, 100, 168, false), 100, 1e-12);
	assert_close(cost_paid_hours(TERM_RESERVED_1Y, 100, ABSENT_NUMBER, false), 8760, 1e-12);
	assert_close(cost_paid_hours(TERM_RESERVED_1Y, 9000, ABSENT_NUMBER, false), 17520, 1e-12);
	assert_close(cost_paid_hours(TERM_RESERVED_3Y, 100, ABSENT_NUMBER, false), 26280, 1e-12);
	assert_close(cost_paid_hours(TERM_RESERVED_3Y, 100, 168, false), 168, 1e-12); /* from one run to the next */
	assert_close(cost_paid_hours(TERM_RESERVED_1Y, 100, ABSENT_NUMBER, true), 100, 1e-12);
}

static void offer_both_terms(double reserved_usd)
{
	static const char *terms[] = {"on_demand", "reserved_1y"};

	supplies[0][0] = (struct supply){
		{.provider = "p", .term = TERM_ON_DEMAND, .gpus = 8, .usd_per_gpu_hour = 3, .low_usd_per_gpu_hour = 3, .high_usd_per_gpu_hour = 3},
		fixture.candidates[0].site};
	supplies[0][1] = supplies[0][0];
	supplies[0][1].offer.term = TERM_RESERVED_1Y;
	supplies[0][1].offer.usd_per_gpu_hour = supplies[0][1].offer.low_usd_per_gpu_hour = supplies[0][1].offer.high_usd_per_gpu_hour = reserved_usd;
	fixture.candidates[0].supplies = supplies[0];
	fixture.candidates[0].supply_count = 2;
	fixture.candidates[0].has_offer = true;
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.common.pricing.terms = (struct text_list){terms, 2};
}

/* The reserved price wins exactly if the used share of the cadence is above its
 * share of the on-demand price (E102). */
static void a_recurring_training_commits_where_that_is_cheaper(void **state)
{
	double hours, share;

	(void)state;
	begin();
	offer_both_terms(1.5);
	fixture_planned(&fixture);
	hours = BEST.wall_clock_hours;
	assert_int_equal(BEST.cost.offer.term, TERM_ON_DEMAND); /* for one run a year is dearer */
	for (int i = 0; i < 2; i++) {
		share = i ? 0.51 : 0.49; /* break-even: 1.5 of 3 USD */
		REQUEST.cadence_hours = hours / share;
		fixture_planned(&fixture);
		assert_int_equal(BEST.cost.offer.term, i ? TERM_RESERVED_1Y : TERM_ON_DEMAND);
		assert_close(BEST.cost.total_usd, i ? 64 * 1.5 * REQUEST.cadence_hours : 64 * 3 * hours, 1e-9);
	}
	/* the unused hours are paid too, so the run's length no longer changes the cost */
	assert_close(provenance_at("/cost/total_usd")->high, BEST.cost.total_usd, 1e-9);
}

static void spot_pays_for_its_interruptions(void **state)
{
	static const char *terms[] = {"on_demand", "spot"};
	double usd, hours;

	(void)state;
	begin();
	offer_both_terms(2);
	supplies[0][1].offer.term = TERM_SPOT;
	REQUEST.common.pricing.terms = (struct text_list){terms, 2};
	fixture_planned(&fixture);
	assert_int_equal(BEST.cost.offer.term, TERM_SPOT);
	usd = BEST.cost.total_usd;
	hours = BEST.wall_clock_hours;
	REQUEST.common.pricing.spot_interruptions_per_gpu_hour = 0.005;
	fixture_planned(&fixture);
	assert_int_equal(BEST.cost.offer.term, TERM_SPOT);
	assert_true(BEST.wall_clock_hours > hours && BEST.cost.total_usd > usd);
	REQUEST.common.pricing.spot_interruptions_per_gpu_hour = 0.5; /* the run hardly makes progress */
	fixture_planned(&fixture);
	assert_int_equal(BEST.cost.offer.term, TERM_ON_DEMAND);
	assert_close(BEST.wall_clock_hours, hours, 0.02);
}

/* --- the choice among offers -------------------------------------------------------------------------------------- */

static void market_fill(uint64_t seed)
{
	struct random random;

	random_seed(&random, seed, 1);
	fixture_init(&fixture);
	fixture.candidates[1] = fixture_a100();
	fixture.input.candidate_count = ACCELERATORS;
	REQUEST.tokens = 1e11;
	REQUEST.global_batch_size = 64;
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.common.pricing.spot_interruptions_per_gpu_hour = 0.001;
	for (int c = 0; c < ACCELERATORS; c++) {
		for (int i = 0; i < OFFERS; i++) {
			struct supply *supply = &supplies[c][i];

			*supply = (struct supply){.site = fixture.candidates[c].site};
			supply->offer = (struct offer){.provider = "p",
				.instance_type = "t",
				.gpus = 8,
				.term = i == 4 ? TERM_SPOT : TERM_ON_DEMAND,
				.usd_per_gpu_hour = 1 + 3 * random_uniform(&random)};
			supply->offer.low_usd_per_gpu_hour = supply->offer.high_usd_per_gpu_hour = supply->offer.usd_per_gpu_hour;
			supply->site.grid_gco2e_per_kwh = 20 + 600 * random_uniform(&random);
			supply->site.pue = 1.05 + 0.5 * random_uniform(&random);
		}
		fixture.candidates[c].supplies = supplies[c];
		fixture.candidates[c].supply_count = OFFERS;
		fixture.candidates[c].has_offer = true;
		fixture.candidates[c].offer = supplies[c][0].offer;
		fixture.candidates[c].site = supplies[c][0].site;
	}
}

static struct front_point all[POINTS_MAX];
static size_t all_count;

/* Plans every number at every offer of every accelerator, each alone. */
static void try_everything(void)
{
	static struct training_fixture alone;

	all_count = 0;
	for (int c = 0; c < ACCELERATORS; c++)
		for (int64_t count = 1; count <= 131072; count *= 2)
			for (int i = 0; i < OFFERS; i++) {
				alone = fixture;
				alone.input.candidates = alone.candidates;
				alone.candidates[0] = fixture.candidates[c];
				alone.candidates[0].supplies = &supplies[c][i];
				alone.candidates[0].supply_count = 1;
				alone.input.candidate_count = 1;
				alone.input.request.common.gpu_count = count;
				if (fixture_plan(&alone) != STATUS_OK)
					continue;
				all[all_count++] = (struct front_point){.accelerator = alone.plan.recommended.accelerator.id,
					.gpu_count = count,
					.hours = alone.plan.recommended.wall_clock_hours,
					.usd = alone.plan.recommended.cost.total_usd,
					.kgco2e = alone.plan.recommended.carbon.total_kgco2e};
			}
}

static bool is_beaten(const struct front_point *point)
{
	for (size_t i = 0; i < all_count; i++)
		if (all[i].usd <= point->usd && all[i].kgco2e <= point->kgco2e && all[i].hours <= point->hours &&
			(all[i].usd < point->usd * (1 - 1e-9) || all[i].kgco2e < point->kgco2e * (1 - 1e-9) || all[i].hours < point->hours * (1 - 1e-9)))
			return true;
	return false;
}

static bool is_answered(const struct front_point *point)
{
	for (size_t i = 0; i < fixture.plan.front_count; i++)
		if (fabs(fixture.plan.front[i].usd / point->usd - 1) < 1e-9 && fabs(fixture.plan.front[i].kgco2e / point->kgco2e - 1) < 1e-9)
			return true;
	return false;
}

static void the_front_is_that_of_everything(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2; seed++) {
		double usd = HUGE_VAL, kg = HUGE_VAL, hours = HUGE_VAL;
		size_t count;

		market_fill(seed);
		try_everything();
		assert_true(all_count > 60);
		REQUEST.common.alternatives = 0;
		fixture_planned(&fixture);
		count = fixture.plan.front_count;
		for (size_t i = 0; i < all_count; i++) {
			usd = fmin(usd, all[i].usd);
			kg = fmin(kg, all[i].kgco2e);
			hours = fmin(hours, all[i].hours);
			assert_true(count == FRONT_POINTS_MAX || is_beaten(&all[i]) || is_answered(&all[i]));
		}
		for (size_t i = 0; i < count; i++) {
			const struct front_point *point = &fixture.plan.front[i];

			assert_false(is_beaten(point));
			assert_true(point->cheapest != TRUTH_TRUE || fabs(point->usd / usd - 1) < 1e-9);
			assert_true(point->cleanest != TRUTH_TRUE || fabs(point->kgco2e / kg - 1) < 1e-9);
			assert_true(point->fastest != TRUTH_TRUE || fabs(point->hours / hours - 1) < 1e-9);
		}
		REQUEST.common.alternatives = 12;
		fixture_planned(&fixture);
		assert_int_equal(fixture.plan.front_count, count); /* alternatives do not change the front */
	}
}

/* For 64 accelerators: the least of each objective among all offers within each cap. */
static void objectives_and_caps_choose_among_all_places(void **state)
{
	static const enum objective objectives[] = {OBJECTIVE_COST, OBJECTIVE_CARBON, OBJECTIVE_TIME};

	(void)state;
	market_fill(3);
	try_everything();
	REQUEST.common.gpu_count = 64;
	for (size_t o = 0; o < COUNT_OF(objectives); o++)
		for (size_t cap = 0; cap < all_count; cap++) {
			double least = HUGE_VAL, own;

			if (all[cap].gpu_count != 64)
				continue;
			REQUEST.common.objective = objectives[o];
			REQUEST.common.carbon_cap_kgco2e = all[cap].kgco2e * (1 + 1e-9);
			for (size_t i = 0; i < all_count; i++)
				if (all[i].gpu_count == 64 && all[i].kgco2e <= all[cap].kgco2e)
					least = fmin(least,
						objectives[o] == OBJECTIVE_COST         ? all[i].usd
							: objectives[o] == OBJECTIVE_CARBON ? all[i].kgco2e
																: all[i].hours);
			fixture_planned(&fixture);
			own = objectives[o] == OBJECTIVE_COST   ? BEST.cost.total_usd
				: objectives[o] == OBJECTIVE_CARBON ? BEST.carbon.total_kgco2e
													: BEST.wall_clock_hours;
			assert_close(own, least, 1e-9);
			for (size_t i = 0; i < fixture.plan.front_count; i++)
				assert_true(fixture.plan.front[i].kgco2e <= REQUEST.common.carbon_cap_kgco2e);
		}
	REQUEST.common.carbon_cap_kgco2e = 1;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_lie_in_their_ranges),
		cmocka_unit_test(ranges_join_as_the_equation_says),
		cmocka_unit_test(sensitivities_are_what_happens),
		cmocka_unit_test(measured_power_is_used_and_said),
		cmocka_unit_test(one_set_of_hours_is_behind_everything),
		cmocka_unit_test(owning_costs_what_it_costs_by_hand),
		cmocka_unit_test(a_budget_binds_where_it_says),
		cmocka_unit_test(data_are_priced_or_said_to_be_free),
		cmocka_unit_test(reservations_are_paid_to_their_end),
		cmocka_unit_test(a_recurring_training_commits_where_that_is_cheaper),
		cmocka_unit_test(spot_pays_for_its_interruptions),
		cmocka_unit_test(the_front_is_that_of_everything),
		cmocka_unit_test(objectives_and_caps_choose_among_all_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
