/* Observations in the answer of a plan. */
#ifndef FLEETPLAN_SERVER_HANDLERS_OBSERVATIONS_H
#define FLEETPLAN_SERVER_HANDLERS_OBSERVATIONS_H

#include "hwdb/catalogue/records.h"
#include "server/handler.h"

/* Reads the newest observations of a plan, with all fields; at most 20. */
FALLIBLE enum status observations_of_plan(struct call *call, const char *plan_id, struct observation_record **items, size_t *count);

/* Writes observations as a JSON list, in the call's arena. */
FALLIBLE enum status observations_text(struct call *call, const struct observation_record *items, size_t count, struct json_text *text);

#endif
