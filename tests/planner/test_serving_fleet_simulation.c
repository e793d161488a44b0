/* Simulated fleets: the answer was simulated, and one replica fewer is not enough. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/serving/fleet_simulation.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct inference_plan plan;
static struct failure failure;
static void *workspace;
static bool workspace_is_used = true;

static enum status run(struct serving_fixture *fixture)
{
	memset(&plan, 0, sizeof plan);
	failure_clear(&failure);
	fixture->inference.workspace = workspace_is_used ? workspace : NULL;
	fixture->inference.workspace_bytes = simulator_workspace_bytes();
	return planner_inference(&fixture->inference, &plan, &failure);
}

static void fill(struct serving_fixture *fixture)
{
	struct inference_request *request = &fixture->inference.request;

	serving_fixture_fill(fixture);
	request->prompt_tokens = (struct token_distribution){.mean = 1000, .p50 = ABSENT_NUMBER, .p95 = ABSENT_NUMBER, .cv = 0.9};
	request->output_tokens = (struct token_distribution){.mean = 300, .p50 = ABSENT_NUMBER, .p95 = ABSENT_NUMBER, .cv = 0.6};
	request->common.alternatives = 0;
	request->parallelism.tensor = 4;
	request->slo.ttft_ms = 700;
	request->slo.tpot_ms = 45;
}

/* True if a fleet of this many replicas keeps the limits. */
static bool would_do(struct serving_fixture *fixture, int64_t replicas)
{
	fixture->inference.request.common.gpu_count = replicas * 4;
	return run(fixture) == STATUS_OK;
}

static void the_answer_is_simulated_and_smallest(void **state)
{
	struct serving_fixture fixture;
	const struct inference_option *best = &plan.recommended;
	int64_t replicas;

	(void)state;
	fill(&fixture);
	assert_int_equal(run(&fixture), STATUS_OK);
	replicas = best->replicas;
	assert_true(best->simulated.requests >= TRIAL_REPLICATIONS_LEAST * 2000);
	assert_true(best->simulated.replications >= TRIAL_REPLICATIONS_LEAST);
	assert_int_equal(best->simulated.seed, 1);
	assert_true(best->simulated.warmup_requests >= 200); /* and at least twice the requests inside */
	assert_true(best->slo_met);
	assert_true(best->latency.ttft_ms.p95 + best->simulated.ttft_half_width_ms <= 700);
	assert_true(best->latency.tpot_ms.p95 + best->simulated.tpot_half_width_ms <= 45);
	assert_true(best->simulated.tpot_half_width_ms > 0);
	assert_true(would_do(&fixture, replicas));
	assert_true(replicas > 1 && !would_do(&fixture, replicas - 1));
}

static void the_same_request_has_the_same_answer(void **state)
{
	static struct inference_plan first;
	struct serving_fixture fixture;

	(void)state;
	fill(&fixture);
	assert_int_equal(run(&fixture), STATUS_OK);
	first = plan;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_memory_equal(&first.recommended.latency, &plan.recommended.latency, sizeof first.recommended.latency);
	assert_int_equal(first.recommended.gpu_count, plan.recommended.gpu_count);
}

static void spare_replicas_come_on_top(void **state)
{
	struct serving_fixture fixture;
	struct latency down;
	int64_t replicas;

	(void)state;
	fill(&fixture);
	assert_int_equal(run(&fixture), STATUS_OK);
	replicas = plan.recommended.replicas;
	down = plan.recommended.latency.e2e_ms;
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_1;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_int_equal(plan.recommended.replicas, replicas + 1);
	assert_close(plan.recommended.latency.e2e_ms.p95, down.p95, 1e-12); /* latencies while one replica is down */
}

/* A fixed fleet without a load reports the most that it carries. Half as much again is too much for it. */
static void a_fixed_fleet_answers_its_load(void **state)
{
	struct serving_fixture fixture;
	double most_per_s;

	(void)state;
	fill(&fixture);
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture.inference.request.common.gpu_count = 8;
	assert_int_equal(run(&fixture), STATUS_OK);
	most_per_s = plan.recommended.throughput.requests_per_s_max;
	assert_true(most_per_s > 1);
	fixture.inference.request.requests_per_s = 0.95 * most_per_s;
	assert_int_equal(run(&fixture), STATUS_OK);
	fixture.inference.request.requests_per_s = 1.5 * most_per_s;
	assert_int_equal(run(&fixture), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "slo");
}

/* A fleet that was sized for a load carries this load when its accelerators are then fixed. This holds too where
 * bursts made the sizing limit the batch, and where the load is a small part of the formulas' estimate. */
static void the_fleet_sized_for_a_load_holds_it(void **state)
{
	static const struct {
		double requests_per_s, burstiness_cv, tpot_ms;
	} loads[] = {{18, ABSENT_NUMBER, 45}, {0.3, 5, 45}, {9, 5, 35}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(loads); i++) {
		struct serving_fixture fixture;
		struct inference_request *request = &fixture.inference.request;

		fill(&fixture);
		request->queries_per_minute = ABSENT_NUMBER;
		request->requests_per_s = loads[i].requests_per_s;
		request->burstiness_cv = loads[i].burstiness_cv;
		request->slo.tpot_ms = loads[i].tpot_ms;
		assert_int_equal(run(&fixture), STATUS_OK);
		request->common.gpu_count = plan.recommended.gpu_count;
		request->requests_per_s = ABSENT_NUMBER;
		assert_int_equal(run(&fixture), STATUS_OK);
		assert_true(plan.recommended.throughput.requests_per_s_max > loads[i].requests_per_s * (1 - 1e-9));
		assert_true(plan.recommended.throughput.requests_per_s_max < 2 * loads[i].requests_per_s + 4);
		assert_true(plan.recommended.slo_met);
	}
}

/* If a fixed fleet cannot keep a limit at any load, the fault names the best value that it can keep, with and without
 * a given load. */
static void a_fixed_fleet_says_what_it_could_keep(void **state)
{
	static const double loads_per_s[] = {1, ABSENT_NUMBER};
	struct serving_fixture fixture;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(loads_per_s); i++) {
		fill(&fixture);
		fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
		fixture.inference.request.requests_per_s = loads_per_s[i];
		fixture.inference.request.common.gpu_count = 4;
		fixture.inference.request.slo.tpot_ms = 5;
		assert_int_equal(run(&fixture), STATUS_INFEASIBLE);
		assert_contains(failure.detail, "(over)");
		assert_int_equal(failure.fault_count, 1);
		assert_string_equal(failure.faults[0].pointer, "/slo/tpot_ms");
		fixture.inference.request.slo.tpot_ms = strtod(strstr(failure.faults[0].detail, "; ") + 2, NULL);
		assert_true(fixture.inference.request.slo.tpot_ms > 5);
	}
	/* A request without a load can keep the limit that the fault named. */
	fixture.inference.request.slo.ttft_ms = 5000;
	assert_int_equal(run(&fixture), STATUS_OK);
}

/* A limit is missed if the mean of the repetitions keeps it but the upper end of their interval does not. */
static void what_is_not_certain_is_over(void **state)
{
	struct serving_fixture fixture;
	double most_per_s;

	(void)state;
	fill(&fixture);
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture.inference.request.burstiness_cv = 5;
	fixture.inference.request.slo.ttft_ms = 3000;
	fixture.inference.request.common.gpu_count = 4;
	assert_int_equal(run(&fixture), STATUS_OK);
	most_per_s = plan.recommended.throughput.requests_per_s_max;
	fixture.inference.request.requests_per_s = 1.03 * most_per_s;
	assert_int_equal(run(&fixture), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "they carry");
	assert_string_equal(failure.faults[0].pointer, "/requests_per_s");
	fixture.inference.request.requests_per_s = strtod(strstr(failure.faults[0].detail, "; ") + 2, NULL);
	assert_int_equal(run(&fixture), STATUS_OK);
}

/* E59. The load that accelerators carry does not depend on the request: it is the same at any smaller load, without a
 * load, and in the fault for too much load. */
static void what_a_fleet_holds_depends_on_no_load(void **state)
{
	static const double loads_per_s[] = {1, 3, 7, 9}, too_much_per_s = 100;
	struct serving_fixture fixture;
	double most_per_s = 0;

	(void)state;
	fill(&fixture);
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture.inference.request.common.gpu_count = 8;
	for (size_t i = 0; i < COUNT_OF(loads_per_s); i++) {
		fixture.inference.request.requests_per_s = loads_per_s[i];
		assert_int_equal(run(&fixture), STATUS_OK);
		if (i > 0)
			assert_close(plan.recommended.throughput.requests_per_s_max, most_per_s, 1e-12);
		most_per_s = plan.recommended.throughput.requests_per_s_max;
		assert_true(most_per_s > loads_per_s[COUNT_OF(loads_per_s) - 1]);
	}
	fixture.inference.request.requests_per_s = too_much_per_s;
	assert_int_equal(run(&fixture), STATUS_INFEASIBLE);
	assert_close(strtod(strstr(failure.faults[0].detail, "; ") + 2, NULL), most_per_s, 1e-3);
	fixture.inference.request.requests_per_s = ABSENT_NUMBER;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_close(plan.recommended.throughput.requests_per_s_max, most_per_s, 0.05);
}

/* Bursts delay prompts but not tokens. Of the two kinds of replicas only the late kind grows, also where the mean of
 * the repetitions keeps the limit and the upper end of their interval does not. */
static void the_kind_that_is_late_grows(void **state)
{
	static const double limits_ms[] = {500, 800, 1250};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(limits_ms); i++) {
		struct serving_fixture fixture;
		struct inference_request *request = &fixture.inference.request;

		fill(&fixture);
		request->parallelism.disaggregated = TRUTH_TRUE;
		request->queries_per_minute = 300;
		request->burstiness_cv = 5;
		request->slo.ttft_ms = limits_ms[i];
		request->slo.tpot_ms = 40;
		assert_int_equal(run(&fixture), STATUS_OK);
		assert_true(plan.recommended.simulated.requests > 0);
		assert_true(plan.recommended.prefill_replicas > 1);
		assert_int_equal(plan.recommended.replicas - plan.recommended.prefill_replicas, 1);
	}
}

/* A request alone takes as long as the formulas of one replica say, with the
 * front end. Only the least warm-up is needed. */
static void alone_it_is_as_formulas_say(void **state)
{
	static struct performance performance;
	struct serving_fixture fixture;

	(void)state;
	fill(&fixture);
	fixture.inference.request.prompt_tokens.cv = fixture.inference.request.output_tokens.cv = 0;
	fixture.inference.request.queries_per_minute = 1e-3;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_int_equal(plan.recommended.simulated.warmup_requests, 200);
	fixture.performance.request.concurrency = ABSENT_NUMBER;
	fixture.performance.request.requests_per_s = 1e-5;
	memset(&performance, 0, sizeof performance);
	assert_int_equal(planner_performance(&fixture.performance, &performance, &failure), STATUS_OK);
	assert_close(plan.recommended.latency.ttft_ms.p50, performance.ttft_ms, 0.02);
	assert_close(plan.recommended.latency.tpot_ms.p50, performance.tpot_ms, 0.02);
}

/* In every repetition at least twenty requests are later than the promised percentile. */
static void far_percentiles_take_long_runs(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	fill(&fixture);
	fixture.inference.request.slo.percentile = 99.5;
	fixture.inference.request.slo.ttft_ms = 3000;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(plan.recommended.simulated.requests >= 3999 * plan.recommended.simulated.replications);
}

/* Arrivals in bursts need more replicas than a smooth stream of the same rate. */
static void bursts_need_more_than_their_mean(void **state)
{
	struct serving_fixture fixture;
	int64_t smooth;

	(void)state;
	fill(&fixture);
	assert_int_equal(run(&fixture), STATUS_OK);
	smooth = plan.recommended.replicas;
	fixture.inference.request.burstiness_cv = 6;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(plan.recommended.replicas > smooth);
}

/* A hundred requests arrive within 0.1 s, every 40 s: the trace is replayed as it is, not as its mean. */
static void a_trace_is_the_load(void **state)
{
	enum { ROWS = 300 };
	static struct trace_arrival rows[ROWS];
	struct serving_fixture fixture;
	int64_t evenly;

	(void)state;
	fill(&fixture);
	for (int i = 0; i < ROWS; i++)
		rows[i] = (struct trace_arrival){.t_s = i * 0.4, .prompt_tokens = 1000, .output_tokens = 300};
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture.inference.request.trace = (struct request_trace){.arrivals = rows, .count = ROWS};
	assert_int_equal(run(&fixture), STATUS_OK);
	evenly = plan.recommended.replicas;
	assert_int_equal(plan.recommended.simulated.requests, ROWS);
	assert_int_equal(plan.recommended.simulated.replications, 1);
	for (int i = 0; i < ROWS; i++)
		rows[i].t_s = i / 100 * 40 + i % 100 * 0.001;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(plan.recommended.replicas > evenly);
}

/* E203. On a given number of accelerators, a trace that overloads them is still
 * simulated. Its queue is in the latencies, grows with the length of the trace,
 * and counts against limits. The same load without an end is refused. */
static void an_overloaded_trace_is_a_run_with_its_queue(void **state)
{
	enum { ROWS = 12000, SHORT = 3000 };
	static struct trace_arrival rows[ROWS];
	const struct inference_option *best = &plan.recommended;
	struct inference_request *request;
	struct serving_fixture fixture;
	double short_ms, tpot_ms, served_per_s, waited_s;

	(void)state;
	fill(&fixture);
	request = &fixture.inference.request;
	for (int i = 0; i < ROWS; i++)
		rows[i] = (struct trace_arrival){.t_s = i / 50.0, .prompt_tokens = 1000, .output_tokens = 300};
	request->queries_per_minute = request->slo.ttft_ms = request->slo.tpot_ms = ABSENT_NUMBER;
	request->common.gpu_count = 4;
	request->requests_per_s = 50;
	assert_int_equal(run(&fixture), STATUS_INFEASIBLE);
	request->requests_per_s = ABSENT_NUMBER;
	request->trace = (struct request_trace){.arrivals = rows, .count = SHORT};
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_int_equal(best->simulated.requests, SHORT);
	short_ms = best->latency.ttft_ms.p99;
	tpot_ms = best->latency.tpot_ms.p50;
	served_per_s = best->throughput.output_tokens_per_s / 300;
	assert_true(served_per_s < 50);
	assert_string_equal(best->promises[0].what, "load");
	assert_close(best->promises[0].limit, 50, 0.01);
	assert_true(best->promises[0].probability < 0.2);
	/* the last requests wait for all before them, less those served in the meantime */
	waited_s = SHORT / served_per_s - SHORT / 50.0;
	assert_true(short_ms > 300 * waited_s && short_ms < 1200 * waited_s);
	request->trace.count = ROWS; /* more requests wait than an endless load may leave waiting */
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_int_equal(best->simulated.requests, ROWS);
	assert_true(best->latency.ttft_ms.p99 > 3 * short_ms);
	assert_true(best->latency.tpot_ms.p50 < 1.5 * tpot_ms);
	request->slo.ttft_ms = short_ms;
	assert_int_equal(run(&fixture), STATUS_INFEASIBLE);
	request->trace.count = SHORT;
	request->slo.ttft_ms = 4 * short_ms;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->slo_met);
	/* accelerators that keep up have no queue, and rank before those that do not */
	request->slo.ttft_ms = ABSENT_NUMBER;
	request->common.gpu_count = 32;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->latency.ttft_ms.p99 < 0.1 * short_ms);
}

/* With prompts apart, both kinds of replicas exist, all accelerators are
 * counted, and tokens never wait for a prompt. */
static void prompts_may_have_replicas_of_their_own(void **state)
{
	const struct inference_option *best = &plan.recommended;
	struct serving_fixture fixture;
	double together_ms;
	int64_t prefill;

	(void)state;
	fill(&fixture);
	fixture.inference.request.requests_per_s = 20;
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_int_equal(best->prefill_replicas, ABSENT_COUNT);
	together_ms = best->latency.tpot_ms.p99 - best->latency.tpot_ms.p50;
	fixture.inference.request.parallelism.disaggregated = TRUTH_TRUE;
	assert_int_equal(run(&fixture), STATUS_OK);
	prefill = best->prefill_replicas;
	assert_true(prefill >= 1 && prefill < best->replicas);
	assert_int_equal(best->gpu_count, best->replicas * best->gpus_per_replica);
	assert_int_equal(best->parallelism.disaggregated, TRUTH_TRUE);
	assert_true(best->simulated.requests > 0 && best->slo_met);
	assert_true(best->latency.ttft_ms.p95 <= 700 && best->latency.tpot_ms.p95 <= 45);
	assert_true(best->latency.tpot_ms.p99 - best->latency.tpot_ms.p50 < together_ms);
	/* Longer prompts need more replicas for prompts. */
	fixture.inference.request.prompt_tokens.mean = 4000;
	fixture.inference.request.slo.ttft_ms = 3000;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->prefill_replicas > 2 * prefill);
	/* A fixed number is divided by the work of each kind. */
	fixture.inference.request.requests_per_s = ABSENT_NUMBER;
	fixture.inference.request.common.gpu_count = 40;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->prefill_replicas >= 4 && best->prefill_replicas <= 8 && best->replicas == 10);
	fixture.inference.request.common.gpu_count = 4;
	assert_int_equal(run(&fixture), STATUS_INFEASIBLE);
	/* Formulas alone give a fleet too, with a warning about what they do not model. */
	fixture.inference.request.common.gpu_count = 40;
	workspace_is_used = false;
	assert_int_equal(run(&fixture), STATUS_OK);
	workspace_is_used = true;
	assert_int_equal(best->simulated.requests, 0);
	assert_contains(plan.findings.warnings[0].detail, "disaggregated");
}

/* A given throughput replaces the modelled one in the simulation too. */
static void a_measured_throughput_moves_the_trial(void **state)
{
	struct serving_fixture fixture;
	double before_ms;

	(void)state;
	fill(&fixture);
	fixture.inference.request.slo.ttft_ms = fixture.inference.request.slo.tpot_ms = ABSENT_NUMBER;
	fixture.inference.request.throughput_tokens_per_s_per_gpu = 800;
	assert_int_equal(run(&fixture), STATUS_OK);
	before_ms = plan.recommended.latency.tpot_ms.p50;
	fixture.inference.request.throughput_tokens_per_s_per_gpu = 500;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(plan.recommended.latency.tpot_ms.p50 > 1.1 * before_ms);
}

/* A profile of one piece is a constant rate. A long busy piece decides alone; a
 * short one is simulated with the others. */
static void the_busiest_piece_decides(void **state)
{
	static struct inference_plan plain;
	struct rate_piece pieces[] = {{36000, 10}, {36000, 2.5}};
	struct serving_fixture fixture;
	struct inference_request *request = &fixture.inference.request;

	(void)state;
	fill(&fixture);
	assert_int_equal(run(&fixture), STATUS_OK);
	plain = plan;
	request->queries_per_minute = ABSENT_NUMBER;
	request->rate_profile = (struct rate_profile){.items = pieces, .count = 1};
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_close(plan.recommended.latency.ttft_ms.p95, plain.recommended.latency.ttft_ms.p95, 0.05);
	assert_int_equal(plan.recommended.gpu_count, plain.recommended.gpu_count);
	request->rate_profile.count = 2;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_int_equal(plan.recommended.gpu_count, plain.recommended.gpu_count);
	assert_close(plan.recommended.latency.ttft_ms.p95, plain.recommended.latency.ttft_ms.p95, 0.05);
	/* 62.5 % of the month's tokens remain, so each costs more by this factor. */
	assert_close(plan.recommended.cost.usd_per_million_output_tokens, plain.recommended.cost.usd_per_million_output_tokens / 0.625, 1e-9);
	pieces[0].duration_s = 60;
	pieces[1].duration_s = 540;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(plan.recommended.latency.ttft_ms.p50 < 0.97 * plain.recommended.latency.ttft_ms.p50);
	pieces[0].requests_per_s = pieces[1].requests_per_s = 0;
	assert_int_equal(run(&fixture), STATUS_INVALID);
}

/* A fleet too small for all keeps its limit for the requests with priority. The rest wait longer, and the plan
 * reports how long. */
static void who_goes_first_has_the_promise(void **state)
{
	const struct inference_option *best = &plan.recommended;
	struct serving_fixture fixture;
	double all_ms;

	(void)state;
	fill(&fixture);
	fixture.inference.request.parallelism.max_batch = 20; /* requests wait for a place, so priority matters */
	fixture.inference.request.slo.ttft_ms = ABSENT_NUMBER;
	fixture.inference.request.common.gpu_count = 12;
	fixture.inference.request.requests_per_s = 7;
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_false(best->has_rest);
	all_ms = best->latency.ttft_ms.p95;
	fixture.inference.request.priority_share = 0.3;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->has_rest && best->slo_met);
	assert_true(best->latency.ttft_ms.p95 <= all_ms);
	assert_true(best->latency_of_rest.ttft_ms.p95 >= all_ms);
	assert_true(best->latency_of_rest.ttft_ms.p95 > best->latency.ttft_ms.p95);
	fixture.inference.request.priority_share = 1;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_false(best->has_rest);
	assert_close(best->latency.ttft_ms.p95, all_ms, 1e-12);
}

/* Routing by prefix finds more of it in the caches. The found share never exceeds the shared part of prompts. */
static void prefixes_are_found_by_routing(void **state)
{
	static const enum routing routings[] = {ROUTING_ROUND_ROBIN, ROUTING_LEAST_OUTSTANDING, ROUTING_PREFIX_AWARE};
	const struct inference_option *best = &plan.recommended;
	struct serving_fixture fixture;
	double found[3];

	(void)state;
	fill(&fixture);
	fixture.inference.request.slo.ttft_ms = fixture.inference.request.slo.tpot_ms = ABSENT_NUMBER;
	fixture.inference.request.common.gpu_count = 24;
	fixture.inference.request.prompt_tokens.mean = 3000;
	fixture.inference.request.shared_prefix.prefixes = 400;
	fixture.inference.request.shared_prefix.tokens = 2000;
	assert_int_equal(run(&fixture), STATUS_OK);
	for (int i = 0; i < 3; i++) {
		fixture.inference.request.routing = routings[i];
		assert_int_equal(run(&fixture), STATUS_OK);
		found[i] = best->simulated.prefix_hit_rate;
		assert_true(found[i] > 0 && found[i] < 2000.0 / 3000);
	}
	assert_true(found[2] > 1.2 * found[0] && found[2] > 1.2 * found[1]);
	fixture.inference.request.shared_prefix.prefixes = ABSENT_NUMBER;
	fixture.inference.request.routing = ROUTING_UNSET;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_false(is_given(best->simulated.prefix_hit_rate));
}

/* Adds the same accelerators at a site with clean electricity and high rent: a second option. */
static void fill_two(struct serving_fixture *fixture, struct candidate two[2])
{
	fill(fixture);
	two[0] = two[1] = fixture->candidate;
	two[1].accelerator.id = "clean";
	two[1].site.grid_gco2e_per_kwh = 20;
	two[1].offer.usd_per_gpu_hour = 4;
	fixture->inference.candidates = two;
	fixture->inference.candidate_count = 2;
	fixture->inference.request.common.alternatives = ABSENT_COUNT;
}

/* An option carries the load that it reports, and does not carry half as much again. */
static void each_option_knows_its_largest_load(void **state)
{
	struct serving_fixture fixture, again;
	struct candidate two[2];

	(void)state;
	fill_two(&fixture, two);
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(plan.alternative_count >= 1);
	for (size_t i = 0; i < plan.alternative_count && i < 2; i++) {
		static struct inference_option option;
		double most_per_s;

		fill_two(&fixture, two);
		assert_int_equal(run(&fixture), STATUS_OK);
		option = plan.alternatives[i];
		most_per_s = option.throughput.requests_per_s_max;
		assert_true(option.simulated.requests > 0 && most_per_s >= 10);
		fill(&again);
		again.inference.request.parallelism = option.parallelism;
		again.inference.request.common.gpu_count = option.gpu_count;
		again.inference.request.queries_per_minute = ABSENT_NUMBER;
		again.inference.request.requests_per_s = 0.95 * most_per_s;
		assert_int_equal(run(&again), STATUS_OK);
		again.inference.request.requests_per_s = 1.5 * most_per_s;
		assert_int_equal(run(&again), STATUS_INFEASIBLE);
	}
}

/* A day by its schedule is not slower than the peak. Requests that come unannounced while replicas start wait longer,
 * and longer with longer starts. A flat day starts no replica. */
static void a_schedule_is_lived_through(void **state)
{
	static double hours[24];
	const struct inference_option *best = &plan.recommended;
	struct serving_fixture fixture;
	double cold_ms;

	(void)state;
	fill(&fixture);
	for (int i = 0; i < 24; i++)
		hours[i] = i < 8 ? 0.2 : 1;
	fixture.inference.request.daily_profile = (struct number_list){hours, 24};
	fixture.inference.request.startup_s = 30;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->autoscaling[0].replicas < best->autoscaling[12].replicas);
	assert_true(best->autoscaled.has_latency && best->autoscaled.has_cold);
	assert_int_equal(best->autoscaled.slo_met, TRUTH_TRUE);
	assert_true(best->autoscaled.latency.ttft_ms.p95 < 1.1 * best->latency.ttft_ms.p95);
	cold_ms = best->autoscaled.latency_cold_start.ttft_ms.p95;
	assert_true(cold_ms > 1.5 * best->autoscaled.latency.ttft_ms.p95);
	fixture.inference.request.startup_s = 120;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->autoscaled.latency_cold_start.ttft_ms.p95 > 1.5 * cold_ms);
	for (int i = 0; i < 24; i++)
		hours[i] = 3;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->autoscaled.has_latency && !best->autoscaled.has_cold);
	assert_true(best->autoscaled.latency.ttft_ms.p99 > best->autoscaled.latency.ttft_ms.p50);
	assert_close(best->autoscaled.latency.tpot_ms.p95, best->latency.tpot_ms.p95, 0.03);
}

/* A day with a spare replica is simulated without it: users see the latencies while the spare is down. */
static void a_day_is_lived_through_without_the_spare(void **state)
{
	static double hours[24];
	const struct inference_option *best = &plan.recommended;
	struct serving_fixture fixture;
	struct latencies without;

	(void)state;
	fill(&fixture);
	for (int i = 0; i < 24; i++)
		hours[i] = i < 8 ? 0.2 : 1;
	fixture.inference.request.daily_profile = (struct number_list){hours, 24};
	fixture.inference.request.startup_s = 30;
	assert_int_equal(run(&fixture), STATUS_OK);
	without = best->autoscaled.latency;
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_1;
	assert_int_equal(run(&fixture), STATUS_OK);
	assert_true(best->autoscaled.has_latency);
	assert_close(best->autoscaled.latency.ttft_ms.p95, without.ttft_ms.p95, 1e-12);
	assert_close(best->autoscaled.latency.tpot_ms.p99, without.tpot_ms.p99, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_is_simulated_and_smallest),
		cmocka_unit_test(the_same_request_has_the_same_answer),
		cmocka_unit_test(spare_replicas_come_on_top),
		cmocka_unit_test(a_fixed_fleet_answers_its_load),
		cmocka_unit_test(bursts_need_more_than_their_mean),
		cmocka_unit_test(a_trace_is_the_load),
		cmocka_unit_test(an_overloaded_trace_is_a_run_with_its_queue),
		cmocka_unit_test(prompts_may_have_replicas_of_their_own),
		cmocka_unit_test(a_measured_throughput_moves_the_trial),
		cmocka_unit_test(the_busiest_piece_decides),
		cmocka_unit_test(who_goes_first_has_the_promise),
		cmocka_unit_test(prefixes_are_found_by_routing),
		cmocka_unit_test(each_option_knows_its_largest_load),
		cmocka_unit_test(a_schedule_is_lived_through),
		cmocka_unit_test(a_day_is_lived_through_without_the_spare),
		cmocka_unit_test(the_fleet_sized_for_a_load_holds_it),
		cmocka_unit_test(a_fixed_fleet_says_what_it_could_keep),
		cmocka_unit_test(what_is_not_certain_is_over),
		cmocka_unit_test(what_a_fleet_holds_depends_on_no_load),
		cmocka_unit_test(the_kind_that_is_late_grows),
		cmocka_unit_test(far_percentiles_take_long_runs),
		cmocka_unit_test(alone_it_is_as_formulas_say),
	};
	int failed;

	workspace = malloc(simulator_workspace_bytes());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(workspace);
	return failed;
}
