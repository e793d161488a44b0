/* Row splitter: reads JSON with many rows in pieces and calls a function with the text of each element. For schema/ only.
 *
 * A text that begins with "[" is a list. Any other text has one element a line (NDJSON); blank lines are ignored. One
 * owner, one thread at a time. */
#ifndef FLEETPLAN_SCHEMA_ROW_SPLITTER_H
#define FLEETPLAN_SCHEMA_ROW_SPLITTER_H

#include "schema/json_stream.h"

enum { ROW_ELEMENT_MAX_BYTES = 2 * 1024 * 1024 };

/* Receives an element. place: from 0; line: its first line, from 1. */
typedef enum status row_splitter_function(void *context, const char *text, size_t length, size_t place, size_t line, struct failure *failure);

struct row_splitter {
	struct json_stream stream; /* of a list */
	struct buffer element;
	row_splitter_function *function;
	void *context;
	enum { SPLIT_UNKNOWN, SPLIT_LIST, SPLIT_LINES } form;
	const char *piece;
	size_t piece_kept; /* bytes of the current piece that are copied or skipped */
	bool in_element;
	size_t place, line, lines;
};

void row_splitter_init(struct row_splitter *splitter, row_splitter_function *function, void *context);
void row_splitter_release(struct row_splitter *splitter);

FALLIBLE enum status row_splitter_feed(struct row_splitter *splitter, const char *piece, size_t length, struct failure *failure);
FALLIBLE enum status row_splitter_end(struct row_splitter *splitter, struct failure *failure);

#endif
