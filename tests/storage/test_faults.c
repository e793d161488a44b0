/* Bad days: damaged files, changed bytes, full and read-only disks, two daemons, a file of somebody else. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
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
	snprintf(path, sizeof path, "%s", store->folder); /* a folder is no file */
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

/* Changes that SQLite does not see: each member under a checksum, by SQL that keeps the file in order. */
static void a_changed_plan_is_not_answered(void **state)
{
	static const char *const changes[] = {"result = replace(result, 'gpu', 'cpu')", "request = request || ' '", "model = 'other'",
		"kind = 'inference'", "catalogue_revision = 8", "planner_version = '9'", "computed_at_us = 1", "created_at_us = 2", "name = 'x'",
		"notes = NULL", "labels = '{}'", "accelerator = NULL", "calibration_revision = NULL", "updated_at_us = updated_at_us + 1",
		"checksum = checksum / 2", "head_checksum = head_checksum / 2", "revision = 2", "revision = 2, content_revision = 2"};
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
		if (strncmp(changes[i], "name", 4) == 0)
			assert_status(store, store_do(store, &patch.job, STORAGE_PLAN_PATCH), STATUS_UNAVAILABLE);
		assert_status(store, store_do(store, &gone.job, STORAGE_PLAN_DELETE), STATUS_OK); /* can be got rid of */
	}
}

/* A flipped bit anywhere: the file is refused, or a plan is refused, or the answer is right. Never wrong data. */
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

/* The size limit of files stands for a disk that fails: an I/O error, no harm to what is stored, and it heals. */
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
	small.rlim_cur = 0; /* not even the small write of the probe gets through */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_status(store, get_plan(store, number - 1, &plan), STATUS_OK);
	storage_state_get(store->storage, &after);
	assert_false(after.writable);
	assert_int_equal(after.last_status, STATUS_UNAVAILABLE);
	assert_true(after.failed_commits > 0);
	assert_status(store, sweep_nothing(store), STATUS_OK); /* a commit without a page to write */
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

/* A file system of its own of that size under the store's folder; false when this user may not mount. */
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
	assert_status(store, get_plan(store, 1, &plan), STATUS_OK); /* reads go on */
	assert_status(store, get_plan(store, number, &plan), STATUS_NOT_FOUND);
	assert_status(store, storage_backup(store->storage, arena_printf(&store->arena, "%s.backup", store->path), &size, &store->failure),
		STATUS_STORAGE_FULL);
	storage_state_get(store->storage, &now);
	assert_false(now.writable);
	assert_int_equal(now.last_status, STATUS_STORAGE_FULL);
	remove_file(store, "filler");
	nanosleep(&(struct timespec){1, 50000000}, NULL); /* the store looks once a second, by itself */
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

/* What happens to a file beneath a daemon, and how it is undone. */
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

static void nothing_is_acknowledged_while_the_file_is_another(void **state)
{
	static const struct {
		void (*happen)(struct store *store, const char *suffix, bool undo);
		const char *suffix, *detail;
	} days[] = {
		{file_delete, "", "deleted or moved"}, {file_replace, "", "replaced by another file"}, {file_link, "", "hard links"},
		{file_delete, "-wal", "deleted or moved"}, {file_replace, "-wal", "replaced by another file"}, {file_link, "-wal", "hard links"},
		{file_delete, "-shm", "deleted or moved"}, {file_replace, "-shm", "replaced by another file"},
	};
	struct store *store = *state;
	struct storage_state now;
	struct plan_record plan;
	int number = 0;

	for (size_t i = 0; i < COUNT_OF(days); i++) {
		assert_status(store, put_plan(store, ++number), STATUS_OK);
		days[i].happen(store, days[i].suffix, false);
		storage_state_get(store->storage, &now); /* readiness falls before anything is written */
		assert_false(now.writable);
		assert_contains(now.last_detail, days[i].detail);
		assert_status(store, put_plan(store, number + 1), STATUS_UNAVAILABLE);
		assert_contains(store->failure.detail, days[i].detail);
		assert_status(store, get_plan(store, number, &plan), STATUS_OK); /* what is held is read */
		assert_status(store, get_plan(store, number + 1, &plan), STATUS_NOT_FOUND);
		days[i].happen(store, days[i].suffix, true);
		assert_status(store, put_plan(store, ++number), STATUS_OK); /* heals by itself */
		storage_state_get(store->storage, &now);
		assert_true(now.writable);
	}
	store_close(store);
	assert_integrity(store);
	store_open(store);
	for (int i = 1; i <= number; i++)
		assert_status(store, get_plan(store, i, &plan), STATUS_OK);
}

/* Its connections still read the file: what was acknowledged is written to a copy before the last one is closed. */
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_setup, store_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_of_others_are_refused),
		TEST(a_damaged_file_is_refused_with_advice),
		TEST(places_that_cannot_be_are_refused),
		TEST(one_daemon_a_file_and_tools_beside_it),
		TEST(a_changed_plan_is_not_answered),
		TEST(no_flipped_bit_changes_an_answer),
		TEST(nothing_is_acknowledged_while_the_file_is_another),
		TEST(what_a_deleted_file_held_is_kept_at_the_end),
		TEST(another_name_is_no_way_around_the_lock),
		TEST(a_failing_disk_answers_503_and_heals),
		TEST(a_full_disk_answers_507_and_heals),
		TEST(a_read_only_disk_is_refused_at_start),
	};

	log_set_level(LOG_LEVEL_COUNT); /* failures are expected here */
	/* Mounts are seen by this process alone, and end with it. Without the right to it, the tests that need it skip. */
	if (unshare(CLONE_NEWNS) == 0)
		mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
