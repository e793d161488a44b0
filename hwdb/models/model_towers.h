/* Models that are not causal decoders, from their Hugging Face config: the work of a sample, summed over their towers
 * (E3 by part).
 *
 * T5, Whisper, ViT, CLIP, DiT, Stable Diffusion 3 and Flux become generic models: parameters, FLOPs of one sample's
 * forward pass and bytes of one sample, from the config's shapes and the family's published implementation. The notes
 * define a sample. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_TOWERS_H
#define FLEETPLAN_HWDB_MODELS_MODEL_TOWERS_H

#include "hwdb/models/config_reader.h"
#include "planner/model/model.h"

/* True if the config is of one of these families, by its model_type or a diffusion transformer's _class_name. */
bool model_towers_known(const struct config_reader *reader);

/* Fills the model. Faults are added to the reader's failure. */
void model_towers_read(const struct config_reader *reader, struct model *model);

#endif
