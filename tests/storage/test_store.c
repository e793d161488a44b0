/* Tests the store as a whole: groups of jobs, many threads, a full queue, backup, schema versions, reported state. */
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "storage/sqlite/store.h"
#include "support/store.h"

/* Keeps the writer from committing, so that jobs queue up. Another process that writes to the file has the same effect. */
static sqlite3 *hold_writer(struct store *store)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(store->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static void let_writer(sqlite3 *db)
{
	sqlite3_close(db);
}

struct submitted {
	struct plan_put put;
	struct plan_record plan;
	struct failure failure;
	_Atomic bool *answered;
};

static void note_answer(struct storage_job *job)
{
	atomic_store((_Atomic bool *)job->context, true);
}

static enum status submit(struct store *store, struct submitted *job, int number, bool labelled, _Atomic bool *answered)
{
	job->plan = store_plan(store, number);
	if (!labelled)
		job->plan.labels = (struct json_text){0};
	job->put = (struct plan_put){
		.job = {.kind = STORAGE_PLAN_PUT, .done = note_answer, .context = answered, .failure = &job->failure}, .plan = &job->plan};
	return storage_submit(store->storage, &job->put.job);
}

static void wait_answered(_Atomic bool *answered, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		while (!atomic_load(&answered[i]))
			nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
}

static void fail_third_of_five(struct store *store, int first, bool labelled)
{
	static struct submitted jobs[5];
	_Atomic bool answered[5] = {false};
	struct storage_state before, after;
	struct plan_record plan;
	sqlite3 *holder;

	storage_state_get(store->storage, &before);
	holder = hold_writer(store);
	for (int i = 0; i < 5; i++) /* the third has the id of the second */
		assert_status(store, submit(store, &jobs[i], first + (i == 2 ? 1 : i), labelled, &answered[i]), STATUS_OK);
	let_writer(holder);
	wait_answered(answered, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(jobs[i].put.job.status, i == 2 ? STATUS_CONFLICT : STATUS_OK);
	assert_contains(jobs[2].failure.detail, "exists already");
	for (int i = 0; i < 5; i++) {
		if (i != 2)
			assert_status(
				store, storage_plan_get(store->storage, jobs[i].plan.id, ABSENT_COUNT, &store->arena, &plan, &store->failure), STATUS_OK);
	}
	storage_state_get(store->storage, &after);
	assert_int_equal(after.jobs - before.jobs, 5);
	assert_true(after.commits - before.commits <= 2); /* at most the first alone, and the others together */
	assert_true(after.largest_batch >= 3);            /* the writer may have taken two before the file was locked */
}

/* A plan with labels takes several statements, in a savepoint. A plan without labels takes one. */
static void a_failed_job_leaves_its_neighbours_alone(void **state)
{
	fail_third_of_five(*state, 0, true);
	fail_third_of_five(*state, 5, false);
}

static void a_full_queue_says_so_at_once(void **state)
{
	struct store *store = *state;
	static struct submitted jobs[12];
	_Atomic bool answered[12] = {false};
	const struct storage_options options = {.path = store->path, .queue_maximum = 4};
	struct storage_state now;
	sqlite3 *holder;
	int accepted = 0, refused = 0;

	store_close(store);
	assert_status(store, storage_open(&options, &store->storage, &store->failure), STATUS_OK);
	holder = hold_writer(store);
	for (int i = 0; i < 12; i++) {
		enum status status = submit(store, &jobs[i], i, true, &answered[i]);

		assert_true(status == STATUS_OK || status == STATUS_OVERLOADED);
		accepted += status == STATUS_OK;
		refused += status == STATUS_OVERLOADED;
		if (status == STATUS_OVERLOADED) {
			assert_int_equal(jobs[i].failure.retry_after_s, 1);
			atomic_store(&answered[i], true);
		}
	}
	assert_true(accepted >= 4 && accepted <= 8 && refused >= 4); /* jobs that the writer has already taken are not in the queue */
	let_writer(holder);
	wait_answered(answered, 12);
	storage_state_get(store->storage, &now);
	assert_int_equal(now.rejected, refused);
	assert_int_equal(now.jobs, accepted);
	assert_int_equal(now.queued, 0);
}

enum { WRITERS = 8, READERS = 4, PLANS_A_WRITER = 40 };

struct traffic {
	struct storage *storage;
	int number;
	_Atomic bool *stop;
	int wrong;
};

/* Puts plans and reads each back at once: every reader must see an acknowledged plan. */
static void *write_and_read_back(void *argument)
{
	struct traffic *traffic = argument;
	struct store local = {.storage = traffic->storage};
	struct plan_record found;

	arena_init(&local.arena, 1 << 20);
	for (int i = 0; i < PLANS_A_WRITER; i++) {
		struct plan_record plan = store_plan(&local, traffic->number * 1000 + i);
		struct plan_put put = {.plan = &plan};

		if (store_do(&local, &put.job, STORAGE_PLAN_PUT) != STATUS_OK ||
			storage_plan_get(local.storage, plan.id, ABSENT_COUNT, &local.arena, &found, &local.failure) != STATUS_OK ||
			strcmp(found.result.text, plan.result.text) != 0)
			traffic->wrong++;
		arena_reset(&local.arena);
	}
	arena_release(&local.arena);
	return NULL;
}

static void *list_all_the_time(void *argument)
{
	static const struct plan_filter any = {.created_after_us = ABSENT_COUNT, .created_before_us = ABSENT_COUNT};
	struct traffic *traffic = argument;
	struct page_request page = {.limit = 20};
	struct storage_state now;
	struct store local = {.storage = traffic->storage};
	struct plan_list list;

	arena_init(&local.arena, 1 << 20);
	while (!atomic_load(traffic->stop)) {
		if (storage_plan_list(local.storage, &any, &page, &local.arena, &list, &local.failure) != STATUS_OK)
			traffic->wrong++;
		storage_state_get(local.storage, &now);
		arena_reset(&local.arena);
	}
	arena_release(&local.arena);
	return NULL;
}

static void many_threads_write_and_read(void **state)
{
	struct store *store = *state;
	const struct storage_options options = {.path = store->path, .readers_maximum = 3}; /* fewer than threads, so some wait */
	_Atomic bool stop = false;
	struct traffic traffic[WRITERS + READERS];
	pthread_t threads[WRITERS + READERS];
	struct storage_state now;

	store_close(store);
	assert_status(store, storage_open(&options, &store->storage, &store->failure), STATUS_OK);
	for (int i = 0; i < WRITERS + READERS; i++) {
		traffic[i] = (struct traffic){store->storage, i, &stop, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, i < WRITERS ? write_and_read_back : list_all_the_time, &traffic[i]), 0);
	}
	for (int i = 0; i < WRITERS + READERS; i++) {
		if (i == WRITERS)
			atomic_store(&stop, true);
		pthread_join(threads[i], NULL);
		assert_int_equal(traffic[i].wrong, 0);
	}
	storage_state_get(store->storage, &now);
	assert_int_equal(now.jobs, WRITERS * PLANS_A_WRITER);
	assert_true(now.readers_open >= 1 && now.readers_open <= 3);
	assert_int_equal(now.readers_busy, 0);
	assert_true(now.commit_ns_maximum > 0 && now.commit_ns_total >= now.commit_ns_maximum);
	assert_true(now.file_bytes > 0 && now.log_bytes >= 0);
	assert_true(now.writable);
	assert_int_equal(now.schema_version, store_schema_version());
}

static void closing_finishes_what_is_queued(void **state)
{
	struct store *store = *state;
	static struct submitted jobs[50];
	_Atomic bool answered[50] = {false};
	struct plan_record plan;

	for (int i = 0; i < 50; i++)
		assert_status(store, submit(store, &jobs[i], i, true, &answered[i]), STATUS_OK);
	store_close(store);
	for (int i = 0; i < 50; i++)
		assert_true(atomic_load(&answered[i]));
	store_open(store);
	for (int i = 0; i < 50; i++)
		assert_status(
			store, storage_plan_get(store->storage, jobs[i].plan.id, ABSENT_COUNT, &store->arena, &plan, &store->failure), STATUS_OK);
}

static void outputs_too_large_for_the_arena_are_refused(void **state)
{
	static const struct plan_filter any = {.created_after_us = ABSENT_COUNT, .created_before_us = ABSENT_COUNT};
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 1), found;
	struct plan_list list;
	struct arena small;

	store_plan_put(store, &plan);
	arena_init(&small, 64);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &small, &found, &store->failure), STATUS_NO_MEMORY);
	assert_status(store, storage_plan_list(store->storage, &any, NULL, &small, &list, &store->failure), STATUS_NO_MEMORY);
	arena_release(&small);
	assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure), STATUS_OK);
}

/* The copy must open as a store with all earlier data, although writers continued. */
static void a_backup_is_a_whole_store(void **state)
{
	struct store *store = *state;
	char path[160];
	struct storage *original = store->storage;
	struct plan_record plan, wanted;
	struct stat file;
	int64_t size_bytes;

	for (int i = 1; i <= 100; i++) {
		wanted = store_plan(store, i);
		store_plan_put(store, &wanted);
	}
	snprintf(path, sizeof path, "%s.backup", store->path);
	assert_status(store, storage_backup(original, path, &size_bytes, &store->failure), STATUS_OK);
	assert_true(size_bytes > 100000);
	assert_int_equal(stat(path, &file), 0);
	assert_int_equal(file.st_size, size_bytes);
	assert_int_equal(file.st_mode & 0777, 0600);
	assert_status(store, storage_backup(original, path, &size_bytes, &store->failure), STATUS_CONFLICT);
	assert_status(store, storage_backup(original, "/nonexistent/copy", &size_bytes, &store->failure), STATUS_UNAVAILABLE);
	wanted = store_plan(store, 101);
	store_plan_put(store, &wanted);
	assert_status(
		store, storage_open(&(struct storage_options){.path = path, .use = STORAGE_TOOL}, &store->storage, &store->failure), STATUS_OK);
	for (int i = 1; i <= 100; i++) {
		wanted = store_plan(store, i);
		assert_status(store, storage_plan_get(store->storage, wanted.id, ABSENT_COUNT, &store->arena, &plan, &store->failure), STATUS_OK);
		assert_plans_equal(&plan, &wanted);
	}
	wanted = store_plan(store, 101);
	assert_status(store, storage_plan_get(store->storage, wanted.id, ABSENT_COUNT, &store->arena, &plan, &store->failure), STATUS_NOT_FOUND);
	store_close(store);
	store->storage = original;
}

static char *read_text(struct store *store, const char *path)
{
	char *text = arena_alloc(&store->arena, 1 << 20, 1);
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, text, (1 << 20) - 1) > 0);
	close(fd);
	return text;
}

/* One benchmark is queued, and one was running when the old program ended. */
static void assert_benchmarks_go_on(struct store *store)
{
	struct benchmark_record found;
	struct benchmark_sweep sweep = {.now_us = 3000000};
	struct benchmark_claim claim = {.device_id = "other", .now_us = 3000000, .lease_us = 60, .benchmark = &found};

	assert_status(store,
		storage_benchmark_get(store->storage, "01910000-0000-7000-8000-000000000002", &store->arena, &found, &store->failure), STATUS_OK);
	assert_string_equal(found.state, "running");
	assert_int_equal(found.token, 1);
	assert_status(store, store_do(store, &sweep.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
	assert_int_equal(sweep.requeued, 1);
	assert_status(store, store_do(store, &claim.job, STORAGE_BENCHMARK_CLAIM), STATUS_OK);
	assert_string_equal(found.id, "01910000-0000-7000-8000-000000000001");
}

/* A run from a version without the plan's column must find its plan through its observation. */
static void assert_run_knows_its_plan(struct store *store)
{
	struct calibration_row row;

	assert_status(store,
		storage_row_get(
			store->storage, ROW_CALIBRATION, "run_practice.01920000-0000-7000-8000-000000000001", 0, &store->arena, &row, &store->failure),
		STATUS_OK);
	assert_string_equal(row.plan_id, "01900000-0000-7000-8000-000000000001");
}

/* A file of each version of the program (tests/storage/versions/NNNN.sql fills it) must open with all its data. */
static void every_schema_version_is_brought_forward(void **state)
{
	struct store *store = *state;
	struct plan_record plan;
	struct accelerator_row row;

	for (int version = 0; version <= store_schema_version(); version++) {
		store_close(store);
		unlink(store->path);
		for (int step = 1; step <= version; step++)
			store_sql(store, migration_sql(step));
		if (version > 0)
			store_sql(store, read_text(store, arena_printf(&store->arena, "tests/storage/versions/%04d.sql", version)));
		store_open(store);
		if (version == 0)
			continue;
		assert_status(store,
			storage_plan_get(store->storage, "01900000-0000-7000-8000-000000000001", ABSENT_COUNT, &store->arena, &plan, &store->failure),
			STATUS_OK);
		assert_string_equal(plan.name, "Plan 1");
		assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", 0, &store->arena, &row, &store->failure), STATUS_OK);
		assert_close(row.accelerator.tdp_w, 700, 0);
		assert_int_equal(row.meta.conflicts.count, version >= 7);
		if (version >= 7) {
			assert_string_equal(row.meta.conflicts.items[0].field, "tdp_w");
			assert_close(row.meta.conflicts.items[0].value, 650, 0);
			assert_string_equal(row.meta.conflicts.items[0].source, "press");
			assert_string_equal(row.meta.conflicts.items[0].note, "a note");
		}
		if (version >= 8)
			assert_run_knows_its_plan(store);
		assert_benchmarks_go_on(store);
	}
}

/* While a daemon that knows only an older schema uses the file, a tool leaves it alone. Without a daemon, a tool may
 * open and create it. */
static void a_tool_does_not_migrate_under_a_daemon(void **state)
{
	struct store *store = *state;
	const struct storage_options tool = {.path = store->path, .use = STORAGE_TOOL};
	struct storage *daemon = store->storage;

	store_sql(store, "PRAGMA user_version = 10");
	failure_clear(&store->failure);
	assert_status(store, storage_open(&tool, &store->storage, &store->failure), STATUS_CONFLICT);
	assert_contains(store->failure.detail, "in use by another daemon");
	storage_close(daemon);
	unlink(store->path);
	assert_status(store, storage_open(&tool, &store->storage, &store->failure), STATUS_OK);
}

static void nobody_else_may_read_the_file(void **state)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", ".lock", ".mark"};
	struct store *store = *state;
	struct stat file;

	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		assert_int_equal(stat(arena_printf(&store->arena, "%s%s", store->path, suffixes[i]), &file), 0);
		assert_int_equal(file.st_mode & 0777, 0600);
	}
}

/* No file descriptor is left for a reader. Every read must return an error, none may crash, and reads must work again
 * later. */
static void reads_without_a_connection_are_refused(void **state)
{
	static const struct plan_filter any_plan = {.created_after_us = ABSENT_COUNT, .created_before_us = ABSENT_COUNT};
	static const struct row_filter any_row;
	static const struct benchmark_filter any_benchmark;
	struct store *store = *state;
	const struct storage_options tool = {.path = store->path, .use = STORAGE_TOOL}; /* a daemon opens a reader at its start */
	struct arena *arena = &store->arena;
	struct storage *s;
	struct failure *failure = &store->failure;
	struct idempotency key = {.key = "k", .principal = "", .route = "r"};
	union {
		struct plan_record plan;
		struct plan_list plans;
		struct key_record key;
		struct key_list keys;
		struct benchmark_record benchmark;
		struct benchmark_list benchmarks;
		struct device_list devices;
		struct row_list rows;
		struct catalogue_rows catalogue;
		struct accelerator_row row;
		struct idempotency_answer answer;
		const char *text;
	} out;
	unsigned char hash[KEY_HASH_BYTES] = {1};
	struct rlimit limit, none;
	int64_t number, other;
	int next;

	store_close(store);
	assert_status(store, storage_open(&tool, &store->storage, &store->failure), STATUS_OK);
	s = store->storage;
	next = dup(0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_status(store, storage_plan_get(s, "p", ABSENT_COUNT, arena, &out.plan, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_plan_list(s, &any_plan, NULL, arena, &out.plans, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_plan_revisions(s, "p", arena, &out.plans, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_key_find(s, hash, arena, &out.key, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_key_list(s, NULL, arena, &out.keys, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_key_count(s, &number, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_setting_get(s, "x", arena, &out.text, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_benchmark_get(s, "x", arena, &out.benchmark, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_benchmark_list(s, &any_benchmark, NULL, arena, &out.benchmarks, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_device_list(s, NULL, arena, &out.devices, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_row_get(s, ROW_ACCELERATOR, "x", 0, arena, &out.row, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_row_list(s, ROW_ACCELERATOR, &any_row, NULL, arena, &out.rows, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_catalogue_load(s, 0, arena, &out.catalogue, &number, &other, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_idempotency_begin(s, &key, arena, &out.answer, failure), STATUS_UNAVAILABLE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_status(store, storage_idempotency_begin(s, &key, arena, &out.answer, failure), STATUS_OK); /* the key is not left in flight */
	storage_idempotency_end(s, &key);
	assert_status(store, storage_plan_get(s, "p", ABSENT_COUNT, arena, &out.plan, failure), STATUS_NOT_FOUND);
}

/* True if a step of a query plan reads a whole table or sorts, except where this is intended. */
static bool is_slow(const char *step)
{
	/* In this order: the labels of one plan; few keys; at most 500 entries, twice; only queued rows; few agents; one row;
	 * only rows that are valid now; few zones. */
	static const char *const meant[] = {"SCAN json_each", "SCAN api_key", "SCAN idempotency", "SCAN (subquery", "INDEX benchmark_queue",
		"SCAN agent", "SCAN CONSTANT ROW", "_valid", "SCAN grid_zone"};

	for (size_t i = 0; i < COUNT_OF(meant); i++) {
		if (strstr(step, meant[i]))
			return false;
	}
	return strncmp(step, "SCAN", 4) == 0 || strstr(step, "TEMP B-TREE") != NULL;
}

static void no_statement_reads_a_whole_table(void **state)
{
	struct store *store = *state;
	struct connection connection;

	assert_status(store, connection_open(store->path, true, &connection, &store->failure), STATUS_OK);
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		struct statement *statement = connection_statement(&connection, (enum statement_name)i, &store->failure);
		const char *sql = sqlite3_sql(statement->handle);
		sqlite3_stmt *plan;

		if (strncmp(sql, "SELECT", 6) != 0 && strncmp(sql, "UPDATE", 6) != 0 && strncmp(sql, "DELETE", 6) != 0)
			continue;
		assert_int_equal(
			sqlite3_prepare_v2(connection.db, arena_printf(&store->arena, "EXPLAIN QUERY PLAN %s", sql), -1, &plan, NULL), SQLITE_OK);
		while (sqlite3_step(plan) == SQLITE_ROW) {
			const char *step = (const char *)sqlite3_column_text(plan, 3);

			/* The first sorts the heads of four queues. The second counts the rows of a past moment. The third sorts the
			 * plans by a figure. */
			if (is_slow(step) && i != STATEMENT_BENCHMARK_NEXT && i != STATEMENT_CATALOGUE_COUNTS && i != STATEMENT_PLAN_LIST_SORTED)
				fail_msg("%s: %s", sql, step);
		}
		sqlite3_finalize(plan);
	}
	connection_close(&connection);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_setup, store_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_failed_job_leaves_its_neighbours_alone),
		TEST(a_full_queue_says_so_at_once),
		TEST(many_threads_write_and_read),
		TEST(closing_finishes_what_is_queued),
		TEST(outputs_too_large_for_the_arena_are_refused),
		TEST(a_backup_is_a_whole_store),
		TEST(every_schema_version_is_brought_forward),
		TEST(no_statement_reads_a_whole_table),
		TEST(a_tool_does_not_migrate_under_a_daemon),
		TEST(nobody_else_may_read_the_file),
		TEST(reads_without_a_connection_are_refused),
	};

	log_set_level(LOG_LEVEL_COUNT);
	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
