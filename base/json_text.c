#include "base/json_text.h"

#include <stdint.h>
#include <string.h>

static bool is_plain(unsigned char c, bool ascii)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f && !(ascii && c >= 0x80);
}

/* Whether all of eight bytes are plain. A byte below n borrows from its top bit, which is clear in what is compared. */
static bool all_plain(uint64_t bytes, bool ascii)
{
	const uint64_t ones = UINT64_MAX / 255, top = ones * 0x80;
	const uint64_t quote = bytes ^ ones * '"', backslash = bytes ^ ones * '\\', delete = bytes ^ ones * 0x7f;
	uint64_t found = ((bytes - ones * 0x20) & ~bytes) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
		((delete - ones) & ~delete) | (ascii ? bytes : 0);

	return (found & top) == 0;
}

size_t json_plain_length(const char *text, size_t length, bool ascii)
{
	size_t plain = 0;
	uint64_t bytes;

	for (; plain + sizeof bytes <= length; plain += sizeof bytes) {
		memcpy(&bytes, text + plain, sizeof bytes);
		if (!all_plain(bytes, ascii))
			break;
	}
	while (plain < length && is_plain((unsigned char)text[plain], ascii))
		plain++;
	return plain;
}
