#include "base/json_text.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK_BYTES = 16 };
typedef unsigned char block __attribute__((vector_size(BLOCK_BYTES))); /* a GCC vector: standard C has no such type */

/* Counts the plain bytes at the start of a block. */
static size_t plain_of_block(const char *text, bool ascii)
{
	uint64_t halves[2];
	block bytes, found;

	memcpy(&bytes, text, sizeof bytes);
	found = (block)(bytes < 0x20) | (block)(bytes == '"') | (block)(bytes == '\\') | (block)(bytes == 0x7f);
	if (ascii)
		found |= (block)(bytes >= 0x80);
	memcpy(halves, &found, sizeof found);
	if (halves[0])
		return (size_t)__builtin_ctzll(le64toh(halves[0])) / 8;
	return halves[1] ? 8 + (size_t)__builtin_ctzll(le64toh(halves[1])) / 8 : BLOCK_BYTES;
}

size_t json_plain_length(const char *text, size_t length, bool ascii)
{
	char rest[BLOCK_BYTES] = "";
	size_t plain = 0, run;

	for (; length - plain >= BLOCK_BYTES; plain += BLOCK_BYTES) {
		run = plain_of_block(text + plain, ascii);
		if (run < BLOCK_BYTES)
			return plain + run;
	}
	memcpy(rest, text + plain, length - plain); /* bytes behind the text are zero: not plain */
	return plain + plain_of_block(rest, ascii);
}
