/* Synonyms: names that other tools use for our fields, for "did you mean". For schema/ only. */
#ifndef FLEETPLAN_SCHEMA_SYNONYMS_H
#define FLEETPLAN_SCHEMA_SYNONYMS_H

#include "schema/field.h"

/* Finds the field that other tools call `key` ("qps": "/requests_per_s", "tp": "/parallelism/tensor"), or a member with
 * this key in an object of the table ("ttft_ms": "/slo/ttft_ms"). Writes its pointer, relative to an object of `table`.
 * False: there is none. */
bool synonym_find(const struct field_table *table, const char *key, char *pointer, size_t size);

#endif
