#include "planner/operators/device.h"

/* Fractions of the dense peak that the best matrix products, and fused attention of long sequences (forward, causal at
 * half), reach. A row applies to the catalogue ids that begin with its prefix; the first such row is used. gemm:
 * stas00/ml-engineering@744d01e, MAMF tables; attention: ai-dynamo/aiconfigurator, median of causal prefill at 16k
 * tokens and more. V100: 0.80, cuBLAS on 125 TFLOP/s (Markidis et al. 2018, arXiv 1803.04014: 83 of 112.7 and more for
 * larger products). L40S, RTX PRO 6000: aiconfigurator, median of products with 1,024 rows and more. */
struct ceiling {
	const char *prefix;
	double gemm, gemm_fp8, attention;
	double tdp_w; /* of the measured part; 0: no part was measured */
	int64_t year; /* of the architecture for which kernels are written */
	const char *source;
};

static const double h100_watts_per_flops = 700 / 989.4e12;

static const char mamf[] = "E20; stas00/ml-engineering MAMF table, ai-dynamo/aiconfigurator kernel timings";
/* No product was measured. The value times gemm_fraction is what agrees with MaxText's published runs (suite maxtext
 * of tests/validation); TPU v2 and v3 as v4, v7 as v6e. MaxText counts attention without its causal half. */
static const char maxtext[] = "E20; MaxText's published runs on TPU v4 to v6e (AI-Hypercomputer/maxtext@e591f30cbb)";
/* No product was measured. The best of 22B, 175B and a trillion parameters on Frontier reaches 38.4 % of the peak, at
 * 22B (Dash et al. 2023, arXiv 2312.12705). Attention is in proportion to the class average. */
static const char frontier[] = "E20; Frontier's published runs on the MI250X (Dash et al. 2023, arXiv 2312.12705); no product was measured";
/* No product was measured. Seven trainings on 256 and 512 chips agree with 0.62 to 0.75 of the peak. */
static const char neuron[] =
	"E20; Neuron's published trainings on Trainium1 (aws-neuron-sdk, history of trn1 benchmarks); no product was measured";
/* Gaudi 3's best products reach 0.741 (MAMF), but the same trainings run only 1.60 and 1.64 times as fast as on Gaudi
 * 2, whose products reach 0.969 of 432 TFLOP/s. */
static const char gaudi_pairs[] = "E20; Optimum Habana's published trainings on Gaudi 3 beside the same on Gaudi 2";
static const char class_average[] = "E20; mean of the accelerators that stas00/ml-engineering measured (MAMF table)";

static const struct ceiling ceilings[] = {
	{"a100-pcie", 0.811, 0.811, 0.472, 300, 2020, mamf},
	{"a100", 0.869, 0.869, 0.472, 400, 2020, mamf},
	{"h100-pcie", 0.803, 0.709, 0.517, 350, 2022, mamf},
	{"h100-nvl", 0.803, 0.709, 0.517, 400, 2022, mamf},
	{"h100", 0.803, 0.709, 0.517, 700, 2022, mamf},
	{"h800", 0.803, 0.709, 0.517, 700, 2022, mamf},
	{"h200", 0.803, 0.734, 0.517, 700, 2022, mamf},
	{"gh200", 0.838, 0.776, 0.517, 700, 2022, mamf},
	{"b200", 0.776, 0.763, 0.484, 1000, 2024, mamf},
	{"b100", 0.776, 0.763, 0.484, 700, 2024, mamf},
	{"b300", 0.786, 0.745, 0.55, 1100, 2024, mamf},
	{"gb200", 0.729, 0.723, 0.484, 1200, 2024, mamf},
	{"gb300", 0.786, 0.745, 0.55, 1100, 2024, mamf},
	{"mi300x", 0.514, 0.514, 0.35, 750, 2023, mamf},
	{"mi325x", 0.604, 0.604, 0.35, 1000, 2023, mamf},
	{"mi355x", 0.680, 0.680, 0.35, 1400, 2023, mamf},
	{"mi350x", 0.680, 0.680, 0.35, 1400, 2023, mamf},
	{"gaudi2", 0.969, 0.955, 0.45, 600, 2022, mamf},
	{"gaudi3", 0.47, 0.47, 0.29, 900, 2024, gaudi_pairs},
	{"l40s", 0.571, 0.458, 0.40, 350, 2022, mamf},
	{"rtx-pro-6000", 0.846, 0.706, 0.45, 600, 2025, mamf},
	{"tpu-v5e", 0.95, 0.95, 0.50, 0, ABSENT_COUNT, maxtext},
	{"tpu-v5p", 0.90, 0.90, 0.50, 0, ABSENT_COUNT, maxtext},
	{"tpu-v4", 0.80, 0.80, 0.50, 0, ABSENT_COUNT, maxtext},
	{"tpu-v6", 0.70, 0.70, 0.50, 0, ABSENT_COUNT, maxtext},
	{"tpu-v7", 0.70, 0.70, 0.50, 0, ABSENT_COUNT, maxtext},
	{"tpu-v", 0.80, 0.80, 0.50, 0, ABSENT_COUNT, maxtext},
	{"mi250", 0.55, 0.55, 0.31, 0, ABSENT_COUNT, frontier},
	{"trainium1", 0.66, 0.66, 0.37, 0, ABSENT_COUNT, neuron},
	{"v100", 0.80, 0.80, 0.40, 300, 2017, "E20; Markidis et al. 2018, arXiv 1803.04014"},
};

static const struct ceiling ceiling_otherwise = {"", 0.75, 0.70, 0.42, 0, ABSENT_COUNT, class_average};

static const struct ceiling *ceiling_of(const struct accelerator *accelerator)
{
	const char *kin = accelerator_kin(accelerator);

	for (size_t i = 0; kin && i < COUNT_OF(ceilings); i++)
		if (strncmp(kin, ceilings[i].prefix, strlen(ceilings[i].prefix)) == 0)
			return &ceilings[i];
	return &ceiling_otherwise;
}

bool device_is_compiled(const struct accelerator *accelerator)
{
	const char *kin = accelerator_kin(accelerator);

	return kin && strncmp(kin, "tpu-", 4) == 0;
}

int64_t device_architecture_year(const struct accelerator *accelerator)
{
	const struct ceiling *ceiling = ceiling_of(accelerator);

	return ceiling->year > 0 ? ceiling->year : accelerator->release_year;
}

/* Narrower heads need as many exponentials for fewer FLOPs. Since Hopper products are faster than exponentials: heads
 * of 64 reach 0.6 to 0.75 of the rate of 128 (Shah et al. 2024, arXiv 2407.08608, figure 5), on the A100 nearly all of
 * it (Dao 2023, figure 5). */
static const double full_head_width = 128;

/* PCIe, one direction, 16 lanes: 8, 16, 32, 64 GB/s for generations 3 to 6 after encoding (PCI-SIG). Pinned copies
 * reach three quarters of it. */
static double host_bytes_per_s(const struct accelerator *accelerator)
{
	int64_t generation = accelerator->pcie_gen >= 1 ? accelerator->pcie_gen : 4;

	return 0.75 * 15.75e9 * pow(2, (double)generation - 3);
}

/* Fraction of the bandwidth that weight-bound products reach: aiconfigurator, medians 0.75 to 0.83. */
static const double memory_efficiency = 0.82;

/* With more power a part reaches at most the A100's fraction of its peak, which power does not limit. */
static const double ceiling_best = 0.869;

/* A part with a lower power limit than the measured one is slower: dynamic power is proportional to frequency x
 * voltage squared, so near the limit about to the square of the frequency. */
static double power_speed(const struct accelerator *accelerator, const struct ceiling *ceiling)
{
	if (!(accelerator->tdp_w > 0) || !(ceiling->tdp_w > 0))
		return 1;
	if (accelerator->tdp_w <= ceiling->tdp_w)
		return sqrt(accelerator->tdp_w / ceiling->tdp_w);
	return fmax(1, fmin(sqrt(accelerator->tdp_w / ceiling->tdp_w), ceiling_best / fmax(ceiling->gemm, ceiling->gemm_fp8)));
}

/* Measurements of single products last seconds; a training keeps the part at its power limit for hours. A part with
 * less power for each FLOP of its peak than the H100 (0.71 W a TFLOP/s) loses more of its measured rate. */
static double sustained_speed(const struct accelerator *accelerator, const struct ceiling *ceiling, double exponent)
{
	double peak = accelerator_peak_flops_per_s(accelerator, accelerator_training_precision(accelerator), NULL);
	double watts_per_flops = fmax(accelerator->tdp_w, ceiling->tdp_w) / peak; /* power_speed() applies to a lower power limit */

	return accelerator->tdp_w > 0 && peak > 0 ? pow(fmin(1, watts_per_flops / h100_watts_per_flops), exponent) : 1;
}

/* Sets the fraction of the peak that products reach in formats of 16 and more bits and in narrower ones, and the rate
 * of each class over it. */
static void device_ceilings(const struct calibration *calibration, const struct ceiling *ceiling, struct device *device, double *narrow)
{
	double measured = CALIBRATED(calibration, gemm_efficiency, ABSENT_NUMBER), prior = ceiling->gemm;

	if (is_given(measured) && calibration->gemm_precision != PRECISION_UNSET && precision_weight_bytes(calibration->gemm_precision) < 2)
		prior = ceiling->gemm_fp8;
	device->ceiling = is_given(measured) ? ceiling->gemm * measured / prior : ceiling->gemm;
	*narrow = is_given(measured) ? ceiling->gemm_fp8 * measured / prior : ceiling->gemm_fp8;
	device->ceiling_measured = is_given(measured) || ceiling->tdp_w > 0;
	device->ceiling_source = is_given(measured) ? calibration->source : ceiling->source;
	for (int class = 0; class < PRODUCT_CLASS_COUNT; class ++) {
		double own = is_given(measured) ? calibration->gemm_class_efficiency[class] : 0;

		device->class_speed[class] = own > 0 ? own / measured : 1;
		device->classes_measured |= own > 0;
	}
}

/* Applies a measured collective, which spans all accelerators of a machine: to the link if that connects all of them,
 * else to the slowest connection between them. */
static void device_measured_links(const struct calibration *calibration, struct device *device)
{
	double measured = CALIBRATED(calibration, collective_bytes_per_s, 0);

	if (!(measured > 0))
		return;
	if (device->domain >= device->node) {
		device->link_bytes_per_s = measured;
	} else if (device->node > device->root) {
		device->sockets_bytes_per_s *= measured / device->socket_bytes_per_s;
		device->socket_bytes_per_s = measured;
	} else {
		device->peer_bytes_per_s = measured / (double)device->domain;
	}
}

static void device_links(const struct candidate *candidate, const struct physics *physics, struct device *device)
{
	const struct accelerator *accelerator = &candidate->accelerator;
	const struct calibration *calibration = &candidate->calibration;
	double nic = given_or(candidate->internode_gbs, 0) * 1e9;
	bool linked = is_given(accelerator->interconnect_gbs) && accelerator->interconnect_gbs > 0;

	device_wiring(accelerator, candidate->gpus_per_node, device);
	if (candidate->slice_sizes.count > 0 && candidate->slice_sizes.chips[candidate->slice_sizes.count - 1] < device->domain) {
		device->domain = candidate->slice_sizes.chips[candidate->slice_sizes.count - 1]; /* links end at the border of a slice */
		device->reach = device->domain > device->node ? device->domain : device->node;
	}
	device->torus_dimensions = candidate->torus_dimensions;
	device->host_bytes_per_s = CALIBRATED(calibration, host_bytes_per_s, host_bytes_per_s(accelerator));
	device->host_latency_s = CALIBRATED(calibration, host_latency_s, 0);
	device->link_latency_s = CALIBRATED(calibration, collective_latency_s, 0);
	device->link_bytes_per_s = linked ? accelerator_link_bytes_per_s(accelerator) * physics->link_fraction : device->peer_bytes_per_s;
	device_measured_links(calibration, device);
	device->nic_bytes_per_s = (nic > 0 ? nic : 12.5e9 / (double)device->node) * physics->nic_fraction;
}

double device_prior_gemm_efficiency(const struct accelerator *accelerator, enum precision precision)
{
	const struct ceiling *ceiling = ceiling_of(accelerator);

	return (precision_weight_bytes(precision) < 2 ? ceiling->gemm_fp8 : ceiling->gemm) * power_speed(accelerator, ceiling);
}

double device_prior_memory_efficiency(void)
{
	return memory_efficiency;
}

double device_prior_host_bytes_per_s(const struct accelerator *accelerator)
{
	return host_bytes_per_s(accelerator);
}

bool device_of_candidate(
	const struct candidate *candidate, enum precision precision, const struct physics *physics, double speed, struct device *device)
{
	const struct accelerator *accelerator = &candidate->accelerator;
	const struct calibration *calibration = &candidate->calibration;
	const struct ceiling *ceiling = ceiling_of(accelerator);
	enum precision wide = accelerator_training_precision(accelerator), used;
	double wide_peak, fraction, narrow;

	*device = (struct device){
		.operand_bytes = 2, .wide_bytes = 2, .small_tiles = accelerator->form_factor && strcmp(accelerator->form_factor, "cpu") == 0};
	device->peak_flops_per_s = accelerator_peak_flops_per_s(accelerator, precision, &used);
	if (precision_weight_bytes(precision) >= 2) /* only narrow products leave attention in a wider format */
		wide = precision;
	wide_peak = accelerator_peak_flops_per_s(accelerator, wide, &wide);
	if (!(device->peak_flops_per_s > 0) || !(wide_peak > 0))
		return false;
	device_ceilings(calibration, ceiling, device, &narrow);
	/* a measurement includes the power limit of its part; but it lasts seconds and does not show how the speed falls
	 * over hours */
	speed *= sustained_speed(accelerator, ceiling, physics->power_exponent);
	speed *= CALIBRATED(calibration, gemm_efficiency, 0) > 0 ? 1 : power_speed(accelerator, ceiling);
	fraction = physics->gemm_fraction * speed;
	device->computed = used;
	device->wide_flops_per_s = wide_peak * device->ceiling * fraction;
	device->linear_flops_per_s = device->peak_flops_per_s * device->ceiling * fraction;
	device->wide_most_flops_per_s = wide_peak * device->ceiling;
	device->linear_most_flops_per_s = device->peak_flops_per_s * device->ceiling;
	if (wide == PRECISION_FP32 || wide == PRECISION_TF32)
		device->operand_bytes = device->wide_bytes = 4;
	if (precision_weight_bytes(used) < 2) {
		device->operand_bytes = precision_weight_bytes(used);
		device->quantize_bytes = 2 * (2 + device->operand_bytes); /* read wide, write narrow, as it is and transposed */
		device->linear_flops_per_s = device->peak_flops_per_s * narrow * speed *
			(device->operand_bytes < 0.8 ? physics->nvfp4_fraction : physics->narrow_fraction);
		device->linear_most_flops_per_s = device->peak_flops_per_s * fmin(1, narrow);
	}
	device->attention_flops_per_s = wide_peak * ceiling->attention * physics->attention_fraction * speed /
		sustained_speed(accelerator, ceiling, physics->power_exponent) *
		(ceiling->year == 2024 && ceiling->tdp_w >= 1000 ? physics->blackwell_attention : 1);
	device->full_head_width = ceiling->year >= 2022 ? full_head_width : 0;
	device->memory_bytes_per_s = accelerator_bandwidth_bytes_per_s(accelerator) *
		CALIBRATED(calibration, memory_efficiency, memory_efficiency);
	device_links(candidate, physics, device);
	return device->memory_bytes_per_s > 0;
}
