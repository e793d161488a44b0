/* CSV (RFC 4180) as it arrives, in pieces of any size, told record by record: for files that are never held whole.
 *
 * Only the columns that are asked for are kept, CSV_STREAM_FIELD_MAX bytes of each; the header is the first record that holds all
 * of them (AWS puts a few lines of other things before it), within the first CSV_STREAM_PREAMBLE_MAX records. One owner, no
 * allocation. */
#ifndef FLEETPLAN_HWDB_FEEDS_CSV_STREAM_H
#define FLEETPLAN_HWDB_FEEDS_CSV_STREAM_H

#include <stdbool.h>

#include "base/failure.h"

enum { CSV_STREAM_WANTED_MAX = 32, CSV_STREAM_COLUMNS_MAX = 512, CSV_STREAM_FIELD_MAX = 127, CSV_STREAM_PREAMBLE_MAX = 16 };

struct csv_stream {
	const char *const *wanted; /* names of columns */
	size_t wanted_count;
	enum status (*record)(void *context, const struct csv_stream *stream, struct failure *failure);
	void *context;

	/* Of the present record, in the order of `wanted`. */
	char fields[CSV_STREAM_WANTED_MAX][CSV_STREAM_FIELD_MAX + 1];

	/* Within. */
	signed char at_wanted[CSV_STREAM_COLUMNS_MAX]; /* column -> index of wanted, -1 */
	bool has_header, quoted, quote_seen, begun, field_begun;
	size_t column, length, columns, records;
	char name[CSV_STREAM_FIELD_MAX + 1]; /* of a header's field */
	size_t found;
};

void csv_stream_init(struct csv_stream *stream, const char *const *wanted, size_t count,
	enum status (*record)(void *, const struct csv_stream *, struct failure *), void *context);

/* The next piece; length 0: the end. MALFORMED for what is no CSV, has no such header, or ends within a record. */
FALLIBLE enum status csv_stream_feed(struct csv_stream *stream, const char *piece, size_t length, struct failure *failure);

#endif
