/* One simulated engine and its figures: the cache to the byte, evictions, the
 * parts of a request's time, intervals. */
#include <math.h>

#include "support/simulation_fixture.h"

/* --- the cache --------------------------------------------------------------------------------------------------- */

/* On average half of the last block is empty. Windows are stored whole. */
static void a_cache_holds_whole_blocks(void **state)
{
	struct engine_setting setting = {.token_bytes = 2, .block_tokens = 17, .cache_bytes = 2 * (100 + 8)};

	(void)state;
	assert_true(engine_can_hold(&setting, 60, 40));
	assert_false(engine_can_hold(&setting, 60, 41));
	setting.window_tokens = 30;
	setting.window_token_bytes = 4;
	setting.state_bytes = 5;
	assert_false(engine_can_hold(&setting, 60, 40));
	setting.cache_bytes += 30 * 4 + 5;
	assert_true(engine_can_hold(&setting, 60, 40));
	assert_false(engine_can_hold(&setting, 60, 41));
}

/* Each group of attention ranks has a cache, a limit on sequences and a chunk of its own. */
static void groups_of_ranks_hold_more(void **state)
{
	struct replica_layout layout;
	struct engine_setting setting;
	struct replica replica;
	struct real real;

	(void)state;
	real_fill(&real, 1);
	layout = layout_base(&real.fixture.inference.request.common, PRECISION_UNSET, ENGINE_VLLM, NULL,
		&real.fixture.inference.request.parallelism, &real.fixture.candidate);
	layout.tensor = 4;
	layout.attention_data = 2;
	assert_true(
		replica_prepare(&replica, &real.fixture.inference.model, &real.fixture.candidate.accelerator, NULL, &layout, &serving_constants));
	engine_setting_of(&setting, &replica, &real.shape);
	assert_close(setting.cache_bytes, 2 * replica.kv_budget_bytes, 1e-12);
	assert_close(setting.sequences_maximum, 2 * 1024, 1e-12);
	assert_close(setting.chunk_tokens, 2 * 8192, 1e-12);
	assert_close(setting.token_bytes, 80 * 2 * 256 * 2, 1e-12);
}

/* A step reads and writes a state, but the cache holds it once: as much as a sequence without a token takes. */
static void states_are_held_once(void **state)
{
	struct replica_layout layout;
	struct engine_setting setting;
	struct replica replica;
	struct real real;
	struct model *model = &real.fixture.inference.model;

	(void)state;
	real_fill(&real, 1);
	model->kinds[0].mixer = MIXER_MAMBA2;
	model->kinds[0].state_dim = 128;
	model->kinds[0].conv_kernel = 4;
	model->kinds[0].groups = 8;
	model->params_total = model->params_active = 0;
	model_finish(model);
	layout = layout_base(&real.fixture.inference.request.common, PRECISION_UNSET, ENGINE_VLLM, NULL,
		&real.fixture.inference.request.parallelism, &real.fixture.candidate);
	layout.tensor = 4;
	assert_true(replica_prepare(&replica, model, &real.fixture.candidate.accelerator, NULL, &layout, &serving_constants));
	engine_setting_of(&setting, &replica, &real.shape);
	assert_close(setting.state_bytes, 80 * 64.0 / 4 * 128 * 128 * 2, 1e-12);
	assert_close(setting.state_bytes, replica_sequence_bytes(&replica, 0), 1e-12);
}

/* Step costs that count the prompt tokens of all steps. */
struct counting {
	double *prompt_tokens;
};

static void counting_step(const void *costs, const struct batch *batch, struct step *step)
{
	const struct counting *counting = costs;

	*counting->prompt_tokens += batch->prefill_tokens;
	*step = (struct step){.time_s = 1};
}

struct ends {
	double at_s[2];
};

static void note_end(void *context, const struct engine_request *request, double now_s)
{
	struct ends *ends = context;

	ends->at_s[request->number] = now_s;
}

/* Two requests of ten tokens answer with thirty each, in a cache of sixty. When both have reached thirty tokens, the
 * later one is evicted. It starts again with its prompt and its answer so far when the earlier one is done, which
 * runs on undisturbed. */
static void who_came_last_is_computed_again(void **state)
{
	double prompt_tokens = 0;
	struct counting counting = {&prompt_tokens};
	struct engine_setting setting = {.step_time = counting_step,
		.costs = &counting,
		.chunk_tokens = 1000,
		.block_tokens = 1,
		.sequences_maximum = 2,
		.cache_bytes = 60,
		.token_bytes = 1,
		.progress_tokens = 1};
	struct engine_request pool[2];
	struct ends ends;
	int32_t heap[3];
	int64_t work_left = INT64_MAX;
	struct engine_state engine;

	(void)state;
	engine_start(&engine, &setting, pool, &(struct engine_memory){.heap = heap}, &work_left, note_end, &ends);
	for (int32_t i = 0; i < 2; i++) {
		pool[i] = (struct engine_request){.prompt_tokens = 10, .pending_tokens = 10, .output_tokens = 30, .number = i, .prefix = PREFIX_NONE};
		engine_submit(&engine, i, 0);
	}
	engine_advance(&engine, HUGE_VAL);
	assert_int_equal(engine.evictions, 1);
	assert_close(ends.at_s[0], 30, 1e-12); /* a step for the prompts, which gives the first token, and 29 more */
	/* At 20 s both have 10 + 20 tokens. One step reads the later one's 30 and gives its 21st; nine more follow. */
	assert_close(prompt_tokens, 10 + 10 + 30, 1e-12);
	assert_close(ends.at_s[1], 30 + 1 + 9, 1e-12);
}

/* A hundredth of the cache is kept free for sequences that decode. Of 1,000 tokens, a new request beside 500 may take
 * 490, but not 491. */
static void a_hundredth_of_the_cache_is_kept_free(void **state)
{
	(void)state;
	for (double more = 0; more <= 1; more++) {
		double prompt_tokens = 0;
		struct counting counting = {&prompt_tokens};
		struct engine_setting setting = {.step_time = counting_step,
			.costs = &counting,
			.chunk_tokens = 1e6,
			.block_tokens = 1,
			.sequences_maximum = 2,
			.cache_bytes = 1000,
			.token_bytes = 1,
			.reserves_whole_output = true,
			.progress_tokens = 1};
		struct engine_request pool[2];
		struct ends ends;
		int32_t heap[3];
		int64_t work_left = INT64_MAX;
		struct engine_state engine;

		engine_start(&engine, &setting, pool, &(struct engine_memory){.heap = heap}, &work_left, note_end, &ends);
		for (int32_t i = 0; i < 2; i++) {
			pool[i] = (struct engine_request){.prompt_tokens = i == 0 ? 490 : 480 + more,
				.pending_tokens = i == 0 ? 490 : 480 + more,
				.output_tokens = 10,
				.number = i,
				.prefix = PREFIX_NONE};
			engine_submit(&engine, i, 0);
		}
		engine_advance(&engine, HUGE_VAL);
		assert_close(ends.at_s[0], 10, 1e-12);
		assert_close(ends.at_s[1], more > 0 ? 20 : 10, 1e-12); /* after the other, or together with it */
	}
}

/* A step has a fixed number of tokens: each decoding sequence takes one, and prompts take the rest. Of 99 tokens,
 * nine go beside the first prompt, and nine into each step beside its answer. */
static void those_who_decode_take_from_the_chunk(void **state)
{
	double prompt_tokens = 0;
	struct counting counting = {&prompt_tokens};
	struct engine_setting setting = {.step_time = counting_step,
		.costs = &counting,
		.chunk_tokens = 10,
		.block_tokens = 1,
		.sequences_maximum = 2,
		.cache_bytes = 1e6,
		.token_bytes = 1,
		.progress_tokens = 1};
	struct engine_request pool[2];
	struct ends ends;
	int32_t heap[3];
	int64_t work_left = INT64_MAX;
	struct engine_state engine;

	(void)state;
	engine_start(&engine, &setting, pool, &(struct engine_memory){.heap = heap}, &work_left, note_end, &ends);
	for (int32_t i = 0; i < 2; i++) {
		pool[i] = (struct engine_request){.prompt_tokens = i == 0 ? 1 : 99,
			.pending_tokens = i == 0 ? 1 : 99,
			.output_tokens = i == 0 ? 50 : 1,
			.number = i,
			.prefix = PREFIX_NONE};
		engine_submit(&engine, i, 0);
	}
	engine_advance(&engine, HUGE_VAL);
	assert_close(ends.at_s[1], 1 + 10, 1e-12);
	assert_close(ends.at_s[0], 50, 1e-12);
}

/* A round is one second at 0.05 requests/s and one second without requests. An even gap of twenty seconds of requests
 * takes twenty rounds of two seconds. */
static void gaps_longer_than_a_round_pass_whole_rounds(void **state)
{
	static const struct rate_piece pieces[] = {{1, 0.05}, {1, 0}};
	struct traffic_plan plan = {.requests_per_s = 0.05,
		.gap_cv = 0,
		.pieces = pieces,
		.piece_count = 2,
		.piece_peak = 0.05,
		.prompt = {.mean = 1},
		.output = {.mean = 1}};
	struct traffic traffic;

	(void)state;
	traffic_start(&traffic, &plan, 1);
	for (int i = 1; i < 50; i++)
		assert_true(fabs(traffic_next(&traffic).t_s - 40.0 * i) <= 1 + 1e-6); /* at the end of the busy second, or at the start of the next */
}

/* A request goes to the replica that holds its prefix, unless over 64 more requests, and over half as many again,
 * wait there than elsewhere. */
static void homes_are_left_when_they_are_crowded(void **state)
{
	static const struct {
		int32_t at_home, elsewhere;
		bool stays;
	} loads[] = {{64, 0, true}, {65, 0, false}, {164, 100, true}, {165, 100, false}, {300, 200, true}, {301, 200, false}};
	struct clockwork clockwork = {.step_s = 1};
	struct engine_setting setting = one_at_a_time(&clockwork);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(loads); i++) {
		static struct engine_request pool[600];
		int32_t heaps[2][2], homes[1] = {0}, number = 0;
		int64_t work_left = INT64_MAX;
		struct engine_state engines[2];
		struct replicas replicas = {.engines = engines, .count = 2, .most = 2, .routing = ROUTING_PREFIX_AWARE, .homes = homes};

		for (int k = 0; k < 2; k++) {
			engine_start(&engines[k], &setting, pool, &(struct engine_memory){.heap = heaps[k]}, &work_left, NULL, NULL);
			for (int32_t n = 0; n < (k == 0 ? loads[i].at_home : loads[i].elsewhere); n++)
				engine_submit(&engines[k], number++, 0);
		}
		assert_true(replicas_choose(&replicas, 0, 0) == &engines[loads[i].stays ? 0 : 1]);
		assert_int_equal(homes[0], loads[i].stays ? 0 : 1);
	}
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static struct simulation_setting lone_requests(const struct engine_setting *engine, struct traffic_plan *traffic)
{
	*traffic = (struct traffic_plan){.requests_per_s = 1e-3, .gap_cv = 0, .prompt = {.mean = 100}, .output = {.mean = 51}};
	return (struct simulation_setting){.engine = engine, .replicas = 1, .traffic = traffic, .requests = 50, .seed = 1};
}

/* A lone request of 51 tokens takes 51 steps, the first of them for its prompt. The front end adds to the whole, and
 * not to the time per token. */
static void a_lone_request_takes_its_steps(void **state)
{
	struct clockwork clockwork = {.step_s = 0.02};
	struct engine_setting engine = one_at_a_time(&clockwork);
	struct traffic_plan traffic;
	struct simulation_setting setting = lone_requests(&engine, &traffic);

	(void)state;
	run(&setting);
	assert_close(histogram_mean_s(&result.ttft), 0.02, 1e-9);
	assert_close(histogram_mean_s(&result.tpot), 0.02, 1e-9);
	assert_close(histogram_mean_s(&result.e2e), 51 * 0.02, 1e-9);
	setting.front_end_s = 0.3;
	run(&setting);
	assert_close(histogram_mean_s(&result.ttft), 0.32, 1e-9);
	assert_close(histogram_mean_s(&result.tpot), 0.02, 1e-9);
	assert_close(histogram_mean_s(&result.e2e), 0.3 + 51 * 0.02, 1e-9);
}

/* Steps that are taken together take as long as one by one while contexts grow: 3,999 steps of one sequence, from
 * 20,001 tokens on. */
static void steps_taken_together_take_as_long_as_one_by_one(void **state)
{
	struct real real;
	double each_s = 0;

	(void)state;
	real_fill(&real, 1e-3);
	real.traffic.gap_cv = 0;
	real.traffic.prompt = (struct token_source){.mean = 20000};
	real.traffic.output = (struct token_source){.mean = 4000};
	real.setting.warmup_requests = 0;
	real.setting.requests = 3;
	run(&real.setting);
	for (int i = 0; i < 3999; i++) {
		struct batch batch = {.decode_sequences = 1, .decode_context_tokens = 20001 + i};
		struct step step;

		step_time(&real.replica, &batch, &step);
		each_s += step.time_s;
	}
	assert_close(histogram_mean_s(&result.e2e) - histogram_mean_s(&result.ttft), each_s, 1e-4);
}

/* Counting begins with the first request after the warm-up and ends with the last answer. */
static void a_warm_up_is_no_part_of_the_rate(void **state)
{
	struct clockwork clockwork = {.step_s = 0.02};
	struct engine_setting engine = one_at_a_time(&clockwork);
	struct traffic_plan traffic;
	struct simulation_setting setting = lone_requests(&engine, &traffic);

	(void)state;
	setting.warmup_requests = 10;
	run(&setting);
	assert_close(result.counted_s, 49 * 1000 + 51 * 0.02, 1e-9);
	assert_close(result.counted_output_tokens, 50 * 51, 1e-12);
	assert_int_equal(result.e2e.count, 50);
}

/* Between the replica of the prompt and the one that answers are a latency and the time of 100 tokens. The first
 * token does not wait for them. */
static void caches_take_their_time_to_come_over(void **state)
{
	struct clockwork clockwork = {.step_s = 0.02};
	struct engine_setting engine = one_at_a_time(&clockwork);
	struct traffic_plan traffic;
	struct simulation_setting setting = lone_requests(&engine, &traffic);

	(void)state;
	setting.prefill = &engine;
	setting.prefill_replicas = 1;
	run(&setting);
	assert_close(histogram_mean_s(&result.e2e), 51 * 0.02, 1e-9);
	setting.handoff_s = 0.2;
	setting.handoff_token_s = 0.01;
	run(&setting);
	assert_close(histogram_mean_s(&result.ttft), 0.02, 1e-9);
	assert_close(histogram_mean_s(&result.e2e), 51 * 0.02 + 0.2 + 100 * 0.01, 1e-9);
}

/* The interval of a trial from its runs one by one: mean -+ t s / sqrt(n) of their percentiles. */
static void an_interval_is_students(void **state)
{
	struct clockwork clockwork = {.step_s = 1.0 / SERVICE_TOKENS};
	struct engine_setting engine = one_at_a_time(&clockwork);
	struct traffic_plan traffic = {.requests_per_s = 0.6, .gap_cv = 1, .prompt = {.mean = 1}, .output = exponential_lengths()};
	struct trial_setting setting = {.promise = {.ttft_s = ABSENT_NUMBER, .tpot_s = ABSENT_NUMBER, .e2e_s = 20, .percentile = 0.9},
		.replications_max = TRIAL_REPLICATIONS_MAX,
		.run = {.engine = &engine, .replicas = 1, .traffic = &traffic, .warmup_requests = 200, .requests = 2000, .seed = 7}};
	void *workspace = malloc(simulation_workspace_bytes(&setting.run));
	double values[TRIAL_REPLICATIONS_LEAST], mean = 0, squares = 0;
	struct trial trial;

	(void)state;
	trial_run(&setting, workspace, &trial);
	free(workspace);
	assert_int_equal(trial.replications, TRIAL_REPLICATIONS_LEAST); /* the decision is clear after the fewest runs */
	for (int i = 0; i < TRIAL_REPLICATIONS_LEAST; i++) {
		setting.run.seed = 7 + (uint64_t)i;
		run(&setting.run);
		values[i] = histogram_quantile_s(&result.e2e, 0.9);
		mean += values[i] / 4;
	}
	for (int i = 0; i < TRIAL_REPLICATIONS_LEAST; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	assert_close(trial.e2e.promised.mean_s, mean, 1e-9);
	assert_close(trial.e2e.promised.half_width_s, 3.182 * sqrt(squares / 3 / 4), 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cache_holds_whole_blocks),
		cmocka_unit_test(groups_of_ranks_hold_more),
		cmocka_unit_test(who_came_last_is_computed_again),
		cmocka_unit_test(a_hundredth_of_the_cache_is_kept_free),
		cmocka_unit_test(those_who_decode_take_from_the_chunk),
		cmocka_unit_test(gaps_longer_than_a_round_pass_whole_rounds),
		cmocka_unit_test(homes_are_left_when_they_are_crowded),
		cmocka_unit_test(a_warm_up_is_no_part_of_the_rate),
		cmocka_unit_test(states_are_held_once),
		cmocka_unit_test(a_lone_request_takes_its_steps),
		cmocka_unit_test(steps_taken_together_take_as_long_as_one_by_one),
		cmocka_unit_test(caches_take_their_time_to_come_over),
		cmocka_unit_test(an_interval_is_students),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
