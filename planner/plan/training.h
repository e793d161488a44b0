/* Training plans: the request as decoded, the input as resolved, and the answer.
 *
 * planner_training() is pure: no I/O, clock, allocation or globals. It evaluates layouts for every candidate
 * accelerator and number of accelerators, keeps those that fit in memory and within the limits, and answers the best
 * by the objective, with further options of the Pareto front over time, cost and carbon. */
#ifndef FLEETPLAN_PLANNER_PLAN_TRAINING_H
#define FLEETPLAN_PLANNER_PLAN_TRAINING_H

#include "base/failure.h"
#include "planner/findings.h"
#include "planner/model/model.h"
#include "planner/plan/answer_parts.h"
#include "planner/plan/bill.h"
#include "planner/plan/summary.h"
#include "planner/progress.h"

enum stack {
	STACK_UNSET,
	STACK_GENERIC,
	STACK_MEGATRON_LM,
	STACK_MEGATRON_DEEPSPEED,
	STACK_MEGATRON_CORE,
	STACK_FSDP,
	STACK_TORCHTITAN,
	STACK_INTERNEVO,
	STACK_MAXTEXT,
	STACK_HAI_LLM,
	STACK_COUNT
};
enum optimizer {
	OPTIMIZER_UNSET,
	OPTIMIZER_ADAMW,
	OPTIMIZER_ADAMW_8BIT,
	OPTIMIZER_ADAFACTOR,
	OPTIMIZER_MUON,
	OPTIMIZER_SGD,
	OPTIMIZER_LION,
	OPTIMIZER_COUNT
};
enum recompute { RECOMPUTE_UNSET, RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL, RECOMPUTE_COUNT };
enum fine_tuning_method { FINE_TUNING_UNSET, FINE_TUNING_FULL, FINE_TUNING_LORA, FINE_TUNING_QLORA };

/* A layout. A request may pin part of it; absent members are searched. In an option all members are set. */
struct parallelism {
	int64_t tensor, pipeline, data, context, expert, interleave, micro_batch;
	int64_t zero_stage; /* 0..3 */
	int64_t zero_group; /* accelerators over which ZeRO/FSDP shards */
	enum recompute recompute;
	int64_t kept_layers; /* layers of a stage that keep all activations despite full recomputation; 0: none */
	enum truth sequence_parallel, offload;
	enum truth offload_activations; /* the inputs of recomputed layers wait in host memory */
};

struct training_stage {
	double tokens, sequence_length, global_batch_tokens;
};

struct training_stage_list {
	struct training_stage *items;
	size_t count;
};

struct training_request {
	struct request_common common;
	double tokens, epochs, sequence_length, global_batch_tokens, global_batch_size;
	enum stack stack;
	const char *stack_release; /* "2025-05" */
	struct training_stage_list stages;
	struct {
		struct model_reference teacher;
		enum precision teacher_precision;
	} distillation;
	enum optimizer optimizer;
	struct {
		enum fine_tuning_method method;
		int64_t rank;
	} fine_tuning;
	double deadline_hours, budget_usd, reserved_hours, cadence_hours;
	struct parallelism parallelism;
	double mfu;
	struct {
		double sample_bytes, storage_gbs, cpu_ms_per_sample;
		int64_t workers;
	} input_pipeline;
	struct {
		double mtbf_gpu_hours, restart_minutes, checkpoint_gbs, checkpoint_interval_minutes;
		enum truth asynchronous; /* checkpoints are written beside the training */
		int64_t spare_nodes;
		double repair_hours;
	} reliability;
};

enum { CANDIDATES_MAX = 128 };

/* The resolved input. Every member of `request` that has a default is set. */
struct training_input {
	struct training_request request;
	struct model model;
	const struct model *teacher; /* of a distillation; NULL: none, or only its size was given */
	const struct candidate *candidates;
	size_t candidate_count;
	const struct measured_step *measured; /* NULL: none; else advice is about this step instead of the predicted one */
	bool objective_is_default;            /* the request names no objective; an unset objective counts as not named, too */
	const struct candidate *newer;   /* for advice: a newer accelerator than the named one, of the same maker and on offer; NULL: none */
	const struct progress *progress; /* NULL: no progress is reported, and the computation is never stopped */
	const struct practice_constants *practice; /* NULL: the fitted constants */
	unsigned omitted;                          /* parts that the answer leaves out; advice and confidence are then not computed */
};

struct memory_use {
	double weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes;
	double model_bytes;  /* sum of the four above */
	double layers_bytes; /* model_bytes without embedding tables and without the kept part of the logits */
	double overhead_bytes, total_bytes, capacity_bytes;
};

struct step_time {
	double time_s; /* exactly the sum of the parts below, each counted only as far as it is exposed */
	double compute_s, recompute_s, tensor_comm_s, context_comm_s, pipeline_comm_s, pipeline_bubble_s;
	double data_comm_exposed_s, expert_comm_s, optimizer_s, input_wait_s, host_transfer_s, launch_overhead_s;
};

enum bottleneck {
	BOTTLENECK_UNSET,
	BOTTLENECK_COMPUTE,
	BOTTLENECK_MEMORY,
	BOTTLENECK_MEMORY_BANDWIDTH,
	BOTTLENECK_INTERCONNECT,
	BOTTLENECK_PIPELINE_BUBBLE,
	BOTTLENECK_INPUT,
	BOTTLENECK_HOST_TRANSFER,
	BOTTLENECK_LAUNCH_OVERHEAD,
	BOTTLENECK_COUNT
};

struct bottleneck_use {
	enum bottleneck kind;
	double shares[BOTTLENECK_COUNT]; /* of the step time; sum 1 */
};

/* A limit of the request, and the probability that an option keeps it. */
struct promised {
	const char *what; /* deadline, budget, energy_cap, carbon_cap, slo */
	double limit, probability;
};

enum { PROMISES_MAX = 4, UNCERTAINTIES_MAX = 8, CONFIDENCES_MAX = 4 };

/* An uncertainty: what it adds to hours and cost at the request's confidence, and how to reduce it. */
struct uncertainty {
	const char *field, *cure;
	double wall_clock_hours, total_usd; /* total_usd absent: no price is known */
};

/* Effect of a confidence: the number of accelerators, and the hours and cost that are not exceeded with it. */
struct confidence_point {
	double confidence;
	int64_t gpu_count;
	double wall_clock_hours, total_usd;
};

struct training_option {
	struct accelerator accelerator; /* encoded by its id */
	int64_t gpu_count, node_count;
	struct parallelism parallelism;
	struct memory_use memory;
	struct step_time step;
	double mfu, hfu, tflops_per_gpu, tokens_per_s, tokens_per_s_per_gpu; /* of the step */
	double run_mfu;                                                      /* of the whole run, practice and goodput included */
	double wall_clock_hours, gpu_hours;
	struct practice practice;
	size_t promise_count;
	struct promised promises[PROMISES_MAX];
	struct {
		double fraction, checkpoint_interval_minutes, checkpoint_s, mtbf_hours, expected_failures, lost_hours;
		int64_t spare_nodes; /* given, or the number with which the job waits for a repair at most 1 % of the time */
	} goodput;
	struct cost cost;
	bool has_purchase; /* pricing.on_premises */
	struct purchase purchase;
	struct energy energy;
	struct carbon carbon;
	double water_l;
	struct bottleneck_use bottleneck;
	struct figures inputs; /* inputs of hours, cost, energy, carbon and water */
	size_t provenance_count;
	struct provenance provenance[PROVENANCES_MAX];
	struct {
		struct interval wall_clock_hours, gpu_hours, total_usd, total_kwh, total_kgco2e, step_time_s;
	} interval;
	struct {
		double total_usd, total_kwh, total_kgco2e; /* of a month of a recurring training (cadence_hours); else absent */
	} monthly;
};

/* A measured step of this training: time_s and its parts by bottleneck; a part that was not measured is absent. */
struct measured_step {
	double time_s, parts_s[BOTTLENECK_COUNT];
};

enum verdict { VERDICT_UNSET, VERDICT_COMPUTE_INEFFICIENT, VERDICT_DATA_INEFFICIENT, VERDICT_NEAR_OPTIMAL };

enum { TRAINING_OPTIONS_MAX = 32, TRAINING_STAGES_MAX = 16 };

/* One stage of a progressive training on the recommended fleet. */
struct stage_plan {
	double tokens, sequence_length, global_batch_tokens, step_time_s, wall_clock_hours;
	struct parallelism parallelism;
};

struct training_plan {
	struct summary summary; /* written by service/summary.c */
	struct {
		double params_total, params_active, tokens_total, flops_per_token, flops_total, petaflop_s_days;
	} workload;
	struct training_option recommended;
	size_t confidence_count;
	struct confidence_point confidence_curve[CONFIDENCES_MAX];
	size_t uncertainty_count;
	struct uncertainty uncertainties[UNCERTAINTIES_MAX]; /* of the recommended option, the costliest first */
	size_t stage_count;                                  /* 0 unless the request has stages */
	struct stage_plan stages[TRAINING_STAGES_MAX];
	size_t alternative_count;
	struct training_option alternatives[TRAINING_OPTIONS_MAX];
	size_t shown_count; /* written by service/alternatives.c: what the answer has as `alternatives` */
	struct alternative shown[TRAINING_OPTIONS_MAX + LEAN_ALTERNATIVES];
	size_t front_count;                       /* 0: no price is known */
	struct front_point front[FRONT_KEPT_MAX]; /* the answer has FRONT_POINTS_MAX of them */
	size_t reservation_count;                 /* the resolver fills these from the offers */
	struct reservation reservations[RESERVATIONS_MAX];
	struct {
		double gpu_hours, gpu_count_exact, gpu_count, gpu_count_a100; /* counts NaN without a deadline */
		char formula[400];                                            /* the formula, and why it differs from the model */
		double implied_mfu;
	} rule_of_thumb;
	struct {
		/* absent if the scaling laws do not apply: fine-tuning, and models that are not transformers; `detail` says so */
		double tokens_optimal, params_optimal, predicted_loss, flops_per_percent_loss;
		double tokens_effective; /* new tokens that are worth as much as the tokens with repetition (E19) */
		double compute_factor;   /* compute spent over the least compute that reaches the same loss: the price of over- or under-training */
		enum verdict verdict;
		char detail[320];
	} compute_optimal;
	struct {
		int64_t evaluated, feasible;
		double elapsed_ms; /* the caller, which has a clock, fills it */
	} search;
	struct {
		double global_batch_tokens;
		int64_t micro_batch, gradient_accumulation_steps;
		double critical_batch_tokens, learning_rate_scale;
		char detail[320]; /* conditions under which the learning rate scales so, and the effect of batches above the critical one */
	} batch;
	struct {
		double read_s, decode_s;                   /* of a step's samples; absent: not given */
		double storage_gbs_needed, workers_needed; /* with which no step waits for input */
	} input;
	struct findings findings;
};

/* Computes a training plan. The plan is about 300 kB: allocate it in an arena.
 *
 * Given:    input  resolved
 *           plan   plan->findings cleared, or with the resolver's findings: the planner appends to them
 * Returned: STATUS_OK and the plan; STATUS_INFEASIBLE with the constraint to relax, and by how much; STATUS_INVALID
 *             for a pinned layout that is impossible; STATUS_CANCELLED if `progress` stops it */
FALLIBLE enum status planner_training(const struct training_input *input, struct training_plan *plan, struct failure *failure);

/* Checks the batch and the pinned layout of a request whose model can be resolved but not the rest. These checks need
 * no accelerator, so the client receives all faults at once. Adds the faults to `failure`. */
void planner_training_check(const struct training_input *input, struct failure *failure);

/* Fills the members of `request` that the client left out and the plan decided (sequence length, global batch,
 * machines and their network), so that the completed request gives the same plan. The release of the software stays
 * absent: given, it would replace a part of practice (E131). */
void training_request_complete(const struct training_input *input, const struct training_plan *plan, struct training_request *request);

#endif
