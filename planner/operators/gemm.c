#include "planner/operators/gemm.h"

static const double accumulate_bytes = 8; /* a 32-bit gradient, read and written */

/* Returns the time of a product that writes `output_bytes` an output. A kernel of its own casts `narrowed` elements
 * first. */
static struct product_time single(
	const struct device *device, const struct physics *physics, const struct product *product, double output_bytes, double narrowed)
{
	double rate = product->narrow ? device->linear_flops_per_s : device->wide_flops_per_s;
	double most = product->narrow ? device->linear_most_flops_per_s : device->wide_most_flops_per_s;
	double of_class = device->classes_measured ? device->class_speed[product_class_of(product->rows, product->columns, product->inner)] : 1;
	double operand = product->narrow ? device->operand_bytes : device->wide_bytes;
	double flops = 2 * product->rows * product->inner * product->columns, outputs = product->rows * product->columns;
	double moved_s = (operand * product->inner * (product->columns + product->rows) + output_bytes * outputs) / device->memory_bytes_per_s;
	double wave_outputs = device->small_tiles ? gemm_small_wave_outputs : physics->gemm_wave_outputs;
	double computed_s = flops / (rate * of_class) * (1 + wave_outputs / (product->count * outputs));
	double time_s = fmax(fmax(computed_s, moved_s) + physics->gemm_traffic * fmin(computed_s, moved_s), flops / (most * of_class));

	if (product->narrow)
		time_s += device->quantize_bytes * narrowed / device->memory_bytes_per_s;
	return (struct product_time){.time_s = product->count * time_s, .traffic_s = product->count * fmax(0, time_s - computed_s)};
}

struct product_time gemm_forward(const struct device *device, const struct physics *physics, const struct product *product)
{
	return single(device, physics, product, device->wide_bytes, product->rows * product->inner);
}

struct product_time gemm_backward(const struct device *device, const struct physics *physics, const struct product *product, bool frozen)
{
	struct product to_inputs = *product, to_weights = *product;
	struct product_time inputs, weights;

	to_inputs.inner = product->columns;
	to_inputs.columns = product->inner;
	inputs = single(device, physics, &to_inputs, device->wide_bytes, product->rows * product->columns);
	if (frozen)
		return inputs;
	to_weights.rows = product->inner;
	to_weights.inner = product->rows;
	weights = single(device, physics, &to_weights, accumulate_bytes, 0);
	return (struct product_time){.time_s = inputs.time_s + weights.time_s, .traffic_s = inputs.traffic_s + weights.traffic_s};
}
