#include "planner/estimates/scaling_estimate.h"

#include "planner/training/scaling.h"

static const double curve_least = 1.0 / 16, curve_most = 16; /* model sizes of the curve at equal compute, over the optimum's */

static void check_positive(struct failure *failure, const char *pointer, double value)
{
	if (is_given(value) && !(value > 0 && isfinite(value)))
		failure_add(failure, pointer, "out_of_range", "must be a positive number");
}

static enum status request_check(const struct scaling_request *request, struct failure *failure)
{
	double pair = 6 * request->params * request->tokens * given_or(request->epochs, 1);

	check_positive(failure, "/compute_flops", request->compute_flops);
	check_positive(failure, "/tokens", request->tokens);
	check_positive(failure, "/params", request->params);
	check_positive(failure, "/epochs", request->epochs);
	if (!is_given(request->compute_flops) && !is_given(request->tokens) && !is_given(request->params))
		failure_add(failure, "", "required", "give compute_flops, tokens or params, or params and tokens for a verdict");
	if (is_given(request->compute_flops) && is_given(request->params) != is_given(request->tokens))
		failure_add(failure, "/compute_flops", "conflict",
			"give compute_flops alone, or params and tokens together for a verdict: each of compute_flops and %s alone decides the optimum",
			is_given(request->params) ? "params" : "tokens");
	if (is_given(request->compute_flops) && is_given(pair) && fabs(request->compute_flops / pair - 1) > 0.01)
		failure_add(failure, "/compute_flops", "contradiction", "6 x params x tokens%s is %.4g; leave one of the three out",
			is_given(request->epochs) ? " x epochs" : "", pair);
	if (!scaling_law_named(request->law))
		failure_add(failure, "/law", "unknown", "must be one of epoch, hoffmann_3, 20:1");
	return failure->fault_total > 0 ? failure->status : STATUS_OK;
}

static struct scaling_choice choice_of(const struct scaling_law *law, double params, double tokens)
{
	return (struct scaling_choice){
		.params = params, .tokens = tokens, .compute_flops = 6 * params * tokens, .loss = scaling_loss(law, params, tokens)};
}

/* Fills model sizes around the optimum at its compute; every fourth is twice as large. */
static void fill_curve(const struct scaling_law *law, struct scaling_estimate *estimate)
{
	double ratio = pow(curve_most / curve_least, 1.0 / (SCALING_CURVE_MAX - 1)), factor = curve_least;

	estimate->curve_count = SCALING_CURVE_MAX;
	for (size_t i = 0; i < SCALING_CURVE_MAX; i++, factor *= ratio)
		estimate->curve[i] = choice_of(law, estimate->optimum.params * factor, estimate->optimum.tokens / factor);
}

static void fill_verdict(const struct scaling_law *law, const struct scaling_request *request, struct scaling_estimate *estimate)
{
	struct scaling_judgement judged = scaling_judge(law, request->params, request->tokens, given_or(request->epochs, 1));
	int length;

	estimate->given = (struct scaling_choice){request->params, judged.tokens_total, judged.compute_flops, judged.loss};
	estimate->verdict = judged.verdict;
	estimate->tokens_per_param = judged.tokens_total / request->params;
	length = snprintf(estimate->detail, sizeof estimate->detail,
		"%s: %.3g tokens per parameter are %.3g times the optimum's %.3g; the same %.3g FLOP reach %.4g instead of %.4g nats with %.3g parameters and %.3g tokens",
		verdict_name(judged.verdict), estimate->tokens_per_param, judged.ratio, estimate->tokens_per_param_optimal, judged.compute_flops,
		estimate->optimum.loss, judged.loss, estimate->optimum.params, estimate->optimum.tokens);
	if (judged.tokens_effective < 0.98 * judged.tokens_total)
		snprintf(estimate->detail + length, sizeof estimate->detail - (size_t)length,
			" that are all new; the given tokens repeat and count as %.3g new ones (E19)", judged.tokens_effective);
}

enum status planner_scaling(const struct scaling_request *request, struct scaling_estimate *estimate, struct failure *failure)
{
	const struct scaling_law *law = scaling_law_named(request->law);
	bool pair = is_given(request->params) && is_given(request->tokens);
	double epochs = given_or(request->epochs, 1);
	struct scaling_point best;
	enum status status = request_check(request, failure);

	if (status != STATUS_OK)
		return status;
	if (pair)
		best = scaling_judge(law, request->params, request->tokens, epochs).best;
	else if (is_given(request->compute_flops))
		best = scaling_optimum(law, request->compute_flops);
	else
		best = is_given(request->params) ? scaling_optimum_of_params(law, request->params)
										 : scaling_optimum_of_tokens(law, request->tokens * scaling_repeated_worth(epochs));
	estimate->law = law->name;
	estimate->law_source = law->source;
	estimate->optimum = (struct scaling_choice){best.params, best.tokens, best.compute_flops, best.loss};
	estimate->given = (struct scaling_choice){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
	estimate->verdict = VERDICT_UNSET;
	estimate->tokens_per_param_optimal = best.tokens / best.params;
	estimate->tokens_per_param = estimate->tokens_per_param_optimal;
	estimate->flops_per_percent_loss = scaling_flops_per_percent_loss(law, best.compute_flops);
	estimate->repeated_worth = is_given(request->epochs) ? scaling_repeated_worth(request->epochs) : ABSENT_NUMBER;
	estimate->tokens_total = request->tokens * epochs;
	estimate->tokens_effective = request->tokens * scaling_repeated_worth(epochs);
	snprintf(estimate->detail, sizeof estimate->detail, "compute-optimal: %.3g FLOP buy %.3g parameters on %.3g tokens, %.4g nats",
		best.compute_flops, best.params, best.tokens, best.loss);
	if (pair)
		fill_verdict(law, request, estimate);
	fill_curve(law, estimate);
	CHECK(isfinite(best.loss) && isfinite(estimate->flops_per_percent_loss));
	return STATUS_OK;
}
