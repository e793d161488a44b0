/* Tests stored results of older versions and results that no version wrote. A missing value is absent, and no reader
 * crashes. */
#include "api/stored_plan.h"
#include "support/assert.h"

static struct failure failure;

static struct json_text json(const char *text)
{
	return (struct json_text){text, strlen(text)};
}

static void what_a_result_lacks_is_absent(void **state)
{
	static const char *const results[] = {"{\"recommended\":{}}", "{\"recommended\":{\"accelerator\":null,\"cost\":5,\"offer\":[]}}",
		"{\"recommended\":{\"offer\":{\"provider\":7}}}", "{\"recommended\":{\"step\":{\"time_s\":2},\"bottleneck\":{}}}",
		"{\"recommended\":{\"step\":{\"time_s\":2},\"bottleneck\":{\"shares\":[],\"kind\":3}}}",
		"{\"recommended\":{\"gpu_count\":2e101,\"step\":{\"time_s\":2}}}"};
	struct training_option option;
	struct plan_figures figures;
	struct stored_layout layout;
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < COUNT_OF(results); i++) {
		const struct json_text result = json(results[i]);

		failure_clear(&failure);
		if (api_stored_figures(&result, &arena, &figures, &failure) == STATUS_OK)
			assert_true(!figures.accelerator && figures.gpu_count == ABSENT_COUNT);
		failure_clear(&failure);
		assert_int_equal(api_stored_option(&result, &arena, &option, &failure), i < 3 ? STATUS_INTERNAL : STATUS_OK);
		assert_true(i < 3 || !option.accelerator.id);
		for (int service = 0; service < 2; service++) {
			const struct plan_record plan = {.kind = service ? "inference" : "training", .request = json("{}"), .result = result};

			failure_clear(&failure);
			if (api_stored_layout(&plan, &arena, &layout, &failure) == STATUS_OK)
				assert_null(layout.accelerator);
		}
	}
	arena_release(&arena);
}

static void a_count_that_no_integer_holds_is_absent(void **state)
{
	const struct plan_record plan = {.kind = "training",
		.request = json("{}"),
		.result = json("{\"recommended\":{\"accelerator\":\"h100\",\"gpu_count\":2e101,\"node_count\":-2e101}}")};
	struct stored_layout layout;
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 20);
	failure_clear(&failure);
	assert_int_equal(api_stored_layout(&plan, &arena, &layout, &failure), STATUS_OK);
	assert_true(layout.gpu_count == ABSENT_COUNT && layout.node_count == 1);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_result_lacks_is_absent),
		cmocka_unit_test(a_count_that_no_integer_holds_is_absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
