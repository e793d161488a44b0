#include "planner/training/ground.h"

#include <string.h>

#define KIND(kind_) (1u << GROUND_##kind_)

/* The first match is used. Spreads come from published steps to which no constant was fitted (docs/accuracy.md), in
 * addition to 0.12. */
static const struct ground_row rows[] = {
	{"a100", "the A100", KIND(DENSE) | KIND(TUNING) | KIND(OTHER), 0, "eleven suites"},
	{"h100", "the H100", KIND(DENSE) | KIND(EXPERTS) | KIND(TUNING) | KIND(OTHER), 0, "nine suites"},
	{"h800", "the H800", KIND(DENSE) | KIND(EXPERTS) | KIND(TUNING), 0, "as the H100"},
	{"h200", "the H200", KIND(DENSE) | KIND(EXPERTS) | KIND(TUNING), 0, "torchtitan, mlperf-lora; else as the H100"},
	{"b200", "the B200", KIND(DENSE) | KIND(EXPERTS) | KIND(TUNING), 0, "four suites"},
	{"b300", "the B300", KIND(DENSE) | KIND(EXPERTS), 0, "mbridge"},
	{"gb200", "the GB200", KIND(DENSE) | KIND(EXPERTS) | KIND(TUNING), 0, "mbridge, dgxc"},
	{"gb300", "the GB300", KIND(DENSE) | KIND(EXPERTS) | KIND(TUNING), 0, "mbridge"},
	{"v100", "the V100", KIND(DENSE) | KIND(TUNING), 0, "megatron2020, lambda-bert"},
	{"tpu-v4", "the TPU v4", KIND(DENSE), 0.08, "maxtext"},
	{"tpu-v5", "the TPU v5", KIND(DENSE) | KIND(EXPERTS), 0.08, "maxtext, maxtext-multislice, tpu-recipes-v5p"},
	{"tpu-v6", "the TPU v6e", KIND(DENSE) | KIND(EXPERTS), 0.08, "maxtext, tpu-recipes-v6e"},
	{"mi300x", "the MI300X", KIND(DENSE) | KIND(TUNING), 0.12, "mlperf-lora, torchao"},
	{"mi325x", "the MI325X", 0, 0.12, "as the MI300X"},
	{"mi350x", "the MI350X", 0, 0.25, "nothing"},
	{"mi355x", "the MI355X", 0, 0.25, "nothing"},
	{"gaudi2", "Gaudi 2", KIND(TUNING), 0.30, "gaudi"},
	{"gaudi3", "Gaudi 3", KIND(TUNING), 0.30, "gaudi"},
	{"trainium1", "Trainium 1", KIND(DENSE), 0.10, "neuron-trn1"},
	{"rtx-6000-ada", "the RTX 6000 Ada", KIND(TUNING) | KIND(OTHER), 0.15, "lambda-bert, resnet50"},
	{"rtx-a6000", "the RTX A6000", KIND(TUNING) | KIND(OTHER), 0.15, "lambda-bert, resnet50"},
	{"rtx-3090", "the RTX 3090", KIND(OTHER), 0.30, "resnet50"},
	{"a10", "the A10", KIND(TUNING), 0.20, "lambda-bert"},
};

/* 0.30 together with 0.12: the error on accelerators before any measurement of them. */
static const struct ground_row nowhere = {"", NULL, 0, 0.275, "nothing"};

/* Error of a kind on accelerators where it was not measured: 0.3 for mixtures on TPUs before their own rows were used,
 * of which 0.17 is their own; similar for fine-tuning on Gaudi, where half of it is the accelerator's. */
static const double unmeasured_kind = 0.20;

/* torchtitan with its suite left out: 0.19. Networks and encoders as published in PyTorch, and their fine-tuning:
 * 0.2. */
static const double torchtitan_spread = 0.15, published_model_spread = 0.16;

const struct ground_row *ground_of_accelerator(const struct accelerator *accelerator)
{
	const char *kin = accelerator_kin(accelerator);

	for (size_t i = 0; kin && i < COUNT_OF(rows); i++)
		if (strncmp(kin, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return &rows[i];
	return &nowhere;
}

enum ground_kind ground_kind_of(const struct training_request *request, const struct model *model)
{
	if (model->kind == MODEL_GENERIC)
		return GROUND_OTHER;
	if (request->fine_tuning.method != FINE_TUNING_UNSET)
		return GROUND_TUNING;
	return model->params_active < model->params_total ? GROUND_EXPERTS : GROUND_DENSE;
}

const char *ground_kind_name(enum ground_kind kind)
{
	static const char *const names[GROUND_COUNT] = {"a dense model", "a mixture of experts", "fine-tuning", "a network given by its FLOPs"};

	return names[kind];
}

double ground_log_sigma(const struct training_request *request, const struct model *model, const struct candidate *candidate)
{
	const struct ground_row *row = ground_of_accelerator(&candidate->accelerator);
	enum ground_kind kind = ground_kind_of(request, model);
	double of_family = CALIBRATED(&candidate->calibration, gemm_efficiency, 0) > 0 ? 0 : row->log_sigma;
	double of_kind = row->kinds >> kind & 1 ? 0 : row->kinds ? unmeasured_kind : 0;
	double of_software = kind == GROUND_OTHER                                                           ? published_model_spread
		: request->stack == STACK_TORCHTITAN                                                            ? torchtitan_spread
		: (request->stack <= STACK_GENERIC || request->stack == STACK_HAI_LLM) && kind == GROUND_TUNING ? published_model_spread
																										: 0;

	return sqrt(of_family * of_family + of_kind * of_kind + of_software * of_software);
}

void ground_warn(
	const struct training_request *request, const struct model *model, const struct accelerator *accelerator, struct findings *findings)
{
	const struct ground_row *row = ground_of_accelerator(accelerator);
	enum ground_kind kind = ground_kind_of(request, model);
	const char *name = row->name ? row->name : accelerator_kin(accelerator);

	if (row->kinds >> kind & 1)
		return;
	findings_warn(findings,
		"no published measurement of %s on %s%s: the interval is wide; a benchmark of the plan (POST /v1/benchmarks) or steps of your own "
		"(POST /v1/observations) would narrow it",
		row->kinds ? ground_kind_name(kind) : "a training", name ? name : "this accelerator", row->kinds ? ", only of other trainings" : "");
}
