/* The body of POST /v1/diagnoses as it arrives: a profiler's trace, or a request in JSON.
 *
 * A trace is an object with `traceEvents` (Chrome's trace format as PyTorch's profiler writes it), a bare list of events (the
 * older profiler's), or a request whose member `trace` is such an object. Its events are read and forgotten one by one; what
 * is kept are intervals (16 bytes a stretch of activity, merged), at most TRACE_INTERVALS_MAX of them, steps, and
 * up to TRACE_KEPT_MAX_BYTES of what stands outside the events, which is the request when there is no trace.
 * Memory is malloc'ed as needed and bounded by these. One owner, one thread at a time. */
#ifndef FLEETPLAN_API_READERS_TRACE_READER_H
#define FLEETPLAN_API_READERS_TRACE_READER_H

#include "base/buffer.h"
#include "planner/diagnosis/trace.h"
#include "schema/json_stream.h"

enum { TRACE_INTERVALS_MAX = 4 * 1024 * 1024, TRACE_KEPT_MAX_BYTES = 4 * 1024 * 1024 };

struct trace_reader;

/* NULL without memory. */
struct trace_reader *trace_reader_new(void);
void trace_reader_free(struct trace_reader *reader); /* NULL is nothing */

/* The next piece. MALFORMED (not JSON), TOO_LARGE (past the limits above), INVALID (a figure of an event), NO_MEMORY. */
FALLIBLE enum status trace_reader_feed(struct trace_reader *reader, const char *piece, size_t length, struct failure *failure);

/* The end of the body. */
FALLIBLE enum status trace_reader_end(struct trace_reader *reader, struct failure *failure);

size_t trace_reader_memory_bytes(const struct trace_reader *reader);

/* After the end: whether the body held events, and whether there is a request beside or instead of them. */
bool trace_reader_has_events(const struct trace_reader *reader);
const struct buffer *trace_reader_request(const struct trace_reader *reader); /* NULL: the body is a trace and nothing else */

/* Diagnoses the events: fills the summary and the mean step. Once, after the end. INVALID when nothing in them takes time. */
FALLIBLE enum status trace_reader_summarize(struct trace_reader *reader, struct trace_summary *summary, struct step_timings *mean,
	struct failure *failure);

#endif
