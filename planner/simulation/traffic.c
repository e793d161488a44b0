#include "planner/simulation/traffic.h"

enum { STREAM_GAPS = 1, STREAM_PROMPTS, STREAM_OUTPUTS };
static const double tokens_maximum = 1e8; /* a draw from a wide distribution is not taken beyond this */

void traffic_start(struct traffic *traffic, const struct traffic_plan *plan, uint64_t seed)
{
	*traffic = (struct traffic){.plan = plan};
	random_seed(&traffic->gaps, seed, STREAM_GAPS);
	random_seed(&traffic->prompts, seed, STREAM_PROMPTS);
	random_seed(&traffic->outputs, seed, STREAM_OUTPUTS);
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

/* Round after round, each a mean gap after the one before. */
static struct trace_arrival replayed(struct traffic *traffic)
{
	const struct traffic_plan *plan = traffic->plan;
	size_t round = traffic->next / plan->trace_count, place = traffic->next % plan->trace_count;
	double span_s = plan->trace[plan->trace_count - 1].t_s - plan->trace[0].t_s, count = (double)plan->trace_count;
	double round_s = plan->trace_count > 1 ? span_s * count / (count - 1) : 1;
	struct trace_arrival arrival = plan->trace[place];

	traffic->next++;
	arrival.t_s = (arrival.t_s - plan->trace[0].t_s + (double)round * round_s) / plan->trace_pace;
	return arrival;
}

static struct trace_arrival drawn(struct traffic *traffic)
{
	const struct traffic_plan *plan = traffic->plan;
	double gap = 1;

	if (plan->gap_cv == 1)
		gap = random_exponential(&traffic->gaps);
	else if (plan->gap_cv > 0)
		gap = random_gamma(&traffic->gaps, plan->gap_cv);
	traffic->now_s += gap / plan->requests_per_s;
	return (struct trace_arrival){.t_s = traffic->now_s,
		.prompt_tokens = drawn_tokens(&plan->prompt, &traffic->prompts),
		.output_tokens = drawn_tokens(&plan->output, &traffic->outputs)};
}

struct trace_arrival traffic_next(struct traffic *traffic)
{
	struct trace_arrival arrival = traffic->plan->trace_count > 0 ? replayed(traffic) : drawn(traffic);

	arrival.prompt_tokens = whole_tokens(arrival.prompt_tokens);
	arrival.output_tokens = whole_tokens(arrival.output_tokens);
	return arrival;
}
