/* The constants of the operators (E20-E29): few, each with a meaning, a unit and a plausible range.
 *
 * They stand in one struct that is passed to every operator, so that a fit, a sensitivity and a test can
 * change one and plan again. There is none per case, per model or per suite, and one factor a software stack
 * (planner/training/software.c). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_PHYSICS_H
#define FLEETPLAN_PLANNER_OPERATORS_PHYSICS_H

#include "planner/accelerator.h"

enum { PHYSICS_STACKS = 9 }; /* as many as enum stack has */

struct physics {
	double gemm_fraction;        /* of the best measured matrix product, which products of training shapes reach; 0.7..1.1 */
	double narrow_fraction;      /* the same for 8-bit formats, scaling included; 0.5..1.1 */
	double nvfp4_fraction;       /* the same for 4-bit formats (some products stay wider); 0.2..1 */
	double gemm_traffic;         /* operand bytes moved over operand bytes: tiles are read more than once; 0.5..6 */
	double attention_fraction;   /* of the measured fused attention rate; 0.4..1.5 */
	double attention_half_tokens; /* length at which fused attention runs at half its rate; 100..2000 */
	double attention_backward;   /* speed of its backward pass over its forward pass; 0.5..1.2 */
	double score_fraction;       /* unfused attention: rate of batched score products over large ones; 0.2..1 */
	double score_traffic_bytes;  /* unfused attention: bytes moved for one score, forward; 6..30 */
	double element_traffic;      /* element-wise bytes moved over bytes counted; 0.4..2.5 */
	double host_layer_s;         /* host time to issue one layer's forward pass; 0.02e-3..2e-3 s */
	double kernel_gap_s;         /* device time lost between kernels in one layer's forward pass; 1e-6..4e-4 s */
	double step_fixed_s;         /* host time once a step: loss scale, clipping, logging; 1e-3..5e-2 s */
	double link_fraction;        /* of the link's rate in one direction that large collectives reach; 0.4..0.95 */
	double nic_fraction;         /* the same between nodes; 0.2..1 */
	double link_latency_s;       /* of one collective inside a domain; 4e-6..8e-5 s */
	double nic_latency_s;        /* of one further doubling of nodes; 4e-6..2e-4 s */
	double overlap;              /* part of a hideable communication that software really hides; 0.2..1 */
	double expert_imbalance;     /* tokens of the fullest expert rank over the mean; 1..1.6 */
	double expert_fraction;      /* rate of grouped products of many rows over single ones, with software of 2026; 0.1..1.1 */
	double expert_half_rows;     /* tokens of one expert at which grouped products run at half that rate: tiles of 128 rows and their tails; 1..8000 */
	double expert_gain_per_year; /* of the logarithm of that rate, a year of newer software; 0.01..2 */
	double expert_traffic;       /* bytes moved to sort, send, weigh and sum expert tokens over those of one copy in and out; 0.5..40 */
	double expert_host_s;        /* host time to issue one expert layer's forward pass: routing waits for the device; 0.2e-3..1.5e-2 s */
	double youth;                /* speed that software lacks on hardware of its own year, fades with e^(-years/2); 0.01..0.5 */
	double release_gain_per_year; /* speed gained by a year of newer software, as a fraction; 0.005..0.4 */
	double synchronise_s;        /* DeepSpeed ZeRO-1: once a step for each local parameter, never hidden; 0.5e-9..6e-9 s */
	double stack_speed[PHYSICS_STACKS]; /* of every kernel, by enum stack; 0.6..1.3 */
};

extern const struct physics physics_fitted;

#endif
