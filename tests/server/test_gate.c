/* The gate's rules as functions: targets, UTF-8, and header sections laid out as libmicrohttpd 0.9.75 leaves them. */
#include <string.h>

#include "server/wire/gate.h"
#include "support/assert.h"

static enum status target_of(const char *raw, struct target *target, struct arena *arena)
{
	static struct failure failure;

	failure_clear(&failure);
	return gate_target(raw, arena, target, &failure);
}

static void targets_are_decoded_once(void **state)
{
	struct arena arena;
	struct target target;

	(void)state;
	arena_init(&arena, 1 << 20);
	assert_int_equal(target_of("/v1/pl%61ns/a%20b?x=1&y=a+b%2Bc&&flag&e=", &target, &arena), STATUS_OK);
	assert_string_equal(target.path, "/v1/plans/a b");
	assert_int_equal(target.query_count, 4);
	assert_string_equal(target.query[0].key, "x");
	assert_string_equal(target.query[1].value, "a b+c");
	assert_string_equal(target.query[2].key, "flag");
	assert_string_equal(target.query[2].value, "");
	assert_string_equal(target.query[3].value, "");
	assert_int_equal(target_of("/%2541", &target, &arena), STATUS_OK);
	assert_string_equal(target.path, "/%41");
	assert_int_equal(target_of("/gr%C3%BC%C3%9Fe/.well-known/a..b/...", &target, &arena), STATUS_OK);
	arena_release(&arena);
}

static void strange_targets_are_refused(void **state)
{
	static const char *const bad[] = {"", "*", "livez", "http://a/b", "/%", "/%4", "/%4g", "/%00", "/%0d", "/\x7f", "/%7f", "/a b", "/..",
		"/../a", "/a/..", "/a/../b", "/a/./b", "/.", "/%2e%2E/", "/%2e", "/a%2fb", "/a%5cb", "/\\", "/%ff", "/%c0%80", "/%ed%a0%80",
		"/%f4%90%80%80", "/a?%", "/a?b=%00", "/a?%ff=1", "/a?b=%ff"};
	struct arena arena;
	struct target target;

	(void)state;
	arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (target_of(bad[i], &target, &arena) != STATUS_MALFORMED)
			fail_msg("accepted: %s", bad[i]);
	}
	arena_release(&arena);
}

static void queries_have_a_maximum(void **state)
{
	char raw[4096] = "/a?";
	struct arena arena;
	struct target target;

	(void)state;
	arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < GATE_QUERY_MAX; i++)
		memcpy(raw + 3 + 4 * i, "a=1&", 5);
	raw[3 + 4 * GATE_QUERY_MAX - 1] = '\0';
	assert_int_equal(target_of(raw, &target, &arena), STATUS_OK);
	assert_int_equal(target.query_count, GATE_QUERY_MAX);
	memcpy(raw + strlen(raw), "&b", 3);
	assert_int_equal(target_of(raw, &target, &arena), STATUS_MALFORMED);
	arena_release(&arena);
}

/* Changes a request as libmicrohttpd does: line ends and the colon become NUL, in place. Passes it to the gate. */
static enum status judge(const char *request, size_t length)
{
	static struct failure failure;
	char wire[1024];
	char *line = wire, *end = wire + length;
	const char *version = NULL, *target_end = NULL;
	struct gate gate;

	memcpy(wire, request, length);
	failure_clear(&failure);
	while (line < end) {
		char *feed = memchr(line, '\n', (size_t)(end - line)), *colon;

		assert_non_null(feed);
		*feed = '\0';
		if (feed > line && feed[-1] == '\r')
			feed[-1] = '\0';
		if (!version) {
			target_end = strrchr(line, ' ');
			version = target_end + 1;
			gate_begin(&gate, target_end, version);
		} else if (*line) {
			const char *value;

			colon = strchr(line, ':');
			assert_non_null(colon);
			*colon = '\0';
			value = colon + 1 + strspn(colon + 1, " \t");
			gate_header(&gate, line, strlen(line), value, strlen(value));
		}
		line = feed + 1;
	}
	return gate_end(&gate, version, end, &failure);
}

#define JUDGE(text) judge(text, sizeof(text) - 1)

static void the_layout_of_a_header_section_is_checked(void **state)
{
	(void)state;
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), STATUS_OK);
	assert_int_equal(JUDGE("GET / HTTP/1.0\r\n\r\n"), STATUS_OK);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost:a\r\nX:  b \t\r\nY:\r\n\r\n"), STATUS_OK);
	assert_int_equal(JUDGE("GET / HTTP/1.1\nHost: a\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\n\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX: b\nY: c\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\nY: d\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX: b\0\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX: b\0\n\r\n"),
		STATUS_OK); /* looks the same as CR LF: the one case that the gate cannot distinguish */
}

static void framing_has_one_meaning(void **state)
{
	(void)state;
	assert_int_equal(JUDGE("POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 2\r\n\r\n"), STATUS_OK);
	assert_int_equal(JUDGE("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n"), STATUS_OK);
	assert_int_equal(JUDGE("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\ncontent-LENGTH: 2\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: a\r\nContent-Type: b\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nX: a\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n"), STATUS_OK);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n"), STATUS_EXPECTATION_FAILED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX\xc3\xa4: 1\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX: a\x7f\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX: a\x1f\r\n\r\n"), STATUS_MALFORMED);
	assert_int_equal(JUDGE("GET / HTTP/1.1\r\nHost: a\r\nX: a\tb\r\n\r\n"), STATUS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_are_decoded_once),
		cmocka_unit_test(strange_targets_are_refused),
		cmocka_unit_test(queries_have_a_maximum),
		cmocka_unit_test(the_layout_of_a_header_section_is_checked),
		cmocka_unit_test(framing_has_one_meaning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
