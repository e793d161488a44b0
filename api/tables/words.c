#include "api/tables/shared.h"

const char *const training_precision_words[PRECISION_COUNT] = {[PRECISION_FP32] = "fp32",
	[PRECISION_TF32] = "tf32",
	[PRECISION_FP16] = "fp16",
	[PRECISION_BF16] = "bf16",
	[PRECISION_FP8] = "fp8",
	[PRECISION_MXFP8] = "mxfp8",
	[PRECISION_NVFP4] = "nvfp4"};
const char *const stack_words[STACK_COUNT] = {[STACK_GENERIC] = "generic",
	[STACK_MEGATRON_LM] = "megatron_lm",
	[STACK_MEGATRON_DEEPSPEED] = "megatron_deepspeed",
	[STACK_MEGATRON_CORE] = "megatron_core",
	[STACK_FSDP] = "fsdp",
	[STACK_TORCHTITAN] = "torchtitan",
	[STACK_INTERNEVO] = "internevo",
	[STACK_MAXTEXT] = "maxtext",
	[STACK_HAI_LLM] = "hai_llm"};
const char *const optimizer_words[OPTIMIZER_COUNT] = {[OPTIMIZER_ADAMW] = "adamw",
	[OPTIMIZER_ADAMW_8BIT] = "adamw_8bit",
	[OPTIMIZER_ADAFACTOR] = "adafactor",
	[OPTIMIZER_MUON] = "muon",
	[OPTIMIZER_SGD] = "sgd",
	[OPTIMIZER_LION] = "lion"};
const char *const recompute_words[RECOMPUTE_COUNT] = {
	[RECOMPUTE_NONE] = "none", [RECOMPUTE_SELECTIVE] = "selective", [RECOMPUTE_FULL] = "full"};
const char *const fine_tuning_words[FINE_TUNING_QLORA + 1] = {
	[FINE_TUNING_FULL] = "full", [FINE_TUNING_LORA] = "lora", [FINE_TUNING_QLORA] = "qlora"};
const char *const objective_words[OBJECTIVE_GPUS + 1] = {
	[OBJECTIVE_COST] = "cost", [OBJECTIVE_TIME] = "time", [OBJECTIVE_ENERGY] = "energy", [OBJECTIVE_CARBON] = "carbon", [OBJECTIVE_GPUS] = "gpus"};
const char *const calibration_words[CALIBRATION_DATASHEET + 1] = {[CALIBRATION_MEASURED] = "measured", [CALIBRATION_DATASHEET] = "datasheet"};
const char *const practice_words[PRACTICE_COUNT] = {
	[PRACTICE_RECIPE] = "recipe", [PRACTICE_TYPICAL] = "typical", [PRACTICE_FIRST_RUN] = "first_run"};
const char *const term_words[TERM_COUNT] = {
	[TERM_ON_DEMAND] = "on_demand", [TERM_SPOT] = "spot", [TERM_RESERVED_1Y] = "reserved_1y", [TERM_RESERVED_3Y] = "reserved_3y"};
const char *const engine_words[ENGINE_COUNT] = {
	[ENGINE_GENERIC] = "generic", [ENGINE_VLLM] = "vllm", [ENGINE_TENSORRT_LLM] = "tensorrt_llm", [ENGINE_SGLANG] = "sglang"};
const char *const redundancy_words[REDUNDANCY_N_PLUS_2 + 1] = {
	[REDUNDANCY_NONE] = "none", [REDUNDANCY_N_PLUS_1] = "n_plus_1", [REDUNDANCY_N_PLUS_2] = "n_plus_2"};
const char *const routing_words[ROUTING_PREFIX_AWARE + 1] = {
	[ROUTING_ROUND_ROBIN] = "round_robin", [ROUTING_LEAST_OUTSTANDING] = "least_outstanding", [ROUTING_PREFIX_AWARE] = "prefix_aware"};
const char *const bottleneck_words[BOTTLENECK_COUNT] = {[BOTTLENECK_COMPUTE] = "compute",
	[BOTTLENECK_MEMORY] = "memory",
	[BOTTLENECK_MEMORY_BANDWIDTH] = "memory_bandwidth",
	[BOTTLENECK_INTERCONNECT] = "interconnect",
	[BOTTLENECK_PIPELINE_BUBBLE] = "pipeline_bubble",
	[BOTTLENECK_INPUT] = "input",
	[BOTTLENECK_HOST_TRANSFER] = "host_transfer",
	[BOTTLENECK_LAUNCH_OVERHEAD] = "launch_overhead"};
const char *const verdict_words[VERDICT_NEAR_OPTIMAL + 1] = {
	[VERDICT_COMPUTE_INEFFICIENT] = "compute_inefficient", [VERDICT_DATA_INEFFICIENT] = "data_inefficient", [VERDICT_NEAR_OPTIMAL] = "near_optimal"};
const char *const provenance_words[PROVENANCE_DERIVED + 1] = {
	[PROVENANCE_GIVEN] = "given", [PROVENANCE_DEFAULT] = "default", [PROVENANCE_MEASURED] = "measured", [PROVENANCE_DERIVED] = "derived"};
const char *const memory_purpose_words[MEMORY_PURPOSE_COUNT] = {
	[MEMORY_PURPOSE_TRAINING] = "training", [MEMORY_PURPOSE_INFERENCE] = "inference"};

const char *const plan_kind_words[2] = {"training", "inference"};
const char *const state_words[6] = {"queued", "running", "succeeded", "failed", "cancelled", "expired"};
const char *const ecc_words[2] = {"enabled", "disabled"};
const char *const agent_state_words[2] = {"online", "silent"};
const char *const agent_device_state_words[3] = {"idle", "suspect", "wedged"};
const char *const job_state_words[5] = {"queued", "running", "succeeded", "failed", "cancelled"};
const char *const generic_words[1] = {"generic"};
const char *const law_words[3] = {"epoch", "hoffmann_3", "20:1"};
const char *const role_words[4] = {"viewer", "planner", "admin", "agent"};

const char *const similar_reasons[3] = {"nearly the same", "worse", NULL};
