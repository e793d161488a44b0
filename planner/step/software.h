/* What the training software does: which kernels, which communication it hides, what it keeps in memory (E30). */
#ifndef FLEETPLAN_PLANNER_STEP_SOFTWARE_H
#define FLEETPLAN_PLANNER_STEP_SOFTWARE_H

#include "planner/operators/physics.h"
#include "planner/plan/training.h"

struct software {
	const char *name;
	double year;          /* of its release, as a fraction: 2025-05 is 2025.375 */
	double speed;         /* factor on every kernel: the stack's own and its release's */
	double expert_speed;  /* factor on grouped products beside it, which ripen faster */
	bool fused_attention;
	bool fused_experts;   /* grouped products as fast as single ones */
	bool keeps_expert_outputs; /* for the gradient of the routing weights */
	double attention_speed; /* of its fused attention over the newest kernels for that accelerator */
	bool hides_data, hides_tensor, hides_pipeline; /* communication it overlaps with compute */
	bool hides_expert_inside, hides_expert_across; /* the same of experts in one domain, and in several */
	bool drops_unread;    /* full recomputation leaves out the product that ends a layer: nobody reads it again */
	bool waits_for_counts; /* of routed tokens, on the host, unless one domain spans machines */
	bool merges_copies;   /* sends a token once to each domain of experts */
	bool balances_ends;   /* gives the first and last pipeline stage fewer layers */
	bool blocks;          /* whole-model sharding keeps full 32-bit weights (FSDP) instead of 16-bit ones and a master copy */
	int zero_most, zero_most_piped; /* ZeRO stages that it offers; beside a pipeline */
	double logits_bytes;  /* kept for one token and vocabulary entry */
	double gradient_bytes; /* of one parameter, where not sharded */
	double spare;          /* of the activations: kept by the allocator as long as memory is not short */
	double remainder_bytes; /* of a master weight that its 16-bit copy already holds */
	bool alternates;       /* selective recomputation keeps every second product's output */
	bool sends_copies;     /* a pipeline's sent activations are kept until their gradient returns */
	double unsharded_bytes; /* kept beside ZeRO's shards, per parameter */
	bool single_tensors;  /* sends each tensor of ZeRO-1's part on its own */
	bool separate_adapters; /* LoRA as PEFT does it: each adapted matrix has kernels of its own, which nothing fuses */
	bool fuses_adapters;  /* their element-wise work, not their products */
	double synchronise_s; /* ZeRO: once a step for each parameter that a rank holds, never hidden */
	bool offloads_inputs; /* of layers that are done again to the host, where they do not fit otherwise */
	bool places;          /* each buffer has a place for as long as it lives, and each matrix is gathered where it is used */
	bool submodules;      /* ZeRO-3 gathers and releases each submodule's parameters instead of a whole layer's at once */
	double expert_host_factor; /* the same of an expert layer */
	double host_factor;   /* host time of a layer over that of the eager reference */
	double narrow_speed;  /* of products in 8 bits and fewer, beside `speed` */
	double score_traffic; /* bytes of unfused attention over those of a fused scaled and masked softmax */
};

/* E30. Given: stack, release ("2025-05", NULL: the newest known of that stack), precision, the
 * year of the accelerator's architecture (ABSENT_COUNT: unknown), physics.
 * Returned: what it does. A release that cannot be read counts as the newest. */
struct software software_of(enum stack stack, const char *release, enum precision precision, int64_t accelerator_year, const struct physics *physics);

/* E159. Changes what depends on the pair of kernel library and accelerator: PyTorch's own kernels on AMD's accelerators (pairs.h), and Gaudi's compiler,
 * which fuses the element-wise work of adapters. Given: stack, accelerator. Valid: releases of 2024 to 2026. */
void software_on(enum stack stack, const struct accelerator *accelerator, struct software *software);

/* E162. Software of no name that fine-tunes, or trains an encoder, runs the model as it was published in PyTorch: until PyTorch 2.0 its attention is a
 * handful of kernels, one after the other, while pre-training had Megatron's fused softmax and then flash attention. */
void software_of_published_model(enum stack stack, struct software *software);

const char *stack_name(enum stack stack);           /* "megatron_core"; "" for unset */
const char *stack_newest_release(enum stack stack); /* "2026-08" */

#endif
