#include "plausibility/answer.h"

#include "api/tables/tables.h"
#include "base/clock.h"
#include "hwdb/resolve/resolve.h"
#include "hwdb/rows/builtin.h"
#include "planner/training/nearest.h"
#include "schema/record.h"

enum { CATALOGUE_MAX_BYTES = 64 << 20, REQUEST_MAX_BYTES = 16 << 20 };

static struct catalogue *catalogue;
static struct arena arena;
static struct findings findings;
static struct failure failure;

const struct catalogue *answer_catalogue(void)
{
	struct catalogue_rows rows = {0};
	struct arena of_rows;

	if (catalogue)
		return catalogue;
	arena_init(&arena, REQUEST_MAX_BYTES);
	arena_init(&of_rows, CATALOGUE_MAX_BYTES);
	failure_clear(&failure);
	if (builtin_rows_read(&of_rows, &rows, &failure) == STATUS_OK)
		catalogue = catalogue_new(&of_rows, &rows, 0, 0, 0, &failure);
	return catalogue;
}

static enum status resolved(const struct draw *draw, struct training_input *input)
{
	struct training_request *request = ARENA_NEW(&arena, struct training_request);
	struct resolver resolver = {.catalogue = catalogue, .arena = &arena, .findings = &findings, .failure = &failure};
	char json[DRAW_JSON_MAX_BYTES];

	draw_json(draw, json);
	CHECK(request && clock_parse("2026-11-21", &resolver.now_us));
	if (record_decode(&table_training_request, json, strlen(json), &arena, request, &failure) != STATUS_OK)
		return failure.status;
	return resolve_training(&resolver, request, input);
}

static void refuse(struct answer *answer, const char *what)
{
	failure_summarize(&failure);
	snprintf(
		answer->refusal, sizeof answer->refusal, "%s: %.300s", what, failure.fault_count > 0 ? failure.faults[0].detail : failure.detail);
}

void answer_draw(const struct draw *draw, const struct physics *physics, struct answer *answer, struct setting *setting)
{
	struct stage_schedule schedule = {.physics = physics ? physics : &physics_fitted,
		.stage_count = 1,
		.deadline_hours = ABSENT_NUMBER,
		.practice = &practice_fitted,
		.confidence = CONFIDENCE_USUAL};
	struct search_counts counts = {0};
	struct training_input *input;
	struct candidate_plan candidate_plan;
	double available;

	answer->any = answer->fits = false;
	arena_reset(&arena);
	failure_clear(&failure);
	findings_clear(&findings);
	input = ARENA_NEW(&arena, struct training_input);
	CHECK(input);
	if (resolved(draw, input) != STATUS_OK) {
		refuse(answer, "resolve");
		return;
	}
	schedule.input = input;
	schedule.tokens_total = schedule.stages[0].tokens = input->request.tokens;
	schedule.stages[0].sequence = input->request.sequence_length;
	schedule.stages[0].batch = input->request.global_batch_size;
	if (nearest_check_pins(&schedule, &failure) != STATUS_OK) {
		refuse(answer, "pins");
		return;
	}
	fleet_candidate_plan(&schedule, 0, input->request.common.gpu_count, &input->request.parallelism, &candidate_plan, &counts);
	answer->found = candidate_plan.found;
	answer->fits = candidate_plan.any && candidate_plan.fits;
	answer->any = candidate_plan.any && (candidate_plan.fits || draw->pinned);
	if (!answer->any || !setting_of_candidate(input, &input->candidates[0], schedule.physics, NULL, schedule.stages[0].sequence, setting)) {
		answer->any = false;
		snprintf(answer->refusal, sizeof answer->refusal, "memory");
		return;
	}
	setting->batch = schedule.stages[0].batch;
	answer->time_s = candidate_plan.found.step.time.time_s;
	available = answer->time_s * (double)draw->gpu_count * setting->device.peak_flops_per_s;
	answer->mfu = candidate_plan.found.step.model_flops / available;
	answer->hfu = candidate_plan.found.step.hardware_flops / available;
	answer->range = candidate_plan.range;
	answer->gpu_hours = candidate_plan.gpu_hours;
	answer->run_mfu = schedule.tokens_total * setting->flops_per_token / (candidate_plan.gpu_hours * 3600 * setting->device.peak_flops_per_s);
}

bool answer_serving(const struct draw *draw, double *ttft_ms, double *tpot_ms)
{
	struct resolver resolver = {.catalogue = catalogue, .arena = &arena, .findings = &findings, .failure = &failure};
	struct performance_request *request;
	struct performance_input *input;
	struct performance *performance;
	char json[DRAW_JSON_MAX_BYTES];

	arena_reset(&arena);
	failure_clear(&failure);
	findings_clear(&findings);
	draw_serving_json(draw, json);
	request = ARENA_NEW(&arena, struct performance_request);
	input = ARENA_NEW(&arena, struct performance_input);
	performance = ARENA_NEW(&arena, struct performance);
	CHECK(request && input && performance && clock_parse("2026-11-21", &resolver.now_us));
	if (record_decode(&table_performance_request, json, strlen(json), &arena, request, &failure) != STATUS_OK ||
		resolve_performance(&resolver, request, input) != STATUS_OK || planner_performance(input, performance, &failure) != STATUS_OK)
		return false;
	*ttft_ms = performance->ttft_ms;
	*tpot_ms = performance->tpot_ms;
	return true;
}

void answer_release(void)
{
	catalogue_release(catalogue);
	arena_release(&arena);
	catalogue = NULL;
}
