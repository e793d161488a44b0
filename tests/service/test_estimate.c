/* Estimates as the handlers compute them. */
#include "service/estimate.h"

#include <string.h>

#include "support/assert.h"
#include "support/catalogue.h"

enum { ARENA_BYTES = 64 * 1024 * 1024, LEFT_BYTES = 200 * 1024 };

static struct failure failure;

/* Returns a plan's texts in the arena. The digits of elapsed_ms, which come from a clock, are zeros. */
static const char *answer(struct arena *arena, const char *body)
{
	struct estimate estimate = {.kind = &estimate_training, .arena = arena, .failure = &failure};
	struct plan_record record;
	char *text, *elapsed;

	failure_clear(&failure);
	assert_int_equal(estimate_decode(&estimate, body, strlen(body)), STATUS_OK);
	assert_int_equal(estimate_compute(&estimate, builtin_catalogue, INT64_C(1795219200000000)), STATUS_OK);
	assert_int_equal(estimate_record(&estimate, &record), STATUS_OK);
	text = arena_printf(arena, "%s\n%s", record.request.text, record.result.text);
	assert_non_null(text);
	elapsed = strstr(text, "\"elapsed_ms\":");
	assert_non_null(elapsed);
	elapsed += strlen("\"elapsed_ms\":");
	memset(elapsed, '0', strcspn(elapsed, ",}"));
	return text;
}

/* Compares two answers. The length of elapsed_ms varies, so the texts before and after its digits are compared. */
static void same_answer(const char *one, const char *other)
{
	size_t before = (size_t)(strstr(one, "elapsed_ms") - one);

	assert_memory_equal(one, other, before);
	assert_string_equal(strpbrk(one + before, ",}"), strpbrk(other + before, ",}"));
}

/* The plan is not cleared before it is filled: nothing of an earlier request may show. */
static void what_an_earlier_request_left_is_not_answered(void **state)
{
	static const char *const bodies[] = {
		"{\"model\":\"llama-3.1-8b\",\"tokens\":\"15T\",\"accelerators\":[\"h100\",\"mi300x\"],\"deadline_hours\":\"30d\",\"alternatives\":3}",
		"{\"model\":\"llama-3.1-8b\",\"tokens\":\"1T\",\"accelerator\":\"h100\",\"gpu_count\":64,\"alternatives\":0,\"mfu\":0.4}",
		"{\"model\":{\"params\":\"7B\"},\"tokens\":\"2T\",\"accelerator\":\"a100\",\"gpu_count\":256}",
		"{\"model\":\"llama-3.1-8b\",\"tokens\":\"1B\",\"accelerator\":\"h100\",\"gpu_count\":8,\"cadence_hours\":720,\"fine_tuning\":{\"method\":\"lora\",\"rank\":16}}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bodies); i++) {
		struct arena clean, used;
		void *left;

		arena_init(&clean, ARENA_BYTES);
		arena_init(&used, ARENA_BYTES);
		left = arena_alloc(&used, 1, LEFT_BYTES);
		assert_non_null(left);
		memset(left, 0xa5, LEFT_BYTES);
		arena_reset(&used);
		same_answer(answer(&clean, bodies[i]), answer(&used, bodies[i]));
		arena_release(&clean);
		arena_release(&used);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_earlier_request_left_is_not_answered),
	};

	return cmocka_run_group_tests(tests, builtin_catalogue_setup, builtin_catalogue_teardown);
}
