/* The routes by which agents report on leased benchmarks: heartbeat, result, release. */
#include <sodium.h>

#include "agent/attempt.h"
#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/log.h"
#include "server/bench_delivery.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/lease_bearer.h"
#include "server/server.h"

#define US_PER_S 1e6

enum status handle_lease_heartbeat(struct call *call)
{
	struct lease_bearer bearer = lease_bearer_of(call);
	struct lease_heartbeat told;
	struct benchmark_heartbeat heartbeat = {.job.kind = STORAGE_BENCHMARK_HEARTBEAT,
		.id = call->parameters[0],
		.now_us = clock_even_us(),
		.bearer = &bearer,
		.lease_us = (int64_t)(server_lease_s(call->server) * US_PER_S)};
	enum status status = record_decode(&table_lease_heartbeat, call->body, call->body_length, &call->arena, &told, &call->failure);

	if (status != STATUS_OK)
		return status;
	heartbeat.token = told.token;
	heartbeat.progress = told.progress.text;
	status = commit_run(call, &heartbeat.job);
	if (status != STATUS_OK)
		return status;
	record_encode(&table_lease_renewal,
		&(struct lease_renewal){.lease_s = server_lease_s(call->server), .cancel = heartbeat.cancel_requested}, &call->json);
	return STATUS_OK;
}

static enum status answer_outcome(struct call *call, const struct benchmark_record *benchmark, bool repeated, size_t held)
{
	struct lease_outcome outcome = {.benchmark_id = benchmark->id,
		.state = benchmark->state,
		.state_reason = benchmark->state_reason,
		.attempt = benchmark->attempt,
		.late = benchmark->late,
		.repeated = repeated,
		.held = (int64_t)held};

	record_encode(&table_lease_outcome, &outcome, &call->json);
	return STATUS_OK;
}

static enum status release_lease(struct call *call, int64_t token, const char *reason)
{
	struct lease_bearer bearer = lease_bearer_of(call);
	struct benchmark_record benchmark = {0};
	struct benchmark_release release = {.job.kind = STORAGE_BENCHMARK_RELEASE,
		.id = call->parameters[0],
		.token = token,
		.now_us = clock_even_us(),
		.reason = reason,
		.bearer = &bearer,
		.benchmark = &benchmark};
	enum status status = commit_run(call, &release.job);

	return status == STATUS_OK ? answer_outcome(call, &benchmark, false, 0) : status;
}

enum status handle_lease_release(struct call *call)
{
	struct lease_release told;
	enum status status = record_decode(&table_lease_release, call->body, call->body_length, &call->arena, &told, &call->failure);

	return status == STATUS_OK ? release_lease(call, told.token, told.reason ? told.reason : "the agent returned it") : status;
}

/* --- results ----------------------------------------------------------------------------------------------------------- */

/* A result that is being processed. It is too large for the stack. */
struct arriving {
	struct lease_result told;
	unsigned char sha256[crypto_hash_sha256_BYTES];
	struct bench_job job;
	struct bench_worker_outcome outcome;
	struct bench_delivery delivery;
	struct benchmark_record benchmark; /* the benchmark after the result */
};

/* Hashes the result's own bytes; the digest that the agent gives must match. */
static enum status check_digest(struct call *call, struct arriving *arriving)
{
	const char *start = arriving->told.result.text, *wanted = arriving->told.sha256;
	size_t length = arriving->told.result.length;
	char hex[2 * sizeof arriving->sha256 + 1];

	(void)bench_result_span(call->body, "result", &start, &length);
	crypto_hash_sha256(arriving->sha256, (const unsigned char *)start, length);
	sodium_bin2hex(hex, sizeof hex, arriving->sha256, sizeof arriving->sha256);
	if (!wanted || strcasecmp(wanted, hex) == 0)
		return STATUS_OK;
	failure_add(&call->failure, "/sha256", "mismatch",
		"the result's %zu bytes have the SHA-256 %s, not the given one; it was damaged on its way, or it is another result", length, hex);
	return STATUS_INVALID;
}

/* Reads a result. A result that is not valid costs an attempt, like a worker that sends nonsense. */
static enum status read_result(struct call *call, struct arriving *arriving)
{
	struct bench_worker_outcome *outcome = &arriving->outcome;
	char detail[sizeof outcome->detail] = "";
	struct bench_result result = {0};
	enum status status = bench_result_read(arriving->told.result.text, arriving->told.result.length, &call->arena, &result, &call->failure);

	if (status == STATUS_OK)
		status = bench_delivery_read(&result, &arriving->job, outcome, detail, sizeof detail);
	if (status != STATUS_INVALID)
		return status;
	outcome->end = WORKER_MISSPOKE;
	snprintf(outcome->detail, sizeof outcome->detail, "the agent delivered a result that is not valid: %.300s",
		*detail ? detail : call->failure.detail);
	failure_clear(&call->failure);
	return STATUS_OK;
}

static enum benchmark_end end_of(enum bench_sequel sequel)
{
	return sequel == SEQUEL_SUCCEED ? BENCHMARK_SUCCEEDED : sequel == SEQUEL_TRY_AGAIN ? BENCHMARK_BROKEN : BENCHMARK_FAILED;
}

static enum status store_result(struct call *call, struct arriving *arriving)
{
	struct lease_bearer bearer = lease_bearer_of(call);
	struct benchmark_result *result = &arriving->delivery.result;
	const struct bench_bearer deliverer = {.key_id = bearer.any ? NULL : bearer.key_id, .catalogue = call_catalogue(call)};
	enum benchmark_end end;
	enum status status;

	status = bench_delivery_judge(call->server->storage, &arriving->job, &arriving->outcome);
	if (status != STATUS_OK)
		return status;
	end = end_of(bench_sequel_of(arriving->outcome.end));

	if (end == BENCHMARK_BROKEN)
		bench_outcome_count_attempt(&arriving->outcome, &arriving->job.record);
	bench_delivery_open(&arriving->delivery, call->server->storage, &arriving->job, &arriving->outcome, end, &deliverer);
	memcpy(result->sha256, arriving->sha256, sizeof result->sha256);
	result->bearer = &bearer;
	result->now_us = clock_even_us();
	result->benchmark = &arriving->benchmark;
	status = arriving->delivery.no_memory ? STATUS_NO_MEMORY : commit_run(call, &result->job);
	if (status == STATUS_OK && !result->repeated) {
		log_event(LOG_INFO, "benchmark", LOG_TEXT("benchmark", result->id), LOG_TEXT("device", arriving->benchmark.running_device),
			LOG_TEXT("agent", arriving->benchmark.agent_id), LOG_TEXT("end", bench_worker_end_name(arriving->outcome.end)),
			LOG_INTEGER("attempt", arriving->benchmark.attempt), LOG_TEXT("state", arriving->benchmark.state),
			LOG_INTEGER("held", (int64_t)arriving->delivery.held));
		if (bench_delivery_calibrates(&arriving->delivery))
			status = server_catalogue_reload(call->server, &call->failure);
	}
	if (status == STATUS_OK)
		status = answer_outcome(call, &arriving->benchmark, result->repeated, arriving->delivery.held);
	bench_delivery_close(&arriving->delivery);
	return status;
}

static enum status take_result(struct call *call, struct arriving *arriving)
{
	struct bench_job *job = &arriving->job;
	char unread[64];
	enum status status = check_digest(call, arriving);

	if (status == STATUS_OK)
		status = storage_benchmark_get(call->server->storage, call->parameters[0], &job->arena, &job->record, &call->failure);
	if (status != STATUS_OK)
		return status;
	job->record.token = arriving->told.token;
	/* The suite was valid when the benchmark was queued, so that only a lack of memory keeps it from being read. */
	if (!bench_job_plan(job, unread, sizeof unread) && !job->suite)
		return STATUS_NO_MEMORY;
	status = read_result(call, arriving);
	if (status != STATUS_OK)
		return status;
	if (bench_sequel_of(arriving->outcome.end) == SEQUEL_GIVE_BACK)
		return release_lease(call, arriving->told.token, arriving->outcome.detail);
	return store_result(call, arriving);
}

enum status handle_lease_result(struct call *call)
{
	struct arriving *arriving = calloc(1, sizeof *arriving);
	enum status status = arriving
		? record_decode(&table_lease_result, call->body, call->body_length, &call->arena, &arriving->told, &call->failure)
		: STATUS_NO_MEMORY;

	if (status == STATUS_OK) {
		bench_job_open(&arriving->job);
		buffer_init(&arriving->outcome.log, 1);
		status = take_result(call, arriving);
		bench_worker_release(&arriving->outcome);
		bench_job_close(&arriving->job);
	}
	free(arriving);
	return status;
}
