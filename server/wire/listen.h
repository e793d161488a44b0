/* The listening socket, and addresses as people write them: "127.0.0.1:8080", "[::1]:8080", ":8080". */
#ifndef FLEETPLAN_SERVER_WIRE_LISTEN_H
#define FLEETPLAN_SERVER_WIRE_LISTEN_H

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

/* From now on nobody new gets as far as the backlog: a first packet is dropped, so that its sender asks once more a second later, when another
 * daemon may have the port or none. Connections that had begun before come to their end and can be taken. */
void listen_shut_door(const struct listener *listener);

/* The next connection of the backlog, the caller's; -1: none is there. */
struct sockaddr_storage;
int listen_take(const struct listener *listener, struct sockaddr_storage *address, unsigned *length);

/* Whoever connects from now on is refused. */
void listen_close(struct listener *listener);

/* Splits HOST:PORT; false when it is not one. An empty host stays empty. */
bool listen_split(const char *address, char *host, size_t host_size, char *port, size_t port_size);

#endif
