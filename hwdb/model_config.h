/* A Hugging Face config.json (or GPT-2's own names) to a model: dense, GQA, MQA, MLA, MoE with shared experts and
 * leading dense layers, sliding window, hybrid attention/Mamba/linear layers, tied embeddings.
 *
 * Unknown keys are ignored (a config holds many that do not bear on size); what is needed and missing, or out of
 * bounds, is a fault at its pointer under `pointer`. */
#ifndef FLEETPLAN_HWDB_MODEL_CONFIG_H
#define FLEETPLAN_HWDB_MODEL_CONFIG_H

#include "base/failure.h"
#include "planner/workload/model.h"

FALLIBLE enum status model_config_read(const char *json, size_t length, const char *pointer, struct model *model, struct failure *failure);

#endif
