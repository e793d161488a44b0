/* The search over candidates and their numbers, and the front that remains (E45). */
#ifndef FLEETPLAN_PLANNER_TRAINING_SEARCH_H
#define FLEETPLAN_PLANNER_TRAINING_SEARCH_H

#include "planner/training/fleet.h"

/* Of the work of a plan, about: the rest is what it could gain by changes. */
#define SEARCH_SHARE 0.9

enum { FRONT_MAX = 33, SEARCH_GPUS_MAX = 131072, OTHERS_MAX = 2 };

/* How the number of accelerators is found. */
enum sizing {
	SIZING_GIVEN,     /* by the request or its pins */
	SIZING_DEADLINE,  /* the smallest that keeps it (E133) */
	SIZING_USUAL,     /* what teams take for such a run (E132): neither number, deadline, budget nor objective is named */
	SIZING_KNEE,      /* with a budget: the last doubling that saves more than it costs (E153) */
	SIZING_OBJECTIVE, /* the best by an objective that is named (E152) */
};

/* E152. Runs beyond a year are left out of a search that finds shorter ones. Of options that differ by less in the objective the
 * fastest is recommended; of equally fast ones, where time is the objective, the cheapest. */
#define SEARCH_HOURS_MOST 8760.0
#define SEARCH_TIE 0.01

/* Of many accelerators one whose objective is so many times that of another is left at its first numbers. */
#define SEARCH_HOPELESS 2.0

/* What remains: the best by the objective, and a front of others no worse in all of time, cost and carbon. */
struct selection {
	struct candidate_plan recommended;
	size_t front_count;
	struct candidate_plan front[FRONT_MAX]; /* without the recommended one, best by the objective first */
	struct search_counts counts;
	struct front_point *points; /* the caller's, FRONT_KEPT_MAX of them: every number at every place, as far as nothing beats it (E107) */
	size_t point_count;
	enum sizing sizing;
	struct candidate_plan usual; /* of SIZING_USUAL and SIZING_KNEE: the one to recommend */
	double deadline_hours; /* absent: none */
	double confidence;
	size_t curve_count;
	struct confidence_point curve[CONFIDENCES_MAX];
	/* Of many accelerators: those that cost more than SEARCH_HOPELESS times the best at the first numbers tried, and were left there. The first of them
	 * that are faster one by one than the recommended are planned in its number, too (others, not on the front). */
	size_t left[CANDIDATES_MAX], left_count;
	struct candidate_plan others[OTHERS_MAX];
	size_t other_count;
	struct candidate_plan fastest, likeliest; /* at the confidence; to keep the deadline */
	struct candidate_plan cheapest, cleanest, thriftiest, smallest; /* whatever the constraints: to say what is nearest when nothing is feasible */
};

/* The options to answer beside the recommended one, best by the objective first: of the front, with one place in three for other accelerators
 * that would be left out (the best of each on the front, and the others). Returns how many, at most `limit`. */
size_t search_alternatives(const struct stage_schedule *schedule, const struct selection *selection, size_t limit, const struct candidate_plan *chosen[]);

/* Given a schedule and the request's pins. For each candidate: the given number of accelerators; or the smallest that meets the
 * deadline with the request's confidence (within one machine 1, 2, 4, ...; beyond it whole machines); or, with neither, powers of two up to
 * twice the largest published run (for the least time SEARCH_GPUS_MAX), of which enum sizing says which is recommended.
 * STATUS_INFEASIBLE says which constraint to relax and by how much; STATUS_INVALID, which pins contradict. */
FALLIBLE enum status search_select(const struct stage_schedule *schedule, struct selection *selection, struct failure *failure);

#endif
