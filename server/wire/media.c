#include "server/wire/media.h"

#include <string.h>
#include <strings.h>

#include "base/status.h"

static const char *const media_types[MEDIA_COUNT] = {
#define X(name, type) [MEDIA_##name] = (type),
	MEDIA_TABLE(X)
#undef X
};

const char *media_content_type(enum media media)
{
	static const char *const with_charset[MEDIA_COUNT] = {[MEDIA_CSV] = "text/csv; charset=utf-8",
		[MEDIA_MARKDOWN] = "text/markdown; charset=utf-8",
		[MEDIA_TEXT] = "text/plain; charset=utf-8",
		[MEDIA_HTML] = "text/html; charset=utf-8",
		[MEDIA_EVENTS] = "text/event-stream; charset=utf-8",
		[MEDIA_CSS] = "text/css; charset=utf-8",
		[MEDIA_JAVASCRIPT] = "text/javascript; charset=utf-8"};

	CHECK(media < MEDIA_COUNT);
	return with_charset[media] ? with_charset[media] : media_types[media];
}

/* One element of a list header: "type/subtype;a=b;q=0.5", with white space around it. */
struct media_range {
	const char *type;
	size_t length;
	double quality; /* 0..1; 0 refuses */
};

static const char *media_skip_space(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

/* Parses a weight (RFC 9110 12.4.2): "0", "0.5", "1.000". Anything else counts as 1, so that a malformed weight never
 * rejects. */
static double media_quality(const char *text)
{
	double quality, scale = 1;

	if (*text != '0' && *text != '1')
		return 1;
	quality = *text++ - '0';
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++) {
			scale /= 10;
			quality += (*text - '0') * scale;
		}
	}
	return quality > 1 ? 1 : quality;
}

/* Reads the next element. Returns what follows its comma, NULL at the end. */
static const char *media_next(const char *list, struct media_range *range)
{
	const char *end;

	list = media_skip_space(list);
	end = list + strcspn(list, ",");
	*range = (struct media_range){.type = list, .length = strcspn(list, ",; \t"), .quality = 1};
	for (const char *parameter = memchr(list, ';', (size_t)(end - list)); parameter;
		 parameter = memchr(parameter, ';', (size_t)(end - parameter))) {
		parameter = media_skip_space(parameter + 1);
		if (strncasecmp(parameter, "q=", 2) == 0)
			range->quality = media_quality(parameter + 2);
	}
	return *end ? end + 1 : NULL;
}

/* Returns 3 if the range is the exact type, 2 for its family, 1 for any type, 0 for no match. */
static unsigned media_specificity(const struct media_range *range, const char *type)
{
	size_t family = strcspn(type, "/") + 1, length = strcspn(type, ";");

	if (range->length == 3 && strncmp(range->type, "*/*", 3) == 0)
		return 1;
	if (range->length == family + 1 && strncasecmp(range->type, type, family) == 0 && range->type[family] == '*')
		return 2;
	return range->length == length && strncasecmp(range->type, type, range->length) == 0 ? 3 : 0;
}

/* Returns the quality that an Accept header gives to a type: that of its most specific range. */
static double media_wanted(const char *accept, const char *type)
{
	unsigned best = 0;
	double quality = 0;

	while (accept) {
		struct media_range range;
		unsigned specificity;

		accept = media_next(accept, &range);
		specificity = media_specificity(&range, type);
		if (specificity > best) {
			best = specificity;
			quality = range.quality;
		}
	}
	return quality;
}

enum media media_parse(const char *content_type)
{
	struct media_range range;
	const char *charset = strcasestr(content_type, "charset=");

	media_next(content_type, &range);
	if (charset && strncasecmp(charset + 8, "utf-8", 5) != 0 && strncasecmp(charset + 8, "\"utf-8\"", 7) != 0)
		return MEDIA_COUNT;
	for (enum media media = 0; media < MEDIA_COUNT; media++) {
		if (media_specificity(&range, media_types[media]) == 3)
			return media;
	}
	return MEDIA_COUNT;
}

enum media media_negotiate(const char *accept, unsigned offered)
{
	enum media chosen = MEDIA_COUNT;
	double best = 0;

	for (enum media media = 0; media < MEDIA_COUNT; media++) {
		double quality;

		if (!(offered & MEDIA_BIT(media)))
			continue;
		quality = accept && *accept ? media_wanted(accept, media_types[media]) : 1;
		if (quality > best) {
			best = quality;
			chosen = media;
		}
	}
	return chosen;
}

bool media_accepts_gzip(const char *accept_encoding)
{
	while (accept_encoding) {
		struct media_range range;

		accept_encoding = media_next(accept_encoding, &range);
		if (range.length == 4 && strncasecmp(range.type, "gzip", 4) == 0)
			return range.quality > 0;
	}
	return false;
}

const char *media_list(unsigned medias, struct arena *arena)
{
	const char *list = "nothing";

	for (enum media media = 0; media < MEDIA_COUNT; media++) {
		if (medias & MEDIA_BIT(media)) {
			bool first = list[0] == 'n' && strcmp(list, "nothing") == 0;
			const char *more = first ? media_types[media] : arena_printf(arena, "%s or %s", list, media_types[media]);
			list = more ? more : list;
		}
	}
	return list;
}
