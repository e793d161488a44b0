#include "planner/hardware/accelerator.h"

#include <string.h>

#include "base/units.h"
#include "planner/interval.h"

/* PCIe x16, one direction, by generation: 8, 16, 32, 64 GT/s a lane, 128b/130b (PCI-SIG base specifications 3.0 to
 * 6.0). A 256-byte payload with 24 bytes of framing and header uses 0.914 of it (Neugebauer et al. 2018, SIGCOMM,
 * section 3). */
static const double pcie_payload_share = 256.0 / 280.0;
static const double pcie_gen3_bytes_per_s = 15.754e9;

/* E62. Idle over TDP of the catalogue's eleven GPU rows with both figures (T4 0.114 ... P100 PCIe 0.144). A twelfth
 * row, TPU v4, is not used: its 0.47 includes the power of the whole board. */
static const double idle_share = 0.118, idle_share_low = 0.114, idle_share_high = 0.144;

/* E61. BF16 FLOP/s per watt of the accelerators that state both: H100 SXM 1.41e12, TPU v4 1.43e12; A100 0.78e12, B200 2.25e12. */
static const double flops_per_joule = 1.42e12, flops_per_joule_low = 0.78e12, flops_per_joule_high = 2.25e12;

static const char *const product_class_names[PRODUCT_CLASS_COUNT] = {
	[PRODUCT_THIN] = "thin", [PRODUCT_SMALL] = "small", [PRODUCT_LARGE] = "large"};
static const double small_side = 256, large_side = 2048;

const char *product_class_name(enum product_class class)
{
	CHECK(class < PRODUCT_CLASS_COUNT);
	return product_class_names[class];
}

enum product_class product_class_of(double rows, double columns, double inner)
{
	double least = fmin(rows, fmin(columns, inner));

	if (least < small_side)
		return PRODUCT_THIN;
	return least < large_side ? PRODUCT_SMALL : PRODUCT_LARGE;
}

static double tera(double value)
{
	return is_given(value) ? value * FLOPS_PER_TFLOP : 0;
}

/* Returns the rate of exactly this format, FLOP/s; 0: none. Formats for weights only have no rate of their own. */
static double peak_of(const struct accelerator *accelerator, enum precision precision)
{
	switch (precision) {
	case PRECISION_FP32:
		return tera(accelerator->tflops_fp32);
	case PRECISION_TF32:
		return tera(accelerator->tflops_tf32);
	case PRECISION_FP16:
		return tera(accelerator->tflops_fp16);
	case PRECISION_BF16:
		return tera(accelerator->tflops_bf16);
	case PRECISION_FP8:
	case PRECISION_MXFP8:
		return tera(accelerator->tflops_fp8);
	case PRECISION_NVFP4:
	case PRECISION_MXFP4:
		return tera(accelerator->tflops_fp4);
	case PRECISION_INT8:
		return tera(accelerator->tops_int8);
	case PRECISION_INT4:
	case PRECISION_UNSET:
	case PRECISION_COUNT:
		break;
	}
	return 0;
}

bool accelerator_is_neuron(const struct accelerator *accelerator)
{
	return accelerator->vendor && strcmp(accelerator->vendor, "aws") == 0;
}

bool accelerator_has_grace(const struct accelerator *accelerator)
{
	return accelerator->vendor && strcmp(accelerator->vendor, "nvidia") == 0 && accelerator->form_factor &&
		strcmp(accelerator->form_factor, "superchip") == 0;
}

double accelerator_peak_flops_per_s(const struct accelerator *accelerator, enum precision precision, enum precision *used)
{
	/* The formats to try for each format, in order. FP16 and BF16 replace each other; narrower formats try BF16 first.
	 * Without 4-bit arithmetic kernels widen 4-bit weights to 16 bits, not to 8 (Marlin: Frantar et al. 2024). So they
	 * do with 8-bit integers that are slower than 16 bits: on Blackwell Ultra INT8 has 0.07 of the rate. */
	static const enum precision chains[PRECISION_COUNT][7] = {
		[PRECISION_FP32] = {PRECISION_FP32},
		[PRECISION_TF32] = {PRECISION_TF32, PRECISION_FP32},
		[PRECISION_FP16] = {PRECISION_FP16, PRECISION_BF16, PRECISION_TF32, PRECISION_FP32},
		[PRECISION_BF16] = {PRECISION_BF16, PRECISION_FP16, PRECISION_TF32, PRECISION_FP32},
		[PRECISION_FP8] = {PRECISION_FP8, PRECISION_BF16, PRECISION_FP16, PRECISION_TF32, PRECISION_FP32},
		[PRECISION_MXFP8] = {PRECISION_MXFP8, PRECISION_BF16, PRECISION_FP16, PRECISION_TF32, PRECISION_FP32},
		[PRECISION_NVFP4] = {PRECISION_NVFP4, PRECISION_BF16, PRECISION_FP16, PRECISION_TF32, PRECISION_FP32},
		[PRECISION_MXFP4] = {PRECISION_MXFP4, PRECISION_BF16, PRECISION_FP16, PRECISION_TF32, PRECISION_FP32},
		[PRECISION_INT8] = {PRECISION_INT8, PRECISION_BF16, PRECISION_FP16, PRECISION_TF32, PRECISION_FP32},
		[PRECISION_INT4] = {PRECISION_BF16, PRECISION_FP16, PRECISION_TF32, PRECISION_FP32},
	};

	double wide_flops_per_s = fmax(peak_of(accelerator, PRECISION_BF16), peak_of(accelerator, PRECISION_FP16));

	CHECK(precision > PRECISION_UNSET && precision < PRECISION_COUNT);
	for (const enum precision *next = chains[precision]; *next != PRECISION_UNSET; next++) {
		double peak_flops_per_s = peak_of(accelerator, *next);

		if (peak_flops_per_s <= 0 || (*next == PRECISION_INT8 && peak_flops_per_s < wide_flops_per_s))
			continue;
		if (used)
			*used = *next;
		return peak_flops_per_s;
	}
	if (used)
		*used = PRECISION_UNSET;
	return 0;
}

enum precision accelerator_training_precision(const struct accelerator *accelerator)
{
	if (peak_of(accelerator, PRECISION_BF16) > 0)
		return PRECISION_BF16;
	return peak_of(accelerator, PRECISION_FP16) > 0 ? PRECISION_FP16 : PRECISION_FP32;
}

double accelerator_capacity_bytes(const struct accelerator *accelerator)
{
	return given_or(accelerator->memory_usable_bytes, given_or(accelerator->memory_gb, 0) * BYTES_PER_GB);
}

double accelerator_bandwidth_bytes_per_s(const struct accelerator *accelerator)
{
	return given_or(accelerator->memory_bandwidth_gbs, 0) * BYTES_PER_GB;
}

double accelerator_pcie_bytes_per_s(const struct accelerator *accelerator)
{
	int64_t generation = accelerator->pcie_gen < 1 ? 3 : accelerator->pcie_gen;

	return pcie_gen3_bytes_per_s * pow(2, (double)(generation - 3)) * pcie_payload_share;
}

double accelerator_link_bytes_per_s(const struct accelerator *accelerator)
{
	if (is_given(accelerator->interconnect_gbs) && accelerator->interconnect_gbs > 0)
		return accelerator->interconnect_gbs / 2 * BYTES_PER_GB;
	return accelerator_pcie_bytes_per_s(accelerator);
}

/* Returns the measured full load, else the TDP; absent if the catalogue has neither. */
static double stated_load_w(const struct accelerator *accelerator)
{
	return is_given(accelerator->load_w) && accelerator->load_w > 0 ? accelerator->load_w : accelerator->tdp_w;
}

double accelerator_load_w(const struct accelerator *accelerator, double *low_w, double *high_w, const char **source)
{
	double peak = accelerator_peak_flops_per_s(accelerator, PRECISION_BF16, NULL), load_w = stated_load_w(accelerator);
	bool stated = is_given(load_w);

	if (low_w)
		*low_w = stated ? load_w : peak / flops_per_joule_high;
	if (high_w)
		*high_w = stated ? load_w : peak / flops_per_joule_low;
	if (source)
		*source = stated ? (accelerator->source ? accelerator->source : "catalogue row")
						 : "E61: TDP unknown; BF16 peak over 1.42 TFLOP/s a watt (H100 SXM 1.41, TPU v4 1.43; range "
						   "A100 0.78 to B200 2.25)";
	return stated ? load_w : peak / flops_per_joule;
}

const char *accelerator_kin(const struct accelerator *accelerator)
{
	return accelerator->like ? accelerator->like : accelerator->id;
}

double accelerator_idle_w(const struct accelerator *accelerator, double *low_w, double *high_w, const char **source)
{
	bool stated = is_given(accelerator->idle_w);
	double load_w = accelerator_load_w(accelerator, NULL, NULL, NULL);

	if (low_w)
		*low_w = stated ? accelerator->idle_w : load_w * idle_share_low;
	if (high_w)
		*high_w = stated ? accelerator->idle_w : load_w * idle_share_high;
	if (source)
		*source = stated ? (accelerator->source ? accelerator->source : "catalogue row")
						 : "E62: 0.118 of the load power, median of the catalogue's eleven GPU rows with both figures (0.114 to 0.144)";
	return stated ? accelerator->idle_w : load_w * idle_share;
}

struct candidate candidate_slice(const struct candidate *whole, const struct mig_slice *slice)
{
	struct candidate part = *whole;
	struct accelerator *accelerator = &part.accelerator;

	accelerator->memory_usable_bytes = slice->memory_bytes;
	accelerator->memory_bandwidth_gbs *= slice->bandwidth_share;
	accelerator->tflops_fp64 *= slice->compute_share;
	accelerator->tflops_fp32 *= slice->compute_share;
	accelerator->tflops_tf32 *= slice->compute_share;
	accelerator->tflops_bf16 *= slice->compute_share;
	accelerator->tflops_fp16 *= slice->compute_share;
	accelerator->tflops_fp8 *= slice->compute_share;
	accelerator->tops_int8 *= slice->compute_share;
	accelerator->tflops_fp4 *= slice->compute_share;
	accelerator->interconnect = NULL;
	accelerator->interconnect_gbs = ABSENT_NUMBER;
	accelerator->max_nvlink_domain = 1;
	part.slice = slice;
	part.board = &whole->accelerator;
	return part;
}

double calibration_log_sigma(double low, double high)
{
	return low > 0 && high > low ? interval_log_sigma(low, high) : 0;
}

static bool same_name(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool offer_same_place(const struct offer *a, const struct offer *b)
{
	return same_name(a->provider, b->provider) && same_name(a->region, b->region);
}
