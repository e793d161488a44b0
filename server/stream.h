/* Server-Sent Events: the state of something that goes on, as an event whenever it has changed, until it is over.
 *
 * Each event carries the whole state as JSON, and as its id a word that changes with the state, so that a client that comes
 * back with Last-Event-ID misses nothing and is told nothing twice. `event: progress` while it goes on, `event: done` at the
 * end, after which the stream is closed; a client that has seen the end already is answered 204, at which browsers stop coming
 * back. A comment every quarter of --idle-seconds (15 s at most) keeps proxies and dead peers from being silent. While nothing is to be sent, the connection is
 * suspended and costs no thread. */
#ifndef FLEETPLAN_SERVER_STREAM_H
#define FLEETPLAN_SERVER_STREAM_H

#include "base/uuid.h"
#include "server/auth.h"
#include "server/handler.h"

struct exchange;
struct MHD_Response;
struct stream;

enum { STREAM_ID_SIZE = 24 };

/* What a stream tells of. */
struct stream_subject {
	struct server *server;
	char id[UUID_TEXT_SIZE], owner[AUTH_ID_SIZE];
	/* Appends the present state to `state`, and writes its id; *done: it will not change any more. A status other than OK
	 * (it is there no more) ends the stream. On the watcher's or a connection's thread; must be short. */
	enum status (*read)(const struct stream_subject *subject, struct buffer *state, char id[STREAM_ID_SIZE], bool *done);
	bool ends_with_service; /* when the daemon shuts down, rather than when it is done: clients come back to the next one */
};

/* Answers the call with the subject's events. Of inline routes. */
FALLIBLE enum status call_stream(struct call *call, const struct stream_subject *subject);

/* The core's: the response that libmicrohttpd reads from; NULL without memory. */
struct MHD_Response *stream_response(struct exchange *exchange);
void stream_close(struct exchange *exchange); /* the connection is done with it */

#endif
