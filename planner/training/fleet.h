/* A whole training run on one kind and number of accelerators: its hours, cost, energy and carbon (E45). */
#ifndef FLEETPLAN_PLANNER_TRAINING_FLEET_H
#define FLEETPLAN_PLANNER_TRAINING_FLEET_H

#include "planner/footprint/cost.h"
#include "planner/footprint/footprint.h"
#include "planner/footprint/reliability.h"
#include "planner/step/layout.h"
#include "planner/training/practice.h"

enum { SCHEDULE_STAGES_MAX = TRAINING_STAGES_MAX };

/* The work to plan: one stage, or the stages of a progressive training. Fixed for a request. */
struct stage_schedule {
	const struct training_input *input;
	const struct physics *physics;
	const struct model *teacher;
	size_t stage_count;
	struct {
		double tokens, sequence, batch; /* batch: samples in a step */
		const char *batch_source;       /* source of a chosen batch; NULL when the request gives the batch */
	} stages[SCHEDULE_STAGES_MAX];
	double tokens_total;
	double deadline_hours; /* hours; the request's deadline less its reserved hours; absent: no deadline */
	double confidence;     /* probability with which the plan must keep deadline, budget and caps */
	const struct practice_constants *practice;
	double gradient_bytes; /* bytes of one parameter's gradient, in place of the software's; 0: the software's own */
};

/* Uncertainty of a candidate_plan's figures: spreads of factors, and figures as intervals (E70, E130). */
struct candidate_plan_range {
	struct spread step, failures, practice, hours, usd;
	struct interval step_time_s, wall_clock_hours, gpu_hours, total_usd, total_kwh, total_kgco2e;
};

/* A plan in short form, enough to compare it with others. training_option_fill() makes the full option from it. */
struct candidate_plan {
	bool any, fits;
	size_t candidate;            /* index in input->candidates */
	const struct supply *supply; /* one of the candidate's supplies, which provides the accelerators; NULL: the candidate's own offer and site */
	int64_t gpu_count, node_count;
	struct found found; /* layout and step of the stage that takes longest */
	size_t main_stage;
	double useful_hours, wall_clock_hours, gpu_hours, main_steps, trained_params;
	double paid_hours; /* hours paid for each accelerator (E110); more than the wall clock where a commitment continues after the run */
	double powered_gpu_count; /* accelerators that draw power: used, spare, and the rest of whole instances */
	struct reliability reliability;
	struct gpu_price price;
	bool priced;
	struct footprint footprint;
	struct data_cost data_cost;
	double total_usd; /* cost of accelerators and data */
	struct practice practice;
	double step_log_sigma; /* standard deviation of the logarithm of the step time */
	double least_step_s;   /* lower bound of the step time, s: the step's FLOPs at the accelerator's best measured product */
	struct candidate_plan_range range;
};

/* State that one layout search passes to the next: counts for the plan's `search`, and the best layout of the last
 * search. */
struct search_counts {
	int64_t evaluated, feasible;
	struct parallelism last; /* best layout of the last search; all 0: none yet */
};

/* E45. Plans every stage on `gpu_count` accelerators of a candidate and sums the stages: useful hours = steps x step
 * time; wall clock = useful hours x practice (E131) / goodput (E49); GPU-hours = wall clock x accelerators; cost and
 * footprint follow from these hours.
 * Given: schedule; candidate (index); gpu_count (>= 1); pins (degrees that the request fixes); counts (state of the
 * layout searches, updated).
 * Returned: candidate_plan. `any` is false when no layout exists. `fits` is false when no layout fits in memory: the
 * hours are then those of the layout that needs least memory if the request waives memory, else only found.memory is
 * set.
 * Case: stages_are_summed in tests/planner/test_training_plan.c. */
void fleet_candidate_plan(const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, const struct parallelism *pins,
	struct candidate_plan *candidate_plan, struct search_counts *counts);

/* Fills `candidate_plan` with lower bounds of fleet_candidate_plan(), without timing a layout. Where every layout's
 * step takes at least `factor` times its arithmetic spread over all accelerators (true of all layouts for a factor of
 * 1), the time, cost, energy and carbon that candidate_plan_settle() computes from `candidate_plan` are at most those
 * of the plan.
 * False where no bound is known: the request gives a measured step or MFU, waives memory, or has several stages. */
bool fleet_least(
	const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, double factor, struct candidate_plan *candidate_plan);

/* True if some layout fits in memory with room to spare, and no layout that fits takes less than `factor` times its
 * arithmetic. Given: a schedule of one stage. */
bool fleet_is_slower(const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, double factor,
	const struct parallelism *pins, struct search_counts *counts);

/* Computes energy, carbon, water and cost of the candidate_plan's hours. Notes their assumptions in `findings` (may be
 * NULL). */
void fleet_footprint(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan, struct findings *findings);

/* Returns the usage from which the footprint is computed. `accelerator` and `calibration` point into the candidate. */
struct usage candidate_plan_usage(
	const struct stage_schedule *schedule, const struct candidate *candidate, const struct candidate_plan *candidate_plan);

/* Computes hours, cost and footprint of a candidate_plan whose useful hours are known, rented from `supply` (NULL: the
 * candidate's own offer). */
void candidate_plan_settle(const struct stage_schedule *schedule, const struct supply *supply, struct candidate_plan *candidate_plan);

/* Returns the candidate_plan's candidate with the offer and site of the supply that the plan rents from. */
struct candidate candidate_plan_as_priced(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);

/* Returns the number of machines for `gpu_count` accelerators, rounded up. */
int64_t fleet_nodes(const struct candidate *candidate, int64_t gpu_count);

/* Returns the figure that the objective minimises: USD (without a price, 1e6 x GPU-hours, so that unpriced plans come
 * last), hours, kWh, kg or accelerators. */
double fleet_objective(const struct candidate_plan *candidate_plan, enum objective objective);

#endif
