/* The gate: what no request may contain, whatever its route.
 *
 * libmicrohttpd 0.9.75 accepts requests that two readers can take for different ones (RFC 9112 section 11.2, "request
 * smuggling"). The first access-handler call therefore shows every header to the gate, before the route's own rules and
 * before a body is read; a request that fails is answered 400 (417 for an Expect) and its connection closed.
 *
 * The wire itself is not shown to us, but its layout is: 0.9.75 parses in place, so that between a value and the next name
 * lie exactly the CR and LF that stood there (both overwritten by NUL). A bare LF, a NUL inside a value, a folded line
 * each leave another distance, and are refused; a NUL in the place of the CR alone leaves the same. docs/http-limits.md has every rule with its
 * probe.
 * Pure functions, thread-safe. */
#ifndef FLEETPLAN_SERVER_WIRE_GATE_H
#define FLEETPLAN_SERVER_WIRE_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/failure.h"
#include "schema/record.h"

enum { GATE_QUERY_MAX = 64, GATE_TARGET_MAX = 8 * 1024, GATE_HEADERS_MAX = 100, GATE_HEADER_BYTES_MAX = 16 * 1024 };

/* What the headers of one request amount to, collected one header at a time. */
struct gate {
	bool strict_layout;   /* headers are parsed in place: check the distances between them */
	const char *line_end; /* where the line before ended on the wire; NULL: not known */
	unsigned header_count;
	size_t header_bytes;
	unsigned seen[4]; /* of each singleton */
	bool expect_continue;
	enum status status; /* STATUS_OK until a header failed */
	const char *detail; /* what was wrong: a literal */
};

/* Begins. `target_end` and `version`: where the request line's target ended and its last word begins, as they lie on the
 * wire; NULL gives up the layout rules. */
void gate_begin(struct gate *gate, const char *target_end, const char *version);

/* Shows the next header to the gate, in the order of arrival. False once the request has failed. */
bool gate_header(struct gate *gate, const char *name, size_t name_length, const char *value, size_t value_length);

/* The verdict over all headers. `version` as above; `end` is the first byte after the blank line, or NULL. */
FALLIBLE enum status gate_end(const struct gate *gate, const char *version, const char *end, struct failure *failure);

struct target {
	const char *path;
	struct query_parameter *query;
	size_t query_count;
};

/* Reads a raw request target, "/v1/plans?limit=5": the percent-decoded path and its query's parameters, in the arena.
 * Refused: targets that do not begin with "/", bad escapes, control bytes (encoded or not), "." and ".." segments, encoded
 * slashes, backslashes, bytes that are not UTF-8, more than GATE_QUERY_MAX parameters. */
FALLIBLE enum status gate_target(const char *raw, struct arena *arena, struct target *target, struct failure *failure);

#endif
