/* Models that are no causal decoder, by their Hugging Face config: a sample's work summed over their towers (E3 by part).
 *
 * T5, Whisper, ViT, CLIP, DiT, Stable Diffusion 3 and Flux become generic models: parameters, FLOPs of one sample's forward pass and bytes of
 * one sample, each by the shapes that the config holds and its family's published implementation. What a sample is stands in the notes. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_TOWERS_H
#define FLEETPLAN_HWDB_MODELS_MODEL_TOWERS_H

#include "hwdb/models/config_reader.h"
#include "planner/model/model.h"

/* Whether the config is of one of these: its model_type, or a diffusion transformer's _class_name. */
bool model_towers_known(const struct config_reader *reader);

/* Fills the model; faults go to the reader's failure. */
void model_towers_read(const struct config_reader *reader, struct model *model);

#endif
