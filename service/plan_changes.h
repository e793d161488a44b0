/* Plan changes: why a plan that is computed again differs from the stored one. The cause is the planner, a kind of
 * catalogue row, or time.
 *
 * First the request is computed with the old catalogue: the same planner must give the stored answer to the bit. Then
 * one kind of row after the other is taken from the new catalogue: the change of the figures is its effect. */
#ifndef FLEETPLAN_SERVICE_PLAN_CHANGES_H
#define FLEETPLAN_SERVICE_PLAN_CHANGES_H

#include "service/estimate.h"

/* Computes the plan's request with a catalogue. The record is valid until the next call. */
struct plan_computer {
	void *context;
	enum status (*compute)(void *context, const struct catalogue *catalogue, int64_t now_us, struct plan_record *record);
};

/* Given: the stored plan, the newly computed plan, both catalogues and the computer. Returned: the changes, with text in
 * the arena. If the request cannot be planned with some kinds of new rows only, the effect is counted with the next. */
FALLIBLE enum status plan_changes_explain(const struct plan_computer *computer, const struct catalogue *before,
	const struct catalogue *after, const struct plan_record *old, const struct plan_record *fresh, struct arena *arena,
	struct plan_changes *changes, struct failure *failure);

/* Writes the changes as JSON into the arena. */
FALLIBLE enum status plan_changes_text(const struct plan_changes *changes, struct arena *arena, struct json_text *text);

#endif
