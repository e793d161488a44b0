/* The number format that a checkpoint is published in, from its config.json's quantization_config. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_QUANTIZATION_H
#define FLEETPLAN_HWDB_MODELS_MODEL_QUANTIZATION_H

#include <jansson.h>

#include "planner/precision.h"

/* Returns the format of most weights. Given: `config`, the object that contains quantization_config, or the one nested
 * in it for the language model. PRECISION_UNSET without quantisation, or with an unknown method (*method is then its
 * name, else NULL). Text is borrowed from config. */
enum precision quantization_read(const json_t *config, const char **method);

#endif
