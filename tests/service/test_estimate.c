/* Estimates as the handlers compute them. */
#include <jansson.h>
#include <string.h>

#include "service/estimate.h"

#include "api/tables/tables.h"
#include "service/answer_parts.h"
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

/* Computes an answer with the parts that `expand` names; "" is a complete one, as a stored plan has it. */
static json_t *result_of(const struct estimate_kind *kind, const char *body, const char *expand, struct arena *arena, struct json_text *text)
{
	struct estimate estimate = {
		.kind = kind, .arena = arena, .failure = &failure, .lean = expand[0] != '\0', .expand = expand[0] ? expand : NULL};
	struct plan_record record;
	json_t *result;

	failure_clear(&failure);
	assert_int_equal(estimate_decode(&estimate, body, strlen(body)), STATUS_OK);
	assert_int_equal(estimate_compute(&estimate, builtin_catalogue, INT64_C(1795219200000000)), STATUS_OK);
	assert_int_equal(estimate_record(&estimate, &record), STATUS_OK);
	*text = record.result;
	result = json_loadb(record.result.text, record.result.length, 0, NULL);
	assert_non_null(result);
	return result;
}

/* Removes what differs between two computations of one answer: the duration. */
static void leave_comparable(json_t *lean, json_t *narrowed)
{
	json_object_del(json_object_get(lean, "search"), "elapsed_ms");
	json_object_del(json_object_get(narrowed, "search"), "elapsed_ms");
}

/* An answer with some parts is the complete answer without the others: a part never changes another. */
static void a_part_changes_no_other_part(void **state)
{
	static const struct {
		const struct estimate_kind *kind;
		const struct field_table *table;
		const char *body;
	} cases[] = {
		{&estimate_training, &table_training_result,
			"{\"model\":\"llama-3.1-8b\",\"tokens\":\"300B\",\"accelerators\":[\"h100\",\"a100\",\"mi300x\"],\"deadline_hours\":\"20d\"}"},
		{&estimate_training, &table_training_result,
			"{\"model\":\"llama-3.2-1b\",\"tokens\":\"1T\",\"accelerator\":\"b200\",\"deadline_hours\":\"90d\"}"},
		{&estimate_inference, &table_inference_result,
			"{\"model\":\"llama-3.1-8b\",\"accelerators\":[\"h100\",\"l40s\"],\"requests_per_s\":4,\"prompt_tokens\":500,\"output_tokens\":100,"
			"\"slo\":{\"ttft_ms\":2000,\"tpot_ms\":60}}"},
	};
	static const char *const expands[] = {"none", "alternatives", "confidence", "advice", "front,search", "details", "all"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (size_t k = 0; k < COUNT_OF(expands); k++) {
			struct json_text whole, part;
			json_t *lean, *narrowed;
			struct arena arena;
			unsigned omitted;

			arena_init(&arena, ARENA_BYTES);
			json_decref(result_of(cases[i].kind, cases[i].body, "", &arena, &whole));
			lean = result_of(cases[i].kind, cases[i].body, expands[k], &arena, &part);
			assert_int_equal(answer_parts_read(expands[k], 0, &omitted, &failure), STATUS_OK);
			assert_int_equal(record_narrow(cases[i].table, omitted, &arena, &whole, &failure), STATUS_OK);
			narrowed = json_loadb(whole.text, whole.length, 0, NULL);
			assert_non_null(narrowed);
			leave_comparable(lean, narrowed);
			if (!json_equal(lean, narrowed))
				print_error("%s with expand=%s:\n%s\n%s\n", cases[i].body, expands[k], part.text, whole.text);
			assert_true(json_equal(lean, narrowed));
			if (strcmp(expands[k], "none") == 0)
				assert_true(part.length < 6000);
			json_decref(lean);
			json_decref(narrowed);
			arena_release(&arena);
		}
	}
}

/* The first alternatives are another accelerator, another number and another place, each with its reason. */
static void the_first_alternatives_really_differ(void **state)
{
	static const char body[] = "{\"model\":\"llama-3.1-70b\",\"tokens\":\"1T\",\"accelerators\":[\"h100\",\"h200\"],\"deadline_hours\":\"30d\"}";
	struct json_text text;
	struct arena arena;
	json_t *result, *recommended, *other;
	bool accelerator = false, number = false, place = false;
	size_t index;

	(void)state;
	arena_init(&arena, ARENA_BYTES);
	result = result_of(&estimate_training, body, "none", &arena, &text);
	recommended = json_object_get(result, "recommended");
	assert_int_equal(json_array_size(json_object_get(result, "alternatives")), 3);
	json_array_foreach (json_object_get(result, "alternatives"), index, other) {
		const char *reason = json_string_value(json_object_get(other, "reason"));
		double ratio = (double)json_integer_value(json_object_get(other, "gpu_count")) /
			(double)json_integer_value(json_object_get(recommended, "gpu_count"));

		assert_non_null(reason);
		if (strncmp(reason, "another accelerator:", 20) == 0) {
			accelerator = true;
			assert_false(json_equal(json_object_get(other, "accelerator"), json_object_get(recommended, "accelerator")));
		} else if (strncmp(reason, "another number:", 15) == 0) {
			number = true;
			assert_true(ratio >= 1.2 || ratio <= 1 / 1.2);
			assert_null(json_object_get(other, "provider"));
		} else {
			place = strncmp(reason, "another place:", 14) == 0;
			assert_true(place && json_object_get(other, "provider") && json_object_get(other, "region"));
		}
		assert_true(json_number_value(json_object_get(other, "total_usd")) > 0 && json_number_value(json_object_get(other, "total_kwh")) > 0);
		assert_true(json_number_value(json_object_get(other, "wall_clock_hours")) < 720);
		assert_null(json_object_get(other, "parallelism"));
	}
	assert_true(accelerator && number && place);
	json_decref(result);
	arena_release(&arena);
}

/* Twice the recommended number never costs less: instances are rented whole, so that 4 of 8 accelerators cost as much as
 * all 8. */
static void twice_the_number_does_not_cost_less(void **state)
{
	static const char *const works[] = {"\"model\":\"llama-3.2-1b\",\"tokens\":\"50B\",\"accelerator\":\"b200\"",
		"\"model\":\"llama-3.1-8b\",\"tokens\":\"300B\",\"accelerator\":\"h100\""};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(works); i++) {
		struct json_text text;
		struct arena arena;
		json_t *chosen, *twice;
		double gpu_count;

		arena_init(&arena, ARENA_BYTES);
		chosen = result_of(&estimate_training, arena_printf(&arena, "{%s,\"deadline_hours\":\"3d\"}", works[i]), "none", &arena, &text);
		gpu_count = json_number_value(json_object_get(json_object_get(chosen, "summary"), "gpu_count"));
		twice = result_of(
			&estimate_training, arena_printf(&arena, "{%s,\"gpu_count\":%.0f}", works[i], 2 * gpu_count), "none", &arena, &text);
		assert_true(json_number_value(json_object_get(json_object_get(json_object_get(twice, "summary"), "total_usd"), "value")) >=
			0.999 * json_number_value(json_object_get(json_object_get(json_object_get(chosen, "summary"), "total_usd"), "value")));
		json_decref(chosen);
		json_decref(twice);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_earlier_request_left_is_not_answered),
		cmocka_unit_test(a_part_changes_no_other_part),
		cmocka_unit_test(the_first_alternatives_really_differ),
		cmocka_unit_test(twice_the_number_does_not_cost_less),
	};

	return cmocka_run_group_tests(tests, builtin_catalogue_setup, builtin_catalogue_teardown);
}
