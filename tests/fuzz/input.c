#include "fuzz/input.h"

#include <jansson.h>
#include <stdlib.h>

enum { COPIES_MAX = 256, LITTLE_STEP_BYTES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *copies[COPIES_MAX];
static size_t copy_count;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};

	fuzz_one(&input);
	while (copy_count > 0)
		free(copies[--copy_count]);
	return 0;
}

unsigned input_byte(struct input *input)
{
	if (input->left == 0)
		return 0;
	input->left--;
	return *input->at++;
}

uint64_t input_bits(struct input *input)
{
	uint64_t bits = 0;

	for (int i = 0; i < 8; i++)
		bits = bits << 8 | input_byte(input);
	return bits;
}

static char *copy(const uint8_t *bytes, size_t length)
{
	char *text = malloc(length + 1);

	CHECK(text && copy_count < COPIES_MAX);
	memcpy(text, bytes, length);
	text[length] = '\0';
	copies[copy_count++] = text;
	return text;
}

char *input_until(struct input *input, char mark, size_t *length)
{
	const uint8_t *end = input->left ? memchr(input->at, mark, input->left) : NULL;
	size_t taken = end ? (size_t)(end - input->at) : input->left;
	char *text = copy(input->left ? input->at : (const uint8_t *)"", taken);

	if (length)
		*length = taken;
	input->at += taken + (end != NULL);
	input->left -= taken + (end != NULL);
	return text;
}

char *input_rest(struct input *input, size_t *length)
{
	char *text = copy(input->left ? input->at : (const uint8_t *)"", input->left);

	if (length)
		*length = input->left;
	input->left = 0;
	return text;
}

void input_arena(struct input *input, struct arena *arena, size_t most)
{
	unsigned choice = input_byte(input);

	arena_reset(arena);
	if (choice < 0xe0) {
		arena->maximum_bytes = most;
	} else { /* its blocks are of 16 KiB and more: an old block would hide a small maximum */
		arena_release(arena);
		arena_init(arena, (size_t)(choice - 0xe0) * (choice - 0xe0) * LITTLE_STEP_BYTES);
	}
}

enum status input_feed(input_feed_function *feed, void *reader, const char *bytes, size_t length, size_t step, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (size_t at = 0; at < length && status == STATUS_OK; at += step) {
		size_t one = length - at < step ? length - at : step;
		char *piece = malloc(one);

		CHECK(piece);
		memcpy(piece, bytes + at, one);
		status = feed(reader, piece, one, failure);
		free(piece);
	}
	return status;
}

bool input_is_json(const char *text, size_t length)
{
	json_t *tree = json_loadb(text, length, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL,
		NULL); /* jansson's integers have 64 bits, JSON allows any number */
	bool is_json = tree != NULL;

	json_decref(tree);
	return is_json;
}
