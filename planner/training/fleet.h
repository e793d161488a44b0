/* A whole run on one kind and number of accelerators: its hours, cost, energy and carbon (E45). */
#ifndef FLEETPLAN_PLANNER_TRAINING_FLEET_H
#define FLEETPLAN_PLANNER_TRAINING_FLEET_H

#include "planner/footprint/cost.h"
#include "planner/footprint/footprint.h"
#include "planner/training/layout.h"
#include "planner/training/practice.h"
#include "planner/training/reliability.h"

enum { PROGRAMME_STAGES_MAX = TRAINING_STAGES_MAX };

/* What is to be trained: one stage, or those of a progressive training. Fixed for a request. */
struct programme {
	const struct training_input *input;
	const struct physics *physics;
	const struct model *teacher;
	size_t stage_count;
	struct {
		double tokens, sequence, batch; /* batch: samples a step */
		const char *batch_source;       /* where a chosen batch comes from; NULL when it was given */
	} stages[PROGRAMME_STAGES_MAX];
	double tokens_total;
	double deadline_hours; /* less reserved; absent: none */
	double confidence;     /* probability with which deadline, budget and caps are held */
	const struct practice_constants *practice;
	double gradient_bytes; /* of one parameter, instead of the software's; 0: its own */
};

/* How far an outline's figures may be off: spreads of factors, and figures as intervals (E70, E130). */
struct outline_range {
	struct spread step, failures, practice, hours, usd;
	struct interval step_time_s, wall_clock_hours, gpu_hours, total_usd, total_kwh, total_kgco2e;
};

/* One answer in short: enough to compare; the option's details are made from it. */
struct outline {
	bool any, fits;
	size_t candidate;     /* index */
	const struct supply *supply; /* of the candidate's, from which its accelerators are had; NULL: the candidate's own offer and site */
	int64_t gpu_count, node_count;
	struct found found;   /* of the stage that takes longest */
	size_t main_stage;
	double useful_hours, wall_clock_hours, gpu_hours, main_steps, trained_params;
	double paid_hours;        /* E110: of each accelerator: more than the wall clock where a commitment is paid on */
	double powered_gpu_count; /* used, spare, and the rest of whole instances: all draw power */
	struct reliability reliability;
	struct gpu_price price;
	bool priced;
	struct footprint footprint;
	struct data_cost data_cost;
	double total_usd; /* accelerators and data */
	struct practice practice;
	double step_log_sigma; /* of the step's time */
	double least_step_s;   /* of the best measured product of the accelerator, nothing else: no step is faster */
	struct outline_range range;
};

/* What passes from one search of layouts to the next: counts for the plan's `search`, and the best of the last one. */
struct search_counts {
	int64_t evaluated, feasible;
	struct parallelism last; /* all 0: none yet */
};

/* E45. Plans every stage on `gpu_count` accelerators of a candidate and sums them: useful hours = steps x step; wall clock = useful x
 * practice (E131) / goodput (E49); GPU-hours = wall clock x accelerators; cost and footprint from the same hours.
 * Returned: `any` false when no layout exists; `fits` false when none fits in memory (the hours are then those of the
 * layout that needs least, if the request waives memory; else only found.memory holds). */
void fleet_outline(const struct programme *programme, size_t candidate, int64_t gpu_count, const struct parallelism *pins,
	struct outline *outline, struct search_counts *counts);

/* Bounds of fleet_outline(), without timing a layout: where every layout's steps take `factor` times their arithmetic, spread over all accelerators, or
 * longer (all do with a factor of 1), time, cost, energy and carbon of what outline_settle() makes of `outline` are no more than the plan's.
 * False where no bound is known (steps or MFU are given, or several stages). */
bool fleet_least(const struct programme *programme, size_t candidate, int64_t gpu_count, double factor, struct outline *outline);

/* Whether some layout fits with room to spare, and none that does takes less than `factor` times its arithmetic. Given: programme of one stage. */
bool fleet_is_slower(const struct programme *programme, size_t candidate, int64_t gpu_count, double factor, const struct parallelism *pins, struct search_counts *counts);

/* Energy, carbon, water and cost of the outline's hours; what they assume is noted in `findings` (may be NULL). */
void fleet_footprint(const struct programme *programme, struct outline *outline, struct findings *findings);

/* The usage that the footprint is of. `accelerator` and `calibration` are the candidate's. */
struct usage outline_usage(const struct programme *programme, const struct candidate *candidate, const struct outline *outline);

/* Hours, cost and footprint of an outline whose useful hours are known, had from `supply` (NULL: the candidate's own offer). */
void outline_settle(const struct programme *programme, const struct supply *supply, struct outline *outline);

/* The outline's candidate with the offer from which its accelerators are had. */
struct candidate outline_candidate(const struct programme *programme, const struct outline *outline);

/* Machines that hold `gpu_count`. */
int64_t fleet_nodes(const struct candidate *candidate, int64_t gpu_count);

/* What the objective minimises: USD (hours of accelerators where there is no price), hours, kWh, kg or accelerators. */
double fleet_objective(const struct outline *outline, enum objective objective);

#endif
