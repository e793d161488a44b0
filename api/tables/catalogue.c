/* The catalogue's rows. Ranges are physical bounds: what is outside cannot be a true figure of its kind. */
#include "api/tables/shared.h"
#include "schema/decode.h"

#define SOURCE      TEXT(source, 1000, "Where the figures come from", .flags = NOTE)
#define SOURCE_DATE TEXT(source_date, 64, "When they were read there", .flags = NOTE)

DECLARE_TABLE(conflict, struct conflict);
#define OF struct conflict
static const struct field conflict_rows[] = {
	TEXT(field, 64, "The figure of the row", .flags = REQUIRED, .example = "\"memory_bandwidth_gbs\""),
	NUMBER(value, -1e15, 1e15, "What that source says", .flags = REQUIRED, .example = "7700"),
	TEXT(source, 1000, "The source", .flags = REQUIRED, .example = "\"a data sheet\""),
	TEXT(source_date, 64, "When it was read there"),
	TEXT(note, 500, "What may explain it"),
};
TABLE(conflict, conflict_rows, "What another good source says of a figure of a row.");
#undef OF

#define OF struct row_meta
static const struct field row_stamp_rows[] = {
	WORD(origin, origin_words, "How the row came here", .flags = READ_ONLY),
	TIME_AS(valid_from, valid_from_us, "When this row began to hold", .flags = READ_ONLY),
	TIME_AS(valid_to, valid_to_us, "When another took its place", .flags = READ_ONLY),
	INTEGER(revision, 0, 9e15, "Of the catalogue, when the row was written", .flags = READ_ONLY),
};
DECLARE_TABLE(row_stamp, struct row_meta);
TABLE(row_stamp, row_stamp_rows, "What every row has.");

static const struct field row_conflicts_rows[] = {
	LIST(conflicts, CONFLICTS_MAX, conflict, "Other values of its figures by good sources: kept and shown; plans go by the row's own, and say how far these range"),
};
DECLARE_TABLE(row_conflicts, struct row_meta);
TABLE(row_conflicts, row_conflicts_rows, "Where good sources disagree.", .whole = &table_row_stamp);

static const struct field row_warnings_rows[] = {
	LIST(warnings, WARNINGS_MAX, warning, "Of an answer to a write: what looks like a known mistake", .flags = READ_ONLY),
};
DECLARE_TABLE(row_warnings, struct row_meta);
TABLE(row_warnings, row_warnings_rows, "What is said of a row when it is written.", .whole = &table_row_stamp);

static const struct field row_source_rows[] = {SOURCE, SOURCE_DATE};
DECLARE_TABLE(row_source, struct row_meta);
TABLE(row_source, row_source_rows, "Where a row comes from.", .whole = &table_row_stamp);
#undef OF

/* --- accelerators ---------------------------------------------------------------------------------------------- */
#define TFLOPS(member, high, what) NUMBER(member, 0.001, high, "Dense " what " peak of one accelerator, without sparsity")

#define OF struct accelerator
static const struct field accelerator_field_rows[] = {
	TEXT(vendor, 64, "Maker", .example = "\"nvidia\""),
	TEXT(name, 200, "Name as it is sold", .example = "\"H100 SXM5 80GB\"", .flags = NOTE),
	TEXT(form_factor, 64, "Form: pcie, sxm, oam, board, superchip", .example = "\"sxm\""),
	INTEGER(release_year, 2000, 2100, "Year of release"),
	NUMBER(memory_gb, 0.25, 4096, "Memory on the name-plate", .example = "80"),
	NUMBER(memory_usable_bytes, 0.25e9, 4.4e12, "Memory that the driver reports; capacity uses this"),
	TEXT(memory_type, 64, "Memory"),
	NUMBER(memory_bandwidth_gbs, 1, 200000, "Memory bandwidth", .example = "3350"),
	TFLOPS(tflops_fp64, 10000, "FP64"),
	TFLOPS(tflops_fp32, 20000, "FP32"),
	TFLOPS(tflops_tf32, 50000, "TF32"),
	TFLOPS(tflops_bf16, 100000, "BF16"),
	TFLOPS(tflops_fp16, 100000, "FP16"),
	TFLOPS(tflops_fp8, 200000, "FP8"),
	TFLOPS(tops_int8, 200000, "INT8"),
	TFLOPS(tflops_fp4, 400000, "FP4"),
	NUMBER(tdp_w, 1, 50000, "Power limit"),
	NUMBER(idle_w, 0, 20000, "Power when idle"),
	NUMBER(load_w, 0, 20000, "Power at full load as its maker measured it, where that is not the TDP"),
	TEXT(interconnect, 128, "Link between accelerators of a node"),
	NUMBER(interconnect_gbs, 0, 50000, "That link, both directions together, of one accelerator"),
	INTEGER(pcie_gen, 1, 10, "PCIe generation"),
	INTEGER(max_nvlink_domain, 1, 100000, "Accelerators that the link joins"),
	INTEGER(transistor_nm, 1, 100, "Process"),
	NUMBER(die_area_mm2, 1, 100000, "Die area, all dies together"),
	NUMBER(embodied_kgco2e, 0, 50000, "Carbon of making it, as its maker says"),
	NUMBER(embodied_boavizta_kgco2e, 0, 50000, "Carbon of making it, by Boavizta's method"),
	SOURCE,
	SOURCE_DATE,
	TEXT(unverified, 500, "Fields that no second source confirms, separated by spaces", .flags = NOTE),
	TEXT(notes, 2000, "Notes", .flags = NOTE),
};
TABLE(accelerator_fields, accelerator_field_rows, "An accelerator's figures; rates are dense.");

static const struct field accelerator_own_id_rows[] = {
	TEXT(id, 64, "Id; a PUT takes it from its path", .form = FORM_SLUG, .example = "\"h100-sxm5-80gb\""),
};
DECLARE_TABLE(accelerator_own_id, struct accelerator);
TABLE(accelerator_own_id, accelerator_own_id_rows, "An accelerator's id.", .whole = &table_accelerator_fields);
#undef OF

#define OF struct accelerator_row
static const char *const accelerator_needs[] = {"vendor", "name", "memory_gb", "memory_bandwidth_gbs", "source"};
static const struct field accelerator_rows[] = {
	MERGE(accelerator, accelerator_own_id),
	MERGE(accelerator, accelerator_fields),
	TEXTS(aliases, 32, "Other names", .form = FORM_SLUG),
	TEXT(memory_usable_source, 1000, "Where memory_usable_bytes comes from"),
	MERGE(meta, row_conflicts),
	MERGE(meta, row_stamp),
	MERGE(meta, row_warnings),
};
TABLE(accelerator, accelerator_rows, "An accelerator of the catalogue; rates are dense.", .needs = accelerator_needs,
	.need_count = COUNT_OF(accelerator_needs));
#undef OF

/* --- models ---------------------------------------------------------------------------------------------------- */
#define OF struct model_row
static const char *const source_needs[] = {"source"};
static const struct field model_rows[] = {
	TEXT(id, 128, "Id; a PUT takes it from its path", .form = FORM_SLUG, .example = "\"llama-3.1-8b\""),
	TEXT(repo, 200, "Repository on Hugging Face"),
	COUNT(params_total, 1e6, 1e15, "Parameters as published", .example = "8.03e9"),
	COUNT(params_active, 1e6, 1e15, "Parameters that one token meets, as published"),
	JSON(config, "config.json as it was given"),
	TEXTS(aliases, 32, "Other names", .form = FORM_SLUG),
	MERGE(meta, row_source),
	MERGE(meta, row_stamp),
	MERGE(meta, row_warnings),
};
TABLE(model, model_rows, "A model of the catalogue.", .needs = source_needs, .need_count = COUNT_OF(source_needs));
#undef OF

#define OF struct model_import
static const struct field model_import_rows[] = {
	TEXT(id, 128, "Id for the new row; the repository's name in lower case unless given", .form = FORM_SLUG,
		.example = "\"my-model-7b\""),
	TEXT(repo, 200, "Repository on Hugging Face; without `config`, its config.json is fetched"),
	JSON(config, "A Hugging Face config.json as it is"),
	TEXTS(aliases, 32, "Other names", .form = FORM_SLUG),
	SOURCE,
	SOURCE_DATE,
};
TABLE(model_import, model_import_rows, "A model to read from its config.json.");
#undef OF

/* --- prices ---------------------------------------------------------------------------------------------------- */
/* $0.01 to $200 for one accelerator and hour: outside, the price or the count is wrong. */
static void price_check(struct decoder *decoder, const struct path *path, const void *object)
{
	const struct price_row *price = object;
	const struct path at = {.up = path, .key = "price_usd_per_hour"};
	double gpus = price->gpus > 0 ? (double)price->gpus : 1.0, each = price->price_usd_per_hour / gpus;

	if (each < 0.01 || each > 200)
		decoder_fault(
			decoder, &at, "out_of_range", "should be 0.01 to 200 USD per hour for each accelerator, is %.6g", each);
}

#define OF struct price_row
static const struct field price_rows[] = {
	TEXT(id, 200, "Id; made of provider, instance type, region, accelerator and pricing model unless given", .form = FORM_SLUG),
	TEXT(provider, 64, "Provider", .flags = REQUIRED, .example = "\"aws\""),
	TEXT(instance_type, 128, "Instance type", .flags = REQUIRED, .example = "\"p5.48xlarge\""),
	TEXT(region, 64, "Region", .example = "\"us-east-1\""),
	TEXT(
		accelerator_id, 64, "Accelerator in it", .form = FORM_SLUG, .flags = REQUIRED, .example = "\"h100-sxm5-80gb\""),
	INTEGER(gpus, 1, 4096, "Accelerators of an instance", .flags = REQUIRED, .example = "8"),
	NUMBER(vcpus, 0, 1e6, "CPUs of an instance"),
	NUMBER(ram_gb, 0, 1e6, "Memory of an instance"),
	POSITIVE(price_usd_per_hour, 819200, "The whole instance", .flags = REQUIRED, .example = "55.04"),
	WORD(pricing_model, pricing_model_words, "How it binds", .flags = REQUIRED, .example = "\"on_demand\""),
	TEXT(as_of, 40, "When the price was read", .form = FORM_MOMENT, .flags = REQUIRED,
		.example = "\"2026-07-20\""),
	TEXT(notes, 2000, "Notes"),
	MERGE(meta, row_source),
	MERGE(meta, row_conflicts),
	MERGE(meta, row_stamp),
	MERGE(meta, row_warnings),
};
TABLE(price, price_rows, "A price of the catalogue.", .needs = source_needs, .need_count = COUNT_OF(source_needs),
	.check = price_check);
#undef OF

/* --- regions --------------------------------------------------------------------------------------------------- */
#define OF struct region_row
static const struct field region_rows[] = {
	TEXT(id, 128, "Id; made of provider and region unless given", .form = FORM_SLUG),
	TEXT(provider, 64, "Provider; `country` for a country's grid", .flags = REQUIRED, .example = "\"aws\""),
	TEXT(region_id, 64, "Region", .flags = REQUIRED, .example = "\"eu-north-1\""),
	TEXT(country_zone, 64, "Country or zone of the grid", .example = "\"SE\""),
	TEXT(location, 200, "Place"),
	NUMBER(grid_gco2e_per_kwh, 0, 1500, "Carbon intensity of the grid, location-based", .flags = REQUIRED,
		.example = "20"),
	NUMBER(grid_marginal_gco2e_per_kwh, 0, 1500, "Marginal carbon intensity of the grid"),
	NUMBER(pue, 1, 3, "Power usage effectiveness"),
	NUMBER(wue_l_per_kwh, 0, 20, "Water used on site"),
	NUMBER(ewif_l_per_kwh, 0, 100, "Water used in making the electricity"),
	INTEGER(year, 1990, 2100, "Year of the carbon intensity"),
	INTEGER(pue_year, 1990, 2100, "Year of the PUE"),
	INTEGER(wue_year, 1990, 2100, "Year of the WUE"),
	TEXT(em_zone, 64, "Zone at Electricity Maps"),
	MERGE(meta, row_source),
	MERGE(meta, row_conflicts),
	MERGE(meta, row_stamp),
	MERGE(meta, row_warnings),
};
TABLE(region, region_rows, "A region of the catalogue: its grid, buildings and water.", .needs = source_needs,
	.need_count = COUNT_OF(source_needs));
#undef OF

/* --- calibrations, state --------------------------------------------------------------------------------------- */
#define OF struct calibration_row
static const struct field calibration_rows[] = {
	TEXT(id, 200, "Id"),
	TEXT(accelerator_id, 64, "Accelerator whose plans it corrects"),
	TEXT(device_id, 128, "Device that was measured"),
	TEXT(benchmark_id, 64, "Benchmark that measured it"),
	CHOICE(precision, precision_words, "Number format"),
	TEXT(plan_id, 36, "Plan whose own work was measured: it counts for that one alone", .form = FORM_UUID),
	TEXT(quantity, 64, "What was measured: gemm_efficiency, memory_efficiency, kernel_launch_s, host_latency_s, host_bytes_per_s, collective_latency_s, "
		"collective_bytes_per_s, idle_w, load_w, storage_bytes_per_s, stack_speed, run_practice"),
	TEXT(class, 64, "Of products: thin (least side below 256), small (below 2,048), large, or plan (a plan's own); of stack_speed and run_practice: the stack"),
	TEXT(method, 64, "How: library_gemm, stream, driver_launch, copy_engine, collective_library, file_read, observation"),
	FIGURE(value, "Measured: the median"),
	FIGURE(low, "Low end (p10)"),
	FIGURE(high, "High end (p90)"),
	INTEGER(n, 0, 9e15, "Repetitions, or observations, behind it"),
	FIGURE(spread, "Median absolute deviation of the figures that it combines"),
	FIGURE(disagreement, "Of its repetition in the same run, as a fraction"),
	FIGURE(expected, "Of run_practice: what published runs let expect of such a plan (E131)"),
	FIGURE(expected_sigma, "Of run_practice: spread of the logarithm of that"),
	FIGURE(step_ratio, "Of run_practice: observed over planned time of a step, where that was reported too"),
	INTEGER(gpu_count, 1, 9e15, "Of run_practice: accelerators that it ran on"),
	FIGURE(params, "Of run_practice: active parameters of its model"),
	FIGURE(baseline, "What it was when it was first measured there"),
	TEXT(driver, 128, "Driver of the device then"),
	TEXT(held_because, 400, "Why it waits for an admin's decision, or for a device of another key that agrees; absent: it does not", .flags = READ_ONLY),
	TEXT(delivered_by, 64, "Key of the agent that delivered it; absent: measured by the daemon's own devices, delivered by an admin, or out of real jobs", .flags = READ_ONLY),
	TRUTH(used, "Whether plans take it today", .flags = READ_ONLY),
	TEXT(unused_because, 240, "Why not", .flags = READ_ONLY),
	MERGE(meta, row_source),
	MERGE(meta, row_stamp),
};
TABLE(calibration, calibration_rows, "A measured figure that corrects plans.");
#undef OF

static const char *const decision_words[] = {"accept", "reject", NULL};
#define OF struct calibration_verdict
static const struct field calibration_decision_rows[] = {
	WORD(decision, decision_words, "What becomes of it", .flags = REQUIRED),
	TEXT(note, 200, "Why: it is kept with the row's source"),
};
TABLE(calibration_decision, calibration_decision_rows, "An admin's decision on a calibration that waits.");
#undef OF

#define OF struct catalogue_state
static const struct field catalogue_state_rows[] = {
	INTEGER(revision, 0, 9e15, "Of the catalogue; every plan records it"),
	INTEGER(calibration_revision, 0, 9e15, "Of the calibrations; every plan records it"),
	TIME_AS(as_of, as_of_us, "The moment that this is the state of"),
	INTEGER(accelerators, 0, 9e15, "Rows"),
	INTEGER(models, 0, 9e15, "Rows"),
	INTEGER(prices, 0, 9e15, "Rows"),
	INTEGER(regions, 0, 9e15, "Rows"),
	INTEGER(calibrations, 0, 9e15, "Rows"),
};
TABLE(catalogue_state, catalogue_state_rows, "The catalogue as a whole.");
#undef OF
