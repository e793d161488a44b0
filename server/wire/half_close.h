/* Answers clients that shut their sending half after the request: nc -N, some proxies, old HTTP/1.0 clients.
 *
 * When libmicrohttpd resumes a connection, it first reads from it, and closes it if recv() returns 0: the finished
 * answer is lost. No option of 0.9.75 changes that. So this program replaces recv(): after a request has waited, the
 * replacement reports the end of that connection once as "no data yet", and libmicrohttpd then sends the answer. Other
 * sockets are not affected. Thread-safe. */
#ifndef FLEETPLAN_SERVER_WIRE_HALF_CLOSE_H
#define FLEETPLAN_SERVER_WIRE_HALF_CLOSE_H

#include <stdbool.h>

/* The request on this socket waits: do not report the next end of its input. Descriptors from 65,536 on are not
 * covered. */
void half_close_wait(int fd);

/* The request no longer waits: its answer is being sent, or the socket is closed. */
void half_close_done(int fd);

#endif
