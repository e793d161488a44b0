/* gzip for answers. Thread-safe. */
#ifndef FLEETPLAN_SERVER_WIRE_COMPRESS_H
#define FLEETPLAN_SERVER_WIRE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* Answers shorter than this fit a packet as they are. */
enum { COMPRESS_LEAST_BYTES = 1400 };

/* Packs `length` bytes into `packed` (cleared first). False, with `packed` empty, when it would not become smaller. */
bool compress_gzip(const void *bytes, size_t length, struct buffer *packed);

#endif
