#include "base/utf8.h"

#include "base/status.h"

size_t utf8_character_length(const char *text, size_t length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	uint32_t code_point;
	size_t bytes;

	if (length == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	bytes = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (length < bytes)
		return 0;
	code_point = s[0] & (0x7fU >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code_point = code_point << 6 | (s[i] & 0x3f);
	}
	if (code_point < least[bytes] || code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff))
		return 0;
	return bytes;
}

bool utf8_valid(const char *text, size_t length)
{
	while (length > 0) {
		size_t bytes = utf8_character_length(text, length);

		if (bytes == 0)
			return false;
		text += bytes;
		length -= bytes;
	}
	return true;
}

size_t utf8_encode(char out[UTF8_CHARACTER_MAX], uint32_t code_point)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t bytes = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;

	CHECK(code_point <= 0x10ffff);
	for (size_t i = bytes - 1; i > 0; i--, code_point >>= 6)
		out[i] = (char)(0x80 | (code_point & 0x3f));
	out[0] = (char)(bytes == 1 ? code_point : lead[bytes] | code_point);
	return bytes;
}
