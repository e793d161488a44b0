/* Reads the lines that a benchmark's worker writes on file descriptor 3 (planner/measurement/bench_lines.h).
 *
 * Members without a row are allowed, since an agent on another node may be newer; a missing or mistyped member makes the
 * line invalid. Text is borrowed from the arena. Pure, thread-safe. */
#ifndef FLEETPLAN_API_BENCH_PROTOCOL_H
#define FLEETPLAN_API_BENCH_PROTOCOL_H

#include "base/arena.h"
#include "base/failure.h"
#include "planner/measurement/bench_lines.h"

enum { BENCH_PROTOCOL_LINE_MAX = BENCH_LINE_MAX };

/* Reads one line, without its newline. Errors: STATUS_MALFORMED (not one JSON object), STATUS_INVALID, each with what
 * is wrong. */
FALLIBLE enum status bench_line_parse(const char *text, size_t length, struct arena *arena, struct bench_line *line, struct failure *failure);

/* Returns the text of a list of tests as a suite is stored: `"quick"` or `["stream_triad", ...]` becomes "quick" or
 * "stream_triad,...". Errors, both without a failure: STATUS_INVALID if the JSON is neither, if a name is not [a-z0-9_]+
 * or if the text is too long for a worker; STATUS_NO_MEMORY. */
FALLIBLE enum status bench_suite_text(const char *json, size_t length, struct arena *arena, const char **text);

#endif
