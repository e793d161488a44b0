#include "server/wire/gate.h"

#include <stdint.h>
#include <strings.h>

enum singleton { SINGLETON_HOST, SINGLETON_CONTENT_LENGTH, SINGLETON_TRANSFER_ENCODING, SINGLETON_CONTENT_TYPE, SINGLETON_COUNT };

static const struct {
	const char *name;
	size_t length;
	const char *twice;
} singletons[SINGLETON_COUNT] = {
	[SINGLETON_HOST] = {"Host", 4, "more than one Host"},
	[SINGLETON_CONTENT_LENGTH] = {"Content-Length", 14, "more than one Content-Length"},
	[SINGLETON_TRANSFER_ENCODING] = {"Transfer-Encoding", 17, "more than one Transfer-Encoding"},
	[SINGLETON_CONTENT_TYPE] = {"Content-Type", 12, "more than one Content-Type"},
};
_Static_assert(SINGLETON_COUNT == COUNT_OF(((struct gate *)0)->seen), "one counter each");

/* RFC 9110 5.6.2: characters of a header's name. */
static bool gate_is_token(const char *name, size_t length)
{
	static const char punctuation[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < length; i++) {
		char c = name[i], lower = (char)(c | 0x20);

		if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') && !memchr(punctuation, c, sizeof punctuation - 1))
			return false;
	}
	return length > 0;
}

static bool gate_has_control(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return true;
	}
	return false;
}

static bool gate_refuse(struct gate *gate, enum status status, const char *detail)
{
	if (gate->status == STATUS_OK) {
		gate->status = status;
		gate->detail = detail;
	}
	return false;
}

void gate_begin(struct gate *gate, const char *target_end, const char *version)
{
	*gate = (struct gate){.strict_layout = target_end != NULL, .line_end = version + strlen(version)};
	if (target_end && (uintptr_t)version != (uintptr_t)target_end + 1)
		gate_refuse(gate, STATUS_MALFORMED, "the request line contains a NUL byte, or more than one space before its last word");
}

/* True if a former CR LF (now two NULs) follows `end`, and the next line begins right behind it. */
static bool gate_line_ends(const char *end, const char *next)
{
	return (uintptr_t)next == (uintptr_t)end + 2 && end[0] == '\0' && end[1] == '\0';
}

static bool gate_framing(struct gate *gate, enum singleton which, const char *value, size_t length)
{
	switch (which) {
	case SINGLETON_CONTENT_LENGTH:
		for (size_t i = 0; i < length; i++) {
			if (value[i] < '0' || value[i] > '9')
				return gate_refuse(gate, STATUS_MALFORMED, "Content-Length is not a plain number");
		}
		return true;
	case SINGLETON_TRANSFER_ENCODING:
		if (length != 7 || strncasecmp(value, "chunked", 7) != 0)
			return gate_refuse(gate, STATUS_MALFORMED, "the Transfer-Encoding is not supported; only chunked is");
		return true;
	case SINGLETON_HOST:
		if (memchr(value, ',', length) || memchr(value, ' ', length) || memchr(value, '/', length) || memchr(value, '@', length))
			return gate_refuse(gate, STATUS_MALFORMED, "Host is not a host and port");
		return true;
	case SINGLETON_CONTENT_TYPE:
	case SINGLETON_COUNT:
		return true;
	}
	return true;
}

static bool gate_singleton(struct gate *gate, const char *name, size_t name_length, const char *value, size_t value_length)
{
	for (enum singleton i = 0; i < SINGLETON_COUNT; i++) {
		if (singletons[i].length != name_length || strncasecmp(singletons[i].name, name, name_length) != 0)
			continue;
		if (gate->seen[i]++)
			return gate_refuse(gate, STATUS_MALFORMED, singletons[i].twice);
		return gate_framing(gate, i, value, value_length);
	}
	if (name_length == 6 && strncasecmp(name, "Expect", 6) == 0) {
		if (value_length != 12 || strncasecmp(value, "100-continue", 12) != 0)
			return gate_refuse(gate, STATUS_EXPECTATION_FAILED, "the Expect header is not supported; only 100-continue is");
		gate->expect_continue = true;
	}
	return true;
}

bool gate_header(struct gate *gate, const char *name, size_t name_length, const char *value, size_t value_length)
{
	gate->header_count++;
	gate->header_bytes += name_length + value_length + 4;
	if (gate->strict_layout && !gate_line_ends(gate->line_end, name))
		return gate_refuse(gate, STATUS_MALFORMED, "a header line does not end in CR LF, is folded, or contains a NUL byte");
	if (!value) {
		gate->strict_layout = false;
		value = "";
	}
	gate->line_end = value + value_length;
	if (!gate_is_token(name, name_length))
		return gate_refuse(gate, STATUS_MALFORMED, "a header's name contains white space or other bytes that are not allowed");
	if (gate_has_control(value, value_length))
		return gate_refuse(gate, STATUS_MALFORMED, "a header's value contains control bytes");
	if (gate->header_count > GATE_HEADERS_MAX || gate->header_bytes > GATE_HEADER_BYTES_MAX)
		return gate_refuse(gate, STATUS_HEADERS_TOO_LARGE, "too many headers; at most 100 header fields of 16 KiB in all are allowed");
	return gate_singleton(gate, name, name_length, value, value_length);
}

enum status gate_end(const struct gate *gate, const char *version, const char *end, struct failure *failure)
{
	bool http_1_1 = strcmp(version, "HTTP/1.1") == 0;

	if (gate->status != STATUS_OK)
		return failure_set(failure, gate->status, "%s", gate->detail);
	if (gate->strict_layout && end &&
		(!gate_line_ends(gate->line_end, gate->line_end + 2) || !gate_line_ends(end - 2, end) ||
			(uintptr_t)end != (uintptr_t)gate->line_end + 4))
		return failure_set(failure, STATUS_MALFORMED, "the header section does not end in CR LF CR LF, or contains a NUL byte");
	if (!http_1_1 && strcmp(version, "HTTP/1.0") != 0)
		return failure_set(failure, STATUS_MALFORMED, "the protocol is neither HTTP/1.1 nor HTTP/1.0");
	if (http_1_1 && gate->seen[SINGLETON_HOST] == 0)
		return failure_set(failure, STATUS_MALFORMED, "an HTTP/1.1 request must have a Host header");
	if (gate->seen[SINGLETON_TRANSFER_ENCODING] && (gate->seen[SINGLETON_CONTENT_LENGTH] || !http_1_1))
		return failure_set(failure, STATUS_MALFORMED, "Transfer-Encoding is not allowed with Content-Length or with HTTP/1.0");
	return STATUS_OK;
}
