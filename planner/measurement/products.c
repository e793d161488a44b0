#include "planner/measurement/products.h"

#include "planner/measurement/shapes.h"
#include "planner/operators/gemm.h"

static struct product product_of(const struct bench_shape *shape)
{
	return (struct product){.rows = (double)shape->m, .inner = (double)shape->k, .columns = (double)shape->n, .count = 1, .narrow = true};
}

/* Fills the device under bare kernels; `ceiling` (NaN: as calibrated) is the efficiency of all products. */
static bool bare_device(
	const struct candidate *candidate, enum precision precision, double ceiling, const struct physics *bare, struct device *device)
{
	struct candidate judged = *candidate;
	struct calibration *calibration = &judged.calibration;

	if (is_given(ceiling)) {
		double memory_efficiency = CALIBRATED(calibration, memory_efficiency, 0);

		*calibration = (struct calibration){
			.id = "judged", .gemm_efficiency = ceiling, .gemm_precision = precision, .memory_efficiency = memory_efficiency};
	}
	return device_of_candidate(&judged, precision, bare, 1, device);
}

/* A worker casts nothing: its operands are in the product's format already. */
static double bare_product_s(struct device *device, const struct physics *bare, const struct bench_shape *shape)
{
	struct product product = product_of(shape);

	device->quantize_bytes = 0;
	return gemm_forward(device, bare, &product).time_s;
}

double product_predicted_s(const struct candidate *candidate, enum precision precision, const struct bench_shape *shape)
{
	struct physics bare = shapes_bare_physics();
	struct device device;

	return bare_device(candidate, precision, ABSENT_NUMBER, &bare, &device) ? bare_product_s(&device, &bare, shape) : ABSENT_NUMBER;
}

double product_implied_efficiency(const struct candidate *candidate, enum precision precision, const struct bench_shape *shape, double time_s)
{
	struct physics bare = shapes_bare_physics();
	struct device device;
	double moved_s, computed_s, all_s, wave;

	if (!bare_device(candidate, precision, 1, &bare, &device))
		return ABSENT_NUMBER;
	wave = (device.small_tiles ? gemm_small_wave_outputs : bare.gemm_wave_outputs) / ((double)shape->m * (double)shape->n);
	if (wave > 1)
		return ABSENT_NUMBER;
	computed_s = bench_shape_flops(shape) / device.linear_flops_per_s * (1 + wave);
	moved_s = (device.operand_bytes * (double)shape->k * (double)(shape->m + shape->n) +
				  device.wide_bytes * (double)shape->m * (double)shape->n) /
		device.memory_bytes_per_s;
	all_s = time_s - bare.gemm_traffic * moved_s;
	if (!(all_s >= moved_s))
		return ABSENT_NUMBER;
	return fmin(1, computed_s / all_s);
}
