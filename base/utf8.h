/* Strict UTF-8 (RFC 3629): overlong forms, surrogates and code points above U+10FFFF are not valid. */
#ifndef FLEETPLAN_BASE_UTF8_H
#define FLEETPLAN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_CHARACTER_MAX = 4 };

/* Length in bytes of the character at the start of the text; 0 if it is not complete or not valid. */
size_t utf8_character_length(const char *text, size_t length);

bool utf8_valid(const char *text, size_t length);

/* Writes a code point (at most U+10FFFF) and returns its length in bytes. */
size_t utf8_encode(char out[UTF8_CHARACTER_MAX], uint32_t code_point);

#endif
