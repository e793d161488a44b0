/* Lease clock: when to renew a lease, and when its worker must be gone. Uses only this machine's steady clock. Pure.
 *
 * The server gives the length of a lease, not its end, so that no two clocks are compared. The server counts from its
 * answer; the agent counts from sending the request, which is earlier. So the lease ends here never later than there,
 * for any delay of the network and any wall clock. The agent stops the worker a margin before the end. The margin covers
 * the worker's grace: the worker is gone before another agent can get the benchmark.
 *
 * Times are those of clock_boot_ns(): after the machine slept, the lease has ended. */
#ifndef FLEETPLAN_AGENT_LEASE_CLOCK_H
#define FLEETPLAN_AGENT_LEASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct lease_clock {
	double lease_s, heartbeat_s; /* from the last answer of the server */
	int64_t end_ns;              /* the latest end of the lease */
	int64_t beat_ns;             /* the next heartbeat */
};

/* Renews the lease with the terms of an answer. Given: sent_ns, when the request was sent; chance in [0, 1), which spreads
 * the next heartbeat over +-20 %, so that agents that started together do not stay together. The next heartbeat comes
 * earlier if it would leave no time for a second try. */
void lease_clock_renew(struct lease_clock *clock, int64_t sent_ns, double lease_s, double heartbeat_s, double chance);

/* Sets the next try after a heartbeat without an answer: a quarter of the usual wait later, or after the server's
 * Retry-After (negative: none) if the lease lasts that long. */
void lease_clock_miss(struct lease_clock *clock, int64_t now_ns, double retry_after_s, double chance);

bool lease_clock_beats(const struct lease_clock *clock, int64_t now_ns); /* true: send a heartbeat now */
bool lease_clock_ends(const struct lease_clock *clock, int64_t now_ns);  /* true: stop the worker now */

/* The margin: 10 s, or a third of a lease shorter than 30 s. Half of it is the time from SIGTERM to SIGKILL. */
double lease_margin_s(double lease_s);

/* The time limit of a heartbeat: a sixth of the lease, so that a second one is still in time. */
double lease_request_s(double lease_s);

#endif
