/* The table of options, without a process: precedence, ranges, files, help and the effective values. test_options.py
 * tests the process. */
#include <unistd.h>

#include "server/options.h"
#include "support/assert.h"

static struct failure failure;

static enum status read_flags(struct options *options, int argc, const char *const *argv)
{
	failure_clear(&failure);
	return options_read(options, argc, (char *const *)(uintptr_t)argv, &failure);
}

static void every_default_is_valid_and_in_the_help(void **state)
{
	const char *const argv[] = {"serve"};
	struct options options;
	struct buffer help;

	(void)state;
	assert_int_equal(read_flags(&options, 1, argv), STATUS_OK);
	assert_string_equal(options.listen, "127.0.0.1:8080");
	assert_string_equal(options.database, "fleetplan.db");
	assert_int_equal(options.receive_seconds, 10);
	assert_false(options.insecure);
	assert_false(options.values.help);
	buffer_init(&help, 1 << 16);
	options_write_help(&help);
	assert_contains(help.bytes, "--bootstrap-key-file TEXT");
	assert_contains(help.bytes, "(127.0.0.1:8080)");
	buffer_release(&help);
	options_release(&options);
}

static void flags_take_both_forms(void **state)
{
	const char *const argv[] = {
		"serve", "--queue=7", "--workers", "3", "--insecure", "--metrics-open=no", "--cors-origins", "https://a, https://b"};
	struct options options;

	(void)state;
	assert_int_equal(read_flags(&options, (int)COUNT_OF(argv), argv), STATUS_OK);
	assert_int_equal(options.queue, 7);
	assert_int_equal(options.workers, 3);
	assert_true(options.insecure);
	assert_false(options.metrics_open);
	assert_string_equal(options.cors_origins, "https://a, https://b");
	options_release(&options);
}

static void a_flag_beats_the_environment(void **state)
{
	const char *const argv[] = {"serve", "--queue", "8"};
	struct options options;

	(void)state;
	setenv("FLEETPLAN_QUEUE", "9", 1);
	setenv("FLEETPLAN_IDLE_SECONDS", "11", 1);
	assert_int_equal(read_flags(&options, 3, argv), STATUS_OK);
	assert_int_equal(options.queue, 8);
	assert_int_equal(options.idle_seconds, 11);
	options_release(&options);
	setenv("FLEETPLAN_QUEUE", "many", 1);
	assert_int_equal(read_flags(&options, 1, argv), STATUS_INVALID);
	assert_contains(failure.detail, "FLEETPLAN_QUEUE");
	options_release(&options);
	unsetenv("FLEETPLAN_QUEUE");
	unsetenv("FLEETPLAN_IDLE_SECONDS");
}

static void wrong_values_say_what_is_right(void **state)
{
	static const struct {
		const char *argument, *part;
	} cases[] = {{"--queue=0", "from 1 to 65536"}, {"--queue=65537", "from 1 to 65536"}, {"--queue= 5", "whole number"},
		{"--queue=", "whole number"}, {"--queue=5.0", "whole number"}, {"--queue=99999999999999999999", "whole number"},
		{"--detach=perhaps", "yes or no"}, {"--log-level=inf", "debug info warning error"}, {"--datbase=x", "database"},
		{"--", "begin with --"}, {"x", "begin with --"}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *const argv[] = {"serve", cases[i].argument};
		struct options options;

		assert_int_equal(read_flags(&options, 2, argv), STATUS_INVALID);
		assert_contains(failure.detail, cases[i].part);
		options_release(&options);
	}
}

/* Reads a file with this text. */
static enum status read_file(struct options *options, const char *text, size_t length)
{
	char path[] = "/tmp/test_options.XXXXXX";
	const char *const argv[] = {"serve", "--config", path};
	int fd = mkstemp(path);
	enum status status;

	assert_true(fd >= 0 && write(fd, text, length) == (ssize_t)length && close(fd) == 0);
	status = read_flags(options, 3, argv);
	unlink(path);
	return status;
}

static void what_is_printed_is_a_file_that_means_the_same(void **state)
{
	char text[2000] = "cors-origins =  # none\nlog-file =\t#\nallowed-hosts =#a#b\ndatabase = ";
	struct options options;
	struct buffer effective;
	size_t length = strlen(text);

	(void)state;
	memset(text + length, 'd', 1000);
	text[length + 1000] = '\n';
	assert_int_equal(read_file(&options, text, length + 1001), STATUS_OK);
	assert_string_equal(options.cors_origins, "");
	assert_string_equal(options.log_file, "");
	assert_string_equal(options.allowed_hosts, "#a#b");
	assert_int_equal(strlen(options.database), 1000);
	buffer_init(&effective, 1 << 16);
	options_write_effective(&options, &effective);
	options_release(&options);
	assert_contains(effective.bytes, "\ncors-origins =  # file\n");
	assert_int_equal(read_file(&options, effective.bytes, effective.length), STATUS_OK);
	assert_string_equal(options.cors_origins, "");
	assert_string_equal(options.bootstrap_key_file, "");
	assert_string_equal(options.allowed_hosts, "#a#b");
	assert_int_equal(strlen(options.database), 1000);
	options_release(&options);
	buffer_release(&effective);
}

static void a_line_of_any_length_is_one_line(void **state)
{
	static char text[6000] = "# ";
	struct options options;

	(void)state;
	memset(text + 2, 'x', 4093);
	memcpy(text + 4095, "workers = 7\nqueue = 8\n", 22); /* the first of them is the end of the comment */
	assert_int_equal(read_file(&options, text, 4117), STATUS_OK);
	assert_int_equal(options.workers, 0);
	assert_int_equal(options.queue, 8);
	options_release(&options);
	assert_int_equal(read_file(&options, "queue = 7\nqueue\0 = 8\n", 22), STATUS_INVALID);
	assert_contains(failure.detail, ":2: the line has a NUL byte");
	options_release(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_default_is_valid_and_in_the_help),
		cmocka_unit_test(flags_take_both_forms),
		cmocka_unit_test(a_flag_beats_the_environment),
		cmocka_unit_test(wrong_values_say_what_is_right),
		cmocka_unit_test(what_is_printed_is_a_file_that_means_the_same),
		cmocka_unit_test(a_line_of_any_length_is_one_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
