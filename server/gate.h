/* The gate: what no request may contain, whatever its route.
 *
 * libmicrohttpd 0.9.75 accepts requests that two readers can take for different ones (RFC 9112 section 11.2, "request
 * smuggling"). The first access-handler call therefore shows everything it has to the gate, before the route's
 * own rules and before a body is read; a request that fails is answered 400 (417 for an Expect) and its connection closed.
 * docs/http-limits.md has every rule with its probe. Pure functions, thread-safe. */
#ifndef FLEETPLAN_SERVER_GATE_H
#define FLEETPLAN_SERVER_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "api/api.h"
#include "base/arena.h"
#include "base/failure.h"

enum { GATE_QUERY_MAX = 64 };

/* What the headers of one request amount to, collected one header at a time. */
struct gate {
	unsigned host_count, content_length_count, transfer_encoding_count, singleton_seen;
	bool expect_continue;
	enum status status; /* STATUS_OK until a header failed */
	const char *detail; /* what was wrong, a literal */
};

/* Shows one header (name and value with their lengths) to the gate. False once the request has failed. */
bool gate_header(struct gate *gate, const char *name, size_t name_length, const char *value, size_t value_length);

/* The verdict over all headers. `http_1_1`: the request line said HTTP/1.1. */
FALLIBLE enum status gate_verdict(const struct gate *gate, bool http_1_1, struct failure *failure);

/* Reads a raw request target, "/v1/plans?limit=5": *path becomes the percent-decoded path, *query its parameters, all in
 * the arena. Refused: targets that do not begin with "/", bad escapes, NUL and control bytes (encoded or not), "." and ".."
 * segments, encoded slashes, backslashes, bytes that are not UTF-8, more than GATE_QUERY_MAX parameters. */
struct target {
	const char *path;
	struct query_parameter *query;
	size_t query_count;
};
FALLIBLE enum status gate_target(const char *raw, struct arena *arena, struct target *target, struct failure *failure);

/* Whether text is UTF-8 (no overlong forms, no surrogates). */
bool gate_utf8(const char *text, size_t length);

#endif
