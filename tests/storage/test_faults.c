/* Tests faults of the disk and the operator: damaged files, changed bytes, full and read-only disks, two daemons, a
 * file of another application. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "storage/check.h"
#include "storage/sqlite/statements.h"
#include "support/store.h"

static enum status open_again(struct store *store, enum storage_use use)
{
	const struct storage_options options = {.path = store->path, .use = use};

	failure_clear(&store->failure);
	return storage_open(&options, &store->storage, &store->failure);
}

static enum status put_plan(struct store *store, int number)
{
	struct plan_record plan = store_plan(store, number);
	struct plan_put put = {.plan = &plan};

	return store_do(store, &put.job, STORAGE_PLAN_PUT);
}

static enum status get_plan(struct store *store, int number, struct plan_record *plan)
{
	struct plan_record wanted = store_plan(store, number);

	return storage_plan_get(store->storage, wanted.id, ABSENT_COUNT, &store->arena, plan, &store->failure);
}

static void write_at(struct store *store, off_t offset, const void *bytes, size_t length)
{
	int fd = open(store->path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, length, offset), length);
	close(fd);
}

static void files_of_others_are_refused(void **state)
{
	struct store *store = *state;

	store_close(store);
	store_sql(store, "PRAGMA user_version = 999");
	assert_status(store, open_again(store, STORAGE_DAEMON), STATUS_CONFLICT);
	assert_contains(store->failure.detail, "newer version");
	store_sql(store, "PRAGMA user_version = 1; PRAGMA application_id = 77");
	assert_status(store, open_again(store, STORAGE_DAEMON), STATUS_CONFLICT);
	assert_contains(store->failure.detail, "another application");
	unlink(store->path);
	store_sql(store, "CREATE TABLE theirs (a)");
	assert_status(store, open_again(store, STORAGE_DAEMON), STATUS_CONFLICT);
	assert_contains(store->failure.detail, "another application");
	assert_null(store->storage);
}

static void a_damaged_file_is_refused_with_advice(void **state)
{
	static const char zeros[4096];
	struct store *store = *state;

	for (int i = 1; i <= 200; i++)
		assert_status(store, put_plan(store, i), STATUS_OK);
	store_close(store);
	write_at(store, 3 * 4096, zeros, sizeof zeros); /* a page of the schema's tables */
	assert_status(store, open_again(store, STORAGE_DAEMON), STATUS_UNAVAILABLE);
	assert_contains(store->failure.detail, "restore a backup");
	write_at(store, 0, zeros, 100);
	assert_status(store, open_again(store, STORAGE_DAEMON), STATUS_UNAVAILABLE);
	assert_contains(store->failure.detail, "restore a backup");
}

static void places_that_cannot_be_are_refused(void **state)
{
	struct store *store = *state;
	char path[4200];

	store_close(store);
	memset(path, 'x', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	for (int i = 0; i < 2; i++) {
		const struct storage_options options = {.path = i ? "/nonexistent/plans.db" : path};

		failure_clear(&store->failure);
		assert_status(store, storage_open(&options, &store->storage, &store->failure), i ? STATUS_UNAVAILABLE : STATUS_INVALID);
		assert_null(store->storage);
	}
	snprintf(path, sizeof path, "%s", store->folder); /* a folder is not a file */
	assert_status(store, storage_open(&(struct storage_options){.path = path, .use = STORAGE_TOOL}, &store->storage, &store->failure),
		STATUS_UNAVAILABLE);
}

static void one_daemon_a_file_and_tools_beside_it(void **state)
{
	struct store *store = *state;
	struct storage *daemon = store->storage;
	struct plan_record plan;

	assert_status(store, open_again(store, STORAGE_DAEMON), STATUS_CONFLICT);
	assert_contains(store->failure.detail, "another daemon");
	assert_status(store, open_again(store, STORAGE_TOOL), STATUS_OK);
	assert_status(store, put_plan(store, 1), STATUS_OK);
	storage_close(store->storage);
	store->storage = daemon;
	assert_status(store, get_plan(store, 1, &plan), STATUS_OK);
	assert_status(store, put_plan(store, 2), STATUS_OK);
}

/* Lists read the head of a plan and none of its long columns. */
static void assert_lists_refuse(struct store *store, const struct plan_record *wanted, bool refuse)
{
	static const struct plan_filter any = {.created_after_us = ABSENT_COUNT, .created_before_us = ABSENT_COUNT};
	const struct plan_filter labelled = {
		.created_after_us = ABSENT_COUNT, .created_before_us = ABSENT_COUNT, .label_key = "team", .label_value = "red"};
	struct plan_list list;
	enum status expected = refuse ? STATUS_UNAVAILABLE : STATUS_OK;

	assert_status(store, storage_plan_list(store->storage, &any, NULL, &store->arena, &list, &store->failure), expected);
	if (refuse)
		assert_contains(store->failure.detail, wanted->id);
	else
		assert_string_equal(list.items[0].name, wanted->name);
	assert_status(store, storage_plan_list(store->storage, &labelled, NULL, &store->arena, &list, &store->failure), expected);
	assert_status(store, storage_plan_revisions(store->storage, wanted->id, &store->arena, &list, &store->failure), STATUS_UNAVAILABLE);
}

/* SQLite does not notice these changes. Each member has a checksum, and the SQL keeps the file well-formed. */
static void a_changed_plan_is_not_answered(void **state)
{
	static const char *const changes[] = {"model = 'other'", "kind = 'inference'", "catalogue_revision = 8", "planner_version = '9'",
		"computed_at_us = 1", "created_at_us = 2", "name = 'x'", "notes = NULL", "labels = '{}'", "accelerator = NULL",
		"calibration_revision = NULL", "updated_at_us = updated_at_us + 1", "head_checksum = head_checksum / 2", "revision = 2",
		"revision = 2, content_revision = 2", "result = replace(result, 'gpu', 'cpu')", "request = request || ' '",
		"checksum = checksum / 2", "asked = '{}'"};
	enum { shown = 15 }; /* lists show the first 15 */
	struct store *store = *state;
	struct plan_record plan, wanted = store_plan(store, 1);
	struct plan_delete gone = {.id = wanted.id, .expected_revision = ABSENT_COUNT};
	struct plan_patch patch = {.id = wanted.id, .expected_revision = ABSENT_COUNT, .plan = &wanted};

	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		assert_status(store, put_plan(store, 1), STATUS_OK);
		assert_status(store, get_plan(store, 1, &plan), STATUS_OK);
		store_sql(store, arena_printf(&store->arena, "UPDATE plan SET %s", changes[i]));
		assert_status(store, get_plan(store, 1, &plan), STATUS_UNAVAILABLE);
		assert_contains(store->failure.detail, wanted.id);
		assert_lists_refuse(store, &wanted, i < shown);
		if (strncmp(changes[i], "name", 4) == 0)
			assert_status(store, store_do(store, &patch.job, STORAGE_PLAN_PATCH), STATUS_UNAVAILABLE);
		assert_status(store, store_do(store, &gone.job, STORAGE_PLAN_DELETE), STATUS_OK); /* a damaged plan can be deleted */
	}
}

/* The id is changed in the index that a list reads. The list cannot find the row by this id to check it. */
static void a_changed_id_is_not_listed(void **state)
{
	static const struct plan_filter any = {.created_after_us = ABSENT_COUNT, .created_before_us = ABSENT_COUNT};
	static char bytes[8 * 1024 * 1024];
	struct store *store = *state;
	struct plan_record plan = store_plan(store, 1);
	char *text = arena_printf(&store->arena, "\x0f\x42\x40%s", plan.id), *found = bytes; /* the text after the time, 1,000,000 us */
	struct plan_list list;
	ssize_t length;
	int fd;

	assert_status(store, put_plan(store, 1), STATUS_OK);
	store_close(store);
	fd = open(store->path, O_RDONLY);
	length = read(fd, bytes, sizeof bytes);
	close(fd);
	assert_true(length > 0);
	while ((found = memmem(found, (size_t)(bytes + length - found), text, strlen(text))))
		write_at(store, found++ - bytes + 20, "}", 1);
	store_open(store);
	assert_status(store, storage_plan_list(store->storage, &any, NULL, &store->arena, &list, &store->failure), STATUS_UNAVAILABLE);
	assert_contains(store->failure.detail, "was changed on the disk");
}

static bool is_sealed(const char *column)
{
	static const char *const not [] = {"number", "id", "origin", "valid_from_us", "valid_to_us", "revision", "opened_by", "closed_by",
		"conflicts" /* a text that is not a conflict line is not read */, NULL};
	const char *const *name = not ;

	while (*name && strcmp(*name, column) != 0)
		name++;
	return !*name;
}

/* Changes each column of the only row in the table, calls `check`, and undoes the change. */
static void change_each_column(struct store *store, const char *table, void (*check)(struct store *store))
{
	sqlite3_stmt *columns;
	sqlite3 *db;
	int changed = 0;

	assert_int_equal(sqlite3_open(store->path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, arena_printf(&store->arena, "CREATE TEMP TABLE kept AS SELECT * FROM %s", table), NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db, arena_printf(&store->arena, "SELECT name, type FROM pragma_table_info('%s')", table), -1, &columns, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL), SQLITE_OK);
	while (sqlite3_step(columns) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(columns, 0), *type = (const char *)sqlite3_column_text(columns, 1);
		bool is_text = strcmp(type, "TEXT") == 0;
		char *value = arena_printf(&store->arena, "coalesce(%s, %s) %s", name, is_text ? "''" : "0", is_text ? "|| 'x'" : "+ 1");

		if (!is_sealed(name))
			continue;
		assert_int_equal(
			sqlite3_exec(db, arena_printf(&store->arena, "UPDATE %s SET %s = %s", table, name, value), NULL, NULL, NULL), SQLITE_OK);
		check(store);
		assert_int_equal(
			sqlite3_exec(db, arena_printf(&store->arena, "UPDATE %s SET %s = (SELECT %s FROM kept)", table, name, name), NULL, NULL, NULL),
			SQLITE_OK);
		changed++;
	}
	assert_true(changed > 8);
	sqlite3_finalize(columns);
	sqlite3_close(db);
}

static void price_is_refused(struct store *store)
{
	struct row_filter any = {0};
	struct storage_state now;
	struct catalogue_rows rows;
	struct price_row price;
	struct row_list list;
	int64_t revision, calibration_revision;

	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p1", 0, &store->arena, &price, &store->failure), STATUS_UNAVAILABLE);
	assert_contains(store->failure.detail, "p1");
	assert_status(store, storage_row_list(store->storage, ROW_PRICE, &any, NULL, &store->arena, &list, &store->failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_catalogue_load(store->storage, 0, &store->arena, &rows, &revision, &calibration_revision, &store->failure),
		STATUS_OK);
	assert_int_equal(rows.price_count, 0); /* plans are made without the row */
	storage_state_get(store->storage, &now);
	assert_int_equal(now.damaged_rows, 1);
}

static void accelerator_is_refused(struct store *store)
{
	struct accelerator_row row;
	struct row_filter any = {0};
	struct row_list list;

	assert_status(store, storage_row_get(store->storage, ROW_ACCELERATOR, "a1", 0, &store->arena, &row, &store->failure), STATUS_UNAVAILABLE);
	assert_status(
		store, storage_row_list(store->storage, ROW_ACCELERATOR, &any, NULL, &store->arena, &list, &store->failure), STATUS_UNAVAILABLE);
}

static void a_changed_row_is_not_answered(void **state)
{
	struct store *store = *state;
	struct price_row price = store_price(store, "p1", 2), found;
	struct accelerator_row accelerator = store_accelerator(store, "a1", 700);
	struct row_put put = {.kind = ROW_PRICE, .row = &price}, other = {.kind = ROW_ACCELERATOR, .row = &accelerator};

	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_status(store, store_do(store, &other.job, STORAGE_ROW_PUT), STATUS_OK);
	change_each_column(store, "price", price_is_refused);
	change_each_column(store, "accelerator", accelerator_is_refused);
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p1", 0, &store->arena, &found, &store->failure), STATUS_OK);
	store_sql(store, "UPDATE price SET price_usd_per_hour = 20");
	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK); /* storing the row again repairs it */
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p1", 0, &store->arena, &found, &store->failure), STATUS_OK);
	assert_close(found.price_usd_per_hour, 2, 0);
}

static void a_changed_role_admits_nobody(void **state)
{
	struct store *store = *state;
	struct key_record record = {
		.id = "k1", .role = "viewer", .name = "n", .created_at_us = 5, .expires_at_us = ABSENT_COUNT, .revoked_at_us = ABSENT_COUNT};
	struct key_put put = {.key = &record, .hash = {1, 2, 3}};
	struct key_record found;
	struct key_list list;

	assert_status(store, store_do(store, &put.job, STORAGE_KEY_PUT), STATUS_OK);
	assert_status(store, storage_key_find(store->storage, put.hash, &store->arena, &found, &store->failure), STATUS_OK);
	store_sql(store, "UPDATE api_key SET role = 'admin'");
	assert_status(store, storage_key_find(store->storage, put.hash, &store->arena, &found, &store->failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_key_list(store->storage, NULL, &store->arena, &list, &store->failure), STATUS_UNAVAILABLE);
}

/* Flips bits at many places. The store must refuse the file or the plan, or answer correctly; it must never answer
 * wrong data. */
static void no_flipped_bit_changes_an_answer(void **state)
{
	struct store *store = *state;
	struct stat file;
	int refused_files = 0, refused_plans = 0;

	for (int i = 1; i <= 40; i++)
		assert_status(store, put_plan(store, i), STATUS_OK);
	store_close(store);
	assert_int_equal(stat(store->path, &file), 0);
	for (int round = 0; round < 300; round++) {
		off_t offset = 100 + (off_t)round * 7919 % (file.st_size - 100);
		unsigned char byte, flipped;
		int fd = open(store->path, O_RDWR);

		assert_int_equal(pread(fd, &byte, 1, offset), 1);
		flipped = byte ^ (unsigned char)(1 << round % 8);
		write_at(store, offset, &flipped, 1);
		if (open_again(store, STORAGE_DAEMON) != STATUS_OK) {
			refused_files++;
		} else {
			for (int i = 1; i <= 40; i++) {
				struct plan_record plan, wanted = store_plan(store, i);

				if (get_plan(store, i, &plan) == STATUS_OK)
					assert_plans_equal(&plan, &wanted);
				else
					refused_plans++;
			}
		}
		store_close(store);
		write_at(store, offset, &byte, 1);
		close(fd);
		arena_reset(&store->arena);
	}
	assert_true(refused_files > 0 && refused_plans > 0);
}

static enum status sweep_nothing(struct store *store)
{
	struct benchmark_sweep sweep = {.now_us = 1};

	return store_do(store, &sweep.job, STORAGE_BENCHMARK_SWEEP);
}

/* A limit on the file size acts like a failing disk: the write fails with an I/O error, stored data stay intact, and
 * the store recovers. */
static void a_failing_disk_answers_503_and_heals(void **state)
{
	struct store *store = *state;
	struct rlimit limit, small;
	struct storage_state after;
	struct plan_record plan;
	int number = 1;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 600 * 1024;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	while (put_plan(store, number) == STATUS_OK)
		number++;
	assert_status(store, store->failure.status, STATUS_UNAVAILABLE);
	small.rlim_cur = 0; /* even the small write of the probe fails */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_status(store, get_plan(store, number - 1, &plan), STATUS_OK);
	storage_state_get(store->storage, &after);
	assert_false(after.writable);
	assert_int_equal(after.last_status, STATUS_UNAVAILABLE);
	assert_true(after.failed_commits > 0);
	assert_status(store, sweep_nothing(store), STATUS_OK); /* a commit that writes no page */
	storage_state_get(store->storage, &after);
	assert_false(after.writable);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_status(store, put_plan(store, number), STATUS_OK);
	storage_state_get(store->storage, &after);
	assert_true(after.writable);
	for (int i = 1; i <= number; i++)
		assert_status(store, get_plan(store, i, &plan), STATUS_OK);
	store_close(store);
	assert_integrity(store);
	store_open(store);
}

/* Mounts a small file system on the store's folder. False if this user may not mount. */
static bool mount_small(struct store *store, const char *options)
{
	store_close(store);
	return mount("none", store->folder, "tmpfs", 0, options) == 0;
}

static void unmount(struct store *store)
{
	store_close(store);
	assert_int_equal(umount(store->folder), 0);
}

static void fill_disk(struct store *store, const char *name)
{
	char path[160], block[4096] = {1};
	int fd;

	snprintf(path, sizeof path, "%s/%s", store->folder, name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	while (write(fd, block, sizeof block) > 0)
		continue;
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

static void remove_file(struct store *store, const char *name)
{
	char path[160];

	snprintf(path, sizeof path, "%s/%s", store->folder, name);
	assert_int_equal(unlink(path), 0);
}

static void a_full_disk_answers_507_and_heals(void **state)
{
	struct store *store = *state;
	struct storage_state now;
	struct plan_record plan;
	int number = 1;
	int64_t size;

	if (!mount_small(store, "size=2m"))
		skip();
	store_open(store);
	assert_status(store, put_plan(store, number), STATUS_OK);
	fill_disk(store, "filler");
	while (put_plan(store, ++number) == STATUS_OK)
		assert_true(number < 10000);
	assert_status(store, store->failure.status, STATUS_STORAGE_FULL);
	assert_status(store, get_plan(store, 1, &plan), STATUS_OK); /* reads continue */
	assert_status(store, get_plan(store, number, &plan), STATUS_NOT_FOUND);
	assert_status(store, storage_backup(store->storage, arena_printf(&store->arena, "%s.backup", store->path), &size, &store->failure),
		STATUS_STORAGE_FULL);
	storage_state_get(store->storage, &now);
	assert_false(now.writable);
	assert_int_equal(now.last_status, STATUS_STORAGE_FULL);
	remove_file(store, "filler");
	nanosleep(&(struct timespec){1, 50000000}, NULL); /* the store checks once a second */
	storage_state_get(store->storage, &now);
	assert_true(now.writable);
	assert_status(store, put_plan(store, number), STATUS_OK);
	for (int i = 1; i <= number; i++)
		assert_status(store, get_plan(store, i, &plan), STATUS_OK);
	store_close(store);
	assert_integrity(store);
	unmount(store);
}

static void a_read_only_disk_is_refused_at_start(void **state)
{
	struct store *store = *state;
	struct plan_record plan;

	if (!mount_small(store, "size=8m"))
		skip();
	store_open(store);
	assert_status(store, put_plan(store, 1), STATUS_OK);
	store_close(store);
	assert_int_equal(mount("none", store->folder, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=8m"), 0);
	assert_status(store, open_again(store, STORAGE_DAEMON), STATUS_UNAVAILABLE);
	assert_contains(store->failure.detail, "Read-only");
	assert_int_equal(mount("none", store->folder, "tmpfs", MS_REMOUNT, "size=8m"), 0);
	store_open(store);
	assert_status(store, get_plan(store, 1, &plan), STATUS_OK);
	unmount(store);
}

static char *beside(struct store *store, const char *suffix)
{
	return arena_printf(&store->arena, "%s%s", store->path, suffix);
}

/* A fault of the file under a running daemon. `undo` reverts it. */
static void file_delete(struct store *store, const char *suffix, bool undo)
{
	char *path = beside(store, suffix), *away = beside(store, "-away");

	assert_int_equal(undo ? rename(away, path) : rename(path, away), 0);
}

static void file_replace(struct store *store, const char *suffix, bool undo)
{
	int fd;

	file_delete(store, suffix, undo);
	fd = undo ? -1 : open(beside(store, suffix), O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd >= 0)
		close(fd);
}

static void file_link(struct store *store, const char *suffix, bool undo)
{
	char *path = beside(store, suffix), *second = beside(store, "-away");

	assert_int_equal(undo ? unlink(second) : link(path, second), 0);
}

static void *read_much(void *argument)
{
	struct storage *storage = argument;
	struct plan_record plan;
	struct failure *failure = calloc(1, sizeof *failure);
	struct arena arena;

	arena_init(&arena, 0);
	for (int i = 0; failure && i < 300; i++) {
		(void)!storage_plan_get(storage, "no such plan", ABSENT_COUNT, &arena, &plan, failure);
		arena_reset(&arena);
	}
	arena_release(&arena);
	free(failure);
	return NULL;
}

/* Starts more readers than there are open connections while an empty file has the database's name. A new connection of
 * SQLite would delete the log of the old file. */
static void readers_do_not_open_what_replaced_the_file(void **state)
{
	struct store *store = *state;
	struct plan_record plan;
	pthread_t readers[12];

	assert_status(store, put_plan(store, 1), STATUS_OK);
	file_replace(store, "", false);
	for (size_t i = 0; i < COUNT_OF(readers); i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_much, store->storage), 0);
	for (size_t i = 0; i < COUNT_OF(readers); i++)
		pthread_join(readers[i], NULL);
	assert_int_equal(access(beside(store, "-wal"), F_OK), 0);
	file_replace(store, "", true);
	assert_status(store, put_plan(store, 2), STATUS_OK);
	assert_status(store, get_plan(store, 1, &plan), STATUS_OK);
}

static void nothing_is_acknowledged_while_the_file_is_another(void **state)
{
	static const struct {
		void (*happen)(struct store *store, const char *suffix, bool undo);
		const char *suffix, *detail;
	} days[] = {
		{file_delete, "", "deleted or moved"},
		{file_replace, "", "replaced by another file"},
		{file_link, "", "hard links"},
		{file_delete, "-wal", "deleted or moved"},
		{file_replace, "-wal", "replaced by another file"},
		{file_link, "-wal", "hard links"},
		{file_delete, "-shm", "deleted or moved"},
		{file_replace, "-shm", "replaced by another file"},
	};
	struct store *store = *state;
	struct storage_state now;
	struct plan_record plan;
	int number = 0;

	for (size_t i = 0; i < COUNT_OF(days); i++) {
		assert_status(store, put_plan(store, ++number), STATUS_OK);
		days[i].happen(store, days[i].suffix, false);
		storage_state_get(store->storage, &now); /* the store is not ready even before the next write */
		assert_false(now.writable);
		assert_contains(now.last_detail, days[i].detail);
		assert_status(store, put_plan(store, number + 1), STATUS_UNAVAILABLE);
		assert_contains(store->failure.detail, days[i].detail);
		assert_status(store, get_plan(store, number, &plan), STATUS_OK); /* the open file is still readable */
		assert_status(store, get_plan(store, number + 1, &plan), STATUS_NOT_FOUND);
		days[i].happen(store, days[i].suffix, true);
		assert_status(store, put_plan(store, ++number), STATUS_OK); /* the store recovers without a restart */
		storage_state_get(store->storage, &now);
		assert_true(now.writable);
	}
	store_close(store);
	assert_integrity(store);
	store_open(store);
	for (int i = 1; i <= number; i++)
		assert_status(store, get_plan(store, i, &plan), STATUS_OK);
}

/* The store's connections still have the deleted file open. Before the last one closes, the store writes a copy of the
 * acknowledged data. */
static void what_a_deleted_file_held_is_kept_at_the_end(void **state)
{
	struct store *store = *state;
	char command[400], name[200];
	struct plan_record plan;
	FILE *names;

	assert_status(store, put_plan(store, 1), STATUS_OK);
	assert_int_equal(unlink(store->path), 0);
	store_close(store);
	snprintf(command, sizeof command, "ls %s.held-*", store->path);
	names = popen(command, "r");
	assert_non_null(names);
	assert_non_null(fgets(name, sizeof name, names));
	pclose(names);
	name[strcspn(name, "\n")] = '\0';
	assert_int_equal(rename(name, store->path), 0);
	store_open(store);
	assert_status(store, get_plan(store, 1, &plan), STATUS_OK);
}

static void another_name_is_no_way_around_the_lock(void **state)
{
	struct store *store = *state;
	struct storage *daemon = store->storage, *second;
	const char *names[] = {beside(store, "-symbolic"), beside(store, "-hard")};

	assert_int_equal(symlink(store->path, names[0]), 0);
	for (int i = 0; i < 2; i++) {
		const struct storage_options options = {.path = names[i], .use = STORAGE_DAEMON}, tool = {.path = names[i], .use = STORAGE_TOOL};

		if (i == 1)
			assert_int_equal(link(store->path, names[1]), 0);
		failure_clear(&store->failure);
		assert_status(store, storage_open(&options, &second, &store->failure), i ? STATUS_UNAVAILABLE : STATUS_CONFLICT);
		assert_contains(store->failure.detail, i ? "hard links" : "under another name");
		if (i == 1)
			assert_status(store, storage_open(&tool, &second, &store->failure), STATUS_UNAVAILABLE);
		unlink(names[i]);
		unlink(arena_printf(&store->arena, "%s.lock", names[i]));
	}
	store->storage = daemon;
	assert_status(store, put_plan(store, 1), STATUS_OK);
}

static void copy_file(struct store *store, const char *from, const char *to)
{
	static char bytes[8 * 1024 * 1024];
	int in = open(beside(store, from), O_RDONLY), out = open(beside(store, to), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t length = read(in, bytes, sizeof bytes);

	assert_true(length >= 0 && length < (ssize_t)sizeof bytes);
	assert_int_equal(write(out, bytes, (size_t)length), length);
	close(in);
	close(out);
}

static void count_fault(void *context, const char *fault)
{
	(void)fault;
	++*(int *)context;
}

/* The file is valid but older than the acknowledged commits, as after a restored backup or a lost log. */
static void missing_commits_are_said(void **state)
{
	struct store *store = *state;
	struct check_result result;
	struct storage_state now;
	int faults = 0;

	assert_status(store, put_plan(store, 1), STATUS_OK);
	store_close(store);
	copy_file(store, "", "-away");
	store_open(store);
	storage_state_get(store->storage, &now);
	assert_int_equal(now.lost_commits, 0);
	for (int i = 2; i <= 6; i++)
		assert_status(store, put_plan(store, i), STATUS_OK);
	store_close(store);
	assert_int_equal(rename(beside(store, "-away"), store->path), 0);
	assert_status(store, storage_check(store->path, count_fault, &faults, &result, &store->failure), STATUS_OK);
	assert_int_equal(result.lost_commits, 5);
	assert_int_equal(result.plans, 1);
	assert_int_equal(result.faults, 0);
	store_open(store);
	storage_state_get(store->storage, &now);
	assert_int_equal(now.lost_commits, 5);
	assert_status(store, put_plan(store, 2), STATUS_OK);
	store_close(store);
	store_open(store); /* reported once: the mark now equals the database */
	storage_state_get(store->storage, &now);
	assert_int_equal(now.lost_commits, 0);
	store_close(store);
	unlink(store->path);
	store_open(store); /* a new file beside the mark of an older one */
	storage_state_get(store->storage, &now);
	assert_true(now.lost_commits > 0);
}

/* Copies a file soon after its creation, as after a kill, and changes one byte of the log. All plans are there, or the
 * store reports lost commits. */
static void a_young_file_counts_what_its_log_lost(void **state)
{
	static const char *const parts[] = {"", "-wal", ".mark"}, *const left[] = {"-young", "-young.mark", "-young.lock"};
	struct store *store = *state;
	char *young = beside(store, "-young"), *log = beside(store, "-young-wal");
	int counted = 0;

	for (int i = 1; i <= 3; i++)
		assert_status(store, put_plan(store, i), STATUS_OK);
	for (int step = 0; step < 40; step++) {
		struct storage *first = store->storage;
		struct storage_state now;
		struct plan_record plan;
		struct stat file;
		unsigned char byte;
		bool missing = false;
		int fd;

		for (size_t i = 0; i < COUNT_OF(parts); i++)
			copy_file(store, parts[i], arena_printf(&store->arena, "-young%s", parts[i]));
		fd = open(log, O_RDWR);
		assert_true(fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 40);
		assert_int_equal(pread(fd, &byte, 1, file.st_size / 40 * step), 1);
		byte ^= 0x55;
		assert_int_equal(pwrite(fd, &byte, 1, file.st_size / 40 * step), 1);
		close(fd);
		failure_clear(&store->failure);
		assert_status(store, storage_open(&(struct storage_options){.path = young}, &store->storage, &store->failure), STATUS_OK);
		for (int i = 1; i <= 3; i++)
			missing |= get_plan(store, i, &plan) != STATUS_OK;
		storage_state_get(store->storage, &now);
		assert_int_equal(missing, now.lost_commits > 0);
		counted += missing;
		storage_close(store->storage);
		store->storage = first;
		unlink(log);
	}
	for (size_t i = 0; i < COUNT_OF(left); i++)
		unlink(beside(store, left[i]));
	assert_true(counted > 30);
}

/* The file has only half of its migrations, because its log was damaged before a checkpoint. The mark shows that
 * commits are missing. */
static void a_file_without_a_count_beside_a_mark_has_lost_commits(void **state)
{
	struct store *store = *state;
	struct storage_state now;

	assert_status(store, put_plan(store, 1), STATUS_OK);
	store_close(store);
	unlink(store->path); /* closing removed the log */
	for (int step = 1; step <= 9; step++)
		store_sql(store, migration_sql(step));
	store_sql(store, "PRAGMA application_id = 1179407440; PRAGMA user_version = 9");
	store_open(store);
	storage_state_get(store->storage, &now);
	assert_true(now.lost_commits > 0);
}

static void checks_find_what_was_changed_and_recovery_leaves_it_out(void **state)
{
	struct store *store = *state;
	struct price_row price = store_price(store, "p1", 2), other = store_price(store, "p2", 3);
	struct row_put puts[] = {{.kind = ROW_PRICE, .row = &price}, {.kind = ROW_PRICE, .row = &other}};
	struct recover_result recovered;
	struct check_result result;
	struct plan_record plan;
	int faults = 0;

	for (int i = 1; i <= 30; i++)
		assert_status(store, put_plan(store, i), STATUS_OK);
	for (size_t i = 0; i < COUNT_OF(puts); i++)
		assert_status(store, store_do(store, &puts[i].job, STORAGE_ROW_PUT), STATUS_OK);
	assert_status(store, storage_check(store->path, count_fault, &faults, &result, &store->failure), STATUS_OK); /* beside the daemon */
	assert_int_equal(result.faults, 0);
	assert_int_equal(result.plans, 30);
	assert_int_equal(result.rows, 2);
	store_close(store);
	store_sql(store, "UPDATE plan SET result = result || ' ' WHERE number = 7; UPDATE price SET gpus = 77 WHERE id = 'p2'");
	assert_status(store, storage_check(store->path, count_fault, &faults, &result, &store->failure), STATUS_OK);
	assert_int_equal(result.faults, 2);
	assert_int_equal(faults, 2);
	assert_status(store, storage_recover(store->path, beside(store, "-away"), count_fault, &faults, &recovered, &store->failure), STATUS_OK);
	assert_int_equal(recovered.faults, 2);
	assert_int_equal(rename(beside(store, "-away"), store->path), 0);
	store_open(store);
	for (int i = 1; i <= 30; i++)
		assert_status(store, get_plan(store, i, &plan), i == 7 ? STATUS_NOT_FOUND : STATUS_OK);
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p1", 0, &store->arena, &price, &store->failure), STATUS_OK);
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p2", 0, &store->arena, &price, &store->failure), STATUS_NOT_FOUND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_setup, store_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_of_others_are_refused),
		TEST(a_damaged_file_is_refused_with_advice),
		TEST(places_that_cannot_be_are_refused),
		TEST(one_daemon_a_file_and_tools_beside_it),
		TEST(a_changed_plan_is_not_answered),
		TEST(a_changed_row_is_not_answered),
		TEST(a_changed_role_admits_nobody),
		TEST(no_flipped_bit_changes_an_answer),
		TEST(nothing_is_acknowledged_while_the_file_is_another),
		TEST(what_a_deleted_file_held_is_kept_at_the_end),
		TEST(another_name_is_no_way_around_the_lock),
		TEST(readers_do_not_open_what_replaced_the_file),
		TEST(a_changed_id_is_not_listed),
		TEST(missing_commits_are_said),
		TEST(a_young_file_counts_what_its_log_lost),
		TEST(a_file_without_a_count_beside_a_mark_has_lost_commits),
		TEST(checks_find_what_was_changed_and_recovery_leaves_it_out),
		TEST(a_failing_disk_answers_503_and_heals),
		TEST(a_full_disk_answers_507_and_heals),
		TEST(a_read_only_disk_is_refused_at_start),
	};

	log_set_level(LOG_LEVEL_COUNT); /* the test causes failures on purpose */
	/* Only this process sees its mounts, and they end with it. Without the right to mount, tests that need it are skipped. */
	if (unshare(CLONE_NEWNS) == 0)
		mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
