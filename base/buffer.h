/* Buffer: bytes that grow up to a maximum, for building answers and messages.
 *
 * Errors are sticky: after an append fails (maximum or malloc), `failed` stays true and later appends do
 * nothing. The caller checks once at the end. When `bytes` is set, a NUL follows the bytes; `length` does not
 * count it. One owner, one thread at a time. */
#ifndef FLEETPLAN_BASE_BUFFER_H
#define FLEETPLAN_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct buffer {
	char *bytes; /* NULL until the first append */
	size_t length;
	size_t capacity; /* at most maximum + 1, for the NUL */
	size_t maximum;
	bool failed;
	bool full; /* it failed by the maximum, and not for a lack of memory */
};

void buffer_init(struct buffer *buffer, size_t maximum);
void buffer_clear(struct buffer *buffer);   /* sets length to 0 and failed to false; keeps the memory */
void buffer_release(struct buffer *buffer); /* frees the memory */

void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_append_char(struct buffer *buffer, char character);
void buffer_printf(struct buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);

void buffer_shrink(struct buffer *buffer); /* frees the memory behind the bytes */

/* Returns where the caller may write `length` more bytes and a NUL; the caller then adds to buffer->length.
 * NULL when the buffer has failed. */
static inline char *buffer_reserve(struct buffer *buffer, size_t length);

/* For buffer_reserve() only: allocates when the capacity is too small. */
char *buffer_grow(struct buffer *buffer, size_t more);

static inline char *buffer_reserve(struct buffer *buffer, size_t length)
{
	if (buffer->capacity - buffer->length > length && !buffer->failed)
		return buffer->bytes + buffer->length;
	return buffer_grow(buffer, length);
}

/* Returns the bytes, which the caller frees with free(), and empties the buffer. NULL if it failed or is empty. */
char *buffer_detach(struct buffer *buffer, size_t *length);

#endif
