/* The HTTP side: connections, the gate, limits, deadlines, workers. It does not depend on plans.
 *
 * The path of a request, by file:
 *   wire/peer.c    state of the sockets; wire/deadline.c closes connections that take too long
 *   http.c         libmicrohttpd's callbacks
 *   admission.c    resolves the route and asks the gate before any byte of the body is read
 *   wire/gate.c    what a request must not contain (docs/http-limits.md), because libmicrohttpd 0.9.75 parses loosely
 *   wire/body.c    the body: type, size limit while it arrives, gzip with the limit after decompression
 *   defer.c        turns a request that asks not to wait, or costs too much CPU time, into a job without a connection
 *                  (job_queue.c)
 *   stream.c       Server-Sent Events from suspended connections; watch.c wakes them
 *   workers.c      runs routes that are not inline on two bounded pools with fair queues: light and heavy
 *   response.c     headers, conditional and compressed answers, problems, the request's log line
 *
 * libmicrohttpd runs a pool of poll threads, never epoll: its epoll loop sleeps when exactly 128 sockets are ready.
 * Call every function from the main thread unless its comment says otherwise. */
#ifndef FLEETPLAN_SERVER_HTTP_H
#define FLEETPLAN_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"
#include "server/handler.h"

struct http;
struct jobs;

struct http_options {
	const char *listen;          /* "127.0.0.1:8080", "[::1]:0"; with port 0 the kernel picks a free port */
	unsigned threads;            /* threads for connections; 0: one per core */
	unsigned workers;            /* threads of heavy handlers for one client; 0: one per core */
	unsigned light_workers;      /* threads of light handlers; 0: one per core, at least two */
	unsigned unpack_bytes_per_s; /* rate limit for one client's bodies, in decompressed bytes; 0: no limit */
	unsigned cpu_limit_ms;       /* CPU time of a heavy handler, before it becomes a job; 0: no limit */
	unsigned queue;              /* maximum number of calls that wait for a worker */
	unsigned queue_seconds;      /* longest wait for a worker */
	unsigned connections, connections_per_ip;
	unsigned idle_seconds;     /* an inactive connection is closed after this time */
	unsigned receive_seconds;  /* total, from a request's first byte to its last */
	unsigned send_seconds;     /* total, from an answer's first byte to its last */
	size_t memory_bytes;       /* memory for bodies and answers together; past it the answer is 503 */
	const char *cors_origins;  /* comma-separated, "*" for any; empty: off */
	const char *allowed_hosts; /* comma-separated names, in addition to localhost and addresses; used while no key exists */
	unsigned jobs, jobs_per_key, job_keep_seconds, job_workers; /* server/job_queue.h; job_workers 0: one per core */
	size_t job_memory_bytes;
	bool metrics_open; /* /metrics needs no key */
};

/* Binds and listens, but does not answer yet: a port in use is reported before the process detaches. */
FALLIBLE enum status http_bind(const struct http_options *options, struct http **http, struct failure *failure);

/* Returns the bound address, "127.0.0.1:8080", with the real port. */
const char *http_address(const struct http *http);

bool http_is_loopback(const struct http *http);

/* Starts to answer. Every call gets `server`. The handlers are those of server/handlers.h. */
FALLIBLE enum status http_start(struct http *http, struct server *server, struct failure *failure);

struct http_state {
	size_t in_flight, queue_depth, body_bytes, connections;
	uint64_t connections_cut;                                                           /* closed by a deadline, since the start */
	uint64_t connections_cut_for_room, connections_cut_for_memory, connections_refused; /* likewise */
};
void http_state_get(const struct http *http, struct http_state *state); /* thread-safe */

void http_quiesce(struct http *http); /* accepts no more connections; open ones are asked to close after their answer */

struct jobs *http_jobs(const struct http *http); /* the queue of jobs; NULL before the start */
void http_cut_jobs(struct http *http);           /* cancels unfinished jobs */

/* Waits until no request is in flight and no job is unfinished, at most `seconds`. Returns false if some remain. */
bool http_drain(struct http *http, unsigned seconds);

/* Closes the remaining connections, joins every thread and frees everything. Does nothing for NULL. */
void http_stop(struct http *http);

#endif
