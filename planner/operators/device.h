/* An accelerator as the operators see it: the rates that software reaches, in SI units. */
#ifndef FLEETPLAN_PLANNER_OPERATORS_DEVICE_H
#define FLEETPLAN_PLANNER_OPERATORS_DEVICE_H

#include "planner/operators/physics.h"

struct device {
	double peak_flops_per_s;                               /* dense, of the request's precision; the divisor of mfu */
	double linear_flops_per_s;                             /* that large products of linear layers in that precision reach */
	double wide_flops_per_s;                               /* the same in the training precision of 16 or more bits */
	double linear_most_flops_per_s, wide_most_flops_per_s; /* rates of the best measured products: no product is faster, traffic included */
	double full_head_width;                                /* head width from which attention reaches its full rate; 0: any width */
	double attention_flops_per_s;                          /* fused attention of an unlimited sequence, forward */
	double memory_bytes_per_s, link_bytes_per_s, nic_bytes_per_s; /* that large transfers reach, one direction */
	double host_bytes_per_s;                                      /* over PCIe, one direction */
	double operand_bytes;                                         /* of one element of the operands of a linear layer */
	double wide_bytes;                                            /* of one element of activations */
	double quantize_bytes;                                        /* moved to narrow one activation element; 0: 16 bits and more */
	double peer_bytes_per_s;                                      /* between two accelerators of a machine over PCIe, below one processor */
	double socket_bytes_per_s,
		sockets_bytes_per_s;  /* of one ring that crosses between the machine's processors; of all rings that cross at once */
	int64_t domain;           /* accelerators that the link connects: fewer than a machine's (bridges), as many, or more (NVL72) */
	int64_t torus_dimensions; /* of the domain's links; 0: each accelerator reaches every other at its full rate */
	int64_t node;             /* accelerators in one machine */
	int64_t reach;            /* accelerators that communicate without a network adapter: the larger of domain and node */
	int64_t root;             /* accelerators below one processor of a machine */
	bool ceiling_measured;    /* true: the ceiling of matrix products was measured; false: a class average */
	double ceiling;           /* fraction of the dense peak that large products reach; measured by a calibration if there is one */
	const char *ceiling_source;
	enum precision computed; /* format in which the linear layers run */
	bool small_tiles;        /* a processor (CPU): a few outputs fill it, not a wave of tiles */
	bool classes_measured;   /* true: class_speed holds the rate of each class over linear_ and wide_flops_per_s */
	double class_speed[PRODUCT_CLASS_COUNT];
	double link_latency_s; /* of a collective inside a domain, measured; 0: use that of physics */
	double host_latency_s; /* of a transfer between host and device, measured; 0: not known */
};

/* E20. Computes the rates that software reaches on an accelerator.
 *
 * Given:    candidate  catalogue row, calibration, node
 *           precision  of the request
 *           physics    constants
 *           speed      factor of the software on every kernel, > 0
 * Returned: true and the device; false if the accelerator has no rate in a usable format, or no bandwidth. The figures
 *             of a calibration replace published ones: ceiling (of the measured format; the other format follows in
 *             proportion), memory, host and link. A calibration equal to the published figure changes nothing.
 * Valid:    dense peaks of the catalogue
 * Source:   ceilings: stas00/ml-engineering (MAMF tables) and ai-dynamo/aiconfigurator (kernel timings), named in
 *             device.c
 * Case:     tests/planner/test_measurement.c (calibration); tests/planner/test_training_step.c (power) */
bool device_of_candidate(
	const struct candidate *candidate, enum precision precision, const struct physics *physics, double speed, struct device *device);

/* True if a whole step runs as one program that was compiled ahead of time (TPUs). physics_compiled() applies to them. */
bool device_is_compiled(const struct accelerator *accelerator);

/* Returns the year of the accelerator's architecture: kernels for a refresh (H200, B300) are as mature as those of its
 * predecessor. The catalogue's year of release if the architecture is not known. */
int64_t device_architecture_year(const struct accelerator *accelerator);

/* Return the published figure that a measured one replaces: the fraction of the dense peak that products reach in a
 * precision, the fraction of the bandwidth that memory reaches, and the rate between host and device, bytes/s. */
double device_prior_gemm_efficiency(const struct accelerator *accelerator, enum precision precision);
double device_prior_memory_efficiency(void);
double device_prior_host_bytes_per_s(const struct accelerator *accelerator);

/* E140. Computes how the accelerators of one machine reach each other if their link connects fewer than all (bridges
 * over pairs) or none.
 *
 * Given:    accelerator  interconnect_gbs, max_nvlink_domain, pcie_gen
 *           node         accelerators in one machine, >= 1
 * Returned: device: domain, node, reach, root; PCIe rates, bytes/s: peer, between two cards below one processor;
 *             socket, of one ring that crosses between the processors; sockets, of all that cross at once. If the
 *             catalogue does not state the domain it is the machine; without a link's rate there is no link, and the
 *             domain is one accelerator.
 * Valid:    machines of up to four cards below one processor, and larger ones of two processors
 * Source:   MooreThreads/SimuMax@4dcaae5, configs/system/a100_pcie.json (eight A100 PCIe: all-reduce over two, four
 *             and eight); ai-dynamo/aiconfigurator, NCCL over two, four and eight RTX PRO 6000; the constants in
 *             wiring.c
 * Case:     tests/planner/golden/training_runs.txt */
void device_wiring(const struct accelerator *accelerator, int64_t node, struct device *device);

#endif
