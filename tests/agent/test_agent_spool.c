/* Tests that the spool survives kills, damaged files and full disks. Each test has its own folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/spool.h"
#include "support/assert.h"

enum { PATH_SIZE = 256, LARGE_BYTES = 300 * 1000 };

static char folder[PATH_SIZE];
static struct failure failure;

static const struct spool_entry first = {"0190f5a2-0000-7000-8000-000000000001", 3}, second = {"0190f5a2-0000-7000-8000-000000000002", 1};

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/fleetplan-spool-XXXXXX");
	failure_clear(&failure);
	return mkdtemp(folder) ? 0 : -1;
}

static void each_path(void (*each)(const char *path))
{
	DIR *open_folder = opendir(folder);
	char path[PATH_SIZE + NAME_MAX + 2];

	assert_non_null(open_folder);
	for (struct dirent *file = readdir(open_folder); file; file = readdir(open_folder)) {
		snprintf(path, sizeof(path), "%s/%s", folder, file->d_name);
		if (file->d_name[0] != '.')
			each(path);
	}
	closedir(open_folder);
}

static void remove_path(const char *path)
{
	(void)!unlink(path);
}

static int remove_folder(void **state)
{
	(void)state;
	each_path(remove_path);
	return rmdir(folder);
}

static struct spool open_spool(void)
{
	struct spool spool;

	if (spool_open(&spool, folder, &failure) != STATUS_OK)
		fail_msg("%s", failure.detail);
	return spool;
}

static enum status put(struct spool *spool, const struct spool_entry *entry, const char *body)
{
	return spool_put(spool, entry, body, strlen(body), &failure);
}

static enum status get(struct spool *spool, const struct spool_entry *entry, char *out, size_t size)
{
	struct buffer body;
	enum status status;

	buffer_init(&body, SPOOL_RESULT_MAX_BYTES + 1024);
	failure_clear(&failure);
	status = spool_read(spool, entry, &body, &failure);
	snprintf(out, size, "%s", status == STATUS_OK && body.bytes ? body.bytes : "");
	buffer_release(&body);
	return status;
}

static void results_outlive_the_agent(void **state)
{
	struct spool spool = open_spool();
	struct spool_list list;
	char text[64], id[UUID_TEXT_SIZE];

	(void)state;
	memcpy(id, spool.agent_id, sizeof(id));
	assert_int_equal(put(&spool, &second, "{\"b\":2}"), STATUS_OK);
	assert_int_equal(put(&spool, &first, "{\"a\":1}"), STATUS_OK);
	spool_close(&spool);
	spool = open_spool();
	assert_string_equal(spool.agent_id, id);
	spool_list(&spool, &list);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.entries[0].benchmark_id, first.benchmark_id);
	assert_int_equal(list.entries[0].token, 3);
	assert_int_equal(get(&spool, &list.entries[0], text, sizeof(text)), STATUS_OK);
	assert_string_equal(text, "{\"a\":1}");
	assert_int_equal(put(&spool, &first, "{\"a\":9}"), STATUS_OK);
	assert_int_equal(get(&spool, &first, text, sizeof(text)), STATUS_OK);
	assert_string_equal(text, "{\"a\":9}");
	spool_remove(&spool, &first);
	spool_list(&spool, &list);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.entries[0].benchmark_id, second.benchmark_id);
	spool_close(&spool);
}

static void two_agents_never_share_it(void **state)
{
	struct spool spool = open_spool(), other;

	(void)state;
	assert_int_equal(spool_open(&other, folder, &failure), STATUS_CONFLICT);
	assert_contains(failure.detail, folder);
	spool_close(&spool);
	spool = open_spool();
	spool_close(&spool);
}

static void damage(const char *path)
{
	int fd = open(path, O_RDWR);
	struct stat file;
	char byte;

	if (!strstr(path, ".result"))
		return;
	assert_true(fd >= 0 && fstat(fd, &file) == 0);
	assert_int_equal(pread(fd, &byte, 1, file.st_size - 2), 1);
	byte = (char)(byte ^ 1);
	assert_int_equal(pwrite(fd, &byte, 1, file.st_size - 2), 1);
	close(fd);
}

static void cut(const char *path)
{
	struct stat file;

	if (strstr(path, ".result"))
		assert_true(stat(path, &file) == 0 && truncate(path, file.st_size - 1) == 0);
}

static void empty(const char *path)
{
	if (strstr(path, ".result"))
		assert_int_equal(truncate(path, 0), 0);
}

static void lengthen(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	if (strstr(path, ".result"))
		assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static void what_is_damaged_is_set_aside(void **state)
{
	void (*const harms[])(const char *) = {damage, cut, empty, lengthen};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(harms); i++) {
		struct spool spool = open_spool();
		struct spool_list list;
		char text[64];

		assert_int_equal(put(&spool, &first, "{\"a\":1}"), STATUS_OK);
		each_path(harms[i]);
		assert_int_equal(get(&spool, &first, text, sizeof(text)), STATUS_MALFORMED);
		assert_contains(failure.detail, ".damaged");
		spool_list(&spool, &list);
		assert_int_equal(list.count, 0);
		spool_close(&spool);
	}
}

static void other_files_are_not_results(void **state)
{
	static const char *const names[] = {"x.result", "0190f5a2-0000-7000-8000-000000000001-3.result.bak",
		"0190f5a2-0000-7000-8000-000000000001-.result", "0190f5a2-0000-7000-8000-000000000001-03.result",
		"0190F5A2-0000-7000-8000-000000000001-3.result", "0190f5a2-0000-7000-8000-000000000001-9.draft"};
	struct spool spool;
	struct spool_list list;
	char path[2 * PATH_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	spool = open_spool();
	spool_list(&spool, &list);
	assert_int_equal(list.count, 0);
	assert_int_equal(access(path, F_OK), -1); /* the draft, the last of these files */
	spool_close(&spool);
}

/* A body whose bytes follow from its number, such as "777...". */
static char *body_of(int number)
{
	static char body[LARGE_BYTES + 1];

	memset(body, '0' + number % 10, LARGE_BYTES);
	return body;
}

static void write_until_killed(void)
{
	struct spool spool;

	if (spool_open(&spool, folder, &failure) != STATUS_OK)
		_exit(1);
	for (int i = 0;; i++) {
		if (put(&spool, i % 2 ? &first : &second, body_of(i)) != STATUS_OK)
			_exit(2);
	}
}

/* The test kills the writer 30 times at random moments. Each listed result must be complete and from one write. */
static void a_kill_leaves_whole_results(void **state)
{
	static char text[LARGE_BYTES + 1];
	size_t found = 0;

	(void)state;
	for (int i = 0; i < 30; i++) {
		pid_t child = fork();
		struct spool_list list;
		struct spool spool;

		if (child == 0)
			write_until_killed();
		usleep((useconds_t)(5000 + 1000 * i));
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		spool = open_spool();
		spool_list(&spool, &list);
		for (size_t j = 0; j < list.count; j++, found++) {
			assert_int_equal(get(&spool, &list.entries[j], text, sizeof(text)), STATUS_OK);
			assert_string_equal(text, body_of(text[0] - '0'));
		}
		spool_close(&spool);
	}
	assert_true(found > 0);
}

/* Returns 0 if the spool stored nothing and the earlier result is still complete. */
static int put_where_there_is_no_room(void)
{
	struct spool spool;
	struct spool_list list;
	char text[64];

	if (spool_open(&spool, folder, &failure) != STATUS_OK || put(&spool, &first, "{\"a\":1}") != STATUS_OK)
		return 1;
	if (put(&spool, &first, body_of(1)) != STATUS_STORAGE_FULL || put(&spool, &second, body_of(2)) != STATUS_STORAGE_FULL)
		return 2;
	spool_list(&spool, &list);
	if (list.count != 1 || get(&spool, &first, text, sizeof(text)) != STATUS_OK || strcmp(text, "{\"a\":1}") != 0)
		return 3;
	if (put(&spool, &second, "{\"b\":2}") != STATUS_OK) /* this one fits */
		return 4;
	spool_close(&spool);
	return 0;
}

static void a_limit_of_size_loses_nothing_else(void **state)
{
	const struct rlimit little = {LARGE_BYTES / 2, LARGE_BYTES / 2};
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		signal(SIGXFSZ, SIG_IGN);
		_exit(setrlimit(RLIMIT_FSIZE, &little) ? 9 : put_where_there_is_no_room());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_full_disk_loses_nothing_else(void **state)
{
	enum { NOT_ALLOWED = 77 };
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("spool", folder, "tmpfs", 0, "size=128k"))
			_exit(NOT_ALLOWED);
		_exit(put_where_there_is_no_room());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_ALLOWED) {
		print_message("a file system of its own needs root: skipped\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void it_has_an_end(void **state)
{
	struct spool spool = open_spool();
	struct spool_entry entry = first;

	(void)state;
	for (entry.token = 1; entry.token <= SPOOL_RESULTS_MAX; entry.token++)
		assert_int_equal(put(&spool, &entry, "{}"), STATUS_OK);
	assert_int_equal(put(&spool, &entry, "{}"), STATUS_STORAGE_FULL);
	spool_close(&spool);
}

static void a_folder_that_cannot_be_is_told(void **state)
{
	struct spool spool;

	(void)state;
	assert_int_equal(spool_open(&spool, "/nonexistent/spool", &failure), STATUS_UNAVAILABLE);
	assert_contains(failure.detail, "/nonexistent/spool");
	assert_int_equal(spool_open(&spool, "/dev/null", &failure), STATUS_UNAVAILABLE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		TEST(results_outlive_the_agent),
		TEST(two_agents_never_share_it),
		TEST(what_is_damaged_is_set_aside),
		TEST(other_files_are_not_results),
		TEST(a_kill_leaves_whole_results),
		TEST(a_limit_of_size_loses_nothing_else),
		TEST(a_full_disk_loses_nothing_else),
		TEST(it_has_an_end),
		TEST(a_folder_that_cannot_be_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
