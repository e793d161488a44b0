/* How often each host is asked: a pause between requests, and none at all while a host has asked to be left alone (Retry-After).
 * One for all feeds of a process, as several may share a host. Thread-safe. */
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
		int64_t next_ns; /* monotonic: not before */
	} hosts[PACE_HOSTS_MAX];
};

void pace_init(struct pace *pace);
void pace_release(struct pace *pace);

/* Takes the host's next turn, `pause_ms` after the one before: how long to wait for it, ns. A host past PACE_HOSTS_MAX takes the
 * place of the one that was due first. */
int64_t pace_turn_ns(struct pace *pace, const char *host, unsigned pause_ms);

/* The host asked for so many seconds of silence. */
void pace_hold(struct pace *pace, const char *host, int seconds);

/* Seconds that a host still wants to be left alone; 0: none, or only its pause. */
int pace_held_s(struct pace *pace, const char *host);

#endif
