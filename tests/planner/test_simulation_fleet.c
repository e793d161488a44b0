/* Options of a simulated fleet besides load and size: rates that change, classes,
 * prefixes, replicas that start and stop, drafts accepted by chance. Each is
 * checked against theory where there is one, and has no effect where it is off. */
#include "support/simulation_fixture.h"

/* One exponential server with a mean of 1 s. `clockwork` outlives the setting. */
static struct clockwork clockwork = {.step_s = 1.0 / SERVICE_TOKENS};

struct served {
	struct engine_setting engine;
	struct traffic_plan traffic;
	struct simulation_setting setting;
};

static void served_fill(struct served *served, double utilization)
{
	served->engine = one_at_a_time(&clockwork);
	served->traffic = (struct traffic_plan){
		.requests_per_s = utilization, .gap_cv = 1, .prompt = {.mean = 1}, .output = exponential_lengths()};
	served->setting = (struct simulation_setting){
		.engine = &served->engine, .replicas = 1, .traffic = &served->traffic, .warmup_requests = 2000, .requests = 200000, .seed = 7};
}

static void assert_conserved(void)
{
	assert_false(result.saturated);
	assert_int_equal(result.e2e.count + result.rest_e2e.count + result.refused, result.ttft.count + result.rest_ttft.count + result.refused);
	assert_true(result.finished <= result.arrived && result.finished_tokens <= result.arrived_tokens * (1 + 1e-12));
}

/* --- against theory, within confidence intervals ----------------------------------------------------------------- */

enum { RUNS = 20 };

/* Returns the mean wait over runs with different seeds, and half of its 95 % confidence interval, in services. */
static struct trial_estimate mean_wait(struct served *served)
{
	double sum = 0, squares = 0, mean;

	for (int i = 0; i < RUNS; i++) {
		double wait;

		served->setting.seed = 1000 + (uint64_t)i;
		run(&served->setting);
		wait = histogram_mean_s(&result.e2e) - 1;
		sum += wait;
		squares += wait * wait;
	}
	mean = sum / RUNS;
	return (struct trial_estimate){.mean_s = mean, .half_width_s = trial_student_t(RUNS) * sqrt((squares / RUNS - mean * mean) / (RUNS - 1))};
}

/* M/M/1, M/D/1 (Pollaczek and Khinchine) and M/M/c (Erlang): the mean wait of theory is within the confidence
 * interval. One interval in twenty may miss it, so the test widens them by half. A service of SERVICE_TOKENS steps is
 * a quarter of a per cent from continuous. */
static void theory_lies_within_the_confidence_interval(void **state)
{
	static const struct {
		double utilization, servers;
		bool fixed;
		double wait;
	} rows[] = {{0.5, 1, false, 1}, {0.8, 1, false, 4}, {0.5, 1, true, 0.5}, {0.8, 1, true, 2}, {0.75, 2, false, 0.5625 / 0.4375},
		{0.8, 4, false, 0.745541}, {0.9, 8, false, 0.876916}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct served served;
		struct trial_estimate wait;

		served_fill(&served, rows[i].utilization * rows[i].servers);
		served.engine.sequences_maximum = rows[i].servers;
		served.setting.requests = 60000;
		if (rows[i].fixed)
			served.traffic.output = (struct token_source){.mean = SERVICE_TOKENS};
		wait = mean_wait(&served);
		if (fabs(wait.mean_s - rows[i].wait) > 1.5 * wait.half_width_s + 0.0025)
			fail_msg("row %zu: %g +- %g services, not %g", i, wait.mean_s, wait.half_width_s, rows[i].wait);
	}
}

/* --- properties of any run ------------------------------------------------------------------------------------- */

/* Returns the output tokens of the counted requests, as the traffic draws them. */
static double tokens_that_count(const struct simulation_setting *setting)
{
	struct traffic traffic;
	double tokens = 0;

	traffic_start(&traffic, setting->traffic, setting->seed);
	for (int64_t i = 0; i < setting->warmup_requests + setting->requests; i++) {
		double output_tokens = traffic_next(&traffic).output_tokens;

		tokens += i < setting->warmup_requests ? 0 : output_tokens;
	}
	return tokens;
}

static double between(struct random *random, double low, double high)
{
	return low + (high - low) * random_uniform(random);
}

/* Settings of all kinds at once: each counted request is answered once, with
 * all of its tokens, and not before it came. */
static void whatever_is_asked_nothing_is_lost(void **state)
{
	static const struct rate_piece pieces[] = {{20, 8}, {5, 0}, {30, 2}};
	static const struct replica_change changes[] = {{0, 2}, {30, 3}, {60, 1}, {90, 3}, {200, 2}};
	struct random random;
	struct real real;

	(void)state;
	random_seed(&random, 2026, 0);
	for (int i = 0; i < 60; i++) {
		real_fill(&real, between(&random, 0.5, 6));
		real.traffic.gap_cv = i % 5;
		if (i % 2)
			real.traffic.pieces = pieces, real.traffic.piece_count = 3, real.traffic.piece_peak = 8;
		real.traffic.first_share = i % 3 * 0.3;
		if (i % 4 > 1) {
			real.engine.prefix_count = real.traffic.prefix_count = (int32_t)between(&random, 1, 50);
			real.engine.prefix_tokens = between(&random, 1, 2000);
		}
		if (i % 7 > 3) {
			real.engine.drafted_tokens = 3;
			acceptance_prepare(&real.engine.acceptance, 3, between(&random, 0.1, 0.9));
			real.engine.progress_tokens = real.engine.acceptance.mean;
		}
		if (i % 6 == 1)
			real.engine.cache_bytes = 30000 * real.engine.token_bytes; /* small enough to evict */
		real.setting.routing = (enum routing)(i % 4);
		real.setting.replicas = 3;
		if (i % 5 == 2)
			real.setting.prefill = &real.engine, real.setting.prefill_replicas = 2, real.setting.handoff_s = 0.01;
		else if (i % 5 > 2)
			real.setting.changes = changes, real.setting.change_count = 5, real.setting.startup_s = between(&random, 0, 60);
		real.setting.requests = 1500;
		real.setting.warmup_requests = 100;
		real.setting.seed = (uint64_t)i;
		run(&real.setting);
		assert_conserved();
		assert_int_equal(result.e2e.count + result.rest_e2e.count + result.refused, 1500 + result.refused);
		assert_int_equal(result.refused, 0);
		assert_close(result.counted_output_tokens, tokens_that_count(&real.setting), 1e-12);
		assert_true(histogram_mean_s(&result.ttft) > 0 && histogram_mean_s(&result.e2e) > histogram_mean_s(&result.ttft));
	}
}

/* --- rates that change --------------------------------------------------------------------------------------- */

static void a_rate_that_does_not_change_is_the_old_one(void **state)
{
	static const struct rate_piece even[] = {{7.5, 1}, {3.25, 1}, {0.125, 1}};
	static struct simulation_result old;
	struct real real;

	(void)state;
	real_fill(&real, 4);
	run(&real.setting);
	old = result;
	real.traffic.pieces = even;
	real.traffic.piece_count = 3;
	real.traffic.piece_peak = 1;
	run(&real.setting);
	assert_int_equal(result.finished, old.finished);
	assert_close(result.arrived_tokens, old.arrived_tokens, 0);
	assert_close(histogram_mean_s(&result.ttft), histogram_mean_s(&old.ttft), 1e-6);
	assert_close(histogram_mean_s(&result.tpot), histogram_mean_s(&old.tpot), 1e-6);
}

/* Each piece gets the requests that its rate and length give, for any distribution of gaps. */
static void pieces_hold_their_share_of_the_requests(void **state)
{
	static const struct rate_piece pieces[] = {{10, 1}, {5, 0}, {20, 0.25}, {5, 3}};
	static const double expected[] = {100, 0, 50, 150}; /* in a round of 40 s at 10 a second */
	static const double cvs[] = {0, 1, 3};
	enum { ROUNDS = 2000 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cvs); i++) {
		struct traffic_plan plan = {.requests_per_s = 9.7310913, /* so that no even gap ends with a piece */
			.gap_cv = cvs[i],
			.prompt = {.mean = 1},
			.output = {.mean = 1},
			.pieces = pieces,
			.piece_count = COUNT_OF(pieces),
			.piece_peak = 1};
		double counts[COUNT_OF(pieces)] = {0}, at_s;
		struct traffic traffic;

		traffic_start(&traffic, &plan, 11);
		while ((at_s = traffic_next(&traffic).t_s) < 40.0 * ROUNDS) {
			double within_s = fmod(at_s, 40);

			counts[within_s < 10 ? 0 : within_s < 15 ? 1 : within_s < 35 ? 2 : 3]++;
		}
		for (size_t piece = 0; piece < COUNT_OF(pieces); piece++)
			assert_close(counts[piece] / ROUNDS + 1, expected[piece] * 0.97310913 + 1, 0.03);
	}
}

/* The pieces are far longer than a queue's memory: each waits as its own M/M/1, and requests see the mean of both. */
static void slow_pieces_wait_as_each_alone(void **state)
{
	static const struct rate_piece pieces[] = {{20000, 0.5}, {20000, 1}};
	struct served served;
	double wait_s;

	(void)state;
	served_fill(&served, 0.7);
	served.traffic.pieces = pieces;
	served.traffic.piece_count = 2;
	served.traffic.piece_peak = 1;
	run(&served.setting);
	wait_s = (0.35 / 0.65 * 0.35 + 0.7 / 0.3 * 0.7) / (0.35 + 0.7);
	assert_close(histogram_mean_s(&result.e2e) - 1, wait_s, 0.06);
}

/* --- classes ------------------------------------------------------------------------------------------------- */

/* Cobham 1954: with W0 = rho of exponential services, the first class waits
 * W0/(1 - rho1), the rest W0/((1 - rho1)(1 - rho)). */
static void the_first_class_waits_as_cobham(void **state)
{
	static const double shares[] = {0.25, 0.5, 0.8};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(shares); i++) {
		double first = 0.75 * shares[i];
		struct served served;

		served_fill(&served, 0.75);
		served.traffic.first_share = shares[i];
		run(&served.setting);
		assert_conserved();
		assert_close((double)result.e2e.count / 200000, shares[i], 0.02);
		assert_int_equal(result.e2e.count + result.rest_e2e.count, 200000);
		assert_close(histogram_mean_s(&result.e2e) - 1, 0.75 / (1 - first), 0.05);
		assert_close(histogram_mean_s(&result.rest_e2e) - 1, 0.75 / (1 - first) / 0.25, 0.08);
	}
}

/* A single class, either of the two, is served in order of arrival. With two
 * classes the answered tokens stay the same. */
static void one_class_alone_changes_nothing(void **state)
{
	static struct simulation_result old;
	struct real real;

	(void)state;
	real_fill(&real, 4);
	run(&real.setting);
	old = result;
	real.traffic.first_share = 1;
	run(&real.setting);
	assert_memory_equal(&result.ttft, &old.ttft, sizeof result.ttft);
	assert_memory_equal(&result.e2e, &old.e2e, sizeof result.e2e);
	assert_int_equal(result.rest_e2e.count, 0);
	real.traffic.first_share = 0.3;
	run(&real.setting);
	assert_int_equal(result.e2e.count + result.rest_e2e.count, 20000);
	assert_true(histogram_mean_s(&result.ttft) <= histogram_mean_s(&result.rest_ttft));
	assert_close(result.counted_output_tokens, old.counted_output_tokens, 0);
}

/* --- prefixes ------------------------------------------------------------------------------------------------ */

enum { PREFIX_TOKENS = 100 };

/* Gives the cache room for `room` prefixes beside the one sequence that runs. */
static void share_prefixes(struct served *served, int32_t prefixes, int32_t room)
{
	served->engine.prefix_count = served->traffic.prefix_count = prefixes;
	served->engine.prefix_tokens = PREFIX_TOKENS;
	served->engine.cache_bytes = (room + 1.99) * PREFIX_TOKENS;
	served->traffic.prompt = (struct token_source){.mean = PREFIX_TOKENS + 20};
	served->traffic.output = (struct token_source){.mean = 20};
	served->traffic.requests_per_s *= 10;
}

/* Equally likely prefixes are found as often as they are held: room over number, whichever prefix is evicted. */
static void a_prefix_is_found_where_there_is_room(void **state)
{
	static const int32_t rooms[] = {5, 20, 40};
	struct served served;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rooms); i++) {
		served_fill(&served, 0.5);
		share_prefixes(&served, 40, rooms[i]);
		run(&served.setting);
		assert_conserved();
		/* The tokens of a running sequence take the room of one prefix. */
		assert_close(result.cached_share * 120 / 100, rooms[i] / 40.0, 0.06);
	}
}

/* With routing by prefix the engines divide the prefixes: four caches of 14
 * hold all 40. In turns each engine sees all of them. */
static void routing_decides_what_is_found(void **state)
{
	double found[4];
	struct served served;

	(void)state;
	for (int routing = ROUTING_ROUND_ROBIN; routing <= ROUTING_PREFIX_AWARE; routing++) {
		served_fill(&served, 0.5);
		share_prefixes(&served, 40, 14);
		served.setting.replicas = 4;
		served.setting.routing = (enum routing)routing;
		served.traffic.requests_per_s *= 4;
		run(&served.setting);
		assert_conserved();
		found[routing] = result.cached_share * 120 / 100;
	}
	assert_close(found[ROUTING_ROUND_ROBIN], 0.35, 0.06);
	assert_close(found[ROUTING_LEAST_OUTSTANDING], 0.35, 0.06);
	assert_true(found[ROUTING_PREFIX_AWARE] > 0.95);
}

/* With one replica routing has no choice. Requests without a prefix are routed to the least outstanding. */
static void routing_of_one_changes_nothing(void **state)
{
	static struct simulation_result old;
	struct real real;

	(void)state;
	real_fill(&real, 3);
	run(&real.setting);
	old = result;
	for (int routing = ROUTING_ROUND_ROBIN; routing <= ROUTING_PREFIX_AWARE; routing++) {
		real.setting.routing = (enum routing)routing;
		run(&real.setting);
		assert_memory_equal(&result, &old, sizeof result);
	}
	real.setting.replicas = 3;
	real.setting.routing = ROUTING_LEAST_OUTSTANDING;
	run(&real.setting);
	old = result;
	real.setting.routing = ROUTING_PREFIX_AWARE;
	run(&real.setting);
	assert_memory_equal(&result, &old, sizeof result);
}

/* A hot prefix does not overload its home: beyond the imbalance other replicas take its requests. */
static void a_hot_prefix_spreads(void **state)
{
	struct served served;

	(void)state;
	served_fill(&served, 0.6);
	share_prefixes(&served, 1, 10);
	served.setting.replicas = 4;
	served.setting.routing = ROUTING_PREFIX_AWARE;
	served.traffic.requests_per_s *= 4;
	run(&served.setting);
	assert_conserved();
	assert_true(result.cached_share * 120 / 100 > 0.99);
}

/* --- replicas that start and stop ---------------------------------------------------------------------------- */

/* A cold start of 50 s has the same effect as a start 50 s later. */
static void a_cold_start_is_a_late_start(void **state)
{
	static const struct replica_change early[] = {{0, 1}, {100, 2}}, late[] = {{0, 1}, {150, 2}};
	static struct simulation_result cold;
	struct served served;

	(void)state;
	served_fill(&served, 1.4);
	served.setting.replicas = 2;
	served.setting.routing = ROUTING_LEAST_OUTSTANDING;
	served.setting.requests = 20000;
	served.setting.changes = early;
	served.setting.change_count = 2;
	served.setting.startup_s = 50;
	run(&served.setting);
	cold = result;
	served.setting.changes = late;
	served.setting.startup_s = 0;
	run(&served.setting);
	assert_memory_equal(&result.e2e, &cold.e2e, sizeof result.e2e);
	assert_memory_equal(&result.ttft, &cold.ttft, sizeof result.ttft);
	assert_close(cold.replica_s - result.replica_s, 50, 1e-6); /* a starting replica is paid for */
	served.setting.changes = NULL;
	served.setting.change_count = 0;
	run(&served.setting);
	assert_true(histogram_mean_s(&result.e2e) <= histogram_mean_s(&cold.e2e));
}

/* The fleet grows and shrinks every 200 s with the load: each request is
 * answered once, and only present replicas are paid for. */
static void a_fleet_that_breathes_loses_nothing(void **state)
{
	static const struct rate_piece pieces[] = {{200, 0.4}, {200, 1}};
	enum { CHANGES = 400 };
	static struct replica_change changes[CHANGES];
	struct real real;
	double breathing_s, ttft_s;

	(void)state;
	for (int i = 0; i < CHANGES; i++)
		changes[i] = (struct replica_change){200.0 * i, i % 2 ? 4 : 2};
	real_fill(&real, 16);
	real.setting.replicas = 4;
	real.setting.routing = ROUTING_LEAST_OUTSTANDING;
	real.traffic.pieces = pieces;
	real.traffic.piece_count = 2;
	real.traffic.piece_peak = 1;
	real.setting.warmup_requests = 0;
	real.setting.changes = changes;
	real.setting.change_count = CHANGES;
	real.setting.startup_s = 20;
	run(&real.setting);
	assert_conserved();
	assert_int_equal(result.e2e.count, 20000);
	breathing_s = result.replica_s;
	ttft_s = histogram_quantile_s(&result.ttft, 0.95);
	real.setting.change_count = 0;
	run(&real.setting);
	assert_close(breathing_s / result.replica_s, 0.75, 0.03);
	assert_true(histogram_quantile_s(&result.ttft, 0.95) <= ttft_s);
	/* A change to the present number changes nothing. */
	for (int i = 0; i < CHANGES; i++)
		changes[i].replicas = 4;
	ttft_s = histogram_mean_s(&result.ttft);
	real.setting.change_count = CHANGES;
	run(&real.setting);
	assert_close(histogram_mean_s(&result.ttft), ttft_s, 0);
}

/* --- drafts -------------------------------------------------------------------------------------------------- */

/* Sum of P(X > k), by hand; and the mean and variance of a renewal count, from steps drawn one by one. */
static void steps_of_an_answer_are_a_renewal_count(void **state)
{
	static const struct {
		double drafted, probability, tokens;
	} rows[] = {{3, 0.7, 200}, {1, 0.5, 50}, {8, 0.9, 400}, {4, 0.6, 3000}};
	enum { DRAWN = 20000 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		double sum = 0, squares = 0, mean, variance;
		struct acceptance acceptance;
		struct random random;

		acceptance_prepare(&acceptance, rows[i].drafted, rows[i].probability);
		mean = (1 - pow(rows[i].probability, rows[i].drafted + 1)) / (1 - rows[i].probability);
		assert_close(acceptance.mean, mean, 1e-12);
		random_seed(&random, 5, i);
		for (int drawn = 0; drawn < DRAWN; drawn++) {
			double steps = acceptance_steps(&acceptance, rows[i].tokens, &random);

			assert_true(steps >= ceil(rows[i].tokens / (rows[i].drafted + 1)) && steps <= rows[i].tokens);
			sum += steps;
			squares += steps * steps;
		}
		variance = squares / DRAWN - sum / DRAWN * (sum / DRAWN);
		/* The last step overshoots by (E[X^2]/E[X] - 1)/2 tokens on average (lattice renewal theorem). */
		assert_close(sum / DRAWN, (rows[i].tokens + ((acceptance.variance + mean * mean) / mean - 1) / 2) / mean, 0.005);
		assert_close(variance, rows[i].tokens * acceptance.variance / pow(mean, 3), 0.10);
	}
}

/* Chance does not change the means, but answers of one length get a spread. */
static void chance_spreads_what_it_leaves_on_average(void **state)
{
	double mean_s, spread;
	struct real real;

	(void)state;
	real_fill(&real, 0.2);
	real.traffic.output = (struct token_source){.mean = 200};
	real.engine.drafted_tokens = 3;
	real.engine.progress_tokens = 1 + 0.7 + 0.49 + 0.343;
	run(&real.setting);
	mean_s = histogram_mean_s(&result.tpot);
	spread = histogram_quantile_s(&result.tpot, 0.95) / histogram_quantile_s(&result.tpot, 0.05);
	acceptance_prepare(&real.engine.acceptance, 3, 0.7);
	run(&real.setting);
	assert_int_equal(result.e2e.count, 20000);
	assert_close(histogram_mean_s(&result.tpot), mean_s, 0.02);
	assert_true(histogram_quantile_s(&result.tpot, 0.95) / histogram_quantile_s(&result.tpot, 0.05) > 1.04 * spread);
}

/* If every draft is right, or none is, chance has no effect. */
static void certain_drafts_change_nothing(void **state)
{
	static const double certain[] = {0, 1};
	struct real real;

	(void)state;
	real_fill(&real, 1);
	for (size_t i = 0; i < COUNT_OF(certain); i++) {
		struct engine_setting engine;

		real.shape.draft_tokens = 3;
		real.shape.acceptance = certain[i];
		real.shape.accepted_tokens = 3 * certain[i];
		engine_setting_of(&engine, &real.replica, &real.shape);
		assert_true(engine.acceptance.probability == 0);
	}
	real.shape.acceptance = 0.7;
	engine_setting_of(&real.engine, &real.replica, &real.shape);
	assert_close(real.engine.acceptance.mean, 1 + 0.7 + 0.49 + 0.343, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(theory_lies_within_the_confidence_interval),
		cmocka_unit_test(whatever_is_asked_nothing_is_lost),
		cmocka_unit_test(a_rate_that_does_not_change_is_the_old_one),
		cmocka_unit_test(pieces_hold_their_share_of_the_requests),
		cmocka_unit_test(slow_pieces_wait_as_each_alone),
		cmocka_unit_test(the_first_class_waits_as_cobham),
		cmocka_unit_test(one_class_alone_changes_nothing),
		cmocka_unit_test(a_prefix_is_found_where_there_is_room),
		cmocka_unit_test(routing_decides_what_is_found),
		cmocka_unit_test(routing_of_one_changes_nothing),
		cmocka_unit_test(a_hot_prefix_spreads),
		cmocka_unit_test(a_cold_start_is_a_late_start),
		cmocka_unit_test(a_fleet_that_breathes_loses_nothing),
		cmocka_unit_test(steps_of_an_answer_are_a_renewal_count),
		cmocka_unit_test(chance_spreads_what_it_leaves_on_average),
		cmocka_unit_test(certain_drafts_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
