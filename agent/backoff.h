/* Backoff: the wait after a failure before the next try. It grows with each failure and is spread randomly. Pure. */
#ifndef FLEETPLAN_AGENT_BACKOFF_H
#define FLEETPLAN_AGENT_BACKOFF_H

struct backoff {
	double first_s, most_s; /* first and longest wait, without the spread */
	unsigned failures;      /* in a row */
};

/* Returns the wait after one more failure. The wait doubles from first_s to most_s; `chance` in [0, 1) spreads it between
 * half of that and the whole, so that machines that failed together do not try again together. retry_after_s is the
 * server's Retry-After (negative: none): the wait is never shorter, and at most a fifth longer than a larger one. */
double backoff_wait_s(struct backoff *backoff, double retry_after_s, double chance);

void backoff_reset(struct backoff *backoff); /* after a success */

#endif
