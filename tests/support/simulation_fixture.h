/* Engines for tests of the simulation: one with fixed steps, whose queues theory knows, and one of a real replica. */
#ifndef FLEETPLAN_TESTS_SUPPORT_SIMULATION_FIXTURE_H
#define FLEETPLAN_TESTS_SUPPORT_SIMULATION_FIXTURE_H

#include <math.h>
#include <stdlib.h>

#include "planner/queueing/trial.h"
#include "planner/replica/replica_layout.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct simulation_result result;

/* An engine that serves one request at a time and takes `step_s` for every token: the answer's length is the service time. */
struct clockwork {
	double step_s;
};

static inline void clockwork_step(const void *costs, const struct batch *batch, struct step *step)
{
	const struct clockwork *clockwork = costs;

	(void)batch;
	*step = (struct step){.time_s = clockwork->step_s};
}

static inline struct engine_setting one_at_a_time(const struct clockwork *clockwork)
{
	return (struct engine_setting){.step_time = clockwork_step,
		.costs = clockwork,
		.chunk_tokens = 1e9,
		.block_tokens = 1,
		.sequences_maximum = 1,
		.cache_bytes = 1e18,
		.token_bytes = 1,
		.progress_tokens = 1};
}

static inline void run(const struct simulation_setting *setting)
{
	void *workspace = malloc(simulation_workspace_bytes(setting));

	assert_non_null(workspace);
	simulation_run(setting, workspace, &result);
	free(workspace);
}

enum { SERVICE_TOKENS = 400, EXPONENTIAL_SAMPLES = 20000 }; /* steps of a service: nearly continuous */

/* Returns lengths with an exponential distribution of mean SERVICE_TOKENS: its quantiles at even steps. */
static inline struct token_source exponential_lengths(void)
{
	static double samples[EXPONENTIAL_SAMPLES];

	for (int i = 0; i < EXPONENTIAL_SAMPLES; i++)
		samples[i] = -log1p(-(i + 0.5) / EXPONENTIAL_SAMPLES) * SERVICE_TOKENS;
	return (struct token_source){.samples = samples, .sample_count = EXPONENTIAL_SAMPLES};
}

struct real {
	struct serving_fixture fixture;
	struct replica replica;
	struct request_shape shape;
	struct engine_setting engine;
	struct traffic_plan traffic;
	struct simulation_setting setting;
};

/* Fills in Llama 3.1 70B on four H100 with Azure's conversations: 1,155 tokens
 * in, 211 out. It points into itself: do not copy it. */
static inline void real_fill(struct real *real, double requests_per_s)
{
	struct replica_layout layout;

	serving_fixture_fill(&real->fixture);
	layout = layout_base(&real->fixture.inference.request.common, PRECISION_UNSET, ENGINE_VLLM, NULL,
		&real->fixture.inference.request.parallelism, &real->fixture.candidate);
	layout.tensor = 4;
	layout.pipeline = layout.expert = layout.attention_data = 1;
	assert_true(replica_prepare(
		&real->replica, &real->fixture.inference.model, &real->fixture.candidate.accelerator, NULL, &layout, &serving_constants));
	real->shape = (struct request_shape){
		.prompt_tokens = 1155, .prompt_cv = 0.92, .output_tokens = 211, .output_cv = 0.6, .run_requests = ABSENT_NUMBER};
	engine_setting_of(&real->engine, &real->replica, &real->shape);
	real->traffic = (struct traffic_plan){
		.requests_per_s = requests_per_s, .gap_cv = 1, .prompt = {.mean = 1155, .cv = 0.92}, .output = {.mean = 211, .cv = 0.6}};
	real->setting = (struct simulation_setting){
		.engine = &real->engine, .replicas = 1, .traffic = &real->traffic, .warmup_requests = 500, .requests = 20000, .seed = 1};
}

#endif
