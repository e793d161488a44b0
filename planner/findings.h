/* What an answer says about itself: assumptions, advice, warnings, sensitivity, provenance.
 *
 * Filled by whoever decides something on the caller's behalf: the resolver (hwdb) and the planner. Fixed size; past
 * the maximum an entry is dropped and `dropped` counts it (a test holds it at 0). Text is static or borrowed from
 * the catalogue snapshot, unless it stands in a char array. */
#ifndef FLEETPLAN_PLANNER_FINDINGS_H
#define FLEETPLAN_PLANNER_FINDINGS_H

#include "base/status.h"
#include "planner/figures.h"

enum { ASSUMPTIONS_MAX = 64, ADVICE_MAX = 24, WARNINGS_MAX = 24, SENSITIVITIES_MAX = 24 };

struct assumption {
	const char *field;  /* as in the request, dotted: "reliability.mtbf_gpu_hours" */
	double number;      /* the value, or NaN when it is text */
	double low, high;   /* absent where no range is known */
	const char *text;
	const char *source; /* an equation id and citation, or a catalogue row; never the word "default" */
	enum provenance_status status; /* default unless somebody measured or derived it */
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

/* How a figure moves when one input goes through its range and all others stay. */
struct sensitivity {
	const char *field;
	double value, low, high;        /* of the input: as taken, and between which it was moved */
	enum provenance_status status;
	const char *figure;             /* of the option, that it moves most */
	double change_low, change_high; /* of the figure, relative, with the input at `low`, at `high` */
	const char *method;             /* SENSITIVITY_PLANNED, _WHOLE, _EXACT */
	char effect[200];
	double relative; /* the larger of both changes, with its sign; sorts the list */
};

#define SENSITIVITY_PLANNED "planned again"
#define SENSITIVITY_WHOLE   "by formulas, whole replicas" /* not simulated; integer steps: small changes may move nothing */
#define SENSITIVITY_EXACT   "exact" /* the figure is a product, or a sum, that the input is a factor of */

struct findings {
	bool missing_price_told; /* the resolver says why no offer fits, so the planner need not */
	size_t assumption_count, advice_count, warning_count, sensitivity_count, dropped;
	size_t first_count; /* of the warnings, that were put first */
	struct assumption assumptions[ASSUMPTIONS_MAX];
	struct advice advice[ADVICE_MAX];
	struct warning warnings[WARNINGS_MAX];
	struct sensitivity sensitivities[SENSITIVITIES_MAX];
};

void findings_clear(struct findings *findings);

/* Whether a word stands in a list of words that blanks separate: "a bc" has "a" and "bc", not "b". */
bool findings_list_has(const char *list, const char *word);
/* A field is noted once: the first note of it stays. */
void findings_assume_number(struct findings *findings, const char *field, double number, const char *source);
void findings_assume_text(struct findings *findings, const char *field, const char *text, const char *source);
/* Returns the entry for its effect to be filled; a scratch entry when the list is full. */
struct advice *findings_advise(struct findings *findings, const char *code, const char *severity, const char *format, ...) PRINTF_LIKE(4, 5);
void findings_warn(struct findings *findings, const char *format, ...) PRINTF_LIKE(2, 3);
/* What a reader must know before all else: it stands before the other warnings, after those that were put first already. */
void findings_warn_first(struct findings *findings, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same with its range: what others find plausible, or what an equation's source says. */
void findings_assume_figure(struct findings *findings, const struct figure *figure);
/* Keeps the list sorted, the input that moves most first. `input` has low and high; the changes are relative. */
void findings_sensitivity(struct findings *findings, const struct figure *input, const char *figure, double change_low, double change_high,
	const char *method);

#endif
