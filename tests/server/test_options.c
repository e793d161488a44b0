/* The table of options as a function: precedence, ranges, help and the effective values. The process is in test_options.py. */
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
	const char *const argv[] = {"serve", "--queue=7", "--workers", "3", "--insecure", "--metrics-open=no", "--cors-origins", "https://a, https://b"};
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
	} cases[] = {{"--queue=0", "from 1 to 65536"}, {"--queue=65537", "from 1 to 65536"}, {"--queue= 5", "whole number"}, {"--queue=", "whole number"},
		{"--queue=5.0", "whole number"}, {"--queue=99999999999999999999", "whole number"}, {"--detach=perhaps", "yes or no"}, {"--log-level=inf", "debug info warning error"},
		{"--datbase=x", "database"}, {"--", "begin with --"}, {"x", "begin with --"}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *const argv[] = {"serve", cases[i].argument};
		struct options options;

		assert_int_equal(read_flags(&options, 2, argv), STATUS_INVALID);
		assert_contains(failure.detail, cases[i].part);
		options_release(&options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_default_is_valid_and_in_the_help),
		cmocka_unit_test(flags_take_both_forms),
		cmocka_unit_test(a_flag_beats_the_environment),
		cmocka_unit_test(wrong_values_say_what_is_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
