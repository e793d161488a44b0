/* The gate: rules for every request, whatever its route.
 *
 * libmicrohttpd 0.9.75 accepts requests that two readers can interpret differently (RFC 9112 section 11.2, "request
 * smuggling"). The first access-handler call therefore passes every header to the gate, before the route's own rules
 * and before a body is read. A request that fails is answered 400 (417 for an Expect) and its connection is closed.
 *
 * We do not see the bytes on the wire, but we know their layout: 0.9.75 parses in place, so exactly one CR and one LF
 * (both overwritten by NUL) lie between a value and the next name. A bare LF, a NUL inside a value and a folded line
 * each give another distance, and are refused. A NUL in place of the CR gives the same distance, and is not detected.
 * docs/http-limits.md lists every rule with its probe. Pure functions, thread-safe. */
#ifndef FLEETPLAN_SERVER_WIRE_GATE_H
#define FLEETPLAN_SERVER_WIRE_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/failure.h"
#include "schema/record.h"

enum { GATE_QUERY_MAX = 64, GATE_TARGET_MAX = 8 * 1024, GATE_HEADERS_MAX = 100, GATE_HEADER_BYTES_MAX = 16 * 1024 };

/* The state of the checks over one request's headers, updated header by header. */
struct gate {
	bool strict_layout;   /* true: headers are parsed in place, so check the distances between them */
	const char *line_end; /* end of the previous line on the wire; NULL: not known */
	unsigned header_count;
	size_t header_bytes;
	unsigned seen[4]; /* count of each header that may occur once */
	bool expect_continue;
	enum status status; /* STATUS_OK until a header failed */
	const char *detail; /* what is wrong: a string literal */
};

/* Begins the checks. `target_end`: the end of the request line's target on the wire; `version`: the beginning of its
 * last word. `target_end` NULL switches the layout rules off. */
void gate_begin(struct gate *gate, const char *target_end, const char *version);

/* Passes the next header to the gate, in the order of arrival. Returns false once the request has failed. */
bool gate_header(struct gate *gate, const char *name, size_t name_length, const char *value, size_t value_length);

/* Returns the result over all headers. `version` as above; `end` is the first byte after the blank line, or NULL. */
FALLIBLE enum status gate_end(const struct gate *gate, const char *version, const char *end, struct failure *failure);

struct target {
	const char *path;
	struct query_parameter *query;
	size_t query_count;
};

/* Parses a raw request target, "/v1/plans?limit=5", into the percent-decoded path and the query's parameters, in the
 * arena. Refuses targets that do not begin with "/", bad escapes, control bytes (encoded or not), "." and ".."
 * segments, encoded slashes, backslashes, bytes that are not UTF-8, and more than GATE_QUERY_MAX parameters. */
FALLIBLE enum status gate_target(const char *raw, struct arena *arena, struct target *target, struct failure *failure);

#endif
