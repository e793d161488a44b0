/* Internal to api/: operations, and the parts of the OpenAPI document that they share. */
#ifndef FLEETPLAN_API_OPENAPI_PARTS_H
#define FLEETPLAN_API_OPENAPI_PARTS_H

#include "api/routes.h"
#include "schema/json_schema.h"

/* Returns how a route's request is described: a PATCH body as a merge patch. */
enum schema_use openapi_request_use(const struct route *route);

/* Writes the HTTP method as key, and the operation. */
void openapi_operation(const struct route *route, struct schema_writer *writer);

/* The name of the schema of a route's pages ("PlanSummaryPage") or events ("JobEvent"). */
void openapi_answer_name(const struct route *route, enum media media, char *out, size_t size);

/* Keys of components/schemas. */
void openapi_page_schema(const struct route *route, struct schema_writer *writer);
void openapi_event_schema(const struct route *route, struct schema_writer *writer);
void openapi_problem_schemas(struct schema_writer *writer);
void openapi_trace_schemas(struct schema_writer *writer);

void openapi_shared_parts(struct schema_writer *writer); /* components/responses, headers, parameters, securitySchemes */

#endif
