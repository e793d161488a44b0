#include "service/plan_verification.h"

#include <math.h>

#include "hwdb/resolve/calibrations.h"
#include "planner/measurement/products.h"
#include "planner/operators/attention.h"
#include "service/estimate.h"
#include "service/plan_measured.h"
#include "storage/catalogue_rows.h"
#include "storage/plans.h"

enum { VERIFICATION_ARENA_BYTES = 256 * 1024 * 1024 };

struct verifying {
	struct storage *storage;
	struct bench_job *job;
	const struct bench_calibrations *calibrations;
	int64_t now_us;
	struct arena arena;               /* for the plan and for planning again */
	struct catalogue *before, *after; /* without and with the new calibrations */
	struct plan_record plan;
	struct plan_measured *measured;
	struct verification *verification;
	struct failure failure; /* why the result does not verify the plan */
};

/* --- catalogues -------------------------------------------------------------------------------------------------------- */

static bool replaces(const struct bench_calibrations *calibrations, const char *id)
{
	for (size_t i = 0; i < calibrations->count; i++)
		if (strcmp(calibrations->rows[i].id, id) == 0)
			return true;
	return false;
}

static bool overlay_calibrations(const struct bench_calibrations *calibrations, struct arena *arena, struct catalogue_rows *rows)
{
	struct calibration_row *all = ARENA_ARRAY(arena, struct calibration_row, rows->calibration_count + calibrations->count + 1);
	size_t count = 0;

	if (!all)
		return false;
	for (size_t i = 0; i < rows->calibration_count; i++)
		if (!replaces(calibrations, rows->calibrations[i].id))
			all[count++] = rows->calibrations[i];
	for (size_t i = 0; i < calibrations->count; i++)
		all[count++] = calibrations->rows[i];
	rows->calibrations = all;
	rows->calibration_count = count;
	for (size_t i = 0; calibrations->has_accelerator && i < rows->accelerator_count; i++)
		if (strcmp(rows->accelerators[i].accelerator.id, calibrations->accelerator.accelerator.id) == 0)
			rows->accelerators[i].accelerator = calibrations->accelerator.accelerator;
	return true;
}

/* Makes a catalogue of the stored rows, and of `calibrations` unless that is NULL. NULL: failed. */
static struct catalogue *make_snapshot(struct storage *storage, const struct bench_calibrations *calibrations, struct failure *failure)
{
	struct catalogue_rows rows = {0};
	struct catalogue *catalogue = NULL;
	struct arena arena;
	int64_t revision, calibration_revision;

	arena_init(&arena, VERIFICATION_ARENA_BYTES);
	if (storage_catalogue_load(storage, 0, &arena, &rows, &revision, &calibration_revision, failure) == STATUS_OK &&
		(!calibrations || overlay_calibrations(calibrations, &arena, &rows)))
		catalogue = catalogue_new(&arena, &rows, revision, calibration_revision, 0, failure);
	if (!catalogue)
		arena_release(&arena);
	return catalogue;
}

/* --- terms ------------------------------------------------------------------------------------------------------------- */

static bool is_good(const struct bench_line_measure *measure)
{
	return measure->verified && !measure->throttled && !measure->cache_resident && measure->median > 0;
}

/* The last valid figure of a test. It need not be stable: a verdict is about this run. */
static const struct bench_line_measure *good_measure(const struct bench_job *job, const char *test)
{
	for (size_t i = job->measure_count; i > 0; i--)
		if (strcmp(job->measures[i - 1].test, test) == 0 && is_good(&job->measures[i - 1]))
			return &job->measures[i - 1];
	return NULL;
}

/* True if a figure is the last valid one of its work. */
static bool is_judged(const struct bench_job *job, size_t index)
{
	const struct bench_line_measure *measure = &job->measures[index];

	for (size_t i = index + 1; i < job->measure_count; i++)
		if (is_good(&job->measures[i]) && bench_measures_same_work(&job->measures[i], measure))
			return false;
	return is_good(measure) && measure->flops > 0;
}

/* Judges the plan's own products, each counted as often as it occurs in a step. */
static void judge_products(struct verifying *it, double *predicted_s, double *measured_s)
{
	*predicted_s = *measured_s = 0;
	for (size_t i = 0; i < it->job->measure_count; i++) {
		const struct bench_line_measure *measure = &it->job->measures[i];
		double count = measure->count > 0 ? measure->count : 1, predicted;

		if (!measure->role || !measure->has_shape || strcmp(measure->method, "library_gemm") != 0 || !is_judged(it->job, i))
			continue;
		predicted = product_predicted_s(it->measured->candidate, measure->precision, &measure->shape);
		if (!is_given(predicted))
			continue;
		*predicted_s += count * predicted;
		*measured_s += count * measure->flops / measure->median;
	}
	verification_add(it->verification, "compute", "s", *predicted_s, *measured_s, false);
}

/* Predicts the worker's attention: not fused, with all scores, also those that a causal mask removes. */
static double predicted_attention_s(const struct device *device, const struct physics *bare, const struct bench_attention *shape)
{
	struct attention attention = {.tokens = (double)(shape->batch * shape->queries),
		.sequence = (double)shape->keys,
		.heads = (double)shape->heads,
		.key_dim = (double)shape->head_dimension,
		.value_dim = (double)shape->head_dimension};

	return (shape->backward ? attention_backward(device, bare, &attention) : attention_forward(device, bare, &attention)).time_s;
}

static void judge_attention(struct verifying *it, const struct device *device, const struct physics *bare)
{
	double predicted_s = 0, measured_s = 0;

	for (size_t i = 0; i < it->job->measure_count; i++) {
		const struct bench_line_measure *measure = &it->job->measures[i];
		double count = measure->count > 0 ? measure->count : 1;

		if (strcmp(measure->test, "attention") != 0 || !measure->has_attention || !is_judged(it->job, i))
			continue;
		predicted_s += count * predicted_attention_s(device, bare, &measure->attention);
		measured_s += count * measure->flops / measure->median;
	}
	verification_add(it->verification, "attention", "s", predicted_s, measured_s, false);
}

static void judge_fits(struct verifying *it, const struct device *device)
{
	for (size_t i = 0; i < it->job->fit_count; i++) {
		const struct bench_line_fit *fit = &it->job->fits[i];

		if (strcmp(fit->test, "transfer_pinned") == 0 && fit->what && strcmp(fit->what, "to_device") == 0)
			verification_add(it->verification, "host_transfer", "bytes_per_s", device->host_bytes_per_s, fit->beta_bytes_per_s, true);
		if (strcmp(fit->test, "all_reduce") == 0)
			verification_add(it->verification, "communication", "bytes_per_s", device->link_bytes_per_s, fit->beta_bytes_per_s, true);
	}
}

static void judge_terms(struct verifying *it, double *products_predicted_s, double *products_measured_s)
{
	const struct candidate *candidate = it->measured->candidate;
	const struct bench_line_measure *triad = good_measure(it->job, "stream_triad"), *launch = good_measure(it->job, "launch_pipelined"),
									*storage = good_measure(it->job, "storage_sequential");
	const struct training_request *request = &it->measured->training.request;
	struct physics bare = shapes_bare_physics();
	struct device device;

	judge_products(it, products_predicted_s, products_measured_s);
	if (!device_of_candidate(candidate,
			it->measured->spec.block.precision == PRECISION_UNSET ? accelerator_training_precision(&candidate->accelerator)
																  : it->measured->spec.block.precision,
			&bare, 1, &device))
		return;
	judge_attention(it, &device, &bare);
	if (triad)
		verification_add(it->verification, "memory_bandwidth", "bytes_per_s", device.memory_bytes_per_s, triad->median, true);
	if (launch)
		verification_add(it->verification, "launch_overhead", "s", CALIBRATED(&candidate->calibration, kernel_launch_s, ABSENT_NUMBER),
			launch->median, false);
	judge_fits(it, &device);
	if (storage && it->measured->is_training)
		verification_add(it->verification, "input", "bytes_per_s",
			given_or(request->input_pipeline.storage_gbs * 1e9, CALIBRATED(&candidate->calibration, storage_bytes_per_s, ABSENT_NUMBER)),
			storage->median, true);
}

/* --- the whole --------------------------------------------------------------------------------------------------------- */

static struct candidate with_calibrations(const struct verifying *it, enum precision precision)
{
	struct candidate candidate = *it->measured->candidate;
	const struct calibration_wish wish = {
		.accelerator = &candidate.accelerator, .precision = precision, .plan_id = it->plan.id, .now_us = it->now_us};

	calibrations_choose(it->after, &wish, &it->job->arena, NULL, &candidate.calibration);
	return candidate;
}

/* Judges the step by a measured block, or by the plan's products if no block was measured. */
static void judge_whole(struct verifying *it, double products_predicted_s, double products_measured_s)
{
	const struct bench_line_measure *block = good_measure(it->job, "block_step");
	struct verification *verification = it->verification;
	struct candidate candidate;

	verification->what = "products";
	verification->predicted_s = products_predicted_s;
	verification->measured_s = products_measured_s;
	verification->calibrated_s = ABSENT_NUMBER;
	if (!block || !block->has_block || !(block->predicted_s > 0))
		return;
	verification->what = "block";
	verification->predicted_s = block->predicted_s;
	verification->measured_s = block->median;
	if (!it->after)
		return;
	candidate = with_calibrations(it, block->block.precision);
	verification->calibrated_s = block_predicted_s(&candidate, &block->block);
}

/* Stores in the job's arena why the plan was not planned again. */
static void not_replanned(struct verifying *it, const char *why)
{
	it->verification->not_replanned = arena_strdup(&it->job->arena, *why ? why : "it cannot be planned with the measured figures");
}

static bool wants_datasheet(const struct verifying *it)
{
	return (it->measured->is_training ? it->measured->training.request.common.calibration
									  : it->measured->inference.request.common.calibration) == CALIBRATION_DATASHEET;
}

static void plan_again(struct verifying *it)
{
	const struct json_text *asked = it->plan.asked.text ? &it->plan.asked : &it->plan.request;
	struct verification *verification = it->verification;
	struct failure failure;
	struct estimate estimate = {
		.kind = estimate_kind_of_plan(it->plan.kind), .arena = &it->arena, .failure = &failure, .plan_id = it->plan.id};
	struct stored_layout now;
	struct plan_record fresh;

	failure_clear(&failure);
	if (wants_datasheet(it)) {
		not_replanned(it, "the plan's calibration is datasheet: measured figures do not change it");
		return;
	}
	if (!it->after || !estimate.kind || estimate_decode(&estimate, asked->text, asked->length) != STATUS_OK ||
		estimate_compute(&estimate, it->after, it->now_us) != STATUS_OK || estimate_record(&estimate, &fresh) != STATUS_OK ||
		api_stored_layout(&fresh, &it->arena, &now, &failure) != STATUS_OK) {
		failure_summarize(&failure);
		not_replanned(it, failure.detail);
		return;
	}
	verification->has_replanned = true;
	verification->replanned = (struct verification_replan){.gpu_count = (double)now.gpu_count,
		.gpu_count_change = (double)(now.gpu_count - it->measured->layout.gpu_count),
		.usd = now.usd,
		.usd_change = now.usd - it->measured->layout.usd};
}

static bool judge_result(struct verifying *it)
{
	struct verification *verification = it->verification;
	double predicted_s, measured_s;

	verification->benchmark_id = it->job->record.id;
	verification->device = it->job->device.id;
	verification->accelerator = it->job->device.accelerator;
	verification->measured_at_us = it->now_us;
	judge_terms(it, &predicted_s, &measured_s);
	judge_whole(it, predicted_s, measured_s);
	verification_conclude(verification);
	if (verification->verdict == VERIFICATION_UNSET) {
		(void)failure_set(&it->failure, STATUS_INVALID, "the benchmark has no valid figure of a block or of a product of the plan");
		return false;
	}
	if (verification->verdict != VERIFICATION_CONFIRMED)
		plan_again(it);
	return true;
}

static bool read_plan(struct verifying *it)
{
	const char *planned, *here = it->job->device.accelerator;
	struct failure unread;

	it->measured = ARENA_NEW(&it->arena, struct plan_measured);
	if (!it->measured ||
		storage_plan_get(it->storage, it->job->record.plan_id, ABSENT_COUNT, &it->arena, &it->plan, &it->failure) != STATUS_OK)
		return false;
	it->before = make_snapshot(it->storage, NULL, &it->failure);
	if (!it->before || plan_measured_read(it->measured, &it->plan, it->before, it->now_us, &it->arena, &it->failure) != STATUS_OK)
		return false;
	planned = it->measured->layout.accelerator;
	if (!here || strcmp(planned, here) != 0) {
		(void)failure_set(&it->failure, STATUS_INVALID, "the plan is for %.64s, but %.64s was measured", planned,
			here ? here : "a device without a catalogue row");
		return false;
	}
	failure_clear(&unread);
	it->after = make_snapshot(it->storage, it->calibrations, &unread);
	return true;
}

bool plan_verification_make(struct storage *storage, struct bench_job *job, const struct bench_calibrations *calibrations, int64_t now_us,
	struct verification *verification, const char **why_not)
{
	struct verifying it = {.storage = storage, .job = job, .calibrations = calibrations, .now_us = now_us, .verification = verification};
	bool good;

	*verification = (struct verification){.ratio = ABSENT_NUMBER};
	*why_not = NULL;
	if (!job->record.plan_id || !job->has_device)
		return false;
	failure_clear(&it.failure);
	arena_init(&it.arena, VERIFICATION_ARENA_BYTES);
	good = read_plan(&it) && judge_result(&it);
	if (!good) {
		failure_summarize(&it.failure);
		*why_not = *it.failure.detail ? arena_strdup(&job->arena, it.failure.detail) : "no memory to verify the plan";
	}
	if (it.before)
		catalogue_release(it.before);
	if (it.after)
		catalogue_release(it.after);
	arena_release(&it.arena);
	return good;
}
