/* The body of a request while it arrives: collected into one run of bytes, unpacked when it is gzip, its limit enforced on
 * every piece and on what comes out of the unpacking, so that neither a large body nor a small bomb is ever held whole. A
 * route that reads large bodies gives a sink, and nothing is collected.
 *
 * To copy a plain body is nothing. To unpack one or to read it costs far more than its bytes say (a kilobyte of gzip is a
 * megabyte of text): such pieces are held as they came (body_hold) until a thread that may take its time reads them (body_read).
 * All bodies together have a budget as well. One owner, one thread at a time; the budget is shared and atomic. */
#ifndef FLEETPLAN_SERVER_WIRE_BODY_H
#define FLEETPLAN_SERVER_WIRE_BODY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/failure.h"

struct body_unpacker;

/* Of what is held for clients: bodies, and answers until they are sent (server/response.c). */
struct memory_budget {
	size_t maximum_bytes;
	_Atomic size_t used_bytes;
};

/* Where a body goes that is read as it arrives instead of being collected: a route's own reader. */
struct body_sink {
	enum status (*receive)(void *state, const char *piece, size_t length, struct failure *failure); /* NULL: there is no sink */
	enum status (*end)(void *state, struct failure *failure);
	size_t (*memory_bytes)(const void *state); /* what the reader holds, for the budget */
	void (*release)(void *state);
	void *state;
	const unsigned char *sha256; /* of the body after decompression, 32 bytes; set at the end. NULL: nobody asks */
};

struct body {
	struct buffer bytes;      /* as the handler will read it; empty where a sink takes it */
	struct buffer held;       /* as it came on the wire, and not read yet */
	size_t held_at;           /* of `held`: what is read already */
	bool more_out;            /* more comes out of what was taken */
	bool ended;               /* and nothing is left to be read */
	struct body_sink sink;
	size_t passed_bytes;      /* to the sink, after decompression */
	size_t wire_bytes;        /* arrived so far */
	size_t limit_bytes;       /* of the route */
	size_t charged_bytes;     /* to the budget */
	struct memory_budget *budget;
	struct body_unpacker *unpacker; /* NULL: the body is not packed */
};

/* Begins a body of at most `limit_bytes`. `encoding` is the Content-Encoding, NULL or "identity" for none, "gzip" or
 * "x-gzip"; anything else is STATUS_UNSUPPORTED_MEDIA. `announced_bytes` is the Content-Length, 0 when unknown. */
FALLIBLE enum status body_begin(struct body *body, const char *encoding, size_t announced_bytes, size_t limit_bytes,
	struct memory_budget *budget, struct failure *failure);

/* Begun already, and not a byte received: everything goes to the sink, which is the body's from here on and released with it. */
void body_stream(struct body *body, const struct body_sink *sink);

/* The next piece. TOO_LARGE, OVERLOADED (budget), MALFORMED (not gzip), or what the sink answers. */
FALLIBLE enum status body_receive(struct body *body, const char *piece, size_t length, struct failure *failure);

/* Whether to receive it costs more than to copy it. */
bool body_is_work(const struct body *body);

/* The next piece of such a body, for later. TOO_LARGE, OVERLOADED. */
FALLIBLE enum status body_hold(struct body *body, const char *piece, size_t length, struct failure *failure);
bool body_holds_enough(const struct body *body); /* to be read before more is received */

/* Reads what is held, a megabyte or so of what comes out of it at a time: *more tells that there is more. With `whole`, that was all of the
 * body, and its end is read too. As body_receive() and body_end(). */
FALLIBLE enum status body_read(struct body *body, bool whole, bool *more, struct failure *failure);

size_t body_out_bytes(const struct body *body); /* what came out so far */

/* The end: MALFORMED when a packed body is cut short, or what the sink answers. */
FALLIBLE enum status body_end(struct body *body, struct failure *failure);

void body_clear(struct body *body); /* keeps a little memory, gives the budget back */
void body_release(struct body *body);

#endif
