/* Figures: numbers that carry how far they may be off, where they come from and how they were had.
 *
 * Inputs of an answer (a grid, a price, a power) are `struct figure`s by the names of the request; what is computed from them is an
 * answer's own member, and a `struct provenance` points to it. Text is static or borrowed from the catalogue snapshot. */
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
	const char *field; /* as in the request, dotted: "site.pue" */
	double value, low, high; /* low <= value <= high; equal where it was given, or nobody states a range */
	const char *source;
	enum provenance_status status;
};

enum { FIGURES_MAX = 56, PROVENANCES_MAX = 64 };

/* The inputs that an option rests upon. */
struct figures {
	size_t count;
	struct figure items[FIGURES_MAX];
};

/* Appends; the range is widened to hold the value, an unset status is default, an absent value is not taken. */
void figures_add(struct figures *figures, struct figure figure);
const struct figure *figures_find(const struct figures *figures, const char *field); /* NULL: not there */

struct provenance {
	const char *pointer; /* JSON pointer inside the option, "/cost/total_usd" */
	double low, high;
	const char *source;
	enum provenance_status status;
};

/* Appends to list[*count], of PROVENANCES_MAX; not where the range is absent: then the figure is. */
void provenance_add(struct provenance *list, size_t *count, const char *pointer, struct interval range, enum provenance_status status,
	const char *source);

#endif
