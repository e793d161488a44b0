/* A Hugging Face config.json, in its family's own names or the common ones, to a model: dense, GQA, MQA, MLA, experts with
 * shared experts and leading dense layers, windows, hybrids of attention, Mamba and linear layers, tied embeddings.
 *
 * Unknown keys are ignored (a config holds many that do not bear on size). What is needed and missing, or out of bounds,
 * is a fault at its place under `pointer`. A multimodal config is read for its language model; an unknown model_type as
 * Llama's architecture; model->notes says so. Encoders, encoder-decoders and layers that E1 does not count are refused
 * by name. The model is finished (counted); its id and source are the caller's to set. STATUS_OK, STATUS_INVALID
 * or STATUS_NO_MEMORY. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_CONFIG_H
#define FLEETPLAN_HWDB_MODELS_MODEL_CONFIG_H

#include "base/failure.h"
#include "planner/model/model.h"

FALLIBLE enum status model_config_read(
	const char *json, size_t length, const char *pointer, struct model *model, struct failure *failure);

#endif
