#include "hwdb/models/model_quantization.h"

#include <string.h>
#include <strings.h>

#include "base/units.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Returns the format of weights with so many bits, integer or float; 4-bit floats by the group size. */
static enum precision format_of_bits(json_int_t bits, const char *type, json_int_t group)
{
	bool floating = strcmp(type, "float") == 0;

	if (bits == 8)
		return floating ? PRECISION_FP8 : PRECISION_INT8;
	if (bits != 4)
		return PRECISION_UNSET;
	return !floating ? PRECISION_INT4 : group == 32 ? PRECISION_MXFP4 : PRECISION_NVFP4; /* MX has blocks of 32, NVFP4 of 16 */
}

/* compressed-tensors and ModelOpt list groups of layers, each with its weights' format; the first group determines the
 * result. */
static enum precision format_of_groups(const json_t *quantization)
{
	json_t *groups = json_object_get(quantization, "config_groups");
	const json_t *weights = NULL;
	const char *name;
	json_t *group;

	json_object_foreach (groups, name, group) {
		weights = json_object_get(group, "weights");
		if (json_is_object(weights))
			break;
	}
	return format_of_bits(json_integer_value(json_object_get(weights, "num_bits")), text_of(weights, "type"),
		json_integer_value(json_object_get(weights, "group_size")));
}

/* Methods whose name determines the format. Sources: Transformers' quantisation configurations (FineGrainedFP8Config,
 * FbgemmFp8Config, Mxfp4Config). */
static const struct {
	const char *method;
	enum precision precision;
} methods[] = {{"fp8", PRECISION_FP8}, {"fbgemm_fp8", PRECISION_FP8}, {"mxfp4", PRECISION_MXFP4}, {"mxfp8", PRECISION_MXFP8}};

static enum precision format_of_method(const json_t *quantization, const char *method)
{
	const char *algorithm = text_of(quantization, "quant_algo");

	for (size_t i = 0; i < COUNT_OF(methods); i++)
		if (strcmp(method, methods[i].method) == 0)
			return methods[i].precision;
	if (strcmp(method, "gptq") == 0 || strcmp(method, "awq") == 0)
		return format_of_bits(json_integer_value(json_object_get(quantization, "bits")), "int", 0);
	if (strcmp(method, "bitsandbytes") == 0)
		return json_is_true(json_object_get(quantization, "load_in_4bit")) ? PRECISION_INT4
			: json_is_true(json_object_get(quantization, "load_in_8bit"))  ? PRECISION_INT8
																		   : PRECISION_UNSET;
	if (strcasecmp(algorithm, "NVFP4") == 0)
		return PRECISION_NVFP4;
	if (strncasecmp(algorithm, "FP8", 3) == 0)
		return PRECISION_FP8;
	return format_of_groups(quantization);
}

enum precision quantization_read(const json_t *config, const char **method)
{
	const json_t *quantization = json_object_get(config, "quantization_config");
	enum precision precision;

	*method = NULL;
	if (!json_is_object(quantization))
		return PRECISION_UNSET;
	precision = format_of_method(quantization, text_of(quantization, "quant_method"));
	if (precision == PRECISION_UNSET)
		*method = text_of(quantization, "quant_method");
	return precision;
}
