/* Reads a Hugging Face config.json, in its family's own names or the common ones, to a model: dense, GQA, MQA, MLA,
 * experts with shared experts and leading dense layers, windows, hybrids of attention, Mamba and linear layers, tied
 * embeddings.
 *
 * Unknown keys are ignored (a config has many that do not affect the size). A needed member that is missing or out of
 * bounds is a fault at its place under `pointer`. A multimodal config is read for its language model, and an unknown
 * model_type as Llama's architecture; model->notes states both. Encoders that are not counted, encoder-decoders and
 * layers that E1 does not count are rejected by name. The model is finished (counted); the caller sets its id and
 * source. STATUS_OK, STATUS_INVALID or STATUS_NO_MEMORY. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_CONFIG_H
#define FLEETPLAN_HWDB_MODELS_MODEL_CONFIG_H

#include "base/failure.h"
#include "planner/model/model.h"

FALLIBLE enum status model_config_read(const char *json, size_t length, const char *pointer, struct model *model, struct failure *failure);

#endif
