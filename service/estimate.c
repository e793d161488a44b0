#include "service/estimate.h"

#include <sodium.h>

#include "api/tables/tables.h"
#include "base/clock.h"
#include "hwdb/resolve/resolve.h"
#include "planner/estimates/carbon_estimate.h"
#include "planner/estimates/memory_estimate.h"
#include "planner/estimates/scaling_estimate.h"
#include "planner/footprint/cost.h"
#include "planner/serving/fleet_simulation.h"
#include "service/answer_parts.h"
#include "service/alternatives.h"
#include "service/diagnosis_estimate.h"
#include "service/schedule_estimate.h"
#include "service/summary.h"

/* The largest answer, and the size that most answers fit in. */
enum { ESTIMATE_JSON_MAX_BYTES = 32 * 1024 * 1024, ESTIMATE_JSON_USUAL_BYTES = 24 * 1024 };

/* Resolves estimate->request and plans: sets request (with defaults), result, model and accelerator. */
typedef enum status estimate_function(struct estimate *estimate, struct resolver *resolver);

struct estimate_kind {
	const char *name;
	const struct field_table *request, *result, *envelope;
	estimate_function *compute;
	size_t as_of_offset; /* of `const char *as_of` in the request struct */
	size_t site_offset;  /* of its `struct site_request`; 0: none */
	bool is_plan;        /* the request begins with struct request_common, and can be stored */
};

/* Writes the detail again after more faults were added. */
static void summarize_again(struct failure *failure)
{
	failure->detail[0] = '\0';
	failure_summarize(failure);
}

static enum status compute_training(struct estimate *estimate, struct resolver *resolver)
{
	const struct training_request *asked = estimate->request;
	struct training_input *input = ARENA_NEW(estimate->arena, struct training_input);
	/* 300 kB, mostly unused alternatives: not zeroed, the planner fills the members that it uses. */
	struct training_plan *plan = arena_alloc_uncleared(estimate->arena, sizeof *plan);
	int64_t began_ns = clock_monotonic_ns();
	enum status status;

	if (!input || !plan)
		return STATUS_NO_MEMORY;
	findings_clear(&plan->findings);
	resolver->findings = &plan->findings;
	input->progress = estimate->progress;
	input->omitted = estimate->lean ? estimate->omitted : 0;
	status = resolve_training(resolver, estimate->request, input);
	input->measured = estimate->measured;
	if (status == STATUS_INVALID && input->model.params_total > 0) {
		planner_training_check(input, estimate->failure);
		summarize_again(estimate->failure);
	}
	if (status == STATUS_OK)
		status = planner_training(input, plan, estimate->failure);
	if (status != STATUS_OK)
		return status;
	if (plan->recommended.cost.has_offer)
		resolve_recommended(resolver, &input->request.common, input->candidates, input->candidate_count, &plan->recommended.cost.offer);
	resolve_doubts(resolver, &input->request.common, &plan->recommended.accelerator, input->request.common.precision,
		plan->recommended.cost.has_offer ? &plan->recommended.cost.offer : NULL, &plan->recommended.inputs);
	resolve_reservations(resolver, input, plan);
	resolve_training_purchases(resolver, input, plan);
	resolve_unused_training(resolver, asked, input, plan);
	training_request_complete(input, plan, &input->request);
	plan->search.elapsed_ms = (double)(clock_monotonic_ns() - began_ns) / 1e6;
	findings_rank_assumptions(&plan->findings);
	alternatives_of_training(plan, &input->request.common, input->omitted);
	if (!summary_of_training(plan, cost_is_owned(&input->request.common.pricing)))
		return STATUS_NO_MEMORY;
	estimate->request = &input->request;
	estimate->result = plan;
	estimate->model = input->model.id;
	estimate->accelerator = plan->recommended.accelerator.id;
	return STATUS_OK;
}

static void digest_row(crypto_hash_sha256_state *hash, struct buffer *text, const struct trace_arrival *row, bool first)
{
	struct json_writer writer;

	buffer_clear(text);
	json_writer_init(&writer, text);
	writer.comma = !first;
	json_begin_array(&writer);
	json_double(&writer, row->t_s);
	json_double(&writer, row->prompt_tokens);
	json_double(&writer, row->output_tokens);
	json_end_array(&writer);
	crypto_hash_sha256_update(hash, (const unsigned char *)text->bytes, text->length);
}

/* Computes the digest of a trace: the answer has its length and digest in place of its rows. */
static enum status trace_digest(struct request_trace *trace)
{
	unsigned char digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state hash;
	struct buffer text;
	bool failed;

	buffer_init(&text, 256);
	failed = !buffer_reserve(&text, 128);
	crypto_hash_sha256_init(&hash);
	crypto_hash_sha256_update(&hash, (const unsigned char *)"[", 1);
	for (size_t i = 0; i < trace->count && !failed; i++)
		digest_row(&hash, &text, &trace->arrivals[i], i == 0);
	crypto_hash_sha256_update(&hash, (const unsigned char *)"]", 1);
	crypto_hash_sha256_final(&hash, digest);
	sodium_bin2hex(trace->sha256, sizeof trace->sha256, digest, sizeof digest);
	buffer_release(&text);
	return failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static enum status compute_inference(struct estimate *estimate, struct resolver *resolver)
{
	struct inference_input *input = ARENA_NEW(estimate->arena, struct inference_input);
	struct inference_plan *plan = ARENA_NEW(estimate->arena, struct inference_plan);
	void *workspace = arena_alloc_uncleared(estimate->arena, simulator_workspace_bytes());
	enum status status;

	if (!input || !plan || !workspace)
		return STATUS_NO_MEMORY;
	input->progress = estimate->progress;
	input->omitted = estimate->lean ? estimate->omitted : 0;
	input->workspace = workspace;
	input->workspace_bytes = simulator_workspace_bytes();
	resolver->findings = &plan->findings;
	status = resolve_inference(resolver, estimate->request, input);
	if (status == STATUS_OK)
		status = planner_inference(input, plan, estimate->failure);
	if (status == STATUS_OK && plan->recommended.cost.has_offer)
		resolve_recommended(resolver, &input->request.common, input->candidates, input->candidate_count, &plan->recommended.cost.offer);
	if (status == STATUS_OK)
		resolve_serving_purchases(resolver, plan);
	if (status == STATUS_OK)
		status = resolve_commitment(resolver, input, &plan->recommended);
	for (size_t i = 0; i < plan->alternative_count && status == STATUS_OK; i++)
		status = resolve_commitment(resolver, input, &plan->alternatives[i]);
	if (status == STATUS_OK && input->request.trace.count > 0)
		status = trace_digest(&input->request.trace);
	if (status != STATUS_OK)
		return status;
	resolve_doubts(resolver, &input->request.common, &plan->recommended.accelerator, plan->recommended.precision,
		plan->recommended.cost.has_offer ? &plan->recommended.cost.offer : NULL, &plan->recommended.inputs);
	resolve_unused_inference(resolver, estimate->request, input, plan);
	findings_rank_assumptions(&plan->findings);
	alternatives_of_service(plan, &input->request.common, input->omitted);
	if (!summary_of_service(plan, cost_is_owned(&input->request.common.pricing),
			input->request.redundancy == REDUNDANCY_N_PLUS_2       ? 2
				: input->request.redundancy == REDUNDANCY_N_PLUS_1 ? 1
																   : 0))
		return STATUS_NO_MEMORY;
	estimate->request = &input->request;
	estimate->result = plan;
	estimate->model = input->model.id;
	estimate->accelerator = plan->recommended.accelerator.id;
	return STATUS_OK;
}

static enum status compute_performance(struct estimate *estimate, struct resolver *resolver)
{
	struct performance_input *input = ARENA_NEW(estimate->arena, struct performance_input);
	struct performance *performance = ARENA_NEW(estimate->arena, struct performance);
	enum status status;

	if (!input || !performance)
		return STATUS_NO_MEMORY;
	resolver->findings = &performance->findings;
	status = resolve_performance(resolver, estimate->request, input);
	if (status == STATUS_OK)
		status = planner_performance(input, performance, estimate->failure);
	if (status == STATUS_OK)
		resolve_doubts(resolver, &input->request.common, &input->candidate->accelerator, input->request.common.precision, NULL, NULL);
	if (status == STATUS_OK)
		resolve_unused_performance(resolver, estimate->request, input);
	estimate->request = &input->request;
	estimate->result = performance;
	return status;
}

static enum status compute_memory(struct estimate *estimate, struct resolver *resolver)
{
	struct memory_request *request = estimate->request;
	struct memory_estimate *memory = ARENA_NEW(estimate->arena, struct memory_estimate);
	struct model *model = ARENA_NEW(estimate->arena, struct model);
	struct accelerator accelerator;
	bool given = resolve_accelerator_given(&request->common.accelerator);
	enum status status = memory && model ? STATUS_OK : STATUS_NO_MEMORY;

	if (status != STATUS_OK)
		return status;
	resolver->findings = &memory->findings;
	status = resolve_model(resolver, &request->common.model, "/model", model);
	if (status == STATUS_OK && request->purpose == MEMORY_PURPOSE_INFERENCE)
		resolve_published_precision(resolver, model, &request->common.precision);
	if (given && resolve_accelerator(resolver, &request->common.accelerator, "/accelerator", &accelerator) != STATUS_OK)
		status = estimate->failure->status;
	if (status == STATUS_OK)
		status = planner_memory(request, model, given ? &accelerator : NULL, memory, estimate->failure);
	if (status == STATUS_OK)
		resolve_unused_memory(resolver, request);
	resolve_names(resolver, &request->common);
	estimate->result = memory;
	return status;
}

static enum status compute_scaling(struct estimate *estimate, struct resolver *resolver)
{
	struct scaling_estimate *scaling = ARENA_NEW(estimate->arena, struct scaling_estimate);

	(void)resolver;
	if (!scaling)
		return STATUS_NO_MEMORY;
	estimate->result = scaling;
	return planner_scaling(estimate->request, scaling, estimate->failure);
}

static enum status compute_carbon(struct estimate *estimate, struct resolver *resolver)
{
	struct carbon_request *request = estimate->request;
	struct carbon_estimate *carbon = ARENA_NEW(estimate->arena, struct carbon_estimate);
	struct accelerator accelerator;
	struct site site;
	enum status status;

	if (!carbon)
		return STATUS_NO_MEMORY;
	resolver->findings = &carbon->findings;
	status = resolve_accelerator(resolver, &request->accelerator, "/accelerator", &accelerator);
	if (resolve_site(resolver, &request->site, NULL, &site) != STATUS_OK)
		status = estimate->failure->status;
	if (status == STATUS_OK)
		status = planner_carbon(request, &accelerator, NULL, &site, carbon, estimate->failure);
	if (status == STATUS_OK)
		resolve_unused_carbon(resolver, request, &accelerator);
	resolve_accelerator_name(resolver, &request->accelerator);
	estimate->result = carbon;
	return status;
}

static enum status compute_diagnosis(struct estimate *estimate, struct resolver *resolver)
{
	return diagnosis_compute(estimate, resolver->catalogue);
}

static enum status compute_schedule(struct estimate *estimate, struct resolver *resolver)
{
	(void)resolver;
	return schedule_compute(estimate);
}

const struct estimate_kind estimate_training = {"training", &table_training_request, &table_training_result, &table_training_estimate,
	compute_training, offsetof(struct training_request, common.as_of), offsetof(struct training_request, common.site), true};
const struct estimate_kind estimate_inference = {"inference", &table_inference_request, &table_inference_result, &table_inference_estimate,
	compute_inference, offsetof(struct inference_request, common.as_of), offsetof(struct inference_request, common.site), true};
const struct estimate_kind estimate_performance = {"performance", &table_performance_request, &table_performance_result,
	&table_performance_estimate, compute_performance, offsetof(struct performance_request, common.as_of), 0, false};

const struct estimate_kind estimate_memory = {"memory", &table_memory_request, &table_memory_result, &table_memory_estimate, compute_memory,
	offsetof(struct memory_request, common.as_of), 0, false};
const struct estimate_kind estimate_scaling = {
	"scaling", &table_scaling_request, &table_scaling_result, &table_scaling_estimate, compute_scaling, 0, 0, false};
const struct estimate_kind estimate_carbon = {"carbon", &table_carbon_request, &table_carbon_result, &table_carbon_estimate, compute_carbon,
	offsetof(struct carbon_request, as_of), offsetof(struct carbon_request, site), false};
const struct estimate_kind estimate_diagnosis = {"diagnosis", &table_diagnosis_request, &table_diagnosis_result, &table_diagnosis,
	compute_diagnosis, offsetof(struct diagnosis_request, training.common.as_of), 0, false};

const struct estimate_kind estimate_schedule = {"schedule", &table_schedule_request, &table_schedule_result, &table_schedule_estimate,
	compute_schedule, offsetof(struct schedule_request, as_of), 0, false};

const struct estimate_kind *estimate_kind_of_plan(const char *name)
{
	if (strcmp(name, estimate_training.name) == 0)
		return &estimate_training;
	return strcmp(name, estimate_inference.name) == 0 ? &estimate_inference : NULL;
}

const struct field_table *estimate_envelope(const struct estimate_kind *kind)
{
	return kind->envelope;
}

/* Reads the parts that the client wants. */
static enum status decode_parts(struct estimate *estimate)
{
	const struct request_common *common = estimate->request;
	const char *expand;
	enum status status;

	if (!estimate->kind->is_plan)
		return STATUS_OK;
	expand = estimate->expand ? estimate->expand : common->expand;
	status = answer_parts_read(expand, estimate->lean ? PARTS_ALL : 0, &estimate->omitted, estimate->failure);
	estimate->expanded = expand && estimate->omitted != PARTS_ALL;
	return status;
}

enum status estimate_decode(struct estimate *estimate, const char *json, size_t length)
{
	enum status status;

	estimate->request = arena_alloc(estimate->arena, 1, estimate->kind->request->size);
	if (!estimate->request)
		return STATUS_NO_MEMORY;
	status = record_decode(estimate->kind->request, json, length, estimate->arena, estimate->request, estimate->failure);
	return status == STATUS_OK ? decode_parts(estimate) : status;
}

enum status estimate_decode_query(struct estimate *estimate, const struct query_parameter *query, size_t count)
{
	enum status status;

	estimate->request = arena_alloc(estimate->arena, 1, estimate->kind->request->size);
	if (!estimate->request)
		return STATUS_NO_MEMORY;
	status = record_decode_query(estimate->kind->request, query, count, estimate->arena, estimate->request, estimate->failure);
	return status == STATUS_OK ? decode_parts(estimate) : status;
}

void estimate_fault_names(const struct estimate *estimate, const struct catalogue *catalogue)
{
	struct resolver resolver = {.catalogue = catalogue, .arena = estimate->arena, .failure = estimate->failure};

	if (!estimate->request || estimate->failure->fault_count == 0)
		return;
	if (estimate->kind->is_plan || estimate->kind == &estimate_performance) /* these requests begin with struct request_common */
		resolve_fault_names(&resolver, estimate->request);
	summarize_again(estimate->failure);
}

enum status estimate_as_of(const struct estimate *estimate, int64_t *as_of_us)
{
	const char *text;

	*as_of_us = 0;
	if (!estimate->kind->as_of_offset)
		return STATUS_OK;
	memcpy(&text, (const char *)estimate->request + estimate->kind->as_of_offset, sizeof text);
	if (text && !clock_parse(text, as_of_us)) {
		failure_add(estimate->failure, "/as_of", "wrong_format", "should be an RFC 3339 time, like 2026-01-31T00:00:00Z");
		return STATUS_INVALID;
	}
	return STATUS_OK;
}

bool estimate_is_wide(const struct estimate *estimate)
{
	return estimate->expanded && !(estimate->omitted & (PART_ALTERNATIVES | PART_DETAILS));
}

struct site_request *estimate_site(const struct estimate *estimate)
{
	return estimate->kind->site_offset ? (struct site_request *)(void *)((char *)estimate->request + estimate->kind->site_offset) : NULL;
}

enum status estimate_compute(struct estimate *estimate, const struct catalogue *catalogue, int64_t now_us)
{
	struct resolver resolver = {
		.catalogue = catalogue, .arena = estimate->arena, .now_us = now_us, .failure = estimate->failure, .plan_id = estimate->plan_id};

	estimate->catalogue = catalogue;
	estimate->computed_at_us = now_us;
	if (estimate_site(estimate)) {
		enum status status = resolve_hours(&resolver, estimate_site(estimate));

		if (status != STATUS_OK)
			return status;
	}
	return estimate->kind->compute(estimate, &resolver);
}

/* Writes JSON into a scratch buffer and copies it to the arena at its final size. */
static enum status estimate_json(
	const struct field_table *table, const void *object, struct buffer *scratch, const struct estimate *estimate, struct json_text *text)
{
	struct json_writer writer;

	buffer_clear(scratch);
	json_writer_init(&writer, scratch);
	writer.omitted = estimate->lean ? estimate->omitted : 0;
	writer.rounded = table != estimate->kind->request;
	record_encode(table, object, &writer);
	if (writer.not_finite)
		return failure_set(estimate->failure, STATUS_INFEASIBLE,
			"a figure of the answer exceeds the range of a number: the request's smallest and largest quantities are too far apart");
	if (scratch->failed)
		return STATUS_NO_MEMORY;
	text->length = scratch->length;
	text->text = arena_strndup(estimate->arena, scratch->bytes, scratch->length);
	return text->text ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status estimate_record(const struct estimate *estimate, struct plan_record *record)
{
	const struct estimate_kind *kind = estimate->kind;
	struct buffer scratch;
	enum status status;

	*record = (struct plan_record){
		.kind = kind->name,
		.catalogue_revision = estimate->catalogue->revision,
		.calibration_revision = estimate->catalogue->calibration_revision,
		.planner_version = FLEETPLAN_VERSION,
		.computed_at_us = estimate->computed_at_us,
		.model = estimate->model,
		.accelerator = estimate->accelerator,
	};
	if (kind->is_plan) {
		const struct request_common *common = estimate->request;

		record->name = common->name;
		record->notes = common->notes;
		record->labels = common->labels;
	}
	buffer_init(&scratch, ESTIMATE_JSON_MAX_BYTES);
	(void)buffer_reserve(&scratch, ESTIMATE_JSON_USUAL_BYTES);
	status = estimate_json(kind->request, estimate->request, &scratch, estimate, &record->request);
	if (status == STATUS_OK)
		status = estimate_json(kind->result, estimate->result, &scratch, estimate, &record->result);
	if (status == STATUS_OK && kind == &estimate_training)
		status = estimate_json(
			&table_training_summary, &((const struct training_plan *)estimate->result)->summary, &scratch, estimate, &record->summary);
	if (status == STATUS_OK && kind == &estimate_inference)
		status = estimate_json(
			&table_inference_summary, &((const struct inference_plan *)estimate->result)->summary, &scratch, estimate, &record->summary);
	buffer_release(&scratch);
	return status;
}
