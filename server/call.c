/* Functions that handlers call: query parameters, headers, tags, links (handler.h). */
#include <errno.h>
#include <stdarg.h>

#include "base/clock.h"
#include "server/http_private.h"
#include "server/server.h"

enum { CALL_LIMIT_DEFAULT = 50, CALL_LIMIT_MAX = 1000 };

const struct catalogue *call_catalogue(struct call *call)
{
	struct exchange *exchange = exchange_of(call);

	if (!exchange->catalogue)
		exchange->catalogue = server_catalogue(call->server);
	return exchange->catalogue;
}

/* True if the computation has used its CPU time. While another client's work waits, that is one slice: a short request
 * then waits for one slice of each client, and not for a second of each. */
static bool call_has_had_its_time(struct exchange *exchange)
{
	static const int64_t looks_again_ns = 10000000;
	int64_t now_ns = exchange->cpu_until_ns > 0 ? clock_thread_cpu_ns() : 0;

	if (exchange->cpu_until_ns == 0 || atomic_load(&exchange->http->quiescing))
		return false;
	if (now_ns > exchange->cpu_until_ns)
		return true;
	if (now_ns <= exchange->cpu_look_ns)
		return false;
	exchange->cpu_look_ns = now_ns + looks_again_ns;
	return workers_others_wait(&exchange->http->workers, exchange);
}

/* True if the computation must stop: its client has left, or it has used its CPU time and becomes a job
 * (server/defer.h). */
static bool call_is_abandoned(void *context)
{
	struct exchange *exchange = context;

	if (!exchange->overran && call_has_had_its_time(exchange))
		exchange->overran = true;
	return exchange->overran || atomic_load(&exchange->peer->gone);
}

static void call_note_nothing(void *context, double fraction, const char *what)
{
	(void)context;
	(void)fraction;
	(void)what;
}

const struct progress *call_progress(struct call *call)
{
	struct exchange *exchange = exchange_of(call);

	if (!exchange->job && !exchange->peer)
		return NULL; /* `fleetplan plan`: the user can interrupt it */
	if (!exchange->job)
		exchange->progress = (struct progress){.context = exchange, .stop = call_is_abandoned, .note = call_note_nothing};
	return &exchange->progress;
}

const char *call_query(const struct call *call, const char *name)
{
	for (size_t i = 0; i < call->query_count; i++) {
		if (strcmp(call->query[i].key, name) == 0)
			return call->query[i].value;
	}
	return NULL;
}

enum status call_limit(struct call *call, size_t *limit)
{
	const char *text = call_query(call, "limit");
	char *end;
	unsigned long value;

	*limit = CALL_LIMIT_DEFAULT;
	if (!text)
		return STATUS_OK;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9' || value < 1 || value > CALL_LIMIT_MAX) {
		failure_add(&call->failure, "/limit", "out_of_range", "limit must be a whole number from 1 to %d", CALL_LIMIT_MAX);
		return failure_set(&call->failure, STATUS_MALFORMED, "limit must be a whole number from 1 to %d", CALL_LIMIT_MAX);
	}
	*limit = value;
	return STATUS_OK;
}

void call_header(struct call *call, const char *name, const char *value)
{
	char *copy = arena_strdup(&call->arena, value);

	if (!copy) {
		call->answer.failed = true; /* the answer then becomes a failure: out of memory */
		return;
	}
	for (const char *c = copy; *c; c++)
		CHECK((unsigned char)*c >= 0x20 && *c != 0x7f);
	CHECK(call->header_count < CALL_HEADERS_MAX);
	call->headers[call->header_count++] = (struct call_header){.name = name, .value = copy};
}

PRINTF_LIKE(3, 0) static void call_location(struct call *call, int http_status, const char *format, va_list arguments)
{
	char location[256];

	CHECK(vsnprintf(location, sizeof location, format, arguments) < (int)sizeof location);
	call->http_status = http_status;
	call_header(call, "Location", location);
}

void call_created(struct call *call, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	call_location(call, 201, format, arguments);
	va_end(arguments);
}

void call_accepted(struct call *call, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	call_location(call, 202, format, arguments);
	va_end(arguments);
}

void call_no_content(struct call *call)
{
	call->http_status = 204;
	buffer_clear(&call->answer);
}

static void call_escape(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/", *text))
			buffer_append_char(out, *text);
		else
			buffer_printf(out, "%%%02X", (unsigned char)*text);
	}
}

void call_link_next(struct call *call, const char *cursor)
{
	struct buffer link;

	buffer_init(&link, 4 * 1024);
	buffer_append_char(&link, '<');
	call_escape(&link, call->path);
	buffer_append_char(&link, '?');
	for (size_t i = 0; i < call->query_count; i++) {
		if (strcmp(call->query[i].key, "cursor") == 0)
			continue;
		call_escape(&link, call->query[i].key);
		buffer_append_char(&link, '=');
		call_escape(&link, call->query[i].value);
		buffer_append_char(&link, '&');
	}
	buffer_append_text(&link, "cursor=");
	call_escape(&link, cursor);
	buffer_append_text(&link, ">; rel=\"next\"");
	if (!link.failed) /* if the query is too long for a header, next_cursor in the body still gives the cursor */
		call_header(call, "Link", link.bytes);
	buffer_release(&link);
}

/* A tag names one representation (RFC 9110 8.8.1): JSON has the bare tag, other media types and codings add a
 * suffix. */
static const char *call_media_word(enum media media)
{
	return media == MEDIA_CSV ? "-csv" : media == MEDIA_NDJSON ? "-ndjson" : media == MEDIA_MARKDOWN ? "-markdown" : "";
}

static bool call_drop_word(const char *tag, size_t *length, const char *word)
{
	size_t size = strlen(word);

	if (size == 0 || *length < size || memcmp(tag + *length - size, word, size) != 0)
		return false;
	*length -= size;
	return true;
}

/* Which representations of the resource a listed tag may name. */
enum tag_scope { TAG_THIS_MEDIA, TAG_ANY_MEDIA };

/* True if a list of tags ("*", or "\"a\", W/\"b\"") names `tag` in this scope; *packed: it was the tag of the gzip
 * answer. Weak tags count only for TAG_THIS_MEDIA (If-None-Match): they cannot guard a change. */
static bool call_tag_listed(const struct call *call, const char *list, const char *tag, enum tag_scope scope, bool *packed)
{
	while (*list) {
		const char *open, *close;
		bool is_weak;
		size_t length;

		*packed = false;
		list += strspn(list, " \t,");
		if (list[0] == '*')
			return true;
		is_weak = strncmp(list, "W/", 2) == 0;
		open = list + (is_weak ? 2 : 0);
		close = *open++ == '"' ? strchr(open, '"') : NULL;
		if (!close)
			return false;
		length = (size_t)(close - open);
		*packed = call_drop_word(open, &length, CALL_PACKED_WORD);
		if (scope == TAG_ANY_MEDIA)
			(void)(call_drop_word(open, &length, call_media_word(MEDIA_CSV)) ||
				call_drop_word(open, &length, call_media_word(MEDIA_MARKDOWN)));
		else if (*call_media_word(call->answer_media) && !call_drop_word(open, &length, call_media_word(call->answer_media)))
			length = 0;
		if ((!is_weak || scope == TAG_THIS_MEDIA) && length == strlen(tag) && memcmp(open, tag, length) == 0)
			return true;
		list = close + 1;
	}
	return false;
}

static void call_tag(struct call *call, const char *tag, const char *coding)
{
	char quoted[112];

	CHECK(snprintf(quoted, sizeof quoted, "\"%s%s%s\"", tag, call_media_word(call->answer_media), coding) < (int)sizeof quoted);
	call_header(call, "ETag", quoted);
}

bool call_tag_not_modified(struct call *call, const char *tag)
{
	bool packed = false, held = call->if_none_match && call_tag_listed(call, call->if_none_match, tag, TAG_THIS_MEDIA, &packed);

	call_tag(call, tag, held && packed ? CALL_PACKED_WORD : "");
	if (held)
		call->http_status = 304;
	return held;
}

static const char *call_revision_text(char *text, size_t size, int64_t revision)
{
	snprintf(text, size, "%lld", (long long)revision);
	return text;
}

void call_etag(struct call *call, int64_t revision)
{
	char text[24];

	call_tag(call, call_revision_text(text, sizeof text, revision), "");
}

bool call_not_modified(struct call *call, int64_t revision)
{
	char text[24];

	return call_tag_not_modified(call, call_revision_text(text, sizeof text, revision));
}

enum status call_match(struct call *call, int64_t revision)
{
	char text[24];
	bool packed;

	if (!call->if_match)
		return STATUS_OK;
	if (call_tag_listed(call, call->if_match, call_revision_text(text, sizeof text, revision), TAG_ANY_MEDIA, &packed))
		return STATUS_OK;
	return failure_set(&call->failure, STATUS_PRECONDITION_FAILED,
		"the If-Match tag does not match the present revision %lld; read the resource again", (long long)revision);
}
