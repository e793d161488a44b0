/* Decodes the request target, path and query, strictly (gate.h). */
#include <stdint.h>

#include "server/wire/gate.h"

#include "base/utf8.h"

static int target_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes `length` raw bytes into `out` (of the same size) and returns its end; NULL for a bad escape or a control
 * byte. */
static char *target_decode(const char *raw, size_t length, bool plus_is_space, char *out)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)raw[i];

		if (c == '%') {
			int high = i + 2 < length ? target_hex(raw[i + 1]) : -1, low = high < 0 ? -1 : target_hex(raw[i + 2]);

			if (low < 0)
				return NULL;
			c = (unsigned char)(high << 4 | low);
			i += 2;
		} else if (c == ' ') {
			return NULL;
		} else if (c == '+' && plus_is_space) {
			c = ' ';
		}
		if (c < 0x20 || c == 0x7f)
			return NULL;
		*out++ = (char)c;
	}
	*out = '\0';
	return out;
}

static enum status target_path(const char *raw, size_t length, struct arena *arena, struct target *target, struct failure *failure)
{
	char *path = arena_alloc(arena, length + 1, 1), *end;

	if (!path)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the request target");
	for (size_t i = 0; i + 2 < length; i++) {
		if (raw[i] == '%' && raw[i + 1] == '2' && (raw[i + 2] == 'f' || raw[i + 2] == 'F'))
			return failure_set(failure, STATUS_MALFORMED, "the path contains an encoded slash");
	}
	end = target_decode(raw, length, false, path);
	if (!end)
		return failure_set(failure, STATUS_MALFORMED, "the path contains a bad percent escape, a space, or a control byte");
	if (strchr(path, '\\') || !utf8_valid(path, (size_t)(end - path)))
		return failure_set(failure, STATUS_MALFORMED, "the path contains a backslash or bytes that are not UTF-8");
	for (const char *segment = path; segment; segment = strchr(segment + 1, '/')) {
		if (strncmp(segment, "/.", 2) == 0 && (segment[2] == '/' || !segment[2] || (segment[2] == '.' && (segment[3] == '/' || !segment[3]))))
			return failure_set(failure, STATUS_MALFORMED, "the path contains a segment \".\" or \"..\"");
	}
	target->path = path;
	return STATUS_OK;
}

static enum status target_parameter(
	const char *raw, size_t length, struct arena *arena, struct query_parameter *parameter, struct failure *failure)
{
	const char *equals = memchr(raw, '=', length);
	size_t key_length = equals ? (size_t)(equals - raw) : length;
	char *key = arena_alloc(arena, length + 2, 1), *value, *end;

	if (!key)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the query");
	value = target_decode(raw, key_length, true, key);
	if (!value)
		return failure_set(failure, STATUS_MALFORMED, "the query contains a bad percent escape or a control byte");
	if (!utf8_valid(key, (size_t)(value - key)))
		return failure_set(failure, STATUS_MALFORMED, "the query contains bytes that are not UTF-8");
	value++;
	end = equals ? target_decode(equals + 1, length - key_length - 1, true, value) : value;
	if (!end || !utf8_valid(value, (size_t)(end - value)))
		return failure_set(
			failure, STATUS_MALFORMED, "a query parameter contains a bad percent escape, a control byte, or bytes that are not UTF-8");
	*parameter = (struct query_parameter){.key = key, .value = value};
	return STATUS_OK;
}

static enum status target_query(const char *raw, struct arena *arena, struct target *target, struct failure *failure)
{
	size_t count = 1;

	for (const char *c = raw; *c; c++)
		count += *c == '&';
	if (count > GATE_QUERY_MAX)
		return failure_set(failure, STATUS_MALFORMED, "too many query parameters; at most %d are allowed", GATE_QUERY_MAX);
	target->query = ARENA_ARRAY(arena, struct query_parameter, count);
	if (!target->query)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the query");
	while (raw) {
		const char *end = strchrnul(raw, '&');
		enum status status = STATUS_OK;

		if (end > raw)
			status = target_parameter(raw, (size_t)(end - raw), arena, &target->query[target->query_count++], failure);
		if (status != STATUS_OK)
			return status;
		raw = *end ? end + 1 : NULL;
	}
	return STATUS_OK;
}

enum status gate_target(const char *raw, struct arena *arena, struct target *target, struct failure *failure)
{
	const char *question = strchrnul(raw, '?');
	enum status status;

	*target = (struct target){.path = "/"};
	if (raw[0] != '/')
		return failure_set(failure, STATUS_MALFORMED, "the request target does not begin with a slash");
	status = target_path(raw, (size_t)(question - raw), arena, target, failure);
	if (status == STATUS_OK && *question)
		status = target_query(question + 1, arena, target, failure);
	return status;
}
