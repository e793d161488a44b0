#include "planner/training/scaling.h"

static const struct scaling_law laws[] = {
	/* epoch-research/analyzing-chinchilla, data_analysis.ipynb; Besiroglu et al. 2024, arXiv 2404.10102 (E = e^0.59711) */
	{"epoch", "E12; Besiroglu et al. 2024, arXiv 2404.10102", 1.81686, 482.01, 2085.43, 0.3478, 0.3659, 0},
	/* Hoffmann et al. 2022, arXiv 2203.15556, approach 3 as printed */
	{"hoffmann_3", "E12; Hoffmann et al. 2022, arXiv 2203.15556, approach 3", 1.69, 406.4, 410.7, 0.34, 0.28, 0},
	{"20:1", "E13; 20 tokens per parameter, Hoffmann et al. 2022; loss by the Epoch fit", 1.81686, 482.01, 2085.43, 0.3478, 0.3659, 20},
};

static const double flops_per_param_token = 6;
static const double repeat_decay = 15.387756; /* R_D* of arXiv 2305.16264 */

const struct scaling_law *scaling_law_named(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(laws); i++)
		if (!name || strcmp(laws[i].name, name) == 0)
			return &laws[i];
	return NULL;
}

double scaling_loss(const struct scaling_law *law, double params, double tokens)
{
	return law->irreducible + law->a * pow(params, -law->alpha) + law->b * pow(tokens, -law->beta);
}

/* The optimum's parameters for a product N D. */
static double optimum_params(const struct scaling_law *law, double product)
{
	double sum = law->alpha + law->beta;

	if (law->tokens_per_param > 0)
		return sqrt(product / law->tokens_per_param);
	return pow(law->alpha * law->a / (law->beta * law->b), 1 / sum) * pow(product, law->beta / sum);
}

struct scaling_point scaling_optimum(const struct scaling_law *law, double compute_flops)
{
	double product = compute_flops / flops_per_param_token;
	struct scaling_point point = {.compute_flops = compute_flops, .params = optimum_params(law, product)};

	point.tokens = product / point.params;
	point.loss = scaling_loss(law, point.params, point.tokens);
	return point;
}

struct scaling_point scaling_optimum_of_params(const struct scaling_law *law, double params)
{
	double sum = law->alpha + law->beta, exponent = law->tokens_per_param > 0 ? 0.5 : law->beta / sum;
	double product = pow(params / optimum_params(law, 1), 1 / exponent);

	return scaling_optimum(law, product * flops_per_param_token);
}

struct scaling_point scaling_optimum_of_tokens(const struct scaling_law *law, double tokens)
{
	double sum = law->alpha + law->beta, exponent = law->tokens_per_param > 0 ? 0.5 : law->alpha / sum;
	double product = pow(tokens * optimum_params(law, 1), 1 / exponent);

	return scaling_optimum(law, product * flops_per_param_token);
}

double scaling_flops_per_percent_loss(const struct scaling_law *law, double compute_flops)
{
	struct scaling_point point = scaling_optimum(law, compute_flops);
	double exponent = law->alpha * law->beta / (law->alpha + law->beta);

	return 0.01 * point.loss * compute_flops / (exponent * (point.loss - law->irreducible));
}

double scaling_compute_factor(const struct scaling_law *law, double compute_flops, double params)
{
	double wanted = scaling_optimum(law, compute_flops).loss - law->irreducible - law->a * pow(params, -law->alpha);
	double tokens;

	if (!(wanted > 0))
		return 0;
	tokens = pow(law->b / wanted, 1 / law->beta);
	return flops_per_param_token * params * tokens / compute_flops;
}

double scaling_compute_of_loss(const struct scaling_law *law, double loss)
{
	double unit = scaling_optimum(law, flops_per_param_token).loss - law->irreducible, gap = loss - law->irreducible;

	return gap > 0 ? flops_per_param_token * pow(gap / unit, -(law->alpha + law->beta) / (law->alpha * law->beta)) : 0;
}

enum verdict scaling_verdict(const struct scaling_law *law, double params, double tokens, double *ratio)
{
	struct scaling_point point = scaling_optimum(law, flops_per_param_token * params * tokens);

	*ratio = tokens / params / (point.tokens / point.params);
	if (*ratio < 0.5)
		return VERDICT_COMPUTE_INEFFICIENT;
	return *ratio > 2 ? VERDICT_DATA_INEFFICIENT : VERDICT_NEAR_OPTIMAL;
}

double scaling_repeated_worth(double epochs)
{
	return epochs <= 1 ? epochs : 1 + repeat_decay * (1 - exp(-(epochs - 1) / repeat_decay));
}

struct scaling_judgement scaling_judge(const struct scaling_law *law, double params, double tokens, double epochs)
{
	struct scaling_judgement judgement = {.tokens_total = tokens * epochs, .tokens_effective = tokens * scaling_repeated_worth(epochs)};

	judgement.compute_flops = flops_per_param_token * params * judgement.tokens_total;
	judgement.loss = scaling_loss(law, params, judgement.tokens_effective);
	judgement.compute_factor = judgement.compute_flops / scaling_compute_of_loss(law, judgement.loss);
	judgement.best = scaling_optimum(law, judgement.compute_flops);
	judgement.verdict = scaling_verdict(law, params, judgement.tokens_total, &judgement.ratio);
	return judgement;
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {"", "compute_inefficient", "data_inefficient", "near_optimal"};

	return names[verdict];
}
