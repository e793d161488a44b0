/* Measurements of plans: verifications by benchmarks, and the figures of real jobs. */
#include "api/tables/shared.h"

const char *const verification_words[VERIFICATION_VERDICT_COUNT] = {
	[VERIFICATION_CONFIRMED] = "confirmed", [VERIFICATION_ADJUSTED] = "adjusted", [VERIFICATION_REFUTED] = "refuted"};

#define OF struct verification_term
static const struct field term_rows[] = {
	TEXT(name, 32, "Term of the prediction: compute, attention, memory_bandwidth, launch_overhead, host_transfer, communication, input"),
	TEXT(unit, 32, "Unit of both figures"),
	FIGURE(predicted, "Value in the plan"),
	FIGURE(measured, "Measured value"),
	FIGURE(ratio, "Ratio of times, measured over predicted; above 1: slower than planned"),
};
DECLARE_TABLE(verification_term, struct verification_term);
TABLE(verification_term, term_rows, "A term of a plan's prediction, compared with its measurement.");
#undef OF

#define OF struct verification_replan
static const struct field replan_rows[] = {
	FIGURE(gpu_count, "Number of accelerators with the measured figures"),
	FIGURE(gpu_count_change, "Change of the number of accelerators"),
	FIGURE(usd, "Cost with the measured figures: of the training, or of one month of the service"),
	FIGURE(usd_change, "Change of the cost"),
};
DECLARE_TABLE(verification_replan, struct verification_replan);
TABLE(verification_replan, replan_rows, "The plan computed again with the measured figures.");
#undef OF

#define OF struct verification
static const struct field verification_rows[] = {
	TEXT(benchmark_id, 36, "Id of the benchmark", .form = FORM_UUID),
	TEXT(accelerator, 64, "Accelerator that was measured"),
	TEXT(device, 128, "Device that was measured"),
	TIME_AS(measured_at, measured_at_us, "Time of the measurement"),
	TEXT(what, 32,
		"What is compared: block (one step of a transformer block at its true width), or products (the plan's own matrix products, each as often as in a step)"),
	FIGURE(predicted_s, "Time that the plan's equations predict for exactly this work"),
	FIGURE(measured_s, "Measured time"),
	FIGURE(ratio, "Measured over predicted time"),
	CHOICE(verdict, verification_words, "confirmed: 0.9 to 1.1; adjusted: 0.75 to 1.33; refuted: beyond", .flags = READ_ONLY),
	TEXT(dominant, 32, "Term with the largest |log ratio|; absent if the plan is confirmed"),
	LIST(terms, VERIFICATION_TERMS_MAX, verification_term, "Terms of the prediction for which both figures are known", .flags = READ_ONLY),
	FIGURE(calibrated_s, "Time predicted with the calibrations of this benchmark"),
	FIGURE(calibrated_ratio, "Measured time over calibrated_s"),
	OBJECT_IF(replanned, has_replanned, verification_replan, "The plan with the measured figures; absent if the plan is confirmed"),
	TEXT(not_replanned, 360, "Reason why the plan was not planned again, if it is not confirmed"),
};
TABLE(verification, verification_rows, "A plan's prediction, compared with a benchmark.");
#undef OF

/* The words as text, without the enum's unset value. */
#define STACK_NAMES .words = &stack_words[1], .word_count = STACK_COUNT - 1

#define STEP_TIME   POSITIVE(step_time_s, 1e6, "Mean time of an optimizer step", .example = "2.4")
#define TOKENS_RATE POSITIVE(tokens_per_s, 1e15, "Mean throughput of the whole job")
#define MEAN_W      POSITIVE(mean_gpu_w, 1e5, "Mean power of an accelerator")
#define WALL_HOURS  POSITIVE(hours, 1e6, "Wall clock of the whole job, restarts and evaluation included")
#define KWH         POSITIVE(total_kwh, 1e12, "Energy of the whole job")
#define USD         POSITIVE(total_usd, 1e12, "Cost of the whole job")
#define GPU_COUNT   INTEGER(gpu_count, 1, 10000000, "Number of accelerators of the job")

#define OF struct observation_record
static const struct field observation_request_rows[] = {
	TEXT(plan_id, 36, "Plan of the job", .form = FORM_UUID, .flags = REQUIRED),
	STEP_TIME,
	TOKENS_RATE,
	MEAN_W,
	WALL_HOURS,
	KWH,
	USD,
	GPU_COUNT,
	TEXT(stack, 64, "Training software, if it differs from the plan's", STACK_NAMES),
	TEXT(stack_release, 7, "Year and month of that software", .form = FORM_MONTH),
	LABELS(labels, "Labels, to find the observation"),
	TEXT(notes, 10000, "Notes", .flags = MULTILINE),
};
TABLE(observation_request, observation_request_rows,
	"The figures of a real job with a plan: of its steps, of the whole run (hours), or of both.");

DECLARE_TABLE(observation_prediction, MEMBER_TYPE(struct observation_record, predicted));
#undef OF
#define OF MEMBER_TYPE(struct observation_record, predicted)
static const struct field prediction_rows[] = {
	FIGURE(step_time_s, "Time of an optimizer step"),
	FIGURE(tokens_per_s, "Tokens per second"),
	FIGURE(mean_gpu_w, "Power of an accelerator"),
	FIGURE(hours, "Wall clock"),
	FIGURE(total_kwh, "Energy"),
	FIGURE(total_usd, "Cost"),
};
TABLE(observation_prediction, prediction_rows, "The figures that the plan predicted at the time of the report.");
#undef OF

#define OF struct observation_record
static const struct field observation_rows[] = {
	TEXT(id, 36, "UUIDv7", .form = FORM_UUID, .always = true),
	TIME_AS(created_at, created_at_us, "Time of the report", .always = true),
	TEXT(plan_id, 36, "Plan of the job", .form = FORM_UUID),
	TEXT(accelerator, 64, "Accelerator of the plan"),
	STEP_TIME,
	TOKENS_RATE,
	MEAN_W,
	WALL_HOURS,
	KWH,
	USD,
	GPU_COUNT,
	TEXT(stack, 64, "Software", STACK_NAMES),
	TEXT(stack_release, 7, "Year and month of that software", .form = FORM_MONTH),
	LABELS(labels, "Labels, to find the observation"),
	TEXT(notes, 10000, "Notes", .flags = MULTILINE),
	OBJECT(predicted, observation_prediction, "Figures that the plan predicted"),
	FIGURE(ratio, "Observed over predicted step time"),
	FIGURE(stack_speed, "Speed of the software, relative to its prediction without any observation"),
	TRUTH(used, "Whether plans with this software on this accelerator use it now; they do once five observations from two plans agree"),
	TEXT(unused_because, 240, "Reason why plans do not use it"),
	FIGURE(practice, "Whole run: observed hours over the hours that the plan predicts for steps and failures (E134)"),
	FIGURE(practice_expected, "Value that published runs predict for such a plan (E131)"),
	TRUTH(practice_used, "Whole run: whether plans use its hours now; of several reports of one plan only the newest counts"),
	TEXT(practice_unused_because, 240, "Reason why plans do not use its hours"),
};
TABLE(observation, observation_rows, "The figures of a real job, compared with its plan's prediction.");
#undef OF

#define OF struct observation_query
static const struct field observation_query_rows[] = {
	MERGE(page, page_query),
	TEXT(plan_id, 36, "Observations of this plan", .form = FORM_UUID),
	TEXT(accelerator, 128, "Observations on this accelerator, by its id"),
	TEXT(stack, 64, "Observations with this software", STACK_NAMES),
};
TABLE(observation_query, observation_query_rows, "Filters of observations.");
#undef OF
