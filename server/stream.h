/* Server-Sent Events: an event with the state of a subject whenever the state has changed, until it is final.
 *
 * Each event carries the whole state as JSON. The event's id changes with the state: a client that reconnects with
 * Last-Event-ID misses no state and receives none twice. The events are `event: progress` before the end and `event:
 * done` at the end; then the stream is closed. A client that has already received the end is answered 204, and browsers
 * then stop reconnecting. The stream sends a keep-alive comment every quarter of --idle-seconds (at most every 15 s),
 * so that proxies keep the connection and a dead client is detected. While there is nothing to send, the connection is
 * suspended and occupies no thread. */
#ifndef FLEETPLAN_SERVER_STREAM_H
#define FLEETPLAN_SERVER_STREAM_H

#include "base/uuid.h"
#include "server/auth.h"
#include "server/handler.h"

struct exchange;
struct MHD_Response;
struct stream;

enum { STREAM_ID_SIZE = 24 };

/* The subject of a stream. */
struct stream_subject {
	struct server *server;
	char id[UUID_TEXT_SIZE], owner[AUTH_ID_SIZE];
	/* Appends the present state to `state` and writes its id; *done: the state is final. Any status other than OK (the
	 * subject no longer exists) ends the stream. Runs on the watcher's or a connection's thread; must be short. */
	enum status (*read)(const struct stream_subject *subject, struct buffer *state, char id[STREAM_ID_SIZE], bool *done);
	bool ends_with_service; /* the stream ends at the daemon's shutdown even before the end: clients reconnect to the next daemon */
};

/* Answers the call with the subject's events. For inline routes. */
FALLIBLE enum status call_stream(struct call *call, const struct stream_subject *subject);

/* Used by the HTTP core: makes the response that libmicrohttpd reads from; NULL without memory. */
struct MHD_Response *stream_response(struct exchange *exchange);
void stream_close(struct exchange *exchange); /* called when the connection no longer needs the stream */

#endif
