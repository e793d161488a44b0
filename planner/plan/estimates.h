/* Requests, as decoded, and answers of the smaller calculators: memory, scaling laws, carbon. Pure data, as in
 * training.h.
 *
 * Absent members as in given.h, in requests and in answers: an unknown figure is absent, never zero. */
#ifndef FLEETPLAN_PLANNER_PLAN_ESTIMATES_H
#define FLEETPLAN_PLANNER_PLAN_ESTIMATES_H

#include "planner/plan/serving.h"

/* --- POST /v1/estimates/memory: memory of a model on each accelerator, in training or serving ------------------- */
enum memory_purpose { MEMORY_PURPOSE_UNSET, MEMORY_PURPOSE_TRAINING, MEMORY_PURPOSE_INFERENCE, MEMORY_PURPOSE_COUNT };

struct memory_request {
	struct request_common common; /* model, precision, accelerator, gpu_count; the rest absent */
	enum memory_purpose purpose;  /* training (default) or inference */
	/* training */
	double sequence_length;
	enum optimizer optimizer;
	struct {
		enum fine_tuning_method method;
		int64_t rank;
	} fine_tuning;
	struct parallelism parallelism; /* absent degrees are searched; without an accelerator they are 1, and data is the rest of gpu_count */
	/* inference */
	enum precision kv_precision;
	enum engine engine;
	double context_tokens; /* of each sequence */
	double concurrency;    /* sequences at once; absent: as many as fit in memory */
};

struct memory_estimate {
	double params_total, params_active;
	double weights_bytes; /* of the whole model in the requested precision */
	double weights_fp32_bytes, weights_bf16_bytes, weights_int8_bytes, weights_int4_bytes;
	double kv_bytes_per_token;
	struct memory_use training;                /* per accelerator; total_bytes NaN: inference was requested */
	struct serving_memory inference;           /* per accelerator; total_bytes NaN: training was requested */
	struct parallelism parallelism;            /* of `training` */
	double least_bytes;                        /* training: of the layout that takes the least memory on that number */
	struct serving_parallelism replica_layout; /* of `inference` */
	int64_t replicas;                          /* of `inference`: replicas on the given accelerators */
	bool has_training, has_inference;
	enum truth fits;       /* on the given accelerators: true exactly when gpu_count >= gpu_count_min */
	double headroom_bytes; /* capacity less total; negative when it does not fit */
	int64_t gpu_count_min; /* the least number of these accelerators with enough memory; absent: no number is enough */
	struct findings findings;
};

/* --- POST /v1/estimates/scaling: any of compute, tokens, params -> the others, or the verdict on a pair ---------- */
struct scaling_request {
	double compute_flops, tokens, params, epochs; /* tokens of one epoch, as in a training request */
	const char *law;                              /* epoch (default), hoffmann_3, 20:1 */
};

struct scaling_choice {
	double params, tokens, compute_flops, loss;
};

enum { SCALING_CURVE_MAX = 33 };

struct scaling_estimate {
	const char *law, *law_source;
	struct scaling_choice optimum; /* compute-optimal for the given figure */
	struct scaling_choice given;   /* the given pair of params and tokens; else all absent */
	enum verdict verdict;
	double tokens_per_param, tokens_per_param_optimal, flops_per_percent_loss;
	double repeated_worth;                 /* new tokens that are worth as much as `epochs` passes, over the unique tokens */
	double tokens_total, tokens_effective; /* over all epochs, and the new tokens that are worth as much; absent: no tokens were given */
	char detail[320];
	size_t curve_count;
	struct scaling_choice curve[SCALING_CURVE_MAX]; /* same compute, other sizes */
	struct findings findings;
};

/* --- POST /v1/estimates/carbon: energy, carbon, water of accelerators in use for some hours ---------------------- */
struct carbon_request {
	struct accelerator_reference accelerator;
	int64_t gpu_count, gpus_per_node;
	double hours, utilization, host_power_fraction;
	struct site_request site;
	struct hardware_request hardware;
	struct {
		double energy_mwh, mean_gpu_w, carbon_tco2e;
	} published;
	const char *as_of;
};

enum { INCONSISTENCIES_MAX = 8 };

struct inconsistency {
	char detail[320];
};

struct carbon_estimate {
	struct energy energy;
	struct carbon carbon;
	double water_l;
	struct {
		struct interval total_kwh, total_kgco2e;
	} interval;
	struct {
		double mean_gpu_w, grid_gco2e_per_kwh, pue, energy_mwh, carbon_tco2e, utilization;
		enum truth energy_is_facility; /* true: the published energy includes the building; unset: cannot be determined */
	} implied;                         /* from the published figures; absent: they do not determine it */
	struct figures inputs;
	size_t provenance_count;
	struct provenance provenance[PROVENANCES_MAX];
	size_t inconsistency_count;
	struct inconsistency inconsistencies[INCONSISTENCIES_MAX];
	struct findings findings;
};

#endif
