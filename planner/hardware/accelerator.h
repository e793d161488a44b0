/* What the planner knows of one accelerator, and where it can be rented and stands.
 *
 * Members carry the catalogue's names and units (the unit is the last word); the functions below answer in SI.
 * Rates are dense. A member that the catalogue does not know is absent (given.h). Text is borrowed from the
 * catalogue snapshot, which outlives every plan made on it. */
#ifndef FLEETPLAN_PLANNER_HARDWARE_ACCELERATOR_H
#define FLEETPLAN_PLANNER_HARDWARE_ACCELERATOR_H

#include "planner/figures.h"
#include "planner/hardware/grid_hours.h"
#include "planner/precision.h"

struct accelerator {
	const char *id, *vendor, *name, *form_factor, *memory_type, *interconnect;
	int64_t release_year;
	double memory_gb; /* name-plate, 10^9 bytes */
	double memory_usable_bytes; /* what the driver reports; capacity uses this */
	double memory_bandwidth_gbs;
	double tflops_fp64, tflops_fp32, tflops_tf32, tflops_bf16, tflops_fp16, tflops_fp8, tops_int8, tflops_fp4;
	double tdp_w, idle_w;
	double load_w; /* measured at full load by the maker, where that is not the TDP; 0 as absent */
	double interconnect_gbs; /* both directions, per accelerator, inside the NVLink domain or its like */
	int64_t pcie_gen, max_nvlink_domain, transistor_nm;
	double die_area_mm2, embodied_kgco2e, embodied_boavizta_kgco2e;
	const char *source, *source_date, *unverified, *notes;
	const char *like; /* id of the one that a variant is made of; NULL: it is none */
};

/* Whose measurements and systems hold for it, by the id they are tabled under: a variant's are those of the one that it is like. NULL: nobody's. */
const char *accelerator_kin(const struct accelerator *accelerator);

/* Of a vendor whose stack compiles whole models ahead: AWS Inferentia and Trainium. */
bool accelerator_is_neuron(const struct accelerator *accelerator);

/* True if the host processor is NVIDIA's Grace: a superchip of NVIDIA. */
bool accelerator_has_grace(const struct accelerator *accelerator);

/* Dense peak of matrix products in a precision, FLOP/s (operations/s for integers). What an accelerator lacks falls
 * back to the nearest wider format that it has (fp8 -> bf16 -> fp16 -> tf32 -> fp32; weights in a narrow format
 * are then only stored narrow), and so do integers that are slower than 16 bits; *used, where not NULL, tells which format the rate is of. 0 if it has none. */
double accelerator_peak_flops_per_s(
	const struct accelerator *accelerator, enum precision precision, enum precision *used);

/* The same accelerator's best training precision: bf16, else fp16, else fp32. */
enum precision accelerator_training_precision(const struct accelerator *accelerator);

double accelerator_capacity_bytes(const struct accelerator *accelerator); /* memory_usable_bytes, else name-plate */
double accelerator_bandwidth_bytes_per_s(const struct accelerator *accelerator);
double accelerator_link_bytes_per_s(const struct accelerator *accelerator); /* one direction; PCIe where no link */
double accelerator_pcie_bytes_per_s(const struct accelerator *accelerator); /* one direction, payload of 16 lanes */

/* Idle power, W: the catalogue's, else the cited fraction of TDP (E62). */
double accelerator_idle_w(const struct accelerator *accelerator, double *low_w, double *high_w, const char **source);

/* Power under full load, W: the catalogue's TDP, else estimated from the BF16 peak (E61). Returned also: its range. */
double accelerator_load_w(const struct accelerator *accelerator, double *low_w, double *high_w, const char **source);

/* How its parts can be had: one offer, normalised to one accelerator for one hour. */
enum term { TERM_UNSET, TERM_ON_DEMAND, TERM_SPOT, TERM_RESERVED_1Y, TERM_RESERVED_3Y, TERM_COUNT };

struct offer {
	const char *provider, *instance_type, *region, *as_of, *source;
	enum term term;
	int64_t gpus; /* per instance */
	double usd_per_gpu_hour; /* whole instance over its accelerators; host part included */
	double low_usd_per_gpu_hour, high_usd_per_gpu_hour; /* spread of comparable offers */
};

/* Where it stands: the grid and the building. Every figure with its own source. */
struct site {
	const char *provider, *region, *country;
	double grid_gco2e_per_kwh, grid_marginal_gco2e_per_kwh, grid_market_gco2e_per_kwh;
	double pue, wue_l_per_kwh, ewif_l_per_kwh, electricity_usd_per_kwh;
	double grid_low_gco2e_per_kwh, grid_high_gco2e_per_kwh, pue_low, pue_high;
	double wue_low_l_per_kwh, wue_high_l_per_kwh, ewif_low_l_per_kwh, ewif_high_l_per_kwh; /* 0: not known */
	const char *grid_source, *pue_source, *wue_source, *ewif_source, *water_source; /* water_source: wue's */
	enum provenance_status grid_status, pue_status, wue_status, ewif_status;
	struct grid_hours hours; /* E109; count 0: none */
	int64_t run_start_us;    /* with hours: when the run begins */
};

/* Products of matrices by their least side, which decides what a kernel can reach of the peak: thin ones (decoding) below 256,
 * large ones from 2,048. */
enum product_class { PRODUCT_THIN, PRODUCT_SMALL, PRODUCT_LARGE, PRODUCT_CLASS_COUNT };
const char *product_class_name(enum product_class class); /* "thin", "small", "large" */
enum product_class product_class_of(double rows, double columns, double inner);

/* What measurement corrected (planner/measurement/evidence.h chooses it). A member that is not above 0 was not measured. */
struct calibration {
	const char *id; /* of the leading one; NULL when none applies, and then no member counts */
	double gemm_efficiency; /* of the dense peak, products of unlimited size (E121) */
	double memory_efficiency; /* of the catalogue's bandwidth */
	double kernel_launch_s;
	double idle_w, load_w;
	const char *source;
	double gemm_class_efficiency[PRODUCT_CLASS_COUNT]; /* of each class alone; none where the plan's own products were measured */
	enum precision gemm_precision; /* in which products were measured */
	double gemm_low, gemm_high; /* of gemm_efficiency */
	double memory_low, memory_high, kernel_launch_low_s, kernel_launch_high_s, host_low_bytes_per_s, host_high_bytes_per_s, collective_low_bytes_per_s,
		collective_high_bytes_per_s; /* between which each was measured, with 80 %; low not above 0: not told */
	double host_latency_s, host_bytes_per_s; /* between host and device, one way */
	double collective_latency_s, collective_bytes_per_s; /* inside a domain */
	double storage_bytes_per_s; /* read by one machine */
	double stack_speed; /* of the request's software, steps a second beside what was predicted (E125) */
	double stack_low, stack_high;
	double stack_likeness; /* of the observed jobs to the one that is planned (E148), > 0 to 1; the three above are at that distance */
	double stack_gpu_count; /* on which those jobs ran, where the planned number is open and counts for none of the four yet (observation_stack_at()) */
	const char *stack_source;
};

/* A member if it was measured, else `otherwise`. `calibration` may be NULL. */
#define CALIBRATED(calibration, member, otherwise) \
	((calibration) && (calibration)->id && (calibration)->member > 0 ? (calibration)->member : (otherwise))

/* Spread of the logarithm of a measured figure; 0 where it has no range. Given: low and high, p10 and p90. */
double calibration_log_sigma(double low, double high);

/* An offer and where it stands. */
struct supply {
	struct offer offer;
	struct site site;
};

enum { SUPPLIES_MAX = 8, SUPPLIES_MOST = 256 }; /* by size of instance; of a service by place and term too */

/* A part into which a board can be split (NVIDIA MIG): memory, bandwidth and multiprocessors of its own, no link to another. */
struct mig_slice {
	const char *profile, *source;
	int64_t per_board;
	double memory_bytes; /* as the driver reports it */
	double bandwidth_share, compute_share; /* of the board's */
};

/* What buying one costs, with its share of server and network, where the request gives no one price for all; as a maker's list has it, the
 * accelerator alone (E154). usd_per_gpu 0: not known. */
struct own_price {
	double usd_per_gpu, low_usd_per_gpu, high_usd_per_gpu;
	bool alone; /* without server and network */
	const char *source;
};

/* Sizes in which chips are rented together (slices of a TPU pod), ascending. Beyond the largest, several slices of `joined` each. */
struct slice_sizes {
	const int64_t *chips;
	size_t count; /* 0: any number can be had */
	int64_t joined;
	int64_t cube; /* every whole multiple of it up to the largest is a size, too; 0: the sizes are all there are */
	const char *source;
};

struct own_runs; /* planner/measurement/own_runs.h */

/* One accelerator that a plan may use, with what the catalogue says about having it. */
struct candidate {
	struct accelerator accelerator;
	bool has_offer;
	struct offer offer; /* of whole nodes, where supplies leave a choice */
	struct site site;
	const struct supply *supplies; /* the cheapest offer of each size of instance (planner/footprint/supply.h chooses) */
	size_t supply_count; /* 0: offer and site are all there is */
	struct calibration calibration;
	const struct own_runs *own_runs; /* trainings that were reported, each as like as it is to one on this accelerator; NULL: none */
	int64_t gpus_per_node;
	bool single; /* rented one by one alone, and named by nobody: a group of them is not had joined */
	double internode_gbs; /* per accelerator, one direction */
	int64_t torus_dimensions; /* of the links of a domain; 0: each reaches every other at its full rate (switches, or links to all) */
	struct own_price own_price;
	struct slice_sizes slice_sizes;
	const struct mig_slice *slice; /* NULL: whole; else `accelerator` is the slice, and whole boards are had */
	const struct accelerator *board; /* of the slice */
};

/* A slice of a whole candidate as a candidate of its own, which borrows both. */
struct candidate candidate_slice(const struct candidate *whole, const struct mig_slice *slice);

#endif
