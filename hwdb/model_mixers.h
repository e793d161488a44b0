/* One layer's mixer from a configuration. Each fills the mixer's members of a zeroed kind and adds to extra_params what E1
 * does not count. Internal to hwdb. */
#ifndef FLEETPLAN_HWDB_MODEL_MIXERS_H
#define FLEETPLAN_HWDB_MODEL_MIXERS_H

#include "hwdb/model_layers.h"

/* Attention or MLA. `global`: attends to all in a model where others do not. */
void mixer_attention_read(const struct config_reader *reader, const struct model_family *family, unsigned traits, int hidden,
	bool global, struct layer_kind *kind);
void mixer_gated_delta_read(const struct config_reader *reader, struct layer_kind *kind);
void mixer_mamba_read(const struct config_reader *reader, const struct model_family *family, int hidden, struct layer_kind *kind);

#endif
