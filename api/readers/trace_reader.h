/* Reads the body of POST /v1/diagnoses as it arrives: a profiler's trace, or a request in JSON.
 *
 * A trace is an object with `traceEvents` (Chrome's trace format as PyTorch's profiler writes it), a bare list of
 * events (the older profiler's), or a request whose member `trace` is such an object. Events are read one by one and
 * not stored. The reader stores intervals (16 bytes for each merged stretch of activity), at most TRACE_INTERVALS_MAX
 * of them, the steps, and at most TRACE_KEPT_MAX_BYTES of the text outside the events, which is the request if there is
 * no trace. Memory comes from malloc and is bounded by these limits. One owner, one thread at a time. */
#ifndef FLEETPLAN_API_READERS_TRACE_READER_H
#define FLEETPLAN_API_READERS_TRACE_READER_H

#include "base/buffer.h"
#include "planner/diagnosis/trace.h"
#include "schema/json_stream.h"

enum { TRACE_INTERVALS_MAX = 4 * 1024 * 1024, TRACE_KEPT_MAX_BYTES = 4 * 1024 * 1024 };

struct trace_reader;

/* Returns NULL without memory. */
struct trace_reader *trace_reader_new(void);
void trace_reader_free(struct trace_reader *reader); /* NULL is allowed */

/* Reads the next piece. Errors: MALFORMED (not JSON), TOO_LARGE (above the limits), INVALID (a figure of an event),
 * NO_MEMORY. */
FALLIBLE enum status trace_reader_feed(struct trace_reader *reader, const char *piece, size_t length, struct failure *failure);

/* Ends the body. */
FALLIBLE enum status trace_reader_end(struct trace_reader *reader, struct failure *failure);

size_t trace_reader_memory_bytes(const struct trace_reader *reader);

/* After the end: whether the body had events, and the request beside or instead of them. */
bool trace_reader_has_events(const struct trace_reader *reader);
const struct buffer *trace_reader_request(const struct trace_reader *reader); /* NULL: the body is only a trace */

/* Diagnoses the events: fills the summary and the mean step. Call once, after the end. INVALID if no event takes time. */
FALLIBLE enum status trace_reader_summarize(
	struct trace_reader *reader, struct trace_summary *summary, struct step_timings *mean, struct failure *failure);

#endif
