/* Layouts: which are possible on a number of accelerators, and the fastest that fits (E41-E43). */
#ifndef FLEETPLAN_PLANNER_STEP_LAYOUT_H
#define FLEETPLAN_PLANNER_STEP_LAYOUT_H

#include "planner/step/memory.h"
#include "planner/step/step.h"

/* Share of the memory that a layout of the search's own choice fills where it can. Published totals lie up to an eighth
 * above the estimate, and a run that runs out of memory in its third week costs more than the recomputation that avoids
 * it. A layout with pinned degrees describes a run, and vendors' published runs fill the memory. */
#define LAYOUT_COMFORTABLE_FILL 0.92

enum { LAYOUT_TENSOR_MAX = 64, LAYOUT_INTERLEAVE_MAX = 64, LAYOUT_INTERLEAVE_USUAL_MAX = 16, LAYOUT_CONTEXT_MAX = 64 };

/* A layout, its step and its memory. */
struct found {
	bool any, fits;
	struct parallelism layout;
	struct step_result step;
	struct memory_use memory;
};

/* A search for the fastest layout of `gpu_count` accelerators and, if none fits, for the one that needs least memory. */
struct layout_search {
	const struct setting *setting;
	int64_t gpu_count;
	struct parallelism pins;  /* absent members are searched */
	struct parallelism begin; /* judged first where it is possible on gpu_count (tensor 0: none): a good one lets bounds prune more */
	struct found best, least; /* least: by memory; it is not timed */
	bool leanest;             /* time nothing: of each set of degrees count only the leanest layouts, for `least` */
	bool fed;                 /* with `leanest`: only degrees whose data ranks the batch can feed */
	double most_sample_s;     /* s a sample: skip layouts that take as long or longer; 0: no limit */
	bool exhaustive;          /* judge every layout, without bounds (to measure and to test the bounds) */
	int64_t evaluated,
		feasible; /* layouts whose memory was counted; those of them that fit. Layouts that a bound on time prunes are in neither */
};

/* E42, E43. Searches the fastest layout with tensor x pipeline x context x data = gpu_count, over these degrees, expert
 * degree, interleave, micro-batch, ZeRO stage and group, and recomputation. Tensor and expert degrees divide what they
 * split; context degrees and micro-batches are powers of two. Layers need not divide evenly over stages, nor the batch
 * over data ranks: an uneven split costs time.
 * Given:    search: setting (batch set), gpu_count >= 1, pins, options.
 * Returned: search->best, least, evaluated, feasible.
 * Valid:    all bounds are sound. The search skips a layout when its layers alone, spread evenly over the stages, take
 *           longer than the best one; it skips degrees when their weights and states alone, spread evenly, do not fit.
 * Case:     tests/planner/test_training_search.c (against the search without bounds). */
void layout_search(struct layout_search *search);

/* E41. Checks pins against each other and against the model (heads, layers, experts, batch, sequence).
 * Given:    setting; gpu_count: accelerators, 0 or less: open; pins, absent members: searched.
 * Returned: false when they contradict: `failure` has a fault for each, which says which values are possible. *right:
 *           the pins without the faulty ones.
 * Case:     tests/server/test_training_faults.py. */
bool layout_pins_check(
	const struct setting *setting, int64_t gpu_count, const struct parallelism *pins, struct parallelism *right, struct failure *failure);

bool layout_heads_divide(const struct model *model, int64_t tensor);
int layout_experts(const struct model *model);    /* the largest number of experts of any layer; 0: none */
int64_t layout_layers(const struct model *model); /* the layers that a pipeline splits; 1 for a generic model */

/* Returns the number of accelerators that pinned degrees make; ABSENT_COUNT unless tensor, pipeline, data and context
 * are all pinned. */
int64_t layout_pinned_gpu_count(const struct parallelism *pins);

#endif
