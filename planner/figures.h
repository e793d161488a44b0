/* Figures: numbers with their range, their source and their status (given, default, measured, derived).
 *
 * An option lists its inputs (a grid, a price, a power) as `struct figure`, under the request's field names. A
 * computed figure is a member of the option; a `struct provenance` points to it. Text is static or borrowed from the
 * catalogue snapshot. */
#ifndef FLEETPLAN_PLANNER_FIGURES_H
#define FLEETPLAN_PLANNER_FIGURES_H

#include "base/given.h"
#include "base/status.h"

enum provenance_status { PROVENANCE_UNSET, PROVENANCE_GIVEN, PROVENANCE_DEFAULT, PROVENANCE_MEASURED, PROVENANCE_DERIVED };

/* p10, p50, p90 of a figure. */
struct interval {
	double p10, p50, p90;
};

struct figure {
	const char *field;       /* as in the request, dotted: "site.pue" */
	double value, low, high; /* low <= value <= high; equal: the value was given, or no source states a range */
	const char *source;
	enum provenance_status status;
};

enum { FIGURES_MAX = 56, PROVENANCES_MAX = 64 };

/* The inputs of an option. */
struct figures {
	size_t count;
	struct figure items[FIGURES_MAX];
};

/* Appends a figure. Widens its range to include the value, turns an unset status into the default status, and ignores
 * an absent value. */
void figures_add(struct figures *figures, struct figure figure);
const struct figure *figures_find(const struct figures *figures, const char *field); /* NULL: not in the list */

struct provenance {
	const char *pointer; /* JSON pointer inside the option, "/cost/total_usd" */
	double low, high;
	const char *source;
	enum provenance_status status;
};

/* Appends to list[*count], which has room for PROVENANCES_MAX entries. Appends nothing if the range is absent: the
 * figure is then absent too. */
void provenance_add(
	struct provenance *list, size_t *count, const char *pointer, struct interval range, enum provenance_status status, const char *source);

#endif
