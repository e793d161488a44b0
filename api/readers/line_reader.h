/* Internal to api/: reads the members of a worker's line, and records missing and mistyped ones. */
#ifndef FLEETPLAN_API_READERS_LINE_READER_H
#define FLEETPLAN_API_READERS_LINE_READER_H

#include <jansson.h>

#include "base/arena.h"
#include "base/failure.h"
#include "planner/measurement/bench_spec.h"

struct line_reader {
	const json_t *object;
	struct arena *arena; /* of all text */
	struct failure *failure;
	const char *within; /* key of the object that is being read; NULL: the line itself */
};

void line_refuse(struct line_reader *reader, const char *key, const char *wanted);
bool line_has(const struct line_reader *reader, const char *key);

const char *line_text(struct line_reader *reader, const char *key);          /* never empty */
const char *line_optional_text(struct line_reader *reader, const char *key); /* NULL: absent */
double line_number(struct line_reader *reader, const char *key);             /* not negative, like the next */
double line_optional_number(struct line_reader *reader, const char *key);    /* NaN: absent */
double line_optional_real(struct line_reader *reader, const char *key);      /* any sign */
int64_t line_count(struct line_reader *reader, const char *key);
bool line_flag(struct line_reader *reader, const char *key); /* false: absent */
enum precision line_precision(struct line_reader *reader);   /* of `precision` */

/* False if `key` is absent; otherwise *part reads that object. */
bool line_object(struct line_reader *reader, const char *key, struct line_reader *part);

/* Reads `shape`, three sides, and `product`, which may be absent. False if there is no shape. */
bool line_shape(struct line_reader *reader, struct bench_shape *shape, enum bench_product *product);

#endif
