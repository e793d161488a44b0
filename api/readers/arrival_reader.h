/* Reads the body of an inference request as it arrives: rows of `trace.arrivals` become numbers, the rest is stored
 * unchanged.
 *
 * A row takes 24 bytes and is never stored as text. The text outside the rows is the request, up to
 * ARRIVALS_KEPT_MAX_BYTES; it has one row in place of all rows, so that the field tables find the same faults as in a
 * short body. All faults of rows are counted, the first ones are reported. Memory comes from malloc and is bounded by
 * these limits. One owner, one thread at a time. */
#ifndef FLEETPLAN_API_READERS_ARRIVAL_READER_H
#define FLEETPLAN_API_READERS_ARRIVAL_READER_H

#include "base/buffer.h"
#include "base/failure.h"
#include "planner/plan/serving.h"

enum { ARRIVALS_MAX = 2000000, ARRIVALS_KEPT_MAX_BYTES = 4 * 1024 * 1024, ARRIVALS_TEXT_MAX_BYTES = 48 * 1024 * 1024 };

struct arrival_reader;

/* Returns NULL without memory. */
struct arrival_reader *arrival_reader_new(void);
void arrival_reader_free(struct arrival_reader *reader); /* NULL is allowed */

/* Reads the next piece. Errors: MALFORMED (not JSON), TOO_LARGE (above the limits), NO_MEMORY. */
FALLIBLE enum status arrival_reader_feed(struct arrival_reader *reader, const char *piece, size_t length, struct failure *failure);

/* Ends the body. */
FALLIBLE enum status arrival_reader_end(struct arrival_reader *reader, struct failure *failure);

size_t arrival_reader_memory_bytes(const struct arrival_reader *reader);

/* After the end: returns the request without its rows, for the field tables. */
const struct buffer *arrival_reader_request(const struct arrival_reader *reader);

/* After the end: puts the rows into the request; the reader still owns them. INVALID if rows have faults, which are
 * added to those in `failure`. A request without a trace does not change. */
FALLIBLE enum status arrival_reader_take(const struct arrival_reader *reader, struct request_trace *trace, struct failure *failure);

/* After the end: returns the whole request as text, numbers in their shortest form. The reader owns it. TOO_LARGE above
 * ARRIVALS_TEXT_MAX_BYTES. */
FALLIBLE enum status arrival_reader_text(struct arrival_reader *reader, struct json_text *text, struct failure *failure);

#endif
