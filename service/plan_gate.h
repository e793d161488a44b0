/* The gate of `fleetplan diff`: compares the plans of two requests, and decides whether the change keeps its limits.
 *
 * The caller plans both requests with the same catalogue and the same moment. A limit needs HEAD's figure: if HEAD has no
 * plan, or the plan lacks the figure, the limit is exceeded. A limit of the change also needs BASE's figure: if
 * BASE is infeasible or lacks the figure, the limit is not compared. A new request (BASE absent) costs 0 before, so
 * "cost>+50k" applies to it, and "cost>10%" is not compared. docs/gate.md has the whole table. */
#ifndef FLEETPLAN_SERVICE_PLAN_GATE_H
#define FLEETPLAN_SERVICE_PLAN_GATE_H

#include "api/tables/gate.h"
#include "base/arena.h"
#include "base/failure.h"
#include "service/estimate.h"

/* Reads "cost>10%", "carbon>+2t" or "hours > 30d". Texts are borrowed or constant. STATUS_INVALID with what is wrong
 * and what is allowed. */
FALLIBLE enum status gate_limit_parse(const char *text, struct gate_limit *limit, struct failure *failure);

/* Finds the kind of two request texts (NULL: no request) by the fields that only one kind has. STATUS_INVALID if the
 * fields of both kinds or of none appear, STATUS_MALFORMED for a text that is not JSON. */
FALLIBLE enum status gate_kind(
	const struct json_text *base, const struct json_text *head, const struct estimate_kind **kind, struct failure *failure);

/* Fills a side from a computed estimate of a training or a service. Texts are borrowed from the estimate. */
void gate_side_planned(struct gate_side *side, const struct estimate *estimate);

/* Compares the sides: fills rows, outcomes of the limits, passed and text. kind, sides, limits and the provenance are set.
 * Texts in the arena. STATUS_NO_MEMORY. */
FALLIBLE enum status gate_decide(struct plan_gate *gate, struct arena *arena);

/* Lists the fields that differ between the two requests as written, without name, labels and notes. Errors of
 * api_json_differences(). */
FALLIBLE enum status gate_differences(
	struct plan_gate *gate, const struct json_text *base, const struct json_text *head, struct arena *arena, struct failure *failure);

bool gate_is_training(const struct plan_gate *gate);                         /* false: a service */
bool gate_has_figure(const struct plan_gate *gate, enum gate_figure figure); /* a service has no hours, a training no replicas */

/* What limits and rows say of a figure. */
struct gate_figure_about {
	const char *word, *title, *monthly_title, *unit;
	int amount; /* enum amount */
};
const struct gate_figure_about *gate_figure_about(enum gate_figure figure);

#endif
