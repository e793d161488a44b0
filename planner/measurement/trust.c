#include "planner/measurement/trust.h"

#include <math.h>

#include "planner/operators/device.h"
#include "planner/operators/physics.h"

/* Quantities that no catalogue row has: wide ranges around published figures, which limit a forged figure. Launches
 * take 6.1 us (RTX 5060) to 8.7 us (MI300X) in superbench's validation, and less in a row; collectives of 8 ranks 16
 * to 25 us (aiconfigurator). Copies begin within about that time. A file is read at the rate of one disk up to that of
 * a node full of NVMe drives. */
static const struct {
	enum quantity quantity;
	double low, high;
} plausible[] = {
	{QUANTITY_KERNEL_LAUNCH, 1e-6, 20e-6},
	{QUANTITY_HOST_LATENCY, 0.5e-6, 200e-6},
	{QUANTITY_COLLECTIVE_LATENCY, 0.5e-6, 200e-6},
	{QUANTITY_STORAGE_RATE, 50e6, 50e9},
};

static bool range_of(double prior, double rate, const char *of, struct trust_range *range)
{
	*range = (struct trust_range){.low = TRUST_LEAST * prior, .high = TRUST_MOST * rate, .of = of};
	return prior > 0 && isfinite(prior) && rate > 0 && isfinite(rate);
}

bool trust_range_of(const struct accelerator *accelerator, enum quantity quantity, enum precision precision, struct trust_range *range)
{
	double prior = ABSENT_NUMBER;

	switch (quantity) {
	case QUANTITY_GEMM_EFFICIENCY: /* fractions of the row's rate, which is 1 */
		return range_of(fmin(1, device_prior_gemm_efficiency(accelerator, precision)), 1, "the row's peak", range);
	case QUANTITY_MEMORY_EFFICIENCY:
		return range_of(device_prior_memory_efficiency(), 1, "the row's bandwidth", range);
	case QUANTITY_HOST_RATE:
		prior = device_prior_host_bytes_per_s(accelerator);
		return range_of(prior, prior, "the rate of the row's PCIe", range);
	case QUANTITY_COLLECTIVE_RATE:
		prior = accelerator_link_bytes_per_s(accelerator) * physics_fitted.link_fraction;
		return range_of(prior, accelerator_link_bytes_per_s(accelerator), "the rate of the row's link", range);
	case QUANTITY_IDLE_POWER:
		prior = accelerator_idle_w(accelerator, NULL, NULL, NULL);
		return range_of(prior, prior, "the row's idle power", range);
	case QUANTITY_LOAD_POWER:
		prior = accelerator_load_w(accelerator, NULL, NULL, NULL);
		return range_of(prior, fmax(prior, given_or(accelerator->tdp_w, 0)), "the row's power under load", range);
	case QUANTITY_KERNEL_LAUNCH:
	case QUANTITY_HOST_LATENCY:
	case QUANTITY_COLLECTIVE_LATENCY:
	case QUANTITY_STORAGE_RATE:
		for (size_t i = 0; i < COUNT_OF(plausible); i++)
			if (plausible[i].quantity == quantity)
				*range = (struct trust_range){.low = plausible[i].low, .high = plausible[i].high, .of = "the published figures"};
		return true;
	case QUANTITY_STACK_SPEED: /* from observations, which agents do not deliver */
	case QUANTITY_RUN_PRACTICE:
	case QUANTITY_UNSET:
	case QUANTITY_COUNT:
		break;
	}
	return false;
}

struct trust_range trust_range_of_speed(void)
{
	return (struct trust_range){.low = TRUST_LEAST, .high = TRUST_MOST, .of = "the predicted speed of its software"};
}

struct trust_range trust_range_of_run(double expected)
{
	return (struct trust_range){.low = TRUST_RUN_LEAST * expected, .high = TRUST_RUN_MOST * expected, .of = "the practice of published runs"};
}

bool trust_agrees(double a, double b)
{
	return fabs(a - b) <= TRUST_AGREEMENT * fmax(fabs(a), fabs(b));
}
