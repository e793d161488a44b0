/* What other tools call a field of ours: "did you mean" for keys that are no misspelling. Only for api/. */
#ifndef FLEETPLAN_SCHEMA_SYNONYMS_H
#define FLEETPLAN_SCHEMA_SYNONYMS_H

#include "schema/field.h"

/* The pointer, from an object of `table` on, of the field that a key stands for elsewhere ("qps": "/requests_per_s", "tp": "/parallelism/tensor"), or of
 * the member of one of its objects that has this very key ("ttft_ms": "/slo/ttft_ms"). False: there is none. */
bool synonym_find(const struct field_table *table, const char *key, char *pointer, size_t size);

#endif
