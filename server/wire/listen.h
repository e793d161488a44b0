/* The listening socket, and the parsing of addresses: "127.0.0.1:8080", "[::1]:8080", ":8080". */
#ifndef FLEETPLAN_SERVER_WIRE_LISTEN_H
#define FLEETPLAN_SERVER_WIRE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"

enum { LISTEN_NAME_SIZE = 80 };

struct listener {
	int fd; /* -1: none */
	bool loopback;
	char name[LISTEN_NAME_SIZE]; /* with the real port */
};

/* Binds and listens. The failure says what is wrong with the address, or that the port is in use. The caller closes
 * fd. */
FALLIBLE enum status listen_open(const char *address, struct listener *listener, struct failure *failure);

/* Checks the text of an address without binding. */
FALLIBLE enum status listen_check(const char *address, struct failure *failure);

/* Stops new connections before they reach the backlog: the kernel drops their first packet. The client sends it again a
 * second later, when another daemon may have the port, or none. Connections that had already begun complete and can be
 * taken. */
void listen_shut_door(const struct listener *listener);

/* Takes the next connection from the backlog; the caller owns it. -1: none. */
struct sockaddr_storage;
int listen_take(const struct listener *listener, struct sockaddr_storage *address, unsigned *length);

/* Closes the listening socket: later connections are refused. */
void listen_close(struct listener *listener);

/* Splits HOST:PORT; false if the text is not of this form. An empty host stays empty. */
bool listen_split(const char *address, char *host, size_t host_size, char *port, size_t port_size);

#endif
