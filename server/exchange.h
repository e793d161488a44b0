/* One request and its answer, as the HTTP side sees it: a `struct call` for the handler, and the state around it.
 *
 * An exchange begins with the request line. It ends when libmicrohttpd reports that the answer is sent or the
 * connection is closed. In between it belongs to its connection's thread. While the connection is suspended it belongs
 * to the worker, or to the code that will call call_complete(). Exchanges are reused together with their memory.
 *
 * The work of a job is an exchange without a connection (server/defer.c); the job keeps its answer
 * (server/job_queue.h). */
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

/* Request headers that the daemon reads. */
#define HEADER_TABLE(X) \
	X(ACCEPT, "Accept") \
	X(ACCEPT_ENCODING, "Accept-Encoding") \
	X(AUTHORIZATION, "Authorization") \
	X(CONTENT_ENCODING, "Content-Encoding") \
	X(CONTENT_LENGTH, "Content-Length") \
	X(CONTENT_TYPE, "Content-Type") \
	X(FETCH_SITE, "Sec-Fetch-Site") \
	X(HOST, "Host") \
	X(IDEMPOTENCY_KEY, "Idempotency-Key") \
	X(IF_MATCH, "If-Match") \
	X(IF_NONE_MATCH, "If-None-Match") \
	X(LAST_EVENT_ID, "Last-Event-ID") \
	X(ORIGIN, "Origin") \
	X(PREFER, "Prefer") \
	X(REQUEST_METHOD, "Access-Control-Request-Method") \
	X(REQUEST_ID, "X-Request-Id") \
	X(TRACEPARENT, "traceparent") \
	X(TRANSFER_ENCODING, "Transfer-Encoding")

enum header {
#define X(name, text) HEADER_##name,
	HEADER_TABLE(X)
#undef X
		HEADER_COUNT
};

enum exchange_step {
	STEP_BEGUN,      /* the request line is known */
	STEP_RECEIVING,  /* the headers are checked, the body is arriving */
	STEP_DISPATCHED, /* a handler runs, or the request waits for a worker */
	STEP_COMPLETE,   /* the answer is ready in the call */
	STEP_ANSWERED    /* the answer is queued for sending */
};

struct exchange {
	struct call call;           /* first member: exchange_of() converts a call to its exchange */
	struct exchange *next;      /* in a queue, or in the list of spare exchanges */
	struct client client;       /* whose share of a queue it uses */
	struct share *share, *part; /* in its queue: the share of the client, and within it that of the address */
	struct http *http;
	struct MHD_Connection *mhd;
	struct peer *peer;
	enum exchange_step step;
	bool suspended;

	const char *wire_target; /* address in libmicrohttpd's memory: for distances only, do not read through it */
	char *raw_target;
	size_t raw_target_length;
	int64_t started_ns, queued_ns; /* queued_ns: when it was queued for a worker */

	struct body body;
	size_t discarded_bytes;            /* of a refused request's body */
	size_t renewed_bytes;              /* bytes of the body that had arrived when the deadline was last renewed */
	_Atomic bool reading;              /* a reader has the part of the body that has arrived; the connection is suspended */
	bool paused;                       /* its deadline is paused too */
	bool whole;                        /* nothing more of the body will arrive */
	const char *headers[HEADER_COUNT]; /* values of the known headers as sent; NULL: not sent */
	bool expect_continue;
	bool close;                  /* close the connection after the answer */
	bool preflight;              /* a CORS preflight request: answered 204 */
	enum status refused;         /* STATUS_OK, or the status to answer instead of running the handler */
	char allow[ROUTE_ALLOW_MAX]; /* the path's methods; set for METHOD_NOT_ALLOWED and preflights */
	struct auth_identity identity;
	char address[PEER_ADDRESS_SIZE]; /* the client's address; "": without a connection */
	bool is_twin;                    /* answers for an exchange that has become the work of a job */
	bool audited;                    /* a job carries its audit entry, or it needs none */

	const void *fixed, *fixed_packed; /* an asset's bytes, sent instead of call.answer; packed: its gzip twin */
	size_t fixed_length, fixed_packed_length;
	struct buffer packed; /* the answer compressed, if that made it smaller */
	bool pack_tried;
	size_t held_bytes; /* bytes of the answer, charged to the budget */
	struct catalogue *catalogue;

	void (*deliver)(struct exchange *exchange); /* called when the answer is complete; on any thread */
	struct progress progress;                   /* progress of its computation */
	struct arena_mark judged;                   /* the call's arena when the request's headers were judged */
	struct arena_mark untouched;                /* the call's arena before its handler ran */
	int64_t cpu_until_ns;                       /* limit in the CPU time of its thread: past it the request becomes a job; 0: no limit */
	int64_t cpu_look_ns;                        /* in the same clock: when it next checks whether other clients' requests wait */
	bool overran;                               /* it passed that limit, or gave way to others */
	struct job *job;                            /* the job that this exchange works for, without a connection; NULL: it has a connection */
	struct stream *stream;                      /* a stream of events, instead of a complete answer */
	struct export *export;                      /* an export of rows, instead of a complete answer */
	struct waiting *waiting;                    /* waits for work that its request started (server/defer.h) */

	int http_status; /* the HTTP status that was sent */
	size_t answer_length;
};

/* Spare exchanges: under a steady load no memory is allocated. Thread-safe. */
struct exchange_pool {
	pthread_mutex_t mutex;
	struct exchange *spare;
	size_t count;
};

void exchange_pool_init(struct exchange_pool *pool);
void exchange_pool_release(struct exchange_pool *pool);
struct exchange *exchange_take(struct exchange_pool *pool); /* an empty exchange; NULL: no memory */
void exchange_give(struct exchange_pool *pool, struct exchange *exchange);

static inline struct exchange *exchange_of(struct call *call)
{
	return (struct exchange *)(void *)call;
}

#endif
