/* XXH64 against the reference implementation's answers, and what a checksum must do. */
#include <string.h>

#include "base/hash64.h"
#include "base/status.h"
#include "support/assert.h"

static void the_reference_answers_are_met(void **state)
{
	static const struct {
		const char *text;
		uint64_t seed, hash;
	} cases[] = {{"", 0, 0xef46db3751d8e999}, {"a", 0, 0xd24ec4f1a98c6e5b}, {"abc", 0, 0x44bc2cf5ad770999},
		{"abc", 12345, 0x01700e64f6f23509}, {"Nobody inspects the spammish repetition", 0, 0xfbcea83c8a378bf1}};
	unsigned char bytes[256];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_true(hash64(cases[i].text, strlen(cases[i].text), cases[i].seed) == cases[i].hash);
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)i;
	assert_true(hash64(bytes, sizeof bytes, 7) == 0xd233f62ec80e6ea8);
}

/* Every length around lanes and stripes: one flipped bit, and one byte more or less, are seen. */
static void every_flipped_bit_is_seen(void **state)
{
	unsigned char bytes[101] = "what is computed once must be read as it was written, wherever a bit may have turned over in between";

	(void)state;
	for (size_t length = 1; length <= sizeof bytes; length++) {
		uint64_t whole = hash64(bytes, length, 1);

		assert_true(whole != hash64(bytes, length - 1, 1) && whole != hash64(bytes, length, 2));
		for (size_t bit = 0; bit < 8 * length; bit++) {
			bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
			assert_true(hash64(bytes, length, 1) != whole);
			bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reference_answers_are_met),
		cmocka_unit_test(every_flipped_bit_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
