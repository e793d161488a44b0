/* The sweeper: closes connections whose phase took too long (server/wire/peer.h). */
#ifndef FLEETPLAN_SERVER_WIRE_DEADLINE_H
#define FLEETPLAN_SERVER_WIRE_DEADLINE_H

#include <stdint.h>

/* Thread entry; its argument is a `struct peers`, whose `stopping` ends it. */
void *deadline_sweeper(void *argument);

/* Returns the number of bytes that a socket has received; 0 if the kernel does not report it. Any thread. */
uint64_t deadline_bytes_received(int fd);

#endif
