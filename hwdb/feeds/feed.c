#include "hwdb/feeds/feed.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

const char *const feed_kind_words[FEED_KIND_COUNT] = {[FEED_PRICES] = "prices", [FEED_GRID] = "grid", [FEED_MODELS] = "models"};

enum { SCOPE_ITEMS_MAX = 64, SCOPE_ITEM_MAX = 64 };

const struct feed *feed_find(const char *name)
{
	for (size_t i = 0; i < FEED_COUNT; i++)
		if (strcmp(feeds[i].name, name) == 0)
			return &feeds[i];
	return NULL;
}

/* Accepts words of a scope, which become parts of URLs: letters, digits, "-", "_", "." and no word that could lead to
 * another path. */
static bool is_scope_word(const char *word, size_t length)
{
	bool good = length > 0 && length <= SCOPE_ITEM_MAX && word[0] != '.';

	for (size_t i = 0; i < length; i++)
		good &= isalnum((unsigned char)word[i]) || strchr("-_.", word[i]);
	return good;
}

static enum status scope_split(struct feed_walk *walk, const char *scope, struct failure *failure)
{
	walk->scope.items = ARENA_ARRAY(walk->arena, const char *, SCOPE_ITEMS_MAX);
	for (const char *at = scope + strspn(scope, " "); walk->scope.items && *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		const char *word = arena_strndup(walk->arena, at, length);

		if (!is_scope_word(at, length) || walk->scope.count == SCOPE_ITEMS_MAX)
			return failure_set(failure, STATUS_INVALID, "%s: at most %d words such as %s are expected (%s), not \"%.80s\"",
				walk->feed->name, SCOPE_ITEMS_MAX, walk->feed->scope, walk->feed->scope_is, at);
		if (!word)
			break;
		walk->scope.items[walk->scope.count++] = word;
		at += length;
	}
	return walk->scope.items && (walk->scope.count > 0 || !*scope)
		? STATUS_OK
		: failure_set(failure, STATUS_NO_MEMORY, "%s: no memory", walk->feed->name);
}

enum status feed_walk_begin(struct feed_walk *walk, const struct feed *feed, const char *base_url, const char *scope, int64_t now_us,
	struct arena *arena, struct failure *failure)
{
	char now[CLOCK_TEXT_MAX];
	size_t length;

	*walk = (struct feed_walk){.feed = feed, .arena = arena, .now_us = now_us};
	clock_format(now, now_us);
	memcpy(walk->today, now, sizeof walk->today - 1);
	base_url = base_url && *base_url ? base_url : feed->base_url;
	length = strlen(base_url);
	walk->base_url = arena_strndup(arena, base_url, length > 0 && base_url[length - 1] == '/' ? length - 1 : length);
	if (!walk->base_url)
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory", feed->name);
	walk->stores = feed->stores ? feed->stores : "";
	return scope_split(walk, scope && *scope ? scope : feed->scope, failure);
}

void feed_walk_next_item(struct feed_walk *walk)
{
	walk->next = NULL;
	walk->step = 0;
	walk->done = ++walk->scope_at >= walk->scope.count;
}

enum status feed_unreadable(const struct feed_walk *walk, struct failure *failure, const char *format, ...)
{
	char text[FAULT_DETAIL_MAX - 64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return failure_set(failure, STATUS_MALFORMED, "%s: %s", walk->feed->name, text);
}
