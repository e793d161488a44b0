#include "storage/agents.h"

#include "hwdb/catalogue/records.h"
#include "storage/sqlite/store.h"

/* Calls of an agent within this time after its last stored one do not update its row. */
static const int64_t seen_step_us = 5000000;

enum { COUNTS_ARENA_BYTES = 4096 };

static enum status key_check(struct storage *storage, const struct agent_record *agent, const struct lease_bearer *bearer, int64_t now_us,
	struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.id = agent->key_id, .now_us = now_us}, found;
	enum status status;

	if (bearer->any || !agent->key_id || strcmp(agent->key_id, bearer->key_id) == 0)
		return STATUS_OK;
	status = store_one(&storage->writer, STATEMENT_KEY_HOLDS, &arguments, &found, arena, failure);
	if (status != STATUS_OK || found.count == 0)
		return status;
	return failure_set(failure, STATUS_FORBIDDEN,
		"agent %s registered with another key, which is still valid; revoke that key, or use another agent_id", agent->id);
}

enum status agent_admit(struct storage *storage, const struct lease_bearer *bearer, const char *agent_id, int64_t now_us,
	struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.agent_id = agent_id};
	struct agent_record agent;
	enum status status = store_one(&storage->writer, STATEMENT_AGENT_GET, &arguments, &agent, arena, failure);

	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, status, "agent %s is not registered; register it with POST /v1/agents", agent_id);
	if (status != STATUS_OK)
		return status;
	if (!bearer->any && (!agent.key_id || strcmp(agent.key_id, bearer->key_id) != 0))
		return failure_set(failure, STATUS_FORBIDDEN, "agent %s registered with another key", agent_id);
	if (agent.seen_at_us >= now_us - seen_step_us)
		return STATUS_OK;
	agent.seen_at_us = now_us;
	return store_run(&storage->writer, STATEMENT_AGENT_PUT, &agent, arena, NULL, failure);
}

/* True if the daemon or another online agent has the device. */
static enum status device_is_taken(struct storage *storage, const char *device_id, const char *agent_id, int64_t now_us,
	struct arena *arena, bool *taken, struct failure *failure)
{
	struct arguments arguments = {.device_id = device_id};
	struct device_record device;
	struct agent_record agent;
	enum status status = store_one(&storage->writer, STATEMENT_DEVICE_GET, &arguments, &device, arena, failure);

	*taken = false;
	if (status != STATUS_OK && storage->writer.statements[STATEMENT_DEVICE_GET].damaged) { /* a new report repairs it */
		failure_clear(failure);
		return STATUS_OK;
	}
	if (status == STATUS_NOT_FOUND)
		return STATUS_OK;
	if (status != STATUS_OK || strcmp(device.state, "gone") == 0 || (device.agent_id && strcmp(device.agent_id, agent_id) == 0))
		return status;
	*taken = !device.agent_id;
	if (*taken)
		return STATUS_OK;
	arguments.agent_id = device.agent_id;
	status = store_one(&storage->writer, STATEMENT_AGENT_GET, &arguments, &agent, arena, failure);
	*taken = status == STATUS_OK && agent.seen_at_us >= now_us - AGENT_SILENCE_US;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status devices_put(
	struct storage *storage, const struct agent_put *put, struct arena *arena, struct text_list *out, struct failure *failure)
{
	const struct agent_record *agent = put->agent;
	const char **refused = arena_alloc(put->job.arena, put->device_count ? put->device_count : 1, sizeof *refused);
	size_t count = 0;

	if (!refused)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the devices");
	for (size_t i = 0; i < put->device_count; i++) {
		struct device_record device = put->devices[i];
		bool taken;
		enum status status = device_is_taken(storage, device.id, agent->id, agent->seen_at_us, arena, &taken, failure);

		if (status == STATUS_OK && taken) {
			refused[count++] = put->devices[i].id;
			continue;
		}
		device.agent_id = agent->id;
		device.node = agent->host;
		device.seen_at_us = agent->seen_at_us;
		device.state = device.state ? device.state : "idle";
		if (status == STATUS_OK)
			status = store_run(&storage->writer, STATEMENT_DEVICE_PUT, &device, arena, NULL, failure);
		if (status != STATUS_OK)
			return status;
	}
	*out = (struct text_list){refused, count};
	return STATUS_OK;
}

/* Marks devices as gone that their agent listed before and does not list now. */
static enum status devices_gone(struct storage *storage, const struct agent_record *agent, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.agent_id = agent->id, .limit = INT64_MAX};
	struct rows_read rows = {0};
	enum status status = store_list_whole(&storage->writer, STATEMENT_AGENT_DEVICES, &arguments, SIZE_MAX, arena, &rows, failure);

	for (size_t i = 0; i < rows.count && status == STATUS_OK; i++) {
		struct device_record *device = (struct device_record *)rows.items + i;

		if (device->seen_at_us == agent->seen_at_us)
			continue;
		device->state = "gone";
		device->state_reason = "its agent did not list it at the last registration";
		status = store_run(&storage->writer, STATEMENT_DEVICE_PUT, device, arena, NULL, failure);
	}
	return status;
}

/* Checks the limit of agents for a key before one more is added. */
static enum status count_check(struct storage *storage, const struct agent_record *agent, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.id = agent->key_id}, found;
	enum status status;

	if (!agent->key_id)
		return STATUS_OK;
	status = store_one(&storage->writer, STATEMENT_AGENT_COUNT_OF_KEY, &arguments, &found, arena, failure);
	if (status != STATUS_OK || found.count < AGENTS_PER_KEY_MAX)
		return status;
	return failure_set(failure, STATUS_CONFLICT,
		"%d agents have registered with this key, the limit; delete some (DELETE /v1/agents/{id}), or create another key",
		AGENTS_PER_KEY_MAX);
}

enum status operation_agent_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct agent_put *put = (struct agent_put *)job;
	const struct agent_record *agent = put->agent;
	struct arguments arguments = {.agent_id = agent->id, .now_us = agent->seen_at_us, .limit = AGENT_GONE_DEVICES_MAX};
	struct agent_record merged = *agent, known;
	struct text_list refused = {0};
	enum status status = store_one(&storage->writer, STATEMENT_AGENT_GET, &arguments, &known, arena, failure);

	CHECK(job->arena && put->registered);
	if (status == STATUS_OK)
		status = key_check(storage, &known, put->bearer, agent->seen_at_us, arena, failure);
	if (status == STATUS_OK) { /* a bearer that may act for any agent does not change the agent's key */
		merged.registered_at_us = known.registered_at_us;
		merged.key_id = agent->key_id ? agent->key_id : known.key_id;
	} else if (status == STATUS_NOT_FOUND) {
		status = count_check(storage, agent, arena, failure);
	}
	if (status == STATUS_OK)
		status = store_run(&storage->writer, STATEMENT_AGENT_PUT, &merged, arena, NULL, failure);
	if (status == STATUS_OK)
		status = devices_put(storage, put, arena, &refused, failure);
	if (status == STATUS_OK)
		status = devices_gone(storage, agent, arena, failure);
	if (status == STATUS_OK)
		status = store_run(&storage->writer, STATEMENT_AGENT_DEVICES_FORGET, &arguments, arena, NULL, failure);
	if (status != STATUS_OK)
		return status;
	status = store_one(&storage->writer, STATEMENT_AGENT_GET, &arguments, put->registered, job->arena, failure);
	put->registered->state = "online";
	put->registered->refused_devices = refused;
	put->registered->devices = (int64_t)(put->device_count - refused.count);
	return status;
}

enum status operation_agent_remove(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct agent_remove *removal = (const struct agent_remove *)job;
	struct arguments arguments = {.agent_id = removal->id};
	struct benchmark_record running;
	struct agent_record agent;
	enum status status = store_one(&storage->writer, STATEMENT_AGENT_GET, &arguments, &agent, arena, failure);

	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, status, "there is no agent %s", removal->id);
	if (status != STATUS_OK &&
		storage->writer.statements[STATEMENT_AGENT_GET].damaged) { /* deleting a damaged row is allowed: it repairs the table */
		failure_clear(failure);
		status = STATUS_OK;
	}
	if (status == STATUS_OK)
		status = store_one(&storage->writer, STATEMENT_AGENT_RUNNING, &arguments, &running, arena, failure);
	if (status == STATUS_OK)
		return failure_set(failure, STATUS_CONFLICT,
			"agent %s has benchmark %s on device %s; cancel the benchmark, or wait until its lease ends", removal->id, running.id,
			running.running_device);
	if (status == STATUS_NOT_FOUND)
		status = store_run(&storage->writer, STATEMENT_AGENT_DEVICES_DELETE, &arguments, arena, NULL, failure);
	return status == STATUS_OK ? store_run(&storage->writer, STATEMENT_AGENT_DELETE, &arguments, arena, NULL, failure) : status;
}

enum status storage_agent_list(struct storage *storage, int64_t now_us, const struct page_request *page, struct arena *arena,
	struct agent_list *list, struct failure *failure)
{
	struct arguments arguments = {.limit = (int64_t)page_limit(page) + 1, .before_us = now_us - AGENT_SILENCE_US};
	struct rows_read rows;
	enum status status = cursor_read_id(page, arena, &arguments.cursor_id, failure);

	*list = (struct agent_list){0};
	if (status != STATUS_OK)
		return status;
	status = reader_list(storage, STATEMENT_AGENT_LIST, &arguments, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	list->items = rows.items;
	list->count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		list->items[i].refused_devices = (struct text_list){NULL, 0};
	if (rows.more)
		list->next_cursor = cursor_write_id(list->items[list->count - 1].id, arena);
	return STATUS_OK;
}

enum status storage_queue_counts(struct storage *storage, int64_t now_us, struct queue_counts *counts, struct failure *failure)
{
	struct arguments arguments = {.before_us = now_us - AGENT_SILENCE_US};
	struct arena unused; /* unused: the columns have no text */
	enum status status;

	arena_init(&unused, COUNTS_ARENA_BYTES);
	status = reader_one(storage, STATEMENT_QUEUE_COUNTS, &arguments, counts, &unused, failure);
	arena_release(&unused);
	return status;
}
