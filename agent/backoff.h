/* How long to wait after a failure before the next try: longer each time, spread by chance. Pure. */
#ifndef FLEETPLAN_AGENT_BACKOFF_H
#define FLEETPLAN_AGENT_BACKOFF_H

struct backoff {
	double first_s, most_s; /* of the wait without its spread */
	unsigned failures;      /* in a row */
};

/* After one more failure. The wait doubles from first_s to most_s, and lies between half of that and the whole as
 * `chance` in [0, 1) says: machines that failed together come back apart. retry_after_s is what the server asked for
 * (negative: nothing); the wait is never shorter, and up to a fifth longer. */
double backoff_wait_s(struct backoff *backoff, double retry_after_s, double chance);

void backoff_reset(struct backoff *backoff); /* after a success */

#endif
