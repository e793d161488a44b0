/* Tests of text: valid UTF-8, and the bytes that JSON escapes. */
#include "base/json_text.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "support/assert.h"

static void utf8_is_the_shortest_form(void **state)
{
	static const char good[] = "a\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
	static const char *const bad[] = {"\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xc2\xc2", "\xe1\x80"};

	(void)state;
	assert_true(utf8_valid("", 0));
	assert_true(utf8_valid(good, sizeof good - 1));
	assert_false(utf8_valid(good, sizeof good - 2));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(utf8_valid(bad[i], strlen(bad[i])));
}

static void every_code_point_is_encoded_as_it_is_read(void **state)
{
	char text[UTF8_CHARACTER_MAX];

	(void)state;
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		size_t length = utf8_encode(text, c);
		bool surrogate = c >= 0xd800 && c <= 0xdfff;

		assert_int_equal(utf8_character_length(text, length), surrogate ? 0 : length);
		assert_int_equal(utf8_character_length(text, length - 1), 0);
	}
	assert_memory_equal(text, "\xf4\x8f\xbf\xbf", 4);
}

/* Puts each byte at each place of a text of 1 to 19 bytes (words of eight and a rest). The run ends at that place
 * exactly if the byte is not plain. */
static void a_run_ends_at_the_first_byte_that_is_not_plain(void **state)
{
	(void)state;
	for (size_t length = 1; length < 20; length++) {
		for (size_t at = 0; at < length; at++) {
			for (int c = 0; c < 256; c++) {
				char text[20] = "abcdefghij !~[]{}:,";
				bool escaped = c < 0x20 || c == '"' || c == '\\' || c == 0x7f;

				text[at] = (char)c;
				assert_int_equal(json_plain_length(text, length, false), escaped ? at : length);
				assert_int_equal(json_plain_length(text, length, true), escaped || c >= 0x80 ? at : length);
			}
		}
	}
}

static void a_string_is_escaped_wherever_it_must(void **state)
{
	struct json_writer writer;
	struct buffer buffer;

	(void)state;
	buffer_init(&buffer, 1000);
	json_writer_init(&writer, &buffer);
	json_string(&writer, "\"eight by\ttes\\ and \x7f\n\xc3\xa4\"");
	assert_string_equal(buffer.bytes, "\"\\\"eight by\\u0009tes\\\\ and \\u007f\\n\xc3\xa4\\\"\"");
	buffer_release(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_the_shortest_form),
		cmocka_unit_test(every_code_point_is_encoded_as_it_is_read),
		cmocka_unit_test(a_run_ends_at_the_first_byte_that_is_not_plain),
		cmocka_unit_test(a_string_is_escaped_wherever_it_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
