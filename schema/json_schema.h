/* Parts of JSON schemas, from which api/ builds the OpenAPI document. For schema/ and api/ only. */
#ifndef FLEETPLAN_SCHEMA_JSON_SCHEMA_H
#define FLEETPLAN_SCHEMA_JSON_SCHEMA_H

#include "schema/field.h"

/* Writes the name of a schema: "TrainingRequest" for training_request, "TrainingRequestPatch" for SCHEMA_PATCH. */
void schema_name(const struct field_table *table, enum schema_use use, char *out, size_t size);

/* Writes the key "$ref" and its value. */
void schema_reference(const struct field_table *table, enum schema_use use, struct json_writer *writer);

/* Writes the members of a row's schema, with its description, into an object that the caller has begun. */
void schema_row(const struct field *row, enum schema_use use, struct json_writer *writer);

/* Writes the description of a row: "Doc (unit). Default: ...". */
void schema_describe(const struct field *row, struct buffer *out);

#endif
