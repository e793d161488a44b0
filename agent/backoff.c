#include "agent/backoff.h"

#include <math.h>

enum { DOUBLINGS_MAX = 32 };

double backoff_wait_s(struct backoff *backoff, double retry_after_s, double chance)
{
	double wait_s = fmin(ldexp(backoff->first_s, (int)backoff->failures), backoff->most_s);

	if (backoff->failures < DOUBLINGS_MAX)
		backoff->failures++;
	wait_s *= 0.5 + 0.5 * chance;
	return retry_after_s > wait_s ? retry_after_s * (1 + 0.2 * chance) : wait_s;
}

void backoff_reset(struct backoff *backoff)
{
	backoff->failures = 0;
}
