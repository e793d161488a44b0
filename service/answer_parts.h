/* Reads `expand`: the names of the parts that a client wants in an answer (planner/plan/answer_parts.h). */
#ifndef FLEETPLAN_SERVICE_ANSWER_PARTS_H
#define FLEETPLAN_SERVICE_ANSWER_PARTS_H

#include "base/failure.h"
#include "planner/plan/answer_parts.h"

/* Sets *omitted to the parts that `expand` does not name. "all" names every part, "none" no part. expand NULL:
 * *omitted = `otherwise`. STATUS_INVALID with a fault at /expand for a word that is not a part. */
FALLIBLE enum status answer_parts_read(const char *expand, unsigned otherwise, unsigned *omitted, struct failure *failure);

#endif
