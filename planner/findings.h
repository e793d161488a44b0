/* Findings of an answer: assumptions, advice, warnings, sensitivities.
 *
 * The resolver (hwdb) and the planner add an entry for each decision that they take for the client. The lists have a
 * fixed size; `dropped` counts the entries that did not fit (a test checks that it is 0). Text is static or borrowed
 * from the catalogue snapshot, unless it is in a char array. */
#ifndef FLEETPLAN_PLANNER_FINDINGS_H
#define FLEETPLAN_PLANNER_FINDINGS_H

#include "base/status.h"
#include "planner/figures.h"

enum { ASSUMPTIONS_MAX = 64, ADVICE_MAX = 24, WARNINGS_MAX = 24, SENSITIVITIES_MAX = 24 };

struct assumption {
	const char *field; /* as in the request, dotted: "reliability.mtbf_gpu_hours" */
	double number;     /* the value; NaN: the value is a text */
	double low, high;  /* absent: no range is known */
	const char *text;
	const char *source;            /* an equation id and citation, or a catalogue row; never the word "default" */
	enum provenance_status status; /* default, unless the value was measured or derived */
};

struct advice {
	const char *code, *severity; /* severity: info, suggestion, important */
	char detail[240], effect[120];
	double change_hours, change_usd, change_gb,
		change_gpus;          /* figure with the advice less figure without it, both planned; absent: not planned */
	double sample_time_ratio; /* time of a sample with the advice over time without it; absent: not planned */
};

struct warning {
	char detail[320];
};

/* Change of one figure when one input moves through its range and all other inputs keep their values. */
struct sensitivity {
	const char *field;
	double value, low, high; /* of the input: the value used, and the ends of the range */
	enum provenance_status status;
	const char *figure;             /* JSON pointer of the figure of the option that changes most */
	double change_low, change_high; /* relative change of the figure with the input at `low`, at `high` */
	const char *method;             /* SENSITIVITY_PLANNED, _WHOLE, _EXACT */
	char effect[200];
	double relative; /* the larger of both changes, with its sign; the list is sorted by it */
};

#define SENSITIVITY_PLANNED "planned again"
#define SENSITIVITY_WHOLE   "by formulas, whole replicas" /* not simulated; counts are whole replicas, so a small change may have no effect */
#define SENSITIVITY_EXACT   "exact"                       /* the input is a factor or a term of the figure */

struct findings {
	bool missing_price_told; /* the resolver warned why no offer fits; the planner then adds no warning of its own */
	size_t assumption_count, advice_count, warning_count, sensitivity_count, dropped;
	size_t first_count; /* warnings at the head of the list, added by findings_warn_first() */
	struct assumption assumptions[ASSUMPTIONS_MAX];
	struct advice advice[ADVICE_MAX];
	struct warning warnings[WARNINGS_MAX];
	struct sensitivity sensitivities[SENSITIVITIES_MAX];
};

void findings_clear(struct findings *findings);

/* True if `word` is in `list`, whose words are separated by blanks: "a bc" contains "a" and "bc", not "b". */
bool findings_list_has(const char *list, const char *word);
/* Adds an assumption. A field has one entry: later calls for the same field have no effect. */
void findings_assume_number(struct findings *findings, const char *field, double number, const char *source);
void findings_assume_text(struct findings *findings, const char *field, const char *text, const char *source);
/* Returns the entry, so that the caller can fill `effect`. If the list is full it overwrites the last entry. */
struct advice *findings_advise(struct findings *findings, const char *code, const char *severity, const char *format, ...) PRINTF_LIKE(4, 5);
void findings_warn(struct findings *findings, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds a warning that a reader needs first: before all other warnings, after earlier ones of this function. */
void findings_warn_first(struct findings *findings, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds an assumption with its range. A figure that the request gave is not an assumption and is left out. */
void findings_assume_figure(struct findings *findings, const struct figure *figure);
/* Moves the assumptions that move a figure most to the front, by the sensitivities; the others keep their order. */
void findings_rank_assumptions(struct findings *findings);
/* Inserts an entry; the input with the largest effect comes first. `input` has low and high; the changes are relative. */
void findings_sensitivity(
	struct findings *findings, const struct figure *input, const char *figure, double change_low, double change_high, const char *method);

#endif
