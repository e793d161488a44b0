/* Answers for people: a plan as Markdown to paste, and its options as CSV. */
#ifndef FLEETPLAN_API_REPORT_H
#define FLEETPLAN_API_REPORT_H

#include "api/tables/pages.h"
#include "base/buffer.h"
#include "base/failure.h"
#include "hwdb/catalogue/records.h"

/* From a stored plan (its request and result are JSON text). STATUS_INTERNAL when that text is not what a plan holds. */
FALLIBLE enum status report_plan_markdown(const struct plan_record *plan, struct buffer *out, struct failure *failure);

/* A header and a row an option, the recommended one first; scalar figures, nested ones as "cost.total_usd". */
FALLIBLE enum status report_plan_csv(const struct plan_record *plan, struct buffer *out, struct failure *failure);

/* Plans side by side (comparison.h): a header and a row a plan, its identity, the figures of which it has the best, and its recommended
 * option. Where both kinds are compared each has its own columns, "training.gpu_count" and "inference.gpu_count". */
FALLIBLE enum status report_comparison_csv(const struct plan_comparison *comparison, struct buffer *out, struct failure *failure);

/* The same for people: a table with a column for each plan, the best of a row in bold, and one of what was asked differently. */
FALLIBLE enum status report_comparison_markdown(const struct plan_comparison *comparison, struct buffer *out, struct failure *failure);

#endif
