/* What an answer says about itself: assumptions, advice, warnings, sensitivity, provenance.
 *
 * Filled by whoever decides something on the caller's behalf: the resolver (hwdb) and the planner. Fixed size; past
 * the maximum an entry is dropped and `dropped` counts it (a test holds it at 0). Text is static or borrowed from
 * the catalogue snapshot, unless it stands in a char array. */
#ifndef FLEETPLAN_PLANNER_FINDINGS_H
#define FLEETPLAN_PLANNER_FINDINGS_H

#include "base/status.h"
#include "planner/given.h"

enum { ASSUMPTIONS_MAX = 64, ADVICE_MAX = 24, WARNINGS_MAX = 16, SENSITIVITIES_MAX = 16, PROVENANCES_MAX = 40 };

struct assumption {
	const char *field;  /* as in the request, dotted: "reliability.mtbf_gpu_hours" */
	double number;      /* the value, or NaN when it is text */
	const char *text;
	const char *source; /* an equation id and citation, or a catalogue row; never the word "default" */
};

struct advice {
	const char *code, *severity; /* severity: info, suggestion, important */
	char detail[240], effect[120];
	double change_hours, change_usd, change_gb, change_gpus; /* with it less without it, planned again; absent: not planned */
	double sample_time_ratio;                                /* a sample's time with it over that without it; absent likewise */
};

struct warning {
	char detail[320];
};

struct sensitivity {
	const char *field;
	char effect[160]; /* "+10 % of the price moves total_usd by +10 %" */
	double relative;  /* relative change of the objective for a +10 % change of the field; sorts the list */
};

enum provenance_status { PROVENANCE_UNSET, PROVENANCE_GIVEN, PROVENANCE_DEFAULT, PROVENANCE_MEASURED, PROVENANCE_DERIVED };

struct provenance {
	const char *pointer; /* JSON pointer inside the option, "/cost/total_usd" */
	double low, high;
	const char *source;
	enum provenance_status status;
};

struct findings {
	bool missing_price_told; /* the resolver says why no offer fits, so the planner need not */
	size_t assumption_count, advice_count, warning_count, sensitivity_count, dropped;
	struct assumption assumptions[ASSUMPTIONS_MAX];
	struct advice advice[ADVICE_MAX];
	struct warning warnings[WARNINGS_MAX];
	struct sensitivity sensitivities[SENSITIVITIES_MAX];
};

void findings_clear(struct findings *findings);
/* A field is noted once: the first note of it stays. */
void findings_assume_number(struct findings *findings, const char *field, double number, const char *source);
void findings_assume_text(struct findings *findings, const char *field, const char *text, const char *source);
/* Returns the entry for its effect to be filled; a scratch entry when the list is full. */
struct advice *findings_advise(struct findings *findings, const char *code, const char *severity, const char *format, ...) PRINTF_LIKE(4, 5);
void findings_warn(struct findings *findings, const char *format, ...) PRINTF_LIKE(2, 3);
void findings_sensitivity(struct findings *findings, const char *field, double relative, const char *format, ...) PRINTF_LIKE(4, 5);

/* p10, p50, p90 of a figure. */
struct interval {
	double p10, p50, p90;
};

#endif
