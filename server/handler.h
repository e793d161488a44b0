/* What a handler sees of one request, and how it answers.
 *
 * A handler is straight-down code: it reads `call`, computes, writes its answer into the call's bounded buffer and returns
 * a status. On anything but STATUS_OK the core throws the answer away and writes problem+json from call->failure
 * (filled by failure_set or failure_add; a bare status is enough). Nothing is freed: everything from call->arena, and
 * every text reached through the call, lives until the call is complete.
 *
 * Threads: a call belongs to one thread at a time. Routes marked inline run on the connection's thread and must not
 * wait or plan (to read a row by its id takes less than handing the call over); all others run on a worker, of which there
 * are about as many as cores.
 *
 * A durable write never holds a worker: the handler writes the complete answer first, submits the storage job with the
 * call as its context, and returns HANDLER_PENDING. From the submit on it must not touch the call. The job's `done`
 * then calls call_complete(call, status), once, from any thread. Such a failure is set before it, by that thread. */
#ifndef FLEETPLAN_SERVER_HANDLER_H
#define FLEETPLAN_SERVER_HANDLER_H

#include <stdbool.h>

#include "api/routes.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/failure.h"
#include "base/json_writer.h"
#include "hwdb/catalogue/catalogue.h"
#include "schema/record.h"
#include "server/wire/media.h"

enum { CALL_HEADERS_MAX = 12, CALL_REQUEST_ID_MAX = 65, CALL_TRACEPARENT_SIZE = 56 };
enum { CALL_ARENA_MAX_BYTES = 64 * 1024 * 1024, CALL_ANSWER_MAX_BYTES = 64 * 1024 * 1024 };

struct server;

struct principal {
	enum role role;
	const char *id, *name; /* of the key; "anonymous" where none is asked for */
	const char *owner;     /* of jobs, kept answers and agents: the first of the keys that succeeded one another */
	const char *scope_key, *scope_value; /* the label whose plans alone it may see and write (server/scope.h); NULL: all */
};

struct call_header {
	const char *name, *value;
};

struct call {
	/* The request, read-only. */
	const struct route *route;
	const char *method, *path;               /* path: percent-decoded, valid UTF-8, without the query */
	const char *parameters[ROUTE_PARAMETERS_MAX]; /* of the path, in the order of the route's template: {id} is [0] */
	const struct query_parameter *query;     /* decoded; duplicates kept in order */
	size_t query_count;
	const char *body; /* decompressed, NUL-terminated; "" when there is none */
	size_t body_length;
	const unsigned char *streamed_sha256; /* of such a body; NULL: not taken */
	void *streamed; /* what a body was read into that was not held: of routes marked streamed, else NULL */
	enum media body_media; /* MEDIA_COUNT when there is no body */
	enum media accept;     /* what the answer shall be: one of the route's kinds */
	const char *if_match, *if_none_match, *idempotency_key, *prefer, *last_event_id; /* NULL when not sent */
	struct principal principal;
	char request_id[CALL_REQUEST_ID_MAX], traceparent[CALL_TRACEPARENT_SIZE]; /* traceparent "" when not sent */
	struct server *server; /* storage, options, ...: server/server.h */

	/* Room to work in. */
	struct arena arena;
	struct failure failure;

	/* The answer. */
	int http_status;          /* 0: 200 */
	enum media answer_media;  /* starts as `accept` */
	struct buffer answer;     /* maximum CALL_ANSWER_MAX_BYTES */
	struct json_writer json;  /* writes into `answer` */
	struct call_header headers[CALL_HEADERS_MAX];
	size_t header_count;
};

/* "No status: the answer comes by call_complete." */
#define HANDLER_PENDING STATUS_COUNT

typedef enum status handler_function(struct call *call);

/* Ends a call whose handler returned HANDLER_PENDING. The call is gone afterwards. Thread-safe, once per call. */
void call_complete(struct call *call, enum status status);

/* What a computation of this call tells and asks while it runs: stopped when the client is gone, or its job is cancelled. */
struct progress;
const struct progress *call_progress(struct call *call);

/* Of the body as it came, after decompression: what tells whether a repeated key repeats a request. */
void call_body_sha256(const struct call *call, unsigned char sha256[32]);

/* The catalogue snapshot of now, the same for the whole call, released with it. */
const struct catalogue *call_catalogue(struct call *call);

/* First value of a query parameter, NULL when absent. */
const char *call_query(const struct call *call, const char *name);
/* ?limit=: 1..1000, default 50. */
FALLIBLE enum status call_limit(struct call *call, size_t *limit);

/* Adds a response header; name is a literal, value is copied into the arena. Bytes below 0x20 are refused (CHECK). */
void call_header(struct call *call, const char *name, const char *value);
/* 201 with Location. */
void call_created(struct call *call, const char *format, ...) PRINTF_LIKE(2, 3);
/* 202 with Location. */
void call_accepted(struct call *call, const char *format, ...) PRINTF_LIKE(2, 3);
void call_no_content(struct call *call); /* 204 */
/* Link: <same path and query with this cursor>; rel="next". */
void call_link_next(struct call *call, const char *cursor);

/* ETag of a resource is its revision, with a word for each representation but plain JSON: "5", "5-csv", "5-gzip".
 * call_etag writes the header; call_not_modified does too and tells whether the client has that representation already
 * (the status is 304 then, and the handler returns STATUS_OK); call_match answers STATUS_PRECONDITION_FAILED when If-Match
 * was sent and no tag in it is of that revision, whichever representation it was read in. */
#define CALL_PACKED_WORD "-gzip"
void call_etag(struct call *call, int64_t revision);
bool call_not_modified(struct call *call, int64_t revision);
FALLIBLE enum status call_match(struct call *call, int64_t revision);
/* The same for content that is not counted in revisions: an opaque tag without quotes. */
bool call_tag_not_modified(struct call *call, const char *tag);

/* A file that is answered as it is: its bytes outlive the server; tag and packed twin are made at its first use. */
struct asset {
	enum media media;
	const char *begin, *end;
	struct asset_twin *twin; /* the core's; NULL at start */
};

/* Answers with the asset, or 304 when the client has it. The asset stays as it is from now on. */
FALLIBLE enum status call_asset(struct call *call, struct asset *asset);

#endif
