#include "base/json_text.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK_BYTES = 16 };
typedef unsigned char block __attribute__((vector_size(BLOCK_BYTES))); /* the one type that C has no struct for */

static bool is_plain(unsigned char c, bool ascii)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f && !(ascii && c >= 0x80);
}

static bool all_plain(const char *text, bool ascii)
{
	uint64_t halves[2];
	block bytes, found;

	memcpy(&bytes, text, sizeof bytes);
	found = (block)(bytes < 0x20) | (block)(bytes == '"') | (block)(bytes == '\\') | (block)(bytes == 0x7f);
	if (ascii)
		found |= (block)(bytes >= 0x80);
	memcpy(halves, &found, sizeof found);
	return (halves[0] | halves[1]) == 0;
}

size_t json_plain_length(const char *text, size_t length, bool ascii)
{
	size_t plain = 0;

	while (plain + BLOCK_BYTES <= length && all_plain(text + plain, ascii))
		plain += BLOCK_BYTES;
	if (plain > 0 && plain + BLOCK_BYTES > length && all_plain(text + length - BLOCK_BYTES, ascii))
		return length; /* the last block overlaps the one before */
	while (plain < length && is_plain((unsigned char)text[plain], ascii))
		plain++;
	return plain;
}
