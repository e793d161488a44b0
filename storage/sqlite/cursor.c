/* Cursors: the end of the previous page, as opaque text. "m" a time and an id, "i" an id alone, "n" a number, "f" an order with a figure and an id; in
 * base64url, so that any id fits into a URL. */
#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <string.h>

#include "storage/sqlite/store.h"

enum { CURSOR_MAX = 400 };

size_t page_limit(const struct page_request *page)
{
	if (!page || page->limit == 0)
		return 50;
	return page->limit > 1000 ? 1000 : page->limit;
}

static const char *cursor_encode(const char *plain, struct arena *arena)
{
	size_t size = sodium_base64_encoded_len(strlen(plain), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	char *text = arena_alloc(arena, size, 1);

	return text ? sodium_bin2base64(text, size, (const unsigned char *)plain, strlen(plain), sodium_base64_VARIANT_URLSAFE_NO_PADDING) : NULL;
}

static enum status cursor_refuse(struct failure *failure)
{
	failure_add(failure, "/cursor", "unknown_cursor", "is not a cursor of this list; leave it out, or use next_cursor of the previous page");
	return failure_set(failure, STATUS_MALFORMED, "the cursor is not one of this list");
}

/* Returns the decoded text of a cursor after its letter `kind`; NULL if it is not such a cursor. */
static const char *cursor_decode(const char *cursor, char kind, struct arena *arena)
{
	char *plain = arena_alloc(arena, CURSOR_MAX + 1, 1);
	size_t length = 0;

	if (!plain || strlen(cursor) > CURSOR_MAX)
		return NULL;
	if (sodium_base642bin(
			(unsigned char *)plain, CURSOR_MAX, cursor, strlen(cursor), NULL, &length, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0)
		return NULL;
	plain[length] = '\0';
	return plain[0] == kind && strlen(plain) == length ? plain + 1 : NULL;
}

enum status cursor_read_moment(const struct page_request *page, struct arena *arena, int64_t *us, const char **id, struct failure *failure)
{
	const char *plain;
	char *end;

	*us = INT64_MAX;
	*id = "";
	if (!page || !page->cursor)
		return STATUS_OK;
	plain = cursor_decode(page->cursor, 'm', arena);
	if (!plain)
		return cursor_refuse(failure);
	*us = strtoll(plain, &end, 10);
	if (end == plain || *end != ' ' || *us < 0)
		return cursor_refuse(failure);
	*id = end + 1;
	return STATUS_OK;
}

enum status cursor_read_id(const struct page_request *page, struct arena *arena, const char **id, struct failure *failure)
{
	*id = "";
	if (!page || !page->cursor)
		return STATUS_OK;
	*id = cursor_decode(page->cursor, 'i', arena);
	return *id ? STATUS_OK : cursor_refuse(failure);
}

enum status cursor_read_number(const struct page_request *page, struct arena *arena, int64_t *number, struct failure *failure)
{
	const char *plain;
	char *end;

	*number = INT64_MAX;
	if (!page || !page->cursor)
		return STATUS_OK;
	plain = cursor_decode(page->cursor, 'n', arena);
	if (!plain)
		return cursor_refuse(failure);
	*number = strtoll(plain, &end, 10);
	return end == plain || *end ? cursor_refuse(failure) : STATUS_OK;
}

/* A sorted list: its order, the figure exactly, and the id. */
enum status cursor_read_figure(
	const struct page_request *page, const char *sort, struct arena *arena, double *figure, const char **id, struct failure *failure)
{
	size_t length = strlen(sort);
	const char *plain;
	char *end;

	*figure = -INFINITY;
	*id = "";
	if (!page || !page->cursor)
		return STATUS_OK;
	plain = cursor_decode(page->cursor, 'f', arena);
	if (!plain || strncmp(plain, sort, length) != 0 || plain[length] != ' ')
		return cursor_refuse(failure);
	*figure = strtod(plain + length + 1, &end);
	if (end == plain + length + 1 || *end != ' ' || !isfinite(*figure))
		return cursor_refuse(failure);
	*id = end + 1;
	return STATUS_OK;
}

const char *cursor_write_figure(const char *sort, double figure, const char *id, struct arena *arena)
{
	const char *plain = arena_printf(arena, "f%s %a %s", sort, figure, id);

	return plain ? cursor_encode(plain, arena) : NULL;
}

const char *cursor_write_moment(int64_t us, const char *id, struct arena *arena)
{
	const char *plain = arena_printf(arena, "m%" PRId64 " %s", us, id);

	return plain ? cursor_encode(plain, arena) : NULL;
}

const char *cursor_write_id(const char *id, struct arena *arena)
{
	const char *plain = arena_printf(arena, "i%s", id);

	return plain ? cursor_encode(plain, arena) : NULL;
}

const char *cursor_write_number(int64_t number, struct arena *arena)
{
	const char *plain = arena_printf(arena, "n%" PRId64, number);

	return plain ? cursor_encode(plain, arena) : NULL;
}
