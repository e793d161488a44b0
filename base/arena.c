#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>

enum { ARENA_FIRST_BYTES = 16 * 1024, ARENA_ALIGNMENT = _Alignof(max_align_t) };

struct arena_block {
	struct arena_block *older;
	size_t size_bytes;
	_Alignas(max_align_t) unsigned char memory[];
};

void arena_init(struct arena *arena, size_t maximum_bytes)
{
	*arena = (struct arena){.maximum_bytes = maximum_bytes};
}

static void arena_free_blocks(struct arena_block *block)
{
	while (block) {
		struct arena_block *older = block->older;
		free(block);
		block = older;
	}
}

void arena_reset(struct arena *arena)
{
	if (!arena->blocks)
		return;
	arena_free_blocks(arena->blocks->older);
	arena->blocks->older = NULL;
	if (arena->blocks->size_bytes > ARENA_KEEP_BYTES) {
		free(arena->blocks);
		arena->blocks = NULL;
	}
	arena->total_bytes = arena->blocks ? arena->blocks->size_bytes : 0;
	arena->used_bytes = 0;
}

void arena_release(struct arena *arena)
{
	arena_free_blocks(arena->blocks);
	arena->blocks = NULL;
	arena->used_bytes = arena->total_bytes = 0;
}

struct arena_mark arena_mark(const struct arena *arena)
{
	return (struct arena_mark){.block = arena->blocks, .used_bytes = arena->used_bytes};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
	while (arena->blocks && arena->blocks != mark.block) {
		struct arena_block *older = arena->blocks->older;

		arena->total_bytes -= arena->blocks->size_bytes;
		free(arena->blocks);
		arena->blocks = older;
	}
	arena->used_bytes = arena->blocks ? mark.used_bytes : 0;
}

/* Adds a block of at least `needed_bytes`: twice the size of the newest block where the maximum allows it.
 * Returns 0 when the maximum is reached or malloc fails. */
static int arena_grow(struct arena *arena, size_t needed_bytes)
{
	size_t size_bytes = arena->blocks ? arena->blocks->size_bytes * 2 : ARENA_FIRST_BYTES;
	struct arena_block *block;

	if (size_bytes < needed_bytes)
		size_bytes = needed_bytes;
	if (arena->total_bytes + size_bytes > arena->maximum_bytes)
		size_bytes = needed_bytes;
	if (arena->total_bytes > arena->maximum_bytes || size_bytes > arena->maximum_bytes - arena->total_bytes) {
		arena->full = true;
		return 0;
	}
	block = malloc(sizeof *block + size_bytes);
	if (!block)
		return 0;
	block->older = arena->blocks;
	block->size_bytes = size_bytes;
	arena->blocks = block;
	arena->total_bytes += size_bytes;
	arena->used_bytes = 0;
	return 1;
}

void *arena_alloc_uncleared(struct arena *arena, size_t bytes)
{
	void *memory;

	if (bytes > SIZE_MAX / 4)
		return NULL;
	bytes = (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
	if (!arena->blocks || arena->blocks->size_bytes - arena->used_bytes < bytes) {
		if (!arena_grow(arena, bytes))
			return NULL;
	}
	memory = arena->blocks->memory + arena->used_bytes;
	arena->used_bytes += bytes;
	return memory;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
	void *memory;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	memory = arena_alloc_uncleared(arena, bytes);
	return memory ? memset(memory, 0, bytes) : NULL;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = length < SIZE_MAX ? arena_alloc_uncleared(arena, length + 1) : NULL;

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return text ? arena_strndup(arena, text, strlen(text)) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		return NULL;
	text = arena_alloc_uncleared(arena, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}
