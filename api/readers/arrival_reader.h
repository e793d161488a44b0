/* The body of an inference request as it arrives: rows of `trace.arrivals` become numbers, all else is kept as it came.
 *
 * A row is held as 24 bytes and never as text. What stands outside the rows is the request, up to ARRIVALS_KEPT_MAX_BYTES of it;
 * where rows were, one row stands for them, so that the field tables find the same faults as in a short body. Faults of the
 * rows are collected, all of them counted. Memory is malloc'ed as needed and bounded by these limits. One owner, one thread at a
 * time. */
#ifndef FLEETPLAN_API_READERS_ARRIVAL_READER_H
#define FLEETPLAN_API_READERS_ARRIVAL_READER_H

#include "base/buffer.h"
#include "base/failure.h"
#include "planner/plan/serving.h"

enum { ARRIVALS_MAX = 2000000, ARRIVALS_KEPT_MAX_BYTES = 4 * 1024 * 1024, ARRIVALS_TEXT_MAX_BYTES = 48 * 1024 * 1024 };

struct arrival_reader;

/* NULL without memory. */
struct arrival_reader *arrival_reader_new(void);
void arrival_reader_free(struct arrival_reader *reader); /* NULL is nothing */

/* The next piece. MALFORMED (not JSON), TOO_LARGE (past the limits above), NO_MEMORY. */
FALLIBLE enum status arrival_reader_feed(
	struct arrival_reader *reader, const char *piece, size_t length, struct failure *failure);

/* The end of the body. */
FALLIBLE enum status arrival_reader_end(struct arrival_reader *reader, struct failure *failure);

size_t arrival_reader_memory_bytes(const struct arrival_reader *reader);

/* After the end: the request without its rows, for the field tables. */
const struct buffer *arrival_reader_request(const struct arrival_reader *reader);

/* After the end: puts the rows, which stay the reader's, where the request had them. INVALID with the rows' faults added to
 * those that `failure` holds already. A request without a trace stays as it is. */
FALLIBLE enum status arrival_reader_take(
	const struct arrival_reader *reader, struct request_trace *trace, struct failure *failure);

/* After the end: the whole request as text again, numbers in their shortest form. It stays the reader's. TOO_LARGE past
 * ARRIVALS_TEXT_MAX_BYTES. */
FALLIBLE enum status arrival_reader_text(
	struct arrival_reader *reader, struct json_text *text, struct failure *failure);

#endif
