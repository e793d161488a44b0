/* The Prefer header: which preferences are understood, which are ignored, and what the answer reports as applied. */
#include <string.h>

#include "server/wire/prefer.h"
#include "support/assert.h"

static void preferences_are_read(void **state)
{
	static const struct {
		const char *header;
		bool respond_async;
		int wait_s;
	} cases[] = {
		{NULL, false, -1},
		{"", false, -1},
		{"respond-async", true, -1},
		{"Respond-Async", true, -1},
		{"wait=10", false, 10},
		{"WAIT = 10", false, 10},
		{"wait=\"7\"", false, 7},
		{"wait=0", false, 0},
		{"respond-async, wait=5", true, 5},
		{"wait=5;foo=bar , respond-async; x=\"a,b\"", true, 5},
		{"return=minimal, respond-async", true, -1},
		{"foo=\"respond-async, wait=3\"", false, -1},
		{"wait=5, wait=9", false, 5},
		{"wait=99999999999999999999", false, PREFER_WAIT_MAX_S},
		{"wait=-1", false, -1},
		{"wait=1.5", false, -1},
		{"wait=", false, -1},
		{"wait=\"", false, -1},
		{"wait", false, -1},
		{"wait, =7", false, -1},
		{"respond-asynchronously", false, -1},
		{"waiting=5", false, -1},
		{",,;=", false, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct prefer prefer = prefer_parse(cases[i].header);

		if (prefer.respond_async != cases[i].respond_async || prefer.wait_s != cases[i].wait_s)
			fail_msg("%s: respond-async %d, wait %d", cases[i].header, prefer.respond_async, prefer.wait_s);
	}
}

static void what_was_followed_is_said(void **state)
{
	struct prefer both = {.respond_async = true, .wait_s = 60}, async = {.respond_async = true, .wait_s = -1};
	char applied[PREFER_APPLIED_SIZE] = "";

	(void)state;
	prefer_applied(&both, true, applied);
	assert_string_equal(applied, "respond-async, wait=60");
	prefer_applied(&both, false, applied);
	assert_string_equal(applied, "wait=60");
	prefer_applied(&async, true, applied);
	assert_string_equal(applied, "respond-async");
	prefer_applied(&async, false, applied);
	assert_string_equal(applied, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preferences_are_read),
		cmocka_unit_test(what_was_followed_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
