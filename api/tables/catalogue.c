/* The catalogue beside rows: calibrations and the state of the whole. */
#include "api/tables/shared.h"

#define SOURCE      TEXT(source, 1000, "Source of the figures", .flags = NOTE)
#define SOURCE_DATE TEXT(source_date, 64, "Date of the source", .flags = NOTE)

#define OF struct model_import
static const struct field model_import_rows[] = {
	TEXT(id, 128, "Id of the new row; default: the repository's name in lower case", .form = FORM_SLUG, .example = "\"my-model-7b\""),
	TEXT(repo, 200, "Repository on Hugging Face; the daemon fetches its config.json if `config` is absent"),
	JSON(config, "A Hugging Face config.json, unchanged"),
	TEXTS(aliases, 32, "Other names", .form = FORM_SLUG),
	SOURCE,
	SOURCE_DATE,
};
TABLE(model_import, model_import_rows, "A model to import from its config.json.");
#undef OF

/* --- calibrations, state --------------------------------------------------------------------------------------- */
#define OF struct calibration_row
static const struct field calibration_rows[] = {
	TEXT(id, 200, "Id", .always = true),
	TEXT(accelerator_id, 64, "Accelerator whose plans it corrects", .always = true),
	TEXT(device_id, 128, "Device on which it was measured"),
	TEXT(benchmark_id, 64, "Benchmark that measured it"),
	CHOICE(precision, precision_words, "Number format"),
	TEXT(plan_id, 36, "Plan whose own work was measured; the calibration applies to that plan alone", .form = FORM_UUID),
	TEXT(quantity, 64,
		"Quantity measured: gemm_efficiency, memory_efficiency, kernel_launch_s, host_latency_s, host_bytes_per_s, collective_latency_s, collective_bytes_per_s, idle_w, load_w, storage_bytes_per_s, stack_speed, run_practice",
		.always = true),
	TEXT(class, 64,
		"Class. Matrix products: thin (smallest side below 256), small (below 2,048), large, or plan (the plan's own products); stack_speed and run_practice: the stack"),
	TEXT(method, 64, "Method: library_gemm, stream, driver_launch, copy_engine, collective_library, file_read, observation", .always = true),
	FIGURE(value, "Measured value, the median", .always = true),
	FIGURE(low, "Low end (p10)"),
	FIGURE(high, "High end (p90)"),
	INTEGER(n, 0, 9e15, "Number of repetitions or observations"),
	FIGURE(spread, "Median absolute deviation of the combined figures"),
	FIGURE(disagreement, "Relative difference between the measurement and its repetition in the same run"),
	FIGURE(expected, "run_practice: value expected from published runs for such a plan (E131)"),
	FIGURE(expected_sigma, "run_practice: standard deviation of the logarithm of `expected`"),
	FIGURE(step_ratio, "run_practice: observed over planned step time, if the step time was reported"),
	INTEGER(gpu_count, 1, 9e15, "run_practice: number of accelerators of the run"),
	FIGURE(params, "run_practice: active parameters of the model"),
	FIGURE(baseline, "First value measured on this device"),
	TEXT(driver, 128, "Driver of the device at the measurement"),
	TEXT(held_because, 400,
		"Reason why the calibration waits for an admin's decision, or for a device with another key that agrees; absent: it does not wait",
		.flags = READ_ONLY),
	TEXT(delivered_by, 64,
		"Key of the agent that delivered it; absent: measured on the daemon's own devices, delivered by an admin, or derived from real jobs",
		.flags = READ_ONLY),
	TRUTH(used, "Whether plans use it today", .flags = READ_ONLY),
	TEXT(unused_because, 240, "Reason why plans do not use it", .flags = READ_ONLY),
	MERGE(meta, row_source),
	MERGE(meta, row_stamp),
};
TABLE(calibration, calibration_rows, "A measured figure that corrects plans.");
#undef OF

static const char *const decision_words[] = {"accept", "reject", NULL};
#define OF struct calibration_verdict
static const struct field calibration_decision_rows[] = {
	WORD(decision, decision_words, "The decision", .flags = REQUIRED),
	TEXT(note, 200, "Reason; stored with the row's source"),
};
TABLE(calibration_decision, calibration_decision_rows, "An admin's decision on a calibration that waits.");
#undef OF

#define OF struct catalogue_state
static const struct field catalogue_state_rows[] = {
	INTEGER(revision, 0, 9e15, "Revision of the catalogue; every plan records it", .always = true),
	INTEGER(calibration_revision, 0, 9e15, "Revision of the calibrations; every plan records it", .always = true),
	TIME_AS(as_of, as_of_us, "Time of this state"),
	INTEGER(accelerators, 0, 9e15, "Number of accelerator rows", .always = true),
	INTEGER(models, 0, 9e15, "Number of model rows", .always = true),
	INTEGER(prices, 0, 9e15, "Number of price rows", .always = true),
	INTEGER(regions, 0, 9e15, "Number of region rows", .always = true),
	INTEGER(calibrations, 0, 9e15, "Number of calibrations", .always = true),
};
TABLE(catalogue_state, catalogue_state_rows, "The state of the whole catalogue.");
#undef OF
