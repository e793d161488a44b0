/* JSON stream: reads JSON in pieces of any size and calls a function for each token. For bodies too large for memory.
 *
 * It stores only its own struct: the nesting up to JSON_DEPTH_MAX, and the first JSON_STREAM_TEXT_MAX bytes of the
 * current string. The grammar is that of RFC 8259. The caller checks that strings are UTF-8 and that keys are unique.
 * One owner, one thread at a time; no allocation. */
#ifndef FLEETPLAN_SCHEMA_JSON_STREAM_H
#define FLEETPLAN_SCHEMA_JSON_STREAM_H

#include <stdint.h>

#include "schema/record.h"

enum json_token {
	TOKEN_BEGIN_OBJECT,
	TOKEN_END_OBJECT,
	TOKEN_BEGIN_ARRAY,
	TOKEN_END_ARRAY, /* depth: inside the bracket */
	TOKEN_KEY,
	TOKEN_TEXT,   /* text, length, cut */
	TOKEN_NUMBER, /* number: finite */
	TOKEN_TRUE,
	TOKEN_FALSE,
	TOKEN_NULL,
	TOKEN_COUNT
};

enum { JSON_STREAM_TEXT_MAX = 255, JSON_STREAM_NUMBER_MAX = 64 };

struct json_stream;

/* Receives each token. Any status but STATUS_OK stops the stream, which returns it; the function fills the failure. */
typedef enum status json_stream_function(void *context, const struct json_stream *stream, enum json_token token, struct failure *failure);

struct json_stream {
	/* Of the current token. */
	char text[JSON_STREAM_TEXT_MAX + 1]; /* NUL-terminated; the first bytes of a longer string */
	size_t length;
	bool cut; /* the string is longer than `text` */
	double number;
	size_t depth; /* 0: outside of every bracket */
	size_t at;    /* offset of the token's last byte in the piece */

	json_stream_function *function;
	void *context;
	int state;
	uint32_t objects; /* bit d: level d is an object */
	uint32_t unit;    /* the value of a \u escape so far */
	unsigned unit_digits;
	bool is_key;
	const char *word; /* being read: "true", "false" or "null" */
	size_t line, column;
};

void json_stream_init(struct json_stream *stream, json_stream_function *function, void *context);

/* Reads the next piece. STATUS_MALFORMED with line and column, or the status of the function. */
FALLIBLE enum status json_stream_feed(struct json_stream *stream, const char *piece, size_t length, struct failure *failure);

/* Ends the text. STATUS_MALFORMED when the value is not complete. */
FALLIBLE enum status json_stream_end(struct json_stream *stream, struct failure *failure);

#endif
