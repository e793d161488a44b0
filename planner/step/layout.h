/* Layouts: which exist for a number of accelerators, and the fastest that fits (E41-E43). */
#ifndef FLEETPLAN_PLANNER_STEP_LAYOUT_H
#define FLEETPLAN_PLANNER_STEP_LAYOUT_H

#include "planner/step/memory.h"
#include "planner/step/step.h"

/* A layout that is the search's own choice fills this part of the memory where it can: published totals lie up to an eighth above
 * the estimate, and a run that is out of memory in its third week costs more than the recomputation that spares it. A layout
 * whose degrees are pinned describes a run, and vendors' published ones fill the memory. */
#define LAYOUT_COMFORTABLE_FILL 0.92

enum { LAYOUT_TENSOR_MAX = 64, LAYOUT_INTERLEAVE_MAX = 64, LAYOUT_INTERLEAVE_USUAL_MAX = 16, LAYOUT_CONTEXT_MAX = 64 };

/* A layout with what it costs. */
struct found {
	bool any, fits;
	struct parallelism layout;
	struct step_result step;
	struct memory_use memory;
};

/* The fastest layout of `gpu_count` accelerators and, should none fit, the one that needs least memory. */
struct layout_search {
	const struct setting *setting;
	int64_t gpu_count;
	struct parallelism pins;   /* absent members are searched */
	struct parallelism begin;  /* judged first where it is possible on gpu_count (tensor 0: none): a good one lets bounds prune more */
	struct found best, least;  /* least: by memory, not timed */
	bool leanest;              /* nothing is timed: of each set of degrees the leanest layouts are counted, for `least` alone */
	bool fed;                  /* with it: only those whose data ranks the batch can feed */
	double most_sample_s;      /* what takes as long or longer for one sample is not looked for; 0: no such limit */
	bool exhaustive;           /* without bounds: every layout is judged (to measure, and to test the bounds) */
	int64_t evaluated, feasible; /* layouts whose memory was counted; those of them that fit. What a bound on time leaves out is in neither */
};

/* E42. Searches tensor x pipeline x context x data = gpu_count, expert, interleave, micro-batch, ZeRO stage and group and
 * recomputation under the pins: tensor and expert degrees that divide what they split, context degrees and micro-batches that are
 * powers of two. Layers need not divide evenly over stages, nor the batch over data ranks: what is uneven costs time.
 * Sound bounds only: a layout is left unjudged when its layers alone, spread evenly over the stages, take longer than the best one,
 * and degrees are left out whose weights and states alone, spread evenly, do not fit. */
void layout_search(struct layout_search *search);

/* False when pins contradict each other or the model (heads, layers, experts, batch, sequence): adds a fault for each to `failure` that
 * says what would do. Given: gpu_count 0 or less: open. Returned: right, the pins without the faulty ones. */
bool layout_pins_check(const struct setting *setting, int64_t gpu_count, const struct parallelism *pins, struct parallelism *right, struct failure *failure);

bool layout_heads_divide(const struct model *model, int64_t tensor);
int layout_experts(const struct model *model);     /* the most experts of any layer; 0: none */
int64_t layout_layers(const struct model *model);  /* what a pipeline splits; 1 for a generic model */

/* The number of accelerators that fully pinned degrees imply; ABSENT_COUNT unless all four are given. */
int64_t layout_pinned_gpu_count(const struct parallelism *pins);

#endif
