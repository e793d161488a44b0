/* A stored plan's request, computed again: on the catalogue of now, of the revisions that the plan names, or of a mixture. */
#ifndef FLEETPLAN_SERVER_PLAN_RECOMPUTE_H
#define FLEETPLAN_SERVER_PLAN_RECOMPUTE_H

#include "server/handler.h"
#include "service/estimate.h"

struct recomputation {
	struct call *call;
	const struct plan_record *old;
	struct arena *arena;               /* of what is computed */
	const struct catalogue *catalogue; /* NULL: that of now; a request with as_of stays with that in any case */
	int64_t now_us;                    /* with a catalogue: the clock of the computation */
};

/* Fills the record's content, in the arena. Faults of a request that cannot be planned any more are in the call's failure. */
FALLIBLE enum status plan_recompute(const struct recomputation *it, struct plan_record *record);

/* The catalogue that a stored content was computed with, for the caller to release. */
FALLIBLE enum status plan_catalogue_of_then(struct call *call, const struct plan_record *plan, struct catalogue **catalogue);

#endif
