/* Writes /openapi.json (OpenAPI 3.1), /openapi-3.0.json (OpenAPI 3.0.3) and docs/fields.md from the routes and their field tables, in a stable order. */
#ifndef FLEETPLAN_API_OPENAPI_H
#define FLEETPLAN_API_OPENAPI_H

#include "schema/json_schema.h"

void openapi_write(enum schema_dialect dialect, struct json_writer *json);

/* Writes the field reference in Markdown. */
void openapi_field_reference(struct buffer *out);

#endif
