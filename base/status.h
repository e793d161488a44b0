/* Status codes of fallible functions, and how the API reports them.
 *
 * One X-macro lists every status: its name, its HTTP status, the slug that ends the problem's `type`, and the title
 * (RFC 9457). A fallible function returns `enum status`, is marked FALLIBLE, and fills a `struct failure`, which says
 * what is wrong and what is allowed.
 *
 * There are three kinds of errors: 4xx, the caller's; 5xx, the environment's (a retry may succeed); and bugs of
 * Fleetplan, where CHECK aborts in every build. */
#ifndef FLEETPLAN_BASE_STATUS_H
#define FLEETPLAN_BASE_STATUS_H

#include "base/banned.h"

/* clang-format off */
/*       name                  http  slug                      title */
#define STATUS_TABLE(X)                                                                         \
	X(OK,                   200, "ok",                     "OK")                                \
	X(MALFORMED,            400, "malformed",              "Malformed request")                 \
	X(UNAUTHORIZED,         401, "unauthorized",           "Authentication required")           \
	X(FORBIDDEN,            403, "forbidden",              "Not allowed")                       \
	X(NOT_FOUND,            404, "not-found",              "Not found")                         \
	X(METHOD_NOT_ALLOWED,   405, "method-not-allowed",     "Method not allowed")                \
	X(NOT_ACCEPTABLE,       406, "not-acceptable",         "Not acceptable")                    \
	X(REQUEST_TIMEOUT,      408, "request-timeout",        "Request took too long to arrive")   \
	X(CONFLICT,             409, "conflict",               "Conflict")                          \
	X(IN_FLIGHT,            409, "in-flight",              "Same idempotency key in flight")    \
	X(STALE_LEASE,          409, "stale-lease",            "Stale lease")                       \
	X(CANCELLED,            409, "cancelled",              "Cancelled")                         \
	X(PRECONDITION_FAILED,  412, "precondition-failed",    "Precondition failed")               \
	X(TOO_LARGE,            413, "too-large",              "Content too large")                 \
	X(TARGET_TOO_LONG,      414, "target-too-long",        "Request target too long")           \
	X(UNSUPPORTED_MEDIA,    415, "unsupported-media-type", "Unsupported media type")            \
	X(EXPECTATION_FAILED,   417, "expectation-failed",     "Expectation failed")                \
	X(INVALID,              422, "invalid",                "Invalid request")                   \
	X(INFEASIBLE,           422, "infeasible",             "No feasible plan")                  \
	X(IDEMPOTENCY_MISMATCH, 422, "idempotency-mismatch",   "Idempotency key used with another body") \
	X(TOO_MANY_REQUESTS,    429, "too-many-requests",      "Too many requests")                 \
	X(HEADERS_TOO_LARGE,    431, "headers-too-large",      "Request header fields too large")   \
	X(INTERNAL,             500, "internal",               "Internal error")                    \
	X(NOT_IMPLEMENTED,      501, "not-implemented",        "Not implemented")                   \
	X(OVERLOADED,           503, "overloaded",             "Overloaded")                        \
	X(UNAVAILABLE,          503, "unavailable",            "Temporarily unavailable")           \
	X(NO_MEMORY,            503, "no-memory",              "Out of memory")                     \
	X(DRAINING,             503, "draining",               "Shutting down")                     \
	X(STORAGE_FULL,         507, "storage-full",           "Storage full")
/* clang-format on */

enum status {
#define X(name, http, slug, title) STATUS_##name,
	STATUS_TABLE(X)
#undef X
		STATUS_COUNT
};

/* The HTTP status code (200..599), slug and title of a status. Every value of the enum is valid. */
int status_http(enum status status);
const char *status_slug(enum status status);
const char *status_title(enum status status);

#define FALLIBLE                             __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_at, arguments_at) __attribute__((format(printf, format_at, arguments_at)))

/* For large locals whose members are set before they are read. Without it the hardened build zeroes the whole
 * variable at every call. */
#define UNCLEARED __attribute__((uninitialized))

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Aborts with file, line and condition, in every build. For conditions that only a bug of Fleetplan can make false. */
#define CHECK(condition) \
	do { \
		if (!(condition)) \
			check_failed(#condition, __FILE__, __LINE__); \
	} while (0)
__attribute__((noreturn, cold)) void check_failed(const char *condition, const char *file, int line);

#endif
