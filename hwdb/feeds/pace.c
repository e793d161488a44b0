#include "hwdb/feeds/pace.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/status.h"

static const int64_t ns_per_s = 1000000000;

void pace_init(struct pace *pace)
{
	memset(pace, 0, sizeof *pace);
	pthread_mutex_init(&pace->mutex, NULL);
}

void pace_release(struct pace *pace)
{
	pthread_mutex_destroy(&pace->mutex);
}

static struct pace_host *host_of(struct pace *pace, const char *name)
{
	struct pace_host *first = &pace->hosts[0];

	for (size_t i = 0; i < COUNT_OF(pace->hosts); i++) {
		struct pace_host *host = &pace->hosts[i];

		if (strcasecmp(host->name, name) == 0)
			return host;
		if (host->next_ns < first->next_ns)
			first = host;
	}
	*first = (struct pace_host){.next_ns = 0};
	snprintf(first->name, sizeof first->name, "%s", name);
	return first;
}

int64_t pace_turn_ns(struct pace *pace, const char *host, unsigned pause_ms)
{
	int64_t now_ns = clock_monotonic_ns(), turn_ns;
	struct pace_host *known;

	pthread_mutex_lock(&pace->mutex);
	known = host_of(pace, host);
	turn_ns = known->next_ns > now_ns ? known->next_ns : now_ns;
	known->next_ns = turn_ns + pause_ms * INT64_C(1000000);
	pthread_mutex_unlock(&pace->mutex);
	return turn_ns - now_ns;
}

void pace_hold(struct pace *pace, const char *host, int seconds)
{
	int64_t until_ns = clock_monotonic_ns() + seconds * ns_per_s;
	struct pace_host *known;

	pthread_mutex_lock(&pace->mutex);
	known = host_of(pace, host);
	if (until_ns > known->next_ns)
		known->next_ns = until_ns;
	pthread_mutex_unlock(&pace->mutex);
}

int pace_held_s(struct pace *pace, const char *host)
{
	int64_t left_ns;

	pthread_mutex_lock(&pace->mutex);
	left_ns = host_of(pace, host)->next_ns - clock_monotonic_ns();
	pthread_mutex_unlock(&pace->mutex);
	return left_ns > 2 * ns_per_s ? (int)(left_ns / ns_per_s) : 0;
}
