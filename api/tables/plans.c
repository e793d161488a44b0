/* Estimates and plans: the request, the answer, and the versions that it was computed with. */
#include "api/tables/shared.h"

#define OF struct plan_record
static const struct field computed_rows[] = {
	INTEGER(catalogue_revision, 0, 9e15, "Revision of the catalogue used", .always = true),
	INTEGER(calibration_revision, 0, 9e15, "Revision of the calibrations used", .always = true),
	TEXT(planner_version, 64, "Version of the planner", .always = true),
	TIME_AS(computed_at, computed_at_us, "Time of the computation", .always = true),
};
DECLARE_TABLE(computed, struct plan_record);
TABLE(computed, computed_rows, "The versions that an answer was computed with.");

static const struct field plan_about_rows[] = {
	TEXT(id, 36, "UUIDv7", .form = FORM_UUID, .always = true),
	WORD(kind, plan_kind_words, "Kind of plan", .always = true),
	TEXT(name, 200, "Name"),
	LABELS(labels, "Labels: pairs of key and text"),
	TEXT(notes, 10000, "Notes", .flags = MULTILINE),
	TEXT(model, 128, "Model"),
	TEXT(accelerator, 128, "Accelerator of the recommended option"),
	TIME_AS(created_at, created_at_us, "Creation time", .always = true),
	TIME_AS(updated_at, updated_at_us, "Time of the last change", .always = true),
	INTEGER(revision, 1, 9e15, "Revision of the plan; every change raises it; the ETag", .always = true),
};
DECLARE_TABLE(plan_about, struct plan_record);
TABLE(plan_about, plan_about_rows, "Identity, name, labels and notes of a plan.");

#define KIND TEXT(kind, 16, "Kind of estimate", .always = true)

#define ESTIMATE(name, doc) \
	static const struct field name##_estimate_rows[] = {KIND, \
		JSON_OF(request, name##_request, "The request as the planner read it: names resolved, numbers without suffixes", .always = true), \
		JSON_OF(result, name##_result, "The answer", .always = true), MERGE_SELF(computed)}; \
	TABLE(name##_estimate, name##_estimate_rows, doc)

ESTIMATE(training, "The estimate of a training; it is not stored.");
ESTIMATE(inference, "The estimate of a service; it is not stored.");
ESTIMATE(performance, "The estimate of one replica's performance.");
ESTIMATE(memory, "The estimate of a model's memory.");
ESTIMATE(scaling, "The estimate by scaling laws.");
ESTIMATE(carbon, "The estimate of energy, carbon and water.");
ESTIMATE(schedule, "The schedule of a job.");

static const struct field diagnosis_rows[] = {KIND,
	JSON_OF(request, diagnosis_request, "The request as the planner read it; for a trace, its query parameters", .always = true),
	JSON_OF(result, diagnosis_result, "The answer", .always = true), MERGE_SELF(computed)};
TABLE(diagnosis, diagnosis_rows, "The bottleneck of a training, and the verdict on its loss curve.");

#undef OF

DECLARE_TABLE(plan_figures, struct plan_figures);
#define OF struct plan_figures
static const struct field plan_figures_rows[] = {
	TEXT(accelerator, 128, "Accelerator"),
	TEXT(offer, 300, "Offer used for the price"),
	INTEGER(gpu_count, 0, 9e15, "Number of accelerators"),
	FIGURE(hours, "Wall clock of a training"),
	FIGURE(usd_per_gpu_hour, "Price of an accelerator-hour"),
	FIGURE(usd, "Cost; for inference, of a month"),
	FIGURE(kwh, "Energy; for inference, of a month"),
	FIGURE(kgco2e, "Carbon; for inference, of a month"),
};
TABLE(plan_figures, plan_figures_rows, "Figures of a plan's recommended option.");
#undef OF

DECLARE_TABLE(plan_cause, struct plan_cause);
#define OF struct plan_cause
static const struct field plan_cause_rows[] = {
	TEXT(cause, 32, "Cause of the change: the planner, or a kind of catalogue row"),
	TEXT(detail, 1000, "Rows that changed"),
	FIGURE(change_gpus, "Change of the number of accelerators"),
	FIGURE(change_hours, "Change of the hours"),
	FIGURE(change_usd, "Change of the cost; for inference, of a month"),
	FIGURE(change_kwh, "Change of the energy"),
	FIGURE(change_kgco2e, "Change of the carbon"),
};
TABLE(plan_cause, plan_cause_rows, "A cause, and the changes that it adds after the causes before it.");
#undef OF

#define OF struct plan_changes
static const struct field plan_changes_rows[] = {
	TIME_AS(since, since_us, "Time of the previous computation"),
	BOOL(reproduced, "Whether the old catalogue still gives the old answer, to the bit"),
	TEXT(difference, 400, "First difference, if the old answer is not reproduced"),
	OBJECT(before, plan_figures, "The recommendation before"),
	OBJECT(after, plan_figures, "The recommendation now"),
	ARRAY_AS(causes, causes, cause_count, plan_cause, "Causes of the changes; their changes add up to after less before"),
};
TABLE(plan_changes, plan_changes_rows, "The changes of a refresh, and their causes.");
#undef OF

DECLARE_TABLE(json_difference, struct json_difference);
#define OF struct json_difference
static const struct field json_difference_rows[] = {
	TEXT(pointer, 500, "JSON pointer of the value in the plan", .always = true),
	TEXT(before, 300, "Stored value; absent: none"),
	TEXT(after, 300, "Value computed now; absent: none"),
};
TABLE(json_difference, json_difference_rows, "A value that differs from the stored one.");
#undef OF

#define OF struct plan_replay
static const struct field plan_replay_rows[] = {
	TEXT(id, 36, "Id of the plan", .form = FORM_UUID, .always = true),
	WORD(kind, plan_kind_words, "Kind of plan", .always = true),
	INTEGER(revision, 1, 9e15, "Revision of the plan", .always = true),
	INTEGER(catalogue_revision, 0, 9e15, "Revision of the catalogue, the same in both computations", .always = true),
	INTEGER(calibration_revision, 0, 9e15, "Revision of the calibrations, the same in both computations", .always = true),
	TEXT(planner_version, 64, "Planner version of the stored answer"),
	TEXT(planner_version_now, 64, "Planner version of the new computation", .always = true),
	TIME_AS(computed_at, computed_at_us, "Time of the computation", .always = true),
	BOOL(reproduced, "Whether the answers are equal to the bit, except for the duration of the search"),
	INTEGER(differing, 0, 9e15, "Number of values that differ", .always = true),
	ARRAY_AS(differences, differences, difference_count, json_difference, "The first 20 of these values"),
};
TABLE(plan_replay, plan_replay_rows, "A stored plan, computed again with its own revisions.");
#undef OF

#define OF struct plan_record
#define VERIFIED \
	JSON_OF(verification, verification, "Comparison of the plan with its newest benchmark"), \
		JSON_LIST_OF(observations, observation, "Reports of real jobs, newest first")

#define PLAN(name, doc) \
	static const struct field name##_plan_rows[] = {MERGE_SELF(plan_about), \
		JSON_OF(request, name##_request, "The request as the planner read it: names resolved, numbers without suffixes", .always = true), \
		JSON_OF(result, name##_result, "The answer", .always = true), \
		JSON_OF(changes, plan_changes, "Changes of a refresh, and their causes"), VERIFIED, MERGE_SELF(computed)}; \
	TABLE(name##_plan, name##_plan_rows, doc)

PLAN(training, "A training plan.");
PLAN(inference, "An inference plan.");

static const struct field plan_rows[] = {
	MERGE_SELF(plan_about),
	JSON(request, "The request as the planner read it: a training_request or an inference_request, by `kind`", .flags = READ_ONLY,
		.always = true),
	JSON(result, "The answer: a training_result or an inference_result, by `kind`", .flags = READ_ONLY, .always = true),
	JSON_OF(changes, plan_changes, "Changes of a refresh, and their causes"),
	VERIFIED,
	MERGE_SELF(computed),
};
TABLE(plan, plan_rows, "A plan of either kind.");

static const struct field plan_summary_rows[] = {MERGE_SELF(plan_about),
	JSON(summary, "The answer in a few sentences, and its figures: the result's `summary`. Absent: the plan was computed by an older version",
		.flags = READ_ONLY),
	MERGE_SELF(computed)};
TABLE(plan_summary, plan_summary_rows, "A plan without its request and result. With `fields` it has only the named members.",
	.selected = true);

static const struct field plan_patch_rows[] = {
	TEXT(name, 200, "Name", .example = "\"night run\""),
	LABELS(labels, "Labels: pairs of key and text; null removes one"),
	TEXT(notes, 10000, "Notes", .flags = MULTILINE),
};
TABLE(plan_patch, plan_patch_rows, "Fields of a plan that may be changed (RFC 7396: null removes).");
#undef OF

DECLARE_TABLE(comparison_cell, struct comparison_cell);
#define OF struct comparison_cell
static const struct field comparison_cell_rows[] = {
	VALUE_AS(value, number, text, "Value; absent: the plan has none"),
	BOOL(best, "Whether the value is the best of its row"),
};
TABLE(comparison_cell, comparison_cell_rows, "The value of one plan.");
#undef OF

DECLARE_TABLE(comparison_row, struct comparison_row);
#define OF struct comparison_row
static const struct field comparison_row_rows[] = {
	TEXT(title, 200, "Title for people", .always = true),
	TEXT(figure, 500, "Path in the recommended option; for a difference, a JSON pointer into the request", .always = true),
	TEXT(better, 8, "`less` or `more`; absent: neither is better"),
	LIST(values, 16, comparison_cell, "One value for each plan, in the plans' order", .flags = READ_ONLY),
};
TABLE(comparison_row, comparison_row_rows, "One figure of all plans.");
#undef OF

#define OF struct plan_comparison
static const struct field plan_comparison_rows[] = {
	LIST(items, 16, plan, "The plans, in the requested order", .flags = READ_ONLY, .always = true),
	LIST(rows, 64, comparison_row, "Figures of the recommended options, one in each row", .flags = READ_ONLY),
	LIST(differences, 30, comparison_row, "Request fields that differ between the plans", .flags = READ_ONLY),
	TEXTS(notes, 8, "Differences that limit the comparison: catalogues, planners, kinds, models", .flags = READ_ONLY),
};
TABLE(plan_comparison, plan_comparison_rows, "A comparison of plans.");
#undef OF
