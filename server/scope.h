/* What a key that is bound to a label may see and write: plans with that label, and what belongs to them. To it nothing else is there: it is answered
 * as what never was. Handlers read plans by these functions alone. Keys without a scope, and roles above it, see everything. */
#ifndef FLEETPLAN_SERVER_SCOPE_H
#define FLEETPLAN_SERVER_SCOPE_H

#include "server/handler.h"

struct benchmark_record;
struct plan_record;

/* Whether something with these labels is within the scope. */
bool scope_admits(const struct call *call, const struct json_text *labels);

/* storage_plan_get() of a plan within the scope. */
FALLIBLE enum status scope_plan_get(struct call *call, const char *id, int64_t revision, struct plan_record *plan);

/* Whether a benchmark is: its plan's is the scope that counts, where it has one, else its own label. STATUS_NOT_FOUND when it is not. */
FALLIBLE enum status scope_benchmark(struct call *call, const struct benchmark_record *benchmark);

/* Gives what is made with a bound key its label, where it has none of that name. STATUS_FORBIDDEN where it has another. */
FALLIBLE enum status scope_label(struct call *call, struct json_text *labels);

/* STATUS_FORBIDDEN when labels that are to be stored leave the scope. */
FALLIBLE enum status scope_keep(struct call *call, const struct json_text *labels);

#endif
