/* What was measured of plans: verifications by benchmarks, and what real jobs achieved. */
#include "api/tables/shared.h"

const char *const verification_words[VERIFICATION_VERDICT_COUNT] = {
	[VERIFICATION_CONFIRMED] = "confirmed", [VERIFICATION_ADJUSTED] = "adjusted", [VERIFICATION_REFUTED] = "refuted"};

#define OF struct verification_term
static const struct field term_rows[] = {
	TEXT(name, 32, "Term of the prediction: compute, attention, memory_bandwidth, launch_overhead, host_transfer, communication, input"),
	TEXT(unit, 32, "Of both figures"),
	FIGURE(predicted, "What the plan counts on"),
	FIGURE(measured, "What was measured"),
	FIGURE(ratio, "Of times, measured over predicted: above 1 it is slower"),
};
DECLARE_TABLE(verification_term, struct verification_term);
TABLE(verification_term, term_rows, "A term of a plan's prediction beside its measurement.");
#undef OF

#define OF struct verification_replan
static const struct field replan_rows[] = {
	FIGURE(gpu_count, "Accelerators with what was measured"),
	FIGURE(gpu_count_change, "More than the plan has"),
	FIGURE(usd, "Cost with what was measured: of the training, or of a month of the service"),
	FIGURE(usd_change, "More than the plan says"),
};
DECLARE_TABLE(verification_replan, struct verification_replan);
TABLE(verification_replan, replan_rows, "The plan, planned again.");
#undef OF

#define OF struct verification
static const struct field verification_rows[] = {
	TEXT(benchmark_id, 36, "Benchmark that measured", .form = FORM_UUID),
	TEXT(accelerator, 64, "Accelerator that was measured"),
	TEXT(device, 128, "Device that was measured"),
	TIME_AS(measured_at, measured_at_us, "When"),
	TEXT(what, 32, "What is compared: block (a transformer block's step at true width), or products (the plan's own, as often as a step has each)"),
	FIGURE(predicted_s, "Predicted by the plan's equations for exactly that"),
	FIGURE(measured_s, "Measured"),
	FIGURE(ratio, "Measured over predicted"),
	CHOICE(verdict, verification_words, "confirmed: 0.9 to 1.1; adjusted: 0.75 to 1.33; refuted: beyond", .flags = READ_ONLY),
	TEXT(dominant, 32, "Term with the largest |log ratio|, unless it is confirmed"),
	LIST(terms, VERIFICATION_TERMS_MAX, verification_term, "Terms of the prediction, as far as both figures are known", .flags = READ_ONLY),
	FIGURE(calibrated_s, "Predicted once more, with what this benchmark calibrated"),
	FIGURE(calibrated_ratio, "Measured over that"),
	OBJECT_IF(replanned, has_replanned, verification_replan, "The plan with what was measured, unless it is confirmed"),
	TEXT(not_replanned, 360, "Why it was not planned again, where it is not confirmed"),
};
TABLE(verification, verification_rows, "A plan's prediction beside a benchmark.");
#undef OF

/* As text: without the enum's unset one. */
#define STACK_NAMES .words = &stack_words[1], .word_count = STACK_COUNT - 1

#define STEP_TIME    POSITIVE(step_time_s, 1e6, "Mean time of an optimizer step", .example = "2.4")
#define TOKENS_RATE  POSITIVE(tokens_per_s, 1e15, "Mean tokens per second of the whole job")
#define MEAN_W       POSITIVE(mean_gpu_w, 1e5, "Mean power of an accelerator")
#define WALL_HOURS        POSITIVE(hours, 1e6, "Wall clock of the whole job, with its restarts and evaluation")
#define KWH          POSITIVE(total_kwh, 1e12, "Energy of the whole job")
#define USD          POSITIVE(total_usd, 1e12, "What the whole job cost")
#define GPU_COUNT    INTEGER(gpu_count, 1, 10000000, "Accelerators that it ran on")

#define OF struct observation_record
static const struct field observation_request_rows[] = {
	TEXT(plan_id, 36, "Plan of the job", .form = FORM_UUID, .flags = REQUIRED),
	STEP_TIME, TOKENS_RATE, MEAN_W, WALL_HOURS, KWH, USD, GPU_COUNT,
	TEXT(stack, 64, "Software, where it was another than the plan's", STACK_NAMES),
	TEXT(stack_release, 7, "Year and month of that software", .form = FORM_MONTH),
	LABELS(labels, "Labels, to find it again by"),
	TEXT(notes, 10000, "Notes", .flags = MULTILINE),
};
TABLE(observation_request, observation_request_rows, "What a real job achieved against its plan: of its steps, or of the whole run (hours), or both.");

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
TABLE(observation_prediction, prediction_rows, "What a plan had predicted when a job reported.");
#undef OF

#define OF struct observation_record
static const struct field observation_rows[] = {
	TEXT(id, 36, "UUIDv7", .form = FORM_UUID),
	TIME_AS(created_at, created_at_us, "When it was reported"),
	TEXT(plan_id, 36, "Plan of the job", .form = FORM_UUID),
	TEXT(accelerator, 64, "Accelerator of the plan"),
	STEP_TIME, TOKENS_RATE, MEAN_W, WALL_HOURS, KWH, USD, GPU_COUNT,
	TEXT(stack, 64, "Software", STACK_NAMES),
	TEXT(stack_release, 7, "Year and month of that software", .form = FORM_MONTH),
	LABELS(labels, "Labels, to find it again by"),
	TEXT(notes, 10000, "Notes", .flags = MULTILINE),
	OBJECT(predicted, observation_prediction, "What the plan had predicted"),
	FIGURE(ratio, "Observed over predicted time of a step"),
	FIGURE(stack_speed, "Speed of the software beside what is predicted of it without any observation"),
	TRUTH(used, "Whether plans with its software on its accelerator go by it now: five that agree, from two plans, do"),
	TEXT(unused_because, 240, "Why not"),
	FIGURE(practice, "Of a whole run: observed hours over those of its plan's steps and failures (E134)"),
	FIGURE(practice_expected, "What published runs let expect of such a plan (E131)"),
	TRUTH(practice_used, "Of a whole run: whether plans go by its hours now; of several reports of one plan the newest counts"),
	TEXT(practice_unused_because, 240, "Why not"),
};
TABLE(observation, observation_rows, "What a real job achieved, beside what its plan had predicted.");
#undef OF

#define OF struct observation_query
static const struct field observation_query_rows[] = {
	MERGE(page, page_query),
	TEXT(plan_id, 36, "Of this plan", .form = FORM_UUID),
	TEXT(accelerator, 128, "On this accelerator, by its id"),
	TEXT(stack, 64, "With this software", STACK_NAMES),
};
TABLE(observation_query, observation_query_rows, "Which observations.");
#undef OF
