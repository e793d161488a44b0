/* Bytes that a JSON string may contain without an escape (RFC 8259, 7). The reader and the writer use this. */
#ifndef FLEETPLAN_BASE_JSON_TEXT_H
#define FLEETPLAN_BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Counts the plain bytes at the start: not a quote, a backslash or a control character (DEL is one). With `ascii`
 * bytes from 0x80 on are not plain either. */
size_t json_plain_length(const char *text, size_t length, bool ascii);

#endif
