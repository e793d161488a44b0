/* One request and its answer, as the HTTP side sees it: a `struct call` for the handler and everything around it.
 *
 * An exchange begins with the request line and ends when libmicrohttpd says that the answer is sent or the connection
 * gone. In between it belongs to its connection's thread, except while the connection is suspended: then it belongs to
 * the worker, or to whoever will call call_complete(). Exchanges are recycled with their memory.
 *
 * The work of a job is an exchange without a connection (server/defer.c): its answer is kept by the job (server/job_queue.h). */
#ifndef FLEETPLAN_SERVER_EXCHANGE_H
#define FLEETPLAN_SERVER_EXCHANGE_H

#include <pthread.h>
#include <stdatomic.h>

#include "planner/progress.h"
#include "server/auth.h"
#include "server/handler.h"
#include "server/wire/body.h"
#include "server/wire/peer.h"
#include "server/workers.h"

struct MHD_Connection;
struct http;
struct export;
struct job;
struct stream;
struct waiting;

/* Request headers that mean something here. */
#define HEADER_TABLE(X)                                              \
	X(ACCEPT, "Accept")                                              \
	X(ACCEPT_ENCODING, "Accept-Encoding")                            \
	X(AUTHORIZATION, "Authorization")                                \
	X(CONTENT_ENCODING, "Content-Encoding")                          \
	X(CONTENT_LENGTH, "Content-Length")                              \
	X(CONTENT_TYPE, "Content-Type")                                  \
	X(FETCH_SITE, "Sec-Fetch-Site")                                  \
	X(HOST, "Host")                                                  \
	X(IDEMPOTENCY_KEY, "Idempotency-Key")                            \
	X(IF_MATCH, "If-Match")                                          \
	X(IF_NONE_MATCH, "If-None-Match")                                \
	X(LAST_EVENT_ID, "Last-Event-ID")                                \
	X(ORIGIN, "Origin")                                              \
	X(PREFER, "Prefer")                                              \
	X(REQUEST_METHOD, "Access-Control-Request-Method")               \
	X(REQUEST_ID, "X-Request-Id")                                    \
	X(TRACEPARENT, "traceparent")                                    \
	X(TRANSFER_ENCODING, "Transfer-Encoding")

enum header {
#define X(name, text) HEADER_##name,
	HEADER_TABLE(X)
#undef X
	HEADER_COUNT
};

enum exchange_step {
	STEP_BEGUN,      /* the request line is known */
	STEP_RECEIVING,  /* headers are judged, the body is arriving */
	STEP_DISPATCHED, /* a handler has it, or will */
	STEP_COMPLETE,   /* the answer is ready in the call */
	STEP_ANSWERED    /* and queued for sending */
};

struct exchange {
	struct call call; /* first: a call is its exchange */
	struct exchange *next; /* in the queue, or among the spare */
	struct client client;  /* whose it is, for queues */
	struct share *share, *part; /* of the queue that it is in: the client's, and its address's there */
	struct http *http;
	struct MHD_Connection *mhd;
	struct peer *peer;
	enum exchange_step step;
	bool suspended;

	const char *wire_target; /* where it lies in libmicrohttpd's memory: for distances, not for reading */
	char *raw_target;
	size_t raw_target_length;
	int64_t started_ns, queued_ns; /* queued_ns: when it was given to the workers */

	struct body body;
	size_t discarded_bytes; /* of a refused request's body */
	size_t renewed_bytes;   /* of the body, when the deadline was last renewed */
	_Atomic bool reading;   /* what has arrived of the body is a reader's, and the connection suspended */
	bool paused;            /* so is its deadline */
	bool whole;             /* nothing more of the body will arrive */
	const char *headers[HEADER_COUNT]; /* those we know, as they came; NULL: not sent */
	bool expect_continue;
	bool close;    /* the connection, after the answer */
	bool preflight; /* a CORS question: answered 204 */
	enum status refused; /* STATUS_OK, or what will be answered instead of running the handler */
	char allow[ROUTE_ALLOW_MAX]; /* the path's methods, with METHOD_NOT_ALLOWED and preflights */
	struct auth_identity identity;
	char address[PEER_ADDRESS_SIZE]; /* of whose request it is; "": of no connection */
	bool is_twin; /* answers for one that has become the work of a job */
	bool audited; /* its entry of the audit log goes with a job, or there is none to be */

	const void *fixed, *fixed_packed; /* an asset's bytes instead of call.answer; packed: the twin was asked for */
	size_t fixed_length, fixed_packed_length;
	struct buffer packed; /* the answer compressed, when that was worth it */
	bool pack_tried;
	size_t held_bytes; /* of the answer, charged to the budget */
	struct catalogue *catalogue;

	void (*deliver)(struct exchange *exchange); /* takes it when the answer is complete; on any thread */
	struct progress progress; /* of what it computes */
	struct arena_mark judged;    /* the call's arena when the request's headers were judged */
	struct arena_mark untouched; /* the call's arena before its handler ran */
	int64_t cpu_until_ns; /* of its thread's time: when what is waited for has cost enough; 0: no limit */
	int64_t cpu_look_ns;  /* likewise: when it looks next whether others wait, and gives way to them */
	bool overran;         /* it has */
	struct job *job;          /* whose work this is, and nobody is connected to it; NULL: a connection's */
	struct stream *stream;    /* of events, instead of an answer that is complete */
	struct export *export;    /* of rows, likewise */
	struct waiting *waiting;  /* for what its request began (server/defer.h) */

	int http_status; /* as sent */
	size_t answer_length;
};

/* Spare exchanges, so that a steady load allocates nothing. Thread-safe. */
struct exchange_pool {
	pthread_mutex_t mutex;
	struct exchange *spare;
	size_t count;
};

void exchange_pool_init(struct exchange_pool *pool);
void exchange_pool_release(struct exchange_pool *pool);
struct exchange *exchange_take(struct exchange_pool *pool); /* empty; NULL without memory */
void exchange_give(struct exchange_pool *pool, struct exchange *exchange);

static inline struct exchange *exchange_of(struct call *call)
{
	return (struct exchange *)(void *)call;
}

#endif
