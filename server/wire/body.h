/* The body of a request while it arrives. It is collected into one buffer and decompressed if it is gzip. The size
 * limit is checked on every piece and on the decompressed bytes, so that neither a large body nor a small gzip bomb is
 * ever in memory as a whole. A route for large bodies gives a sink, and nothing is collected.
 *
 * To copy a plain body costs little. To decompress or parse one costs far more than its size suggests (a kilobyte of
 * gzip is a megabyte of text): such pieces are stored as received (body_hold) until a thread that may take its time
 * reads them (body_read). All bodies together have a memory budget. One owner, one thread at a time; the budget is
 * shared and atomic. */
#ifndef FLEETPLAN_SERVER_WIRE_BODY_H
#define FLEETPLAN_SERVER_WIRE_BODY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/failure.h"

struct body_unpacker;

/* Memory for clients: bodies, and answers until they are sent (server/response.c). */
struct memory_budget {
	size_t maximum_bytes;
	_Atomic size_t used_bytes;
};

/* The sink of a body that is read as it arrives: a route's own reader. */
struct body_sink {
	enum status (*receive)(void *state, const char *piece, size_t length, struct failure *failure); /* NULL: there is no sink */
	enum status (*end)(void *state, struct failure *failure);
	size_t (*memory_bytes)(const void *state); /* memory of the reader, for the budget */
	void (*release)(void *state);
	void *state;
	const unsigned char *sha256; /* of the decompressed body, 32 bytes; set at the end. NULL: not needed */
};

struct body {
	struct buffer bytes; /* for the handler; empty if a sink receives the body */
	struct buffer held;  /* received and not yet read, as it came on the wire */
	size_t held_at;      /* bytes of `held` that are already read */
	bool more_out;       /* the decompressor has more output for the bytes that it already received */
	bool ended;          /* the body has ended and is read completely */
	struct body_sink sink;
	size_t passed_bytes;  /* bytes given to the sink, after decompression */
	size_t wire_bytes;    /* arrived so far */
	size_t limit_bytes;   /* of the route */
	size_t charged_bytes; /* bytes charged to the budget */
	struct memory_budget *budget;
	struct body_unpacker *unpacker; /* NULL: the body is not compressed */
};

/* Begins a body of at most `limit_bytes`. `encoding` is the Content-Encoding, NULL or "identity" for none, "gzip" or
 * "x-gzip"; anything else is STATUS_UNSUPPORTED_MEDIA. `announced_bytes` is the Content-Length, 0 when unknown. */
FALLIBLE enum status body_begin(struct body *body, const char *encoding, size_t announced_bytes, size_t limit_bytes,
	struct memory_budget *budget, struct failure *failure);

/* Sends the body to the sink. Call it after body_begin() and before the first byte. The body owns the sink and releases
 * it. */
void body_stream(struct body *body, const struct body_sink *sink);

/* Receives the next piece. TOO_LARGE, OVERLOADED (budget), MALFORMED (not gzip), or the sink's status. */
FALLIBLE enum status body_receive(struct body *body, const char *piece, size_t length, struct failure *failure);

/* True if receiving this body costs more than copying it. */
bool body_is_work(const struct body *body);

/* Stores the next piece of such a body for later. TOO_LARGE, OVERLOADED. */
FALLIBLE enum status body_hold(struct body *body, const char *piece, size_t length, struct failure *failure);
bool body_holds_enough(const struct body *body); /* true: read what is stored before receiving more */

/* Reads the stored bytes, about a megabyte of output at a time; *more: there is more to read. `whole`: the stored bytes
 * complete the body, so its end is read too. Returns the statuses of body_receive() and body_end(). */
FALLIBLE enum status body_read(struct body *body, bool whole, bool *more, struct failure *failure);

size_t body_out_bytes(const struct body *body); /* output so far, after decompression */

/* Ends the body: MALFORMED if a compressed body is incomplete, or the sink's status. */
FALLIBLE enum status body_end(struct body *body, struct failure *failure);

void body_clear(struct body *body); /* keeps a little memory, returns the budget */
void body_release(struct body *body);

#endif
