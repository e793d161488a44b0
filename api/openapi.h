/* Writes /openapi.json (OpenAPI 3.1) and docs/fields.md from the routes and their field tables, in a stable order. */
#ifndef FLEETPLAN_API_OPENAPI_H
#define FLEETPLAN_API_OPENAPI_H

#include "base/json_writer.h"

void openapi_write(struct json_writer *writer);

/* Writes the field reference in Markdown. */
void openapi_field_reference(struct buffer *out);

#endif
