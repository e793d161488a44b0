/* Parses the Prefer header (RFC 7240): whether a client waits for long work, and how long. */
#ifndef FLEETPLAN_SERVER_WIRE_PREFER_H
#define FLEETPLAN_SERVER_WIRE_PREFER_H

#include <stdbool.h>
#include <stddef.h>

enum { PREFER_WAIT_MAX_S = 60, PREFER_APPLIED_SIZE = 40 };

struct prefer {
	bool respond_async; /* answer 202 instead of waiting without a limit */
	int wait_s;         /* 0 .. PREFER_WAIT_MAX_S, larger values are reduced to it; -1: not given, or not valid */
};

/* Parses the header's value; NULL: not sent. Unknown preferences are ignored; of repeated ones the first counts. */
struct prefer prefer_parse(const char *header);

/* Writes the value of Preference-Applied: the wait if there was one, and respond-async if the answer is 202. */
void prefer_applied(const struct prefer *prefer, bool accepted, char out[PREFER_APPLIED_SIZE]);

#endif
