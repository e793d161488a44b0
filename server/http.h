/* The HTTP side: connections, the gate, limits, deadlines, workers; it knows nothing of plans.
 *
 * The walk of a request, by file:
 *   connection.c  bookkeeping of sockets; deadline.c cuts those that take too long
 *   http.c        libmicrohttpd's callbacks: the first resolves the route and asks the gate before any body is read
 *   gate.c        what no request may contain (docs/http-limits.md), since libmicrohttpd 0.9.75 parses loosely
 *   body.c        the body: type, limit while it arrives, gzip with the limit after decompression
 *   defer.c       a request that wants no waiting, or costs too much for it, becomes a job (jobs.c), which runs without a connection
 *   stream.c      Server-Sent Events, from connections that sleep in between; watch.c wakes them
 *   workers.c     inline routes run on the connection's thread, others on two bounded pools with fair queues: light and heavy
 *   response.c    headers, conditional and compressed answers, problems, the request's log line
 *
 * libmicrohttpd runs a pool of poll threads, never epoll: its epoll loop sleeps when exactly 128 sockets are ready.
 * Every entry is called from the main thread unless it says otherwise. */
#ifndef FLEETPLAN_SERVER_HTTP_H
#define FLEETPLAN_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"
#include "server/handler.h"

struct http;
struct jobs;

struct http_options {
	const char *listen;          /* "127.0.0.1:8080", "[::1]:0"; port 0 takes a free one */
	unsigned threads;            /* of connections; 0: one a core */
	unsigned workers;            /* of heavy handlers, for one client; 0: one a core */
	unsigned light_workers;      /* of the others; 0: one a core, and two at least */
	unsigned unpack_bytes_per_s; /* of one client's bodies, as they come out of unpacking; 0: no limit */
	unsigned cpu_limit_ms;       /* of a heavy handler, before it becomes a job; 0: none */
	unsigned queue;              /* calls that may wait for a worker */
	unsigned queue_seconds;      /* and how long */
	unsigned connections, connections_per_ip;
	unsigned idle_seconds;       /* inactivity of a connection */
	unsigned receive_seconds;    /* total, from a request's first byte to its last */
	unsigned send_seconds;       /* total, from an answer's first byte to its last */
	size_t memory_bytes;         /* of what is held for clients, bodies and answers together; past it 503 */
	const char *cors_origins;    /* comma-separated, "*" for any; empty: off */
	const char *allowed_hosts;   /* comma-separated, beside localhost and addresses, while no key exists */
	unsigned jobs, jobs_per_key, job_keep_seconds, job_workers; /* server/job_queue.h; workers 0: one a core */
	size_t job_memory_bytes;
	bool metrics_open;           /* /metrics needs no key */
};

/* Binds and listens, without answering yet: a busy port is an error before the process detaches. */
FALLIBLE enum status http_bind(const struct http_options *options, struct http **http, struct failure *failure);

/* The address that was bound, "127.0.0.1:8080", with the real port. */
const char *http_address(const struct http *http);

bool http_is_loopback(const struct http *http);

/* Starts to answer; `server` is given to every call. Handlers are those of server/handlers.h. */
FALLIBLE enum status http_start(struct http *http, struct server *server, struct failure *failure);

struct http_state {
	size_t in_flight, queue_depth, body_bytes, connections;
	uint64_t connections_cut; /* by a deadline, since the start */
	uint64_t connections_cut_for_room, connections_cut_for_memory, connections_refused; /* likewise */
};
void http_state_get(const struct http *http, struct http_state *state); /* thread-safe */

void http_quiesce(struct http *http); /* accepts no more connections; those open are told to close after their answer */

struct jobs *http_jobs(const struct http *http); /* of long work; NULL before the start */
void http_cut_jobs(struct http *http);           /* cancels what is unfinished */

/* Waits until no request is in flight and no job unfinished, at most `seconds`; false when some were left. */
bool http_drain(struct http *http, unsigned seconds);

/* Cuts what is left, joins every thread and frees all. NULL is nothing. */
void http_stop(struct http *http);

#endif
