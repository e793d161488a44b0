/* Link: the calls of an agent to its server (api/tables/leases.h over net/http_client.h), each with the meaning of its
 * answer. The server may have another version: unknown members of an answer are ignored. An unusable answer (a lease
 * without a benchmark or without a time) is LINK_BROKEN.
 *
 * The link reads the key from its file when it is opened and whenever the server rejects the key, so that the key of a
 * running agent can be changed. The key never appears in a message. One thread per link. */
#ifndef FLEETPLAN_AGENT_LINK_H
#define FLEETPLAN_AGENT_LINK_H

#include "api/tables/leases.h"
#include "base/arena.h"
#include "net/http_client.h"

enum { LINK_KEY_MAX = 512, LINK_URL_MAX = 1024 };

enum link_end {
	LINK_OK,
	LINK_EMPTY,       /* 204: no work, or no content */
	LINK_STALE,       /* 409: the lease is not this agent's any more, or conflicts */
	LINK_UNKNOWN,     /* 404: the server does not have it */
	LINK_REFUSED,     /* any other 4xx: the same request would fail again */
	LINK_DENIED,      /* 401, 403: the server rejects the key */
	LINK_BROKEN,      /* other 5xx, or an invalid answer: a fault of the server */
	LINK_AWAY,        /* not reached, timed out, or 408, 429, 502, 503, 504: try later */
	LINK_INTERRUPTED, /* wake_fd interrupted the call */
	LINK_END_COUNT
};

struct link_options {
	const char *server; /* URL; may have a path for a proxy */
	const char *key_file;
	struct http_client_options http;
};

struct link {
	struct link_options options;
	struct http_client *http;
	size_t server_length; /* length of the URL without slashes at its end */
	char key[LINK_KEY_MAX];
	double retry_after_s; /* of the last answer; negative: absent */
	char detail[640];     /* one sentence on the error of the last call */
};

/* The time limit of a call, and the descriptor that interrupts it (-1: none). */
struct link_patience {
	double timeout_s;
	int wake_fd;
};

/* STATUS_INVALID: the server is not a URL. STATUS_NOT_FOUND: the key file cannot be read or does not have one key. */
FALLIBLE enum status link_open(struct link *link, const struct link_options *options, struct failure *failure);
void link_close(struct link *link);

/* Answers live in the arena. */
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
