#include "api/tables/shared.h"

#define OF struct parallelism
static const struct field parallelism_rows[] = {
	INTEGER(tensor, 1, 4096, "Tensor-parallel degree"),
	INTEGER(pipeline, 1, 4096, "Pipeline stages"),
	INTEGER(data, 1, 1000000, "Data-parallel degree; tensor x pipeline x data x context is the number of accelerators"),
	INTEGER(context, 1, 4096, "Context-parallel degree: sequences split over accelerators"),
	INTEGER(expert, 1, 4096, "Expert-parallel degree; divides tensor x context x data"),
	INTEGER(interleave, 1, 64, "Model chunks of each pipeline stage"),
	INTEGER(micro_batch, 1, 65536, "Sequences in a micro-batch"),
	INTEGER(zero_stage, 0, 3, "ZeRO stage; 3 also means FSDP"),
	INTEGER(zero_group, 1, 1000000, "Accelerators over which ZeRO or FSDP shards; default: all data-parallel ranks"),
	CHOICE(recompute, recompute_words, "Activations recomputed in the backward pass"),
	INTEGER(kept_layers, 0, 1024, "Layers of each stage that keep their activations under full recomputation; the others recompute them",
		.parts = PART_DETAILS),
	TRUTH(sequence_parallel, "Whether norms and dropout are split along the sequence over the tensor-parallel group"),
	TRUTH(offload, "Whether the optimizer state is in host memory"),
	TRUTH(offload_activations,
		"Whether the inputs of recomputed layers are in host memory (full recomputation); default: on TPUs and with `offload`, if nothing else fits"),
};
TABLE(parallelism, parallelism_rows, "How a training is split over accelerators; the planner searches the fields that are left out.");
#undef OF

#define OF struct training_stage
static const struct field training_stage_rows[] = {
	COUNT(tokens, 1, 1e18, "Tokens of this stage in one epoch", .flags = REQUIRED, .example = "\"800B\""),
	COUNT(sequence_length, 1, 1e8, "Tokens in a sequence"),
	COUNT(global_batch_tokens, 1, 1e12, "Tokens in an optimizer step"),
};
DECLARE_TABLE(training_stage, struct training_stage);
TABLE(training_stage, training_stage_rows, "One stage of a progressive training.");
#undef OF

DECLARE_TABLE(distillation, MEMBER_TYPE(struct training_request, distillation));
#define OF MEMBER_TYPE(struct training_request, distillation)
static const struct field distillation_rows[] = {
	OBJECT(teacher, model_reference, "The teacher", .flags = REQUIRED),
	CHOICE(teacher_precision, precision_words, "Number format of the teacher's weights", .fallback = "the student's"),
};
TABLE(distillation, distillation_rows, "A teacher model; its forward pass is part of each step and its weights take memory.");
#undef OF

DECLARE_TABLE(fine_tuning, MEMBER_TYPE(struct training_request, fine_tuning));
#define OF MEMBER_TYPE(struct training_request, fine_tuning)
static const struct field fine_tuning_rows[] = {
	CHOICE(method, fine_tuning_words, "Which parameters are trained", .flags = REQUIRED),
	INTEGER(rank, 1, 4096, "Rank of the adapters"),
};
TABLE(fine_tuning, fine_tuning_rows, "Fine-tuning: only trained parameters have optimizer state.");
#undef OF

DECLARE_TABLE(input_pipeline, MEMBER_TYPE(struct training_request, input_pipeline));
#define OF MEMBER_TYPE(struct training_request, input_pipeline)
static const struct field input_pipeline_rows[] = {
	POSITIVE(sample_bytes, 1e12, "Bytes read for one sample"),
	POSITIVE(storage_gbs, 1e6, "Storage bandwidth, the sum of all nodes"),
	NUMBER(cpu_ms_per_sample, 0, 1e6, "Time of one worker to prepare one sample"),
	INTEGER(workers, 1, 1000000, "Workers that prepare samples, per accelerator (like num_workers of a DataLoader)", .fallback = "1"),
};
TABLE(input_pipeline, input_pipeline_rows,
	"How samples reach the accelerators. If absent, the planner assumes that input is not a bottleneck.");
#undef OF

DECLARE_TABLE(reliability, MEMBER_TYPE(struct training_request, reliability));
#define OF MEMBER_TYPE(struct training_request, reliability)
static const struct field reliability_rows[] = {
	POSITIVE(mtbf_gpu_hours, 1e9, "Mean accelerator-hours between failures that stop the job"),
	NUMBER(restart_minutes, 0, 10080, "Time from a failure until training continues"),
	POSITIVE(checkpoint_gbs, 1e6, "Bandwidth for writing checkpoints, the sum of all nodes"),
	POSITIVE(checkpoint_interval_minutes, 100000, "Time between checkpoints; default: the optimum"),
	TRUTH(asynchronous, "Whether checkpoints are written during training, which then stops only for the copy to host memory",
		.fallback = "false"),
	INTEGER(spare_nodes, 0, 10000,
		"Spare nodes to replace broken ones; they are paid for. If absent, a replacement is assumed to be available at once"),
	POSITIVE(repair_hours, 10000, "Time until a broken node is repaired", .fallback = "24"),
};
TABLE(reliability, reliability_rows, "Failures and checkpoints.");
#undef OF

#define OF struct training_request
static const struct field training_request_rows[] = {
	MERGE(common, about),
	MERGE(common, request_common),
	MERGE(common, assurance),
	MERGE(common, expansion),
	COUNT(tokens, 1, 1e18, "Training tokens of one epoch (samples for a generic model)", .example = "\"15T\""),
	POSITIVE(epochs, 10000, "Passes over the tokens: the training processes tokens x epochs, and repeated tokens add less (E19)",
		.fallback = "1"),
	COUNT(sequence_length, 1, 1e8, "Tokens in a sequence"),
	COUNT(global_batch_tokens, 1, 1e12, "Tokens in an optimizer step; default: the planner chooses and explains it"),
	COUNT(global_batch_size, 1, 1e9, "Sequences in an optimizer step, instead of tokens"),
	MERGE(common, training_precision),
	CHOICE(stack, stack_words, "Training software; it affects the speed as much as the hardware does", .fallback = "generic"),
	TEXT(stack_release, 7, "Year and month of the software's release", .form = FORM_MONTH, .fallback = "the newest known",
		.example = "\"2025-05\""),
	LIST(stages, 16, training_stage,
		"Progressive training: stages that run one after another on the same accelerators; their figures are summed"),
	OBJECT(distillation, distillation, "The teacher of a distillation"),
	CHOICE(optimizer, optimizer_words, "Optimizer", .fallback = "adamw"),
	OBJECT(fine_tuning, fine_tuning, "Fine-tuning; absent for pre-training"),
	HOURS(deadline_hours, 1e6, "Deadline", .example = "\"30d\""),
	POSITIVE(budget_usd, 1e13, "Budget"),
	HOURS_OR_NONE(reserved_hours, 1e6, "Time subtracted from the deadline: deployment, evaluation, A/B test"),
	HOURS(cadence_hours, 1e5, "Interval of a recurring training; the deadline defaults to it less reserved_hours"),
	OBJECT(parallelism, parallelism, "Fixes any part of the layout; the planner searches the rest"),
	NUMBER(mfu, 0.0001, 1, "Fixes the model FLOP utilisation; the planner does not model it"),
	OBJECT(input_pipeline, input_pipeline, "How samples reach the accelerators"),
	OBJECT(reliability, reliability, "Failures and checkpoints"),
};
TABLE(training_request, training_request_rows, "A training to plan.");
#undef OF
