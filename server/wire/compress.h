/* Compresses answers with gzip. Thread-safe. */
#ifndef FLEETPLAN_SERVER_WIRE_COMPRESS_H
#define FLEETPLAN_SERVER_WIRE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* Answers shorter than this fit into one packet uncompressed. */
enum { COMPRESS_LEAST_BYTES = 1400 };

/* Compresses `length` bytes into `packed` (cleared first). Returns false, with `packed` empty, if the result would not
 * be smaller. */
bool compress_gzip(const void *bytes, size_t length, struct buffer *packed);

#endif
