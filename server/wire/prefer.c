#include "server/wire/prefer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *prefer_skip_space(const char *text)
{
	return text + strspn(text, " \t");
}

/* Parses digits, bare or quoted, up to `end`; -1 for anything else. */
static int prefer_seconds(const char *text, const char *end)
{
	int seconds = 0;

	if (*text == '"' && end > text + 1 && end[-1] == '"') {
		text++;
		end--;
	}
	if (text == end)
		return -1;
	for (; text < end; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		seconds = seconds < PREFER_WAIT_MAX_S ? seconds * 10 + (*text - '0') : PREFER_WAIT_MAX_S;
	}
	return seconds < PREFER_WAIT_MAX_S ? seconds : PREFER_WAIT_MAX_S;
}

/* Reads one preference, "token [= word] [; parameters]". Parameters of the known preferences have no meaning. */
static void prefer_take(struct prefer *prefer, const char *text, const char *end)
{
	size_t name = strcspn(text, "=;, \t");
	const char *value = prefer_skip_space(text + name), *value_end;

	if (name == strlen("respond-async") && strncasecmp(text, "respond-async", name) == 0) {
		prefer->respond_async = true;
	} else if (name == strlen("wait") && strncasecmp(text, "wait", name) == 0 && prefer->wait_s < 0 && *value == '=') {
		value = prefer_skip_space(value + 1);
		value_end = value + strcspn(value, ";, \t");
		prefer->wait_s = value_end <= end ? prefer_seconds(value, value_end) : -1;
	}
}

struct prefer prefer_parse(const char *header)
{
	struct prefer prefer = {.wait_s = -1};

	for (const char *at = header ? header : ""; *at; at += strspn(at, ", \t")) {
		const char *end = at;

		for (bool quoted = false; *end && (quoted || *end != ','); end++)
			quoted ^= *end == '"';
		prefer_take(&prefer, prefer_skip_space(at), end);
		at = end;
	}
	return prefer;
}

void prefer_applied(const struct prefer *prefer, bool accepted, char out[PREFER_APPLIED_SIZE])
{
	bool async = prefer->respond_async && accepted, wait = prefer->wait_s >= 0;
	size_t length = (size_t)snprintf(out, PREFER_APPLIED_SIZE, "%s%s", async ? "respond-async" : "", async && wait ? ", " : "");

	if (wait)
		snprintf(out + length, PREFER_APPLIED_SIZE - length, "wait=%d", prefer->wait_s);
}
