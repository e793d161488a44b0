/* Behaviour of the training software: its kernels, the communication that it hides, its memory (E30). */
#ifndef FLEETPLAN_PLANNER_STEP_SOFTWARE_H
#define FLEETPLAN_PLANNER_STEP_SOFTWARE_H

#include "planner/operators/physics.h"
#include "planner/plan/training.h"

struct software {
	const char *name;
	double year;         /* of its release, as a fraction: 2025-05 is 2025.375 */
	double speed;        /* factor on every kernel: that of the stack and of its release */
	double expert_speed; /* further factor on grouped products, whose kernels mature faster */
	bool fused_attention;
	bool fused_experts;                            /* grouped products as fast as single ones */
	bool keeps_expert_outputs;                     /* for the gradient of the routing weights */
	double attention_speed;                        /* of its fused attention, over the newest kernels for that accelerator */
	bool hides_data, hides_tensor, hides_pipeline; /* communication it overlaps with compute */
	bool hides_expert_inside, hides_expert_across; /* the same for experts inside one domain, and across domains */
	bool drops_unread;     /* full recomputation omits the product that ends a layer, because the backward pass does not read its output */
	bool waits_for_counts; /* the host waits for the counts of routed tokens, unless one domain spans machines */
	bool merges_copies;    /* sends a token once to each domain of experts */
	bool balances_ends;    /* gives the first and last pipeline stage fewer layers */
	bool blocks;           /* whole-model sharding keeps full 32-bit weights (FSDP) instead of 16-bit ones and a master copy */
	int zero_most, zero_most_piped; /* highest ZeRO stage that it offers; the same beside a pipeline */
	double logits_bytes;            /* kept for one token and vocabulary entry */
	double gradient_bytes;          /* of one parameter, where not sharded */
	double spare;                   /* share of the activations that the allocator keeps as long as memory is not short */
	double remainder_bytes;         /* of a master weight, which its 16-bit copy already stores */
	bool alternates;                /* selective recomputation keeps the output of every second product */
	bool sends_copies;              /* a stage keeps the activations that it sent until their gradient returns */
	double unsharded_bytes;         /* kept beside ZeRO's shards, per parameter */
	bool single_tensors;            /* sends each tensor of its ZeRO-1 shard on its own */
	bool separate_adapters;         /* LoRA as in PEFT: each adapted matrix has kernels of its own, which nothing fuses */
	bool fuses_adapters;            /* a compiler fuses the adapters' element-wise work, not their products */
	double synchronise_s;           /* ZeRO: s for each parameter that a rank stores between steps, once a step, never hidden */
	bool offloads_inputs;           /* moves inputs of recomputed layers to the host where memory is short */
	bool places;                    /* the compiler places each buffer for its lifetime, and each matrix is gathered where it is used */
	bool submodules;                /* ZeRO-3 gathers and releases the parameters of each submodule instead of a whole layer */
	double expert_host_factor;      /* as host_factor, of a layer of experts */
	double host_factor;             /* host time of a layer over that of the eager reference */
	double narrow_speed;            /* further factor on products in 8 bits and fewer */
	double score_traffic;           /* bytes of unfused attention over those of a fused scaled and masked softmax */
};

/* E30. Computes the behaviour of a training stack in one release.
 * Given:    stack; release: "2025-05" (NULL or unreadable: the newest known of that stack); precision; accelerator_year:
 *           year of the accelerator's architecture (ABSENT_COUNT: unknown); physics.
 * Returned: the software, all members.
 * Case:     tests/planner/test_training_step.c, tests/planner/test_training_communication.c. */
struct software software_of(
	enum stack stack, const char *release, enum precision precision, int64_t accelerator_year, const struct physics *physics);

/* E159. Changes what depends on the pair of kernel library and accelerator: the speed of PyTorch's own kernels on AMD's
 * accelerators (pairs.h), and Gaudi's compiler, which fuses the element-wise work of adapters.
 * Given:    stack; accelerator. Changed: software.
 * Valid:    releases of 2024 to 2026.
 * Source:   SemiAnalysis 2024-12 and a run of torchtitan (pairs.h).
 * Case:     tests/planner/test_training_ground.c. */
void software_on(enum stack stack, const struct accelerator *accelerator, struct software *software);

/* E162. Changes software without a name that fine-tunes or trains an encoder: it runs the model as published in PyTorch.
 * Until PyTorch 2.0 its attention is several kernels, one after the other, while pre-training had Megatron's fused
 * softmax and then flash attention.
 * Given:    stack. Changed: software, where the stack has no name and the release is before 2023-03.
 * Case:     tests/planner/test_training_ground.c. */
void software_of_published_model(enum stack stack, struct software *software);

const char *stack_name(enum stack stack);           /* "megatron_core"; "" for unset */
const char *stack_newest_release(enum stack stack); /* "2026-08" */

#endif
