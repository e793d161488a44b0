/* Inputs outside the range that the serving model was measured on are named, and widen the intervals (E180). */
#include "planner/serving/serving_scope.h"

#include <string.h>

#include "planner/interval.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct serving_fixture fixture;
static struct inference_plan plan;
static struct failure failure;

static int begin(void **state)
{
	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.common.alternatives = 0;
	fixture.inference.request.queries_per_minute = 600;
	return 0;
}

static struct replica_layout over(int tensor, int expert)
{
	return (struct replica_layout){.tensor = tensor, .pipeline = 1, .expert = expert, .attention_data = 1};
}

/* Each constant depends on at least one quantity, and the rows of quantities name only constants that exist. */
static void every_constant_has_a_range(void **state)
{
#define NAME(member_, ...) #member_,
	static const char *const names[] = {SERVING_FITTED(NAME) SERVING_MEASURED(NAME)};
#undef NAME
	size_t letters[SERVING_QUANTITY_COUNT] = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		bool found = false;

		for (int quantity = 0; quantity < SERVING_QUANTITY_COUNT; quantity++) {
			if (!serving_scope_rests_on(serving_scope_row_of((enum serving_quantity)quantity), names[i]))
				continue;
			found = true;
			letters[quantity] += strlen(names[i]) + 1;
		}
		if (!found)
			fail_msg("%s depends on no quantity", names[i]);
	}
	for (int quantity = 0; quantity < SERVING_QUANTITY_COUNT; quantity++) {
		const struct serving_scope_row *row = serving_scope_row_of((enum serving_quantity)quantity);

		assert_true(row->from < row->to);
		if (letters[quantity] != strlen(row->constants) + 1)
			fail_msg("%s names an unknown constant: %s", row->name, row->constants);
	}
}

static void inside_nothing_widens(void **state)
{
	struct replica_layout layout = over(8, 1);
	struct serving_scope scope = serving_scope_of(&fixture.inference.model, &layout, 32768, 1024);

	(void)state;
	assert_int_equal(scope.count, 0);
	assert_close(scope.log_sigma, 0, 0);
	scope = serving_scope_of(&fixture.inference.model, &layout, 0, ABSENT_NUMBER); /* not checked */
	assert_int_equal(scope.count, 0);
}

static void the_distance_widens(void **state)
{
	struct replica_layout layout = over(8, 1);
	struct serving_scope scope = serving_scope_of(&fixture.inference.model, &layout, 327680, 1000);
	struct residuals widened = serving_scope_widen((struct residuals){.throughput = 0, .tpot = 0.16, .ttft = 0.32}, &scope);
	double context = log(328680 / 33792.0);

	(void)state;
	assert_int_equal(scope.count, 2);
	assert_int_equal(scope.outside[0].quantity, SERVING_PROMPT);
	assert_int_equal(scope.outside[1].quantity, SERVING_CONTEXT);
	assert_close(scope.log_sigma, SERVING_SCOPE_LOG_SIGMA * sqrt(log(10) * log(10) + context * context), 1e-9);
	assert_close(widened.throughput, 0, 0); /* a given throughput stays certain */
	assert_close(widened.tpot, sqrt(0.16 * 0.16 + scope.log_sigma * scope.log_sigma), 1e-9);
	assert_close(widened.ttft, sqrt(0.32 * 0.32 + scope.log_sigma * scope.log_sigma), 1e-9);
}

/* The fixture's model has no experts. Models with experts were measured with an
 * expert-parallel degree of at most 8. */
static void experts_are_looked_at_where_there_are_some(void **state)
{
	struct replica_layout layout = over(8, 32);
	struct model *model = &fixture.inference.model;

	(void)state;
	assert_int_equal(serving_scope_of(model, &layout, 1000, 300).count, 0);
	model->kinds[0].experts = 256;
	assert_int_equal(serving_scope_of(model, &layout, 1000, 300).count, 1);
	layout.attention_data = 4;
	assert_int_equal(serving_scope_of(model, &layout, 1000, 300).count, 2);
}

static bool warned(const char *text)
{
	for (size_t i = 0; i < plan.findings.warning_count; i++)
		if (strstr(plan.findings.warnings[i].detail, text))
			return true;
	return false;
}

static double spread_of_plan(double prompt_tokens)
{
	memset(&plan, 0, sizeof plan);
	failure_clear(&failure);
	fixture.inference.request.prompt_tokens.mean = prompt_tokens;
	if (planner_inference(&fixture.inference, &plan, &failure) != STATUS_OK)
		fail_msg("%s", failure.detail);
	return log(plan.recommended.interval.tpot_ms.p90 / plan.recommended.interval.tpot_ms.p10);
}

/* A plan outside the range says so and has a wider spread. A plan inside does not. */
static void a_plan_says_so(void **state)
{
	double inside = spread_of_plan(2000), outside;

	(void)state;
	assert_false(warned("outside of what was measured"));
	outside = spread_of_plan(100000);
	assert_true(warned("outside of what was measured: tokens of a prompt 1e+05 (128 to 3.28e+04)"));
	assert_true(outside > 1.2 * inside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_constant_has_a_range, begin),
		cmocka_unit_test_setup(inside_nothing_widens, begin),
		cmocka_unit_test_setup(the_distance_widens, begin),
		cmocka_unit_test_setup(experts_are_looked_at_where_there_are_some, begin),
		cmocka_unit_test_setup(a_plan_says_so, begin),
	};

	return cmocka_run_group_tests_name("serving scope", tests, NULL, NULL);
}
