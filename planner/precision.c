#include "planner/precision.h"

#include <string.h>

const char *const precision_words[PRECISION_COUNT] = {
	[PRECISION_FP32] = "fp32",
	[PRECISION_TF32] = "tf32",
	[PRECISION_FP16] = "fp16",
	[PRECISION_BF16] = "bf16",
	[PRECISION_FP8] = "fp8",
	[PRECISION_MXFP8] = "mxfp8",
	[PRECISION_NVFP4] = "nvfp4",
	[PRECISION_MXFP4] = "mxfp4",
	[PRECISION_INT8] = "int8",
	[PRECISION_INT4] = "int4",
};

static const double weight_bytes[PRECISION_COUNT] = {
	[PRECISION_FP32] = 4,
	[PRECISION_TF32] = 4,
	[PRECISION_FP16] = 2,
	[PRECISION_BF16] = 2,
	[PRECISION_FP8] = 1,
	[PRECISION_MXFP8] = 1 + 1.0 / 32,
	[PRECISION_NVFP4] = 0.5 + 1.0 / 16,
	[PRECISION_MXFP4] = 0.5 + 1.0 / 32,
	[PRECISION_INT8] = 1,
	[PRECISION_INT4] = 0.5 + 2.0 / 128,
};

const char *precision_name(enum precision precision)
{
	return precision == PRECISION_UNSET ? "" : precision_words[precision];
}

double precision_weight_bytes(enum precision precision)
{
	return weight_bytes[precision];
}

enum precision precision_of_name(const char *name)
{
	for (int i = PRECISION_UNSET + 1; i < PRECISION_COUNT; i++)
		if (strcmp(precision_words[i], name) == 0)
			return (enum precision)i;
	return PRECISION_UNSET;
}
