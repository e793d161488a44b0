/* The interface of handlers: one request and its answer.
 *
 * A handler is sequential code: it reads `call`, computes, writes its answer into the call's bounded buffer and returns
 * a status. For any status but STATUS_OK the core discards the answer and writes problem+json from call->failure (set
 * it with failure_set or failure_add; a status alone is enough). A handler frees nothing: memory of call->arena, and
 * every text reached through the call, lives until the call is complete.
 *
 * Threads: a call belongs to one thread at a time. Inline routes run on the connection's thread and must not wait or
 * plan (to read one row by its id takes less time than to hand the call to a worker). All other routes run on a worker;
 * the number of workers is about the number of cores.
 *
 * A durable write never blocks a worker: the handler writes the complete answer, submits the storage job with the call
 * as its context, and returns HANDLER_PENDING. After the submit it must not touch the call. The job's `done` calls
 * call_complete(call, status) once, from any thread. If the job fails, that thread sets the failure first. */
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
	const char *id, *name;               /* of the key; "anonymous" if no key is needed */
	const char *owner;                   /* owner of jobs, stored answers and agents: id of the first key in the chain of rotated keys */
	const char *scope_key, *scope_value; /* the key sees and writes only plans with this label (server/scope.h); NULL: all plans */
};

struct call_header {
	const char *name, *value;
};

struct call {
	/* The request, read-only. */
	const struct route *route;
	const char *method, *path;                    /* path: percent-decoded, valid UTF-8, without the query */
	const char *parameters[ROUTE_PARAMETERS_MAX]; /* of the path, in the order of the route's template: [0] is {id} */
	const struct query_parameter *query;          /* decoded; duplicates kept in order */
	size_t query_count;
	const char *body; /* decompressed, NUL-terminated; "" when there is none */
	size_t body_length;
	const unsigned char *streamed_sha256; /* hash of a streamed body; NULL: not computed */
	void *streamed;                       /* what a streamed body was read into; NULL for other routes */
	enum media body_media;                /* MEDIA_COUNT when there is no body */
	enum media accept;                    /* media type of the answer: one of the route's */
	const char *if_match, *if_none_match, *idempotency_key, *prefer, *last_event_id; /* NULL when not sent */
	struct principal principal;
	char request_id[CALL_REQUEST_ID_MAX], traceparent[CALL_TRACEPARENT_SIZE]; /* traceparent "" when not sent */
	struct server *server;                                                    /* storage, options, ...: server/server.h */

	/* Working memory. */
	struct arena arena;
	struct failure failure;

	/* The answer. */
	int http_status;         /* 0: 200 */
	enum media answer_media; /* starts as `accept` */
	struct buffer answer;    /* maximum CALL_ANSWER_MAX_BYTES */
	struct json_writer json; /* writes into `answer` */
	struct call_header headers[CALL_HEADERS_MAX];
	size_t header_count;
};

/* Returned by a handler whose answer follows by call_complete(). */
#define HANDLER_PENDING STATUS_COUNT

typedef enum status handler_function(struct call *call);

/* Ends a call whose handler returned HANDLER_PENDING. Do not use the call afterwards. Thread-safe, once per call. */
void call_complete(struct call *call, enum status status);

/* The progress of this call's computation. It asks the computation to stop if the client has left or the call's job is
 * cancelled. NULL for the command line. */
struct progress;
const struct progress *call_progress(struct call *call);

/* Hashes the decompressed body: a repeated Idempotency-Key must come with the same hash. */
void call_body_sha256(const struct call *call, unsigned char sha256[32]);

/* The current catalogue snapshot: the same one for the whole call, released with the call. */
const struct catalogue *call_catalogue(struct call *call);

/* Returns the first value of a query parameter, NULL if it is absent. */
const char *call_query(const struct call *call, const char *name);
/* Reads ?limit=: 1 to 1000, default 50. */
FALLIBLE enum status call_limit(struct call *call, size_t *limit);

/* Adds a response header. `name` is a literal; `value` is copied into the arena. Control bytes are a CHECK failure. */
void call_header(struct call *call, const char *name, const char *value);
/* 201 with Location. */
void call_created(struct call *call, const char *format, ...) PRINTF_LIKE(2, 3);
/* 202 with Location. */
void call_accepted(struct call *call, const char *format, ...) PRINTF_LIKE(2, 3);
void call_no_content(struct call *call); /* 204 */
/* Link: <same path and query with this cursor>; rel="next". */
void call_link_next(struct call *call, const char *cursor);

/* The ETag of a resource is its revision, plus a suffix for each representation other than plain JSON: "5", "5-csv",
 * "5-gzip". call_etag() writes the header. call_not_modified() writes it too, and returns true if the client already
 * has that representation: the status is then 304, and the handler returns STATUS_OK. call_match() returns
 * STATUS_PRECONDITION_FAILED if If-Match was sent and none of its tags is of that revision, in any representation. */
#define CALL_PACKED_WORD "-gzip"
void call_etag(struct call *call, int64_t revision);
bool call_not_modified(struct call *call, int64_t revision);
FALLIBLE enum status call_match(struct call *call, int64_t revision);
/* The same for content without revisions: `tag` is opaque and without quotes. */
bool call_tag_not_modified(struct call *call, const char *tag);

/* A file that is sent unchanged. Its bytes outlive the server. The tag and the gzip twin are made at the first use. */
struct asset {
	enum media media;
	const char *begin, *end;
	struct asset_twin *twin; /* used by the core; NULL at start */
};

/* Answers with the asset, or with 304 if the client has it. The asset's bytes must not change afterwards. */
FALLIBLE enum status call_asset(struct call *call, struct asset *asset);

#endif
