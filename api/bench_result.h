/* A benchmark's result as an agent delivers it: how its worker ended, and the lines that it wrote.
 *
 * An object with `end`, `detail`, `worker_version`, `elapsed_s`, `log`, and the worker's lines as they were: each object in it,
 * or in a list in it, that has a `type` (`device`, `measures`, `skips`, ...). Other members are allowed, since an agent may be
 * newer. Text is borrowed from the arena. Pure, thread-safe. */
#ifndef FLEETPLAN_API_BENCH_RESULT_H
#define FLEETPLAN_API_BENCH_RESULT_H

#include "base/arena.h"
#include "base/failure.h"
#include "base/given.h"

enum { BENCH_RESULT_LINES_MAX = 4096 };

struct bench_result {
	const char *end;                           /* always there */
	const char *detail, *worker_version, *log; /* NULL: not told */
	double elapsed_s;                          /* NaN: not told */
	struct json_text *lines;                   /* for bench_line_parse */
	size_t line_count;
};

/* `text` ends with a NUL after `length` bytes. Lines are as they stand in it. STATUS_INVALID with what is wrong, STATUS_NO_MEMORY. */
FALLIBLE enum status bench_result_read(const char *text, size_t length, struct arena *arena, struct bench_result *result,
	struct failure *failure);

/* Where the value of a member of a body's outermost object stands, byte for byte as it was sent. The body is valid JSON.
 * False when it has no such member. */
bool bench_result_span(const char *body, const char *key, const char **start, size_t *length);

#endif
