/* Why nothing could be planned, and what would help: the nearest miss of a search. */
#ifndef FLEETPLAN_PLANNER_SERVING_INFEASIBLE_H
#define FLEETPLAN_PLANNER_SERVING_INFEASIBLE_H

#include "planner/serving/fleet_simulation.h"

struct shortfall {
	bool any;
	enum fleet_verdict verdict; /* of the nearest miss; FLEET_OK: it could stand, but for a cap on money, carbon or energy */
	struct fleet nearest;
	struct promise promise;
	const struct fleet_limits *limits;
	const struct candidate *fitted; /* the last candidate that had a layout which fits */
};

/* Takes note of a fleet that cannot stand. */
void shortfall_note(struct shortfall *shortfall, const struct fleet *fleet);

/* What the nearest fleet holds where its accelerators are too few for the load: simulated, as of a fleet that is answered. */
void shortfall_measure(struct shortfall *shortfall, struct simulator *simulator);

/* STATUS_INFEASIBLE, or STATUS_INVALID for a pinned layout that cannot be: which limit, and the best that can be reached. */
FALLIBLE enum status shortfall_fail(const struct shortfall *shortfall, const struct model *model, const struct demand *demand,
	const struct fleet_limits *limits, struct failure *failure);

/* Memory does not suffice: says what would. Fills the failure. */
FALLIBLE enum status infeasible_memory(const struct model *model, const struct candidate *candidate,
	const struct replica_layout *layout, double context_tokens, struct failure *failure);

#endif
