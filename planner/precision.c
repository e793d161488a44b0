#include "planner/precision.h"

#include <string.h>

static const struct {
	const char *name;
	double weight_bytes;
} precisions[PRECISION_COUNT] = {
	[PRECISION_UNSET] = {"", 0},
	[PRECISION_FP32] = {"fp32", 4},
	[PRECISION_TF32] = {"tf32", 4},
	[PRECISION_FP16] = {"fp16", 2},
	[PRECISION_BF16] = {"bf16", 2},
	[PRECISION_FP8] = {"fp8", 1},
	[PRECISION_MXFP8] = {"mxfp8", 1 + 1.0 / 32},
	[PRECISION_NVFP4] = {"nvfp4", 0.5 + 1.0 / 16},
	[PRECISION_MXFP4] = {"mxfp4", 0.5 + 1.0 / 32},
	[PRECISION_INT8] = {"int8", 1},
	[PRECISION_INT4] = {"int4", 0.5 + 2.0 / 128},
};

const char *precision_name(enum precision precision)
{
	return precisions[precision].name;
}

double precision_weight_bytes(enum precision precision)
{
	return precisions[precision].weight_bytes;
}

enum precision precision_of_name(const char *name)
{
	for (int i = PRECISION_UNSET + 1; i < PRECISION_COUNT; i++)
		if (strcmp(precisions[i].name, name) == 0)
			return (enum precision)i;
	return PRECISION_UNSET;
}
