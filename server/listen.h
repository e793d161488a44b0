/* The listening socket, and addresses as people write them: "127.0.0.1:8080", "[::1]:8080", ":8080". */
#ifndef FLEETPLAN_SERVER_LISTEN_H
#define FLEETPLAN_SERVER_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"

enum { LISTEN_NAME_SIZE = 80 };

struct listener {
	int fd; /* -1: none */
	bool loopback;
	char name[LISTEN_NAME_SIZE]; /* with the port that was really bound */
};

/* Binds and listens. Errors say what is wrong with the address, or who has the port. The caller closes fd. */
FALLIBLE enum status listen_open(const char *address, struct listener *listener, struct failure *failure);

/* Whether an address can be listened on as far as its text tells; binds nothing. */
FALLIBLE enum status listen_check(const char *address, struct failure *failure);

/* Tells everybody who waits in the backlog of a listener that nobody accepts from any more (503), and hangs up. */
void listen_turn_away(const struct listener *listener);

/* Splits HOST:PORT; false when it is not one. An empty host stays empty. */
bool listen_split(const char *address, char *host, size_t host_size, char *port, size_t port_size);

#endif
