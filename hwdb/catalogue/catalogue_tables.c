/* Catalogue rows. The ranges are physical bounds: a figure outside its range cannot be true. */
#include "hwdb/catalogue/catalogue_tables.h"

const char *const origin_words[4] = {"builtin", "imported", "user", "measured"};
const char *const pricing_model_words[4] = {"on_demand", "spot", "reserved_1y", "reserved_3y"};

#define SOURCE      TEXT(source, 1000, "Source of the figures", .flags = NOTE)
#define SOURCE_DATE TEXT(source_date, 64, "Date of the source", .flags = NOTE)

#define OF struct warning
static const struct field warning_rows[] = {
	CHARS(detail, "A sentence"),
};
TABLE(warning, warning_rows, "A warning.", .shorthand = &warning_rows[0]);
#undef OF

#define OF struct conflict
static const struct field conflict_rows[] = {
	TEXT(field, 64, "Field of the row", .flags = REQUIRED, .example = "\"memory_bandwidth_gbs\"", .always = true),
	NUMBER(value, -1e15, 1e15, "Value that this source gives", .flags = REQUIRED, .example = "7700", .always = true),
	TEXT(source, 1000, "The source", .flags = REQUIRED, .example = "\"a data sheet\"", .always = true),
	TEXT(source_date, 64, "Date of the source"),
	TEXT(note, 500, "Possible reason for the difference"),
};
TABLE(conflict, conflict_rows, "The value of another good source for a figure of a row.");
#undef OF

#define OF struct row_meta
static const struct field row_stamp_rows[] = {
	WORD(origin, origin_words, "Origin of the row", .flags = READ_ONLY),
	TIME_AS(valid_from, valid_from_us, "Time from which the row is valid", .flags = READ_ONLY),
	TIME_AS(valid_to, valid_to_us, "Time at which another row replaced it", .flags = READ_ONLY),
	INTEGER(revision, 0, 9e15, "Revision of the catalogue in which the row was written", .flags = READ_ONLY),
};
TABLE(row_stamp, row_stamp_rows, "Fields of every row.");

static const struct field row_conflicts_rows[] = {
	LIST(conflicts, CONFLICTS_MAX, conflict,
		"Different values from other good sources. They are stored and shown; plans use the row's own value and report the range"),
};
TABLE(row_conflicts, row_conflicts_rows, "Figures on which good sources disagree.", .whole = &table_row_stamp);

static const struct field row_warnings_rows[] = {
	LIST(warnings, WARNINGS_MAX, warning, "In the response to a write: figures that look like a known mistake", .flags = READ_ONLY),
};
TABLE(row_warnings, row_warnings_rows, "Warnings when a row is written.", .whole = &table_row_stamp);

static const struct field row_source_rows[] = {SOURCE, SOURCE_DATE};
TABLE(row_source, row_source_rows, "The source of a row.", .whole = &table_row_stamp);
#undef OF

/* --- accelerators ---------------------------------------------------------------------------------------------- */
#define TFLOPS(member, high, what) NUMBER(member, 0.001, high, "Peak dense " what " rate of one accelerator, without sparsity")

#define OF struct accelerator
static const struct field accelerator_field_rows[] = {
	TEXT(vendor, 64, "Maker", .example = "\"nvidia\""),
	TEXT(name, 200, "Product name", .example = "\"H100 SXM5 80GB\"", .flags = NOTE),
	TEXT(form_factor, 64, "Form: pcie, sxm, oam, board, superchip", .example = "\"sxm\""),
	INTEGER(release_year, 2000, 2100, "Year of release"),
	NUMBER(memory_gb, 0.25, 4096, "Nominal memory", .example = "80"),
	NUMBER(memory_usable_bytes, 0.25e9, 4.4e12, "Memory that the driver reports; plans use it as the capacity"),
	TEXT(memory_type, 64, "Type of memory"),
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
	NUMBER(load_w, 0, 20000, "Power at full load as the vendor measured it, if it differs from the TDP"),
	TEXT(interconnect, 128, "Link between the accelerators of a node"),
	NUMBER(interconnect_gbs, 0, 50000, "Bandwidth of the link for one accelerator, both directions together"),
	INTEGER(pcie_gen, 1, 10, "PCIe generation"),
	INTEGER(max_nvlink_domain, 1, 100000, "Number of accelerators that the link joins"),
	INTEGER(transistor_nm, 1, 100, "Process node"),
	NUMBER(die_area_mm2, 1, 100000, "Die area, the sum of all dies"),
	NUMBER(embodied_kgco2e, 0, 50000, "Embodied carbon as its vendor reports it"),
	NUMBER(embodied_boavizta_kgco2e, 0, 50000, "Embodied carbon by Boavizta's method"),
	SOURCE,
	SOURCE_DATE,
	TEXT(unverified, 500, "Fields without a second source, separated by spaces", .flags = NOTE),
	TEXT(notes, 2000, "Notes", .flags = NOTE),
};
TABLE(accelerator_fields, accelerator_field_rows, "The figures of an accelerator; rates are dense.");

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
	TEXT(memory_usable_source, 1000, "Source of memory_usable_bytes"),
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
	COUNT(params_active, 1e6, 1e15, "Parameters used for one token, as published"),
	JSON(config, "config.json as the client sent it"),
	TEXTS(aliases, 32, "Other names", .form = FORM_SLUG),
	MERGE(meta, row_source),
	MERGE(meta, row_stamp),
	MERGE(meta, row_warnings),
};
TABLE(model, model_rows, "A model of the catalogue.", .needs = source_needs, .need_count = COUNT_OF(source_needs));
#undef OF

/* --- prices ---------------------------------------------------------------------------------------------------- */
#define OF struct price_row
static const struct field price_rows[] = {
	TEXT(id, 200, "Id; default: made of provider, instance type, region, accelerator and pricing model", .form = FORM_SLUG),
	TEXT(provider, 64, "Provider", .flags = REQUIRED, .example = "\"aws\""),
	TEXT(instance_type, 128, "Instance type", .flags = REQUIRED, .example = "\"p5.48xlarge\""),
	TEXT(region, 64, "Region", .example = "\"us-east-1\""),
	TEXT(accelerator_id, 64, "Id of the accelerator in it", .form = FORM_SLUG, .flags = REQUIRED, .example = "\"h100-sxm5-80gb\""),
	INTEGER(gpus, 1, 4096, "Accelerators in one instance", .flags = REQUIRED, .example = "8"),
	NUMBER(vcpus, 0, 1e6, "CPUs in one instance"),
	NUMBER(ram_gb, 0, 1e6, "Host memory of one instance"),
	POSITIVE(price_usd_per_hour, 819200, "Price of the whole instance", .flags = REQUIRED, .example = "55.04"),
	WORD(pricing_model, pricing_model_words, "Term of the price", .flags = REQUIRED, .example = "\"on_demand\""),
	TEXT(as_of, 40, "Date of the price", .form = FORM_MOMENT, .flags = REQUIRED, .example = "\"2026-07-20\""),
	TEXT(notes, 2000, "Notes"),
	MERGE(meta, row_source),
	MERGE(meta, row_conflicts),
	MERGE(meta, row_stamp),
	MERGE(meta, row_warnings),
};
TABLE(price, price_rows, "A price of the catalogue.", .needs = source_needs, .need_count = COUNT_OF(source_needs));
#undef OF

/* --- regions --------------------------------------------------------------------------------------------------- */
#define OF struct region_row
static const struct field region_rows[] = {
	TEXT(id, 128, "Id; default: made of provider and region", .form = FORM_SLUG),
	TEXT(provider, 64, "Provider; `country` for a country's grid", .flags = REQUIRED, .example = "\"aws\""),
	TEXT(region_id, 64, "Region", .flags = REQUIRED, .example = "\"eu-north-1\""),
	TEXT(country_zone, 64, "Country or zone of the grid", .example = "\"SE\""),
	TEXT(location, 200, "Location"),
	NUMBER(grid_gco2e_per_kwh, 0, SITE_GRID_MAX_GCO2E_PER_KWH, "Carbon intensity of the grid, location-based", .flags = REQUIRED,
		.example = "20"),
	NUMBER(grid_marginal_gco2e_per_kwh, 0, SITE_MARGINAL_MAX_GCO2E_PER_KWH, "Marginal carbon intensity of the grid"),
	NUMBER(pue, 1, SITE_PUE_MAX, "Power usage effectiveness"),
	NUMBER(wue_l_per_kwh, 0, SITE_WUE_MAX_L_PER_KWH, "Water used on site"),
	NUMBER(ewif_l_per_kwh, 0, SITE_EWIF_MAX_L_PER_KWH, "Water used to generate the electricity"),
	INTEGER(year, 1990, 2100, "Year of the carbon intensity"),
	INTEGER(pue_year, 1990, 2100, "Year of the PUE"),
	INTEGER(wue_year, 1990, 2100, "Year of the WUE"),
	TEXT(em_zone, 64, "Zone at Electricity Maps"),
	MERGE(meta, row_source),
	MERGE(meta, row_conflicts),
	MERGE(meta, row_stamp),
	MERGE(meta, row_warnings),
};
TABLE(region, region_rows, "A region of the catalogue: its grid, data centres and water.", .needs = source_needs,
	.need_count = COUNT_OF(source_needs));
#undef OF
