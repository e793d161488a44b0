#include <math.h>
#include <sodium.h>
#include <unistd.h>

#include "agent/agent_private.h"
#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/log.h"

enum { RELEASE_TRIES = 5, BUSY_RETRY_S = 5, SILENCE_S = 20, DIGEST_TEXT_SIZE = 2 * crypto_hash_sha256_BYTES + 1 };

/* Why a worker is stopped. */
enum stop_cause { CAUSE_NONE, CAUSE_DRAIN, CAUSE_CANCEL, CAUSE_LOST, CAUSE_OVER };

/* One running benchmark. */
struct run {
	struct agent *agent;
	const struct lease *lease;
	struct bench_device_slot *slot;
	struct bench_job *job;
	struct keeper keeper;
	enum stop_cause cause;
};

static struct bench_device_slot *slot_of(struct agent *agent, const char *device)
{
	for (size_t i = 0; device && i < agent->devices.count; i++) {
		if (strcmp(agent->devices.slots[i].id, device) == 0)
			return &agent->devices.slots[i];
	}
	return NULL;
}

/* Releases a benchmark, which does not cost an attempt. If that fails, the lease expires, which costs one. */
static void release_lease(struct agent *agent, const struct lease *lease, const char *reason)
{
	const struct lease_release release = {.token = lease->token, .reason = *reason ? reason : NULL};
	enum link_end end = LINK_AWAY;

	for (int i = 0; i < RELEASE_TRIES && agent_is_open(end) && !agent_must_end(agent); i++) {
		if (i > 0)
			agent_wait(agent, 0.2 * (1 << i));
		end = link_release(&agent->link, lease->benchmark_id, &release, agent_patience(agent, CALL_S));
	}
	log_event(end == LINK_OK ? LOG_INFO : LOG_WARNING, end == LINK_OK ? "agent_lease_released" : "agent_lease_not_released",
		LOG_TEXT("benchmark", lease->benchmark_id), LOG_TEXT("reason", reason),
		LOG_TEXT("detail", end == LINK_OK ? NULL : agent->link.detail));
}

static bool on_tick(void *context)
{
	struct run *run = context;
	uint64_t count;

	(void)!read(run->agent->wake_fd, &count, sizeof(count));
	if (run->cause != CAUSE_NONE) /* the worker is being stopped; the cause stays */
		return false;
	keeper_tell(&run->keeper, &run->job->progress_json);
	switch (keeper_ask(&run->keeper)) {
	case KEEPER_GO_ON:
		run->cause = atomic_load(&run->agent->stopping) ? CAUSE_DRAIN : CAUSE_NONE;
		break;
	case KEEPER_CANCELLED:
		run->cause = CAUSE_CANCEL;
		break;
	case KEEPER_LOST:
		run->cause = CAUSE_LOST;
		break;
	case KEEPER_OVER:
		run->cause = CAUSE_OVER;
		break;
	}
	return run->cause == CAUSE_NONE;
}

/* Encodes the result and its digest as a struct lease_result. */
static void encode_delivery(const struct run *run, const struct bench_worker_outcome *outcome, struct buffer *body)
{
	unsigned char digest[crypto_hash_sha256_BYTES];
	char text[DIGEST_TEXT_SIZE];
	struct lease_result result = {.token = run->lease->token, .sha256 = text};
	struct json_writer writer;
	struct buffer told;

	buffer_init(&told, BENCH_RESULT_MAX_BYTES);
	bench_job_encode(run->job, outcome, &(struct bench_judgement){.calibrations = NULL}, &told);
	crypto_hash_sha256(digest, (const unsigned char *)told.bytes, told.length);
	sodium_bin2hex(text, sizeof(text), digest, sizeof(digest));
	result.result = (struct json_text){told.bytes, told.length};
	json_writer_init(&writer, body);
	record_encode(&table_lease_result, &result, &writer);
	body->failed = body->failed || told.failed;
	buffer_release(&told);
}

/* Delivers from memory when the spool cannot store the result: until the lease ends or the agent must end. */
static void deliver_unspooled(struct run *run, const struct spool_entry *entry, const struct buffer *body)
{
	struct backoff backoff = {.first_s = 0.5, .most_s = 10};
	enum keeper_word word = keeper_ask(&run->keeper);

	while (word != KEEPER_LOST && word != KEEPER_OVER && agent_is_open(agent_deliver(run->agent, entry, body)) &&
		!agent_must_end(run->agent)) {
		agent_wait(run->agent, backoff_wait_s(&backoff, run->agent->link.retry_after_s, 0.5));
		word = keeper_ask(&run->keeper);
	}
}

static void deliver(struct run *run, const struct bench_worker_outcome *outcome)
{
	struct spool_entry entry = {.token = run->lease->token};
	struct failure failure;
	struct buffer body;

	snprintf(entry.benchmark_id, sizeof(entry.benchmark_id), "%s", run->lease->benchmark_id);
	failure_clear(&failure);
	buffer_init(&body, SPOOL_RESULT_MAX_BYTES);
	encode_delivery(run, outcome, &body);
	if (body.failed) {
		log_event(LOG_ERROR, "agent_result_lost", LOG_TEXT("benchmark", entry.benchmark_id), LOG_TEXT("detail", "no memory to encode it"));
	} else if (spool_put(&run->agent->spool, &entry, body.bytes, body.length, &failure) == STATUS_OK) {
		(void)agent_spool_deliver(run->agent);
	} else {
		log_event(LOG_ERROR, "agent_spool", LOG_TEXT("benchmark", entry.benchmark_id), LOG_TEXT("detail", failure.detail));
		deliver_unspooled(run, &entry, &body);
	}
	buffer_release(&body);
}

static void conclude_stopped(struct run *run, struct bench_worker_outcome *outcome)
{
	switch (run->cause) {
	case CAUSE_DRAIN:
		release_lease(run->agent, run->lease, "the agent is being stopped");
		break;
	case CAUSE_CANCEL:
		snprintf(outcome->detail, sizeof(outcome->detail), "cancelled while it ran");
		deliver(run, outcome);
		break;
	case CAUSE_LOST:
	case CAUSE_OVER:
	case CAUSE_NONE:
		log_event(LOG_WARNING, "agent_lease_lost", LOG_TEXT("benchmark", run->lease->benchmark_id),
			LOG_TEXT("reason", run->cause == CAUSE_OVER ? "the server did not answer for too long" : "the server ended the lease"));
		break;
	}
}

static void mark_device(struct run *run, const struct bench_worker_outcome *outcome)
{
	enum bench_device_state before = run->slot->state;

	bench_attempt_mark(outcome, run->slot);
	if (run->slot->state != before)
		run->agent->registered = false;
}

static void conclude(struct run *run, struct bench_worker_outcome *outcome)
{
	switch (bench_sequel_of(outcome->end)) {
	case SEQUEL_FAIL:
	case SEQUEL_TRY_AGAIN:
		run->agent->probe_ns = 0; /* the device may be gone */
		deliver(run, outcome);
		break;
	case SEQUEL_SUCCEED:
		deliver(run, outcome);
		break;
	case SEQUEL_GIVE_BACK:
		run->slot->not_before_ns = clock_monotonic_ns() + INT64_C(1000000000) * BUSY_RETRY_S;
		release_lease(run->agent, run->lease, outcome->detail);
		break;
	case SEQUEL_AS_WISHED:
	case SEQUEL_COUNT:
		conclude_stopped(run, outcome);
		break;
	}
	mark_device(run, outcome);
}

static void describe_job(struct bench_job *job, const struct lease *lease)
{
	bench_job_open(job);
	job->record.id = lease->benchmark_id;
	job->record.plan_id = lease->spec.plan_id;
	job->record.shapes = lease->spec.shapes;
	job->record.token = lease->token;
	job->record.attempt = lease->attempt;
	job->record.timeout_s = lease->spec.timeout_s;
	job->suite = lease->spec.suite;
}

static void run_worker(struct run *run)
{
	const struct bench_attempt attempt = {.program = run->agent->program,
		.device = run->slot->id,
		.silence_s = SILENCE_S,
		.term_grace_s = lease_margin_s(run->lease->lease_s) / 2,
		.wake_fd = run->agent->wake_fd,
		.context = run,
		.on_tick = on_tick};
	struct bench_worker_outcome outcome;
	int64_t start_ns = clock_monotonic_ns();

	bench_attempt_run(&attempt, run->job, &outcome);
	log_event(LOG_INFO, "benchmark", LOG_TEXT("benchmark", run->lease->benchmark_id), LOG_TEXT("device", run->slot->id),
		LOG_TEXT("end", bench_worker_end_name(outcome.end)), LOG_INTEGER("attempt", run->lease->attempt),
		LOG_DOUBLE("elapsed_s", (double)(clock_monotonic_ns() - start_ns) * 1e-9),
		LOG_TEXT("detail", *outcome.detail ? outcome.detail : NULL));
	conclude(run, &outcome);
	bench_worker_release(&outcome);
}

void agent_lease_run(struct agent *agent, const struct lease *lease)
{
	struct run run = {.agent = agent, .lease = lease, .slot = slot_of(agent, lease->device), .job = malloc(sizeof(struct bench_job))};
	enum link_end end;

	log_event(LOG_INFO, "agent_leased", LOG_TEXT("benchmark", lease->benchmark_id), LOG_TEXT("device", lease->device),
		LOG_INTEGER("attempt", lease->attempt), LOG_INTEGER("token", lease->token), LOG_DOUBLE("lease_s", lease->lease_s));
	if (!run.slot || !run.job) {
		release_lease(agent, lease, run.slot ? "the agent is out of memory" : "this machine does not have the device");
		free(run.job);
		return;
	}
	describe_job(run.job, lease);
	end = keeper_start(&run.keeper, &agent->beats, lease);
	if (end == LINK_OK) {
		run_worker(&run);
		keeper_stop(&run.keeper);
	} else if (end != LINK_STALE && end != LINK_UNKNOWN) {
		release_lease(agent, lease, "the agent could not confirm its lease");
	}
	bench_job_close(run.job);
	free(run.job);
}
