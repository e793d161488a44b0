/* An agent: takes benchmarks from a server for the devices of this machine, runs each in a worker process, and delivers
 * what it measured. `fleetplan agent` is one; server/bench_runner.h does the same for a daemon's own machine, with the same
 * workers, and the server keeps the same books of both.
 *
 * One thread: list the devices, register, deliver what is still in the spool, ask for work, run it; another keeps the
 * lease while a worker runs. A result is in the spool before it is delivered, and leaves it when it was taken or refused for
 * good. One benchmark runs at a time: two on one node would disturb each other. Whatever fails is tried again, ever
 * more slowly; nothing but agent_stop ends an agent. */
#ifndef FLEETPLAN_AGENT_AGENT_H
#define FLEETPLAN_AGENT_AGENT_H

#include "agent/agent_options.h"
#include "base/failure.h"

struct agent;

/* The options outlive the agent. STATUS_INVALID, NOT_FOUND: an option's value, a file; STATUS_CONFLICT: another agent has the
 * spool; STATUS_UNAVAILABLE: the spool cannot be used. */
FALLIBLE enum status agent_start(const struct agent_options *options, struct agent **agent, struct failure *failure);

/* Ends the worker under way and gives its benchmark back, or delivers what it had measured: within drain_seconds, and what
 * could not be delivered stays in the spool. Answers whether nothing was left behind. */
bool agent_stop(struct agent *agent);

#endif
