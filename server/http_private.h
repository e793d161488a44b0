/* Shared by the files of the HTTP side (server/http.h lists them). Other files must not include it. */
#ifndef FLEETPLAN_SERVER_HTTP_PRIVATE_H
#define FLEETPLAN_SERVER_HTTP_PRIVATE_H

#include <microhttpd.h>

#include "server/exchange.h"
#include "server/http.h"
#include "server/watch.h"
#include "server/wire/body.h"
#include "server/wire/listen.h"
#include "server/wire/peer.h"
#include "server/workers.h"

/* How many bytes of a refused request's body are read and discarded, so that its connection can stay open. Most clients
 * send the whole body before they read an answer. Streamed routes take large bodies, so a wrong one is read to its end,
 * within its deadline. */
enum { JUDGE_DISCARD_MAX_BYTES = 64 * 1024, JUDGE_DISCARD_STREAMED_BYTES = 256 * 1024 * 1024 };

struct http {
	struct http_options options;
	struct listener listener;
	struct MHD_Daemon *daemon;
	bool strict_layout; /* true if this libmicrohttpd parses headers in place */
	struct peers peers;
	struct exchange_pool pool;
	struct workers workers; /* for heavy routes */
	struct workers light;   /* for light routes that are not inline */
	struct workers readers; /* for bodies that are costly to read */
	struct watcher watcher;
	struct jobs *jobs;
	struct memory_budget budget;
	struct server *server;
	_Atomic size_t in_flight;
	_Atomic bool quiescing;
};

/* admission.c: all checks of the request line and the headers. STATUS_OK: receive the body. Any other status is stored
 * in exchange->refused, with call.failure; *at_once is true if the answer must not wait for the body. */
FALLIBLE enum status admission_request(struct exchange *exchange, const char *method, const char *version, bool *at_once);

/* admission.c: how many bytes of a request refused with `status` are discarded before its connection is closed. */
size_t admission_discard_bytes(const struct exchange *exchange, enum status status);

/* http.c: runs the handler, and delivers the answer unless it will follow by call_complete(). On a worker. */
void http_run(struct exchange *exchange);
/* Suspends the connection until it is resumed. On the connection's thread. */
void http_suspend(struct exchange *exchange);
/* Resumes the connection, which then sends the answer. This is `deliver`, unless other code keeps the answer. Any
 * thread. */
void http_resume(struct exchange *exchange);

/* response.c: turns the result of the handler, or a refusal, into the final answer. Any thread. */
void response_finish(struct exchange *exchange, enum status status);
/* Compresses the answer once, if the client accepts that. response_send() does it for answers that are not compressed
 * yet. A worker should call this rather than the storage's writer. */
void response_pack(struct exchange *exchange);
/* True if compressing this answer would keep a connection's thread from its other connections. */
bool response_pack_is_work(const struct exchange *exchange);
/* Queues the finished answer for sending. On the connection's thread. */
enum MHD_Result response_send(struct exchange *exchange);
/* Answers a refusal while the body is still arriving. libmicrohttpd accepts no answer at that point, so this writes to
 * the socket. The caller closes the connection. */
void response_abort(struct exchange *exchange);

/* cors.c: true if the origin is on the allow-list. */
bool cors_allows(const char *origins, const char *origin);

#endif
