/* A whole run on one kind and number of accelerators: its hours, cost, energy and carbon (E45). */
#ifndef FLEETPLAN_PLANNER_TRAINING_FLEET_H
#define FLEETPLAN_PLANNER_TRAINING_FLEET_H

#include "planner/footprint/cost.h"
#include "planner/footprint/footprint.h"
#include "planner/footprint/reliability.h"
#include "planner/step/layout.h"
#include "planner/training/practice.h"

enum { SCHEDULE_STAGES_MAX = TRAINING_STAGES_MAX };

/* What is to be trained: one stage, or those of a progressive training. Fixed for a request. */
struct stage_schedule {
	const struct training_input *input;
	const struct physics *physics;
	const struct model *teacher;
	size_t stage_count;
	struct {
		double tokens, sequence, batch; /* batch: samples a step */
		const char *batch_source;       /* where a chosen batch comes from; NULL when it was given */
	} stages[SCHEDULE_STAGES_MAX];
	double tokens_total;
	double deadline_hours; /* less reserved; absent: none */
	double confidence;     /* probability with which deadline, budget and caps are held */
	const struct practice_constants *practice;
	double gradient_bytes; /* of one parameter, instead of the software's; 0: its own */
};

/* How far a candidate_plan's figures may be off: spreads of factors, and figures as intervals (E70, E130). */
struct candidate_plan_range {
	struct spread step, failures, practice, hours, usd;
	struct interval step_time_s, wall_clock_hours, gpu_hours, total_usd, total_kwh, total_kgco2e;
};

/* One answer in short: enough to compare; the option's details are made from it. */
struct candidate_plan {
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
	struct candidate_plan_range range;
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
void fleet_candidate_plan(const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, const struct parallelism *pins,
	struct candidate_plan *candidate_plan, struct search_counts *counts);

/* Bounds of fleet_candidate_plan(), without timing a layout: where every layout's steps take `factor` times their arithmetic, spread over all accelerators, or
 * longer (all do with a factor of 1), time, cost, energy and carbon of what candidate_plan_settle() makes of `candidate_plan` are no more than the plan's.
 * False where no bound is known (steps or MFU are given, or several stages). */
bool fleet_least(const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, double factor, struct candidate_plan *candidate_plan);

/* Whether some layout fits with room to spare, and none that does takes less than `factor` times its arithmetic. Given: schedule of one stage. */
bool fleet_is_slower(const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, double factor, const struct parallelism *pins, struct search_counts *counts);

/* Energy, carbon, water and cost of the candidate_plan's hours; what they assume is noted in `findings` (may be NULL). */
void fleet_footprint(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan, struct findings *findings);

/* The usage that the footprint is of. `accelerator` and `calibration` are the candidate's. */
struct usage candidate_plan_usage(const struct stage_schedule *schedule, const struct candidate *candidate, const struct candidate_plan *candidate_plan);

/* Hours, cost and footprint of a candidate_plan whose useful hours are known, had from `supply` (NULL: the candidate's own offer). */
void candidate_plan_settle(const struct stage_schedule *schedule, const struct supply *supply, struct candidate_plan *candidate_plan);

/* The candidate_plan's candidate with the offer from which its accelerators are had. */
struct candidate candidate_plan_as_priced(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);

/* Machines that hold `gpu_count`. */
int64_t fleet_nodes(const struct candidate *candidate, int64_t gpu_count);

/* What the objective minimises: USD (hours of accelerators where there is no price), hours, kWh, kg or accelerators. */
double fleet_objective(const struct candidate_plan *candidate_plan, enum objective objective);

#endif
