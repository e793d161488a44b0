/* A growable run of bytes with a stated maximum, for building answers and messages.
 *
 * Errors are sticky: once an append failed (maximum or malloc), `failed` stays true, later appends do
 * nothing, and the caller checks once at the end. The bytes are NUL-terminated whenever `bytes` is set,
 * the NUL not counted in `length`. One owner, one thread at a time. */
#ifndef FLEETPLAN_BASE_BUFFER_H
#define FLEETPLAN_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct buffer {
	char *bytes; /* NULL until the first append */
	size_t length;
	size_t capacity; /* at most the maximum and its NUL */
	size_t maximum;
	bool failed;
};

void buffer_init(struct buffer *buffer, size_t maximum);
void buffer_clear(struct buffer *buffer);   /* length 0, not failed; keeps the memory */
void buffer_release(struct buffer *buffer); /* frees the memory */

void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_append_char(struct buffer *buffer, char character);
void buffer_printf(struct buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);

void buffer_shrink(struct buffer *buffer); /* gives back what it has beyond its bytes */

/* Room for `length` more bytes at the end, to be written by the caller who then adds to `length`;
 * NULL when it cannot be had. */
static inline char *buffer_reserve(struct buffer *buffer, size_t length);

/* The slow way of buffer_reserve. */
char *buffer_grow(struct buffer *buffer, size_t more);

static inline char *buffer_reserve(struct buffer *buffer, size_t length)
{
	if (buffer->capacity - buffer->length > length && !buffer->failed)
		return buffer->bytes + buffer->length;
	return buffer_grow(buffer, length);
}

/* Hands the bytes to the caller, who frees them with free(); the buffer is empty again. NULL if it failed. */
char *buffer_detach(struct buffer *buffer, size_t *length);

#endif
