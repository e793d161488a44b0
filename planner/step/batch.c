#include "planner/step/batch.h"

static const double pretraining_least_tokens = 0.25e6, pretraining_most_tokens = 16.0 * 1024 * 1024;
static const double fine_tuning_samples = 64, generic_samples = 8192, table_samples = 65536, least_steps = 100;

double batch_critical_tokens(double loss)
{
	return 2.1e8 * pow(loss, -4.8);
}

double batch_choose_samples(const struct training_input *input, double tokens, double sequence, double loss, const char **source)
{
	double samples;

	if (input->model.kind == MODEL_GENERIC && input->model.params_embedding > 0) {
		samples = table_samples;
		*source = "E44; MLPerf Training, reference of DLRM-DCNv2: 65,536 samples";
	} else if (input->model.kind == MODEL_GENERIC) {
		samples = generic_samples;
		*source = "E44; Goyal et al. 2017, arXiv 1706.02677: no loss of accuracy up to 8,192 samples";
	} else if (input->request.fine_tuning.method != FINE_TUNING_UNSET) {
		samples = fine_tuning_samples;
		*source = "E44; Touvron et al. 2023, arXiv 2307.09288, section 3.1: 64 sequences";
	} else {
		samples = fmin(fmax(batch_critical_tokens(loss), pretraining_least_tokens), pretraining_most_tokens) / sequence;
		*source = "E44; critical batch at the predicted loss, Kaplan et al. 2020, arXiv 2001.08361, eq. 1.4";
	}
	samples = fmin(samples, tokens / sequence / least_steps);
	return samples > 1 ? pow(2, floor(log2(samples))) : 1;
}

double batch_learning_rate_scale(enum optimizer optimizer, double samples, double reference, double critical)
{
	double ratio = fmin(samples, fmax(reference, given_or(critical, samples))) / reference;

	return optimizer == OPTIMIZER_SGD ? ratio : sqrt(ratio);
}
