/* Tests the audit log: an entry is in the commit of its change, cannot be changed, and is deleted after its retention. */
#include <sqlite3.h>
#include <string.h>

#include "base/clock.h"
#include "storage/audit.h"
#include "storage/check.h"
#include "support/store.h"

static const struct audit_record entry_of_a_key = {.key_id = "k1",
	.key_name = "ops",
	.role = "planner",
	.address = "192.0.2.7",
	.request_id = "r1",
	.method = "POST",
	.path = "/v1/plans/training",
	.entity = "e1",
	.revision = 1,
	.outcome = "done",
	.http_status = 201};

static struct audit_list list_of(struct store *store, const struct audit_filter *filter, size_t limit, const char *cursor)
{
	struct audit_list list;

	assert_status(store,
		storage_audit_list(store->storage, filter, &(struct page_request){limit, cursor}, &store->arena, &list, &store->failure), STATUS_OK);
	return list;
}

static enum status put_plan(struct store *store, int number, const struct audit_record *entry)
{
	struct plan_record plan = store_plan(store, number);
	struct plan_put put = {.job.audit = entry, .plan = &plan};

	return store_do(store, &put.job, STORAGE_PLAN_PUT);
}

static void put_entry(struct store *store, const struct audit_record *entry)
{
	struct audit_put put = {.job.audit = entry};

	assert_status(store, store_do(store, &put.job, STORAGE_AUDIT_PUT), STATUS_OK);
}

static void a_write_has_its_entry(void **state)
{
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 1);
	struct plan_patch patch = {.job.audit = &(struct audit_record){.key_id = "k2",
								   .role = "admin",
								   .method = "PATCH",
								   .path = "/v1/plans/1",
								   .revision = ABSENT_COUNT,
								   .outcome = "done",
								   .http_status = 200},
		.id = plan.id,
		.plan = &plan};
	struct audit_list list;
	int64_t before_us = clock_wall_us();

	assert_status(store, put_plan(store, 1, &entry_of_a_key), STATUS_OK);
	assert_status(store, store_do(store, &patch.job, STORAGE_PLAN_PATCH), STATUS_OK);
	list = list_of(store, &(struct audit_filter){0}, 10, NULL);
	assert_int_equal(list.count, 2);
	assert_null(list.next_cursor);
	assert_int_equal(list.items[0].number, 2); /* newest first */
	assert_string_equal(list.items[0].key_id, "k2");
	assert_int_equal(list.items[0].revision, 2); /* the revision of this commit */
	assert_null(list.items[0].key_name);
	assert_string_equal(list.items[1].key_id, "k1");
	assert_string_equal(list.items[1].key_name, "ops");
	assert_string_equal(list.items[1].role, "planner");
	assert_string_equal(list.items[1].address, "192.0.2.7");
	assert_string_equal(list.items[1].request_id, "r1");
	assert_string_equal(list.items[1].method, "POST");
	assert_string_equal(list.items[1].path, "/v1/plans/training");
	assert_string_equal(list.items[1].entity, "e1");
	assert_string_equal(list.items[1].outcome, "done");
	assert_int_equal(list.items[1].http_status, 201);
	assert_int_equal(list.items[1].revision, 1);
	assert_true(list.items[1].at_us >= before_us && list.items[1].at_us <= clock_wall_us());
}

/* A failed change has no entry. If the entry cannot be written, the change is not written either. */
static void there_is_no_write_without_its_entry(void **state)
{
	struct store *store = *state;
	struct audit_record impossible = entry_of_a_key;
	struct plan_record plan;

	assert_status(store, put_plan(store, 1, &entry_of_a_key), STATUS_OK);
	assert_status(store, put_plan(store, 1, &entry_of_a_key), STATUS_CONFLICT);
	assert_int_equal(list_of(store, &(struct audit_filter){0}, 10, NULL).count, 1);
	impossible.http_status = 700;
	assert_int_not_equal(put_plan(store, 2, &impossible), STATUS_OK);
	plan = store_plan(store, 2);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &plan, &store->failure), STATUS_NOT_FOUND);
	assert_int_equal(list_of(store, &(struct audit_filter){0}, 10, NULL).count, 1);
	assert_status(store, put_plan(store, 3, &entry_of_a_key), STATUS_OK);
}

/* Runs SQL as anyone with the file could. */
static const char *refused(struct store *store, const char *sql)
{
	static char text[200];
	char *error = NULL;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(store->path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	sqlite3_exec(db, sql, NULL, NULL, &error);
	snprintf(text, sizeof text, "%s", error ? error : "");
	sqlite3_free(error);
	sqlite3_close(db);
	return text;
}

static void entries_are_only_appended(void **state)
{
	static const char *const tries[] = {"UPDATE audit SET key_id = 'k9'", "DELETE FROM audit", "DELETE FROM audit WHERE number = 1",
		"INSERT OR REPLACE INTO audit (number, at_us, key_id, method, path, outcome, http_status) VALUES (1, 1, 'k9', 'PUT', '/', 'done', 200)",
		"UPDATE audit SET number = number + 10", "DELETE FROM audit_horizon", "UPDATE audit_horizon SET before_us = before_us - 1",
		"INSERT OR REPLACE INTO audit_horizon VALUES (1, 1)"};
	struct store *store = *state;

	put_entry(store, &entry_of_a_key);
	put_entry(store, &entry_of_a_key);
	for (size_t i = 0; i < COUNT_OF(tries); i++)
		assert_non_null(strstr(refused(store, tries[i]), "audit log"));
	assert_string_equal(refused(store, "SELECT 1"), "");
	assert_int_equal(list_of(store, &(struct audit_filter){0}, 10, NULL).count, 2);
	assert_string_equal(list_of(store, &(struct audit_filter){0}, 10, NULL).items[1].key_id, "k1");
}

static void entries_end_with_their_retention(void **state)
{
	struct store *store = *state;
	struct audit_prune prune = {.limit = 3};

	for (int i = 0; i < 6; i++)
		put_entry(store, &entry_of_a_key);
	prune.before_us = clock_wall_us() - 3600000000;
	assert_status(store, store_do(store, &prune.job, STORAGE_AUDIT_PRUNE), STATUS_OK);
	assert_int_equal(prune.pruned, 0);
	prune.before_us = clock_wall_us() + 3600000000;
	assert_status(store, store_do(store, &prune.job, STORAGE_AUDIT_PRUNE), STATUS_OK);
	assert_int_equal(prune.pruned, 3);
	assert_int_equal(list_of(store, &(struct audit_filter){0}, 10, NULL).items[2].number, 4); /* the oldest entries are deleted */
	assert_status(store, store_do(store, &prune.job, STORAGE_AUDIT_PRUNE), STATUS_OK);
	assert_int_equal(prune.pruned, 2); /* the newest entry stays, so its number is not used again */
	put_entry(store, &entry_of_a_key);
	assert_int_equal(list_of(store, &(struct audit_filter){0}, 10, NULL).items[0].number, 7);
	prune.before_us = 1; /* the retention limit never moves back */
	assert_status(store, store_do(store, &prune.job, STORAGE_AUDIT_PRUNE), STATUS_OK);
	assert_int_equal(prune.pruned, 0);
}

static void lists_are_paged_and_filtered(void **state)
{
	static const struct {
		struct audit_filter filter;
		size_t count;
	} cases[] = {{{.key_id = "k1"}, 7}, {{.key_id = "k3"}, 0}, {{.method = "POST"}, 6}, {{.method = "PUT"}, 1}, {{.entity = "e2"}, 1},
		{{.outcome = "refused"}, 1}, {{.text = "/prices/"}, 1}, {{.text = "/plans/"}, 6}, {{.key_id = "k1", .outcome = "done"}, 6},
		{{.before_us = 1}, 0}, {{.after_us = 1}, 7}};
	struct store *store = *state;
	const char *cursor = NULL;
	int64_t next = 7;
	struct audit_list list;
	struct audit_record other = entry_of_a_key;

	for (int i = 0; i < 6; i++)
		put_entry(store, &entry_of_a_key);
	other.entity = "e2";
	other.method = "PUT";
	other.outcome = "refused";
	other.path = "/v1/prices/p1";
	other.http_status = 403;
	put_entry(store, &other);
	do {
		list = list_of(store, &(struct audit_filter){0}, 2, cursor);
		for (size_t i = 0; i < list.count; i++)
			assert_int_equal(list.items[i].number, next--);
		cursor = list.next_cursor;
	} while (cursor);
	assert_int_equal(next, 0);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(list_of(store, &cases[i].filter, 100, NULL).count, cases[i].count);
	assert_status(store,
		storage_audit_list(
			store->storage, &(struct audit_filter){0}, &(struct page_request){2, "bm9uZQ"}, &store->arena, &list, &store->failure),
		STATUS_MALFORMED);
}

static void collect(void *context, const char *fault)
{
	snprintf(context, 400, "%s", fault);
}

/* A user with the file can drop the triggers and change entries. The check and the list must report it. */
static void what_was_changed_or_cut_out_is_found(void **state)
{
	struct store *store = *state;
	struct check_result result;
	struct audit_list list;
	char fault[400] = "";

	for (int i = 0; i < 5; i++)
		put_entry(store, &entry_of_a_key);
	store_close(store);
	assert_status(store, storage_check(store->path, collect, fault, &result, &store->failure), STATUS_OK);
	assert_int_equal(result.faults, 0);
	store_sql(store, "DROP TRIGGER audit_is_kept; DELETE FROM audit WHERE number = 3");
	assert_status(store, storage_check(store->path, collect, fault, &result, &store->failure), STATUS_OK);
	assert_int_equal(result.faults, 1);
	assert_string_equal(fault, "entries of the audit log are missing between 2 and 4");
	store_sql(store, "DROP TRIGGER audit_is_not_changed; UPDATE audit SET key_id = 'k9' WHERE number = 4");
	assert_status(store, storage_check(store->path, collect, fault, &result, &store->failure), STATUS_OK);
	assert_int_equal(result.faults, 2);
	store_open(store);
	assert_status(store,
		storage_audit_list(store->storage, &(struct audit_filter){0}, &(struct page_request){0}, &store->arena, &list, &store->failure),
		STATUS_UNAVAILABLE);
	assert_non_null(strstr(store->failure.detail, "audit log 4 was changed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_write_has_its_entry, store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(there_is_no_write_without_its_entry, store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(entries_are_only_appended, store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(entries_end_with_their_retention, store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(lists_are_paged_and_filtered, store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(what_was_changed_or_cut_out_is_found, store_setup, store_teardown),
	};

	return cmocka_run_group_tests_name("audit log", tests, NULL, NULL);
}
