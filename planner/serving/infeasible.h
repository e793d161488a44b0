/* The error of a search without a result: which limit failed, and what to change. It describes the fleet that came
 * nearest. */
#ifndef FLEETPLAN_PLANNER_SERVING_INFEASIBLE_H
#define FLEETPLAN_PLANNER_SERVING_INFEASIBLE_H

#include "planner/serving/fleet_simulation.h"

struct shortfall {
	bool any;
	enum fleet_verdict verdict; /* of the nearest fleet; FLEET_OK: only a cap on money, carbon or energy excludes it */
	struct fleet nearest;
	struct promise promise;
	const struct fleet_limits *limits;
	const struct candidate *fitted; /* the last candidate with a layout that fits into memory */
};

/* Notes a fleet that fails. It is kept if it came nearer than the one before. */
void shortfall_note(struct shortfall *shortfall, const struct fleet *fleet);

/* Simulates the largest load of the nearest fleet where its accelerators are too few for the load. */
void shortfall_measure(struct shortfall *shortfall, struct simulator *simulator);

/* Fills the failure: which limit fails, and the best reachable value. Returns STATUS_INFEASIBLE, or STATUS_INVALID for
 * a pinned layout that is impossible. */
FALLIBLE enum status shortfall_fail(const struct shortfall *shortfall, const struct model *model, const struct demand *demand,
	const struct fleet_limits *limits, struct failure *failure);

/* Fills the failure where memory is too small, with a layout that would be enough. Returns STATUS_INFEASIBLE. */
FALLIBLE enum status infeasible_memory(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	double context_tokens, struct failure *failure);

#endif
