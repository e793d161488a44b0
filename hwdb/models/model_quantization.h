/* The number format that a checkpoint is published in, from its config.json's quantization_config. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_QUANTIZATION_H
#define FLEETPLAN_HWDB_MODELS_MODEL_QUANTIZATION_H

#include <jansson.h>

#include "planner/precision.h"

/* `config`: the object that holds quantization_config, or one nested in it for the language model. Returned: the format of most weights;
 * PRECISION_UNSET where nothing is quantised, or in a way that is not known (*method then names it, else NULL). Text is borrowed from config. */
enum precision quantization_read(const json_t *config, const char **method);

#endif
