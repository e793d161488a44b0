#include "planner/replica/kernels.h"

#include <string.h>

/* Rows are matched by the beginning of the catalogue id; the first match wins. Variants of a chip have its rates (GH200
 * and H800 as H100; B100 as B200; GB300 as B300; L4 and L40 as L40S). AMD rows are the best measured products (MAMF)
 * times 0.9 in 16 bits and 0.7 in 8 bits: the ratios of median to best product on the other accelerators. */
static const struct {
	const char *prefix;
	double gemm_16, gemm_8, gemm_4, least_s, memory; /* 0: not measured */
} measured[] = {
	{"a100", 0.832, 0.809, 0, 5.8e-6, 0.778},
	{"l40", 0.571, 0.458, 0, 3.9e-6, 0.822},
	{"l4", 0.571, 0.458, 0, 3.9e-6, 0.822},
	{"h20-", 0.900, 0.850, 0, 3.8e-6, 0.831},
	{"h200", 0.762, 0.529, 0, 3.8e-6, 0.819},
	{"h100", 0.732, 0.543, 0, 3.8e-6, 0.831},
	{"h800", 0.732, 0.543, 0, 3.8e-6, 0.831},
	{"gh200", 0.732, 0.543, 0, 3.8e-6, 0.831},
	{"gb200", 0.652, 0.499, 0.412, 3.1e-6, 0.748},
	{"b200", 0.653, 0.459, 0.404, 3.2e-6, 0.753},
	{"b100", 0.653, 0.459, 0.404, 3.2e-6, 0.753},
	{"gb300", 0.689, 0.549, 0.330, 3e-6, 0.755},
	{"b300", 0.689, 0.549, 0.330, 3e-6, 0.755},
	{"rtx-pro-6000", 0.846, 0.706, 0.646, 4.5e-6, 0.817},
	{"mi300x", 0.463, 0.360, 0, 0, 0},
	{"mi325x", 0.544, 0.423, 0, 0, 0},
	{"mi355x", 0.612, 0.476, 0, 0, 0},
};

/* Geometric means of the NVIDIA rows above, each chip once. */
static const struct kernel_rates otherwise = {.gemm_16 = 0.71, .gemm_8 = 0.56, .gemm_4 = 0.43, .least_s = 3.8e-6, .memory = 0.79};

struct kernel_rates kernel_rates_of(const struct accelerator *accelerator)
{
	const char *kin = accelerator_kin(accelerator);

	for (size_t i = 0; kin && i < COUNT_OF(measured); i++)
		if (strncmp(kin, measured[i].prefix, strlen(measured[i].prefix)) == 0)
			return (struct kernel_rates){.gemm_16 = measured[i].gemm_16,
				.gemm_8 = measured[i].gemm_8 > 0 ? measured[i].gemm_8 : otherwise.gemm_8,
				.gemm_4 = measured[i].gemm_4 > 0 ? measured[i].gemm_4 : otherwise.gemm_4,
				.memory = measured[i].memory > 0 ? measured[i].memory : otherwise.memory,
				.least_s = measured[i].least_s > 0 ? measured[i].least_s : otherwise.least_s,
				.measured = true};
	return otherwise;
}
