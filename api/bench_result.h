/* Reads a benchmark's result as an agent delivers it: the end of its worker, and the lines that the worker wrote.
 *
 * The result is an object with `end`, `detail`, `worker_version`, `elapsed_s`, `log`, and the worker's lines,
 * unchanged. A line is an object with a `type`: a member of the result, or an element of a list in it (`device`,
 * `measures`, `skips`, ...). Other members are allowed, since an agent may be newer. Text is borrowed from the arena.
 * Pure, thread-safe. */
#ifndef FLEETPLAN_API_BENCH_RESULT_H
#define FLEETPLAN_API_BENCH_RESULT_H

#include "base/arena.h"
#include "base/failure.h"
#include "base/given.h"

enum { BENCH_RESULT_LINES_MAX = 4096 };

struct bench_result {
	const char *end;                           /* never NULL */
	const char *detail, *worker_version, *log; /* NULL: not reported */
	double elapsed_s;                          /* NaN: not reported */
	struct json_text *lines;                   /* for bench_line_parse */
	size_t line_count;
};

/* Reads a result; `text` ends with a NUL after `length` bytes. Lines keep their text. Errors: STATUS_INVALID with what
 * is wrong, STATUS_NO_MEMORY. */
FALLIBLE enum status bench_result_read(
	const char *text, size_t length, struct arena *arena, struct bench_result *result, struct failure *failure);

/* Finds the value of a member of a body's outermost object, byte for byte as the agent sent it. The body is valid JSON.
 * False if the member is absent. */
bool bench_result_span(const char *body, const char *key, const char **start, size_t *length);

#endif
