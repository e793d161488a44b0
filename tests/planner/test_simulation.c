/* The simulation of a fleet: against queueing theory where theory is exact, and what must hold of any run. */
#include <math.h>
#include <stdlib.h>

#include "planner/simulation/simulation.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct simulation_result result;

/* An engine that serves one request at a time and takes `step_s` for every token: the answer's length is the service time. */
struct clockwork {
	double step_s;
};

static void clockwork_step(const void *costs, const struct batch *batch, struct step *step)
{
	const struct clockwork *clockwork = costs;

	(void)batch;
	*step = (struct step){.time_s = clockwork->step_s};
}

static struct engine_setting one_at_a_time(const struct clockwork *clockwork)
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

static void run(const struct simulation_setting *setting)
{
	void *workspace = malloc(simulation_workspace_bytes(setting));

	assert_non_null(workspace);
	simulation_run(setting, workspace, &result);
	free(workspace);
}

/* Mean time in the queue, in services: E2E less the service itself. */
static double mean_wait(double utilization, double gap_cv, double service_cv, int64_t servers, enum routing routing)
{
	enum { TOKENS = 400 }; /* a service is so many steps: fine enough to be continuous */
	struct clockwork clockwork = {.step_s = 1.0 / TOKENS};
	struct engine_setting engine = one_at_a_time(&clockwork);
	struct traffic_plan traffic = {.requests_per_s = utilization * (double)servers,
		.gap_cv = gap_cv,
		.prompt = {.mean = 1},
		.output = {.mean = TOKENS, .cv = service_cv}};
	struct simulation_setting setting = {.engine = &engine,
		.replicas = servers,
		.routing = routing,
		.traffic = &traffic,
		.warmup_requests = 2000,
		.requests = 200000,
		.seed = 7};

	run(&setting);
	assert_false(result.saturated);
	return histogram_mean_s(&result.e2e) - 1;
}

/* Pollaczek and Khinchine: W = rho/(1 - rho) x (1 + Cs^2)/2 services, for any distribution of them. */
static void one_server_waits_as_pollaczek_and_khinchine(void **state)
{
	(void)state;
	assert_close(mean_wait(0.6, 1, 0, 1, ROUTING_ROUND_ROBIN), 0.6 / 0.4 / 2, 0.03);
	assert_close(mean_wait(0.8, 1, 0, 1, ROUTING_ROUND_ROBIN), 0.8 / 0.2 / 2, 0.03);
	assert_close(mean_wait(0.7, 1, 1, 1, ROUTING_ROUND_ROBIN), 0.7 / 0.3, 0.06);
	assert_close(mean_wait(0.5, 1, 0.5, 1, ROUTING_ROUND_ROBIN), 0.5 / 0.5 * 1.25 / 2, 0.04);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_server_waits_as_pollaczek_and_khinchine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
