/* Which bytes of a JSON string stand for themselves (RFC 8259, 7): for reader and writer alike. */
#ifndef FLEETPLAN_BASE_JSON_TEXT_H
#define FLEETPLAN_BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes at the start are neither quote, backslash, control (DEL too), nor, with `ascii`, part of a longer character. */
size_t json_plain_length(const char *text, size_t length, bool ascii);

#endif
