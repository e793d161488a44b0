/* What an agent says to its server and what it hears: the calls of api/tables/leases.h over net/http_client.h, each with what is to
 * be made of the answer. The server may be of another version: what its answers have more is passed over. An answer that cannot be worked with (a
 * lease without a benchmark, or of no time) is LINK_BROKEN.
 *
 * The key is read from its file when the link is made and whenever it is refused, so that a key can be changed under a
 * running agent. It never goes into a message. One thread a link. */
#ifndef FLEETPLAN_AGENT_LINK_H
#define FLEETPLAN_AGENT_LINK_H

#include "api/tables/leases.h"
#include "base/arena.h"
#include "net/http_client.h"

enum { LINK_KEY_MAX = 512, LINK_URL_MAX = 1024 };

enum link_end {
	LINK_OK,
	LINK_EMPTY,       /* 204: there is nothing */
	LINK_STALE,       /* 409: this agent's no more, or not like this */
	LINK_UNKNOWN,     /* 404: nobody here knows it */
	LINK_REFUSED,     /* any other 4xx: asking again would lead to the same */
	LINK_DENIED,      /* 401, 403: with this key */
	LINK_BROKEN,      /* 5xx, or an answer that is none: the server has a fault of its own */
	LINK_AWAY,        /* not reached, overdue, or 429, 503: later */
	LINK_INTERRUPTED, /* called off by wake_fd */
	LINK_END_COUNT
};

struct link_options {
	const char *server; /* URL; with a path where a proxy wants one */
	const char *key_file;
	struct http_client_options http;
};

struct link {
	struct link_options options;
	struct http_client *http;
	size_t server_length; /* of the URL without slashes at its end */
	char key[LINK_KEY_MAX];
	double retry_after_s; /* of the last answer; negative: not said */
	char detail[640];     /* of the last answer: one sentence of what went wrong */
};

/* How long a call may take, and by what it is called off (-1: nothing). */
struct link_patience {
	double timeout_s;
	int wake_fd;
};

/* STATUS_INVALID for a server that is no URL; STATUS_NOT_FOUND for a key file that cannot be read or holds no key. */
FALLIBLE enum status link_open(struct link *link, const struct link_options *options, struct failure *failure);
void link_close(struct link *link);

/* Whatever is answered lives in the arena. */
enum link_end link_register(struct link *link, const struct agent_registration *registration, struct link_patience patience);
enum link_end link_lease(struct link *link, const char *agent_id, const struct lease_request *request, struct link_patience patience,
	struct arena *arena, struct lease *lease);
enum link_end link_heartbeat(struct link *link, const char *benchmark_id, const struct lease_heartbeat *heartbeat,
	struct link_patience patience, struct lease_renewal *renewal);
enum link_end link_release(struct link *link, const char *benchmark_id, const struct lease_release *release, struct link_patience patience);

/* `body` is an encoded struct lease_result. */
enum link_end link_deliver(struct link *link, const char *benchmark_id, const char *body, size_t length, struct link_patience patience,
	struct arena *arena, struct lease_outcome *outcome);

#endif
