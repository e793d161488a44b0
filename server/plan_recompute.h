/* Recomputes the request of a stored plan: on the current catalogue, on the revisions that the plan names, or on a
 * mixture. */
#ifndef FLEETPLAN_SERVER_PLAN_RECOMPUTE_H
#define FLEETPLAN_SERVER_PLAN_RECOMPUTE_H

#include "server/handler.h"
#include "service/estimate.h"

struct recomputation {
	struct call *call;
	const struct plan_record *old;
	struct arena *arena;               /* holds the result */
	const struct catalogue *catalogue; /* NULL: the current one. A request with as_of always uses the catalogue of that time */
	int64_t now_us;                    /* with `catalogue`: the time of the computation */
};

/* Fills the record's content, in the arena. If the request can no longer be planned, the call's failure has the
 * faults. */
FALLIBLE enum status plan_recompute(const struct recomputation *it, struct plan_record *record);

/* Reads the catalogue with which a stored plan was computed. The caller releases it. */
FALLIBLE enum status plan_catalogue_of_then(struct call *call, const struct plan_record *plan, struct catalogue **catalogue);

#endif
