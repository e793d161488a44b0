/* Outgoing HTTP requests, one at a time a client: what the agent speaks to its server with, and what live feeds can fetch
 * with. Knows nothing of either.
 *
 * Goes where it is told and nowhere else: http and https only, certificates verified (TLS 1.2 at least), http only to
 * addresses of this machine unless `plain_anywhere` (the address is looked at after the name was resolved), no redirect
 * followed (a 3xx is the answer), no cookies, no .netrc, an answer no larger than stated (after decompression), a time limit
 * for the whole. A proxy of the environment is used for https alone, which it cannot read. With `public_only` the address that
 * is about to be connected to must be of the open internet (address.h), whatever any resolver said before, and no proxy is used.
 *
 * Credentials go into the request's header and nowhere else. One client has one owner, one thread at a time, and
 * keeps its connection from request to request; clients of different threads do not know of each other. */
#ifndef FLEETPLAN_NET_HTTP_CLIENT_H
#define FLEETPLAN_NET_HTTP_CLIENT_H

#include "base/buffer.h"
#include "base/failure.h"

enum http_end {
	HTTP_ANSWERED,    /* with any status */
	HTTP_UNREACHABLE, /* no such name, nobody there, cut off */
	HTTP_OVERDUE,     /* not within timeout_s */
	HTTP_UNTRUSTED,   /* its certificate */
	HTTP_TOO_LARGE,   /* its answer */
	HTTP_FORBIDDEN,   /* a URL or an address that this client does not go to */
	HTTP_INTERRUPTED, /* wake_fd became readable, `stop` or `take` said so */
	HTTP_NO_MEMORY,
	HTTP_END_COUNT
};
const char *http_end_name(enum http_end end);

struct http_client;

struct http_client_options {
	const char *ca_file; /* PEM; NULL or "": the system's */
	bool plain_anywhere; /* http to other machines too, where everybody on the way can read and change it */
	bool public_only;
	const char *resolve; /* "HOST:PORT:ADDRESS" instead of asking a resolver, for tests; NULL */
	double connect_s;    /* 0: 10 */
	size_t answer_max_bytes;
};

struct http_request {
	const char *method, *url;
	const char *bearer; /* NULL: none */
	const char *body;   /* NULL: none */
	size_t body_length;
	double timeout_s;
	int wake_fd; /* readable: give up at once; -1: none. Not read from */

	/* All of it zero where it is not wanted. */
	const char *const *headers; /* further lines "Name: value", the last NULL */
	const char *basic;          /* "user:password" */
	const char *accept;         /* media type; NULL: JSON */
	const char *content_type;   /* of the body; NULL: JSON */
	bool packed;                /* gzip may be answered; what is told and counted is unpacked */
	bool steady;                /* give up when fewer than 1,000 bytes/s come for half a minute */
	bool (*take)(void *context, const char *piece, size_t length); /* of a 200's body, as it arrives, instead of keeping it; false: no more */
	bool (*stop)(void *context); /* asked a few times a second */
	void *context;               /* of both */
};

struct http_answer {
	enum http_end end;
	int status;        /* when it was answered */
	int retry_after_s; /* ABSENT (-1): not said; a date counts from the answer's own Date, as clocks differ */
	struct buffer body;
	int64_t bytes; /* of the body, unpacked, kept or taken */
	char etag[200], last_modified[64], location[1024]; /* "" where not sent, or longer */
	char detail[256];  /* one sentence of what went wrong */
};

/* STATUS_INVALID when the file of authorities cannot be read, STATUS_NO_MEMORY. */
FALLIBLE enum status http_client_open(const struct http_client_options *options, struct http_client **client, struct failure *failure);
void http_client_close(struct http_client *client); /* NULL is fine */

/* Fills the answer, which is for http_answer_release whatever its end. */
void http_client_run(struct http_client *client, const struct http_request *request, struct http_answer *answer);
void http_answer_release(struct http_answer *answer);

#endif
