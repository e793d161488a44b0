/* The parts that every fuzzer shares: its entry, and the reading of the input.
 *
 * A fuzzer defines fuzz_one; libFuzzer calls it through input.c with each input. Numbers come from the front of the
 * input. Texts are copied to blocks of exactly their size, so that the address sanitizer notices a read past their end.
 * The copies are freed after fuzz_one. One thread. */
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

/* Runs one input. A fault ends the program by CHECK or by a sanitizer. */
void fuzz_one(struct input *input);

unsigned input_byte(struct input *input); /* 0 at the end */
uint64_t input_bits(struct input *input); /* eight bytes; missing ones are zeros */

/* Returns the bytes up to the next `mark` or the end, and skips the mark. The text ends with a NUL after its *length
 * bytes. */
char *input_until(struct input *input, char mark, size_t *length);
char *input_rest(struct input *input, size_t *length); /* the rest of the input */

/* Prepares the arena for a parser. The first byte of the input chooses its maximum: usually `most`, else so little that
 * the arena runs out at any place. */
void input_arena(struct input *input, struct arena *arena, size_t most);

/* Feeds `bytes` in pieces of `step` bytes, each in a block of its own size, until a status other than STATUS_OK. */
typedef enum status input_feed_function(void *reader, const char *piece, size_t length, struct failure *failure);
enum status input_feed(input_feed_function *feed, void *reader, const char *bytes, size_t length, size_t step, struct failure *failure);

/* True if the text is one whole JSON value of valid UTF-8, as jansson reads it. */
bool input_is_json(const char *text, size_t length);

#endif
