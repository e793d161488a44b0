/* Estimates and plans: what was asked and answered, and what it was computed with. */
#include "api/tables/shared.h"

#define OF struct plan_record
static const struct field computed_rows[] = {
	INTEGER(catalogue_revision, 0, 9e15, "Revision of the catalogue that it was computed with"),
	INTEGER(calibration_revision, 0, 9e15, "Revision of the calibrations that it was computed with"),
	TEXT(planner_version, 64, "Version of the planner"),
	TIME_AS(computed_at, computed_at_us, "When it was computed"),
};
DECLARE_TABLE(computed, struct plan_record);
TABLE(computed, computed_rows, "What an answer was computed with.");

static const struct field plan_about_rows[] = {
	TEXT(id, 36, "UUIDv7", .form = FORM_UUID),
	WORD(kind, plan_kind_words, "What it plans"),
	TEXT(name, 200, "A name"),
	LABELS(labels, "Texts by key"),
	TEXT(notes, 10000, "Notes", .flags = MULTILINE),
	TEXT(model, 128, "Model"),
	TEXT(accelerator, 128, "Accelerator of the recommended option"),
	TIME_AS(created_at, created_at_us, "When it was made"),
	TIME_AS(updated_at, updated_at_us, "When it was last changed"),
	INTEGER(revision, 1, 9e15, "Raised by every change; the ETag"),
};
DECLARE_TABLE(plan_about, struct plan_record);
TABLE(plan_about, plan_about_rows, "What is kept of a plan beside its content.");

#define KIND TEXT(kind, 16, "What was estimated")

#define ESTIMATE(name, doc)                                                                                            \
	static const struct field name##_estimate_rows[] = {KIND,                                                          \
		JSON_OF(request, name##_request, "What was understood: names resolved, numbers plain"),                        \
		JSON_OF(result, name##_result, "The answer"), MERGE_SELF(computed)};                                           \
	TABLE(name##_estimate, name##_estimate_rows, doc)

ESTIMATE(training, "A training, computed and not kept.");
ESTIMATE(inference, "A service, computed and not kept.");
ESTIMATE(performance, "One replica's performance.");
ESTIMATE(memory, "A model's memory.");
ESTIMATE(scaling, "What scaling laws say.");
ESTIMATE(carbon, "Energy, carbon and water.");
ESTIMATE(schedule, "When and where to run.");

static const struct field diagnosis_rows[] = {KIND,
	JSON_OF(request, diagnosis_request, "What was understood; of a trace, what its query said"),
	JSON_OF(result, diagnosis_result, "The answer"), MERGE_SELF(computed)};
TABLE(diagnosis, diagnosis_rows, "What binds a training, and what its loss curve says.");

#undef OF

DECLARE_TABLE(plan_figures, struct plan_figures);
#define OF struct plan_figures
static const struct field plan_figures_rows[] = {
	TEXT(accelerator, 128, "Accelerator"),
	TEXT(offer, 300, "Offer that prices it"),
	INTEGER(gpu_count, 0, 9e15, "Accelerators"),
	FIGURE(hours, "Wall clock of a training"),
	FIGURE(usd_per_gpu_hour, "Price of an accelerator-hour"),
	FIGURE(usd, "Money; of inference a month"),
	FIGURE(kwh, "Energy; of inference a month"),
	FIGURE(kgco2e, "Carbon; of inference a month"),
};
TABLE(plan_figures, plan_figures_rows, "What a plan recommends, in figures.");
#undef OF

DECLARE_TABLE(plan_cause, struct plan_cause);
#define OF struct plan_cause
static const struct field plan_cause_rows[] = {
	TEXT(cause, 32, "What changed: the planner, or a kind of catalogue row"),
	TEXT(detail, 1000, "Which rows"),
	FIGURE(change_gpus, "Accelerators with it, less without it"),
	FIGURE(change_hours, "Hours likewise"),
	FIGURE(change_usd, "Money likewise; of inference a month"),
	FIGURE(change_kwh, "Energy likewise"),
	FIGURE(change_kgco2e, "Carbon likewise"),
};
TABLE(plan_cause, plan_cause_rows, "A cause, and what it moved when it was put in after those before it.");
#undef OF

#define OF struct plan_changes
static const struct field plan_changes_rows[] = {
	TIME_AS(since, since_us, "When it was computed before"),
	BOOL(reproduced, "Whether the catalogue of then still gives the answer of then, to the bit"),
	TEXT(difference, 400, "Where not: what differs first"),
	OBJECT(before, plan_figures, "What it recommended"),
	OBJECT(after, plan_figures, "What it recommends now"),
	ARRAY_AS(causes, causes, cause_count, plan_cause, "What moved it; their changes sum up to after less before"),
};
TABLE(plan_changes, plan_changes_rows, "What a refresh changed, and why.");
#undef OF

DECLARE_TABLE(json_difference, struct json_difference);
#define OF struct json_difference
static const struct field json_difference_rows[] = {
	TEXT(pointer, 500, "Where: a JSON pointer inside the plan"),
	TEXT(before, 300, "What is stored; absent: nothing"),
	TEXT(after, 300, "What is computed now; absent: nothing"),
};
TABLE(json_difference, json_difference_rows, "A value that is not what it was.");
#undef OF

#define OF struct plan_replay
static const struct field plan_replay_rows[] = {
	TEXT(id, 36, "Of the plan", .form = FORM_UUID),
	WORD(kind, plan_kind_words, "What it plans"),
	INTEGER(revision, 1, 9e15, "Of the plan"),
	INTEGER(catalogue_revision, 0, 9e15, "Of the catalogue that it was computed with, and is again"),
	INTEGER(calibration_revision, 0, 9e15, "Of the calibrations likewise"),
	TEXT(planner_version, 64, "That computed what is stored"),
	TEXT(planner_version_now, 64, "That computes it again"),
	TIME_AS(computed_at, computed_at_us, "When it was computed"),
	BOOL(reproduced, "Whether it is the same to the bit, but for how long the search took"),
	INTEGER(differing, 0, 9e15, "Values that differ"),
	ARRAY_AS(differences, differences, difference_count, json_difference, "The first 20 of them"),
};
TABLE(plan_replay, plan_replay_rows, "A plan computed again as it was.");
#undef OF

#define OF struct plan_record
#define VERIFIED                                                                                                       \
	JSON_OF(verification, verification, "What the newest benchmark of the plan says of it"),                           \
		JSON(observations, "What real jobs reported of it, newest first: a list of `observation`", .flags = READ_ONLY)

#define PLAN(name, doc)                                                                                                \
	static const struct field name##_plan_rows[] = {MERGE_SELF(plan_about),                                            \
		JSON_OF(request, name##_request, "What was understood: names resolved, numbers plain"),                        \
		JSON_OF(result, name##_result, "The answer"),                                                                  \
		JSON_OF(changes, plan_changes, "Of a refresh: what changed, and why"), VERIFIED, MERGE_SELF(computed)};        \
	TABLE(name##_plan, name##_plan_rows, doc)

PLAN(training, "A training plan.");
PLAN(inference, "An inference plan.");

static const struct field plan_rows[] = {
	MERGE_SELF(plan_about),
	JSON(request, "What was understood: a training_request or an inference_request, by `kind`", .flags = READ_ONLY),
	JSON(result, "The answer: a training_result or an inference_result, by `kind`", .flags = READ_ONLY),
	JSON_OF(changes, plan_changes, "Of a refresh: what changed, and why"),
	VERIFIED,
	MERGE_SELF(computed),
};
TABLE(plan, plan_rows, "A plan of either kind.");

static const struct field plan_summary_rows[] = {MERGE_SELF(plan_about), MERGE_SELF(computed)};
TABLE(plan_summary, plan_summary_rows, "A plan without what was asked and answered.");

static const struct field plan_patch_rows[] = {
	TEXT(name, 200, "A name", .example = "\"night run\""),
	LABELS(labels, "Texts by key; null removes one"),
	TEXT(notes, 10000, "Notes", .flags = MULTILINE),
};
TABLE(plan_patch, plan_patch_rows, "What of a plan may be changed (RFC 7396: null removes).");
#undef OF

DECLARE_TABLE(comparison_cell, struct comparison_cell);
#define OF struct comparison_cell
static const struct field comparison_cell_rows[] = {
	VALUE_AS(value, number, text, "Absent: that plan has none"),
	BOOL(best, "Whether it is the best of its row"),
};
TABLE(comparison_cell, comparison_cell_rows, "A plan's value.");
#undef OF

DECLARE_TABLE(comparison_row, struct comparison_row);
#define OF struct comparison_row
static const struct field comparison_row_rows[] = {
	TEXT(title, 200, "For reading"),
	TEXT(figure, 500, "Path inside the recommended option; of a difference, a JSON pointer into the request"),
	TEXT(better, 8, "`less` or `more`; absent: neither is better"),
	LIST(values, 16, comparison_cell, "One for each plan, in their order", .flags = READ_ONLY),
};
TABLE(comparison_row, comparison_row_rows, "A figure of all plans.");
#undef OF

#define OF struct plan_comparison
static const struct field plan_comparison_rows[] = {
	LIST(items, 16, plan, "The plans, in the order asked for", .flags = READ_ONLY),
	LIST(rows, 64, comparison_row, "What they recommend, a figure each", .flags = READ_ONLY),
	LIST(differences, 30, comparison_row, "What was asked of them differently", .flags = READ_ONLY),
	TEXTS(notes, 8, "What to mind: different catalogues, planners, kinds, models", .flags = READ_ONLY),
};
TABLE(plan_comparison, plan_comparison_rows, "Plans side by side.");
#undef OF
