/* Every endpoint as a row of one table. Dispatch, limits, roles, OpenAPI and the tests of the examples use this table.
 *
 * To add an endpoint: add its name here, its row in api/route_rows*, and a handler in server/. Pure data and functions,
 * thread-safe. */
#ifndef FLEETPLAN_API_ROUTES_H
#define FLEETPLAN_API_ROUTES_H

#include "api/media.h"
#include "api/tables/tables.h"

/* clang-format off */
#define ROUTE_NAMES(X) \
	X(TRAINING_ESTIMATE) X(TRAINING_ESTIMATE_GET) X(INFERENCE_ESTIMATE) X(INFERENCE_ESTIMATE_GET) X(PERFORMANCE_ESTIMATE) \
	X(PERFORMANCE_ESTIMATE_GET) X(MEMORY_ESTIMATE) X(MEMORY_ESTIMATE_GET) X(SCALING_ESTIMATE) X(SCALING_ESTIMATE_GET) \
	X(CARBON_ESTIMATE) X(CARBON_ESTIMATE_GET) X(DIAGNOSIS) X(SCHEDULE) X(TRAINING_PLAN_CREATE) X(INFERENCE_PLAN_CREATE) \
	X(PLAN_LIST) X(PLAN_COMPARE) X(PLAN_GET) X(PLAN_PATCH) X(PLAN_DELETE) X(PLAN_REFRESH) X(PLAN_REVISIONS) X(PLAN_REPLAY) \
	X(ACCELERATOR_LIST) X(ACCELERATOR_CREATE) X(ACCELERATOR_GET) X(ACCELERATOR_PUT) X(ACCELERATOR_PATCH) X(ACCELERATOR_DELETE) \
	X(MODEL_LIST) X(MODEL_CREATE) X(MODEL_IMPORT) X(MODEL_GET) X(MODEL_PUT) X(MODEL_PATCH) X(MODEL_DELETE) X(PRICE_LIST) \
	X(PRICE_CREATE) X(PRICE_GET) X(PRICE_PUT) X(PRICE_PATCH) X(PRICE_DELETE) X(REGION_LIST) X(REGION_CREATE) X(REGION_GET) \
	X(REGION_PUT) X(REGION_PATCH) X(REGION_DELETE) X(CATALOGUE) X(OFFERS) X(DEVICE_LIST) X(BENCHMARK_LIST) X(BENCHMARK_CREATE) \
	X(BENCHMARK_GET) X(BENCHMARK_CANCEL) X(BENCHMARK_EVENTS) X(AGENT_LIST) X(AGENT_REGISTER) X(AGENT_DELETE) X(AGENT_LEASE) \
	X(LEASE_HEARTBEAT) X(LEASE_RESULT) X(LEASE_RELEASE) X(FEED_LIST) X(FEED_GET) X(FEED_REFRESH) X(IMPORT_LIST) X(IMPORT_GET) \
	X(ACCELERATOR_IMPORT) X(MODELS_IMPORT) X(PRICE_IMPORT) X(REGION_IMPORT) X(ACCELERATOR_EXPORT) X(MODEL_EXPORT) \
	X(PRICE_EXPORT) X(REGION_EXPORT) X(JOB_LIST) X(JOB_GET) X(JOB_CANCEL) X(JOB_RESULT) X(JOB_EVENTS) X(CALIBRATION_LIST) \
	X(CALIBRATION_DECIDE) X(CALIBRATION_DELETE) X(OBSERVATION_LIST) X(OBSERVATION_CREATE) X(OBSERVATION_GET) \
	X(OBSERVATION_DELETE) X(AUDIT_LIST) X(AUDIT_EXPORT) X(BACKUP_CREATE) X(LIVEZ) X(READYZ) X(METRICS) X(VERSION) X(OPENAPI) X(OPENAPI_3_0) \
	X(DOCS) X(DOCS_FILE) X(PAGE) X(PAGE_FILE)
/* clang-format on */

enum route_id {
#define X(name) ROUTE_##name,
	ROUTE_NAMES(X)
#undef X
		ROUTE_COUNT
};

/* viewer < planner < admin; agent is separate. ROLE_OPEN needs no key. */
enum role { ROLE_OPEN, ROLE_VIEWER, ROLE_PLANNER, ROLE_ADMIN, ROLE_AGENT, ROLE_COUNT };

enum { ROUTE_PARAMETERS_MAX = 2, ROUTE_PARAMETER_BYTES_MAX = 200, ROUTE_ALLOW_MAX = 64 };

enum {
	ROUTE_BODY_SMALL_BYTES = 64 * 1024,
	ROUTE_BODY_BYTES = 1024 * 1024,
	ROUTE_BODY_RESULT_BYTES = 4 * 1024 * 1024,
	ROUTE_BODY_SERIES_BYTES = 8 * 1024 * 1024,
	ROUTE_BODY_TRACE_BYTES = 64 * 1024 * 1024,
	ROUTE_BODY_STREAM_BYTES = 256 * 1024 * 1024
};

/* A further example of a body, beside example_body. */
struct route_example {
	const char *name, *body;
};

struct route {
	enum route_id id;
	const char *method, *path; /* a template: "/v1/plans/{id}" */
	const char *operation;     /* operationId */
	const char *tag, *summary, *doc;
	enum role role;
	bool inline_; /* cheap: runs on the connection's thread */
	bool heavy; /* plans, simulates, or waits for something outside: runs on separate workers; if `prefers` allows a job and it takes long, it becomes one */
	bool creates;     /* honours Idempotency-Key */
	bool conditional; /* honours If-Match */
	bool tagged;      /* answers an ETag, honours If-None-Match */
	unsigned prefers; /* set of PREFERS_x: allowed Prefer headers (RFC 7240) */
	bool streamed;    /* the body is read as it arrives and never held whole; a trace (trace_body) may come it instead of `request` */
	bool rows; /* the body holds many of `request`: a list, an object per line, CSV; so does the answer of `response`, unless the route creates */
	size_t body_maximum_bytes;                                    /* 0: no body */
	unsigned body_media, answer_media;                            /* sets of MEDIA_BIT */
	const struct field_table *query, *request, *response;         /* NULL: none */
	bool list;                                                    /* response is a page of `response` */
	int success;                                                  /* 200, 201, 202, 204 */
	bool may_be_empty;                                            /* may answer 204, without content */
	unsigned failures;                                            /* set of ROUTE_FAILS_x beyond those of every route */
	const char *example_body, *example_query, *example_parameter; /* example_parameter: of the path's {id}; NULL: none */
	bool trace_body;                                              /* the body may also be a profiler's trace */
	const struct route_example *more_examples;                    /* of bodies; ends with {NULL}; NULL: none */
};

/* PREFERS_ASYNC: the client may ask for 202 with a job, at once or after a wait. PREFERS_WAIT: it may wait for the end
 * of work that is answered 202 anyway. ALWAYS_ASYNC: the answer is always a job. */
enum route_preference { PREFERS_ASYNC = 1, PREFERS_WAIT = 2, ALWAYS_ASYNC = 4 };

/* Failures of a route beyond 400, 401, 403, 406, 429, 500 and 503, which every route may answer. */
enum route_failure { FAILS_NOT_FOUND = 1, FAILS_CONFLICT = 2, FAILS_PRECONDITION = 4, FAILS_INVALID = 8, FAILS_FULL = 16, FAILS_BODY = 32 };

extern const struct route routes[ROUTE_COUNT]; /* indexed by id */

struct route_match {
	const struct route *route;                    /* NULL: the path exists, the method does not */
	const char *parameters[ROUTE_PARAMETERS_MAX]; /* in the template's order, from the arena */
	const char *path;                             /* the template */
};

/* Finds the route of a method and a percent-decoded path; HEAD uses the route of GET. False: the path is unknown, or
 * the arena is exhausted. Literal segments win over parameters. */
bool route_resolve(const char *method, const char *path, struct arena *arena, struct route_match *match);

/* The methods allowed at a template: "GET, HEAD, POST". */
void route_allow(const char *path, char out[ROUTE_ALLOW_MAX]);

const char *route_media_name(enum media media); /* "application/json" */

#endif
