/* Inside api/: the pieces of schemas that OpenAPI is put together from. */
#ifndef FLEETPLAN_SCHEMA_JSON_SCHEMA_H
#define FLEETPLAN_SCHEMA_JSON_SCHEMA_H

#include "schema/field.h"

/* "TrainingRequest" of training_request; with "Patch" behind it for SCHEMA_PATCH. */
void schema_name(const struct field_table *table, enum schema_use use, char *out, size_t size);

/* Writes the key "$ref" and its value. */
void schema_reference(const struct field_table *table, enum schema_use use, struct json_writer *writer);

/* The members of a row's schema, description included, into an object that the caller has begun. */
void schema_row(const struct field *row, enum schema_use use, struct json_writer *writer);

/* "What it is (unit). Default: ..." */
void schema_describe(const struct field *row, struct buffer *out);

#endif
