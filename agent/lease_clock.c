#include "agent/lease_clock.h"

#define NS_PER_S 1e9
#define MARGIN_S 10.0
#define SPREAD   0.2

double lease_margin_s(double lease_s)
{
	return lease_s / 3 < MARGIN_S ? lease_s / 3 : MARGIN_S;
}

double lease_request_s(double lease_s)
{
	return lease_s / 6;
}

static int64_t time_after(int64_t moment_ns, double seconds)
{
	return moment_ns + (int64_t)(seconds * NS_PER_S);
}

static double spread(double seconds, double chance)
{
	return seconds * (1 - SPREAD + 2 * SPREAD * chance);
}

/* The latest time of a heartbeat that may need its whole time limit. */
static int64_t last_beat_ns(const struct lease_clock *clock)
{
	return time_after(clock->end_ns, -lease_margin_s(clock->lease_s) - lease_request_s(clock->lease_s));
}

void lease_clock_renew(struct lease_clock *clock, int64_t sent_ns, double lease_s, double heartbeat_s, double chance)
{
	int64_t last_ns;

	clock->lease_s = lease_s;
	clock->heartbeat_s = heartbeat_s;
	clock->end_ns = time_after(sent_ns, lease_s);
	clock->beat_ns = time_after(sent_ns, spread(heartbeat_s, chance));
	last_ns = time_after(last_beat_ns(clock), -lease_request_s(lease_s));
	if (clock->beat_ns > last_ns)
		clock->beat_ns = last_ns;
}

void lease_clock_miss(struct lease_clock *clock, int64_t now_ns, double retry_after_s, double chance)
{
	int64_t again_ns = time_after(now_ns, spread(clock->heartbeat_s / 4, chance)), asked_ns = time_after(now_ns, retry_after_s);

	if (retry_after_s > 0 && asked_ns > again_ns)
		again_ns = asked_ns < last_beat_ns(clock) ? asked_ns : last_beat_ns(clock) > again_ns ? last_beat_ns(clock) : again_ns;
	clock->beat_ns = again_ns;
}

bool lease_clock_beats(const struct lease_clock *clock, int64_t now_ns)
{
	return now_ns >= clock->beat_ns;
}

bool lease_clock_ends(const struct lease_clock *clock, int64_t now_ns)
{
	return now_ns >= time_after(clock->end_ns, -lease_margin_s(clock->lease_s));
}
