/* When a lease is to be renewed, and when its worker must be gone: by this machine's steady clock alone. Pure.
 *
 * The server says for how long a lease holds, and never until when: nobody compares clocks. It counts from when it answered,
 * this counts from when the question was sent, which was earlier; so the end is here never later than there, whatever
 * the network did meanwhile and whatever either wall clock says. The worker is stopped a margin before that end, which
 * covers the worker's own grace, so that nothing of it is left when somebody else may be given the benchmark.
 *
 * Times are clock_boot_ns: a machine that slept finds its lease over. */
#ifndef FLEETPLAN_AGENT_LEASE_CLOCK_H
#define FLEETPLAN_AGENT_LEASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct lease_clock {
	double lease_s, heartbeat_s; /* as the server last said */
	int64_t end_ns;              /* the lease is over at the latest */
	int64_t beat_ns;             /* when to ask again */
};

/* Given: sent_ns, when the request was sent that was answered with these terms; chance in [0, 1) spreads the next
 * heartbeat over +-20 %, so that agents that were started together do not stay together. A heartbeat that would come too
 * late for a second try is drawn nearer. */
void lease_clock_renew(struct lease_clock *clock, int64_t sent_ns, double lease_s, double heartbeat_s, double chance);

/* A heartbeat was not answered: when to try again, a quarter of the usual wait later, or after what the server asked for
 * (negative: nothing) where the lease leaves time for that. */
void lease_clock_miss(struct lease_clock *clock, int64_t now_ns, double retry_after_s, double chance);

bool lease_clock_beats(const struct lease_clock *clock, int64_t now_ns); /* it is time to ask */
bool lease_clock_ends(const struct lease_clock *clock, int64_t now_ns);  /* the worker must stop now */

/* 10 s, a third of a shorter lease. The worker has half of it from SIGTERM to SIGKILL. */
double lease_margin_s(double lease_s);

/* How long one heartbeat may take: a sixth of the lease, so that a second one still finds it alive. */
double lease_request_s(double lease_s);

#endif
