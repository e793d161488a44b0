/* POST /v1/diagnoses: what binds a running training, and what its loss curve says. */
#include "api/tables/shared.h"

static const char *const diagnosis_words[DIAGNOSIS_KIND_COUNT] = {[DIAGNOSIS_COMPUTE] = "compute",
	[DIAGNOSIS_MEMORY] = "memory",
	[DIAGNOSIS_MEMORY_BANDWIDTH] = "memory_bandwidth",
	[DIAGNOSIS_INTERCONNECT] = "interconnect",
	[DIAGNOSIS_PIPELINE_BUBBLE] = "pipeline_bubble",
	[DIAGNOSIS_INPUT] = "input",
	[DIAGNOSIS_HOST_TRANSFER] = "host_transfer",
	[DIAGNOSIS_LAUNCH_OVERHEAD] = "launch_overhead",
	[DIAGNOSIS_DEVICE_WAIT] = "device_wait",
	[DIAGNOSIS_IDLE] = "idle"};
static const char *const log_words[LOG_VERDICT_COUNT] = {[LOG_IMPROVING] = "improving", [LOG_TOO_SLOW] = "too_slow",
	[LOG_DIVERGING] = "diverging",
	[LOG_OVERFITTING] = "overfitting",
	[LOG_OSCILLATING] = "oscillating",
	[LOG_STALLED] = "stalled"};

/* --- request --------------------------------------------------------------------------------------------------- */
#define STEP_MS(member, ...) NUMBER(member, 0, 1e9, __VA_ARGS__)

DECLARE_TABLE(step_timings, struct step_timings);
#define OF struct step_timings
static const struct field step_timings_rows[] = {
	POSITIVE(step_time_ms, 1e9, "One optimizer step, from one's start to the next one's", .fallback = "the sum of the parts"),
	STEP_MS(compute_ms, "Forward and backward pass: some kernel computes"),
	STEP_MS(memory_bandwidth_ms, "Of compute_ms: kernels that wait for memory, such as element-wise ones, norms, reductions"),
	STEP_MS(recompute_ms, "Of compute_ms: activations computed again"),
	STEP_MS(optimizer_ms, "Update of the weights, where it is not in compute_ms"),
	STEP_MS(communication_ms, "Communication between accelerators, hidden or not"),
	STEP_MS(exposed_communication_ms, "Of communication_ms: nothing computes meanwhile", .fallback = "what the step has room for"),
	STEP_MS(host_to_device_ms, "Copies to the accelerator, hidden or not"),
	STEP_MS(exposed_host_to_device_ms, "Of host_to_device_ms: nothing computes meanwhile", .fallback = "what the step has room for"),
	STEP_MS(other_copies_ms, "Other copies while nothing computes: on the accelerator, or back"),
	STEP_MS(data_wait_ms, "The step waits for its samples"),
	STEP_MS(launch_gap_ms, "The accelerator waits for the host to issue kernels"),
	STEP_MS(device_wait_ms, "Kernels are issued and the accelerator rests all the same: it waits for another stream, a copy or another rank"),
	STEP_MS(pipeline_bubble_ms, "A pipeline stage waits for another"),
	STEP_MS(idle_ms, "What is left of the step", .flags = READ_ONLY),
};
TABLE(step_timings, step_timings_rows, "Where the time of a step goes; what was not measured is left out.");
#undef OF

DECLARE_TABLE(training_log, struct training_log);
#define OF struct training_log
#define LOG_MOST 100000
static const struct field training_log_rows[] = {
	NUMBERS(step, LOG_MOST, 0, 1e15, "Steps, rising"),
	NUMBERS(loss, LOG_MOST, -1e30, 1e30, "Training loss at each"),
	NUMBERS(validation_step, LOG_MOST, 0, 1e15, "Steps at which the validation loss was taken", .fallback = "step"),
	NUMBERS(validation_loss, LOG_MOST, -1e30, 1e30, "Validation loss at each of these"),
	NUMBERS(learning_rate, LOG_MOST, 0, 1e6, "Learning rate at each step"),
	NUMBERS(gradient_norm, LOG_MOST, 0, 1e30, "Norm of the gradient at each step"),
};
TABLE(training_log, training_log_rows, "A training's log as columns of equal length.");
#undef OF

DECLARE_TABLE(log_row, struct log_row);
#define OF struct log_row
static const struct field log_row_rows[] = {
	NUMBER(step, 0, 1e15, "Step", .flags = REQUIRED),
	NUMBER(loss, -1e30, 1e30, "Training loss", .flags = REQUIRED),
	NUMBER(validation_loss, -1e30, 1e30, "Validation loss, where it was taken"),
	NUMBER(learning_rate, 0, 1e6, "Learning rate"),
	NUMBER(gradient_norm, 0, 1e30, "Norm of the gradient"),
};
TABLE(log_row, log_row_rows, "A row of a training's log.");
#undef OF

#define OF struct diagnosis_context
static const struct field diagnosis_context_rows[] = {
	INTEGER(gpu_count, 1, 1000000, "Accelerators of the training, for what a gain is worth"),
	POSITIVE(usd_per_gpu_hour, 1e4, "Price of one of them"),
	POSITIVE(steps_remaining, 1e15, "Steps that a gain is for"),
};
TABLE(diagnosis_query, diagnosis_context_rows, "What turns a gain into hours and money.");
#undef OF

#define OF struct diagnosis_request
static const struct field diagnosis_request_rows[] = {
	OBJECT(timings, step_timings, "A step as it was measured"),
	OBJECT(training_log, training_log, "The training's log as columns"),
	LIST(training_log_rows, LOG_MOST, log_row, "The same as rows"),
	POSITIVE(steps_planned, 1e15, "Where the training is to end: the loss there is predicted"),
	POSITIVE(usd_per_step, 1e9, "Price of a step; gpu_count x usd_per_gpu_hour x step_time_ms where these are there"),
	POSITIVE(usd_per_percent_max, 1e15, "The most that a further hundredth of the loss may cost"),
	JSON(trace, "A profiler's trace, an object with traceEvents; answered as {rows, sha256}"),
	TEXT(plan_id, 36, "A stored plan instead of training: its recommended option is what the measurement is held against, and levers are planned again on it", .form = FORM_UUID),
	OBJECT(training, training_request, "The plan of this training: what was measured is put beside what it predicts"),
	MERGE(context, diagnosis_query),
};
TABLE(diagnosis_request, diagnosis_request_rows,
	"A measured step, a training log, or both. A profiler's trace is a body of its own: see the operation.");
#undef OF

/* --- result ------------------------------------------------------------------------------------------------------ */
DECLARE_TABLE(diagnosis_bottleneck, MEMBER_TYPE(struct diagnosis, bottleneck));
#define OF MEMBER_TYPE(struct diagnosis, bottleneck)
static const struct field diagnosis_bottleneck_rows[] = {
	CHOICE(kind, diagnosis_words, "What takes most of the step"),
	SHARES(shares, diagnosis_words, "Shares of the step; their sum is 1"),
};
TABLE(diagnosis_bottleneck, diagnosis_bottleneck_rows, "What binds.");
#undef OF

DECLARE_TABLE(lever, struct lever);
#define OF struct lever
static const struct field lever_rows[] = {
	TEXT(code, 64, "Machine-readable name"),
	CHOICE(kind, diagnosis_words, "What it acts on"),
	CHARS(detail, "What to change"),
	FIGURE(step_time_ms, "The step afterwards, a sample's work being the same"),
	FIGURE(saved_ms, "What that saves, at most"),
	FIGURE(saved_share, "The same over the step"),
	FIGURE(saved_hours, "Over steps_remaining"),
	FIGURE(saved_usd, "Likewise, of gpu_count at usd_per_gpu_hour; where the lever was planned again, change_usd says it"),
	FIGURE(change_hours, "The whole plan with it less that without, as the measured step has it, from planning again; absent without a plan"),
	FIGURE(change_usd, "Its cost likewise"),
	FIGURE(change_gb, "Memory of the fullest accelerator likewise"),
};
TABLE(lever, lever_rows, "Something to change, and what it gains.");
#undef OF

DECLARE_TABLE(predicted_step, struct predicted_step);
#define OF struct predicted_step
static const struct field predicted_step_rows[] = {
	TEXT(accelerator, 128, "Accelerator that was planned with"),
	INTEGER(gpu_count, 1, 9e15, "How many of them"),
	INTEGER(revision, 1, 9e15, "Revision of the stored plan"),
	OBJECT(step_time_ms, interval, "The step that was planned"),
	OBJECT(bottleneck, bottleneck, "What was to bind, and its shares by kind"),
	FIGURE(ratio, "Measured over predicted step"),
	TRUTH(within, "The measured step lies between p10 and p90"),
	TEXT(differs_most, 64, "The part that is furthest from its prediction, in ms; absent where none is by 2 % of the step"),
	FIGURE(differs_ms, "Measured less predicted of it"),
	CHARS(detail, "The same in a sentence"),
};
TABLE(predicted_step, predicted_step_rows, "The step that was planned.");
#undef OF

DECLARE_TABLE(compared_part, struct compared_part);
#define OF struct compared_part
static const struct field compared_part_rows[] = {
	TEXT(part, 64, "Part of the step"),
	FIGURE(measured_ms, "As measured"),
	FIGURE(predicted_ms, "As planned"),
	FIGURE(ratio, "Measured over predicted"),
};
TABLE(compared_part, compared_part_rows, "A part of the step beside its prediction.");
#undef OF

DECLARE_TABLE(traced_step, struct traced_step);
#define OF struct traced_step
static const struct field traced_step_rows[] = {
	FIGURE(step, "Number of the step, as the profiler counts"),
	MERGE(timings, step_timings),
};
TABLE(traced_step, traced_step_rows, "A step of a trace.");
#undef OF

DECLARE_TABLE(trace_summary, struct trace_summary);
#define OF struct trace_summary
static const struct field trace_summary_rows[] = {
	TRUTH(cpu_only, "No accelerator appears in it: computing is what the CPU's operators take"),
	FIGURE(events, "Complete events read"),
	FIGURE(kernels, "Kernels among them"),
	FIGURE(copies, "Copies and fills among them"),
	FIGURE(streams, "Streams that kernels ran on; 64 and more are not told apart"),
	FIGURE(devices, "Accelerators that kernels ran on"),
	FIGURE(window_ms, "Time that is diagnosed"),
	FIGURE(host_to_device_bytes, "Bytes copied to the accelerator"),
	FIGURE(host_to_device_gbs, "Rate of these copies, 10^9 bytes/s"),
	FIGURE(pageable_share, "Share of those bytes that came from memory that is not pinned"),
	FIGURE(synchronisation_ms, "A step's time in calls that wait for the accelerator"),
	FIGURE(launches_matched, "Kernels and copies whose launch calls the trace holds too: by these, launch gaps are told from waits on the device"),
	FIGURE(launch_to_start_us, "Mean time from such a call's return to the start: below some 10 us the accelerator waits for the host, above it the host is ahead"),
	FIGURE(rank, "Rank of the process"),
	FIGURE(world_size, "Processes of the training"),
	CHARS(backend, "Communication library"),
	CHARS(device_name, "Accelerator, as the trace names it"),
	ARRAY_AS(steps, steps, step_count, traced_step, "Each step of the trace"),
};
TABLE(trace_summary, trace_summary_rows, "What a trace holds.");
#undef OF

DECLARE_TABLE(log_finding, struct log_finding);
#define OF struct log_finding
static const struct field log_finding_rows[] = {
	CHOICE(kind, log_words, "What it is"),
	FIGURE(step, "Since which step"),
	CHARS(detail, "What shows it"),
};
TABLE(log_finding, log_finding_rows, "Something that a log shows.");
#undef OF

DECLARE_TABLE(log_fit, MEMBER_TYPE(struct log_diagnosis, fit));
#define OF MEMBER_TYPE(struct log_diagnosis, fit)
static const struct field log_fit_rows[] = {
	FIGURE(loss_limit, "What the loss falls towards"),
	FIGURE(amplitude, "What falls off"),
	FIGURE(offset_steps, "Steps before the curve begins"),
	FIGURE(exponent, "How fast it falls"),
	FIGURE(residual_share, "What the curve leaves of one row's loss"),
};
TABLE(log_fit, log_fit_rows, "loss = loss_limit + amplitude x (step + offset_steps)^-exponent.");
#undef OF

DECLARE_TABLE(log_diagnosis, struct log_diagnosis);
#define OF struct log_diagnosis
static const struct field log_diagnosis_rows[] = {
	CHOICE(verdict, log_words, "The gravest of the findings, or that it is improving"),
	SIZE_AS(rows, rows, "Rows read"),
	FIGURE(last_step, "The last step"),
	FIGURE(last_loss, "Training loss there, smoothed"),
	FIGURE(best_step, "Where the smoothed training loss was lowest"),
	FIGURE(best_loss, "The loss there"),
	FIGURE(best_validation_step, "Where the smoothed validation loss was lowest"),
	FIGURE(best_validation_loss, "The validation loss there"),
	FIGURE(noise_share, "Spread of one row's loss from the next, over the loss"),
	FIGURE(swing_share, "Spread around the trend over the second half, p10 to p90, over the loss"),
	FIGURE(slope_share, "Change of the smoothed loss over the last third of the steps, over the loss"),
	OBJECT(fit, log_fit, "The curve that the loss follows; absent where none falls"),
	OBJECT(loss_limit, interval, "What the loss falls towards"),
	OBJECT(loss_final, interval, "The loss at steps_planned"),
	FIGURE(steps_per_percent, "Steps that the next hundredth of the loss takes; absent where it is never reached"),
	FIGURE(usd_per_percent, "What they cost at usd_per_step"),
	FIGURE(stop_step, "From this step on a further hundredth costs more than usd_per_percent_max"),
	ARRAY_AS(findings, findings, finding_count, log_finding, "What the log shows"),
};
TABLE(log_diagnosis, log_diagnosis_rows, "What a training log says.");
#undef OF

#define OF struct diagnosis
static const struct field diagnosis_result_rows[] = {
	TEXT(source, 32, "What was diagnosed: timings, trace or training_log"),
	OBJECT_IF(timings, has_step, step_timings, "Where the time of a step goes, complete; of a trace, the mean of its steps"),
	OBJECT_IF(bottleneck, has_step, diagnosis_bottleneck, "What binds"),
	FIGURE(efficiency, "Share of the step in which the accelerator does the training's own work"),
	ARRAY_AS(levers, levers, lever_count, lever, "What could be changed, the largest gain first; gains do not add up"),
	OBJECT_IF(prediction, has_prediction, predicted_step, "The step that was planned, where a plan stands beside the measurement"),
	ARRAY_AS(compared, compared, compared_count, compared_part, "The measured step beside the plan"),
	OBJECT_IF(trace, has_trace, trace_summary, "What the trace holds"),
	OBJECT_IF(training_log, has_log, log_diagnosis, "What the training log says"),
	MERGE(findings, findings),
};
TABLE(diagnosis_result, diagnosis_result_rows, "What binds a training, what to change, and what that gains.");
#undef OF
