/* Shared by the handlers of estimates and plans: the choice of the catalogue, and the answer in JSON, CSV or
 * Markdown. */
#ifndef FLEETPLAN_SERVER_PLAN_ANSWER_H
#define FLEETPLAN_SERVER_PLAN_ANSWER_H

#include "server/handler.h"
#include "service/estimate.h"

/* Computes a decoded estimate on the catalogue of its `as_of` (default: now) and fills the record's content. */
FALLIBLE enum status plan_compute(struct call *call, struct estimate *estimate, struct plan_record *record);

/* Reads `expand` from the query of a request with a body; NULL: none. */
FALLIBLE enum status plan_expand(struct call *call, const char **expand);

/* Writes a record in the media type of the call's Accept: JSON by `envelope`, the report, or the options as CSV, with
 * all their figures if `expanded`. */
FALLIBLE enum status plan_answer(struct call *call, const struct field_table *envelope, const struct plan_record *record, bool expanded);

#endif
