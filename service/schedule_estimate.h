/* The estimate of POST /v1/schedules: allocates memory for the planner and runs it. */
#ifndef FLEETPLAN_SERVICE_SCHEDULE_ESTIMATE_H
#define FLEETPLAN_SERVICE_SCHEDULE_ESTIMATE_H

#include "service/estimate.h"

/* Given: an estimate whose request is a decoded struct schedule_request. Returned: the result, a struct schedule. */
FALLIBLE enum status schedule_compute(struct estimate *estimate);

#endif
