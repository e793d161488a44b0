/* A plan in progress: it reports how far it is, stops when the caller asks, and
 * is the same with and without an observer. */
#include <stdlib.h>
#include <string.h>

#include "planner/serving/fleet_simulation.h"
#include "support/assert.h"
#include "support/serving_fixture.h"
#include "support/training_fixture.h"

/* An observer of a plan. It asks the plan to stop when polled for the `patience`-th time (0: never). */
struct onlooker {
	long asked, patience, told;
	double fraction;
	bool fell;
};

static bool has_lost_interest(void *context)
{
	struct onlooker *onlooker = context;

	onlooker->asked++;
	return onlooker->patience > 0 && onlooker->asked >= onlooker->patience;
}

static void note_fraction(void *context, double fraction, const char *what)
{
	struct onlooker *onlooker = context;

	(void)what;
	onlooker->told++;
	onlooker->fell |= fraction < onlooker->fraction || fraction > 1;
	onlooker->fraction = fraction;
}

static struct inference_plan plan, alone;
static struct failure failure;
static void *workspace;

static enum status serve(struct onlooker *onlooker)
{
	const struct progress progress = {.context = onlooker, .stop = has_lost_interest, .note = note_fraction};
	struct serving_fixture fixture;

	memset(&plan, 0, sizeof plan);
	failure_clear(&failure);
	serving_fixture_fill(&fixture);
	fixture.inference.request.slo.ttft_ms = 700;
	fixture.inference.workspace = workspace;
	fixture.inference.workspace_bytes = simulator_workspace_bytes();
	fixture.inference.progress = onlooker ? &progress : NULL;
	return planner_inference(&fixture.inference, &plan, &failure);
}

static enum status train(struct onlooker *onlooker, struct training_fixture *fixture)
{
	const struct progress progress = {.context = onlooker, .stop = has_lost_interest, .note = note_fraction};

	fixture_init(fixture);
	fixture->input.request.deadline_hours = 720;
	fixture->input.progress = onlooker ? &progress : NULL;
	return fixture_plan(fixture);
}

static void a_service_is_the_same_under_eyes(void **state)
{
	struct onlooker onlooker = {0};

	(void)state;
	assert_int_equal(serve(NULL), STATUS_OK);
	alone = plan;
	assert_int_equal(serve(&onlooker), STATUS_OK);
	assert_true(plan.recommended.simulated.requests > 0);
	assert_int_equal(plan.recommended.gpu_count, alone.recommended.gpu_count);
	assert_true(plan.recommended.latency.ttft_ms.p95 == alone.recommended.latency.ttft_ms.p95);
	assert_true(onlooker.asked > 3 && onlooker.told > 2 && !onlooker.fell);
}

/* Wherever the observer stops it, the planner answers STATUS_CANCELLED soon: it polls at most eight times more. */
static void a_service_stops_when_told(void **state)
{
	struct onlooker whole = {0};

	(void)state;
	assert_int_equal(serve(&whole), STATUS_OK);
	for (long patience = 1; patience <= whole.asked; patience += 1 + whole.asked / 7) {
		struct onlooker onlooker = {.patience = patience};

		assert_int_equal(serve(&onlooker), STATUS_CANCELLED);
		assert_true(onlooker.asked <= patience + 8);
	}
}

static void a_training_stops_when_told(void **state)
{
	struct training_fixture *fixture = malloc(sizeof *fixture);
	struct onlooker whole = {0};

	(void)state;
	assert_non_null(fixture);
	assert_int_equal(train(&whole, fixture), STATUS_OK);
	assert_true(whole.asked > 3 && whole.told > 1 && !whole.fell);
	for (long patience = 1; patience <= whole.asked; patience += 1 + whole.asked / 7) {
		struct onlooker onlooker = {.patience = patience};

		assert_int_equal(train(&onlooker, fixture), STATUS_CANCELLED);
		assert_int_equal(fixture->failure.status, STATUS_CANCELLED);
	}
	free(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_service_is_the_same_under_eyes),
		cmocka_unit_test(a_service_stops_when_told),
		cmocka_unit_test(a_training_stops_when_told),
	};
	int failed;

	workspace = malloc(simulator_workspace_bytes());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(workspace);
	return failed;
}
