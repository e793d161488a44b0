/* Requests as they arrive: drawn from distributions, or replayed from a trace (E90, E94).
 *
 * Gaps, prompts and answers are drawn from streams of their own, so that one seed gives the same requests to whatever
 * fleet is tried on them (common random numbers). */
#ifndef FLEETPLAN_PLANNER_QUEUEING_TRAFFIC_H
#define FLEETPLAN_PLANNER_QUEUEING_TRAFFIC_H

#include "planner/plan/serving.h"
#include "planner/queueing/random.h"

/* Tokens of a prompt or an answer: one of the samples, or log-normal about a mean. */
struct token_source {
	const double *samples; /* borrowed; NULL: drawn by mean and cv */
	size_t sample_count;
	double mean, cv; /* mean >= 1; cv >= 0, 0: always the mean */
};

/* What arrives. Fixed while a simulation runs. */
struct traffic_plan {
	const struct trace_arrival *trace; /* sorted by time, borrowed; repeated when it ends; NULL: drawn */
	size_t trace_count;
	double trace_pace; /* of the trace: 2 plays it in half the time, > 0 */
	double requests_per_s; /* of what is drawn, > 0 */
	double gap_cv; /* of the gaps between arrivals: 1 Poisson, else gamma; 0 regular */
	struct token_source prompt, output;
	const struct rate_piece *pieces; /* one after the other, and round again, borrowed; NULL: the rate stays */
	size_t piece_count, first_piece;
	double piece_peak; /* the piece's rate at which requests come with requests_per_s, > 0 */
	double first_share; /* of the requests goes ahead of the rest: 0 none */
	int32_t prefix_count; /* prompts begin with one of so many, each as likely; 0: with none */
};

/* A request that comes. */
struct arrival {
	double t_s, prompt_tokens, output_tokens;
	bool first; /* goes ahead of the rest */
	int32_t prefix; /* 0 .. prefix_count - 1; -1: none */
};

struct traffic {
	const struct traffic_plan *plan;
	struct random gaps, prompts, outputs, classes, prefixes;
	double now_s, piece_left_s;
	double round_s, round_integral_s; /* of all pieces: their time, and that time at requests_per_s which brings as many */
	size_t next, piece; /* of the trace; of the pieces */
};

void traffic_start(struct traffic *traffic, const struct traffic_plan *plan, uint64_t seed);

/* The next arrival: time never falls; both token counts are whole and at least 1. */
struct arrival traffic_next(struct traffic *traffic);

#endif
