#include "base/buffer.h"

#include <stdarg.h>

void buffer_init(struct buffer *buffer, size_t maximum)
{
	*buffer = (struct buffer){.maximum = maximum};
}

void buffer_clear(struct buffer *buffer)
{
	buffer->length = 0;
	buffer->failed = buffer->full = false;
	if (buffer->bytes)
		buffer->bytes[0] = '\0';
}

void buffer_release(struct buffer *buffer)
{
	free(buffer->bytes);
	buffer_init(buffer, buffer->maximum);
}

void buffer_shrink(struct buffer *buffer)
{
	char *bytes = buffer->bytes ? realloc(buffer->bytes, buffer->length + 1) : NULL;

	if (!bytes)
		return;
	buffer->bytes = bytes;
	buffer->capacity = buffer->length + 1;
}

char *buffer_grow(struct buffer *buffer, size_t more)
{
	size_t capacity = buffer->capacity ? buffer->capacity : 512;
	char *bytes;

	if (buffer->failed || more > buffer->maximum - buffer->length) {
		buffer->full = buffer->full || !buffer->failed;
		buffer->failed = true;
		return NULL;
	}
	while (capacity < buffer->length + more + 1)
		capacity *= 2;
	if (capacity > buffer->maximum + 1)
		capacity = buffer->maximum + 1;
	bytes = realloc(buffer->bytes, capacity);
	if (!bytes) {
		buffer->failed = true;
		return NULL;
	}
	buffer->bytes = bytes;
	buffer->capacity = capacity;
	return bytes + buffer->length;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t length)
{
	char *end = buffer_reserve(buffer, length);

	if (!end)
		return;
	memcpy(end, bytes, length);
	buffer->length += length;
	buffer->bytes[buffer->length] = '\0';
}

void buffer_append_text(struct buffer *buffer, const char *text)
{
	buffer_append(buffer, text, strlen(text));
}

void buffer_append_char(struct buffer *buffer, char character)
{
	buffer_append(buffer, &character, 1);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list arguments;
	char *end;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	end = length < 0 ? NULL : buffer_reserve(buffer, (size_t)length);
	if (!end)
		return;
	va_start(arguments, format);
	vsnprintf(end, (size_t)length + 1, format, arguments);
	va_end(arguments);
	buffer->length += (size_t)length;
}

char *buffer_detach(struct buffer *buffer, size_t *length)
{
	char *bytes = buffer->failed ? NULL : buffer->bytes;

	*length = bytes ? buffer->length : 0;
	if (!bytes)
		free(buffer->bytes);
	buffer_init(buffer, buffer->maximum);
	return bytes;
}
