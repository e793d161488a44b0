/* Leases: each operation reads the benchmark, applies storage/lease.c, and writes it back. */
#include "base/clock.h"
#include "base/log.h"
#include "base/spelling.h"
#include "storage/agents.h"
#include "storage/lease.h"
#include "storage/sqlite/store.h"

static const int64_t idempotency_retention_us = INT64_C(25) * 3600 * 1000000; /* the API promises a day */
enum { KEYS_KEPT = 10000 }; /* keys from before the start, when the clock says they are old */

enum { FREE_DEVICES_MAX = 64 };

enum status benchmark_missing(const char *id, struct failure *failure)
{
	return failure_set(failure, STATUS_NOT_FOUND, "benchmark %s does not exist", id);
}

static enum status lease_read(
	struct storage *storage, const char *id, struct benchmark_record *benchmark, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.id = id};
	enum status status = store_one(&storage->writer, STATEMENT_BENCHMARK_GET, &arguments, benchmark, arena, failure);

	return status == STATUS_NOT_FOUND ? benchmark_missing(id, failure) : status;
}

static enum status lease_write(struct storage *storage, struct benchmark_record *benchmark, struct arena *arena, struct failure *failure)
{
	benchmark->result_checksum = long_text_checksum(&benchmark->result);
	return store_run(&storage->writer, STATEMENT_BENCHMARK_UPDATE, benchmark, arena, NULL, failure);
}

/* Reads the first benchmark of a queue statement. A benchmark that was changed on the disk is set aside, so that it
 * does not block others. */
static enum status queue_one(struct storage *storage, enum statement_name name, const struct arguments *arguments,
	struct benchmark_record *benchmark, struct arena *arena, struct failure *failure)
{
	for (;;) {
		enum status status = store_one(&storage->writer, name, arguments, benchmark, arena, failure);
		struct arguments damaged = {.number = benchmark->number};

		if (status == STATUS_OK || status == STATUS_NOT_FOUND || !storage->writer.statements[name].damaged)
			return status;
		log_event(LOG_ERROR, "row_damaged", LOG_TEXT("detail", failure->detail));
		failure_clear(failure);
		status = store_run(&storage->writer, STATEMENT_BENCHMARK_SET_ASIDE, &damaged, arena, NULL, failure);
		if (status != STATUS_OK)
			return status;
	}
}

/* Checks that the bearer may use this lease. Without a bearer the caller is the daemon itself. A stale token is stale,
 * whichever agent has the benchmark now: the old agent must receive that, not a wrong key. */
static enum status lease_admit(struct storage *storage, const struct lease_bearer *bearer, const struct benchmark_record *benchmark,
	int64_t token, int64_t now_us, struct arena *arena, struct failure *failure)
{
	if (!bearer || token != benchmark->token)
		return STATUS_OK;
	if (!benchmark->agent_id)
		return failure_set(failure, STATUS_STALE_LEASE, "benchmark %s is not leased to an agent", benchmark->id);
	return agent_admit(storage, bearer, benchmark->agent_id, now_us, arena, failure);
}

/* Outputs must outlive the batch: reads the record again, into the caller's arena. */
static enum status lease_answer(
	struct storage *storage, const char *id, struct storage_job *job, struct benchmark_record *out, struct failure *failure)
{
	if (!out)
		return STATUS_OK;
	CHECK(job->arena);
	return lease_read(storage, id, out, job->arena, failure);
}

enum status operation_benchmark_cancel(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct benchmark_cancel *cancel = (const struct benchmark_cancel *)job;
	struct lease_step step = {.event = LEASE_CANCEL, .now_us = cancel->now_us};
	struct benchmark_record benchmark;
	enum status status = lease_read(storage, cancel->id, &benchmark, arena, failure);

	if (status == STATUS_OK)
		status = lease_apply(&benchmark, &step, failure);
	if (status == STATUS_OK)
		status = lease_write(storage, &benchmark, arena, failure);
	return status == STATUS_OK ? lease_answer(storage, cancel->id, job, cancel->benchmark, failure) : status;
}

/* --- claims ------------------------------------------------------------------------------------------------------ */

/* Claims the next benchmark for one device. STATUS_NOT_FOUND, STATUS_CONFLICT. */
static enum status claim_for(
	struct storage *storage, const struct benchmark_claim *claim, const char *device_id, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.device_id = device_id, .agent_id = claim->agent_id, .now_us = claim->now_us};
	struct lease_step step = {.event = LEASE_CLAIM,
		.now_us = claim->now_us,
		.lease_until_us = claim->now_us + claim->lease_us,
		.device = device_id,
		.agent = claim->agent_id};
	struct benchmark_record benchmark;
	enum status status = queue_one(storage, STATEMENT_BENCHMARK_ON_DEVICE, &arguments, &benchmark, arena, failure);

	if (status == STATUS_OK)
		return failure_set(failure, STATUS_CONFLICT, "a benchmark is running on device %s", device_id);
	if (status == STATUS_NOT_FOUND)
		status = queue_one(storage, STATEMENT_BENCHMARK_NEXT, &arguments, &benchmark, arena, failure);
	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, status, "no benchmark is waiting for device %s", device_id);
	if (status == STATUS_OK)
		status = lease_apply(&benchmark, &step, failure);
	if (status == STATUS_OK)
		status = lease_write(storage, &benchmark, arena, failure);
	return status == STATUS_OK ? lease_answer(storage, benchmark.id, (struct storage_job *)&claim->job, claim->benchmark, failure) : status;
}

/* Ends an agent's lease on a device that the agent reports as free: the agent does not know about that lease. */
static enum status claim_end_forgotten(
	struct storage *storage, const struct benchmark_claim *claim, const char *device_id, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.device_id = device_id};
	struct lease_step step = {.event = LEASE_OVER, .now_us = claim->now_us};
	struct benchmark_record benchmark;
	enum status status = queue_one(storage, STATEMENT_BENCHMARK_ON_DEVICE, &arguments, &benchmark, arena, failure);

	if (status == STATUS_NOT_FOUND)
		return STATUS_OK;
	if (status != STATUS_OK || !benchmark.agent_id || strcmp(benchmark.agent_id, claim->agent_id) != 0)
		return status;
	status = lease_apply(&benchmark, &step, failure);
	return status == STATUS_OK ? lease_write(storage, &benchmark, arena, failure) : status;
}

static enum status claim_free_devices(
	struct storage *storage, const struct benchmark_claim *claim, struct arena *arena, struct text_list *free_ones, struct failure *failure)
{
	struct arguments arguments = {.agent_id = claim->agent_id, .limit = FREE_DEVICES_MAX};
	const char **ids = arena_alloc(arena, FREE_DEVICES_MAX, sizeof *ids);
	const struct device_record *devices;
	struct rows_read rows = {0};
	enum status status = ids
		? store_list_whole(&storage->writer, STATEMENT_AGENT_DEVICES_FREE, &arguments, FREE_DEVICES_MAX, arena, &rows, failure)
		: failure_set(failure, STATUS_NO_MEMORY, "no memory for the devices");

	if (status != STATUS_OK || !rows.items)
		return status;
	devices = rows.items;
	for (size_t i = 0; i < rows.count; i++)
		ids[i] = devices[i].id;
	*free_ones = (struct text_list){ids, rows.count};
	return STATUS_OK;
}

/* Adds a fault for a device that the agent has not registered, with its devices of similar names. */
static enum status claim_refuse(struct storage *storage, const struct benchmark_claim *claim, size_t index, const char *state,
	struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.agent_id = claim->agent_id, .limit = FREE_DEVICES_MAX};
	const char *wanted = claim->devices->items[index];
	struct rows_read rows = {0};
	struct spelling spelling;
	char pointer[32], nearest[160];
	enum status status = store_list_whole(&storage->writer, STATEMENT_AGENT_DEVICES, &arguments, FREE_DEVICES_MAX, arena, &rows, failure);

	if (status != STATUS_OK)
		return status;
	failure_clear(failure);
	spelling_init(&spelling, wanted);
	for (size_t i = 0; i < rows.count; i++)
		spelling_offer(&spelling, ((const struct device_record *)rows.items)[i].id);
	spelling_list(&spelling, nearest, sizeof nearest);
	snprintf(pointer, sizeof pointer, "/devices/%zu", index);
	failure_add(failure, pointer, state ? "gone" : "unknown", "agent %s has no device \"%.60s\"%s; %s%s", claim->agent_id, wanted,
		state ? " any more" : "", *nearest ? "near it: " : "register its devices with POST /v1/agents", nearest);
	return STATUS_INVALID;
}

/* Returns the named devices that are the agent's. Skips a device that another agent has: the registration reported it
 * as refused. */
static enum status claim_named_devices(
	struct storage *storage, const struct benchmark_claim *claim, struct arena *arena, struct text_list *own, struct failure *failure)
{
	const char **ids = arena_alloc(arena, claim->devices->count, sizeof *ids);

	*own = (struct text_list){ids, 0};
	if (!ids)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the devices");
	for (size_t i = 0; i < claim->devices->count; i++) {
		struct arguments arguments = {.device_id = claim->devices->items[i]};
		struct device_record device = {.agent_id = NULL};
		enum status status = store_one(&storage->writer, STATEMENT_DEVICE_GET, &arguments, &device, arena, failure);
		bool is_own = status == STATUS_OK && device.agent_id && strcmp(device.agent_id, claim->agent_id) == 0;

		if (status == STATUS_NOT_FOUND || (is_own && strcmp(device.state, "gone") == 0))
			return claim_refuse(storage, claim, i, is_own ? device.state : NULL, arena, failure);
		if (status != STATUS_OK)
			return status;
		if (is_own)
			ids[own->count++] = device.id;
	}
	return STATUS_OK;
}

/* For an agent: claims for the first of its devices that a benchmark waits for. */
static enum status claim_for_agent(struct storage *storage, struct benchmark_claim *claim, struct arena *arena, struct failure *failure)
{
	struct text_list devices = {NULL, 0};
	enum status status = agent_admit(storage, claim->bearer, claim->agent_id, claim->now_us, arena, failure);

	if (status == STATUS_OK)
		status = claim->devices->count ? claim_named_devices(storage, claim, arena, &devices, failure)
									   : claim_free_devices(storage, claim, arena, &devices, failure);
	for (size_t i = 0; i < devices.count && status == STATUS_OK && !claim->found; i++) {
		status = claim_end_forgotten(storage, claim, devices.items[i], arena, failure);
		if (status == STATUS_OK)
			status = claim_for(storage, claim, devices.items[i], arena, failure);
		claim->found = status == STATUS_OK;
		if (status == STATUS_NOT_FOUND || status == STATUS_CONFLICT) { /* not this device */
			failure_clear(failure);
			status = STATUS_OK;
		}
	}
	return status;
}

enum status operation_benchmark_claim(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct benchmark_claim *claim = (struct benchmark_claim *)job;
	enum status status;

	CHECK(job->arena && claim->benchmark);
	claim->found = false;
	if (claim->bearer)
		return claim_for_agent(storage, claim, arena, failure);
	status = claim_for(storage, claim, claim->device_id, arena, failure);
	claim->found = status == STATUS_OK;
	return status;
}

/* --- reports of a worker ------------------------------------------------------------------------------------------ */

enum status operation_benchmark_heartbeat(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct benchmark_heartbeat *heartbeat = (struct benchmark_heartbeat *)job;
	struct lease_step step = {.event = LEASE_HEARTBEAT,
		.token = heartbeat->token,
		.now_us = heartbeat->now_us,
		.lease_until_us = heartbeat->now_us + heartbeat->lease_us};
	struct benchmark_record benchmark;
	enum status status = lease_read(storage, heartbeat->id, &benchmark, arena, failure);

	if (status == STATUS_OK)
		status = lease_admit(storage, heartbeat->bearer, &benchmark, heartbeat->token, heartbeat->now_us, arena, failure);
	if (status == STATUS_OK)
		status = lease_apply(&benchmark, &step, failure);
	if (status != STATUS_OK)
		return status;
	if (heartbeat->progress)
		benchmark.progress = (struct json_text){heartbeat->progress, strlen(heartbeat->progress)};
	heartbeat->cancel_requested = benchmark.cancel_requested;
	return lease_write(storage, &benchmark, arena, failure);
}

static enum lease_event result_event(enum benchmark_end end)
{
	return end == BENCHMARK_SUCCEEDED ? LEASE_SUCCEED : end == BENCHMARK_BROKEN ? LEASE_BREAK : LEASE_FAIL;
}

/* Deletes the text of an agent's oldest result if the agent has one result more than the limit. */
static enum status result_make_room(struct storage *storage, const char *agent_id, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.agent_id = agent_id, .limit = AGENT_RESULTS_MAX};
	struct benchmark_record oldest;
	enum status status = agent_id ? queue_one(storage, STATEMENT_BENCHMARK_EXCESS, &arguments, &oldest, arena, failure) : STATUS_NOT_FOUND;

	if (status != STATUS_OK)
		return status == STATUS_NOT_FOUND ? STATUS_OK : status;
	oldest.result = (struct json_text){NULL, 0};
	oldest.state_reason = "its result was deleted: its agent has delivered a thousand newer ones";
	return lease_write(storage, &oldest, arena, failure);
}

static enum status result_store(struct storage *storage, const struct benchmark_result *result, struct benchmark_record *benchmark,
	struct arena *arena, struct failure *failure)
{
	enum status status;

	benchmark->result = (struct json_text){result->result, result->result ? strlen(result->result) : 0};
	status = lease_write(storage, benchmark, arena, failure);
	if (status == STATUS_OK)
		status = result_make_room(storage, benchmark->agent_id, arena, failure);
	if (status == STATUS_OK && result->calibrations)
		status = rows_put_all(storage, result->calibrations, arena, failure);
	return status;
}

enum status operation_benchmark_result(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct benchmark_result *result = (struct benchmark_result *)job;
	struct lease_step step = {.event = result_event(result->end),
		.token = result->token,
		.now_us = result->now_us,
		.reason = result->failure_detail,
		.sha256 = result->sha256};
	struct benchmark_record benchmark;
	enum status status = lease_read(storage, result->id, &benchmark, arena, failure);

	result->repeated = result->late = false;
	if (status == STATUS_OK)
		status = lease_admit(storage, result->bearer, &benchmark, result->token, result->now_us, arena, failure);
	if (status == STATUS_OK)
		status = lease_apply(&benchmark, &step, failure);
	result->repeated = step.repeated;
	if (status == STATUS_OK && !step.repeated)
		status = result_store(storage, result, &benchmark, arena, failure);
	if (status != STATUS_OK)
		return status;
	result->late = benchmark.late;
	return lease_answer(storage, result->id, job, result->benchmark, failure);
}

enum status operation_benchmark_release(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct benchmark_release *release = (const struct benchmark_release *)job;
	struct lease_step step = {.event = LEASE_RELEASE, .token = release->token, .now_us = release->now_us, .reason = release->reason};
	struct benchmark_record benchmark;
	enum status status = lease_read(storage, release->id, &benchmark, arena, failure);

	if (status == STATUS_OK)
		status = lease_admit(storage, release->bearer, &benchmark, release->token, release->now_us, arena, failure);
	if (status == STATUS_OK)
		status = lease_apply(&benchmark, &step, failure);
	if (status == STATUS_OK)
		status = lease_write(storage, &benchmark, arena, failure);
	return status == STATUS_OK ? lease_answer(storage, release->id, job, release->benchmark, failure) : status;
}

/* --- the sweep ------------------------------------------------------------------------------------------------------ */

static void sweep_count(struct benchmark_sweep *sweep, const char *state)
{
	switch (lease_state_of(state)) {
	case LEASE_QUEUED:
		sweep->requeued++;
		break;
	case LEASE_EXPIRED:
		sweep->expired++;
		break;
	case LEASE_CANCELLED:
		sweep->cancelled++;
		break;
	case LEASE_RUNNING:
	case LEASE_SUCCEEDED:
	case LEASE_FAILED:
	case LEASE_STATE_COUNT:
		CHECK(false); /* a sweep does not lead to these states */
	}
}

static enum status leases_anew(struct storage *storage, const struct arguments *arguments, struct arena *arena, struct failure *failure)
{
	struct benchmark_record benchmark;
	enum status status;

	while ((status = queue_one(storage, STATEMENT_BENCHMARK_HELD, arguments, &benchmark, arena, failure)) == STATUS_OK) {
		benchmark.lease_until_us = arguments->lease_until_us;
		status = lease_write(storage, &benchmark, arena, failure);
		if (status != STATUS_OK)
			return status;
	}
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* At the start: decides which keys from before the start are kept for a day, whatever the clock says. */
static enum status keys_keep(struct storage *storage, int64_t now_us, struct arena *arena, struct failure *failure)
{
	struct arguments newest = {0};
	enum status status = store_one(&storage->writer, STATEMENT_IDEMPOTENCY_NEWEST, &newest, &newest, arena, failure);

	storage->keys_kept_from = newest.number - KEYS_KEPT + 1;
	storage->keys_kept_until_us = now_us + idempotency_retention_us;
	return status;
}

enum status operation_benchmark_sweep(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct benchmark_sweep *sweep = (struct benchmark_sweep *)job;
	struct arguments arguments = {.now_us = sweep->now_us,
		.restart = sweep->restart,
		.before_us = sweep->now_us - idempotency_retention_us,
		.lease_until_us = sweep->now_us + sweep->lease_us};
	struct benchmark_record benchmark;
	enum status status = STATUS_OK;

	sweep->requeued = sweep->expired = sweep->cancelled = sweep->keys_forgotten = 0;
	if (sweep->restart)
		status = keys_keep(storage, sweep->now_us, arena, failure);
	if (status == STATUS_OK && sweep->restart && sweep->lease_us > 0)
		status = leases_anew(storage, &arguments, arena, failure);
	if (status != STATUS_OK)
		return status;
	while ((status = queue_one(storage, STATEMENT_BENCHMARK_OVERDUE, &arguments, &benchmark, arena, failure)) == STATUS_OK) {
		bool running = lease_state_of(benchmark.state) == LEASE_RUNNING;
		struct lease_step step = {.event = running ? LEASE_OVER : LEASE_TOO_LATE, .now_us = sweep->now_us};

		status = lease_apply(&benchmark, &step, failure);
		if (status == STATUS_OK)
			status = lease_write(storage, &benchmark, arena, failure);
		if (status != STATUS_OK)
			return status;
		sweep_count(sweep, benchmark.state);
	}
	if (status != STATUS_NOT_FOUND)
		return status;
	arguments.number = sweep->now_us < storage->keys_kept_until_us ? storage->keys_kept_from : INT64_MAX;
	return store_run(&storage->writer, STATEMENT_IDEMPOTENCY_FORGET, &arguments, arena, &sweep->keys_forgotten, failure);
}
