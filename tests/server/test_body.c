/* Request bodies while they arrive: limits on the wire and after unpacking, the common budget, and compression of
 * answers. */
#include <string.h>

#include "server/wire/body.h"
#include "server/wire/compress.h"
#include "support/assert.h"

static struct failure failure;

static void pieces_become_one_run_of_bytes(void **state)
{
	struct body body = {0};

	(void)state;
	failure_clear(&failure);
	assert_int_equal(body_begin(&body, NULL, 0, 10, NULL, &failure), STATUS_OK);
	assert_int_equal(body_receive(&body, "hello", 5, &failure), STATUS_OK);
	assert_int_equal(body_receive(&body, "world", 5, &failure), STATUS_OK);
	assert_int_equal(body_end(&body, &failure), STATUS_OK);
	assert_string_equal(body.bytes.bytes, "helloworld");
	assert_int_equal(body_receive(&body, "!", 1, &failure), STATUS_TOO_LARGE);
	assert_int_equal(body_begin(&body, NULL, 11, 10, NULL, &failure), STATUS_TOO_LARGE);
	assert_int_equal(body_begin(&body, "br", 0, 10, NULL, &failure), STATUS_UNSUPPORTED_MEDIA);
	body_release(&body);
}

/* Compresses `length` spaces. */
static void pack(size_t length, struct buffer *packed)
{
	char *plain = malloc(length);

	assert_non_null(plain);
	memset(plain, ' ', length);
	buffer_init(packed, length);
	assert_true(compress_gzip(plain, length, packed));
	free(plain);
}

static enum status unpack(const struct buffer *packed, size_t length, size_t step, size_t limit, size_t *came_out)
{
	struct body body = {0};
	enum status status = body_begin(&body, "gzip", 0, limit, NULL, &failure);

	for (size_t i = 0; i < length && status == STATUS_OK; i += step)
		status = body_receive(&body, packed->bytes + i, length - i < step ? length - i : step, &failure);
	if (status == STATUS_OK)
		status = body_end(&body, &failure);
	*came_out = body.bytes.length;
	body_release(&body);
	return status;
}

static void the_limit_counts_what_comes_out(void **state)
{
	struct buffer packed;
	size_t came_out;

	(void)state;
	pack(1000000, &packed);
	assert_true(packed.length < 5000);
	assert_int_equal(unpack(&packed, packed.length, 100, 1000000, &came_out), STATUS_OK);
	assert_int_equal(came_out, 1000000);
	assert_int_equal(unpack(&packed, packed.length, packed.length, 999999, &came_out), STATUS_TOO_LARGE);
	assert_true(came_out <= 999999);
	assert_int_equal(unpack(&packed, packed.length, 1, 100000, &came_out), STATUS_TOO_LARGE);
	assert_true(came_out <= 100000);
	assert_int_equal(unpack(&packed, packed.length - 1, 100, 1000000, &came_out), STATUS_MALFORMED);
	packed.bytes[packed.length - 6] ^= 0x55; /* the checksum: other changed bytes may still decode to the same spaces */
	assert_int_equal(unpack(&packed, packed.length, 100, 1000000, &came_out), STATUS_MALFORMED);
	buffer_release(&packed);
}

static void all_bodies_share_a_budget(void **state)
{
	struct memory_budget budget = {.maximum_bytes = 10000};
	struct body first = {0}, second = {0};
	char piece[6000];

	(void)state;
	memset(piece, 'x', sizeof piece);
	assert_int_equal(body_begin(&first, NULL, 0, 100000, &budget, &failure), STATUS_OK);
	assert_int_equal(body_begin(&second, NULL, 0, 100000, &budget, &failure), STATUS_OK);
	assert_int_equal(body_receive(&first, piece, sizeof piece, &failure), STATUS_OK);
	assert_int_equal(body_receive(&second, piece, sizeof piece, &failure), STATUS_OVERLOADED);
	assert_true(failure.retry_after_s > 0);
	body_clear(&first);
	body_clear(&second);
	assert_int_equal(budget.used_bytes, 0);
	assert_int_equal(body_begin(&second, NULL, 0, 100000, &budget, &failure), STATUS_OK);
	assert_int_equal(body_receive(&second, piece, sizeof piece, &failure), STATUS_OK);
	body_release(&first);
	body_release(&second);
}

/* A held body is read in slices. No byte is lost between slices, wherever the network splits the body. */
static void what_is_held_is_read_in_slices(void **state)
{
	static const size_t steps[] = {1, 700, 100000};
	const size_t length = 5000000;
	struct buffer packed;

	(void)state;
	pack(length, &packed);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		struct body body = {0};
		size_t slices = 0;
		bool more = true;

		failure_clear(&failure);
		assert_int_equal(body_begin(&body, "gzip", 0, length, NULL, &failure), STATUS_OK);
		assert_true(body_is_work(&body));
		for (size_t at = 0; at < packed.length; at += steps[i]) {
			size_t step = packed.length - at < steps[i] ? packed.length - at : steps[i];

			assert_int_equal(body_hold(&body, packed.bytes + at, step, &failure), STATUS_OK);
		}
		assert_int_equal(body.bytes.length, 0);
		for (; more; slices++)
			assert_int_equal(body_read(&body, true, &more, &failure), STATUS_OK);
		assert_true(body.ended && slices >= 4 && slices <= 6);
		assert_int_equal(body_out_bytes(&body), length);
		assert_int_equal(body.held.length, 0);
		body_release(&body);
	}
	buffer_release(&packed);
}

/* No bytes arrived: a plain body is then empty and valid; a packed one is not valid. */
static void an_empty_body_is_read_to_its_end(void **state)
{
	struct body body = {0};
	bool more = true;

	(void)state;
	failure_clear(&failure);
	assert_int_equal(body_begin(&body, NULL, 0, 10, NULL, &failure), STATUS_OK);
	assert_int_equal(body_read(&body, true, &more, &failure), STATUS_OK);
	assert_true(body.ended && !more);
	assert_int_equal(body_begin(&body, "gzip", 0, 10, NULL, &failure), STATUS_OK);
	assert_int_equal(body_read(&body, true, &more, &failure), STATUS_MALFORMED);
	assert_contains(failure.detail, "cut short");
	body_release(&body);
}

static void what_does_not_shrink_is_not_packed(void **state)
{
	struct buffer packed;
	char noise[64];

	(void)state;
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (char)(i * i * 131 + i * 17 + 7);
	buffer_init(&packed, 1024);
	assert_false(compress_gzip(noise, sizeof noise, &packed));
	assert_int_equal(packed.length, 0);
	buffer_release(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_become_one_run_of_bytes),
		cmocka_unit_test(the_limit_counts_what_comes_out),
		cmocka_unit_test(all_bodies_share_a_budget),
		cmocka_unit_test(what_is_held_is_read_in_slices),
		cmocka_unit_test(an_empty_body_is_read_to_its_end),
		cmocka_unit_test(what_does_not_shrink_is_not_packed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
