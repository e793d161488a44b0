/* What a key with a scope (a label) may see and write: plans with that label, and what belongs to them. For such a key,
 * anything else does not exist (404). Handlers must read plans only through these functions. Keys without a scope see
 * everything. */
#ifndef FLEETPLAN_SERVER_SCOPE_H
#define FLEETPLAN_SERVER_SCOPE_H

#include "server/handler.h"

struct benchmark_record;
struct plan_record;

/* STATUS_NOT_FOUND for an object with these labels outside of the scope; without a failure. */
FALLIBLE enum status scope_admit(const struct call *call, const struct json_text *labels);

/* Calls storage_plan_get(); STATUS_NOT_FOUND for a plan outside of the scope. */
FALLIBLE enum status scope_plan_get(struct call *call, const char *id, int64_t revision, struct plan_record *plan);

/* STATUS_NOT_FOUND for a benchmark outside of the scope. The scope of its plan counts if it has one, else its own
 * label. */
FALLIBLE enum status scope_benchmark(struct call *call, const struct benchmark_record *benchmark);

/* Adds the scope's label to a new object's labels if they lack it. STATUS_FORBIDDEN if they give that label another
 * value. */
FALLIBLE enum status scope_label(struct call *call, struct json_text *labels);

/* STATUS_FORBIDDEN if labels that will be stored leave the scope. */
FALLIBLE enum status scope_keep(struct call *call, const struct json_text *labels);

#endif
