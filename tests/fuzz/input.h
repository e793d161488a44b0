/* What every fuzzer shares: its entry, and the way from any bytes to what a parser is given.
 *
 * A fuzzer defines fuzz_one; libFuzzer calls it through input.c with each input. Numbers are taken from the front of the input, texts are
 * copied to blocks of their very size, so that the address sanitizer sees a byte that is read beyond them. What was copied is freed after
 * fuzz_one. One thread. */
#ifndef FLEETPLAN_TESTS_FUZZ_INPUT_H
#define FLEETPLAN_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/failure.h"

struct input {
	const uint8_t *at;
	size_t left;
};

/* One input. Whatever is wrong ends with CHECK or a sanitizer's report. */
void fuzz_one(struct input *input);

unsigned input_byte(struct input *input); /* 0 at the end */
uint64_t input_bits(struct input *input); /* eight bytes, zeros for those that lack */

/* The bytes up to the next `mark` (which is passed over) or the end; text ends with a NUL behind its *length bytes. */
char *input_until(struct input *input, char mark, size_t *length);
char *input_rest(struct input *input, size_t *length); /* all that is left */

/* Memory for a parser's texts: the first byte of the input chooses its maximum, mostly `most`, else so little that it runs out at any place. */
void input_arena(struct input *input, struct arena *arena, size_t most);

/* Feeds `bytes` in pieces of `step` bytes, each in a block of its own size, until a status other than STATUS_OK. */
typedef enum status input_feed_function(void *reader, const char *piece, size_t length, struct failure *failure);
enum status input_feed(input_feed_function *feed, void *reader, const char *bytes, size_t length, size_t step, struct failure *failure);

/* Whether JSON text is one whole value of valid UTF-8, as jansson reads it. */
bool input_is_json(const char *text, size_t length);

#endif
