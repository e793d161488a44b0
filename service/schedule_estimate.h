/* The estimate behind POST /v1/schedules: memory for the planner, and the plan whose figures stand in. */
#ifndef FLEETPLAN_SERVICE_SCHEDULE_ESTIMATE_H
#define FLEETPLAN_SERVICE_SCHEDULE_ESTIMATE_H

#include "service/estimate.h"

/* Given: an estimate whose request is a struct schedule_request as decoded. Returned: its result, a struct schedule. */
FALLIBLE enum status schedule_compute(struct estimate *estimate);

#endif
