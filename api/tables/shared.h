/* Tables and words that several of the API's tables use. Only for api/tables/. */
#ifndef FLEETPLAN_API_TABLES_SHARED_H
#define FLEETPLAN_API_TABLES_SHARED_H

#include "api/tables/tables.h"

/* The words for an enum's values, indexed by the value; 0 is unset. */
extern const char *const training_precision_words[PRECISION_COUNT];
extern const char *const stack_words[STACK_COUNT], *const optimizer_words[OPTIMIZER_COUNT], *const recompute_words[RECOMPUTE_COUNT];
extern const char *const fine_tuning_words[FINE_TUNING_QLORA + 1], *const objective_words[OBJECTIVE_GPUS + 1];
extern const char *const practice_words[PRACTICE_COUNT];
extern const char *const similar_reasons[3]; /* beginnings of the reasons of alternatives that a short answer leaves out */
extern const char *const calibration_words[CALIBRATION_DATASHEET + 1], *const term_words[TERM_COUNT];
extern const char *const engine_words[ENGINE_COUNT], *const redundancy_words[REDUNDANCY_N_PLUS_2 + 1];
extern const char *const routing_words[ROUTING_PREFIX_AWARE + 1];
extern const char *const bottleneck_words[BOTTLENECK_COUNT], *const verdict_words[VERDICT_NEAR_OPTIMAL + 1];
extern const char *const provenance_words[PROVENANCE_DERIVED + 1], *const memory_purpose_words[MEMORY_PURPOSE_COUNT];

/* Words that the structs store as text. */
extern const char *const plan_kind_words[2],
	*const state_words[6], *const job_state_words[5], *const agent_state_words[2], *const ecc_words[2], *const agent_device_state_words[3];
extern const char *const generic_words[1], *const law_words[3], *const role_words[4];

/* Parts of requests. */
DECLARE_TABLE(model_reference, struct model_reference);
DECLARE_TABLE(accelerator_reference, struct accelerator_reference);
DECLARE_TABLE(on_premises, struct on_premises);
DECLARE_TABLE(purchase, struct purchase);
DECLARE_TABLE(currency, struct currency);
DECLARE_TABLE(pricing, struct pricing);
DECLARE_TABLE(site_request, struct site_request);
DECLARE_TABLE(hardware_request, struct hardware_request);
DECLARE_TABLE(about, struct request_common);     /* name, labels, notes */
DECLARE_TABLE(assurance, struct request_common); /* practice, confidence */
DECLARE_TABLE(expansion, struct request_common); /* expand */
DECLARE_TABLE(training_precision, struct request_common);
DECLARE_TABLE(weight_precision, struct request_common);
DECLARE_TABLE(request_common, struct request_common); /* everything else */
DECLARE_TABLE(replica_common, struct request_common); /* model, accelerator, gpu_count, calibration, as_of */
DECLARE_TABLE(token_distribution, struct token_distribution);
DECLARE_TABLE(parallelism, struct parallelism);
DECLARE_TABLE(serving_parallelism, struct serving_parallelism);

/* Parts of results. */
DECLARE_TABLE(accelerator_id, struct accelerator);
DECLARE_TABLE(findings, struct findings);
DECLARE_TABLE(provenance, struct provenance);
DECLARE_TABLE(figure, struct figure);
DECLARE_TABLE(interval, struct interval);
DECLARE_TABLE(summary_figure, struct summary_figure);
DECLARE_TABLE(practice, struct practice);
DECLARE_TABLE(promised, struct promised);
DECLARE_TABLE(memory_use, struct memory_use);
DECLARE_TABLE(serving_memory, struct serving_memory);
DECLARE_TABLE(energy, struct energy);
DECLARE_TABLE(carbon, struct carbon);
DECLARE_TABLE(bottleneck, struct bottleneck_use);
DECLARE_TABLE(step_time, struct step_time);

#endif
