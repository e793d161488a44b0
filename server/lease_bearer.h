/* Identifies the caller for the storage of leases. */
#ifndef FLEETPLAN_SERVER_LEASE_BEARER_H
#define FLEETPLAN_SERVER_LEASE_BEARER_H

#include "server/handler.h"
#include "storage/benchmarks.h"

/* An admin key may act for any agent; another key only for agents that registered with it. The texts belong to the
 * call. */
struct lease_bearer lease_bearer_of(const struct call *call);

#endif
