/* Responses for people: a plan as a Markdown report, and its options as CSV. */
#ifndef FLEETPLAN_API_REPORT_H
#define FLEETPLAN_API_REPORT_H

#include "api/tables/pages.h"
#include "base/buffer.h"
#include "base/failure.h"
#include "hwdb/catalogue/records.h"

/* Writes a report of a stored plan, whose request and result are JSON text. STATUS_INTERNAL if that text is not a
 * plan's. */
FALLIBLE enum status report_plan_markdown(const struct plan_record *plan, struct buffer *out, struct failure *failure);

/* Writes a header and one row for each option, the recommended one first, in twelve columns. `expanded`: all scalar
 * figures instead, nested ones as "cost.total_usd". */
FALLIBLE enum status report_plan_csv(const struct plan_record *plan, bool expanded, struct buffer *out, struct failure *failure);

/* Writes a comparison (comparison.h) as a header and one row for each plan: its identity, the names of the figures in
 * which it is the best, and its recommended option. If both kinds of plan are compared, each kind has its own columns,
 * "training.gpu_count" and "inference.gpu_count". */
FALLIBLE enum status report_comparison_csv(const struct plan_comparison *comparison, struct buffer *out, struct failure *failure);

/* Writes a comparison for people: a table with a column for each plan and the best of a row in bold, and a table of the
 * request fields that differ. */
FALLIBLE enum status report_comparison_markdown(const struct plan_comparison *comparison, struct buffer *out, struct failure *failure);

#endif
