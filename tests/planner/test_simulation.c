/* The simulation of a fleet: against queueing theory where it is exact, and properties of any run. */
#include "support/simulation_fixture.h"

/* --- against theory ---------------------------------------------------------------------------------------- */

struct queue {
	double utilization, gap_cv;
	struct token_source service;
	double servers;  /* sequences that run at once, from one queue */
	int64_t engines; /* each with its own queue */
	enum routing routing;
};

/* Runs the queue and fills `result`. A second is one service. */
static void run_queue(const struct queue *queue)
{
	struct clockwork clockwork = {.step_s = 1.0 / SERVICE_TOKENS};
	struct engine_setting engine = one_at_a_time(&clockwork);
	struct traffic_plan traffic = {.requests_per_s = queue->utilization * queue->servers * (double)queue->engines,
		.gap_cv = queue->gap_cv,
		.prompt = {.mean = 1},
		.output = queue->service};
	struct simulation_setting setting = {.engine = &engine,
		.replicas = queue->engines,
		.routing = queue->routing,
		.traffic = &traffic,
		.warmup_requests = 2000,
		.requests = 200000,
		.seed = 7};

	engine.sequences_maximum = queue->servers;
	run(&setting);
	assert_false(result.saturated);
}

/* Pollaczek and Khinchine: W = rho/(1 - rho) x (1 + Cs^2)/2 services, for any distribution of service times. */
static void one_server_waits_as_pollaczek_and_khinchine(void **state)
{
	static const struct {
		double utilization, service_cv;
	} rows[] = {{0.3, 0}, {0.6, 0}, {0.8, 0}, {0.7, 1}, {0.5, 0.5}, {0.5, 2}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double rho = rows[i].utilization, cv = rows[i].service_cv;
		struct queue queue = {.utilization = rho, .gap_cv = 1, .service = {.mean = SERVICE_TOKENS, .cv = cv}, .servers = 1, .engines = 1};

		run_queue(&queue);
		assert_close(histogram_mean_s(&result.e2e) - 1, rho / (1 - rho) * (1 + cv * cv) / 2, 0.06);
		assert_close(result.busy_fraction, rho, 0.02);
	}
}

/* M/M/1: the time inside is exponential with mean 1/(mu - lambda), so each percentile is known. */
static void percentiles_of_one_exponential_server(void **state)
{
	struct queue queue = {.utilization = 0.6, .gap_cv = 1, .service = exponential_lengths(), .servers = 1, .engines = 1};

	(void)state;
	run_queue(&queue);
	assert_close(histogram_mean_s(&result.e2e), 1 / 0.4, 0.04);
	assert_close(histogram_quantile_s(&result.e2e, 0.50), log(2) / 0.4, 0.04);
	assert_close(histogram_quantile_s(&result.e2e, 0.95), log(20) / 0.4, 0.05);
	assert_close(histogram_quantile_s(&result.e2e, 0.99), log(100) / 0.4, 0.07);
}

/* Erlang 1917: returns the mean wait C/(c mu - lambda) for c servers, where C is the probability of a wait. */
static double erlang_wait(double servers, double utilization)
{
	double load = servers * utilization, term = 1, sum = 0;

	for (double k = 0; k < servers; term *= load / ++k)
		sum += term;
	term /= 1 - utilization;
	return term / (sum + term) / (servers * (1 - utilization));
}

static void many_servers_wait_as_erlang(void **state)
{
	(void)state;
	assert_close(erlang_wait(1, 0.6), 0.6 / 0.4, 1e-12);
	assert_close(erlang_wait(2, 0.75), 0.75 * 0.75 / (1 - 0.75 * 0.75), 1e-12); /* rho^2/(1 - rho^2) services */
	for (double servers = 2; servers <= 32; servers *= 4) {
		struct queue queue = {.utilization = 0.85, .gap_cv = 1, .service = exponential_lengths(), .servers = servers, .engines = 1};

		run_queue(&queue);
		assert_close(histogram_mean_s(&result.e2e) - 1, erlang_wait(servers, 0.85), 0.10);
	}
}

/* In turns, each of n engines gets every n-th arrival; at random it would get a Poisson stream. Sent to the emptiest
 * engine, requests wait nearly as in one queue of n servers, and never less. */
static void routing_lies_between_one_queue_and_many(void **state)
{
	struct queue queue = {.utilization = 0.8, .gap_cv = 1, .service = exponential_lengths(), .servers = 1, .engines = 4};
	double turns, emptiest;

	(void)state;
	run_queue(&queue);
	turns = histogram_mean_s(&result.e2e) - 1;
	queue.routing = ROUTING_LEAST_OUTSTANDING;
	run_queue(&queue);
	emptiest = histogram_mean_s(&result.e2e) - 1;
	assert_true(turns < 0.8 / 0.2);
	assert_true(emptiest < 0.6 * turns);
	assert_true(emptiest > erlang_wait(4, 0.8));
}

/* --- a real replica ---------------------------------------------------------------------------------------- */

/* The formulas of E56 are the mean-field limit of the simulation: time per token, batch and throughput agree where
 * prompts do not queue. */
static void means_agree_with_the_formulas(void **state)
{
	static const double rates[] = {0.2, 1, 3};
	struct real real;
	struct operating_point point;

	(void)state;
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
		real_fill(&real, rates[i]);
		run(&real.setting);
		operating_open(&real.replica, &real.shape, rates[i], &point);
		assert_close(histogram_mean_s(&result.tpot), point.tpot_s, 0.04);
		assert_close(result.mean_batch * result.busy_fraction, point.decode_sequences, 0.05);
		assert_close(result.counted_output_tokens / result.counted_s, rates[i] * 211, 0.03);
		assert_close(result.busy_fraction, point.busy_fraction, 0.06);
	}
}

static void every_request_is_answered_once_with_all_its_tokens(void **state)
{
	struct real real;

	(void)state;
	real_fill(&real, 1);
	real.setting.concurrency = 64;
	real.setting.warmup_requests = 0;
	run(&real.setting);
	assert_int_equal(result.arrived, 20000);
	assert_int_equal(result.finished, 20000);
	assert_int_equal(result.e2e.count, 20000);
	assert_int_equal(result.refused, 0);
	assert_close(result.finished_tokens, result.arrived_tokens, 1e-15);
	/* Little's law: in flight = rate x time inside, on average, while all slots are in use. */
	assert_close(histogram_mean_s(&result.e2e) * 20000 / result.counted_s, 64, 0.02);
}

static void the_same_seed_gives_the_same_bits(void **state)
{
	static struct simulation_result first;
	struct real real;

	(void)state;
	real_fill(&real, 4);
	run(&real.setting);
	first = result;
	run(&real.setting);
	assert_memory_equal(&first, &result, sizeof result);
	real.setting.seed = 2;
	run(&real.setting);
	assert_memory_not_equal(&first, &result, sizeof result);
}

/* More load is slower; more replicas are faster. */
static void latency_follows_load_and_replicas(void **state)
{
	double before_ttft_s = 0, before_tpot_s = 0;
	struct real real;

	(void)state;
	for (double rate = 1; rate <= 8; rate *= 2) {
		real_fill(&real, rate);
		run(&real.setting);
		assert_true(histogram_quantile_s(&result.ttft, 0.95) > before_ttft_s);
		assert_true(histogram_quantile_s(&result.tpot, 0.95) > before_tpot_s);
		before_ttft_s = histogram_quantile_s(&result.ttft, 0.95);
		before_tpot_s = histogram_quantile_s(&result.tpot, 0.95);
	}
	for (int64_t replicas = 2; replicas <= 8; replicas *= 2) {
		real.setting.replicas = replicas;
		run(&real.setting);
		assert_true(histogram_quantile_s(&result.ttft, 0.95) < before_ttft_s);
		assert_true(histogram_quantile_s(&result.tpot, 0.95) < before_tpot_s);
		before_ttft_s = histogram_quantile_s(&result.ttft, 0.95);
		before_tpot_s = histogram_quantile_s(&result.tpot, 0.95);
	}
}

static void too_much_load_is_given_up(void **state)
{
	struct real real;

	(void)state;
	real_fill(&real, 200);
	real.setting.requests = 100000;
	run(&real.setting);
	assert_true(result.saturated);
}

/* The work of a run is limited in steps, so that no request takes for ever. The counted work is the work done. */
static void work_has_an_end(void **state)
{
	struct real real;

	(void)state;
	real_fill(&real, 4);
	run(&real.setting);
	assert_false(result.exhausted);
	real.setting.work = result.work;
	run(&real.setting);
	assert_true(result.exhausted); /* no step was left over */
	real.setting.work = result.work + 1;
	run(&real.setting);
	assert_false(result.exhausted);
	assert_int_equal(result.work, real.setting.work - 1);
}

struct ends {
	double at_s[64];
	int count;
};

static void note_end(void *context, const struct engine_request *request, double now_s)
{
	struct ends *ends = context;

	ends->at_s[request->number] = now_s;
	ends->count++;
}

/* Finds the ends of 64 requests, one every quarter of a second, if the engine is advanced every `look_s`. */
static void ends_when_looked_at(const struct engine_setting *setting, double look_s, struct ends *ends)
{
	struct engine_request pool[64];
	int32_t heap[64], submitted = 0;
	int64_t work_left = INT64_MAX;
	struct engine_state engine;

	*ends = (struct ends){.count = 0};
	engine_start(&engine, setting, pool, &(struct engine_memory){.heap = heap}, &work_left, note_end, ends);
	for (double now_s = 0; ends->count < 64; now_s += look_s) {
		for (; submitted < 64 && submitted * 0.25 <= now_s; submitted++) {
			engine_advance(&engine, submitted * 0.25);
			pool[submitted] = (struct engine_request){.arrived_s = submitted * 0.25,
				.prompt_tokens = 2000,
				.output_tokens = 40 + 7 * (submitted % 13),
				.pending_tokens = 2000,
				.number = submitted,
				.prefix = PREFIX_NONE};
			engine_submit(&engine, submitted, submitted * 0.25);
		}
		engine_advance(&engine, now_s);
	}
}

/* Steps that are taken together end at the same time as one by one. */
static void jumps_change_nothing(void **state)
{
	struct ends rarely, often;
	struct real real;

	(void)state;
	real_fill(&real, 1);
	ends_when_looked_at(&real.engine, 0.25, &rarely);
	ends_when_looked_at(&real.engine, 0.001, &often);
	for (int i = 0; i < 64; i++)
		assert_close(rarely.at_s[i], often.at_s[i], 3e-5);
}

/* --- the cache --------------------------------------------------------------------------------------------- */

/* The cache holds six sequences of mean length: the one that decodes longest evicts the one that came last. */
static void a_small_cache_evicts_and_loses_nothing(void **state)
{
	double before_s;
	struct real real;

	(void)state;
	real_fill(&real, 1);
	real.setting.concurrency = 32;
	real.setting.warmup_requests = 0;
	real.setting.requests = 2000;
	real.traffic.prompt.cv = 0.1;
	run(&real.setting);
	before_s = histogram_mean_s(&result.e2e);
	assert_int_equal(result.evictions, 0);
	real.engine.cache_bytes = 6 * 1400 * real.engine.token_bytes;
	run(&real.setting);
	assert_true(result.evictions > 20);
	assert_int_equal(result.finished, 2000);
	assert_close(result.finished_tokens, result.arrived_tokens, 1e-15);
	assert_true(histogram_mean_s(&result.e2e) > 2 * before_s);
	assert_true(result.mean_batch < 7);
	/* An engine that admits only requests that can finish does not evict. */
	real.engine.reserves_whole_output = true;
	run(&real.setting);
	assert_int_equal(result.evictions, 0);
	assert_int_equal(result.finished, 2000);
}

static void what_no_cache_holds_is_refused(void **state)
{
	struct real real;

	(void)state;
	real_fill(&real, 1);
	real.engine.cache_bytes = 3000 * real.engine.token_bytes;
	real.setting.requests = 5000;
	run(&real.setting);
	assert_true(result.refused > 100);
	assert_true(result.e2e.count + result.refused >= 5000);
}

static void prefix_cache_speculation_and_chunks(void **state)
{
	double ttft_s, tpot_s;
	struct real real;

	(void)state;
	real_fill(&real, 3);
	run(&real.setting);
	ttft_s = histogram_mean_s(&result.ttft);
	tpot_s = histogram_mean_s(&result.tpot);
	real.engine.cached_share = 0.8;
	run(&real.setting);
	assert_true(histogram_mean_s(&result.ttft) < 0.8 * ttft_s);
	real.engine.cached_share = 0;
	real.engine.progress_tokens = 2.4;
	real.engine.drafted_tokens = 3;
	run(&real.setting);
	assert_true(histogram_mean_s(&result.tpot) < 0.7 * tpot_s);
	real.engine.progress_tokens = 1;
	real.engine.drafted_tokens = 0;
	real.engine.chunk_tokens = 256; /* small chunks: prompts hardly slow decoding, but take longer */
	run(&real.setting);
	assert_true(histogram_quantile_s(&result.ttft, 0.5) > 1.3 * ttft_s);
	assert_true(histogram_mean_s(&result.tpot) < tpot_s); /* a chunk hides behind the weights that decoding reads in any case */
}

/* Prompts have engines of their own, so output tokens never wait for another request's prompt. */
static void disaggregated_decoding_is_even(void **state)
{
	double together_s, handoff_s;
	struct real real;

	(void)state;
	real_fill(&real, 4);
	real.setting.replicas = 2;
	run(&real.setting);
	together_s = histogram_quantile_s(&result.tpot, 0.99);
	real.setting.replicas = 1;
	real.setting.prefill = &real.engine;
	real.setting.prefill_replicas = 1;
	run(&real.setting);
	assert_int_equal(result.e2e.count, 20000);
	assert_true(histogram_quantile_s(&result.tpot, 0.99) < together_s);
	handoff_s = histogram_mean_s(&result.e2e) - histogram_mean_s(&result.ttft);
	real.setting.handoff_s = 0.5;
	run(&real.setting);
	assert_close(histogram_mean_s(&result.e2e) - histogram_mean_s(&result.ttft) - handoff_s, 0.5, 0.1);
}

/* --- traffic ----------------------------------------------------------------------------------------------- */

/* Blackman and Vigna's xoshiro256++ from the state 1, 2, 3, 4. */
static void random_bits_are_those_published(void **state)
{
	static const uint64_t published[] = {
		41943041, 58720359, UINT64_C(3588806011781223), UINT64_C(3591011842654386), UINT64_C(9228616714210784205)};
	struct random random = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof published / sizeof *published; i++)
		assert_true(random_bits(&random) == published[i]);
	random_seed(&random, 1, 1);
	assert_true(random_bits(&random) == UINT64_C(0x8d6176e2f1f41696));
}

static void drawn_traffic_has_the_moments_asked_for(void **state)
{
	static const double cvs[] = {0, 0.5, 1, 2.5};

	(void)state;
	for (size_t i = 0; i < sizeof cvs / sizeof *cvs; i++) {
		enum { DRAWN = 400000 };
		struct traffic_plan plan = {.requests_per_s = 5, .gap_cv = cvs[i], .prompt = {.mean = 1000, .cv = cvs[i]}, .output = {.mean = 200}};
		double last_s = 0, squares = 0, tokens = 0, tokens_squared = 0;
		struct traffic traffic;

		traffic_start(&traffic, &plan, 3);
		for (int drawn = 0; drawn < DRAWN; drawn++) {
			struct arrival arrival = traffic_next(&traffic);

			squares += pow((arrival.t_s - last_s) * 5, 2);
			tokens += arrival.prompt_tokens;
			tokens_squared += arrival.prompt_tokens * arrival.prompt_tokens;
			assert_true(arrival.t_s >= last_s && arrival.output_tokens == 200);
			last_s = arrival.t_s;
		}
		assert_close(last_s, DRAWN / 5.0, 0.02);
		assert_close(squares / DRAWN, 1 + cvs[i] * cvs[i], 0.04);
		assert_close(tokens / DRAWN, 1000, 0.02);
		assert_close(tokens_squared / DRAWN / 1e6, 1 + cvs[i] * cvs[i], 0.10);
	}
}

static void a_trace_is_replayed_and_repeated_at_its_pace(void **state)
{
	static const struct trace_arrival rows[] = {{10, 100, 7}, {12, 200, 8}, {16, 300, 9}};
	static const double at_s[] = {0, 1, 3, 4.5, 5.5, 7.5, 9};
	struct traffic_plan plan = {.trace = rows, .trace_count = 3, .trace_pace = 2};
	struct traffic traffic;

	(void)state;
	traffic_start(&traffic, &plan, 1);
	for (int i = 0; i < 7; i++) {
		struct arrival arrival = traffic_next(&traffic);

		assert_close(arrival.t_s, at_s[i], 1e-12); /* a round of 6 s and a mean gap of 3 s, twice as fast */
		assert_close(arrival.prompt_tokens, rows[i % 3].prompt_tokens, 0);
	}
}

static void a_histogram_knows_its_percentiles(void **state)
{
	static struct histogram histogram;

	(void)state;
	histogram_clear(&histogram);
	assert_close(histogram_quantile_s(&histogram, 0.5), 0, 0);
	for (int i = 1; i <= 10000; i++)
		histogram_add(&histogram, i * 1e-3);
	assert_close(histogram_mean_s(&histogram), 5.0005, 1e-12);
	for (double share = 0.01; share < 1; share += 0.07)
		assert_close(histogram_quantile_s(&histogram, share), 10 * share, 0.006);
	histogram_add(&histogram, 0);
	histogram_add(&histogram, 1e300);
	assert_int_equal(histogram.count, 10002);
	assert_true(histogram_quantile_s(&histogram, 1) > 1e5);
}

/* --- trials ------------------------------------------------------------------------------------------------ */

/* M/M/1 at 0.6: the 95th percentile of the time inside is 7.49 services. A limit well above it is kept and one well
 * below it is broken after few repetitions; a limit near it takes more. */
static void a_trial_decides_and_says_how_sure_it_is(void **state)
{
	struct clockwork clockwork = {.step_s = 1.0 / SERVICE_TOKENS};
	struct engine_setting engine = one_at_a_time(&clockwork);
	struct traffic_plan traffic = {.requests_per_s = 0.6, .gap_cv = 1, .prompt = {.mean = 1}, .output = exponential_lengths()};
	struct trial_setting setting = {.promise = {.ttft_s = ABSENT_NUMBER, .tpot_s = ABSENT_NUMBER, .e2e_s = 15, .percentile = 0.95},
		.replications_max = TRIAL_REPLICATIONS_MAX,
		.run = {.engine = &engine, .replicas = 1, .traffic = &traffic, .warmup_requests = 500, .requests = 4000, .seed = 1}};
	void *workspace = malloc(simulation_workspace_bytes(&setting.run));
	double exact_s = log(20) / 0.4;
	struct trial trial, longer;

	(void)state;
	trial_run(&setting, workspace, &trial);
	assert_true(trial.kept && !trial.saturated);
	assert_true(fabs(trial.e2e.promised.mean_s - exact_s) < 2 * trial.e2e.promised.half_width_s);
	assert_close(trial.e2e.p95.mean_s, trial.e2e.promised.mean_s, 0);
	assert_int_equal(trial.requests, trial.replications * 4000);
	setting.promise.e2e_s = 4;
	trial_run(&setting, workspace, &trial);
	assert_false(trial.kept);
	assert_int_equal(trial.replications, TRIAL_REPLICATIONS_LEAST);
	setting.promise.e2e_s = exact_s;
	trial_run(&setting, workspace, &longer);
	assert_true(longer.replications > trial.replications);
	assert_true(longer.e2e.promised.half_width_s < 0.06 * exact_s);
	traffic.requests_per_s = 2;
	setting.run.requests = 100000;
	trial_run(&setting, workspace, &trial);
	assert_true(trial.saturated && !trial.kept);
	free(workspace);
	assert_close(trial_student_t(2), 12.706, 1e-9);
	assert_close(trial_student_t(10), 2.262, 1e-9);
	assert_close(trial_student_t(30), 2.045, 1e-9);
}

/* Near its limit a trial takes about ten repetitions. With the work of five it answers with their interval; with the
 * work of three it does not answer. */
static void a_trial_whose_work_ends_keeps_what_it_knows(void **state)
{
	struct clockwork clockwork = {.step_s = 1.0 / SERVICE_TOKENS};
	struct engine_setting engine = one_at_a_time(&clockwork);
	struct traffic_plan traffic = {.requests_per_s = 0.6, .gap_cv = 1, .prompt = {.mean = 1}, .output = exponential_lengths()};
	struct trial_setting setting = {.promise = {.ttft_s = ABSENT_NUMBER, .tpot_s = ABSENT_NUMBER, .e2e_s = log(20) / 0.4, .percentile = 0.95},
		.replications_max = TRIAL_REPLICATIONS_MAX,
		.run = {.engine = &engine, .replicas = 1, .traffic = &traffic, .warmup_requests = 500, .requests = 4000, .seed = 1}};
	void *workspace = malloc(simulation_workspace_bytes(&setting.run));
	struct trial whole, five, cut;

	(void)state;
	trial_run(&setting, workspace, &whole);
	assert_true(whole.replications > 6);
	setting.replications_max = 5;
	trial_run(&setting, workspace, &five);
	assert_int_equal(five.replications, 5);
	setting.replications_max = TRIAL_REPLICATIONS_MAX;
	setting.work = five.work + 100;
	trial_run(&setting, workspace, &cut);
	assert_false(cut.exhausted);
	assert_int_equal(cut.replications, 5);
	assert_close(cut.e2e.promised.mean_s, five.e2e.promised.mean_s, 0);
	assert_close(cut.e2e.promised.half_width_s, five.e2e.promised.half_width_s, 0);
	assert_true(cut.kept == (cut.e2e.promised.mean_s + cut.e2e.promised.half_width_s <= setting.promise.e2e_s));
	setting.work = five.work * 3 / 5;
	trial_run(&setting, workspace, &cut);
	assert_true(cut.exhausted && !cut.kept);
	free(workspace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trial_whose_work_ends_keeps_what_it_knows),
		cmocka_unit_test(one_server_waits_as_pollaczek_and_khinchine),
		cmocka_unit_test(percentiles_of_one_exponential_server),
		cmocka_unit_test(many_servers_wait_as_erlang),
		cmocka_unit_test(routing_lies_between_one_queue_and_many),
		cmocka_unit_test(means_agree_with_the_formulas),
		cmocka_unit_test(every_request_is_answered_once_with_all_its_tokens),
		cmocka_unit_test(the_same_seed_gives_the_same_bits),
		cmocka_unit_test(latency_follows_load_and_replicas),
		cmocka_unit_test(too_much_load_is_given_up),
		cmocka_unit_test(work_has_an_end),
		cmocka_unit_test(jumps_change_nothing),
		cmocka_unit_test(a_small_cache_evicts_and_loses_nothing),
		cmocka_unit_test(what_no_cache_holds_is_refused),
		cmocka_unit_test(prefix_cache_speculation_and_chunks),
		cmocka_unit_test(disaggregated_decoding_is_even),
		cmocka_unit_test(random_bits_are_those_published),
		cmocka_unit_test(drawn_traffic_has_the_moments_asked_for),
		cmocka_unit_test(a_trace_is_replayed_and_repeated_at_its_pace),
		cmocka_unit_test(a_histogram_knows_its_percentiles),
		cmocka_unit_test(a_trial_decides_and_says_how_sure_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
