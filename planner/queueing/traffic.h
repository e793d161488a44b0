/* Arriving requests: drawn from distributions, or replayed from a trace (E90, E94).
 *
 * Gaps, prompts and answers have separate random streams. One seed therefore gives the same requests to every simulated
 * fleet (common random numbers). */
#ifndef FLEETPLAN_PLANNER_QUEUEING_TRAFFIC_H
#define FLEETPLAN_PLANNER_QUEUEING_TRAFFIC_H

#include "planner/plan/serving.h"
#include "planner/queueing/random.h"

/* Tokens of a prompt or an answer: one of the samples, or log-normal with a mean. */
struct token_source {
	const double *samples; /* borrowed; NULL: drawn from mean and cv */
	size_t sample_count;
	double mean, cv; /* mean >= 1; cv >= 0, 0: always the mean */
};

/* Description of the traffic. It is fixed while a simulation runs. */
struct traffic_plan {
	const struct trace_arrival *trace; /* sorted by time, borrowed; repeated when it ends; NULL: arrivals are drawn */
	size_t trace_count;
	double trace_pace;     /* speed of the replay, > 0: 2 plays the trace in half its time */
	double requests_per_s; /* of drawn arrivals, > 0 */
	double gap_cv;         /* of the gaps between arrivals: 1 Poisson, else gamma; 0 regular */
	struct token_source prompt, output;
	const struct rate_piece *pieces; /* rates that follow each other and repeat, borrowed; NULL: the rate is constant */
	size_t piece_count, first_piece;
	double piece_peak;    /* a piece of this rate has requests_per_s arrivals a second, > 0 */
	double first_share;   /* part of the requests that goes ahead of the rest, 0..1; 0: none */
	int32_t prefix_count; /* equally likely shared prefixes of prompts; 0: none */
};

/* One arriving request. */
struct arrival {
	double t_s, prompt_tokens, output_tokens;
	bool first;     /* it goes ahead of the rest */
	int32_t prefix; /* 0 .. prefix_count - 1; -1: none */
};

struct traffic {
	const struct traffic_plan *plan;
	struct random gaps, prompts, outputs, classes, prefixes;
	double now_s, piece_left_s;
	double round_s, round_integral_s; /* of all pieces: duration, and the duration at requests_per_s with as many arrivals */
	size_t next, piece;               /* index in the trace; index in the pieces */
};

void traffic_start(struct traffic *traffic, const struct traffic_plan *plan, uint64_t seed);

/* E90, E94. Returns the next arrival. Its time never falls; both token counts are whole and at least 1.
 * Source: inversion of the rate's integral (Cinlar 1975, theorem 4-4.2) where the rate changes.
 * Case:   tests/planner/test_simulation.c, drawn_traffic_has_the_moments_asked_for and
 *         a_trace_is_replayed_and_repeated_at_its_pace; tests/planner/test_simulation_fleet.c,
 *         pieces_hold_their_share_of_the_requests. */
struct arrival traffic_next(struct traffic *traffic);

#endif
