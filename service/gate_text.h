/* Writes the outcome of the gate for people: sentences, a comment for a pull request (Markdown), and lines for a terminal.
 * Figures have three significant digits and units that people use; if a limit needs more digits to show why it is
 * exceeded, it has more. */
#ifndef FLEETPLAN_SERVICE_GATE_TEXT_H
#define FLEETPLAN_SERVICE_GATE_TEXT_H

#include "api/tables/gate.h"
#include "base/arena.h"
#include "base/buffer.h"

/* "cost rises by 14.1 %, limit 10 %", from the compared value. NULL without memory. */
const char *gate_text_limit(const struct plan_gate *gate, const struct gate_limit *limit, struct arena *arena);

/* The outcome in sentences: "Cost 2.29 M USD -> 2.61 M USD (+14.1 %) exceeds the limit of 10 %." NULL without memory. */
const char *gate_text_outcome(const struct plan_gate *gate, struct arena *arena);

/* Append the whole comparison. The buffer says whether it failed. */
void gate_text_markdown(const struct plan_gate *gate, struct buffer *out);
void gate_text_plain(const struct plan_gate *gate, struct buffer *out);

#endif
