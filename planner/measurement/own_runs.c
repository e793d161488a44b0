#include "planner/measurement/own_runs.h"

#include <math.h>

double own_run_likeness(const struct own_run_kind *kind)
{
	double unlike = !kind->same_accelerator + !kind->same_vendor + !kind->same_software +
		(kind->params_ratio > 0 ? fabs(log10(kind->params_ratio)) : 1);

	return pow(OWN_RUNS_UNLIKE, unlike);
}

struct own_run own_run_of(double practice, double expected, double sigma, double step_ratio, double gpu_count, double likeness)
{
	return (struct own_run){.practice = practice,
		.log_surprise = log(practice / expected),
		.sigma = sigma,
		.log_rest = log(practice / step_ratio),
		.log10_gpus = log10(gpu_count),
		.likeness = likeness};
}

static double spread_ratio(double a, double b)
{
	return fmax(a, b) / fmin(a, b);
}

/* A run as a standard deviate from its expectation, and the spread that its deviate refers to. */
struct view {
	double deviate, sigma;
};

static struct view view_of(const struct own_run *run, const struct own_runs_prior *prior, double log_rest_factor)
{
	bool rest_is_nearer = spread_ratio(prior->rest_sigma, prior->sigma) < spread_ratio(run->sigma, prior->sigma);

	if (is_given(run->log_rest) && rest_is_nearer)
		return (struct view){(run->log_rest - log_rest_factor) / prior->rest_sigma, prior->rest_sigma};
	return (struct view){run->log_surprise / run->sigma, run->sigma};
}

struct own_runs_posterior own_runs_posterior(const struct own_runs *runs, const struct own_runs_prior *prior)
{
	const double shared = OWN_RUNS_SHARED, published_runs = (1 - shared) / shared;
	double log_rest_factor = log(prior->rest_factor), log10_gpus = log10(prior->gpu_count);
	double weights = 0, squares = 0, sum = 0, sum_shift = 0, sum_square = 0, scatter, freedom, variance;
	struct own_runs_posterior posterior = {.factor = 1, .scale = 1};

	for (size_t i = 0; runs && i < runs->count; i++) {
		const struct own_run *run = &runs->items[i];
		struct view view = view_of(run, prior, log_rest_factor);
		double common = 1 / spread_ratio(view.sigma, prior->sigma);
		double weight = run->likeness * exp(log(OWN_RUNS_UNLIKE) * fabs(run->log10_gpus - log10_gpus)) * common * common;

		weights += weight;
		squares += weight * weight;
		sum += weight * view.deviate;
		sum_square += weight * view.deviate * view.deviate;
		sum_shift += weight * common * view.deviate;
	}
	if (!(weights > 0))
		return posterior;
	scatter = fmax(0, sum_square - sum * sum / weights);
	freedom = fmax(0, weights - squares / weights);
	variance = (published_runs * (1 - shared) + scatter) / (published_runs + freedom);
	posterior.runs = weights;
	posterior.weight = weights * shared / (variance + weights * shared);
	posterior.factor = exp(posterior.weight * prior->sigma * sum_shift / weights);
	posterior.scale = sqrt(variance + shared * variance / (variance + weights * shared));
	posterior.disagree = scatter > freedom && posterior.scale > 1;
	return posterior;
}
