/* One accelerator as the operators see it: the rates that software really reaches, in SI. */
#ifndef FLEETPLAN_PLANNER_OPERATORS_DEVICE_H
#define FLEETPLAN_PLANNER_OPERATORS_DEVICE_H

#include "planner/operators/physics.h"

struct device {
	double peak_flops_per_s;      /* dense, of the request's precision: what mfu divides by */
	double linear_flops_per_s;    /* reached by large products of linear layers in that precision */
	double wide_flops_per_s;      /* the same in the training precision of 16 or more bits */
	double linear_most_flops_per_s, wide_most_flops_per_s; /* of the best products measured: nothing is faster, traffic included */
	double full_head_width;       /* heads as wide as this reach that rate, narrower ones less; 0: all do */
	double attention_flops_per_s; /* fused attention of unlimited length, forward */
	double memory_bytes_per_s, link_bytes_per_s, nic_bytes_per_s; /* reached by large transfers, one direction */
	double host_bytes_per_s;      /* over PCIe, one direction */
	double operand_bytes;         /* of one element of a linear layer's operands */
	double wide_bytes;            /* of one element of activations */
	double quantize_bytes;        /* moved to narrow one activation element; 0 for 16 bits and more */
	double peer_bytes_per_s;      /* between two accelerators of a machine over PCIe, below one processor */
	double socket_bytes_per_s, sockets_bytes_per_s; /* of one ring that crosses between the machine's processors; of all that cross at once */
	int64_t domain;               /* accelerators that the link joins: fewer than a machine's (bridges), as many, or more (NVL72) */
	int64_t torus_dimensions;     /* of the domain's links; 0: each reaches every other at its full rate */
	int64_t node;                 /* accelerators in one machine */
	int64_t reach;                /* accelerators that talk without a network adapter: the larger of domain and node */
	int64_t root;                 /* accelerators below one processor of a machine */
	bool ceiling_measured;        /* the matrix-product ceiling is a measurement, not a class average */
	double ceiling;               /* of the dense peak, large products; after calibration where there is one */
	const char *ceiling_source;
	enum precision computed;      /* the format that the linear layers really run in */
	bool small_tiles;             /* a processor: a handful of outputs fill it, not a wave of tiles */
	bool classes_measured;        /* then products of each class run at so much of linear_ and wide_flops_per_s: */
	double class_speed[PRODUCT_CLASS_COUNT];
	double link_latency_s;        /* of a collective inside a domain, measured; 0: physics' */
	double host_latency_s;        /* of a transfer between host and device, measured; 0: none is known */
};

/* E20. What an accelerator reaches.
 * Given: candidate (catalogue row, calibration, node), the request's precision, physics, speed (software's factor on
 * every kernel, > 0). Returned: true and the device; false when it has no rate in any usable format.
 * Valid: dense peaks of the catalogue. Source: ceilings measured by stas00/ml-engineering (MAMF tables) and
 * ai-dynamo/aiconfigurator (kernel timings), named in device.c. A calibration's figures replace those of its terms: ceiling (of the
 * format in which it was measured; the other follows in proportion), memory, host and link; one equal to the prior changes nothing. */
bool device_of_candidate(const struct candidate *candidate, enum precision precision, const struct physics *physics,
	double speed, struct device *device);

/* Whether a whole step runs as one program that was compiled ahead (TPUs): physics_compiled() is theirs. */
bool device_is_compiled(const struct accelerator *accelerator);

/* Year in which the accelerator's architecture came out: a refresh (H200, B300) runs kernels that are as ripe as its
 * predecessor's. The catalogue's year of release where the architecture is not known. */
int64_t device_architecture_year(const struct accelerator *accelerator);

/* The published figure in whose place a measured one comes: fraction of the dense peak that products reach in a precision, and of the
 * bandwidth that memory does. */
double device_prior_gemm_efficiency(const struct accelerator *accelerator, enum precision precision);
double device_prior_memory_efficiency(void);
double device_prior_host_bytes_per_s(const struct accelerator *accelerator);

/* E140. How the accelerators of one machine reach each other where their link joins fewer than all (bridges over pairs) or none.
 * Given: accelerator; node, accelerators in one machine (>= 1). Returned: domain, node, reach, root, and the rates of PCIe: peer, what two
 * cards below one processor reach; socket and sockets, what crosses between the processors. A domain that the catalogue does not state
 * is the machine; without a link's rate there is no link, and the domain is one accelerator.
 * Valid: machines of up to four cards below one processor, of two processors beyond that.
 * Source: MooreThreads/SimuMax@4dcaae5, configs/system/a100_pcie.json (eight A100 PCIe: all-reduce over two, four and eight), and
 * ai-dynamo/aiconfigurator, NCCL over two, four and eight RTX PRO 6000; the constants in wiring.c. */
void device_wiring(const struct accelerator *accelerator, int64_t node, struct device *device);

#endif
