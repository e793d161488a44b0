/* UUIDv7 (RFC 9562): time-ordered ids. Thread-safe; ids made in one process are strictly increasing. */
#ifndef FLEETPLAN_BASE_UUID_H
#define FLEETPLAN_BASE_UUID_H

#include <stdbool.h>

enum { UUID_TEXT_SIZE = 37 }; /* 36 characters and NUL */

void uuid_make(char *out); /* a new UUIDv7 in lower case into UUID_TEXT_SIZE bytes */
bool uuid_valid(const char *text); /* any UUID, lower-case hexadecimal, 8-4-4-4-12 */

#endif
