#include "api/tables/shared.h"

static const char *const state_of_side_words[GATE_STATE_COUNT] = {
	[GATE_PLANNED] = "planned", [GATE_ABSENT] = "absent", [GATE_INFEASIBLE] = "infeasible"};
static const char *const outcome_words[GATE_OUTCOME_COUNT] = {
	[GATE_HELD] = "held", [GATE_EXCEEDED] = "exceeded", [GATE_NOT_COMPARED] = "not_compared"};
static const char *const form_words[GATE_FORM_COUNT] = {[GATE_PERCENT] = "percent", [GATE_INCREASE] = "increase", [GATE_VALUE] = "value"};
static const char *const from_words[] = {"option", "request", "now"};
static const char *const catalogue_words[] = {"builtin", "database"};
static const char *const figure_words[] = {"cost", "energy", "carbon", "gpus", "hours", "replicas"};

DECLARE_TABLE(gate_side, struct gate_side);
#define OF struct gate_side
static const struct field gate_side_rows[] = {
	TEXT(file, 4096, "File of the request, as given"),
	CHOICE(state, state_of_side_words, "`planned`, `infeasible`, or `absent`: an empty file, so BASE is new or HEAD is removed"),
	TEXT(detail, 400, "Why no plan satisfies an infeasible request"),
	TEXT(summary, 800, "The plan in sentences, `result.summary.text`"),
	TEXT(accelerator, 64, "Accelerator"),
	INTEGER(gpu_count, 1, 9e15, "Accelerators in use; the figure `gpus` is the number that is paid"),
};
TABLE(gate_side, gate_side_rows, "One of the two requests, and its plan.");
#undef OF

DECLARE_TABLE(gate_figure, struct gate_row);
#define OF struct gate_row
static const struct field gate_figure_rows[] = {
	WORD(figure, figure_words, "Word of the figure in a limit"),
	TEXT(title, 64, "Title for people"),
	TEXT(unit, 32, "Unit of the figures and of `change`"),
	OBJECT(base, summary_figure, "Figure of BASE"),
	OBJECT(head, summary_figure, "Figure of HEAD"),
	FIGURE(change, "HEAD less BASE"),
	FIGURE(change_percent, "Change in percent of BASE; absent if BASE is 0"),
};
TABLE(gate_figure, gate_figure_rows, "A figure of both plans. For a service: of a month.");
#undef OF

DECLARE_TABLE(gate_limit, struct gate_limit);
#define OF struct gate_limit
static const struct field gate_limit_rows[] = {
	TEXT(limit, 64, "The limit as written, `cost>10%`"),
	WORD(figure, figure_words, "Figure that it limits"),
	CHOICE(form, form_words,
		"What it compares: `percent`, the increase in percent of BASE; `increase`, the increase in the figure's unit; `value`, the figure of HEAD"),
	FIGURE(most, "Largest value that holds, in `unit`"),
	FIGURE(compared, "Value that was compared, in `unit`; absent: there is none"),
	TEXT(unit, 32, "Unit of both: `%`, or the figure's unit"),
	CHOICE(outcome, outcome_words, "Whether the limit holds; `not_compared` does not fail the gate"),
	TEXT(detail, 800, "The same as a sentence, or why nothing was compared"),
};
TABLE(gate_limit, gate_limit_rows, "A limit of `--fail-if`, and its outcome.");
#undef OF

DECLARE_TABLE(request_difference, struct json_difference);
#define OF struct json_difference
static const struct field request_difference_rows[] = {
	TEXT(pointer, 500, "JSON pointer of the field in the request"),
	TEXT(before, 300, "Value in BASE; absent: none"),
	TEXT(after, 300, "Value in HEAD; absent: none"),
};
TABLE(request_difference, request_difference_rows, "A field that differs between the two requests.");
#undef OF

#define OF struct plan_gate
static const struct field plan_gate_rows[] = {
	TEXT(title, 4096, "Name of the request: --title, or its file"),
	WORD(kind, plan_kind_words, "Kind of the requests"),
	TEXT(text, 4000, "The outcome in sentences"),
	BOOL(passed, "True if HEAD has a plan (or is removed) and no limit is exceeded: exit code 0; otherwise 1"),
	OBJECT(base, gate_side, "The request before the change"),
	OBJECT(head, gate_side, "The request after the change"),
	ARRAY_AS(figures, rows, row_count, gate_figure, "Figures of both plans"),
	ARRAY_AS(limits, limits, limit_count, gate_limit, "The limits, in the given order"),
	ARRAY_AS(differences, differences, difference_count, request_difference,
		"The first 30 fields that differ, as written; without `name`, `labels` and `notes`"),
	SIZE_AS(differing, differing, "Number of fields that differ"),
	TIME_AS(as_of, as_of_us, "Moment of the catalogue and of the ages of its prices, for both plans"),
	WORD(as_of_from, from_words, "Where the moment comes from: `option` --as-of, the `request`, or `now`"),
	WORD(catalogue, catalogue_words, "Where the rows come from: the program's own, or --database"),
	INTEGER(catalogue_revision, 0, 9e15, "Revision of the catalogue; 0: the built-in rows"),
	INTEGER(prices_left_out, 0, 9e15, "Built-in prices that are newer than the moment, and are not used"),
	TEXT(planner_version, 64, "Version of the planner"),
};
TABLE(plan_gate, plan_gate_rows, "The answer of `fleetplan diff --format json`: two requests, their plans, and the limits of the change.");
#undef OF
