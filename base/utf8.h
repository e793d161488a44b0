/* UTF-8, strictly: no overlong form, no surrogate, nothing above U+10FFFF (RFC 3629). */
#ifndef FLEETPLAN_BASE_UTF8_H
#define FLEETPLAN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_CHARACTER_MAX = 4 };

/* Bytes of the character at the start of `length` bytes; 0 when there is none that is whole and well formed. */
size_t utf8_character_length(const char *text, size_t length);

bool utf8_valid(const char *text, size_t length);

/* Writes a code point, which must be one; returns its bytes. */
size_t utf8_encode(char out[UTF8_CHARACTER_MAX], uint32_t code_point);

#endif
