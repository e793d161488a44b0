/* What estimates and plans share on the HTTP side: the right catalogue, and the answer in JSON, CSV or Markdown. */
#ifndef FLEETPLAN_SERVER_PLAN_ANSWER_H
#define FLEETPLAN_SERVER_PLAN_ANSWER_H

#include "server/handler.h"
#include "service/estimate.h"

/* Computes a decoded estimate on the catalogue that it asks for (`as_of`, else now) and fills the record's content. */
FALLIBLE enum status plan_compute(struct call *call, struct estimate *estimate, struct plan_record *record);

/* Writes a record as the call's Accept wants it: JSON by `envelope`, or the report, or the options as CSV. */
FALLIBLE enum status plan_answer(struct call *call, const struct field_table *envelope, const struct plan_record *record);

#endif
