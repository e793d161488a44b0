/* Parts of JSON schemas, from which api/ builds the OpenAPI document. For schema/ and api/ only. */
#ifndef FLEETPLAN_SCHEMA_JSON_SCHEMA_H
#define FLEETPLAN_SCHEMA_JSON_SCHEMA_H

#include "schema/field.h"

/* The versions of OpenAPI differ: 3.1 has JSON Schema (2020-12); 3.0 has `nullable`, one `example`, an exclusiveMinimum that is a flag,
 * no `const`, no `propertyNames`, and nothing beside a $ref. */
enum schema_dialect { SCHEMA_OPENAPI_3_1, SCHEMA_OPENAPI_3_0 };

struct schema_writer {
	struct json_writer *json;
	enum schema_dialect dialect;
};

/* Kinds of schema. Answer: numbers are plain, and the members that every answer has are required. Request: numbers may be as people
 * write them, unknown fields are rejected. Merge patch: as a request, but no field is required and null removes a field. */
enum schema_use { SCHEMA_ANSWER, SCHEMA_REQUEST, SCHEMA_PATCH };

/* Writes the schemas that the numbers of requests refer to: a number, or a text as people write it. */
void schema_quantities(struct schema_writer *writer);

/* Writes the schema of a table for components/schemas, with a $ref for each nested table. */
void schema_table(const struct field_table *table, enum schema_use use, struct schema_writer *writer);

/* True if the table has a short form and a long one. Its schema is then the union of both, and refers to the schema of the long form by
 * the table's name with "Object" behind it. schema_table_object() writes that one. */
bool schema_has_object(const struct field_table *table);
void schema_table_object(const struct field_table *table, enum schema_use use, struct schema_writer *writer);

/* Writes the name of a schema: "TrainingRequest" for training_request, "TrainingRequestPatch" for SCHEMA_PATCH. */
void schema_name(const struct field_table *table, enum schema_use use, char *out, size_t size);

/* Writes the key "$ref" and its value. */
void schema_reference(const struct field_table *table, enum schema_use use, struct schema_writer *writer);

/* Writes the members of a row's schema, with its description, into an object that the caller has begun. */
void schema_row(const struct field *row, enum schema_use use, struct schema_writer *writer);

/* Writes the description of a row: "Doc (unit). Default: ...". */
void schema_describe(const struct field *row, struct buffer *out);

#endif
