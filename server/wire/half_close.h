/* Answers for clients that shut their sending half after the request: nc -N, some proxies, HTTP/1.0 clients of old.
 *
 * libmicrohttpd reads a connection before it does anything else with it when that is resumed, and closes it where recv() says 0: the answer
 * that is ready is thrown away. No option of 0.9.75 changes that. So recv() of this program is ours: once
 * after a request has waited, the end of its connection is told as "nothing there yet", which is all that libmicrohttpd needs to come to the
 * answer. Everybody else's sockets are untouched. Thread-safe. */
#ifndef FLEETPLAN_SERVER_WIRE_HALF_CLOSE_H
#define FLEETPLAN_SERVER_WIRE_HALF_CLOSE_H

#include <stdbool.h>

/* The request on this socket waits: the next end of it that is read is not told. Descriptors from 65,536 on are not covered. */
void half_close_wait(int fd);

/* It waits no more: its answer is on its way, or the socket is closed. */
void half_close_done(int fd);

#endif
