/* The smaller calculators: memory, scaling laws, carbon. Requests as decoded and answers, as in training.h: pure data.
 *
 * Absent members as in given.h, in requests and in answers: what an answer does not know is absent, never zero. */
#ifndef FLEETPLAN_PLANNER_PLAN_ESTIMATES_H
#define FLEETPLAN_PLANNER_PLAN_ESTIMATES_H

#include "planner/plan/serving.h"

/* --- POST /v1/estimates/memory: what a model takes on each accelerator, trained or served ----------------------- */
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
	struct parallelism parallelism; /* what is left out is searched on an accelerator; without one it is 1, and data what gpu_count leaves */
	/* inference */
	enum precision kv_precision;
	enum engine engine;
	double context_tokens; /* of each sequence */
	double concurrency;    /* sequences at once; absent: as many as fit */
};

struct memory_estimate {
	double params_total, params_active;
	double weights_bytes;              /* of the whole model in the precision asked for */
	double weights_fp32_bytes, weights_bf16_bytes, weights_int8_bytes, weights_int4_bytes;
	double kv_bytes_per_token;
	struct memory_use training;        /* per accelerator; total_bytes NaN when inference was asked for */
	struct serving_memory inference;   /* likewise */
	struct parallelism parallelism;    /* of the training's memory */
	double least_bytes;                /* training: of the leanest layout of that number */
	struct serving_parallelism replica_layout; /* of the inference's memory */
	int64_t replicas;                  /* likewise: copies of it on the accelerators given */
	bool has_training, has_inference;
	enum truth fits;                   /* on the accelerators, where one was given: exactly when gpu_count >= gpu_count_min */
	double headroom_bytes;             /* capacity less total; negative when it does not fit */
	int64_t gpu_count_min;             /* the least number of these accelerators that holds it; absent: none does */
	struct findings findings;
};

/* --- POST /v1/estimates/scaling: any of compute, tokens, params -> the others, or the verdict on a pair ---------- */
struct scaling_request {
	double compute_flops, tokens, params, epochs; /* tokens of one epoch, as a training's */
	const char *law; /* epoch (default), hoffmann_3, 20:1 */
};

struct scaling_choice {
	double params, tokens, compute_flops, loss;
};

enum { SCALING_CURVE_MAX = 33 };

struct scaling_estimate {
	const char *law, *law_source;
	struct scaling_choice optimum; /* compute-optimal for what was given */
	struct scaling_choice given;   /* params and tokens both given: that pair; else all absent */
	enum verdict verdict;
	double tokens_per_param, tokens_per_param_optimal, flops_per_percent_loss;
	double repeated_worth; /* tokens that `epochs` passes are worth, over the unique ones */
	double tokens_total, tokens_effective; /* over all epochs, and the new tokens that they are worth; absent without tokens */
	char detail[320];
	size_t curve_count;
	struct scaling_choice curve[SCALING_CURVE_MAX]; /* same compute, other sizes */
	struct findings findings;
};

/* --- POST /v1/estimates/carbon: energy, carbon, water of accelerators held for hours ----------------------------- */
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
		enum truth energy_is_facility; /* the published energy holds the building's share already; unset: not to be told */
	} implied; /* by the published figures; absent where they do not tell */
	struct figures inputs;
	size_t provenance_count;
	struct provenance provenance[PROVENANCES_MAX];
	size_t inconsistency_count;
	struct inconsistency inconsistencies[INCONSISTENCIES_MAX];
	struct findings findings;
};

#endif
