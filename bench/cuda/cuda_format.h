/* Number formats of matrix elements on the host: converts between the device's bytes and numbers. Pure functions. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_FORMAT_H
#define FLEETPLAN_BENCH_CUDA_CUDA_FORMAT_H

#include <stddef.h>

#include "planner/precision.h"

enum cuda_format { FORMAT_FP32, FORMAT_FP16, FORMAT_BF16, FORMAT_FP8, FORMAT_INT8, FORMAT_INT32, FORMAT_COUNT };

size_t cuda_format_bytes(enum cuda_format format);

/* Rounds to nearest, ties to even. FP8 is E4M3 and saturates at 448. INT8 is the number times 32, so that numbers of
 * variance 1 use its range, and saturates. */
void cuda_format_encode(enum cuda_format format, double value, unsigned char *bytes);
double cuda_format_decode(enum cuda_format format, const unsigned char *bytes);

/* Formats of a product's elements in that precision; FORMAT_COUNT: no product here uses it. TF32 is stored as FP32. */
enum cuda_format cuda_format_of_input(enum precision precision);
enum cuda_format cuda_format_of_output(enum precision precision);

/* The relative rounding error of one element: 2^-8 for bf16. Tensor cores round TF32's inputs by 2^-11. */
double cuda_format_epsilon(enum precision precision, enum cuda_format format);

#endif
