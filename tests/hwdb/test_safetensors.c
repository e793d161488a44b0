/* Tests headers of safetensors files: the number of parameters, and texts that are not headers. */
#include <string.h>

#include "base/given.h"
#include "hwdb/feeds/safetensors.h"
#include "support/assert.h"

static struct arena arena;
static struct failure failure;
static struct safetensors found;

static enum status length_of(const char *bytes, size_t length, uint64_t *header)
{
	failure_clear(&failure);
	return safetensors_header_length(bytes, length, header, &failure);
}

static enum status read_header(const char *text)
{
	failure_clear(&failure);
	arena_reset(&arena);
	memset(&found, 0, sizeof found);
	return safetensors_header_read(text, strlen(text), &arena, &found, &failure);
}

static enum status read_index(const char *text)
{
	failure_clear(&failure);
	arena_reset(&arena);
	return safetensors_index_read(text, strlen(text), &arena, &found, &failure);
}

static void a_length_is_judged_before_it_is_believed(void **state)
{
	uint64_t header = 0;

	(void)state;
	assert_int_equal(length_of("\x10\x27\0\0\0\0\0\0", 8, &header), STATUS_OK);
	assert_int_equal(header, 10000);
	assert_int_equal(length_of("\x10\x27\0", 3, &header), STATUS_MALFORMED);
	assert_int_equal(length_of("\0\0\0\0\0\0\0\0", 8, &header), STATUS_MALFORMED);
	assert_int_equal(length_of("\xff\xff\xff\xff\xff\xff\xff\xff", 8, &header), STATUS_MALFORMED);
	assert_contains(failure.detail, "18446744073709551615");
	assert_int_equal(length_of("\0\0\0\x01\0\0\0\0", 8, &header), STATUS_MALFORMED); /* 16 MiB */
	assert_int_equal(length_of("{\"a\":\"b\"", 8, &header), STATUS_MALFORMED);       /* a web page, not a file */
}

static void numbers_are_counted_by_format(void **state)
{
	(void)state;
	assert_int_equal(
		read_header("{\"__metadata__\":{\"format\":\"pt\"},\"a\":{\"dtype\":\"BF16\",\"shape\":[1000,2000],\"data_offsets\":[0,4000000]},"
					"\"b\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[4000000,4000002]}}"),
		STATUS_OK);
	assert_close(found.params_total, 2000001, 0);
	assert_close(found.bytes, 4000002, 0);
	assert_close(found.bits, 16, 0);
	assert_string_equal(found.dtypes, "BF16");
	assert_int_equal(
		read_header("{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[900],\"data_offsets\":[0,900]},\"b\":{\"dtype\":\"F32\",\"shape\":[100],"
					"\"data_offsets\":[900,1300]}}"),
		STATUS_OK);
	assert_string_equal(found.dtypes, "F32 10 %, F8_E4M3 90 %");
	assert_close(found.params_total, 1000, 0);
	/* Each integer contains eight four-bit weights, so the number of parameters is unknown. */
	assert_int_equal(read_header("{\"a\":{\"dtype\":\"I32\",\"shape\":[500],\"data_offsets\":[0,2000]},\"b\":{\"dtype\":\"F16\",\"shape\":[500],"
								 "\"data_offsets\":[2000,3000]}}"),
		STATUS_OK);
	assert_false(is_given(found.params_total));
}

static void what_is_no_header_is_refused(void **state)
{
	static const char *const wrong[] = {"", "[]", "{}", "{\"__metadata__\":{}}", "{\"a\":1}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}",
		"{\"a\":{\"dtype\":\"BF17\",\"shape\":[2],\"data_offsets\":[0,4]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[-2],\"data_offsets\":[0,4]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2.5],\"data_offsets\":[0,4]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":\"2\",\"data_offsets\":[0,4]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,8]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[4,0]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0]}}", "{\"a\":{\"dtype\":\"BF16\",\"shape\":[2]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[4000000000,4000000000],\"data_offsets\":[0,4]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,2]}}",
		"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]},\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[4,8]}}"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		if (read_header(wrong[i]) != STATUS_MALFORMED)
			fail_msg("accepted as a header: %s", wrong[i]);
}

static void an_index_names_files_of_the_repository(void **state)
{
	static const char *const wrong[] = {"", "[]", "{}", "{\"weight_map\":{}}", "{\"weight_map\":{\"a\":1}}",
		"{\"weight_map\":{\"a\":\"../x.safetensors\"}}", "{\"weight_map\":{\"a\":\"https://evil.example/x.safetensors\"}}",
		"{\"weight_map\":{\"a\":\"x.bin\"}}", "{\"weight_map\":{\"a\":\"x.safetensors\",\"b\":\"y\"}}"};

	(void)state;
	assert_int_equal(
		read_index("{\"metadata\":{\"total_size\":16060522496},\"weight_map\":{\"a\":\"model-00001-of-00004.safetensors\"}}"), STATUS_OK);
	assert_close(found.bytes, 16060522496, 0);
	assert_false(is_given(found.params_total));
	assert_string_equal(found.first_file, "model-00001-of-00004.safetensors");
	assert_int_equal(
		read_index("{\"metadata\":{\"total_size\":2e9,\"total_parameters\":1e9},\"weight_map\":{\"a\":\"m.safetensors\"}}"), STATUS_OK);
	assert_close(found.params_total, 1e9, 0);
	assert_int_equal(
		read_index("{\"metadata\":{\"total_size\":\"NaN\",\"total_parameters\":-1},\"weight_map\":{\"a\":\"m.safetensors\"}}"), STATUS_OK);
	assert_false(is_given(found.params_total) || is_given(found.bytes));
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		if (read_index(wrong[i]) != STATUS_MALFORMED)
			fail_msg("accepted as an index: %s", wrong[i]);
}

static int begin(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_length_is_judged_before_it_is_believed),
		cmocka_unit_test(numbers_are_counted_by_format),
		cmocka_unit_test(what_is_no_header_is_refused),
		cmocka_unit_test(an_index_names_files_of_the_repository),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
