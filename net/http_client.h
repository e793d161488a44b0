/* HTTP client: sends outgoing requests, one at a time. The agent uses it for its server, live feeds for their sources.
 *
 * Limits: only http and https. Certificates are verified, TLS 1.2 at least. http only to addresses of this machine
 * unless `plain_anywhere`; the client checks the address after the name is resolved. It does not follow a redirect (the
 * answer is the 3xx), and uses no cookies and no .netrc. An answer has at most answer_max_bytes after decompression, and
 * the whole request has a time limit. A proxy of the environment is used for https only, which a proxy cannot read. With
 * `public_only` the address to connect to must belong to the public internet (address.h), and no proxy is used.
 *
 * Credentials are sent only in the request's header. A client has one owner, one thread at a time, and keeps its
 * connection open between requests. Clients share nothing. */
#ifndef FLEETPLAN_NET_HTTP_CLIENT_H
#define FLEETPLAN_NET_HTTP_CLIENT_H

#include "base/buffer.h"
#include "base/failure.h"

enum http_end {
	HTTP_ANSWERED,    /* an answer with any status */
	HTTP_UNREACHABLE, /* unknown name, no connection, or the connection ended early */
	HTTP_OVERDUE,     /* no complete answer within timeout_s or connect_s, or too slow (`steady`) */
	HTTP_UNTRUSTED,   /* the server's certificate is not valid */
	HTTP_TOO_LARGE,   /* the answer is too large */
	HTTP_FORBIDDEN,   /* a URL or an address that this client does not connect to */
	HTTP_INTERRUPTED, /* wake_fd is readable, `stop` returned true or `take` false */
	HTTP_NO_MEMORY,
	HTTP_END_COUNT
};
const char *http_end_name(enum http_end end);

struct http_client;

struct http_client_options {
	const char *ca_file; /* PEM file of authorities; NULL or "": the system's */
	bool plain_anywhere; /* allow http to other machines: the network can read and change it */
	bool public_only;    /* connect only to addresses of the public internet */
	const char *resolve; /* "HOST:PORT:ADDRESS" in place of a resolver, for tests; NULL: none */
	double connect_s;    /* limit for connecting; 0: 10 s */
	size_t answer_max_bytes;
};

struct http_request {
	const char *method, *url;
	const char *bearer; /* NULL: none */
	const char *body;   /* NULL: none */
	size_t body_length;
	double timeout_s;
	int wake_fd; /* the request ends when this is readable; never read; -1: none */

	/* Optional; zero: not used. */
	const char *const *headers; /* more lines "Name: value"; NULL ends the list */
	const char *basic;          /* "user:password" */
	const char *accept;         /* media type; NULL: JSON */
	const char *content_type;   /* of the body; NULL: JSON */
	bool packed;                /* accept gzip; `take` and `bytes` are of the unpacked body */
	bool steady;                /* end the request after 30 s below 1,000 bytes/s */
	bool (*take)(void *context, const char *piece,
		size_t length);          /* receives the body of a 200 in pieces, which is then not stored; false: end the request */
	bool (*stop)(void *context); /* called about ten times a second; true: end the request */
	void *context;               /* of `take` and `stop` */
};

struct http_answer {
	enum http_end end;
	int status;        /* if HTTP_ANSWERED */
	int retry_after_s; /* at most a day; -1: absent. A date is relative to the answer's Date: clocks differ */
	struct buffer body;
	int64_t bytes;                                     /* of the unpacked body, stored or given to `take` */
	char etag[200], last_modified[64], location[1024]; /* "": not sent, or too long */
	char detail[256];                                  /* one sentence on the error */
};

/* STATUS_INVALID if ca_file cannot be read; STATUS_NO_MEMORY. */
FALLIBLE enum status http_client_open(const struct http_client_options *options, struct http_client **client, struct failure *failure);
void http_client_close(struct http_client *client); /* NULL is allowed */

/* Sends the request and fills the answer, which the caller releases with http_answer_release() in every case. */
void http_client_run(struct http_client *client, const struct http_request *request, struct http_answer *answer);
void http_answer_release(struct http_answer *answer);

#endif
