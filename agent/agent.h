/* An agent leases benchmarks from a server for the devices of this machine, runs each in a worker process, and delivers
 * the results. `fleetplan agent` is an agent. server/bench_runner.h runs the same workers for the daemon's own machine;
 * the server stores the same records for both.
 *
 * One thread lists the devices, registers, delivers the results in the spool, asks for work and runs it. While a worker
 * runs, a second thread renews the lease. The agent puts a result into the spool before it delivers it, and removes it
 * when the server has accepted or finally rejected it. One benchmark runs at a time: two on one node would disturb each
 * other. The agent repeats failed calls with longer and longer waits. Only agent_stop() ends it. */
#ifndef FLEETPLAN_AGENT_AGENT_H
#define FLEETPLAN_AGENT_AGENT_H

#include "agent/agent_options.h"
#include "base/failure.h"

struct agent;

/* The options must live longer than the agent. STATUS_INVALID: an option's value; NOT_FOUND: a file; CONFLICT: another
 * agent uses the spool; UNAVAILABLE: the spool, the worker's program or a thread; STORAGE_FULL; NO_MEMORY. */
FALLIBLE enum status agent_start(const struct agent_options *options, struct agent **agent, struct failure *failure);

/* Stops the running worker and releases its benchmark, and delivers the results in the spool, within drain_seconds.
 * Results that could not be delivered stay in the spool. Returns true if the spool is empty. */
bool agent_stop(struct agent *agent);

#endif
