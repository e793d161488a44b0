/* Tests reads from storage, and decoding: what is read, what is refused, and that no file remains. */
#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bench/random.h"
#include "bench/suite/decode.h"
#include "bench/suite/storage.h"
#include "bench/suite/storage_file.h"
#include "support/assert.h"

enum { BLOCK = 64 * 1024, BLOCKS = 64 };

/* The folder is on the disk of the tree, because /tmp may be in memory. */
static char folder[] = "build/storage-test-XXXXXX";

static int setup(void **state)
{
	(void)state;
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	assert_non_null(mkdtemp(folder));
	return 0;
}

static int teardown(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/data", folder);
	(void)unlink(path);
	snprintf(path, sizeof(path), "%s/small", folder);
	(void)unlink(path);
	return rmdir(folder); /* fails if a file remains */
}

static void write_file(const char *name, size_t bytes)
{
	unsigned char *block = malloc(bytes);
	uint64_t seed = 3;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	assert_non_null(block);
	for (size_t i = 0; i < bytes; i++)
		block[i] = (unsigned char)random_next(&seed);
	assert_int_equal(write(fd, block, bytes), bytes);
	close(fd);
	free(block);
}

static bool in_memory(void)
{
	struct statfs system;
	bool memory = false;

	assert_int_equal(statfs(folder, &system), 0);
	(void)bench_storage_kind((long)system.f_type, &memory);
	return memory;
}

static void read_and_verify(const struct storage_request *request)
{
	struct bench_reason reason = {""};
	struct bench_check check;
	struct bench_work work;
	double elapsed_s = 0;

	if (bench_storage_prepare(request, &work, &reason) != BENCH_OK)
		fail_msg("%s", reason.text);
	assert_int_equal(work.verify(&work, &check, &reason), BENCH_OK);
	assert_true(check.verified && check.samples > 0);
	assert_int_equal(work.run(&work, &elapsed_s, &reason), BENCH_OK);
	assert_true(elapsed_s > 0);
	assert_true(work.bytes >= BLOCK);
	work.release(&work);
}

static void the_largest_file_of_a_folder_is_read(void **state)
{
	_Atomic uint64_t alive = 0;
	struct storage_request request = {.path = folder, .block_bytes = BLOCK, .threads = 3, .alive = &alive};
	struct storage_file file;
	struct bench_reason reason;

	(void)state;
	if (in_memory())
		skip();
	write_file("small", 10);
	write_file("data", (size_t)BLOCK * BLOCKS + 17);
	assert_int_equal(storage_file_open(&file, folder, 0, NULL, &reason), BENCH_OK);
	assert_contains(file.name, "/data");
	assert_int_equal(file.bytes, (size_t)BLOCK * BLOCKS + 17);
	storage_file_close(&file);
	read_and_verify(&request);
	request.random = true;
	request.block_bytes = 5000; /* rounded up to whole pages */
	read_and_verify(&request);
	assert_true(atomic_load(&alive) > 0);
}

/* The backend makes the file without a name. The folder is empty during the test, so no file can remain. */
static void a_file_that_was_asked_for_has_no_name(void **state)
{
	struct storage_request request = {.path = folder, .block_bytes = BLOCK, .threads = 2, .write_bytes = (double)BLOCK * BLOCKS};
	struct bench_reason reason = {""};
	struct bench_check check;
	struct bench_work work;
	enum bench_outcome outcome;
	size_t entries = 0;
	DIR *open_folder;

	(void)state;
	if (in_memory())
		skip();
	outcome = bench_storage_prepare(&request, &work, &reason);
	if (outcome == BENCH_UNSUPPORTED && strstr(reason.text, "without a name"))
		skip(); /* the file system does not support files without a name */
	assert_int_equal(outcome, BENCH_OK);
	open_folder = opendir(folder);
	while (readdir(open_folder))
		entries++;
	closedir(open_folder);
	assert_int_equal(entries, 2); /* . and .. */
	assert_int_equal(work.verify(&work, &check, &reason), BENCH_OK);
	assert_true(check.verified);
	work.release(&work);
}

static void what_is_no_storage_is_refused(void **state)
{
	static const struct {
		const char *path, *reason;
		double write_bytes;
	} refused[] = {{"/dev/shm", "memory, not storage", 1e6}, {"/proc/self/maps", "memory, not storage", 0}, {"/nowhere", "No such file", 0},
		{folder, "no file to read", 0}, {folder, "enough free space", 1e10}, {folder, "at most", 1e15}};
	struct bench_reason reason = {""};
	struct bench_work work;
	struct storage_request request = {.block_bytes = BLOCK, .threads = 1};
	bool memory;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct statfs system;

		if (refused[i].path == folder && in_memory())
			continue;
		if (refused[i].write_bytes > 1e9 && refused[i].write_bytes < 1e12 && statfs(folder, &system) == 0 &&
			(double)system.f_bavail * (double)system.f_bsize * 0.9 > refused[i].write_bytes)
			continue; /* this disk has that much room */
		if (!strcmp(refused[i].path, "/dev/shm") && access("/dev/shm", W_OK))
			continue;
		request.path = refused[i].path;
		request.write_bytes = refused[i].write_bytes;
		assert_int_equal(bench_storage_prepare(&request, &work, &reason), BENCH_UNSUPPORTED);
		assert_contains(reason.text, refused[i].reason);
	}
	assert_string_equal(bench_storage_kind(0x01021994, &memory), "tmpfs");
	assert_true(memory);
	assert_string_equal(bench_storage_kind(0xef53, &memory), "ext4");
	assert_false(memory);
	assert_string_equal(bench_storage_kind(0x1234, &memory), "");
}

static void a_file_that_is_too_small_is_refused(void **state)
{
	struct storage_request request = {.path = folder, .block_bytes = BLOCK, .threads = 1};
	struct bench_reason reason = {""};
	struct bench_work work;

	(void)state;
	if (in_memory())
		skip();
	write_file("data", 3 * BLOCK);
	assert_int_equal(bench_storage_prepare(&request, &work, &reason), BENCH_UNSUPPORTED);
	assert_contains(reason.text, "too small");
}

static void decode(enum bench_outcome outcome, struct bench_work *work, const struct bench_reason *reason, const char *missing)
{
	struct bench_reason failed;
	struct bench_check check;
	double elapsed_s = 0;

	if (outcome == BENCH_UNSUPPORTED) {
		assert_contains(reason->text, missing);
		return;
	}
	assert_int_equal(outcome, BENCH_OK);
	assert_int_equal(work->verify(work, &check, &failed), BENCH_OK);
	assert_true(check.verified);
	assert_int_equal(work->run(work, &elapsed_s, &failed), BENCH_OK);
	assert_true(elapsed_s > 0);
	work->release(work);
}

/* Each decoder returns the encoded input, or is missing and says what to install. */
static void input_is_decoded_as_it_was(void **state)
{
	struct bench_reason reason = {""};
	struct bench_work work;
	enum bench_outcome outcome;

	(void)state;
	outcome = bench_inflate_prepare(2, NULL, &work, &reason);
	if (outcome == BENCH_OK)
		assert_close(work.bytes, 2.0 * (1 << 20), 0);
	decode(outcome, &work, &reason, "zlib");
	outcome = bench_jpeg_prepare(2, NULL, &work, &reason);
	if (outcome == BENCH_OK)
		assert_close(work.items, 2, 0);
	decode(outcome, &work, &reason, "libturbojpeg0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_largest_file_of_a_folder_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_that_was_asked_for_has_no_name, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_storage_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_that_is_too_small_is_refused, setup, teardown),
		cmocka_unit_test(input_is_decoded_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
