/* Why a plan that is computed anew differs from what it was: which kind of catalogue row, calibration or the planner moved it.
 *
 * The request is computed on the catalogue of then, which must give the answer of then to the bit when the planner is the same; then
 * one kind of row after the other is taken from the catalogue of now, and what each moves is its effect. */
#ifndef FLEETPLAN_SERVICE_PLAN_CHANGES_H
#define FLEETPLAN_SERVICE_PLAN_CHANGES_H

#include "service/estimate.h"

/* Computes the plan's request on a catalogue; the record lives until the next computation. */
struct plan_computer {
	void *context;
	enum status (*compute)(void *context, const struct catalogue *catalogue, int64_t now_us, struct plan_record *record);
};

/* Given: the plan as it was and as it is now, both catalogues, what computes. Returned: the changes, text in the arena. A catalogue on
 * which the request cannot be planned any more is a cause without figures. */
FALLIBLE enum status plan_changes_explain(const struct plan_computer *computer, const struct catalogue *before, const struct catalogue *after,
	const struct plan_record *old, const struct plan_record *fresh, struct arena *arena, struct plan_changes *changes, struct failure *failure);

/* As JSON, in the arena. */
FALLIBLE enum status plan_changes_text(const struct plan_changes *changes, struct arena *arena, struct json_text *text);

#endif
