/* Functions that the handlers of plans share. */
#ifndef FLEETPLAN_SERVER_HANDLERS_PLAN_READ_H
#define FLEETPLAN_SERVER_HANDLERS_PLAN_READ_H

#include "server/handler.h"
#include "storage/plans.h"

/* Reads the plan that the path names, at a revision (ABSENT_COUNT: the newest). */
FALLIBLE enum status plan_read(struct call *call, int64_t revision, struct plan_record *record);

/* Returns the envelope's table for a stored plan, by its kind. */
const struct field_table *plan_envelope(const struct plan_record *record);

#endif
