/* A CSV reader (RFC 4180) for files too large to hold: it takes pieces of any size and delivers record by record.
 *
 * Only the wanted columns are kept, CSV_STREAM_FIELD_MAX bytes of each. The header is the first of
 * CSV_STREAM_PREAMBLE_MAX records that contains all wanted columns (AWS writes a few other lines before it). One owner,
 * no allocation. */
#ifndef FLEETPLAN_HWDB_FEEDS_CSV_STREAM_H
#define FLEETPLAN_HWDB_FEEDS_CSV_STREAM_H

#include <stdbool.h>

#include "base/failure.h"

enum { CSV_STREAM_WANTED_MAX = 32, CSV_STREAM_COLUMNS_MAX = 512, CSV_STREAM_FIELD_MAX = 127, CSV_STREAM_PREAMBLE_MAX = 16 };

struct csv_stream {
	const char *const *wanted; /* names of the wanted columns */
	size_t wanted_count;
	enum status (*record)(void *context, const struct csv_stream *stream, struct failure *failure);
	void *context;

	/* The present record, in the order of `wanted`. */
	char fields[CSV_STREAM_WANTED_MAX][CSV_STREAM_FIELD_MAX + 1];

	/* Internal state. */
	signed char at_wanted[CSV_STREAM_COLUMNS_MAX]; /* column -> index in `wanted`, -1: not wanted */
	bool has_header, quoted, quote_seen, begun, field_begun;
	size_t column, length, columns, records;
	char name[CSV_STREAM_FIELD_MAX + 1]; /* of a field of the header */
	size_t found;
};

void csv_stream_init(struct csv_stream *stream, const char *const *wanted, size_t count,
	enum status (*record)(void *, const struct csv_stream *, struct failure *), void *context);

/* Reads the next piece; length 0 is the end. MALFORMED for text that is not CSV, has no such header, or ends within a
 * record. */
FALLIBLE enum status csv_stream_feed(struct csv_stream *stream, const char *piece, size_t length, struct failure *failure);

#endif
