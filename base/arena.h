/* Arena: memory for one request. The caller allocates from it, frees nothing, and resets the whole.
 *
 * One owner, one thread at a time. A reset keeps the newest block if it has at most ARENA_KEEP_BYTES, so that a
 * steady load allocates nothing. arena_init() sets the maximum. Beyond it, or when malloc fails, an allocation
 * returns NULL and the caller returns STATUS_NO_MEMORY. Objects are zeroed, except by arena_alloc_uncleared(). */
#ifndef FLEETPLAN_BASE_ARENA_H
#define FLEETPLAN_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { ARENA_KEEP_BYTES = 256 * 1024 };

struct arena_block;
struct arena {
	struct arena_block *blocks; /* newest first */
	size_t used_bytes;          /* of the newest block */
	size_t total_bytes;         /* of all blocks */
	size_t maximum_bytes;
	bool full; /* an allocation failed by the maximum, and not for a lack of memory */
};

void arena_init(struct arena *arena, size_t maximum_bytes);
void arena_reset(struct arena *arena);   /* frees all objects; keeps at most ARENA_KEEP_BYTES */
void arena_release(struct arena *arena); /* frees all memory */

/* A position in an arena. arena_rewind() frees everything that was allocated after the mark. */
struct arena_mark {
	const struct arena_block *block;
	size_t used_bytes;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Allocates `count` zeroed objects of `size` bytes, aligned for any type. NULL beyond the maximum or on overflow. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* `bytes` bytes that are not zeroed: they hold data of earlier requests. For large objects that the caller fills. */
void *arena_alloc_uncleared(struct arena *arena, size_t bytes);

/* Return a copy in the arena. NULL when it is exhausted. arena_strdup() returns NULL for NULL. */
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), 1, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), (count), sizeof(type)))

#endif
