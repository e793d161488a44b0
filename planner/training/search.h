/* The search over candidates and numbers of accelerators, and the front of its results (E45). */
#ifndef FLEETPLAN_PLANNER_TRAINING_SEARCH_H
#define FLEETPLAN_PLANNER_TRAINING_SEARCH_H

#include "planner/training/fleet.h"

/* About the share of a plan's work that the search takes; the levers take the rest. */
#define SEARCH_SHARE 0.9

enum { FRONT_MAX = 33, SEARCH_GPUS_MAX = 131072, OTHERS_MAX = 2 };

/* The rule that finds the number of accelerators. */
enum sizing {
	SIZING_GIVEN,    /* the request or its pins give the number */
	SIZING_DEADLINE, /* the smallest number that keeps the deadline (E133) */
	SIZING_USUAL,    /* the number that teams use for such a run (E132): the request names neither number, deadline, budget nor objective */
	SIZING_KNEE,     /* with a budget: the last doubling that saves a larger part of the time than it adds to the cost (E153) */
	SIZING_OBJECTIVE, /* the best by the objective that the request names (E152) */
};

/* E152. The search leaves out runs of more than SEARCH_HOURS_MOST hours (a year) if it finds shorter ones. Of options
 * whose objectives differ by at most SEARCH_TIE (a fraction) it recommends the fastest; where time is the objective,
 * the cheapest. */
#define SEARCH_HOURS_MOST 8760.0
#define SEARCH_TIE        0.01

/* With many accelerators the search leaves one at its first numbers if its objective exceeds the best of another by
 * this factor. */
#define SEARCH_HOPELESS 2.0

/* Results of the search: the best by the objective, and a front of others that no plan equals or beats in time, cost
 * and carbon at once. */
struct selection {
	struct candidate_plan recommended;
	size_t front_count;
	struct candidate_plan front[FRONT_MAX]; /* without the recommended plan; best by the objective first */
	struct search_counts counts;
	struct front_point *points; /* the caller's, FRONT_KEPT_MAX of them: each number at each place that no other point beats (E107) */
	size_t point_count;
	enum sizing sizing;
	struct candidate_plan usual; /* SIZING_USUAL and SIZING_KNEE: the plan to recommend */
	double deadline_hours;       /* absent: no deadline */
	double confidence;
	size_t curve_count;
	struct confidence_point curve[CONFIDENCES_MAX];
	/* With many accelerators: those left at the first numbers tried because they cost more than SEARCH_HOPELESS times
	 * the best. The first of them with higher peaks than the recommended accelerator are also planned in its number
	 * (others, not on the front). */
	size_t left[CANDIDATES_MAX], left_count;
	struct candidate_plan others[OTHERS_MAX];
	size_t other_count;
	struct candidate_plan fastest, likeliest; /* fastest at the confidence; likeliest to keep the deadline */
	struct candidate_plan cheapest, cleanest, thriftiest,
		smallest; /* without regard to the constraints: for the error when nothing is feasible */
};

/* Chooses the options to answer beside the recommended one, best by the objective first. They are of the front; with
 * many candidates a third of the places goes to accelerators that would be left out otherwise (the best of each on the
 * front, and the others). Returns their number, at most `limit`. */
size_t search_alternatives(
	const struct stage_schedule *schedule, const struct selection *selection, size_t limit, const struct candidate_plan *chosen[]);

/* Searches every candidate. Given: a schedule and its request's pins. The numbers tried are the given number of
 * accelerators; or the smallest that meets the deadline with the request's confidence (within one machine 1, 2, 4, ...;
 * beyond it whole machines); or, with neither, powers of two up to twice the largest published run (for the least time
 * SEARCH_GPUS_MAX), of which enum sizing selects the recommended one.
 * STATUS_INFEASIBLE names the constraint to relax and by how much; STATUS_INVALID names the pins that contradict each
 * other. */
FALLIBLE enum status search_select(const struct stage_schedule *schedule, struct selection *selection, struct failure *failure);

#endif
