/* POST /v1/diagnoses: what limits a running training, what to change, what that saves, and what its loss curve shows.
 *
 * It takes three inputs: measured timings of a step (E81-E83), a profiler's trace (E80, planner/diagnosis/trace.h, which
 * turns it into timings), and a training log (E84-E89). Pure data; absent members as in given.h. Times are milliseconds
 * a step. */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_DIAGNOSIS_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_DIAGNOSIS_H

#include "base/failure.h"
#include "planner/plan/training.h"

enum diagnosis_kind {
	DIAGNOSIS_UNSET,
	DIAGNOSIS_COMPUTE,
	DIAGNOSIS_MEMORY,
	DIAGNOSIS_MEMORY_BANDWIDTH,
	DIAGNOSIS_INTERCONNECT,
	DIAGNOSIS_PIPELINE_BUBBLE,
	DIAGNOSIS_INPUT,
	DIAGNOSIS_HOST_TRANSFER,
	DIAGNOSIS_LAUNCH_OVERHEAD,
	DIAGNOSIS_DEVICE_WAIT,
	DIAGNOSIS_IDLE,
	DIAGNOSIS_KIND_COUNT
};

/* A measured step. Indented members are parts of the one above them; the others do not overlap, except communication
 * and copies, of which only the exposed part (nothing computes meanwhile) adds to the step. */
struct step_timings {
	double step_time_ms;
	double compute_ms;
	double memory_bandwidth_ms; /* kernels that wait for memory: element-wise, norms, reductions */
	double recompute_ms;        /* activations computed again in the backward pass */
	double optimizer_ms;
	double communication_ms;
	double exposed_communication_ms;
	double host_to_device_ms;
	double exposed_host_to_device_ms;
	double other_copies_ms; /* exposed copies on the device or back to the host */
	double data_wait_ms, launch_gap_ms, pipeline_bubble_ms;
	double device_wait_ms; /* work is issued and the accelerator waits: for another stream, a copy, another rank */
	double idle_ms;        /* the rest of the step: returned, not read from the request */
};

/* Figures that turn saved time into hours and money; each may be absent. */
struct diagnosis_context {
	int64_t gpu_count;
	double usd_per_gpu_hour, steps_remaining;
};

/* A log as columns. validation_loss has its own steps where it was not measured at each step. */
struct training_log {
	struct number_list step, loss, validation_step, validation_loss, learning_rate, gradient_norm;
};

struct log_row {
	double step, loss, validation_loss, learning_rate, gradient_norm;
};

struct log_rows {
	struct log_row *items;
	size_t count;
};

struct traced_run;

/* A stored plan as the prediction: its recommended option, for the request that `training` then holds. */
struct stored_plan {
	int64_t revision;
	struct training_option option;
};

struct diagnosis_request {
	struct step_timings timings;
	struct training_log training_log;
	struct log_rows training_log_rows; /* the same as rows */
	double steps_planned;              /* the step at which the training ends */
	double usd_per_step, usd_per_percent_max;
	struct diagnosis_context context;
	struct training_request training; /* of this run, to compare with; without a model: none */
	const char *plan_id;              /* of a stored plan to compare with */
	const struct stored_plan *stored; /* that plan; NULL: none */
	struct json_text trace;           /* beside these: as received, without its events; the answer has its length and digest */
	const struct traced_run *traced;  /* the parsed events; NULL: none */
};

struct lever {
	const char *code;
	enum diagnosis_kind kind;
	char detail[240];
	double step_time_ms; /* with the lever applied */
	double saved_ms, saved_share, saved_hours, saved_usd;
	double change_hours, change_usd, change_gb; /* of the whole plan, planned again; absent where it was not */
};

enum { LEVERS_MAX = 48, COMPARED_MAX = 12, LOG_FINDINGS_MAX = 8 };

/* The planned step, beside the measured one. */
struct predicted_step {
	const char *accelerator;
	int64_t gpu_count, revision; /* revision: of the stored plan */
	struct interval step_time_ms;
	struct bottleneck_use bottleneck;
	double ratio;             /* measured over predicted step time */
	enum truth within;        /* the measured step is between p10 and p90 */
	const char *differs_most; /* the part farthest from its prediction; NULL: no part was measured, or none differs */
	double differs_ms;        /* measured less predicted */
	char detail[240];
};

struct compared_part {
	const char *part;
	double measured_ms, predicted_ms, ratio; /* measured over predicted */
};

/* --- the answer about a training log -------------------------------------------------------------------------- */
enum log_verdict {
	LOG_UNSET,
	LOG_IMPROVING,
	LOG_DIVERGING,
	LOG_OVERFITTING,
	LOG_OSCILLATING,
	LOG_STALLED,
	LOG_TOO_SLOW,
	LOG_VERDICT_COUNT
};

struct log_finding {
	enum log_verdict kind;
	double step; /* the first step that it concerns */
	char detail[320];
};

struct log_diagnosis {
	enum log_verdict verdict;
	size_t rows;
	double last_step, last_loss; /* smoothed */
	double best_step, best_loss; /* lowest smoothed training loss */
	double best_validation_step, best_validation_loss;
	double noise_share; /* robust spread of the loss around its trend, over the loss */
	double swing_share; /* p10 to p90 around the trend, over the loss */
	double slope_share; /* change of the trend over the last third of the steps, over the loss */
	struct {
		double loss_limit, amplitude, offset_steps, exponent; /* E84; absent: no curve fits */
		double residual_share;
	} fit;
	struct interval loss_limit;                /* E85 */
	struct interval loss_final;                /* at steps_planned */
	double steps_per_percent, usd_per_percent; /* E89: of the next hundredth; absent where the curve does not reach it */
	double stop_step;                          /* E89: from this step a further hundredth costs more than usd_per_percent_max */
	size_t finding_count;
	struct log_finding findings[LOG_FINDINGS_MAX];
};

/* --- the answer about a trace ---------------------------------------------------------------------------------- */
enum { TRACE_STEPS_MAX = 1024 };

struct traced_step {
	double step;
	struct step_timings timings;
};

struct trace_summary {
	enum truth cpu_only;
	double events, kernels, copies, streams, devices, window_ms;
	double host_to_device_bytes, host_to_device_gbs, pageable_share; /* of the bytes */
	double synchronisation_ms;                                       /* of a step, in calls that wait for the device */
	double launches_matched;   /* kernels and copies whose launch calls are in the trace too; for these: */
	double launch_to_start_us; /* mean time from the call's return to the start */
	double rank, world_size;
	char backend[32], device_name[96];
	size_t step_count;
	struct traced_step steps[TRACE_STEPS_MAX];
};

struct traced_run {
	struct trace_summary summary;
	struct step_timings mean;
};

struct diagnosis {
	const char *source; /* timings, trace, training_log */
	struct step_timings timings;
	struct {
		enum diagnosis_kind kind;
		double shares[DIAGNOSIS_KIND_COUNT];
	} bottleneck;
	double efficiency; /* computing and update, without recomputation, over the step */
	size_t lever_count;
	struct lever levers[LEVERS_MAX];
	size_t compared_count;
	struct compared_part compared[COMPARED_MAX];
	bool has_step, has_trace, has_log, has_prediction;
	struct predicted_step prediction;
	struct trace_summary trace;
	struct log_diagnosis training_log;
	struct findings findings;
};

/* E81, E82. Completes the timings (idle, exposed parts, a missing step time), and finds what limits the step.
 * Given:    timings, ms, >= 0; absent members as absent.
 * Returned: diagnosis->timings, bottleneck, efficiency; shares of the step, which sum to 1. INVALID when nothing was
 *           measured or the parts exceed the step by more than 2 %.
 * Case:     tests/planner/golden/diagnosis.txt (E81, E82). */
FALLIBLE enum status diagnose_timings(const struct step_timings *timings, struct diagnosis *diagnosis, struct failure *failure);

/* Returns the diagnosed step in the planner's terms, in s, for training_input.measured; unmeasured parts are absent. */
struct measured_step diagnose_measured(const struct diagnosis *diagnosis);

/* Compares the diagnosed step with the predicted one, part by part, and names the part that differs most. Given: the
 * planned option; its step, interval of the step, bottleneck, accelerator and number are read. */
void diagnose_compare(const struct training_option *predicted, struct diagnosis *diagnosis);

/* E83. Computes what each lever saves: from the timings alone, and from planning again with the change.
 * Given:    context; planned: findings of the same training, planned with diagnose_measured() (NULL: none); diagnosis: a
 *           diagnosed step.
 * Returned: diagnosis->levers and advice; time in ms a step, hours, USD.
 * Case:     tests/planner/golden/diagnosis.txt (E83). */
void diagnose_levers(const struct diagnosis_context *context, const struct findings *planned, struct diagnosis *diagnosis);

/* E84-E89. Judges a training log.
 * Given:    request with training_log (rows are already turned into columns); room: working memory.
 * Returned: diagnosis->training_log, advice; INVALID when the columns differ in length, steps do not rise, or the log has
 *           fewer than 8 rows or more than 100,000.
 * Case:     tests/planner/test_training_log.c. */
struct log_room;
FALLIBLE enum status diagnose_log(
	const struct diagnosis_request *request, struct log_room *room, struct diagnosis *diagnosis, struct failure *failure);

#endif
