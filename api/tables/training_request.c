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
	INTEGER(zero_stage, 0, 3, "ZeRO stage; 3 also stands for FSDP"),
	INTEGER(
		zero_group, 1, 1000000, "Accelerators over which ZeRO or FSDP shards; all data-parallel ranks unless given"),
	CHOICE(recompute, recompute_words, "Activations recomputed in the backward pass"),
	INTEGER(kept_layers, 0, 1024, "Layers of each stage that keep their activations under full recomputation; the others are done again"),
	TRUTH(sequence_parallel, "Norms and dropout split along the sequence over the tensor-parallel group"),
	TRUTH(offload, "Optimizer state in host memory"),
	TRUTH(offload_activations, "Inputs of the layers that full recomputation does again, in host memory; unset: on TPUs and beside `offload`, where nothing else fits"),
};
TABLE(parallelism, parallelism_rows, "How a training is split over accelerators; what is left out is searched.");
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
TABLE(distillation, distillation_rows, "A teacher, whose forward pass is part of the step and of the memory.");
#undef OF

DECLARE_TABLE(fine_tuning, MEMBER_TYPE(struct training_request, fine_tuning));
#define OF MEMBER_TYPE(struct training_request, fine_tuning)
static const struct field fine_tuning_rows[] = {
	CHOICE(method, fine_tuning_words, "Which parameters are trained", .flags = REQUIRED),
	INTEGER(rank, 1, 4096, "Rank of the adapters"),
};
TABLE(fine_tuning, fine_tuning_rows, "Fine-tuning: optimizer state for the trained parameters only.");
#undef OF

DECLARE_TABLE(input_pipeline, MEMBER_TYPE(struct training_request, input_pipeline));
#define OF MEMBER_TYPE(struct training_request, input_pipeline)
static const struct field input_pipeline_rows[] = {
	POSITIVE(sample_bytes, 1e12, "One sample as it is read"),
	POSITIVE(storage_gbs, 1e6, "Rate of the storage, all nodes together"),
	NUMBER(cpu_ms_per_sample, 0, 1e6, "Preparing one sample on one worker"),
	INTEGER(workers, 1, 1000000, "Workers that prepare samples, of each accelerator (as a DataLoader's num_workers)", .fallback = "1"),
};
TABLE(input_pipeline, input_pipeline_rows, "How samples reach the accelerators; assumed not to bind unless given.");
#undef OF

DECLARE_TABLE(reliability, MEMBER_TYPE(struct training_request, reliability));
#define OF MEMBER_TYPE(struct training_request, reliability)
static const struct field reliability_rows[] = {
	POSITIVE(mtbf_gpu_hours, 1e9, "Accelerator-hours between failures that stop the job"),
	NUMBER(restart_minutes, 0, 10080, "From a failure to training again"),
	POSITIVE(checkpoint_gbs, 1e6, "Rate at which checkpoints are written, all nodes together"),
	POSITIVE(checkpoint_interval_minutes, 100000, "Between checkpoints; the optimum unless given"),
	TRUTH(asynchronous, "Checkpoints are written beside the training, which stops only for the copy to host memory", .fallback = "false"),
	INTEGER(spare_nodes, 0, 10000, "Nodes kept ready to replace broken ones, and paid for; without it a replacement is taken to be at hand"),
	POSITIVE(repair_hours, 10000, "Until a broken node is back", .fallback = "24"),
};
TABLE(reliability, reliability_rows, "Failures and checkpoints.");
#undef OF

#define OF struct training_request
static const struct field training_request_rows[] = {
	MERGE(common, about),
	MERGE(common, request_common),
	MERGE(common, assurance),
	COUNT(tokens, 1, 1e18, "Training tokens of one epoch (samples of a generic model)", .example = "\"15T\""),
	POSITIVE(epochs, 10000, "Passes over them: tokens x epochs are seen in all, and what is seen again teaches less (E19)", .fallback = "1"),
	COUNT(sequence_length, 1, 1e8, "Tokens in a sequence"),
	COUNT(global_batch_tokens, 1, 1e12, "Tokens in an optimizer step; chosen and explained unless given"),
	COUNT(global_batch_size, 1, 1e9, "Sequences in an optimizer step, instead of tokens"),
	MERGE(common, training_precision),
	CHOICE(stack, stack_words, "Training software, which moves speed as much as hardware does", .fallback = "generic"),
	TEXT(stack_release, 7, "Year and month of that software", .form = FORM_MONTH, .fallback = "the newest known",
		.example = "\"2025-05\""),
	LIST(stages, 16, training_stage, "Progressive training: stages planned one by one on the same fleet and summed"),
	OBJECT(distillation, distillation, "Distillation"),
	CHOICE(optimizer, optimizer_words, "Optimizer", .fallback = "adamw"),
	OBJECT(fine_tuning, fine_tuning, "Fine-tuning; absent for pre-training"),
	HOURS(deadline_hours, 1e6, "Time within which it has to be done", .example = "\"30d\""),
	POSITIVE(budget_usd, 1e13, "Money that it may cost"),
	HOURS_OR_NONE(reserved_hours, 1e6, "Taken off the deadline: deployment, evaluation, A/B test"),
	HOURS(cadence_hours, 1e5, "A training that recurs: the deadline defaults to this less what is reserved"),
	OBJECT(parallelism, parallelism, "Pins any part of the layout; the rest is searched"),
	NUMBER(mfu, 0.0001, 1, "Pins the model FLOP utilisation instead of modelling it"),
	OBJECT(input_pipeline, input_pipeline, "Input pipeline"),
	OBJECT(reliability, reliability, "Failures and checkpoints"),
};
TABLE(training_request, training_request_rows, "A training to plan.");
#undef OF
