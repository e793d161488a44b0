/* Error responses (RFC 9457). */
#ifndef FLEETPLAN_API_PROBLEM_H
#define FLEETPLAN_API_PROBLEM_H

#include "base/failure.h"
#include "base/json_writer.h"

/* Writes a failure as application/problem+json. `instance` is the request path; `request_id` may be NULL or "". */
void api_problem(const struct failure *failure, const char *instance, const char *request_id, struct json_writer *writer);

#endif
