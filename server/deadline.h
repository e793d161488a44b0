/* The sweeper: ends connections whose phase took too long (server/peer.h). */
#ifndef FLEETPLAN_SERVER_DEADLINE_H
#define FLEETPLAN_SERVER_DEADLINE_H

/* Thread entry; its argument is a `struct peers`, whose `stopping` ends it. */
void *deadline_sweeper(void *argument);

#endif
