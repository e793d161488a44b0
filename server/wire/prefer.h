/* The Prefer header (RFC 7240): whether a client wants to wait for long work, and how long. */
#ifndef FLEETPLAN_SERVER_WIRE_PREFER_H
#define FLEETPLAN_SERVER_WIRE_PREFER_H

#include <stdbool.h>
#include <stddef.h>

enum { PREFER_WAIT_MAX_S = 60, PREFER_APPLIED_SIZE = 40 };

struct prefer {
	bool respond_async; /* 202 instead of waiting without end */
	int wait_s;         /* 0 .. PREFER_WAIT_MAX_S, larger ones are cut; -1: not given, or nothing that can be understood */
};

/* Reads the header's value; NULL is no header. Preferences that are not known are ignored, of repeated ones the first counts. */
struct prefer prefer_parse(const char *header);

/* What Preference-Applied says of an answer: the wait when there was one, and respond-async when the answer is 202. */
void prefer_applied(const struct prefer *prefer, bool accepted, char out[PREFER_APPLIED_SIZE]);

#endif
