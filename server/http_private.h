/* What the files of the HTTP side share (server/http.h names them). Nobody else includes this. */
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

/* What may be thrown away so that a refused request's connection can stay open. Most clients send a body to its end before they
 * read an answer: where bodies are large by nature and this one is wrong, all of it is taken, as far as its deadline allows. */
enum { JUDGE_DISCARD_MAX_BYTES = 64 * 1024, JUDGE_DISCARD_STREAMED_BYTES = 256 * 1024 * 1024 };

struct http {
	struct http_options options;
	struct listener listener;
	struct MHD_Daemon *daemon;
	bool strict_layout; /* this libmicrohttpd parses headers in place */
	struct peers peers;
	struct exchange_pool pool;
	struct workers workers; /* of routes that are heavy */
	struct workers light;   /* of the others that are not inline */
	struct workers readers; /* of bodies that are work */
	struct watcher watcher;
	struct jobs *jobs;
	struct memory_budget budget;
	struct server *server;
	_Atomic size_t in_flight;
	_Atomic bool quiescing;
};

/* judge.c: everything that the request line and the headers decide. STATUS_OK: receive the body. Anything else is in
 * exchange->refused and call.failure; true in *at_once when the answer must not wait for the body. */
FALLIBLE enum status admission_request(struct exchange *exchange, const char *method, const char *version, bool *at_once);

/* judge.c: bytes of a request refused with `status` that are thrown away before its connection is. */
size_t admission_discard_bytes(const struct exchange *exchange, enum status status);

/* http.c: runs the handler, and delivers the answer unless it will come by call_complete(). On a worker. */
void http_run(struct exchange *exchange);
/* Takes the connection from libmicrohttpd until it is resumed, on its thread. */
void http_suspend(struct exchange *exchange);
/* Gives the connection its thread back, to send the answer: what delivers, unless somebody keeps the answer. Any thread. */
void http_resume(struct exchange *exchange);

/* response.c: turns what the handler (or a refusal) left in the call into the final answer. Any thread. */
void response_finish(struct exchange *exchange, enum status status);
/* Compresses the answer where that is wanted, once; response_send does it for those that nobody packed before. Work that a
 * worker should do rather than the storage's writer. */
void response_pack(struct exchange *exchange);
/* Whether that would keep a connection's thread from its other connections. */
bool response_pack_is_work(const struct exchange *exchange);
/* Queues the finished answer. On the connection's thread. */
enum MHD_Result response_send(struct exchange *exchange);
/* Answers a refusal while the body is still arriving, where libmicrohttpd takes no answer: straight to the socket. The
 * caller closes the connection. */
void response_abort(struct exchange *exchange);

/* cors.c: whether the origin is on the allow-list. */
bool cors_allows(const char *origins, const char *origin);

#endif
