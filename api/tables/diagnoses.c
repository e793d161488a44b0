/* POST /v1/diagnoses: the bottleneck of a running training, and the verdict on its loss curve. */
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
static const char *const log_words[LOG_VERDICT_COUNT] = {[LOG_IMPROVING] = "improving",
	[LOG_TOO_SLOW] = "too_slow",
	[LOG_DIVERGING] = "diverging",
	[LOG_OVERFITTING] = "overfitting",
	[LOG_OSCILLATING] = "oscillating",
	[LOG_STALLED] = "stalled"};

/* --- request --------------------------------------------------------------------------------------------------- */
#define STEP_MS(member, ...) NUMBER(member, 0, 1e9, __VA_ARGS__)

DECLARE_TABLE(step_timings, struct step_timings);
#define OF struct step_timings
static const struct field step_timings_rows[] = {
	POSITIVE(
		step_time_ms, 1e9, "Time of an optimizer step, from the start of one to the start of the next", .fallback = "the sum of the parts"),
	STEP_MS(compute_ms, "Forward and backward pass: time in which a kernel computes"),
	STEP_MS(memory_bandwidth_ms, "Part of compute_ms: kernels that wait for memory, such as element-wise ones, norms, reductions"),
	STEP_MS(recompute_ms, "Part of compute_ms: recomputed activations"),
	STEP_MS(optimizer_ms, "Update of the weights, if compute_ms does not include it"),
	STEP_MS(communication_ms, "Communication between accelerators, overlapped or not"),
	STEP_MS(exposed_communication_ms, "Part of communication_ms during which nothing computes",
		.fallback = "the time of the step that is left"),
	STEP_MS(host_to_device_ms, "Copies to the accelerator, overlapped or not"),
	STEP_MS(exposed_host_to_device_ms, "Part of host_to_device_ms during which nothing computes",
		.fallback = "the time of the step that is left"),
	STEP_MS(other_copies_ms, "Other copies during which nothing computes: within the accelerator, or back to the host"),
	STEP_MS(data_wait_ms, "Time in which the step waits for its samples"),
	STEP_MS(launch_gap_ms, "Time in which the accelerator waits for the host to launch kernels"),
	STEP_MS(device_wait_ms,
		"Time in which kernels are launched but the accelerator idles: it waits for another stream, a copy or another rank"),
	STEP_MS(pipeline_bubble_ms, "Time in which a pipeline stage waits for another"),
	STEP_MS(idle_ms, "Rest of the step", .flags = READ_ONLY),
};
TABLE(step_timings, step_timings_rows, "The parts of a step's time; leave out the ones that were not measured.");
#undef OF

DECLARE_TABLE(training_log, struct training_log);
#define OF       struct training_log
#define LOG_MOST 100000
static const struct field training_log_rows[] = {
	NUMBERS(step, LOG_MOST, 0, 1e15, "Step numbers, rising"),
	NUMBERS(loss, LOG_MOST, -1e30, 1e30, "Training loss at each step"),
	NUMBERS(validation_step, LOG_MOST, 0, 1e15, "Steps of the validation losses", .fallback = "step"),
	NUMBERS(validation_loss, LOG_MOST, -1e30, 1e30, "Validation loss at each validation step"),
	NUMBERS(learning_rate, LOG_MOST, 0, 1e6, "Learning rate at each step"),
	NUMBERS(gradient_norm, LOG_MOST, 0, 1e30, "Norm of the gradient at each step"),
};
TABLE(training_log, training_log_rows, "A training log, as columns of equal length.");
#undef OF

DECLARE_TABLE(log_row, struct log_row);
#define OF struct log_row
static const struct field log_row_rows[] = {
	NUMBER(step, 0, 1e15, "Step", .flags = REQUIRED),
	NUMBER(loss, -1e30, 1e30, "Training loss", .flags = REQUIRED),
	NUMBER(validation_loss, -1e30, 1e30, "Validation loss, if it was measured at this step"),
	NUMBER(learning_rate, 0, 1e6, "Learning rate"),
	NUMBER(gradient_norm, 0, 1e30, "Norm of the gradient"),
};
TABLE(log_row, log_row_rows, "A row of a training log.");
#undef OF

#define OF struct diagnosis_context
static const struct field diagnosis_context_rows[] = {
	INTEGER(gpu_count, 1, 1000000, "Number of accelerators of the training, to compute the value of a gain"),
	POSITIVE(usd_per_gpu_hour, 1e4, "Price of one accelerator-hour"),
	POSITIVE(steps_remaining, 1e15, "Remaining steps, over which a gain counts"),
};
TABLE(diagnosis_query, diagnosis_context_rows, "Figures that convert a gain into hours and cost.");
#undef OF

#define OF struct diagnosis_request
static const struct field diagnosis_request_rows[] = {
	OBJECT(timings, step_timings, "The measured parts of a step"),
	OBJECT(training_log, training_log, "The training log, as columns"),
	LIST(training_log_rows, LOG_MOST, log_row, "The training log, as rows"),
	POSITIVE(steps_planned, 1e15, "Last planned step; the loss at it is predicted"),
	POSITIVE(usd_per_step, 1e9, "Price of a step; default: gpu_count x usd_per_gpu_hour x step_time_ms, if these are known"),
	POSITIVE(usd_per_percent_max, 1e15, "Largest acceptable cost for one further per cent of loss"),
	JSON(trace, "A profiler's trace, an object with traceEvents; returned as {rows, sha256}"),
	TEXT(plan_id, 36,
		"A stored plan, instead of `training`. The measurement is compared with its recommended option, and levers are planned again on it",
		.form = FORM_UUID),
	OBJECT(training, training_request, "A training request; the measurement is compared with its plan"),
	MERGE(context, diagnosis_query),
};
TABLE(diagnosis_request, diagnosis_request_rows,
	"A measured step, a training log, or both. A profiler's trace is a request body of its own: see the operation.");
#undef OF

/* --- result ------------------------------------------------------------------------------------------------------ */
DECLARE_TABLE(diagnosis_bottleneck, MEMBER_TYPE(struct diagnosis, bottleneck));
#define OF MEMBER_TYPE(struct diagnosis, bottleneck)
static const struct field diagnosis_bottleneck_rows[] = {
	CHOICE(kind, diagnosis_words, "The largest part of the step"),
	SHARES(shares, diagnosis_words, "Fraction of the step for each part; the sum is 1"),
};
TABLE(diagnosis_bottleneck, diagnosis_bottleneck_rows, "The bottleneck of the step.");
#undef OF

DECLARE_TABLE(lever, struct lever);
#define OF struct lever
static const struct field lever_rows[] = {
	TEXT(code, 64, "Machine-readable name"),
	CHOICE(kind, diagnosis_words, "Part of the step that it shortens"),
	CHARS(detail, "What to change"),
	FIGURE(step_time_ms, "Step time with the change, for the same work"),
	FIGURE(saved_ms, "Largest time saved in a step"),
	FIGURE(saved_share, "Largest time saved, as a fraction of the step"),
	FIGURE(saved_hours, "Time saved over steps_remaining"),
	FIGURE(saved_usd, "Cost saved over steps_remaining, for gpu_count at usd_per_gpu_hour; if the lever was planned again, see change_usd"),
	FIGURE(change_hours, "Change of the plan's hours, scaled to the measured step, from planning again; absent without a plan"),
	FIGURE(change_usd, "Change of the plan's cost"),
	FIGURE(change_gb, "Change of the memory of the fullest accelerator"),
};
TABLE(lever, lever_rows, "A possible change, and its gain.");
#undef OF

DECLARE_TABLE(predicted_step, struct predicted_step);
#define OF struct predicted_step
static const struct field predicted_step_rows[] = {
	TEXT(accelerator, 128, "Accelerator of the plan"),
	INTEGER(gpu_count, 1, 9e15, "Number of accelerators in the plan"),
	INTEGER(revision, 1, 9e15, "Revision of the stored plan"),
	OBJECT(step_time_ms, interval, "Planned step time"),
	OBJECT(bottleneck, bottleneck, "Predicted bottleneck, and its share by kind"),
	FIGURE(ratio, "Measured step time over the predicted one"),
	TRUTH(within, "Whether the measured step is between p10 and p90"),
	TEXT(differs_most, 64,
		"Part of the step with the largest difference from its prediction, in ms; absent if no part differs by 2 % of the step"),
	FIGURE(differs_ms, "Measured less predicted time of that part"),
	CHARS(detail, "The same, as a sentence"),
};
TABLE(predicted_step, predicted_step_rows, "The step that the plan predicts.");
#undef OF

DECLARE_TABLE(compared_part, struct compared_part);
#define OF struct compared_part
static const struct field compared_part_rows[] = {
	TEXT(part, 64, "Part of the step"),
	FIGURE(measured_ms, "Measured time"),
	FIGURE(predicted_ms, "Planned time"),
	FIGURE(ratio, "Measured over predicted"),
};
TABLE(compared_part, compared_part_rows, "A part of the step compared with its prediction.");
#undef OF

DECLARE_TABLE(traced_step, struct traced_step);
#define OF struct traced_step
static const struct field traced_step_rows[] = {
	FIGURE(step, "Number of the step in the profiler"),
	MERGE(timings, step_timings),
};
TABLE(traced_step, traced_step_rows, "One step of a trace.");
#undef OF

DECLARE_TABLE(trace_summary, struct trace_summary);
#define OF struct trace_summary
static const struct field trace_summary_rows[] = {
	TRUTH(cpu_only, "Whether the trace has no accelerator; compute time is then that of the CPU's operators"),
	FIGURE(events, "Number of complete events read"),
	FIGURE(kernels, "Number of kernels among them"),
	FIGURE(copies, "Number of copies and fills among them"),
	FIGURE(streams, "Number of streams with kernels; streams numbered 63 and above are counted as one"),
	FIGURE(devices, "Number of accelerators with kernels"),
	FIGURE(window_ms, "Time diagnosed"),
	FIGURE(host_to_device_bytes, "Bytes copied to the accelerator"),
	FIGURE(host_to_device_gbs, "Rate of these copies, 10^9 bytes/s"),
	FIGURE(pageable_share, "Fraction of these bytes that came from memory that is not pinned"),
	FIGURE(synchronisation_ms, "Time of a step in calls that wait for the accelerator"),
	FIGURE(launches_matched,
		"Number of kernels and copies with a launch call in the trace; these calls separate launch gaps from device waits"),
	FIGURE(launch_to_start_us,
		"Mean time from the return of the launch call to the start. Below about 10 us the accelerator waits for the host; above, the host is ahead"),
	FIGURE(rank, "Rank of the process"),
	FIGURE(world_size, "Number of processes of the training"),
	CHARS(backend, "Communication library"),
	CHARS(device_name, "Name of the accelerator in the trace"),
	ARRAY_AS(steps, steps, step_count, traced_step, "Each step of the trace"),
};
TABLE(trace_summary, trace_summary_rows, "Contents of a trace.");
#undef OF

DECLARE_TABLE(log_finding, struct log_finding);
#define OF struct log_finding
static const struct field log_finding_rows[] = {
	CHOICE(kind, log_words, "Kind of finding"),
	FIGURE(step, "First step of the finding"),
	CHARS(detail, "Evidence in the log"),
};
TABLE(log_finding, log_finding_rows, "A finding in a log.");
#undef OF

DECLARE_TABLE(log_fit, MEMBER_TYPE(struct log_diagnosis, fit));
#define OF MEMBER_TYPE(struct log_diagnosis, fit)
static const struct field log_fit_rows[] = {
	FIGURE(loss_limit, "Limit of the loss"),
	FIGURE(amplitude, "Part of the loss that falls"),
	FIGURE(offset_steps, "Steps before the start of the curve"),
	FIGURE(exponent, "Rate at which the loss falls"),
	FIGURE(residual_share, "Residual of one row's loss from the curve, over the loss"),
};
TABLE(log_fit, log_fit_rows, "loss = loss_limit + amplitude x (step + offset_steps)^-exponent.");
#undef OF

DECLARE_TABLE(log_diagnosis, struct log_diagnosis);
#define OF struct log_diagnosis
static const struct field log_diagnosis_rows[] = {
	CHOICE(verdict, log_words, "Most serious finding, or `improving`"),
	SIZE_AS(rows, rows, "Number of rows read"),
	FIGURE(last_step, "The last step"),
	FIGURE(last_loss, "Smoothed training loss at the last step"),
	FIGURE(best_step, "Step with the lowest smoothed training loss"),
	FIGURE(best_loss, "Smoothed training loss at that step"),
	FIGURE(best_validation_step, "Step with the lowest smoothed validation loss"),
	FIGURE(best_validation_loss, "Smoothed validation loss at that step"),
	FIGURE(noise_share, "Noise between consecutive rows' losses, over the loss"),
	FIGURE(swing_share, "Spread around the trend in the second half of the log, p10 to p90, over the loss"),
	FIGURE(slope_share, "Change of the smoothed loss in the last third of the steps, over the loss"),
	OBJECT(fit, log_fit, "Curve fitted to the loss; absent if none falls"),
	OBJECT(loss_limit, interval, "Limit of the loss"),
	OBJECT(loss_final, interval, "Predicted loss at steps_planned"),
	FIGURE(steps_per_percent, "Steps until the loss is one per cent lower; absent if it never is"),
	FIGURE(usd_per_percent, "Cost of these steps at usd_per_step"),
	FIGURE(stop_step, "Step from which one further per cent costs more than usd_per_percent_max"),
	ARRAY_AS(findings, findings, finding_count, log_finding, "Findings in the log"),
};
TABLE(log_diagnosis, log_diagnosis_rows, "The diagnosis of a training log.");
#undef OF

#define OF struct diagnosis
static const struct field diagnosis_result_rows[] = {
	TEXT(source, 32, "Kind of input: timings, trace or training_log"),
	OBJECT_IF(timings, has_step, step_timings, "All parts of the step's time; for a trace, the mean of its steps"),
	OBJECT_IF(bottleneck, has_step, diagnosis_bottleneck, "Bottleneck of the step"),
	FIGURE(efficiency, "Fraction of the step in which the accelerator does useful work of the training"),
	ARRAY_AS(levers, levers, lever_count, lever, "Possible changes, the largest gain first; gains do not add up"),
	OBJECT_IF(prediction, has_prediction, predicted_step, "Step predicted by the plan, if the request has a plan"),
	ARRAY_AS(compared, compared, compared_count, compared_part, "Parts of the measured step compared with the plan"),
	OBJECT_IF(trace, has_trace, trace_summary, "Contents of the trace"),
	OBJECT_IF(training_log, has_log, log_diagnosis, "Diagnosis of the training log"),
	MERGE(findings, findings),
};
TABLE(diagnosis_result, diagnosis_result_rows, "The bottleneck of a training, possible changes, and their gains.");
#undef OF
