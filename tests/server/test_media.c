/* Negotiation: how Accept, Accept-Encoding and Content-Type headers are understood. */
#include "server/wire/media.h"
#include "support/assert.h"

enum { OFFERED = MEDIA_BIT(MEDIA_JSON) | MEDIA_BIT(MEDIA_CSV) | MEDIA_BIT(MEDIA_MARKDOWN) };

static void the_most_wanted_of_what_is_offered_is_chosen(void **state)
{
	static const struct {
		const char *accept;
		enum media chosen;
	} cases[] = {{NULL, MEDIA_JSON}, {"", MEDIA_JSON}, {"*/*", MEDIA_JSON}, {"text/csv", MEDIA_CSV}, {"text/*", MEDIA_CSV},
		{"TEXT/Markdown", MEDIA_MARKDOWN}, {"text/csv;q=0.4, text/markdown;q=0.5", MEDIA_MARKDOWN},
		{"application/json;q=0, */*", MEDIA_CSV}, {"text/*;q=0.9, text/csv;q=0.1", MEDIA_MARKDOWN},
		{"text/html, application/xhtml+xml, */*;q=0.8", MEDIA_JSON}, {"image/png", MEDIA_COUNT}, {"application/json;q=0", MEDIA_COUNT},
		{"text/csv ; q=0.0", MEDIA_COUNT}, {"text/csvx", MEDIA_COUNT}, {"text/html,text/csv;header=present;q=1.000", MEDIA_CSV}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (media_negotiate(cases[i].accept, OFFERED) != cases[i].chosen)
			fail_msg("%s", cases[i].accept);
	}
	assert_int_equal(media_negotiate("text/plain", MEDIA_BIT(MEDIA_METRICS)), MEDIA_METRICS);
}

static void content_types_are_read_without_their_parameters(void **state)
{
	(void)state;
	assert_int_equal(media_parse("application/json"), MEDIA_JSON);
	assert_int_equal(media_parse("Application/JSON; charset=UTF-8"), MEDIA_JSON);
	assert_int_equal(media_parse("application/merge-patch+json"), MEDIA_MERGE_PATCH);
	assert_int_equal(media_parse("text/csv; header=present"), MEDIA_CSV);
	assert_int_equal(media_parse("application/json; charset=iso-8859-1"), MEDIA_COUNT);
	assert_int_equal(media_parse("application/*"), MEDIA_COUNT);
	assert_int_equal(media_parse("application/jsonx"), MEDIA_COUNT);
	assert_int_equal(media_parse(""), MEDIA_COUNT);
}

static void gzip_is_taken_only_by_those_who_say_so(void **state)
{
	(void)state;
	assert_true(media_accepts_gzip("gzip"));
	assert_true(media_accepts_gzip("br;q=1.0, GZIP;q=0.2"));
	assert_false(media_accepts_gzip(NULL));
	assert_false(media_accepts_gzip(""));
	assert_false(media_accepts_gzip("gzip;q=0"));
	assert_false(media_accepts_gzip("identity, x-gzip"));
}

static void lists_read_as_a_sentence(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 4096);
	assert_string_equal(media_list(OFFERED, &arena), "application/json or text/csv or text/markdown");
	assert_string_equal(media_list(MEDIA_BIT(MEDIA_JSON), &arena), "application/json");
	assert_string_equal(media_list(0, &arena), "nothing");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_wanted_of_what_is_offered_is_chosen),
		cmocka_unit_test(content_types_are_read_without_their_parameters),
		cmocka_unit_test(gzip_is_taken_only_by_those_who_say_so),
		cmocka_unit_test(lists_read_as_a_sentence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
