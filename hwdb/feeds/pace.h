/* The pace of requests to each host: a pause between two requests, and no requests while a host asks for silence
 * (Retry-After). One for all feeds of a process, because several may use the same host. Thread-safe. */
#ifndef FLEETPLAN_HWDB_FEEDS_PACE_H
#define FLEETPLAN_HWDB_FEEDS_PACE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { PACE_HOSTS_MAX = 32, PACE_HOST_MAX = 256 };

struct pace {
	pthread_mutex_t mutex;
	struct pace_host {
		char name[PACE_HOST_MAX];
		int64_t next_ns; /* monotonic; no request before this time */
	} hosts[PACE_HOSTS_MAX];
};

void pace_init(struct pace *pace);
void pace_release(struct pace *pace);

/* Reserves the host's next turn, `pause_ms` after the one before. Returns the time to wait for it, ns. With more than
 * PACE_HOSTS_MAX hosts a new host replaces the one with the earliest turn. */
int64_t pace_turn_ns(struct pace *pace, const char *host, unsigned pause_ms);

/* Stores a host's request for so many seconds of silence. */
void pace_hold(struct pace *pace, const char *host, int seconds);

/* Returns the seconds for which a host still asks for silence; 0: none, or only its pause. */
int pace_held_s(struct pace *pace, const char *host);

#endif
