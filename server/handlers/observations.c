/* What real jobs achieved against their plans: reported by a pipeline's curl, kept, and counted for their software. */
#include "api/stored_plan.h"
#include "api/tables.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "planner/measurement/evidence.h"
#include "planner/measurement/observation.h"
#include "planner/training/practice.h"
#include "planner/training/software.h"
#include "hwdb/given_names.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/handlers/observations.h"
#include "server/page_answer.h"
#include "server/server.h"
#include "storage/catalogue_rows.h"
#include "storage/observations.h"
#include "storage/plans.h"

enum { OBSERVATIONS_SHOWN = 20, OBSERVATIONS_TEXT_MAX_BYTES = 1024 * 1024 };

/* More than this over its design power is no power of one accelerator: a sum, or milliwatts. */
#define POWER_OVER_TDP_MOST 2.0

#define US_PER_DAY INT64_C(86400000000)

/* Figures that are answered beside what is stored. */
static void observation_finish(struct observation_record *observation)
{
	observation->ratio = observation->step_time_s / observation->predicted.step_time_s;
	if (!is_given(observation->ratio))
		observation->ratio = observation->predicted.tokens_per_s / observation->tokens_per_s;
	observation->used = observation->unused_because ? TRUTH_FALSE : TRUTH_TRUE;
}

static void check_power(struct call *call, const struct observation_record *observation)
{
	const char *alias;
	const struct accelerator_row *row = given_accelerator(call_catalogue(call), observation->accelerator, &alias);
	double tdp_w = row ? row->accelerator.tdp_w : ABSENT_NUMBER;

	if (is_given(observation->mean_gpu_w) && is_given(tdp_w) && observation->mean_gpu_w > POWER_OVER_TDP_MOST * tdp_w)
		failure_add(&call->failure, "/mean_gpu_w", "out_of_range", "is the mean of one accelerator, in watts: %s is made for %.4g", observation->accelerator, tdp_w);
}

/* As resolving a request names it. */
static const char *given_stack(const char *reported, const char *planned)
{
	return reported ? reported : planned ? planned : stack_name(STACK_GENERIC);
}

/* E134. What a whole run took beside its plan: into the observation and, when it counts, into the row of a calibration. */
static void run_read(const struct stored_layout *layout, bool training, struct observation_record *observation, struct calibration_row *row)
{
	const struct practice_known known = {.step = layout->pinned || layout->stack_observed, .release = layout->release_given, .layout = layout->layout_given,
		.node_count = (double)layout->node_count};
	const struct practice expected = practice_expected(&known, &practice_fitted);
	double step_ratio = observation_step_time_s(&(struct observed_job){.step_time_s = observation->step_time_s, .tokens_per_s = observation->tokens_per_s,
		.step_tokens = layout->step_tokens}) / layout->predicted.step_time_s;
	const struct observed_run run = {.hours = observation->hours, .recipe_hours = layout->predicted.hours / layout->practice, .step_ratio = step_ratio,
		.hfu = layout->hfu, .gpu_count = observation->gpu_count, .planned_gpu_count = layout->gpu_count, .stack = observation->stack, .planned_stack = layout->stack};

	observation->practice = observation->practice_expected = ABSENT_NUMBER;
	observation->practice_unused_because = NULL;
	if (!is_given(observation->hours))
		return;
	observation->practice_unused_because = training ? observation_run_refusal(&run) : "its plan is of a service: it has no whole run";
	if (!training || !(run.recipe_hours > 0))
		return;
	observation->practice = run.hours / run.recipe_hours;
	observation->practice_expected = expected.value;
	if (observation->practice_unused_because)
		return;
	*row = (struct calibration_row){.meta = {.origin = "measured", .source = "E134: hours of a whole run that was reported (POST /v1/observations)"},
		.accelerator_id = observation->accelerator, .quantity = quantity_name(QUANTITY_RUN_PRACTICE), .method = "observation", .n = 1,
		.class = given_stack(observation->stack, layout->stack), .value = observation->practice, .low = ABSENT_NUMBER, .high = ABSENT_NUMBER,
		.spread = ABSENT_NUMBER, .disagreement = ABSENT_NUMBER, .baseline = ABSENT_NUMBER, .expected = expected.value,
		.expected_sigma = practice_log_sigma(&expected), .gpu_count = layout->gpu_count, .params = layout->params_active,
		.step_ratio = step_ratio > OBSERVATION_SPEED_LEAST && step_ratio < OBSERVATION_SPEED_MOST ? step_ratio : ABSENT_NUMBER};
}

/* The plan, and what it predicted; faults for what cannot be. *run is filled when a whole run was reported that counts. */
static enum status observation_read(struct call *call, struct observation_record *observation, struct calibration_row *run)
{
	struct plan_record plan;
	struct stored_layout layout;
	enum status status = api_decode(&table_observation_request, call->body, call->body_length, &call->arena, observation, &call->failure);

	if (status != STATUS_OK)
		return status;
	status = storage_plan_get(call->server->storage, observation->plan_id, ABSENT_COUNT, &call->arena, &plan, &call->failure);
	if (status == STATUS_NOT_FOUND) {
		failure_clear(&call->failure);
		failure_add(&call->failure, "/plan_id", "unknown", "no plan %s", observation->plan_id);
		return STATUS_INVALID;
	}
	if (status == STATUS_OK)
		status = api_stored_layout(&plan, &call->arena, &layout, &call->failure);
	if (status != STATUS_OK)
		return status;
	if (!is_given(observation->step_time_s) && !is_given(observation->tokens_per_s) && !is_given(observation->mean_gpu_w) &&
		!is_given(observation->hours) && !is_given(observation->total_kwh) && !is_given(observation->total_usd))
		failure_add(&call->failure, "", "required", "give what the job achieved: step_time_s, tokens_per_s, mean_gpu_w, hours, total_kwh or total_usd");
	observation->accelerator = layout.accelerator;
	memcpy(&observation->predicted, &layout.predicted, sizeof observation->predicted);
	check_power(call, observation);
	if (call->failure.status != STATUS_OK)
		return call->failure.status;
	observation->unused_because = strcmp(plan.kind, "training") != 0 ? "its plan is of a service: no software of trainings ran" :
		observation_refusal(&(struct observed_job){.step_time_s = observation->step_time_s, .tokens_per_s = observation->tokens_per_s,
			.step_tokens = layout.step_tokens, .predicted_step_time_s = layout.predicted.step_time_s, .gpu_count = observation->gpu_count,
			.planned_gpu_count = layout.gpu_count, .stack = observation->stack, .planned_stack = layout.stack, .pinned = layout.pinned});
	run_read(&layout, strcmp(plan.kind, "training") == 0, observation, run);
	observation->stack = observation->stack ? observation->stack : layout.stack;
	observation->stack_speed = layout.predicted.step_time_s * layout.stack_speed /
		observation_step_time_s(&(struct observed_job){.step_time_s = observation->step_time_s, .tokens_per_s = observation->tokens_per_s,
			.step_tokens = layout.step_tokens});
	return STATUS_OK;
}

/* E125. What this observation and those before it agree on, as a calibration of the stack; false when they do not. */
static bool agree(struct call *call, const struct observation_record *observation, struct calibration_row *row)
{
	const struct observation_filter filter = {.accelerator = observation->accelerator, .stack = observation->stack, .usable = true,
		.since_us = observation->created_at_us - (int64_t)EVIDENCE_DAYS * US_PER_DAY};
	const struct page_request page = {.limit = OBSERVATIONS_MAX - 1};
	struct observed_speed *speeds = ARENA_ARRAY(&call->arena, struct observed_speed, OBSERVATIONS_MAX);
	struct observed_consensus consensus;
	struct observation_list list;
	struct failure unread;
	bool good;

	failure_clear(&unread);
	if (observation->unused_because || !speeds ||
		storage_observation_list(call->server->storage, &filter, &page, &call->arena, &list, &unread) != STATUS_OK)
		return false;
	speeds[0] = (struct observed_speed){observation->plan_id, observation->stack_speed};
	for (size_t i = 0; i < list.count; i++)
		speeds[i + 1] = (struct observed_speed){list.items[i].plan_id, list.items[i].stack_speed};
	good = observation_consensus(speeds, list.count + 1, &consensus);
	if (!is_given(consensus.value))
		return false;
	*row = (struct calibration_row){.meta = {.origin = "measured", .source = arena_printf(&call->arena, "%zu observations of real jobs from %zu plans",
			consensus.count, consensus.plans)},
		.id = arena_printf(&call->arena, "%s.%s.%s", quantity_name(QUANTITY_STACK_SPEED), observation->stack, observation->accelerator),
		.accelerator_id = observation->accelerator, .quantity = quantity_name(QUANTITY_STACK_SPEED), .method = "observation", .class = observation->stack,
		.value = consensus.value, .low = consensus.low, .high = consensus.high, .n = (int64_t)consensus.count, .spread = consensus.spread,
		/* those that no longer agree take back what they agreed on before */
		.disagreement = good ? ABSENT_NUMBER : consensus.spread / consensus.value, .baseline = ABSENT_NUMBER,
		.expected = ABSENT_NUMBER, .expected_sigma = ABSENT_NUMBER, .step_ratio = ABSENT_NUMBER, .gpu_count = ABSENT_COUNT, .params = ABSENT_NUMBER};
	return row->id && row->meta.source;
}

static enum status create_observation(struct call *call, struct idempotency *idempotency)
{
	struct observation_record *observation = ARENA_NEW(&call->arena, struct observation_record);
	struct calibration_row *calibrations = ARENA_ARRAY(&call->arena, struct calibration_row, 2), *run = ARENA_NEW(&call->arena, struct calibration_row);
	struct catalogue_rows *rows = ARENA_NEW(&call->arena, struct catalogue_rows);
	char *id = arena_alloc(&call->arena, 1, UUID_TEXT_SIZE);
	struct observation_put put = {.job = {.kind = STORAGE_OBSERVATION_PUT}, .observation = observation, .idempotency = idempotency};
	enum status status = observation && calibrations && run && rows && id ? observation_read(call, observation, run) : STATUS_NO_MEMORY;

	if (status != STATUS_OK)
		return status;
	uuid_make(id);
	observation->id = id;
	observation->created_at_us = clock_wall_us();
	rows->calibrations = calibrations;
	rows->calibration_count = agree(call, observation, calibrations);
	if (run->quantity) {
		run->id = arena_printf(&call->arena, "%s.%s", quantity_name(QUANTITY_RUN_PRACTICE), id);
		if (!run->id)
			return STATUS_NO_MEMORY;
		calibrations[rows->calibration_count++] = *run;
	}
	put.calibrations = rows->calibration_count > 0 ? rows : NULL;
	call_created(call, "/v1/observations/%s", id);
	commit_keep_location(call, idempotency);
	status = commit_run(call, &put.job);
	if (status == STATUS_OK && put.calibrations)
		status = server_catalogue_reload(call->server, &call->failure);
	if (status != STATUS_OK)
		return status;
	observation_finish(observation);
	api_encode(&table_observation, observation, &call->json);
	return STATUS_OK;
}

static enum status answer_observation(struct call *call, const char *id)
{
	struct observation_record observation;
	enum status status = storage_observation_get(call->server->storage, id, &call->arena, &observation, &call->failure);

	if (status != STATUS_OK)
		return status;
	observation_finish(&observation);
	api_encode(&table_observation, &observation, &call->json);
	return STATUS_OK;
}

static enum status replay_observation(struct call *call, struct idempotency *idempotency)
{
	const char *slash = idempotency->answer.location ? strrchr(idempotency->answer.location, '/') : NULL;

	return slash ? answer_observation(call, slash + 1) : STATUS_INTERNAL;
}

enum status handle_observation_create(struct call *call)
{
	return commit_waiting(call, create_observation, replay_observation);
}

enum status handle_observation_get(struct call *call)
{
	return answer_observation(call, call->parameters[0]);
}

enum status observations_of_plan(struct call *call, const char *plan_id, struct observation_record **items, size_t *count)
{
	const struct observation_filter filter = {.plan_id = plan_id};
	const struct page_request page = {.limit = OBSERVATIONS_SHOWN};
	struct observation_list list;
	enum status status = storage_observation_list(call->server->storage, &filter, &page, &call->arena, &list, &call->failure);

	for (size_t i = 0; i < list.count; i++)
		observation_finish(&list.items[i]);
	*items = list.items;
	*count = list.count;
	return status;
}

enum status observations_text(struct call *call, const struct observation_record *items, size_t count, struct json_text *text)
{
	struct json_writer writer;
	struct buffer list;
	bool failed;

	buffer_init(&list, OBSERVATIONS_TEXT_MAX_BYTES);
	json_writer_init(&writer, &list);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		api_encode(&table_observation, &items[i], &writer);
	json_end_array(&writer);
	text->length = list.length;
	text->text = arena_strndup(&call->arena, list.bytes, list.length);
	failed = list.failed || !text->text;
	buffer_release(&list);
	return failed ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status handle_observation_list(struct call *call)
{
	struct observation_query query;
	struct observation_filter filter;
	struct observation_list list;
	struct page_request page;
	enum status status = api_decode_query(&table_observation_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query.page);
	filter = (struct observation_filter){.plan_id = query.plan_id, .accelerator = query.accelerator, .stack = query.stack};
	status = storage_observation_list(call->server->storage, &filter, &page, &call->arena, &list, &call->failure);
	for (size_t i = 0; status == STATUS_OK && i < list.count; i++)
		observation_finish(&list.items[i]);
	return status == STATUS_OK ? page_answer(call, &table_observation, list.items, list.count, list.next_cursor) : status;
}
