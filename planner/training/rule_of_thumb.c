#include "planner/training/rule_of_thumb.h"

#include "base/units.h"

double rule_of_thumb_gpu_hours(double params_active, double tokens, double peak_flops_per_s)
{
	return tokens / 1e9 * (params_active / 1e9) * RULE_OF_THUMB_FACTOR / (peak_flops_per_s / RULE_OF_THUMB_PEAK_FLOPS);
}

double rule_of_thumb_implied_mfu(void)
{
	return 6e18 / (RULE_OF_THUMB_PEAK_FLOPS * SECONDS_PER_HOUR * RULE_OF_THUMB_FACTOR);
}

double rule_of_thumb_gpu_count(double gpu_hours, double hours)
{
	return gpu_hours / hours;
}

void training_rule_fill(const struct training_input *input, double tokens, double hours, double modelled_gpu_hours, double modelled_mfu,
	double practice, const struct accelerator *accelerator, struct training_plan *plan)
{
	double peak = accelerator_peak_flops_per_s(accelerator, PRECISION_BF16, NULL);
	double a100_hours = rule_of_thumb_gpu_hours(input->model.params_active, tokens, RULE_OF_THUMB_PEAK_FLOPS);
	double gpu_hours = rule_of_thumb_gpu_hours(input->model.params_active, tokens, peak);

	plan->rule_of_thumb.gpu_hours = gpu_hours;
	plan->rule_of_thumb.implied_mfu = rule_of_thumb_implied_mfu();
	plan->rule_of_thumb.gpu_count_exact = plan->rule_of_thumb.gpu_count = plan->rule_of_thumb.gpu_count_a100 = ABSENT_NUMBER;
	if (is_given(hours)) {
		plan->rule_of_thumb.gpu_count_exact = rule_of_thumb_gpu_count(gpu_hours, hours);
		plan->rule_of_thumb.gpu_count = ceil(plan->rule_of_thumb.gpu_count_exact);
		plan->rule_of_thumb.gpu_count_a100 = rule_of_thumb_gpu_count(a100_hours, hours);
	}
	snprintf(plan->rule_of_thumb.formula, sizeof plan->rule_of_thumb.formula,
		"tokens x epochs x size x 13.3 / hours (billions; 40.16 %% of an A100's 312 TFLOP/s), over %.3g for %s by dense BF16 peak; "
		"the model answers %.3g GPU-hours, %+.0f %%: its steps reach %.1f %% of the precision's peak, and the run takes %.2f times its steps (practice)",
		peak / RULE_OF_THUMB_PEAK_FLOPS, accelerator->id ? accelerator->id : "this accelerator", modelled_gpu_hours,
		100 * (modelled_gpu_hours / fmax(gpu_hours, 1e-300) - 1), 100 * modelled_mfu, practice);
}
