#include "server/bench_delivery.h"

#include <sodium.h>

#include "base/clock.h"
#include "service/plan_verification.h"
#include "storage/lease.h"

enum { LINE_ARENA_BYTES = 1024 * 1024, LOG_MAX_BYTES = 1024 * 1024 };

static enum status read_accelerator(
	struct storage *storage, struct bench_job *job, struct accelerator_row *row, const struct accelerator_row **found)
{
	struct failure failure;
	enum status status;

	*found = NULL;
	if (!job->device.accelerator)
		return STATUS_OK;
	failure_clear(&failure);
	status = storage_row_get(storage, ROW_ACCELERATOR, job->device.accelerator, 0, &job->arena, row, &failure);
	if (status == STATUS_OK)
		*found = row;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* Keeps the first value of a device as the baseline for drift. A new driver or a new peak rate does not reset it; only
 * another device has another baseline. */
static void keep_baseline(struct bench_delivery *delivery, struct storage *storage, struct bench_job *job, struct calibration_row *row)
{
	struct calibration_row before;
	struct failure unread;
	enum status status;

	failure_clear(&unread);
	status = storage_row_get(storage, ROW_CALIBRATION, row->id, 0, &job->arena, &before, &unread);
	if (status == STATUS_OK)
		row->baseline = given_or(before.baseline, before.value);
	delivery->no_memory = delivery->no_memory || status == STATUS_NO_MEMORY;
}

/* Calibrates. If this bearer may not create the accelerator's row, calibrates again without that row. */
static enum status calibrate_for(
	const struct bench_bearer *bearer, struct bench_evidence *evidence, struct bench_job *job, struct bench_calibrations *calibrations)
{
	struct failure failure;
	enum status status;

	failure_clear(&failure);
	status = bench_calibrate(evidence, &job->arena, calibrations, &failure);
	if (status == STATUS_OK && calibrations->has_accelerator &&
		!bench_may_make_row(bearer, &evidence->device, evidence->accelerator, &calibrations->accelerator)) {
		evidence->row_stands = true;
		status = bench_calibrate(evidence, &job->arena, calibrations, &failure);
	}
	return status == STATUS_OK && calibrations->count > 0
		? bench_hold(bearer, calibrations->has_accelerator ? &calibrations->accelerator.accelerator : &evidence->accelerator->accelerator,
			  &job->arena, calibrations)
		: status;
}

static bool calibrate_delivery(
	struct bench_delivery *delivery, struct storage *storage, struct bench_job *job, const struct bench_bearer *bearer)
{
	struct bench_evidence evidence = {.benchmark_id = job->record.id,
		.device = job->device,
		.measures = job->measures,
		.measure_count = job->measure_count,
		.fits = job->fits,
		.fit_count = job->fit_count,
		.plan_id = job->record.plan_id,
		.now_us = clock_wall_us()};
	struct bench_calibrations *calibrations = &delivery->calibrations;
	enum status status = job->has_device ? read_accelerator(storage, job, &delivery->accelerator, &evidence.accelerator) : STATUS_INVALID;

	delivery->no_memory = status == STATUS_NO_MEMORY;
	if (status != STATUS_OK)
		return false;
	if (calibrate_for(bearer, &evidence, job, calibrations) == STATUS_OK) {
		for (size_t i = 0; i < calibrations->count; i++) {
			keep_baseline(delivery, storage, job, &calibrations->rows[i]);
			delivery->held += calibrations->rows[i].held_because != NULL;
		}
		delivery->rows = (struct catalogue_rows){.accelerators = &calibrations->accelerator,
			.accelerator_count = calibrations->has_accelerator,
			.calibrations = calibrations->rows,
			.calibration_count = calibrations->count};
	} else {
		delivery->no_memory = true;
		*calibrations = (struct bench_calibrations){.refused = 1, .refusals = {{"accelerator", "no memory for calibrations"}}};
	}
	return true;
}

enum status bench_delivery_judge(struct storage *storage, struct bench_job *job, struct bench_worker_outcome *outcome)
{
	const struct accelerator_row *found = NULL;
	struct accelerator_row row;
	char detail[sizeof outcome->detail];
	enum status status = outcome->end == WORKER_SUCCEEDED && job->has_device ? read_accelerator(storage, job, &row, &found) : STATUS_OK;

	if (status != STATUS_OK || outcome->end != WORKER_SUCCEEDED || !bench_is_impossible(job, found, detail, sizeof detail))
		return status;
	outcome->end = WORKER_FAILED;
	snprintf(outcome->detail, sizeof outcome->detail, "%s", detail);
	return STATUS_OK;
}

void bench_delivery_open(struct bench_delivery *delivery, struct storage *storage, struct bench_job *job,
	const struct bench_worker_outcome *outcome, enum benchmark_end end, const struct bench_bearer *bearer)
{
	struct bench_judgement judgement = {.calibrations = NULL};
	bool calibrates;

	*delivery = (struct bench_delivery){.result = {.job = {.kind = STORAGE_BENCHMARK_RESULT, .arena = &job->arena},
											.id = job->record.id,
											.token = job->record.token,
											.end = end,
											.calibrations = &delivery->rows,
											.failure_detail = end == BENCHMARK_SUCCEEDED ? NULL : outcome->detail}};
	buffer_init(&delivery->text, BENCH_RESULT_MAX_BYTES);
	calibrates = end == BENCHMARK_SUCCEEDED && calibrate_delivery(delivery, storage, job, bearer);
	delivery->has_verification = calibrates &&
		plan_verification_make(storage, job, &delivery->calibrations, clock_wall_us(), &delivery->verification, &judgement.not_verified);
	judgement.calibrations = calibrates ? &delivery->calibrations : NULL;
	judgement.verification = delivery->has_verification ? &delivery->verification : NULL;
	bench_job_encode(job, outcome, &judgement, &delivery->text);
	delivery->no_memory = delivery->no_memory || (delivery->text.failed && !delivery->text.full);
	if ((delivery->no_memory || delivery->text.failed) && end == BENCHMARK_SUCCEEDED) { /* there may be memory at the next attempt */
		delivery->result.end = BENCHMARK_BROKEN;
		delivery->result.failure_detail = "no memory for the result";
		delivery->rows = (struct catalogue_rows){.accelerator_count = 0};
	}
	delivery->result.result = delivery->text.failed ? NULL : delivery->text.bytes;
	if (delivery->text.bytes)
		crypto_hash_sha256(delivery->result.sha256, (const unsigned char *)delivery->text.bytes, delivery->text.length);
}

void bench_delivery_close(struct bench_delivery *delivery)
{
	buffer_release(&delivery->text);
}

void bench_outcome_count_attempt(struct bench_worker_outcome *outcome, const struct benchmark_record *benchmark)
{
	size_t length = strlen(outcome->detail);

	snprintf(outcome->detail + length, sizeof outcome->detail - length, " (attempt %lld of %d)", (long long)benchmark->attempt,
		LEASE_ATTEMPTS_MAX);
}

bool bench_delivery_calibrates(const struct bench_delivery *delivery)
{
	return delivery->rows.accelerator_count + delivery->rows.calibration_count > 0;
}

static enum bench_worker_end end_of(const char *name)
{
	enum bench_worker_end end = 0;

	while (end < WORKER_END_COUNT && strcmp(bench_worker_end_name(end), name) != 0)
		end++;
	return end;
}

/* Parses the lines; on a fault, `detail` names the line and its first fault. */
static enum status take_lines(const struct bench_result *result, struct bench_job *job, char *detail, size_t size)
{
	struct failure failure;
	struct arena arena;
	enum status status = STATUS_OK;

	arena_init(&arena, LINE_ARENA_BYTES);
	for (size_t i = 0; i < result->line_count && status == STATUS_OK; i++) {
		const struct json_text *text = &result->lines[i];
		struct bench_line line;

		arena_reset(&arena);
		failure_clear(&failure);
		status = bench_line_parse(text->text, text->length, &arena, &line, &failure);
		if (status == STATUS_OK)
			bench_job_take(job, &line, text->text, text->length);
		else
			snprintf(detail, size, "line %zu of the result is not valid: %s %s", i + 1,
				failure.fault_count ? failure.faults[0].pointer : "", failure.fault_count ? failure.faults[0].detail : failure.detail);
	}
	if (status != STATUS_OK && (status != STATUS_NO_MEMORY || arena.full))
		status = STATUS_INVALID;
	arena_release(&arena);
	return status;
}

enum status bench_delivery_read(
	const struct bench_result *result, struct bench_job *job, struct bench_worker_outcome *outcome, char *detail, size_t size)
{
	enum status status;

	*outcome = (struct bench_worker_outcome){.end = end_of(result->end), .exit_code = -1, .signal = -1, .pid = -1};
	buffer_init(&outcome->log, LOG_MAX_BYTES);
	snprintf(outcome->detail, sizeof outcome->detail, "%s", result->detail ? result->detail : "");
	if (result->log)
		buffer_append_text(&outcome->log, result->log);
	if (outcome->end == WORKER_END_COUNT) {
		snprintf(detail, size, "a worker cannot have ended as \"%.40s\"", result->end);
		return STATUS_INVALID;
	}
	status = take_lines(result, job, detail, size);
	if (status != STATUS_OK)
		return status;
	if (result->worker_version)
		job->worker_version = arena_strdup(&job->arena, result->worker_version);
	job->elapsed_s = given_or(result->elapsed_s, job->elapsed_s);
	if (job->has_device && job->record.running_device && strcmp(job->device.id, job->record.running_device) != 0) {
		snprintf(detail, size, "the benchmark ran on %.60s, but the lease is for %.60s", job->device.id, job->record.running_device);
		return STATUS_INVALID;
	}
	bench_job_judge(job, outcome);
	return STATUS_OK;
}
