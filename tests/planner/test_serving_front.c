/* E114 and the choice among offers, against every fleet at every offer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/queueing/random.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/serving_front.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

enum { CANDIDATES = 3, OFFERS = 12 };

/* Accelerators of different speed, memory and power. Each has offers of several sizes, at sites of their own. */
struct market {
	struct serving_fixture fixture;
	struct candidate candidates[CANDIDATES];
	struct supply supplies[CANDIDATES][OFFERS];
};

static struct inference_plan plan;
static struct failure failure;
static const struct inference_option *const best = &plan.recommended;

static void market_fill(struct market *market, uint64_t seed)
{
	static const int64_t sizes[] = {1, 2, 4, 8};
	static const char *const names[CANDIDATES] = {"first", "second", "third"};
	struct random random;

	random_seed(&random, seed, 1);
	serving_fixture_fill(&market->fixture);
	for (int c = 0; c < CANDIDATES; c++) {
		struct candidate *candidate = &market->candidates[c];

		*candidate = market->fixture.candidate;
		candidate->accelerator.id = names[c];
		candidate->accelerator.memory_bandwidth_gbs *= 0.5 + random_uniform(&random);
		candidate->accelerator.tdp_w *= 0.5 + random_uniform(&random);
		candidate->accelerator.memory_usable_bytes *= 1 + random_uniform(&random);
		for (int i = 0; i < OFFERS; i++) {
			struct supply *supply = &market->supplies[c][i];

			*supply = (struct supply){candidate->offer, candidate->site};
			supply->offer.gpus = sizes[i % 4];
			supply->offer.usd_per_gpu_hour = 1 + 5 * random_uniform(&random);
			supply->offer.term = i % 5 == 4 ? TERM_SPOT : TERM_ON_DEMAND;
			supply->site.grid_gco2e_per_kwh = 20 + 600 * random_uniform(&random);
			supply->site.pue = 1.05 + 0.5 * random_uniform(&random);
		}
		candidate->supplies = market->supplies[c];
		candidate->supply_count = OFFERS;
	}
	market->fixture.inference.candidates = market->candidates;
	market->fixture.inference.candidate_count = CANDIDATES;
	market->fixture.inference.request.common.pricing.spot_interruptions_per_gpu_hour = 0.02;
}

static enum status run(const struct inference_input *input)
{
	memset(&plan, 0, sizeof plan);
	failure_clear(&failure);
	return planner_inference(input, &plan, &failure);
}

/* A point from which the front is made by its definition. */
struct seen {
	double hours, usd, kgco2e;
};

enum { SEEN_MAX = 20000 };
static struct seen all[SEEN_MAX];
static struct search search;

static size_t look_at_all(const struct market *market, const struct fleet_limits *limits, struct demand *demand)
{
	const struct inference_input *input = &market->fixture.inference;
	static struct findings unused;
	size_t count = 0;

	findings_clear(&unused);
	assert_int_equal(demand_read(&input->request, demand, &unused, &failure), STATUS_OK);
	search_start(&search, input, demand, limits);
	for (size_t i = 0; i < input->candidate_count; i++)
		search_candidate(&search, &input->candidates[i]);
	assert_true(search.count > CANDIDATES);
	for (size_t i = 0; i < search.count; i++) {
		struct fleet_place places[OFFERS];
		size_t found = fleet_places(&search.fleets[i], limits, places, OFFERS);

		for (size_t k = 0; k < found; k++) {
			assert_true(count < SEEN_MAX);
			all[count++] = (struct seen){
				service_time_step_s(search.fleets[i].e2e_s), places[k].usd_per_hour * 730, places[k].kgco2e_per_month};
		}
	}
	return count;
}

static bool is_beaten(const struct seen *one, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].hours <= one->hours && all[i].usd <= one->usd && all[i].kgco2e <= one->kgco2e &&
			(all[i].hours < one->hours || all[i].usd < one->usd || all[i].kgco2e < one->kgco2e))
			return true;
	return false;
}

static bool is_answered(const struct seen *one)
{
	for (size_t i = 0; i < plan.front_count; i++)
		if (fabs(plan.front[i].usd_per_month / one->usd - 1) < 1e-9 && fabs(plan.front[i].kgco2e_per_month / one->kgco2e - 1) < 1e-9)
			return true;
	return false;
}

static void the_front_is_what_nothing_beats(void **state)
{
	static struct market market;
	struct demand demand;

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct fleet_limits limits;
		double usd = HUGE_VAL, kgco2e = HUGE_VAL, hours = HUGE_VAL;
		size_t count, unbeaten = 0;

		market_fill(&market, seed);
		limits = (struct fleet_limits){.gpu_count = ABSENT_COUNT,
			.enforce_memory = true,
			.throughput_tokens_per_s_per_gpu = ABSENT_NUMBER,
			.pricing = &market.fixture.inference.request.common.pricing,
			.request = &market.fixture.inference.request,
			.usd_cap_per_month = ABSENT_NUMBER,
			.kgco2e_cap_per_month = ABSENT_NUMBER,
			.kwh_cap_per_month = ABSENT_NUMBER};
		count = look_at_all(&market, &limits, &demand);
		assert_int_equal(run(&market.fixture.inference), STATUS_OK);
		for (size_t i = 0; i < count; i++) {
			usd = fmin(usd, all[i].usd);
			kgco2e = fmin(kgco2e, all[i].kgco2e);
			hours = fmin(hours, all[i].hours);
			if (is_beaten(&all[i], count))
				continue;
			unbeaten++;
			assert_true(plan.front_count == FRONT_POINTS_MAX || is_answered(&all[i]));
		}
		assert_true(plan.front_count > 2 && plan.front_count <= unbeaten);
		for (size_t i = 0; i < plan.front_count; i++) {
			const struct service_point *point = &plan.front[i];
			struct seen one = {service_time_step_s(point->e2e_ms / 1000), point->usd_per_month, point->kgco2e_per_month};

			assert_false(is_beaten(&one, count));
			assert_true(i == 0 || point->usd_per_month >= plan.front[i - 1].usd_per_month);
			assert_true((point->cheapest == TRUTH_TRUE) == (i == 0));
			if (point->cheapest)
				assert_close(point->usd_per_month, usd, 1e-9);
			if (point->cleanest)
				assert_close(point->kgco2e_per_month, kgco2e, 1e-9);
			if (point->fastest)
				assert_close(one.hours, hours, 1e-9);
		}
		assert_close(plan.front[0].usd_per_month, best->cost.usd_per_month, 1e-9);
	}
}

/* Instances are paid whole, and all of an instance draws power: the unused part idles at 11.8 % of 700 W (E62). */
static void a_point_is_its_own_arithmetic(void **state)
{
	static struct market market;
	struct inference_request *request = &market.fixture.inference.request;

	(void)state;
	market_fill(&market, 3);
	request->common.pricing.storage_usd_per_gb_month = 0.1;
	request->common.pricing.egress_usd_per_gb = 0.09;
	assert_int_equal(run(&market.fixture.inference), STATUS_OK);
	for (size_t i = 0; i < plan.front_count; i++) {
		const struct service_point *point = &plan.front[i];
		int64_t paid = (point->gpu_count + point->offer.gpus - 1) / point->offer.gpus * point->offer.gpus;
		double factor = point->offer.term == TERM_SPOT ? 1 + 0.02 * (double)point->gpus_per_replica * (60 + 141.1e9 / (130e9 / 110)) / 3600
													   : 1;
		double egress = 10 * 300 * 4e-9 * 730 * 3600 * 0.09, storage = 141.1 * 0.1;

		assert_true(fabs(point->usd_per_month / ((double)paid * point->offer.usd_per_gpu_hour * factor * 730 + storage + egress) - 1) < 2e-4);
		assert_close(point->usd_per_hour * 730, point->usd_per_month, 1e-12);
		assert_close(point->usd_per_month / (10.0 * 300 * 730 * 3600) * 1e6, point->usd_per_million_output_tokens, 1e-12);
		assert_close(point->kgco2e_per_month * 1000 / (10.0 * 730 * 3600), point->gco2e_per_request, 1e-12);
		assert_true(point->kwh_per_month * point->grid_gco2e_per_kwh / 1000 < point->kgco2e_per_month);
	}
	assert_close(best->cost.accelerators_usd_per_month + best->cost.storage_usd_per_month + best->cost.egress_usd_per_month,
		best->cost.usd_per_month, 1e-12);
	assert_close(best->cost.egress_usd_per_month, 10 * 300 * 4e-9 * 730 * 3600 * 0.09, 1e-9);
	assert_true(fabs(best->cost.storage_usd_per_month / 14.11 - 1) < 0.01);
}

static void what_else_is_answered_does_not_matter(void **state)
{
	static struct market market;
	struct service_point kept[FRONT_POINTS_MAX];
	size_t count;

	(void)state;
	market_fill(&market, 5);
	assert_int_equal(run(&market.fixture.inference), STATUS_OK);
	count = plan.front_count;
	memcpy(kept, plan.front, sizeof kept);
	market.fixture.inference.request.common.alternatives = 0;
	assert_int_equal(run(&market.fixture.inference), STATUS_OK);
	assert_int_equal(plan.alternative_count, 0);
	assert_int_equal(plan.front_count, count);
	for (size_t i = 0; i < count; i++)
		assert_true(fabs(kept[i].usd_per_month - plan.front[i].usd_per_month) < 1e-9 && kept[i].gpu_count == plan.front[i].gpu_count);
}

/* The objective and the caps choose among offers as they choose among accelerators. */
static void offers_are_chosen_by_the_objective(void **state)
{
	static struct market market;
	struct request_common *common = &market.fixture.inference.request.common;
	double cheapest_usd, cheapest_kg, cleanest_kg, cleanest_usd, between;

	(void)state;
	market_fill(&market, 2);
	assert_int_equal(run(&market.fixture.inference), STATUS_OK);
	cheapest_usd = best->cost.usd_per_month;
	cheapest_kg = best->carbon.kgco2e_per_month;
	common->objective = OBJECTIVE_CARBON;
	assert_int_equal(run(&market.fixture.inference), STATUS_OK);
	cleanest_kg = best->carbon.kgco2e_per_month;
	cleanest_usd = best->cost.usd_per_month;
	for (size_t i = 0; i < plan.front_count; i++)
		assert_true(plan.front[i].kgco2e_per_month >= cleanest_kg * (1 - 1e-9));
	assert_true(cleanest_kg < 0.9 * cheapest_kg && cheapest_usd < cleanest_usd);
	common->objective = OBJECTIVE_COST;
	between = (cleanest_kg + cheapest_kg) / 2;
	common->carbon_cap_kgco2e = between;
	assert_int_equal(run(&market.fixture.inference), STATUS_OK);
	assert_true(
		best->carbon.kgco2e_per_month <= between && best->cost.usd_per_month >= cheapest_usd && best->cost.usd_per_month <= cleanest_usd);
	for (size_t i = 0; i < plan.front_count; i++)
		assert_true(plan.front[i].kgco2e_per_month <= between);
	market.fixture.inference.request.budget_usd_per_month = cheapest_usd * (1 + 1e-9);
	assert_int_equal(run(&market.fixture.inference), STATUS_INFEASIBLE);
	common->carbon_cap_kgco2e = ABSENT_NUMBER;
	assert_int_equal(run(&market.fixture.inference), STATUS_OK);
	market.fixture.inference.request.budget_usd_per_month = cheapest_usd * 0.99;
	assert_int_equal(run(&market.fixture.inference), STATUS_INFEASIBLE);
	market.fixture.inference.request.budget_usd_per_month = ABSENT_NUMBER;
	common->carbon_cap_kgco2e = cleanest_kg * 0.99;
	assert_int_equal(run(&market.fixture.inference), STATUS_INFEASIBLE);
}

/* One hour of the day is at the peak, the others at a tenth. Reserved at 4 USD is the cheapest for a constant load.
 * By the hours that are needed, the accelerator at 5 USD by use is cheaper: the other's commitment idles, and its
 * price by use is 12 USD. */
static void commitments_count_in_the_objective(void **state)
{
	static const char *terms[] = {"on_demand", "reserved_1y"};
	static struct market market;
	struct inference_request *request = &market.fixture.inference.request;
	double day[24] = {1};
	void *workspace = malloc(simulator_workspace_bytes());

	(void)state;
	assert_non_null(workspace);
	for (int flat = 0; flat < 2; flat++) {
		market_fill(&market, 1);
		for (int c = 0; c < 2; c++) {
			market.candidates[c] = market.fixture.candidate;
			market.candidates[c].accelerator.id = c == 0 ? "reserved" : "by-use";
			market.candidates[c].supplies = market.supplies[c];
			market.candidates[c].supply_count = c == 0 ? 2 : 1;
			for (int i = 0; i < 2; i++) {
				market.supplies[c][i] = (struct supply){market.fixture.candidate.offer, market.fixture.candidate.site};
				market.supplies[c][i].offer.gpus = 4;
				market.supplies[c][i].offer.usd_per_gpu_hour = c == 1 ? 5 : i == 0 ? 12 : 4;
				market.supplies[c][i].offer.term = c == 0 && i == 1 ? TERM_RESERVED_1Y : TERM_ON_DEMAND;
			}
		}
		market.fixture.inference.candidate_count = 2;
		market.fixture.inference.workspace = workspace;
		market.fixture.inference.workspace_bytes = simulator_workspace_bytes();
		for (int i = 1; i < 24; i++)
			day[i] = flat ? 1 : 0.1;
		request->queries_per_minute = 12000;
		request->parallelism.tensor = 4;
		request->parallelism.max_batch = 256;
		request->common.alternatives = 0;
		request->daily_profile = (struct number_list){day, 24};
		request->common.pricing.terms = (struct text_list){terms, 2};
		assert_int_equal(run(&market.fixture.inference), STATUS_OK);
		assert_true(best->replicas > 10);
		assert_string_equal(best->accelerator.id, flat ? "reserved" : "by-use");
		request->common.pricing.terms = (struct text_list){&terms[1], 1};
		assert_int_equal(run(&market.fixture.inference), STATUS_OK);
		assert_string_equal(best->accelerator.id, "reserved");
	}
	free(workspace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_front_is_what_nothing_beats),
		cmocka_unit_test(a_point_is_its_own_arithmetic),
		cmocka_unit_test(what_else_is_answered_does_not_matter),
		cmocka_unit_test(offers_are_chosen_by_the_objective),
		cmocka_unit_test(commitments_count_in_the_objective),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
