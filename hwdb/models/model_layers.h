/* The layers of a model from a configuration's members: the mixer and the feed-forward of each layer. Internal to hwdb;
 * others use model_config.h. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_LAYERS_H
#define FLEETPLAN_HWDB_MODELS_MODEL_LAYERS_H

#include "hwdb/models/config_reader.h"
#include "hwdb/models/model_family.h"
#include "planner/model/model.h"

/* Fills model->layers, kinds, layer_count and kind_count. model->hidden must be set. Faults are added to the reader's
 * failure. */
void model_layers_read(const struct config_reader *reader, const struct model_family *family, unsigned traits, struct model *model);

/* Adds a sentence to model->notes if there is room. */
void model_note(struct model *model, const char *format, ...) PRINTF_LIKE(2, 3);

/* Bounds larger than any existing model, whose products do not overflow. */
enum { WIDTH_MAX = 1 << 20, HEADS_MAX = 1 << 14, EXPERTS_MAX = 1 << 14, TOKENS_MAX = 1 << 30 };

#endif
