/* JSON as it arrives, in pieces of any size, told token by token: for bodies that are never held whole.
 *
 * What it keeps is itself: nesting up to JSON_DEPTH_MAX, and the first JSON_STREAM_TEXT_MAX bytes of the present string.
 * The grammar is RFC 8259's; that strings are UTF-8 and keys differ is for whoever uses them. One owner, one thread at a
 * time; no allocation. */
#ifndef FLEETPLAN_SCHEMA_JSON_STREAM_H
#define FLEETPLAN_SCHEMA_JSON_STREAM_H

#include <stdint.h>

#include "schema/record.h"

enum json_token {
	TOKEN_BEGIN_OBJECT, TOKEN_END_OBJECT, TOKEN_BEGIN_ARRAY, TOKEN_END_ARRAY, /* depth: of the bracket's inside */
	TOKEN_KEY, TOKEN_TEXT, /* text, length, cut */
	TOKEN_NUMBER,          /* number: finite */
	TOKEN_TRUE, TOKEN_FALSE, TOKEN_NULL,
	TOKEN_COUNT
};

enum { JSON_STREAM_TEXT_MAX = 255, JSON_STREAM_NUMBER_MAX = 64 };

struct json_stream;

/* Called for each token; anything but STATUS_OK ends the stream with it, the failure filled by whoever returned it. */
typedef enum status json_stream_function(void *context, const struct json_stream *stream, enum json_token token, struct failure *failure);

struct json_stream {
	/* Of the present token. */
	char text[JSON_STREAM_TEXT_MAX + 1]; /* NUL-terminated; of a longer string its beginning */
	size_t length;
	bool cut;       /* the string was longer */
	double number;
	size_t depth;   /* 0 outside of everything */
	size_t at;      /* of the token's last byte, within the piece */

	json_stream_function *function;
	void *context;
	int state;
	uint32_t objects; /* bit d: level d is an object */
	uint32_t unit;    /* of a \u escape, so far */
	unsigned unit_digits;
	bool is_key;
	const char *word; /* "true", "false", "null" */
	size_t line, column;
};

void json_stream_init(struct json_stream *stream, json_stream_function *function, void *context);

/* The next piece. MALFORMED with line and column, or what the function said. */
FALLIBLE enum status json_stream_feed(struct json_stream *stream, const char *piece, size_t length, struct failure *failure);

/* The end: MALFORMED when the value is not complete. */
FALLIBLE enum status json_stream_end(struct json_stream *stream, struct failure *failure);

#endif
