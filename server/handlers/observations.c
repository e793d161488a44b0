/* Observations: what real jobs achieved, compared with their plans. Clients report them; they are stored and calibrate
 * the software stack. */
#include "api/stored_plan.h"
#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "hwdb/catalogue/given_names.h"
#include "planner/measurement/evidence.h"
#include "planner/measurement/observation.h"
#include "planner/measurement/trust.h"
#include "planner/step/software.h"
#include "planner/training/practice.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/handlers/observations.h"
#include "server/page_answer.h"
#include "server/scope.h"
#include "server/server.h"
#include "service/bench_trust.h"
#include "storage/catalogue_rows.h"
#include "storage/observations.h"
#include "storage/plans.h"

enum { OBSERVATIONS_SHOWN = 20, OBSERVATIONS_TEXT_MAX_BYTES = 1024 * 1024 };

/* A mean power above this multiple of the TDP is not the power of one accelerator: it is a sum, or in milliwatts. */
#define POWER_OVER_TDP_MOST 2.0

#define US_PER_DAY INT64_C(86400000000)

/* E125. The consensus of the observations of one software stack on one accelerator. */
struct agreement {
	const char *accelerator, *stack;
	const struct observation_record *items[OBSERVATIONS_MAX]; /* usable ones, newest first */
	size_t count;
	struct observed_consensus consensus;
	bool good;
};

/* Computes the consensus of the stored observations, with `added` (may be NULL) first and without the id `without` (may
 * be NULL). */
static enum status agreement_of(struct call *call, const char *accelerator, const char *stack, const struct observation_record *added,
	const char *without, struct agreement *agreement)
{
	const struct observation_filter filter = {
		.accelerator = accelerator, .stack = stack, .usable = true, .since_us = clock_wall_us() - (int64_t)EVIDENCE_DAYS * US_PER_DAY};
	const struct page_request page = {.limit = OBSERVATIONS_MAX};
	struct observed_speed *speeds = ARENA_ARRAY(&call->arena, struct observed_speed, OBSERVATIONS_MAX);
	struct observation_list list;
	enum status status = speeds ? storage_observation_list(call->server->storage, &filter, &page, &call->arena, &list, &call->failure)
								: STATUS_NO_MEMORY;

	if (status != STATUS_OK)
		return status;
	*agreement = (struct agreement){.accelerator = accelerator, .stack = stack};
	if (added && !added->unused_because)
		agreement->items[agreement->count++] = added;
	for (size_t i = 0; i < list.count && agreement->count < OBSERVATIONS_MAX; i++)
		if (!without || strcmp(list.items[i].id, without) != 0)
			agreement->items[agreement->count++] = &list.items[i];
	for (size_t i = 0; i < agreement->count; i++)
		speeds[i] = (struct observed_speed){agreement->items[i]->plan_id, agreement->items[i]->stack_speed};
	agreement->good = observation_consensus(speeds, agreement->count, &agreement->consensus);
	return STATUS_OK;
}

static const char *stack_calibration_id(struct call *call, const char *stack, const char *accelerator)
{
	return arena_printf(&call->arena, "%s.%s.%s", quantity_name(QUANTITY_STACK_SPEED), stack, accelerator);
}

static const struct calibration_row *live_calibration(const struct catalogue *catalogue, const char *id)
{
	const struct catalogue_rows *rows = &catalogue->rows;

	for (size_t i = 0; id && i < rows->calibration_count; i++)
		if (strcmp(rows->calibrations[i].id, id) == 0)
			return &rows->calibrations[i];
	return NULL;
}

static const char *held_id(struct call *call, const char *id)
{
	return id ? arena_printf(&call->arena, "%s" BENCH_HELD_SUFFIX, id) : NULL;
}

static const char *waits_text(struct call *call, const struct calibration_row *held)
{
	return arena_printf(&call->arena, "waits for an admin's decision (POST /v1/calibrations/%s/decision): %s", held->id, held->held_because);
}

/* Lets a value wait beside the current calibration if it is out of range and no admin's key reported it. False without
 * memory. */
static bool hold_back_row(struct call *call, const struct trust_range *range, struct calibration_row *row)
{
	const struct calibration_row *before = live_calibration(call_catalogue(call), row->id);
	bool believed = call->principal.role == ROLE_ADMIN || (row->value >= range->low && row->value <= range->high) ||
		(before && before->value > 0 && trust_agrees(row->value, before->value));

	if (believed)
		return true;
	row->held_because = arena_printf(&call->arena, "%.3g is outside of %.3g to %.3g, the trusted range by %s, and no admin's key reported it",
		row->value, range->low, range->high, range->of);
	row->delivered_by = arena_strdup(&call->arena, call->principal.owner);
	row->id = held_id(call, row->id);
	return row->held_because && row->delivered_by && row->id;
}

/* Returns the reason why a usable observation does not count now; NULL: plans use it. */
static const char *standing_of(
	struct call *call, const struct catalogue *catalogue, const struct observation_record *observation, const struct agreement *agreement)
{
	const struct calibration_row *live, *held;
	const char *id;
	size_t i = 0;

	while (i < agreement->count && strcmp(agreement->items[i]->id, observation->id) != 0)
		i++;
	if (i == agreement->count)
		return arena_printf(&call->arena, "older than %.0f days, or than the %d newest", EVIDENCE_DAYS, OBSERVATIONS_MAX);
	if (!agreement->good)
		return arena_strdup(&call->arena, agreement->consensus.why);
	if (!agreement->consensus.counts[i])
		return arena_printf(&call->arena, "farther than %.0f deviations from the median of the others", OBSERVATION_MADS);
	id = stack_calibration_id(call, observation->stack, observation->accelerator);
	live = live_calibration(catalogue, id);
	held = live_calibration(catalogue, held_id(call, id));
	if (held && (!live || held->meta.valid_from_us > live->meta.valid_from_us))
		return waits_text(call, held);
	return live ? NULL : "the calibration from these observations was deleted; the next report makes it again";
}

/* The hours of a whole run count if the run's calibration is active and is the newest of its plan. */
static void run_finish(struct call *call, const struct catalogue *catalogue, struct observation_record *observation)
{
	const struct catalogue_rows *rows = &catalogue->rows;
	const struct calibration_row *run = live_calibration(
									 catalogue, arena_printf(&call->arena, "%s.%s", quantity_name(QUANTITY_RUN_PRACTICE), observation->id)),
								 *held;

	observation->practice_used = is_given(observation->hours) ? TRUTH_FALSE : TRUTH_UNSET;
	if (!is_given(observation->hours) || observation->practice_unused_because)
		return;
	if (!run) {
		held = live_calibration(
			catalogue, arena_printf(&call->arena, "%s.%s" BENCH_HELD_SUFFIX, quantity_name(QUANTITY_RUN_PRACTICE), observation->id));
		observation->practice_unused_because = held ? waits_text(call, held) : "its calibration was deleted";
		return;
	}
	for (size_t i = 0; i < rows->calibration_count; i++) {
		const struct calibration_row *other = &rows->calibrations[i];

		if (other != run && quantity_of_name(other->quantity) == QUANTITY_RUN_PRACTICE && other->plan_id && run->plan_id &&
			strcmp(other->plan_id, run->plan_id) == 0 && other->meta.valid_from_us > run->meta.valid_from_us) {
			observation->practice_unused_because = "a newer report of the same plan is used instead";
			return;
		}
	}
	observation->practice_used = TRUTH_TRUE;
}

/* Fills the computed fields of an answer. *agreement caches the consensus of the last stack and accelerator: a list has
 * few of them. */
static enum status observation_finish(
	struct call *call, const struct catalogue *catalogue, struct observation_record *observation, struct agreement *agreement)
{
	enum status status = STATUS_OK;

	observation->ratio = observation->step_time_s / observation->predicted.step_time_s;
	if (!is_given(observation->ratio))
		observation->ratio = observation->predicted.tokens_per_s / observation->tokens_per_s;
	run_finish(call, catalogue, observation);
	if (!observation->unused_because && observation->stack && observation->accelerator) {
		if (!agreement->stack || strcmp(agreement->stack, observation->stack) != 0 ||
			strcmp(agreement->accelerator, observation->accelerator) != 0)
			status = agreement_of(call, observation->accelerator, observation->stack, NULL, NULL, agreement);
		if (status == STATUS_OK)
			observation->unused_because = standing_of(call, catalogue, observation, agreement);
	}
	observation->used = observation->unused_because ? TRUTH_FALSE : TRUTH_TRUE;
	return status;
}

static enum status observations_finish(struct call *call, struct observation_record *items, size_t count)
{
	struct agreement *agreement = ARENA_NEW(&call->arena, struct agreement);
	enum status status = agreement ? STATUS_OK : STATUS_NO_MEMORY;
	struct catalogue *now = server_catalogue(
		call->server); /* the current catalogue, with the report's own change, and not the request's snapshot */

	for (size_t i = 0; status == STATUS_OK && i < count; i++)
		status = observation_finish(call, now, &items[i], agreement);
	catalogue_release(now);
	return status;
}

static void check_power(struct call *call, const struct observation_record *observation)
{
	const char *alias;
	const struct accelerator_row *row = given_accelerator(call_catalogue(call), observation->accelerator, &alias);
	double tdp_w = row ? row->accelerator.tdp_w : ABSENT_NUMBER;

	if (is_given(observation->mean_gpu_w) && is_given(tdp_w) && observation->mean_gpu_w > POWER_OVER_TDP_MOST * tdp_w)
		failure_add(&call->failure, "/mean_gpu_w", "out_of_range",
			"must be the mean power of one accelerator, in W; the TDP of %s is %.4g W", observation->accelerator, tdp_w);
}

/* Returns the stack's name, as a resolved request names it. */
static const char *given_stack(const char *reported, const char *planned)
{
	return reported ? reported : planned ? planned : stack_name(STACK_GENERIC);
}

/* E134. Compares a whole run with its plan: into the observation and, if the run counts, into a calibration row. */
static void run_read(const struct stored_layout *layout, bool training, struct observation_record *observation, struct calibration_row *row)
{
	const struct practice_known known = {.step = layout->pinned ? 1 : layout->stack_likeness,
		.release = layout->release_given,
		.layout = layout->layout_given,
		.node_count = (double)layout->node_count};
	const struct practice expected = practice_expected(&known, &practice_fitted);
	double step_ratio = observation_step_time_s(&(struct observed_job){.step_time_s = observation->step_time_s,
							.tokens_per_s = observation->tokens_per_s,
							.step_tokens = layout->step_tokens}) /
		layout->predicted.step_time_s;
	const struct observed_run run = {.hours = observation->hours,
		.recipe_hours = layout->predicted.hours / layout->practice,
		.step_ratio = step_ratio,
		.hfu = layout->hfu,
		.gpu_count = observation->gpu_count,
		.planned_gpu_count = layout->gpu_count,
		.stack = observation->stack,
		.planned_stack = layout->stack};

	observation->practice = observation->practice_expected = ABSENT_NUMBER;
	observation->practice_unused_because = NULL;
	if (!is_given(observation->hours))
		return;
	observation->practice_unused_because = training ? observation_run_refusal(&run) : "its plan is for inference, which has no whole run";
	if (!training || !(run.recipe_hours > 0))
		return;
	observation->practice = run.hours / run.recipe_hours;
	observation->practice_expected = expected.value;
	if (observation->practice_unused_because)
		return;
	*row = (struct calibration_row){.meta = {.origin = "measured", .source = "E134: reported hours of a whole run (POST /v1/observations)"},
		.accelerator_id = observation->accelerator,
		.quantity = quantity_name(QUANTITY_RUN_PRACTICE),
		.method = "observation",
		.n = 1,
		.class = given_stack(observation->stack, layout->stack),
		.plan_id = observation->plan_id,
		.value = observation->practice,
		.low = ABSENT_NUMBER,
		.high = ABSENT_NUMBER,
		.spread = ABSENT_NUMBER,
		.disagreement = ABSENT_NUMBER,
		.baseline = ABSENT_NUMBER,
		.expected = expected.value,
		.expected_sigma = practice_log_sigma(&expected),
		.gpu_count = layout->gpu_count,
		.params = layout->params_active,
		.step_ratio = step_ratio > OBSERVATION_SPEED_LEAST && step_ratio < OBSERVATION_SPEED_MOST ? step_ratio : ABSENT_NUMBER};
}

/* Reads the report, its plan and the plan's prediction; reports faults for impossible values. Fills *run if a whole run
 * was reported that counts. */
static enum status observation_read(struct call *call, struct observation_record *observation, struct calibration_row *run)
{
	struct plan_record plan;
	struct stored_layout layout;
	const char *alias;
	enum status status = record_decode(&table_observation_request, call->body, call->body_length, &call->arena, observation, &call->failure);

	if (status != STATUS_OK)
		return status;
	status = scope_plan_get(call, observation->plan_id, ABSENT_COUNT, &plan);
	if (status == STATUS_NOT_FOUND) {
		failure_clear(&call->failure);
		failure_add(&call->failure, "/plan_id", "unknown", "no plan %s; GET /v1/plans lists the plans", observation->plan_id);
		return STATUS_INVALID;
	}
	if (status == STATUS_OK)
		status = api_stored_layout(&plan, &call->arena, &layout, &call->failure);
	if (status != STATUS_OK)
		return status;
	if (!is_given(observation->step_time_s) && !is_given(observation->tokens_per_s) && !is_given(observation->mean_gpu_w) &&
		!is_given(observation->hours) && !is_given(observation->total_kwh) && !is_given(observation->total_usd))
		failure_add(&call->failure, "", "required",
			"give at least one measured value: step_time_s, tokens_per_s, mean_gpu_w, hours, total_kwh or total_usd");
	observation->accelerator = layout.accelerator;
	memcpy(&observation->predicted, &layout.predicted, sizeof observation->predicted);
	check_power(call, observation);
	if (call->failure.status != STATUS_OK)
		return call->failure.status;
	observation->unused_because = strcmp(plan.kind, "training") != 0
		? "its plan is for inference, which runs no training software"
		: observation_refusal(&(struct observed_job){.step_time_s = observation->step_time_s,
			  .tokens_per_s = observation->tokens_per_s,
			  .step_tokens = layout.step_tokens,
			  .predicted_step_time_s = layout.predicted.step_time_s,
			  .gpu_count = observation->gpu_count,
			  .planned_gpu_count = layout.gpu_count,
			  .stack = observation->stack,
			  .planned_stack = layout.stack,
			  .pinned = layout.pinned});
	run_read(&layout, strcmp(plan.kind, "training") == 0, observation, run);
	if (!observation->unused_because && !catalogue_accelerator(call_catalogue(call), layout.accelerator, &alias))
		observation->unused_because =
			"the plan's accelerator was described in its request and is not in the catalogue, so that no other plan can use this";
	observation->params = layout.params_active;
	observation->planned_gpu_count = layout.gpu_count;
	observation->precision = layout.precision;
	observation->stack = observation->stack ? observation->stack : layout.stack;
	observation->stack_speed = layout.predicted.step_time_s * layout.stack_speed /
		observation_step_time_s(&(struct observed_job){
			.step_time_s = observation->step_time_s, .tokens_per_s = observation->tokens_per_s, .step_tokens = layout.step_tokens});
	return STATUS_OK;
}

/* Makes the consensus a calibration of the stack, with the mean properties of the jobs that count. False if too few
 * agree. If observations no longer agree, the row replaces their earlier consensus: it has their disagreement and is
 * not used. */
static bool agreement_row(struct call *call, const struct agreement *agreement, struct calibration_row *row)
{
	const struct observed_consensus *consensus = &agreement->consensus;
	double log_params = 0, log_gpus = 0, params = 0, gpus = 0;
	enum precision precision = PRECISION_UNSET;
	bool mixed = false;

	if (!is_given(consensus->value))
		return false;
	for (size_t i = 0; i < agreement->count; i++) {
		const struct observation_record *item = agreement->items[i];

		if (!consensus->counts[i])
			continue;
		if (item->params > 0)
			log_params += log(item->params), params++;
		if (item->planned_gpu_count >= 1)
			log_gpus += log((double)item->planned_gpu_count), gpus++;
		mixed |= item->precision == PRECISION_UNSET || (precision != PRECISION_UNSET && precision != item->precision);
		precision = item->precision;
	}
	*row = (struct calibration_row){
		.meta = {.origin = "measured",
			.source = arena_printf(&call->arena, "%zu observations of real jobs from %zu plans", consensus->count, consensus->plans)},
		.id = stack_calibration_id(call, agreement->stack, agreement->accelerator),
		.accelerator_id = agreement->accelerator,
		.quantity = quantity_name(QUANTITY_STACK_SPEED),
		.method = "observation",
		.class = agreement->stack,
		.value = consensus->value,
		.low = consensus->low,
		.high = consensus->high,
		.n = (int64_t)consensus->count,
		.spread = consensus->spread,
		.disagreement = agreement->good ? ABSENT_NUMBER : consensus->spread / consensus->value,
		.baseline = ABSENT_NUMBER,
		.precision = mixed ? PRECISION_UNSET : precision,
		.params = params > 0 ? exp(log_params / params) : ABSENT_NUMBER,
		.gpu_count = gpus > 0 ? (int64_t)fmax(1, rint(exp(log_gpus / gpus))) : ABSENT_COUNT,
		.expected = ABSENT_NUMBER,
		.expected_sigma = ABSENT_NUMBER,
		.step_ratio = ABSENT_NUMBER};
	return row->id && row->meta.source;
}

static enum status create_observation(struct call *call, struct idempotency *idempotency)
{
	struct observation_record *observation = ARENA_NEW(&call->arena, struct observation_record);
	struct calibration_row *calibrations = ARENA_ARRAY(&call->arena, struct calibration_row, 2),
						   *run = ARENA_NEW(&call->arena, struct calibration_row);
	struct catalogue_rows *rows = ARENA_NEW(&call->arena, struct catalogue_rows);
	struct agreement *agreement = ARENA_NEW(&call->arena, struct agreement);
	char *id = arena_alloc(&call->arena, 1, UUID_TEXT_SIZE);
	struct trust_range range;
	struct observation_put put = {.job = {.kind = STORAGE_OBSERVATION_PUT}, .observation = observation, .idempotency = idempotency};
	enum status status = observation && calibrations && run && rows && agreement && id ? observation_read(call, observation, run)
																					   : STATUS_NO_MEMORY;

	if (status != STATUS_OK)
		return status;
	uuid_make(id);
	observation->id = id;
	observation->created_at_us = clock_wall_us();
	rows->calibrations = calibrations;
	if (!observation->unused_because) {
		status = agreement_of(call, observation->accelerator, observation->stack, observation, NULL, agreement);
		if (status != STATUS_OK)
			return status;
		range = trust_range_of_speed();
		rows->calibration_count = agreement_row(call, agreement, calibrations);
		if (rows->calibration_count > 0 && !hold_back_row(call, &range, calibrations))
			return STATUS_NO_MEMORY;
	}
	if (run->quantity) {
		range = trust_range_of_run(run->expected);
		run->id = arena_printf(&call->arena, "%s.%s", quantity_name(QUANTITY_RUN_PRACTICE), id);
		if (!run->id || !hold_back_row(call, &range, run))
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
	status = observations_finish(call, observation, 1);
	if (status == STATUS_OK)
		record_encode(&table_observation, observation, &call->json);
	return status;
}

static enum status answer_observation(struct call *call, const char *id)
{
	struct observation_record observation;
	struct plan_record plan;
	enum status status = storage_observation_get(call->server->storage, id, &call->arena, &observation, &call->failure);

	if (status == STATUS_OK && call->principal.scope_key && scope_plan_get(call, observation.plan_id, ABSENT_COUNT, &plan) != STATUS_OK) {
		failure_clear(&call->failure);
		status = failure_set(&call->failure, STATUS_NOT_FOUND, "observation %.80s does not exist", id);
	}
	if (status == STATUS_OK)
		status = observations_finish(call, &observation, 1);
	if (status == STATUS_OK)
		record_encode(&table_observation, &observation, &call->json);
	return status;
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

enum status handle_observation_delete(struct call *call)
{
	struct catalogue_rows *rows = ARENA_NEW(&call->arena, struct catalogue_rows);
	struct agreement *agreement = ARENA_NEW(&call->arena, struct agreement);
	struct calibration_row *row = ARENA_NEW(&call->arena, struct calibration_row);
	struct observation_delete delete = {.job = {.kind = STORAGE_OBSERVATION_DELETE}, .id = call->parameters[0]};
	struct observation_record observation;
	enum status status = rows && agreement && row
		? storage_observation_get(call->server->storage, delete.id, &call->arena, &observation, &call->failure)
		: STATUS_NO_MEMORY;

	if (status != STATUS_OK)
		return status;
	delete.removed_calibrations[0] = arena_printf(&call->arena, "%s.%s", quantity_name(QUANTITY_RUN_PRACTICE), delete.id);
	delete.removed_calibrations[2] = held_id(call, delete.removed_calibrations[0]);
	if (!observation.unused_because && observation.stack) {
		status = agreement_of(call, observation.accelerator, observation.stack, NULL, delete.id, agreement);
		if (status != STATUS_OK)
			return status;
		rows->calibrations = row;
		rows->calibration_count = agreement_row(call, agreement, row);
		delete.calibrations = rows->calibration_count > 0 ? rows : NULL;
		delete.removed_calibrations[1] = rows->calibration_count > 0
			? NULL
			: stack_calibration_id(call, observation.stack, observation.accelerator);
	}
	status = commit_run(call, &delete.job);
	if (status == STATUS_OK)
		status = server_catalogue_reload(call->server, &call->failure);
	if (status == STATUS_OK)
		call_no_content(call);
	return status;
}

enum status observations_of_plan(struct call *call, const char *plan_id, struct observation_record **items, size_t *count)
{
	const struct observation_filter filter = {.plan_id = plan_id};
	const struct page_request page = {.limit = OBSERVATIONS_SHOWN};
	struct observation_list list;
	enum status status = storage_observation_list(call->server->storage, &filter, &page, &call->arena, &list, &call->failure);

	*items = list.items;
	*count = list.count;
	return status == STATUS_OK ? observations_finish(call, list.items, list.count) : status;
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
		record_encode(&table_observation, &items[i], &writer);
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
	enum status status = record_decode_query(&table_observation_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query.page);
	filter = (struct observation_filter){.plan_id = query.plan_id,
		.accelerator = query.accelerator,
		.stack = query.stack,
		.scope_key = call->principal.scope_key,
		.scope_value = call->principal.scope_value};
	status = storage_observation_list(call->server->storage, &filter, &page, &call->arena, &list, &call->failure);
	if (status == STATUS_OK)
		status = observations_finish(call, list.items, list.count);
	return status == STATUS_OK ? page_answer(call, &table_observation, list.items, list.count, list.next_cursor) : status;
}
