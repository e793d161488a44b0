#include "planner/operators/gemm.h"

static const double accumulate_bytes = 8; /* a 32-bit gradient read and written */

struct product_time gemm_forward(const struct device *device, const struct physics *physics, const struct product *product)
{
	double rate = product->narrow ? device->linear_flops_per_s : device->wide_flops_per_s;
	double most = product->narrow ? device->linear_most_flops_per_s : device->wide_most_flops_per_s;
	double operand = product->narrow ? device->operand_bytes : device->wide_bytes;
	double flops = 2 * product->rows * product->inner * product->columns;
	double bytes = operand * product->inner * (product->columns + product->rows) +
		device->wide_bytes * product->rows * product->columns;
	double quantized = product->narrow ? device->quantize_bytes * product->rows * product->inner : 0;
	double traffic_s = (bytes * physics->gemm_traffic + quantized) / device->memory_bytes_per_s;

	return (struct product_time){
		.time_s = product->count * fmax(flops / rate + traffic_s, flops / most), .traffic_s = product->count * traffic_s};
}

struct product_time gemm_backward(const struct device *device, const struct product *product, struct product_time inputs, bool frozen)
{
	double weights_s = product->count * accumulate_bytes * product->inner * product->columns / device->memory_bytes_per_s;

	if (frozen)
		return inputs;
	return (struct product_time){
		.time_s = 2 * inputs.time_s + weights_s, .traffic_s = 2 * inputs.traffic_s + weights_s};
}
