/* Tests plans through the interface: a stored plan reads back unchanged; revisions, filters, pages, idempotency. */
#include <string.h>

#include "base/clock.h"
#include "support/store.h"

static const struct plan_filter any = {.created_after_us = ABSENT_COUNT, .created_before_us = ABSENT_COUNT};

static void a_plan_comes_back_as_it_was(void **state)
{
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 1), found;

	store_plan_put(store, &plan);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure), STATUS_OK);
	assert_plans_equal(&found, &plan);
	store_close(store);
	store_open(store);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure), STATUS_OK);
	assert_plans_equal(&found, &plan);
}

static void absent_members_stay_absent(void **state)
{
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 2), found;

	plan.name = plan.notes = plan.model = plan.accelerator = NULL;
	plan.labels = (struct json_text){0};
	plan.calibration_revision = ABSENT_COUNT;
	store_plan_put(store, &plan);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure), STATUS_OK);
	assert_null(found.name);
	assert_null(found.model);
	assert_null(found.labels.text);
	assert_int_equal(found.calibration_revision, ABSENT_COUNT);
}

static void what_is_not_there_is_not_found(void **state)
{
	struct store *store = *state;
	struct plan_record plan;
	struct plan_list list;
	struct plan_delete gone = {.id = "none", .expected_revision = ABSENT_COUNT};
	struct plan_patch patch = {.id = "none", .expected_revision = ABSENT_COUNT, .plan = &plan};

	assert_status(store, storage_plan_get(store->storage, "none", ABSENT_COUNT, &store->arena, &plan, &store->failure), STATUS_NOT_FOUND);
	assert_contains(store->failure.detail, "none");
	assert_status(store, storage_plan_revisions(store->storage, "none", &store->arena, &list, &store->failure), STATUS_NOT_FOUND);
	assert_status(store, store_do(store, &gone.job, STORAGE_PLAN_DELETE), STATUS_NOT_FOUND);
	assert_status(store, store_do(store, &patch.job, STORAGE_PLAN_PATCH), STATUS_NOT_FOUND);
}

static void an_id_is_used_once_and_ranges_hold(void **state)
{
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 3);
	struct plan_put put = {.plan = &plan};

	store_plan_put(store, &plan);
	assert_status(store, store_do(store, &put.job, STORAGE_PLAN_PUT), STATUS_CONFLICT);
	plan = store_plan(store, 4);
	plan.kind = "guess";
	assert_status(store, store_do(store, &put.job, STORAGE_PLAN_PUT), STATUS_INVALID);
	plan = store_plan(store, 4);
	plan.labels = (struct json_text){"[1]", 3};
	assert_status(store, store_do(store, &put.job, STORAGE_PLAN_PUT), STATUS_INVALID);
}

static void a_patch_needs_the_revision_it_was_made_for(void **state)
{
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 5), changed = {.name = "new name", .labels = {"{\"a\":\"b\"}", 9}}, found;
	struct plan_patch patch = {.id = plan.id, .expected_revision = 1, .plan = &changed};

	store_plan_put(store, &plan);
	assert_status(store, store_do(store, &patch.job, STORAGE_PLAN_PATCH), STATUS_OK);
	assert_int_equal(patch.revision, 2);
	assert_status(store, store_do(store, &patch.job, STORAGE_PLAN_PATCH), STATUS_PRECONDITION_FAILED);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.name, "new name");
	assert_null(found.notes);
	assert_string_equal(found.labels.text, "{\"a\":\"b\"}");
	assert_string_equal(found.result.text, plan.result.text);
	assert_int_equal(found.revision, 2);
	assert_true(found.updated_at_us > plan.updated_at_us);
}

static struct plan_record refreshed(struct store *store, const char *id, int number)
{
	struct plan_record content = store_plan(store, number);
	struct plan_refresh refresh = {.id = id, .expected_revision = ABSENT_COUNT, .plan = &content};

	assert_status(store, store_do(store, &refresh.job, STORAGE_PLAN_REFRESH), STATUS_OK);
	content.revision = refresh.revision;
	return content;
}

static void a_refresh_keeps_every_content(void **state)
{
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 6), second, third, found, changed = {.name = "renamed"};
	struct plan_patch patch = {.id = plan.id, .expected_revision = 2, .plan = &changed};
	struct plan_list list;

	store_plan_put(store, &plan);
	second = refreshed(store, plan.id, 106);
	assert_int_equal(second.revision, 2);
	assert_status(store, store_do(store, &patch.job, STORAGE_PLAN_PATCH), STATUS_OK); /* revision 3, without its own content */
	third = refreshed(store, plan.id, 206);
	assert_int_equal(third.revision, 4);

	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.result.text, third.result.text);
	assert_string_equal(found.name, "renamed");
	assert_int_equal(found.created_at_us, plan.created_at_us);
	assert_status(store, storage_plan_get(store->storage, plan.id, 1, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.result.text, plan.result.text);
	assert_string_equal(found.request.text, plan.request.text);
	assert_int_equal(found.revision, 1);
	assert_status(store, storage_plan_get(store->storage, plan.id, 3, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.result.text, second.result.text);
	assert_status(store, storage_plan_get(store->storage, plan.id, 4, &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.result.text, third.result.text);
	assert_status(store, storage_plan_get(store->storage, plan.id, 5, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);

	assert_status(store, storage_plan_revisions(store->storage, plan.id, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[0].revision, 4);
	assert_int_equal(list.items[1].revision, 2);
	assert_int_equal(list.items[2].revision, 1);
	assert_string_equal(list.items[2].model, plan.model);
}

static void a_deleted_plan_is_gone_with_all_it_had(void **state)
{
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 7), found;
	struct plan_delete wrong = {.id = plan.id, .expected_revision = 9}, right = {.id = plan.id, .expected_revision = 2};
	struct plan_filter by_label = any;
	struct plan_list list;

	store_plan_put(store, &plan);
	refreshed(store, plan.id, 107);
	assert_status(store, store_do(store, &wrong.job, STORAGE_PLAN_DELETE), STATUS_PRECONDITION_FAILED);
	assert_status(store, store_do(store, &right.job, STORAGE_PLAN_DELETE), STATUS_OK);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
	assert_status(store, storage_plan_get(store->storage, plan.id, 1, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
	by_label.label_key = "team";
	by_label.label_value = "red";
	assert_status(store, storage_plan_list(store->storage, &by_label, NULL, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 0);
}

static size_t count_of(struct store *store, const struct plan_filter *filter)
{
	struct plan_list list;
	struct page_request page = {.limit = 1000};

	assert_status(store, storage_plan_list(store->storage, filter, &page, &store->arena, &list, &store->failure), STATUS_OK);
	assert_null(list.next_cursor);
	return list.count;
}

static void filters_choose(void **state)
{
	struct store *store = *state;
	struct plan_filter filter;

	for (int i = 1; i <= 30; i++) {
		struct plan_record plan = store_plan(store, i);
		store_plan_put(store, &plan);
	}
	assert_int_equal(count_of(store, &any), 30);
	filter = any, filter.kind = "training";
	assert_int_equal(count_of(store, &filter), 15);
	filter = any, filter.model = "model-0";
	assert_int_equal(count_of(store, &filter), 10);
	filter = any, filter.accelerator = "accelerator-4";
	assert_int_equal(count_of(store, &filter), 6);
	filter = any, filter.text = "pLAN 2";
	assert_int_equal(count_of(store, &filter), 11); /* 2, 20..29 */
	filter = any, filter.text = "NOTES OF 7";
	assert_int_equal(count_of(store, &filter), 1);
	filter = any, filter.created_after_us = 10000000, filter.created_before_us = 20000000;
	assert_int_equal(count_of(store, &filter), 9); /* 11..19 */
	filter = any, filter.label_key = "team", filter.label_value = "red";
	assert_int_equal(count_of(store, &filter), 30);
	filter.kind = "inference", filter.created_after_us = 10000000;
	assert_int_equal(count_of(store, &filter), 10);
	filter = any, filter.label_key = "number", filter.label_value = "17";
	assert_int_equal(count_of(store, &filter), 1);
	filter.label_value = "170";
	assert_int_equal(count_of(store, &filter), 0);
}

/* Reads all pages: each plan once, newest first, also if plans are added meanwhile. */
static void walk_pages(struct store *store, const struct plan_filter *filter, size_t limit, int newest)
{
	struct page_request page = {.limit = limit};
	int expected = newest;

	do {
		struct plan_list list;

		assert_status(store, storage_plan_list(store->storage, filter, &page, &store->arena, &list, &store->failure), STATUS_OK);
		assert_true(list.count <= limit);
		for (size_t i = 0; i < list.count; i++, expected--)
			assert_string_equal(list.items[i].name, arena_printf(&store->arena, "Plan %d", expected));
		assert_null(list.items[0].result.text);
		page.cursor = list.next_cursor;
	} while (page.cursor);
	assert_int_equal(expected, 0);
}

static void pages_hold_every_plan_once(void **state)
{
	struct store *store = *state;
	struct plan_filter labelled = any;
	struct page_request first = {.limit = 5};
	struct plan_list list;
	struct plan_record late;

	for (int i = 1; i <= 23; i++) {
		struct plan_record plan = store_plan(store, i);
		plan.created_at_us = i / 4; /* several plans have the same time; then the id decides */
		store_plan_put(store, &plan);
	}
	labelled.label_key = "team", labelled.label_value = "red";
	for (size_t limit = 1; limit <= 24; limit += 3) {
		walk_pages(store, &any, limit, 23);
		walk_pages(store, &labelled, limit, 23);
	}
	assert_status(store, storage_plan_list(store->storage, &any, &first, &store->arena, &list, &store->failure), STATUS_OK);
	late = store_plan(store, 24);
	store_plan_put(store, &late);
	first.cursor = list.next_cursor;
	assert_status(store, storage_plan_list(store->storage, &any, &first, &store->arena, &list, &store->failure), STATUS_OK);
	assert_string_equal(list.items[0].name, "Plan 18");
}

static void foreign_cursors_are_refused(void **state)
{
	static const char *const bad[] = {"", "x", "!!!", "aTEyMw", "bTEyMw", "bXggeA", "0000000000000000000000000000000000000000000000"};
	struct store *store = *state;
	struct plan_list list;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct page_request page = {.cursor = bad[i]};

		failure_clear(&store->failure);
		assert_status(store, storage_plan_list(store->storage, &any, &page, &store->arena, &list, &store->failure), STATUS_MALFORMED);
	}
}

static struct idempotency key_for(const char *key, unsigned char body)
{
	struct idempotency idempotency = {.key = key,
		.principal = "somebody",
		.route = "POST /v1/plans/training",
		.answer = {.http_status = 201, .location = "/v1/plans/x", .etag = "\"1\"", .body = "{}", .body_length = 2}};

	memset(idempotency.body_sha256, body, sizeof idempotency.body_sha256);
	return idempotency;
}

static enum status begin(struct store *store, const struct idempotency *key, struct idempotency_answer *answer)
{
	failure_clear(&store->failure);
	return storage_idempotency_begin(store->storage, key, &store->arena, answer, &store->failure);
}

static void the_same_post_is_answered_once(void **state)
{
	struct store *store = *state;
	struct idempotency key = key_for("k", 1), other_body = key_for("k", 2), other_route = key_for("k", 1);
	struct idempotency_answer answer;
	struct plan_record plan = store_plan(store, 8);
	struct plan_put put = {.plan = &plan, .idempotency = &key};

	other_route.route = "POST /v1/benchmarks";
	assert_status(store, begin(store, &key, &answer), STATUS_OK);
	assert_int_equal(answer.http_status, 0);
	assert_status(store, begin(store, &key, &answer), STATUS_IN_FLIGHT);
	assert_status(store, begin(store, &other_body, &answer), STATUS_IDEMPOTENCY_MISMATCH);
	assert_status(store, begin(store, &other_route, &answer), STATUS_OK);
	storage_idempotency_end(store->storage, &other_route);
	assert_status(store, store_do(store, &put.job, STORAGE_PLAN_PUT), STATUS_OK);
	storage_idempotency_end(store->storage, &key);

	store_close(store);
	store_open(store);
	assert_status(store, begin(store, &key, &answer), STATUS_OK);
	assert_int_equal(answer.http_status, 201);
	assert_string_equal(answer.location, "/v1/plans/x");
	assert_string_equal(answer.etag, "\"1\"");
	assert_int_equal(answer.body_length, 2);
	assert_status(store, begin(store, &other_body, &answer), STATUS_IDEMPOTENCY_MISMATCH);
}

static void a_failed_put_leaves_no_key(void **state)
{
	struct store *store = *state;
	struct idempotency key = key_for("f", 1);
	struct idempotency_answer answer;
	struct plan_record plan = store_plan(store, 9);
	struct plan_put put = {.plan = &plan, .idempotency = &key};

	store_plan_put(store, &plan);
	assert_status(store, begin(store, &key, &answer), STATUS_OK);
	assert_status(store, store_do(store, &put.job, STORAGE_PLAN_PUT), STATUS_CONFLICT);
	storage_idempotency_end(store->storage, &key);
	assert_status(store, begin(store, &key, &answer), STATUS_OK);
	assert_int_equal(answer.http_status, 0);
	storage_idempotency_end(store->storage, &key);
}

static void a_used_key_undoes_the_plan(void **state)
{
	struct store *store = *state;
	struct idempotency key = key_for("u", 1);
	struct idempotency_put alone = {.idempotency = &key};
	struct plan_record plan = store_plan(store, 10), found;
	struct plan_put put = {.plan = &plan, .idempotency = &key};

	assert_status(store, store_do(store, &alone.job, STORAGE_IDEMPOTENCY_PUT), STATUS_OK);
	assert_status(store, store_do(store, &put.job, STORAGE_PLAN_PUT), STATUS_CONFLICT);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure), STATUS_NOT_FOUND);
}

static void keys_are_forgotten_after_a_day(void **state)
{
	struct store *store = *state;
	struct idempotency key = key_for("day", 1);
	struct idempotency_put put = {.idempotency = &key};
	struct idempotency_answer answer;
	struct benchmark_sweep sweep = {0};
	struct timespec now;

	assert_status(store, store_do(store, &put.job, STORAGE_IDEMPOTENCY_PUT), STATUS_OK);
	clock_gettime(CLOCK_REALTIME, &now);
	sweep.now_us = (int64_t)now.tv_sec * 1000000 + INT64_C(24) * 3600 * 1000000;
	assert_status(store, store_do(store, &sweep.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
	assert_int_equal(sweep.keys_forgotten, 0);
	sweep.now_us += INT64_C(2) * 3600 * 1000000;
	assert_status(store, store_do(store, &sweep.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
	assert_int_equal(sweep.keys_forgotten, 1);
	assert_status(store, begin(store, &key, &answer), STATUS_OK);
	assert_int_equal(answer.http_status, 0);
	storage_idempotency_end(store->storage, &key);
}

/* The clock of a daemon is ten years ahead at its start. The daemon keeps every key that may be young. After a day of
 * its own time it deletes all the old keys. */
static void a_start_with_a_wrong_clock_forgets_no_key(void **state)
{
	static const int64_t hour_us = INT64_C(3600) * 1000000;
	struct store *store = *state;
	struct idempotency key = key_for("ahead", 1);
	struct idempotency_put put = {.idempotency = &key};
	struct benchmark_sweep sweep = {.restart = true, .now_us = clock_wall_us() + 87660 * hour_us};

	assert_status(store, store_do(store, &put.job, STORAGE_IDEMPOTENCY_PUT), STATUS_OK);
	for (int hours = 0; hours <= 24; hours += 24, sweep.now_us += 24 * hour_us) {
		assert_status(store, store_do(store, &sweep.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
		assert_int_equal(sweep.keys_forgotten, 0);
		sweep.restart = false;
	}
	assert_status(store, store_do(store, &sweep.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
	assert_int_equal(sweep.keys_forgotten, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_setup, store_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_plan_comes_back_as_it_was),
		TEST(absent_members_stay_absent),
		TEST(what_is_not_there_is_not_found),
		TEST(an_id_is_used_once_and_ranges_hold),
		TEST(a_patch_needs_the_revision_it_was_made_for),
		TEST(a_refresh_keeps_every_content),
		TEST(a_deleted_plan_is_gone_with_all_it_had),
		TEST(filters_choose),
		TEST(pages_hold_every_plan_once),
		TEST(foreign_cursors_are_refused),
		TEST(the_same_post_is_answered_once),
		TEST(a_failed_put_leaves_no_key),
		TEST(a_used_key_undoes_the_plan),
		TEST(keys_are_forgotten_after_a_day),
		TEST(a_start_with_a_wrong_clock_forgets_no_key),
	};

	return cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
