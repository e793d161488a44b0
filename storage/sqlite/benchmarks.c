#include "storage/benchmarks.h"

#include <string.h>

#include "base/clock.h"
#include "storage/lease.h"
#include "storage/sqlite/store.h"

static const int64_t idempotency_retention_us = INT64_C(25) * 3600 * 1000000; /* a day is promised */

static enum status benchmark_missing(const char *id, struct failure *failure)
{
	return failure_set(failure, STATUS_NOT_FOUND, "there is no benchmark %s", id);
}

static enum status benchmark_read(struct storage *storage, const char *id, struct benchmark_stored *stored, struct arena *arena,
	struct failure *failure)
{
	struct arguments arguments = {.id = id};
	enum status status = store_one(&storage->writer, STATEMENT_BENCHMARK_GET, &arguments, stored, arena, failure);

	return status == STATUS_NOT_FOUND ? benchmark_missing(id, failure) : status;
}

static enum status benchmark_write(struct storage *storage, const struct benchmark_stored *stored, struct arena *arena,
	struct failure *failure)
{
	return store_run(&storage->writer, STATEMENT_BENCHMARK_UPDATE, stored, arena, NULL, failure);
}

/* What outputs point to must outlive the batch: reads the record once more, into the caller's arena. */
static enum status benchmark_answer(struct storage *storage, const char *id, struct storage_job *job, struct benchmark_record *out,
	struct failure *failure)
{
	struct benchmark_stored stored;
	enum status status;

	if (!out)
		return STATUS_OK;
	CHECK(job->arena);
	status = benchmark_read(storage, id, &stored, job->arena, failure);
	*out = stored.record;
	return status;
}

enum status operation_benchmark_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct benchmark_put *put = (const struct benchmark_put *)job;
	struct benchmark_stored stored = {.record = *put->benchmark};
	enum status status;

	if (stored.record.expires_at_us <= 0)
		stored.record.expires_at_us = ABSENT_COUNT;
	status = store_run(&storage->writer, STATEMENT_BENCHMARK_INSERT, &stored, arena, NULL, failure);
	return status == STATUS_OK ? idempotency_insert(storage, put->idempotency, clock_wall_us(), arena, failure) : status;
}

enum status operation_benchmark_cancel(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct benchmark_cancel *cancel = (const struct benchmark_cancel *)job;
	struct benchmark_stored stored;
	enum status status = benchmark_read(storage, cancel->id, &stored, arena, failure);

	if (status == STATUS_OK)
		status = lease_apply(&stored.record, LEASE_CANCEL, 0, cancel->now_us, 0, failure);
	if (status == STATUS_OK)
		status = benchmark_write(storage, &stored, arena, failure);
	return status == STATUS_OK ? benchmark_answer(storage, cancel->id, job, cancel->benchmark, failure) : status;
}

enum status operation_benchmark_claim(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct benchmark_claim *claim = (const struct benchmark_claim *)job;
	struct arguments arguments = {.device_id = claim->device_id, .agent_id = claim->agent_id, .now_us = claim->now_us,
		.lease_until_us = claim->now_us + claim->lease_us};
	struct benchmark_stored stored;
	enum status status;

	(void)arena;
	CHECK(job->arena && claim->benchmark);
	status = store_one(&storage->writer, STATEMENT_BENCHMARK_CLAIM, &arguments, &stored, job->arena, failure);
	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, status, "no benchmark waits for device %s", claim->device_id);
	if (status == STATUS_CONFLICT)
		return failure_set(failure, status, "a benchmark is running on device %s", claim->device_id);
	if (status == STATUS_OK)
		*claim->benchmark = stored.record;
	return status;
}

enum status operation_benchmark_heartbeat(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct benchmark_heartbeat *heartbeat = (struct benchmark_heartbeat *)job;
	struct benchmark_stored stored;
	enum status status = benchmark_read(storage, heartbeat->id, &stored, arena, failure);

	if (status == STATUS_OK)
		status = lease_apply(&stored.record, LEASE_HEARTBEAT, heartbeat->token, heartbeat->now_us,
			heartbeat->now_us + heartbeat->lease_us, failure);
	if (status != STATUS_OK)
		return status;
	if (heartbeat->progress)
		stored.record.progress = (struct json_text){heartbeat->progress, strlen(heartbeat->progress)};
	heartbeat->cancel_requested = stored.record.cancel_requested;
	return benchmark_write(storage, &stored, arena, failure);
}

/* A delivery that was stored before: the same one again is answered, another one is not. */
static enum status result_repeated(struct benchmark_result *result, const struct benchmark_stored *stored, bool *repeated,
	struct failure *failure)
{
	static const unsigned char none[DIGEST_BYTES];

	*repeated = result->token == stored->record.token && memcmp(stored->result_sha256, none, DIGEST_BYTES) != 0;
	if (!*repeated)
		return STATUS_OK;
	result->repeated = true;
	result->late = stored->record.late;
	if (memcmp(stored->result_sha256, result->sha256, DIGEST_BYTES) == 0)
		return STATUS_OK;
	return failure_set(failure, STATUS_CONFLICT, "benchmark %s has another result already", result->id);
}

enum status operation_benchmark_result(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct benchmark_result *result = (struct benchmark_result *)job;
	struct benchmark_stored stored;
	bool repeated;
	enum status status = benchmark_read(storage, result->id, &stored, arena, failure);

	if (status != STATUS_OK)
		return status;
	result->repeated = result->late = false;
	status = result_repeated(result, &stored, &repeated, failure);
	if (status != STATUS_OK || repeated)
		return status;
	status = lease_apply(&stored.record, result->succeeded ? LEASE_SUCCEED : LEASE_FAIL, result->token, result->now_us, 0, failure);
	if (status != STATUS_OK)
		return status;
	result->late = stored.record.late;
	stored.record.state_reason = result->failure_detail;
	stored.record.result = (struct json_text){result->result, result->result ? strlen(result->result) : 0};
	memcpy(stored.result_sha256, result->sha256, DIGEST_BYTES);
	status = benchmark_write(storage, &stored, arena, failure);
	if (status == STATUS_OK && result->calibrations)
		status = rows_put_all(storage, result->calibrations, arena, failure);
	return status;
}

enum status operation_benchmark_release(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct benchmark_release *release = (const struct benchmark_release *)job;
	struct benchmark_stored stored;
	enum status status = benchmark_read(storage, release->id, &stored, arena, failure);

	if (status == STATUS_OK)
		status = lease_apply(&stored.record, LEASE_RELEASE, release->token, release->now_us, 0, failure);
	if (status != STATUS_OK)
		return status;
	stored.record.state_reason = release->reason;
	return benchmark_write(storage, &stored, arena, failure);
}

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
		CHECK(false); /* a sweep leads to none of these */
	}
}

enum status operation_benchmark_sweep(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct benchmark_sweep *sweep = (struct benchmark_sweep *)job;
	struct arguments arguments = {.now_us = sweep->now_us, .restart = sweep->restart,
		.before_us = sweep->now_us - idempotency_retention_us};
	struct benchmark_stored stored;
	enum status status;

	sweep->requeued = sweep->expired = sweep->cancelled = sweep->keys_forgotten = 0;
	while ((status = store_one(&storage->writer, STATEMENT_BENCHMARK_OVERDUE, &arguments, &stored, arena, failure)) == STATUS_OK) {
		bool running = lease_state_of(stored.record.state) == LEASE_RUNNING;

		status = lease_apply(&stored.record, running ? LEASE_OVER : LEASE_TOO_LATE, 0, sweep->now_us, 0, failure);
		if (status == STATUS_OK)
			status = benchmark_write(storage, &stored, arena, failure);
		if (status != STATUS_OK)
			return status;
		sweep_count(sweep, stored.record.state);
	}
	if (status != STATUS_NOT_FOUND)
		return status;
	return store_run(&storage->writer, STATEMENT_IDEMPOTENCY_FORGET, &arguments, arena, &sweep->keys_forgotten, failure);
}

enum status storage_benchmark_get(struct storage *storage, const char *id, struct arena *arena, struct benchmark_record *benchmark,
	struct failure *failure)
{
	struct arguments arguments = {.id = id};
	struct benchmark_stored stored;
	enum status status = reader_one(storage, STATEMENT_BENCHMARK_GET, &arguments, &stored, arena, failure);

	if (status == STATUS_NOT_FOUND)
		return benchmark_missing(id, failure);
	if (status == STATUS_OK)
		*benchmark = stored.record;
	return status;
}

enum status storage_benchmark_list(struct storage *storage, const struct benchmark_filter *filter, const struct page_request *page,
	struct arena *arena, struct benchmark_list *list, struct failure *failure)
{
	struct benchmark_query query = {.filter = *filter, .limit = (int64_t)page_limit(page) + 1};
	struct rows_read rows;
	const struct benchmark_stored *stored;
	enum status status = cursor_read_moment(page, arena, &query.cursor_us, &query.cursor_id, failure);

	*list = (struct benchmark_list){0};
	if (status != STATUS_OK)
		return status;
	status = reader_list(storage, STATEMENT_BENCHMARK_LIST, &query, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	stored = rows.items;
	list->items = rows.items;
	list->count = rows.count;
	for (size_t i = 0; i < rows.count; i++) /* closes up: each stored one begins with its record */
		memmove(&list->items[i], &stored[i].record, sizeof list->items[i]);
	if (rows.more)
		list->next_cursor = cursor_write_moment(list->items[list->count - 1].created_at_us, list->items[list->count - 1].id, arena);
	return STATUS_OK;
}
