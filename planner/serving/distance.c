#include "planner/serving/distance.h"

#include <string.h>

#include "planner/interval.h"
#include "planner/replica/kernels.h"

/* ln(p90/p10) / 2.563 of measured over modelled figures on NVIDIA's accelerators: runs of vendors and leaderboards
 * (`make validate`). */
static const struct residuals nearest = {.throughput = 0.15, .tpot = 0.16, .ttft = 0.33};

static const double age_a_year = 0.05, guessed_shape = 0.15;

static bool made_by(const struct ground *ground, const char *vendor)
{
	return ground->accelerator->vendor && strcmp(ground->accelerator->vendor, vendor) == 0;
}

static bool on_amd(const struct ground *ground)
{
	return made_by(ground, "amd");
}

static bool on_gaudi(const struct ground *ground)
{
	return made_by(ground, "intel");
}

static bool on_neuron(const struct ground *ground)
{
	return accelerator_is_neuron(ground->accelerator);
}

static bool on_unmeasured_stack(const struct ground *ground)
{
	return !made_by(ground, "nvidia") && !on_amd(ground) && !on_gaudi(ground) && !on_neuron(ground);
}

static bool on_untimed_part(const struct ground *ground)
{
	return made_by(ground, "nvidia") && !kernel_rates_of(ground->accelerator).measured;
}

static bool has_experts(const struct ground *ground)
{
	for (int i = 0; i < ground->model->kind_count; i++)
		if (ground->model->kinds[i].feed_forward == FEED_FORWARD_EXPERTS)
			return true;
	return false;
}

static bool has_latent(const struct ground *ground)
{
	for (int i = 0; i < ground->model->kind_count; i++)
		if (ground->model->kinds[i].mixer == MIXER_MLA)
			return true;
	return false;
}

static bool has_early_experts(const struct ground *ground)
{
	return has_experts(ground) && ground->engine != ENGINE_TENSORRT_LLM && ground->release_years < ENGINE_LIBRARY_EXPERTS_YEARS;
}

static bool has_experts_elsewhere(const struct ground *ground)
{
	return has_experts(ground) &&
		(on_neuron(ground) || on_unmeasured_stack(ground) || on_gaudi(ground) || (on_amd(ground) && !has_latent(ground)));
}

static bool has_early_latent(const struct ground *ground)
{
	return has_latent(ground) && ground->release_years < ENGINE_LATENT_DONE_YEARS;
}

static bool is_before_v1(const struct ground *ground)
{
	return ground->engine == ENGINE_VLLM && ground->release_years < ENGINE_V1_DEFAULT_YEARS;
}

static bool comes_at_once(const struct ground *ground)
{
	return ground->at_once;
}

static const struct distance {
	bool (*applies)(const struct ground *ground);
	struct residuals spread;
	const char *name, *source;
	bool unmeasured;
} distances[] = {
	{on_amd, {0.15, 0.10, 0.20}, "AMD's stack",
		"E193: 26 figures of Llama 3.1 70B on MI300X, vLLM of 2025-04 to 2025-11, left out of the fit: 0.22 of throughput, 0.08 of TPOT",
		false},
	{on_gaudi, {0.25, 0.25, 0.35}, "Gaudi's stack", "E193: 26 static batches on Gaudi 2 and 3 (optimum-habana), left out of the fit: 0.35",
		false},
	{on_neuron, {0.22, 0.12, 0.45}, "AWS Neuron's stack",
		"E193: 76 figures on Trainium 1 and Inferentia 2, each left out of the fit: 0.04 to 0.13 of TPOT, 0.09 to 0.19 of TTFT, and 0.66 where prompts took two to four times as long without a published reason (0337)",
		false},
	{on_unmeasured_stack, {0.45, 0.45, 0.45}, "a stack without measurements", "E193: twice the spread of the measured stacks", true},
	{on_untimed_part, {0.10, 0.10, 0.15}, "an accelerator without measured products",
		"E193: seven batches of one on RTX 4090, 3090 and A6000: 0.16 of TPOT", false},
	{has_early_experts, {0.20, 0.10, 0.15}, "experts before 2026",
		"E193: 38 independent runs of Qwen3 235B, gpt-oss-20b and DeepSeek-R1 (gpustack, 2025-10 and 11): 0.29 to 0.45", false},
	{has_experts_elsewhere, {0.30, 0.25, 0.25}, "experts on a stack with few or no measurements of them",
		"E193: the spread of experts in independent tests", true},
	{has_early_latent, {0.30, 0.25, 0.30}, "latent attention before 2025-11",
		"E193: 36 figures of DeepSeek-R1 on MI300X, 2025-03, left out of the fit: 0.44 of TPOT, 0.54 of throughput", false},
	{is_before_v1, {0.15, 0.12, 0.20}, "vLLM before V1",
		"E193: 19 runs of Llama 3.1 405B on eight H100, left out of the fit: 0.35 where the cache binds, 0.07 elsewhere", false},
	{comes_at_once, {0.15, 0, 0.20}, "a run whose requests arrive at once", "E193: 55 such runs (gpustack): 0.33 together with experts",
		false},
};

static void widen(struct residuals *residuals, const struct residuals *by)
{
	residuals->throughput = interval_joint_sigma(residuals->throughput, by->throughput);
	residuals->tpot = interval_joint_sigma(residuals->tpot, by->tpot);
	residuals->ttft = interval_joint_sigma(residuals->ttft, by->ttft);
}

struct residuals distance_residuals(const struct ground *ground)
{
	double age = age_a_year * fmax(engine_newest_release_years() - ground->release_years, 0),
		   guessed = ground->model->shape_is_guessed ? guessed_shape : 0;
	double both = interval_joint_sigma(age, guessed);
	struct residuals residuals = nearest;

	widen(&residuals, &(struct residuals){both, both, both});
	for (size_t i = 0; i < COUNT_OF(distances); i++)
		if (distances[i].applies(ground))
			widen(&residuals, &distances[i].spread);
	return residuals;
}

void distance_note(const struct ground *ground, struct findings *findings)
{
	for (size_t i = 0; i < COUNT_OF(distances); i++) {
		if (!distances[i].applies(ground))
			continue;
		findings_assume_text(findings, "interval", distances[i].name, distances[i].source);
		if (distances[i].unmeasured)
			findings_warn(findings,
				"few or no published measurements of %s on %s: the interval is wide. A benchmark (fleetplan bench) or an observation of your own narrows it",
				has_experts_elsewhere(ground) ? "a mixture of experts" : "serving",
				ground->accelerator->id ? ground->accelerator->id : "this accelerator");
	}
}
