/* From a configuration's members to the layers of a model: which mixer and which feed-forward each one has.
 * Internal to hwdb; model_config.h is what others use. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_LAYERS_H
#define FLEETPLAN_HWDB_MODELS_MODEL_LAYERS_H

#include "hwdb/models/config_reader.h"
#include "hwdb/models/model_family.h"
#include "planner/model/model.h"

/* Fills model->layers, kinds, layer_count and kind_count; model->hidden is set. Faults go to the reader's failure. */
void model_layers_read(
	const struct config_reader *reader, const struct model_family *family, unsigned traits, struct model *model);

/* Adds a sentence to model->notes, as far as there is room. */
void model_note(struct model *model, const char *format, ...) PRINTF_LIKE(2, 3);

/* Bounds: beyond every model that exists, and far from overflow when two are multiplied. */
enum { WIDTH_MAX = 1 << 20, HEADS_MAX = 1 << 14, EXPERTS_MAX = 1 << 14, TOKENS_MAX = 1 << 30 };

#endif
