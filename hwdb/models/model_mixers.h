/* One layer's mixer from a configuration. Each function fills the mixer's members of a zeroed kind, and adds the
 * parameters that E1 does not count to extra_params. Internal to hwdb. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_MIXERS_H
#define FLEETPLAN_HWDB_MODELS_MODEL_MIXERS_H

#include "hwdb/models/model_layers.h"

/* The reach of a layer's attention in a model that may have both. */
enum reach { REACH_GLOBAL, REACH_WINDOW };

/* Attention or MLA. */
void mixer_attention_read(const struct config_reader *reader, const struct model_family *family, unsigned traits, int hidden,
	enum reach reach, struct layer_kind *kind);
void mixer_linear_read(const struct config_reader *reader, const struct model_family *family, int hidden, struct layer_kind *kind);
void mixer_mamba_read(const struct config_reader *reader, const struct model_family *family, int hidden, struct layer_kind *kind);

#endif
