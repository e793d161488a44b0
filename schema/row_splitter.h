/* JSON that holds many rows, as it arrives: told element by element as text, each for a parser of its own. Only for api/.
 *
 * What begins with "[" is a list; anything else is one element a line (NDJSON), blank lines passed over. One owner, one thread. */
#ifndef FLEETPLAN_SCHEMA_ROW_SPLITTER_H
#define FLEETPLAN_SCHEMA_ROW_SPLITTER_H

#include "schema/json_stream.h"

enum { ROW_ELEMENT_MAX_BYTES = 2 * 1024 * 1024 };

/* place: from 0; line: where it begins, from 1. */
typedef enum status row_splitter_function(void *context, const char *text, size_t length, size_t place, size_t line, struct failure *failure);

struct row_splitter {
	struct json_stream stream; /* of a list */
	struct buffer element;
	row_splitter_function *function;
	void *context;
	enum { SPLIT_UNKNOWN, SPLIT_LIST, SPLIT_LINES } form;
	const char *piece;
	size_t piece_kept; /* bytes of the present piece that are kept or passed over */
	bool in_element;
	size_t place, line, lines;
};

void row_splitter_init(struct row_splitter *splitter, row_splitter_function *function, void *context);
void row_splitter_release(struct row_splitter *splitter);

FALLIBLE enum status row_splitter_feed(struct row_splitter *splitter, const char *piece, size_t length, struct failure *failure);
FALLIBLE enum status row_splitter_end(struct row_splitter *splitter, struct failure *failure);

#endif
