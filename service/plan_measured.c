#include "service/plan_measured.h"

#include "api/tables/tables.h"
#include "hwdb/resolve/resolve.h"

static double mean_tokens(const struct token_distribution *tokens)
{
	double sum = 0;

	if (is_given(tokens->mean))
		return tokens->mean;
	for (size_t i = 0; i < tokens->samples.count; i++)
		sum += tokens->samples.items[i] / (double)tokens->samples.count;
	return sum > 0 ? sum : given_or(tokens->p50, ABSENT_NUMBER);
}

static const struct candidate *candidate_of(const struct candidate *candidates, size_t count, const char *accelerator)
{
	for (size_t i = 0; accelerator && i < count; i++)
		if (strcmp(candidates[i].accelerator.id, accelerator) == 0)
			return &candidates[i];
	return NULL;
}

static enum status not_measurable(struct failure *failure, const char *why)
{
	return failure_set(failure, STATUS_INVALID, "the plan's own work cannot be measured: %s", why);
}

static enum status read_training(struct plan_measured *measured, const struct plan_record *plan, const struct resolver *resolver)
{
	struct training_request *request = ARENA_NEW(resolver->arena, struct training_request);
	enum status status = request ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = record_decode(
			&table_training_request, plan->request.text, plan->request.length, resolver->arena, request, resolver->failure);
	if (status == STATUS_OK)
		status = resolve_training(resolver, request, &measured->training);
	if (status != STATUS_OK)
		return status;
	measured->candidate = candidate_of(measured->training.candidates, measured->training.candidate_count, measured->layout.accelerator);
	if (!measured->candidate)
		return not_measurable(resolver->failure, "its accelerator is not in the catalogue");
	if (!shapes_of_training(&measured->training, measured->candidate, &measured->layout.training, &measured->room, &measured->spec))
		return not_measurable(resolver->failure, "its model is not a transformer, so its matrix products are not known");
	return STATUS_OK;
}

static enum status read_inference(struct plan_measured *measured, const struct plan_record *plan, const struct resolver *resolver)
{
	struct inference_request *request = ARENA_NEW(resolver->arena, struct inference_request);
	struct inference_input *input = &measured->inference;
	struct shapes_serving serving;
	enum status status = request ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = record_decode(
			&table_inference_request, plan->request.text, plan->request.length, resolver->arena, request, resolver->failure);
	if (status == STATUS_OK)
		status = resolve_inference(resolver, request, input);
	if (status != STATUS_OK)
		return status;
	measured->candidate = candidate_of(input->candidates, input->candidate_count, measured->layout.accelerator);
	if (!measured->candidate)
		return not_measurable(resolver->failure, "its accelerator is not in the catalogue");
	serving = (struct shapes_serving){.candidate = measured->candidate,
		.layout = measured->layout.serving,
		.precision = measured->layout.precision,
		.kv_precision = measured->layout.kv_precision,
		.batch = given_or(measured->layout.batch, 1),
		.prompt_tokens = mean_tokens(&input->request.prompt_tokens),
		.output_tokens = mean_tokens(&input->request.output_tokens)};
	if (!is_given(serving.prompt_tokens) || !is_given(serving.output_tokens))
		return not_measurable(resolver->failure, "the mean length of its prompts or of its answers is not known");
	if (!shapes_of_inference(&input->model, &serving, &measured->room, &measured->spec))
		return not_measurable(resolver->failure, "its model is not a transformer, so its matrix products are not known");
	return STATUS_OK;
}

enum status plan_measured_read(struct plan_measured *measured, const struct plan_record *plan, const struct catalogue *catalogue,
	int64_t now_us, struct arena *arena, struct failure *failure)
{
	struct resolver resolver = {
		.catalogue = catalogue, .arena = arena, .now_us = now_us, .findings = &measured->findings, .failure = failure, .plan_id = plan->id};
	enum status status = api_stored_layout(plan, arena, &measured->layout, failure);

	if (status != STATUS_OK)
		return status;
	findings_clear(&measured->findings);
	measured->is_training = strcmp(plan->kind, "training") == 0;
	return measured->is_training ? read_training(measured, plan, &resolver) : read_inference(measured, plan, &resolver);
}
