/* Who is asking, as the storage of leases wants to know it. */
#ifndef FLEETPLAN_SERVER_LEASE_BEARER_H
#define FLEETPLAN_SERVER_LEASE_BEARER_H

#include "server/handler.h"
#include "storage/benchmarks.h"

/* An admin may act for any agent, another only for those that registered with its key. Text is the call's. */
struct lease_bearer lease_bearer_of(const struct call *call);

#endif
