#include "planner/queueing/traffic.h"

enum { STREAM_GAPS = 1, STREAM_PROMPTS, STREAM_OUTPUTS, STREAM_CLASSES, STREAM_PREFIXES };
static const double tokens_maximum = 1e8; /* limit of a draw from a wide distribution */

void traffic_start(struct traffic *traffic, const struct traffic_plan *plan, uint64_t seed)
{
	*traffic = (struct traffic){.plan = plan};
	random_seed(&traffic->gaps, seed, STREAM_GAPS);
	random_seed(&traffic->prompts, seed, STREAM_PROMPTS);
	random_seed(&traffic->outputs, seed, STREAM_OUTPUTS);
	random_seed(&traffic->classes, seed, STREAM_CLASSES);
	random_seed(&traffic->prefixes, seed, STREAM_PREFIXES);
	traffic->piece = plan->first_piece;
	if (plan->piece_count > 0)
		traffic->piece_left_s = plan->pieces[plan->first_piece].duration_s;
	for (size_t i = 0; i < plan->piece_count; i++) {
		traffic->round_s += plan->pieces[i].duration_s;
		traffic->round_integral_s += plan->pieces[i].duration_s * plan->pieces[i].requests_per_s / plan->piece_peak;
	}
}

static double whole_tokens(double tokens)
{
	return fmin(fmax(rint(tokens), 1), tokens_maximum);
}

static double drawn_tokens(const struct token_source *source, struct random *random)
{
	if (source->sample_count > 0)
		return source->samples[(size_t)(random_uniform(random) * (double)source->sample_count)];
	return source->mean * random_lognormal(random, source->cv);
}

/* Replays the trace again and again. A round starts one mean gap after the last arrival of the round before. */
static struct arrival replayed_arrival(struct traffic *traffic)
{
	const struct traffic_plan *plan = traffic->plan;
	size_t round = traffic->next / plan->trace_count, place = traffic->next % plan->trace_count;
	double span_s = plan->trace[plan->trace_count - 1].t_s - plan->trace[0].t_s, count = (double)plan->trace_count;
	double round_s = plan->trace_count > 1 ? span_s * count / (count - 1) : 1;
	const struct trace_arrival *row = &plan->trace[place];

	traffic->next++;
	return (struct arrival){.t_s = (row->t_s - plan->trace[0].t_s + (double)round * round_s) / plan->trace_pace,
		.prompt_tokens = row->prompt_tokens,
		.output_tokens = row->output_tokens};
}

/* E94. Stretches a gap to the changing rate: returns the time in which the rate's integral grows by the gap, s.
 * Given:  wanted_s: the gap at the rate requests_per_s, s.
 * Valid:  any distribution of gaps.
 * Source: inversion (Cinlar 1975, theorem 4-4.2). */
static double inverted_s(struct traffic *traffic, double wanted_s)
{
	const struct traffic_plan *plan = traffic->plan;
	double rounds, passed_s;

	if (plan->piece_count == 0)
		return wanted_s;
	rounds = floor(wanted_s / traffic->round_integral_s); /* whole rounds; each ends in the piece where it began */
	passed_s = rounds * traffic->round_s;
	wanted_s = fmax(wanted_s - rounds * traffic->round_integral_s, 0);
	for (;;) {
		double relative = plan->pieces[traffic->piece].requests_per_s / plan->piece_peak;

		if (wanted_s <= traffic->piece_left_s * relative && relative > 0) {
			traffic->piece_left_s -= wanted_s / relative;
			return passed_s + wanted_s / relative;
		}
		wanted_s -= traffic->piece_left_s * relative;
		passed_s += traffic->piece_left_s;
		traffic->piece = (traffic->piece + 1) % plan->piece_count;
		traffic->piece_left_s = plan->pieces[traffic->piece].duration_s;
	}
}

static struct arrival drawn_arrival(struct traffic *traffic)
{
	const struct traffic_plan *plan = traffic->plan;
	double gap = 1;

	if (plan->gap_cv == 1)
		gap = random_exponential(&traffic->gaps);
	else if (plan->gap_cv > 0)
		gap = random_gamma(&traffic->gaps, plan->gap_cv);
	traffic->now_s += inverted_s(traffic, gap / plan->requests_per_s);
	return (struct arrival){.t_s = traffic->now_s,
		.prompt_tokens = drawn_tokens(&plan->prompt, &traffic->prompts),
		.output_tokens = drawn_tokens(&plan->output, &traffic->outputs)};
}

struct arrival traffic_next(struct traffic *traffic)
{
	const struct traffic_plan *plan = traffic->plan;
	struct arrival arrival = plan->trace_count > 0 ? replayed_arrival(traffic) : drawn_arrival(traffic);

	arrival.prompt_tokens = whole_tokens(arrival.prompt_tokens);
	arrival.output_tokens = whole_tokens(arrival.output_tokens);
	arrival.first = plan->first_share > 0 && random_uniform(&traffic->classes) < plan->first_share;
	arrival.prefix = plan->prefix_count > 0 ? (int32_t)(random_uniform(&traffic->prefixes) * (double)plan->prefix_count) : -1;
	return arrival;
}
