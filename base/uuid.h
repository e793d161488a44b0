/* UUIDv7 (RFC 9562): ids in the order of time. Thread-safe. The ids of one process strictly increase. */
#ifndef FLEETPLAN_BASE_UUID_H
#define FLEETPLAN_BASE_UUID_H

#include <stdbool.h>

enum { UUID_TEXT_SIZE = 37 }; /* 36 characters and NUL */

void uuid_make(char *out);         /* writes a new UUIDv7 in lower case into UUID_TEXT_SIZE bytes */
bool uuid_valid(const char *text); /* a UUID of any version: lower-case hexadecimal, 8-4-4-4-12 */

#endif
