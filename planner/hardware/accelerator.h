/* An accelerator as the planner sees it, with its offers and sites.
 *
 * Members have the catalogue's names and units (the unit is the last word); the functions below return SI units. Rates
 * are dense. A member that the catalogue does not know is absent (given.h). Text is borrowed from the catalogue
 * snapshot, which outlives every plan made from it. */
#ifndef FLEETPLAN_PLANNER_HARDWARE_ACCELERATOR_H
#define FLEETPLAN_PLANNER_HARDWARE_ACCELERATOR_H

#include "planner/figures.h"
#include "planner/hardware/grid_hours.h"
#include "planner/precision.h"

struct accelerator {
	const char *id, *vendor, *name, *form_factor, *memory_type, *interconnect;
	int64_t release_year;
	double memory_gb;           /* name-plate, 10^9 bytes */
	double memory_usable_bytes; /* as the driver reports it; plans use this capacity */
	double memory_bandwidth_gbs;
	double tflops_fp64, tflops_fp32, tflops_tf32, tflops_bf16, tflops_fp16, tflops_fp8, tops_int8, tflops_fp4;
	double tdp_w, idle_w;
	double load_w;           /* measured at full load by the maker, if that differs from the TDP; 0: absent */
	double interconnect_gbs; /* both directions, per accelerator, inside the NVLink domain or a similar one */
	int64_t pcie_gen, max_nvlink_domain, transistor_nm;
	double die_area_mm2, embodied_kgco2e, embodied_boavizta_kgco2e;
	const char *source, *source_date, *unverified, *notes;
	const char *like; /* of a variant: id of the accelerator that it derives from; else NULL */
};

/* Returns the id under which the tables list the measurements and systems of the accelerator: for a variant the id of
 * the accelerator that it derives from. NULL: the accelerator has no id. */
const char *accelerator_kin(const struct accelerator *accelerator);

/* True for AWS Inferentia and Trainium, whose software stack compiles whole models ahead of time. */
bool accelerator_is_neuron(const struct accelerator *accelerator);

/* True if the host processor is NVIDIA's Grace: a superchip of NVIDIA. */
bool accelerator_has_grace(const struct accelerator *accelerator);

/* Returns the dense peak of matrix products in a precision.
 *
 * Given:    accelerator  rates of the catalogue
 *           precision    any format except PRECISION_UNSET
 * Returned: FLOP/s (operations/s for integers), 0 if no usable format has a rate; *used, if not NULL: the format of
 *             that rate. A format without a rate, and INT8 if it is slower than 16 bits, falls back to 16 bits (BF16,
 *             then FP16), then TF32, then FP32; weights in a narrow format are then only stored narrow. */
double accelerator_peak_flops_per_s(const struct accelerator *accelerator, enum precision precision, enum precision *used);

/* Returns the best training precision of the accelerator: BF16, else FP16, else FP32. */
enum precision accelerator_training_precision(const struct accelerator *accelerator);

double accelerator_capacity_bytes(const struct accelerator *accelerator); /* memory_usable_bytes, else the name-plate memory */
double accelerator_bandwidth_bytes_per_s(const struct accelerator *accelerator);
double accelerator_link_bytes_per_s(const struct accelerator *accelerator); /* one direction; PCIe if there is no link */
double accelerator_pcie_bytes_per_s(const struct accelerator *accelerator); /* one direction, payload rate of 16 lanes */

/* E62. Returns the idle power of an accelerator.
 *
 * Given:    accelerator  idle_w; the members of E61
 *           low_w, high_w, source  may be NULL
 * Returned: W: the catalogue's idle_w, else 0.118 of the load power (E61); *low_w and *high_w: its range, 0.114 to
 *             0.144 of the load power, equal to the value if the catalogue states it; *source: static or catalogue
 *             text
 * Source:   median and range of the catalogue's eleven GPU rows with both figures
 * Case:     tests/planner/golden/footprint.txt */
double accelerator_idle_w(const struct accelerator *accelerator, double *low_w, double *high_w, const char **source);

/* E61. Returns the power of an accelerator under full load.
 *
 * Given:    accelerator  load_w, tdp_w, the rate in BF16
 *           low_w, high_w, source  may be NULL
 * Returned: W: the maker's measured load_w, else the TDP, else BF16 peak / 1.42 TFLOP/s a watt; *low_w and *high_w:
 *             its range (2.25 and 0.78 TFLOP/s a watt), equal to the value if the catalogue states it; *source: static
 *             or catalogue text
 * Source:   accelerators that state both: H100 SXM 1.41, TPU v4 1.43, A100 0.78, B200 2.25 TFLOP/s a watt
 * Case:     tests/planner/golden/footprint.txt */
double accelerator_load_w(const struct accelerator *accelerator, double *low_w, double *high_w, const char **source);

/* Terms of an offer. An offer is normalized to one accelerator for one hour. */
enum term { TERM_UNSET, TERM_ON_DEMAND, TERM_SPOT, TERM_RESERVED_1Y, TERM_RESERVED_3Y, TERM_COUNT };

struct offer {
	const char *provider, *instance_type, *region, *as_of, *source;
	enum term term;
	int64_t gpus;                                       /* per instance */
	double usd_per_gpu_hour;                            /* price of the whole instance over its accelerators; the host is included */
	double low_usd_per_gpu_hour, high_usd_per_gpu_hour; /* range of comparable offers */
};

/* True if both offers are in the same region of the same provider. NULL is equal to NULL only. */
bool offer_same_place(const struct offer *a, const struct offer *b);

/* Site of an accelerator: grid and building. Every figure has its own source. */
struct site {
	const char *provider, *region, *country;
	double grid_gco2e_per_kwh, grid_marginal_gco2e_per_kwh, grid_market_gco2e_per_kwh;
	double pue, wue_l_per_kwh, ewif_l_per_kwh, electricity_usd_per_kwh;
	double grid_low_gco2e_per_kwh, grid_high_gco2e_per_kwh, pue_low, pue_high;
	double wue_low_l_per_kwh, wue_high_l_per_kwh, ewif_low_l_per_kwh, ewif_high_l_per_kwh; /* 0: not known */
	const char *grid_source, *pue_source, *wue_source, *ewif_source, *water_source;        /* water_source: of wue_l_per_kwh */
	enum provenance_status grid_status, pue_status, wue_status, ewif_status;
	struct grid_hours hours; /* E109; count 0: none */
	int64_t run_start_us;    /* used with `hours`: start of the run */
};

/* Classes of matrix products by their least side, which limits the fraction of the peak that a kernel reaches: thin
 * (decoding) below 256, large from 2,048. */
enum product_class { PRODUCT_THIN, PRODUCT_SMALL, PRODUCT_LARGE, PRODUCT_CLASS_COUNT };
const char *product_class_name(enum product_class class); /* "thin", "small", "large" */
enum product_class product_class_of(double rows, double columns, double inner);

/* Measured figures (planner/measurement/evidence.h selects them). A member that is not above 0 was not measured. */
struct calibration {
	const char *id;           /* of the leading calibration; NULL: none applies, and all other members are ignored */
	double gemm_efficiency;   /* fraction of the dense peak that products of unlimited size reach (E121) */
	double memory_efficiency; /* fraction of the catalogue's bandwidth */
	double kernel_launch_s;
	double idle_w, load_w;
	const char *source;
	double gemm_class_efficiency[PRODUCT_CLASS_COUNT]; /* of each class; 0: not measured, or the plan's own products were measured instead */
	enum precision gemm_precision;                     /* format of the measured products */
	double gemm_low, gemm_high;                        /* range of gemm_efficiency */
	double memory_low, memory_high, kernel_launch_low_s, kernel_launch_high_s, host_low_bytes_per_s, host_high_bytes_per_s,
		collective_low_bytes_per_s, collective_high_bytes_per_s; /* ranges with a probability of 80 %; low not above 0: not reported */
	double host_latency_s, host_bytes_per_s;                     /* between host and device, one direction */
	double collective_latency_s, collective_bytes_per_s;         /* inside a link domain */
	double storage_bytes_per_s;                                  /* one machine reads */
	double stack_speed; /* of the request's software: predicted over observed time of a step (E125) */
	double stack_low, stack_high;
	double stack_likeness; /* of the observed jobs to the planned one (E148), > 0 to 1; the three members above include it */
	double stack_gpu_count; /* of the observed jobs, if the planned number is open; the four above then exclude it (observation_stack_at()) */
	const char *stack_source;
};

/* The member if it was measured, else `otherwise`. `calibration` may be NULL. */
#define CALIBRATED(calibration, member, otherwise) \
	((calibration) && (calibration)->id && (calibration)->member > 0 ? (calibration)->member : (otherwise))

/* Returns the standard deviation of the logarithm of a measured figure with the p10 `low` and the p90 `high`; 0
 * without a range. */
double calibration_log_sigma(double low, double high);

/* An offer and its site. */
struct supply {
	struct offer offer;
	struct site site;
};

enum {
	SUPPLIES_MAX = 8,
	SUPPLIES_MOST = 256
}; /* SUPPLIES_MAX: one for each size of instance; SUPPLIES_MOST: of a service, also by place and term */

/* A part of a board that can be split (NVIDIA MIG). It has its own memory, bandwidth and multiprocessors, and no link
 * to another part. */
struct mig_slice {
	const char *profile, *source;
	int64_t per_board;
	double memory_bytes;                   /* as the driver reports it */
	double bandwidth_share, compute_share; /* fractions of the board's */
};

/* Purchase price of one accelerator with its share of server and network, if the request gives no price for all. A
 * maker's list price is of the accelerator alone (E154). usd_per_gpu 0: not known. */
struct own_price {
	double usd_per_gpu, low_usd_per_gpu, high_usd_per_gpu;
	bool alone; /* without server and network */
	const char *source;
};

/* Sizes in which chips are rented together (slices of a TPU pod), ascending. Beyond the largest size several slices of
 * `joined` chips each. */
struct slice_sizes {
	const int64_t *chips;
	size_t count; /* 0: any number can be rented */
	int64_t joined;
	int64_t cube; /* every whole multiple of it up to the largest size is a size, too; 0: only the sizes in `chips` exist */
	const char *source;
};

struct own_runs; /* planner/measurement/own_runs.h */

/* An accelerator that a plan may use, with its offers and system. */
struct candidate {
	struct accelerator accelerator;
	bool has_offer;
	struct offer offer; /* of whole nodes, if `supplies` has several */
	struct site site;
	const struct supply *supplies; /* the cheapest offer of each size of instance; planner/footprint/supply.h chooses among them */
	size_t supply_count;           /* 0: only `offer` and `site` apply */
	struct calibration calibration;
	const struct own_runs *own_runs; /* reported trainings, each with its likeness to one on this accelerator; NULL: none */
	int64_t gpus_per_node;
	bool single;              /* rented only one by one, and not named by the request: no group of them is rented with links between them */
	double internode_gbs;     /* per accelerator, one direction */
	int64_t torus_dimensions; /* of a domain's links; 0: each accelerator reaches every other at its full rate (switches, or links to all) */
	struct own_price own_price;
	struct slice_sizes slice_sizes;
	const struct mig_slice *slice;   /* NULL: a whole accelerator; else `accelerator` is the slice, and whole boards are rented */
	const struct accelerator *board; /* board of the slice */
};

/* Returns a slice of a whole candidate as a candidate. It borrows both arguments. */
struct candidate candidate_slice(const struct candidate *whole, const struct mig_slice *slice);

#endif
